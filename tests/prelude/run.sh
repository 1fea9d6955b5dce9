#!/usr/bin/env bash
# docs/prelude.md is what tests/prelude/page.py makes of the preludes, and has every function of them.  `run.sh update` writes it.
set -eu
cd "$(dirname "$0")/../.."
page=$(mktemp)
trap 'rm -f "$page"' EXIT
python3 tests/prelude/page.py . > "$page"
if [ "${1:-}" = update ]; then
    cp "$page" docs/prelude.md
    exit
fi
cmp -s "$page" docs/prelude.md || { diff "$page" docs/prelude.md | head; echo "prelude: docs/prelude.md is not what the preludes say: tests/prelude/run.sh update"; exit 1; }
{
    sed -n 's/^fun @\([A-Za-z0-9_.]*\).*/\1/p' libfcl/prelude/*.fclir
    sed -n 's/^fun \([A-Za-z0-9_#]*\) .*/\1/p' libfcl/prelude/*.fcl
} | while read -r name; do
    grep -qF "| \`$name\` |" docs/prelude.md || { echo "prelude: docs/prelude.md lacks $name"; exit 1; }
done
echo "prelude: ok ($(grep -c '^| `' docs/prelude.md) rows)"
