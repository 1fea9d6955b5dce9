"""What fcl.py refuses, and what becomes of its objects: see run.sh."""
import gc
import resource
import threading

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


def raises(code, call, *args):
    """The call fails with that code."""
    try:
        call(*args)
    except fcl.Error as error:
        assert error.diagnostics[0].code == code, error
        return
    raise AssertionError(f"{call} succeeds with {args}")


CHECKED = """fcl 0.3
kernel @checked(%xs: [int], %k: int) -> [int]<grid> {
  %n = length %xs
  %ys = generate %n { (%i: int)
    %j = add %i, %k
    %x = index %xs, %j
    %y = add %x, 1
    yield %y
  }
  %p = push<grid> %ys
  %made = force %p
  %zs = map %made { (%y: int)
    %z = mul %y, 2
    yield %z
  }
  %q = push<grid> %zs
  return %q
}
"""
ENDLESS = """fcl 0.3
kernel @endless(%n: int) -> [int]<grid> {
  %z = tuple %n, 0
  %s = while %z { (%s: (int, int))
    %k = proj %s, 0
    %more = ge %k, 0
    yield %more
  } { (%s: (int, int))
    %k = proj %s, 0
    %one = generate 1 { (%i: int)
      yield %k
    }
    %p = push<grid> %one
    %a = force %p
    %x = index %a, 0
    %next = tuple %x, 1
    yield %next
  }
  %x = proj %s, 1
  %one = array %x
  %p = push<grid> %one
  return %p
}
"""


def asynchronous(device):
    """Jobs, results in given buffers, what a failed run makes of those behind it, peaks, progress, cancelling."""
    cx, numbers = device.context, numpy.arange(1000, dtype=numpy.int32)
    launches = []
    program = cx.load("checked.fclir", CHECKED).program(device, progress=launches.append)
    source, into = device.buffer(numbers), device.empty((1000,), numpy.int32)
    expected = 2 * numbers + 2
    assert (program.run(source, 0).numpy() == expected).all()
    assert device.name == "interp" or (launches and program.peak >= 4000), (launches, program.peak)
    assert program.run(source, 0, into=into) is into and (numpy.asarray(into) == expected).all()
    chain = [program.start(source, 0)]
    for _ in range(100):
        chain.append(program.start(chain[-1].results, 0))
    for _ in range(101):
        numbers = 2 * (numbers + 1)
    assert (chain[-1].wait().numpy() == numbers).all() and chain[0].done
    program.reuse(chain[0].results)
    refuses(ValueError, chain[0].results.numpy)
    into.write(expected)
    refuses(TypeError, into.write, expected[1:])
    refuses(TypeError, lambda: program.run(source, 0, into=[into, into]))
    raises(622, lambda: program.run(source, 0, into=device.empty((10,), numpy.int32)))

    # An index that is wrong is found by the job, and what takes its results has none.
    def failing():
        bad = program.start(source, 1)
        program.start(bad.results, 0).wait()
    raises(701, failing)
    assert (program.run(source, 0).numpy() == expected).all()

    stopped = cx.load("checked.fclir", CHECKED).program(device, progress=lambda n: False)
    if device.name != "interp":
        raises(910, stopped.run, source, 0)
    endless = cx.load("endless.fclir", ENDLESS).program(device)
    timer = threading.Timer(0.2, cx.cancel)
    timer.start()
    raises(910, endless.run, 1)
    timer.join()
    cx.cancel_clear()
    assert (program(numpy.arange(3, dtype=numpy.int32), 0) == [2, 4, 6]).all()
    if device.name != "interp":
        limited = cx.load("checked.fclir", CHECKED).program(device, memory=100)
        raises(624, limited.run, source, 0)


with fcl.Context() as cx:
    for name in cx.devices():
        asynchronous(cx.device(name))

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
