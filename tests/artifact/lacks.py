"""Writes artifacts that ask for what a device does not have: lacks.py FILE.fcla FOLDER; a line for each, with the code of the
error and a word of its message.  FILE has one target, of OpenCL C."""
import sys

import msgpack
from damage import changed


def kernels(**what):
    def change(_, plan):
        for kernel in plan["kernels"]:
            kernel.update(what)
    return change


def target(**what):
    return lambda parts, plan: parts[5]["targets"][0].update(what)


CHANGES = [
    ("E0625", "f16", kernels(needs=["f64", "f16"])),
    ("E0615", "bytes of local memory", kernels(local_bytes=1 << 40)),
    ("E0854", "exchange values by ptx", target(exchange="ptx")),
    ("E0854", "exchange values by radio", target(exchange="radio")),
    ("E0854", "warps have another size", target(warp_size=77)),
    ("E0854", "opencl-c", target(target="spirv")),
    ("good", "", target(warp_size=32)),
    ("W1104", "part-turns", target(quirks=["open-branches", "what later versions know"])),
]


def main(path, folder):
    with open(path, "rb") as f:
        parts = msgpack.unpackb(f.read())[:-1]
    for i, (code, word, change) in enumerate(CHANGES):
        with open(f"{folder}/lacks{i}.fcla", "wb") as f:
            f.write(changed(parts, change))
        print(f"{code}\t{folder}/lacks{i}.fcla\t{word}")


main(*sys.argv[1:])
