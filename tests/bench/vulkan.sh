#!/bin/bash
# The same programs through OpenCL C and through Vulkan, on one device in one process: times by the device's clock and their
# ratio, above 1 where Vulkan is faster.  Options are those of pair.c.  Where they name neither problems nor settings, some
# problems follow once more with other settings, which tells what a gap comes from: from wide accesses, from how many blocks
# a core holds, from what lanes exchange.
#
#   vulkan.sh [OPTION...]   OPENCL=opencl:N and VULKAN=vulkan:N choose the devices; else NVIDIA's, and the first ones.  Behind
#                           an @ may stand a target: VULKAN=vulkan@spirv-vulkan-addresses
#   vulkan.sh --pack        builds on a machine without a GPU: $BUILD/bench and tests/bench are all that the other one needs,
#                           with a Vulkan loader (libvulkan.so.1)
set -eu
export FCL_CACHE= # first builds are measured
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
build=${BUILD:-build} # below the sources, where everything runs
out=$build/bench

if [ "${1:-}" = --pack ]; then
    make BUILD="$build" "$out/pair"
    for name in libcjson.so.1 libOpenCL.so.1; do
        library=$(ldd "$out/pair" | sed -n "s|.*$name => \([^ ]*\).*|\1|p")
        [ -z "$library" ] || [ "$library" -ef "$out/$name" ] || cp -L "$library" "$out/$name"
    done
    library=$(ldconfig -p | sed -n 's|.*libvulkan.so.1 .*=> ||p' | head -1)
    [ -z "$library" ] || cp -L "$library" "$out/libvulkan.so.1"
    exit
fi

# Drivers whose files for the loaders are missing are named to them by ours.
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
driver=$({ ldconfig -p | sed -n 's|.*libnvidia-opencl.so.1.* => ||p'
           find /usr/lib /usr/lib64 /usr/local/nvidia -name libnvidia-opencl.so.1 2> /dev/null; } | head -1)
if [ -n "$driver" ]; then
    echo "$driver" > "$tmp/nvidia.icd"
    export OCL_ICD_VENDORS=$tmp/ # some loaders want the slash
    unset OCL_ICD_FILENAMES # names drivers that come first
    described=$(find /usr/local/nvidia /usr/share/vulkan /etc/vulkan -name nvidia_icd.json 2> /dev/null | head -1)
    [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] || [ -z "$described" ] ||
        export VK_DRIVER_FILES=$described VK_ICD_FILENAMES=$described
fi
export LD_LIBRARY_PATH=$out${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ -x "$out/pair" ] || make BUILD="$build" "$out/pair"
status=0
"$out/pair" "$@" "${OPENCL:-opencl}" "${VULKAN:-vulkan}" "$here" || status=1
case " $*" in *" --only="* | *" --set="*) exit $status ;; esac
while read -r problem set; do
    echo "
$problem, $set:"
    "$out/pair" "$@" --only="$problem" --set="$set" "${OPENCL:-opencl}" "${VULKAN:-vulkan}" "$here" > "$tmp/rows" || status=1
    tail -n +6 "$tmp/rows"
done << END
transpose VectorBytes=4
transpose BlockSize=512
transpose BlockSize=1024
scan BlockSize=128,rows=12
scan VectorBytes=4
scan BlockSize=64
scan Exchange=local
END
exit $status
