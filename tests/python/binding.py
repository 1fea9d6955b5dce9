"""What fcl.py refuses, and what becomes of its objects: see run.sh."""
import gc
import resource

import fcl
import numpy

TYPES = [t for t in fcl.DTYPES if t is not None and t.kind != "b"]
NAMES = {"i": "i", "u": "u", "f": "f"}


def refuses(error, call, *args):
    try:
        call(*args)
    except error:
        return
    raise AssertionError(f"{call} accepts {args}")


def echo(cx, dtype):
    name = NAMES[dtype.kind] + str(8 * dtype.itemsize)
    text = f"fcl 0.2\nkernel @echo(%xs: [{name}], %x: {name}) -> [{name}]<grid> {{\n  %p = push<grid> %xs\n  return %p\n}}\n"
    return cx.load("echo.fclir", text)


with fcl.Context() as cx:
    interp = cx.device("interp")
    for dtype in TYPES:
        xs = numpy.array([0, 1, 100], dtype)
        program = echo(cx, dtype).program(interp)
        got = program(xs, dtype.type(1))
        assert got.dtype == dtype and (got == xs).all(), (dtype, got)
        assert program(xs[:0], 1).shape == (0,)
        assert (program(numpy.array([0, 9, 1, 9, 100, 9], dtype)[::2], 1) == xs).all(), "strides"
        assert (program.run(interp.buffer(xs), 1).numpy() == xs).all()
    program = echo(cx, numpy.dtype("int32")).program(interp, timed=True)
    xs = numpy.arange(5, dtype=numpy.int32)
    program(xs, 1)
    assert program.nanoseconds > 0
    refuses(TypeError, program, xs)
    refuses(TypeError, program, xs.astype(float), 1)
    refuses(TypeError, program, xs.reshape(5, 1), 1)
    refuses(TypeError, program, xs, 1.5)
    refuses(fcl.Error, cx.load, "x.fclir", "fcl 0.1\nkernel")
    refuses(fcl.Error, cx.device, "nowhere")
    refuses(fcl.Error, cx.artifact, "x.fcla", b"no artifact")
    module = echo(cx, numpy.dtype("int32"))
    refuses(fcl.Error, module.program, interp, "missing")
    assert module.kernels() == ["echo"] and "@echo" in str(module)
    artifact = module.compile()
    assert "__kernel" in artifact.code and "launch" in artifact.plan
    assert cx.artifact("kept.fcla", artifact.save()).kernels() == ["echo"]
    warned = cx.load("warn.fcl", "fun main (xs : [int]) = let y = 1 in push <grid> xs")
    assert any(w.severity == fcl.WARNING for w in cx.warnings), cx.warnings

    # Objects that nobody has go, what they need after them.
    for n in range(2000):
        echo(cx, numpy.dtype("int32")).program(interp)(xs, 1)
        if n == 200:
            gc.collect()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20000, f"{grown} KiB more after 1800 programs"
    module.close()
    module.close()
    refuses(ValueError, module.check)
refuses(ValueError, program, xs, 1)
refuses(ValueError, cx.load, "x.fclir", "")
