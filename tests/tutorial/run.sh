#!/bin/bash
# Holds docs/tutorial.md to what the programs do (tests/tools/page.sh), and its programs to fclc check, but for those in
# refused/.  UPDATE=1 writes what the commands print into the tutorial.
set -u
cd "$(dirname "$0")/../.." || exit 1
programs=docs/examples/tutorial
bin=$(cd "${BUILD:-build}/bin" && pwd) || exit 1
export PATH=$bin:$PATH
status=0

for file in "$programs"/*.fcl; do
    fclc check "$file" > /dev/null 2>&1 || { echo "tutorial: fclc check $file fails"; status=1; }
done
for file in "$programs"/refused/*.fcl; do
    ! fclc check "$file" > /dev/null 2>&1 || { echo "tutorial: fclc check $file finds nothing"; status=1; }
done
tests/tools/page.sh docs/tutorial.md "$programs" || status=1
exit $status
