#!/usr/bin/env bash
# Every code is explained, and the examples are refused with their codes.
. "$(dirname "$0")/../tools/lib.sh"
"$python" "$here/check.py"
