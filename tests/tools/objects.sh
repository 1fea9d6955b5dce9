#!/bin/sh
# objects.sh BUILD: the library's objects there, for tests of functions that it does not export.
cd "$(dirname "$0")/../.." || exit 1
find ir serialize backends libfcl frontends -name '*.c' -not -path 'frontends/tools/*' | sed "s|^|$1/obj/|; s|c\$|o|"
