"""What the binding of this folder does, on every device of the machine:

    FCL_LIBRARY=build/lib/libfcl.so.0 python3 docs/examples/python/example.py"""
import pathlib

import fcl
import numpy

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent


def reverse(cx, device):
    module = cx.load(str(EXAMPLES / "reverse.fclir"))
    numbers = numpy.arange(1000, dtype=numpy.int32)
    program = module.program(device, "revGrid")
    assert (program(numbers) == numbers[::-1]).all()

    # The same without moving anything between host and device from one run to the next.
    buffer = device.buffer(numbers)
    twice = program.run(program.run(buffer))
    assert (twice.numpy() == numbers).all()

    # A chain of runs that waits once, and writes where it is told to.
    back = device.empty(numbers.shape, numbers.dtype)
    job = program.start(program.start(buffer).results, into=back)
    assert job.wait() is back and (numpy.asarray(back) == numbers).all()

    # Kept in a file, and run without compiling.
    if device.target:
        kept = cx.artifact("kept.fcla", module.compile("revDistribute", device.target).save())
        assert (kept.program(device)(64, numbers) == numbers[::-1]).all()


def pairs(cx, device):
    """Numbers of several types, several results."""
    saxpy = cx.load(str(EXAMPLES / "map.fclir")).program(device, "saxpy", block_size=64)
    xs = numpy.linspace(0, 1, 500, dtype=numpy.float32)
    assert numpy.allclose(saxpy(2.0, xs, xs), 3 * xs)
    two = cx.load(str(EXAMPLES / "levels.fclir"))
    print(two.signature("twoResults"))
    for result in two.program(device, "twoResults")(numpy.arange(5, dtype=numpy.int32)):
        print(result)


def refused(cx):
    """What is wrong is raised, each diagnostic with its place."""
    try:
        cx.load("wrong.fcl", "fun main xs = push <grid> (map (fn x => x + missing) xs)")
    except fcl.Error as error:
        first = error.diagnostics[0]
        print(error)
        assert (first.file, first.line, first.column) == ("wrong.fcl", 1, 45), (first.file, first.line, first.column)
    else:
        raise AssertionError("a name that is not there is accepted")


def main():
    print("libfcl", fcl.version())
    with fcl.Context() as cx:
        refused(cx)
        for name in cx.devices():
            device = cx.device(name)
            reverse(cx, device)
            pairs(cx, device)
            print(name, "ok")


if __name__ == "__main__":
    main()
