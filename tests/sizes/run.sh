#!/bin/bash
# How much code the examples become, since drivers take their time by its length: lines and bytes of OpenCL C, and bytes of
# SPIR-V for Vulkan.  Code that is more than a tenth longer than sizes.txt says fails.  UPDATE=1 writes the table anew, with
# kernels that are new; longer code is a decision for a commit that says why.
. "$(dirname "$0")/../tools/lib.sh"
cd "$here/../.." || exit 1
table=$here/sizes.txt

entries()
{
    case $1 in
        *.fcl) sed -n 's/^sig \([A-Za-z0-9]*\) : .*<grid>$/\1/p' "$1" ;;
        *) sed -n 's/^kernel @\([A-Za-z0-9_]*\).*/\1/p' "$1" ;;
    esac
}

size_of() { stat -c %s "$1"; }

head -n 1 "$table" > "$tmp/sizes"
for file in docs/examples/*.fclir docs/examples/*.fcl; do
    while read -r entry; do
        ok "" fclc compile "$file" --entry="$entry" -D JoinLaunches=1 -o "$tmp/code.cl"
        ok "" fclc compile "$file" --entry="$entry" -D JoinLaunches=1 --target=spirv-vulkan -o "$tmp/code.spv"
        printf '%-20s %-18s %7d %7d %7d\n' "$(basename "$file")" "$entry" "$(wc -l < "$tmp/code.cl")" "$(size_of "$tmp/code.cl")" \
            "$(size_of "$tmp/code.spv")" >> "$tmp/sizes"
    done < <(entries "$file")
done

# Both tables side by side: what is new, what has grown.
awk 'FNR == 1 { next }
     NR == FNR { for (i = 3; i <= 5; i++) was[$1, $2, i] = $i; next }
     !(($1, $2, 3) in was) { print "sizes:", $1, $2, "is not listed: UPDATE=1 does" > "/dev/stderr"; next }
     { split("lines of OpenCL C,bytes of OpenCL C,bytes of SPIR-V", what, ",") }
     { for (i = 3; i <= 5; i++) if ($i > was[$1, $2, i] * 1.1) print $1, $2, "has", $i, what[i - 2] ", and had", was[$1, $2, i] }' "$table" "$tmp/sizes" > "$tmp/grown"
if [ -n "${UPDATE:-}" ]; then
    cp "$tmp/sizes" "$table"
elif [ -s "$tmp/grown" ]; then
    while read -r line; do fail "$line"; done < "$tmp/grown"
fi
finish sizes
