"""The kernels of the Obsidian paper (docs/examples/obsidian) and what they mean, in plain Python; see programs.py.

Lengths are whatever comes: chunks need not divide them."""
import struct

from arrays import Array
from programs import chunks, ints, plus, prefixes, program, wrap

# What is run over all lengths, block sizes and groups: sequential work in threads, two levels, networks, a carried state.
CENTRAL = ["mapRed3", "mapRed7", "twoStages", "mapSklansky3", "mapKoggeStonePush", "mapCarried", "sortedChunks", "scanLevels"]


def register(file, most, function, *names):
    """The same case for several kernels."""
    for name in names:
        def case(rng, n):
            return function(rng, n)
        case.__name__ = name
        program(file, most)(case)


# ---- obsidian/reduce.fcl ----

def chunk_sums(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 2, 3, 31, 64, 100, 257, 1000, 4096])
    return [str(c), xs], [Array("i", [wrap(sum(part)) for part in chunks(xs.data, c)])]


register("obsidian/reduce.fcl", 70000, chunk_sums, "mapRed1", "mapRed2", "mapRed3", "mapRed4", "mapRed5", "mapRed6", "mapRed7",
         "twoStages", "threeStages")


@program("obsidian/reduce.fcl", most=1000)
def sumUp(rng, n):
    xs = ints(rng, max(n, 1))
    return [xs], [Array("i", [wrap(sum(xs.data))])]


@program("obsidian/reduce.fcl")
def largeReduction(rng, n):
    xs = ints(rng, n)
    return [str(rng.choice([2, 100, 1000, 4096])), xs], [Array("i", [wrap(sum(xs.data))])]


# ---- obsidian/scan.fcl ----

def chunk_scans(rng, n):
    xs, k = ints(rng, n), rng.choice([1, 2, 5, 6, 9])
    return [str(k), xs], [Array("i", [y for part in chunks(xs.data, 2 ** k) for y in prefixes(part, plus)])]


register("obsidian/scan.fcl", 70000, chunk_scans, "mapSklansky1", "mapSklansky2", "mapSklansky3", "mapKoggeStone",
         "mapKoggeStonePush")


@program("obsidian/scan.fcl", most=70000)
def mapCarried(rng, n):
    xs, k, c = ints(rng, n), rng.choice([1, 3, 6, 8]), rng.choice([1, 5, 64, 100, 1000] if n < 5000 else [64, 100, 1000])
    return [str(k), str(c), xs], [Array("i", [y for part in chunks(xs.data, c) for y in prefixes(part, plus)])]


@program("obsidian/scan.fcl", most=70000)
def largeScan(rng, n):
    xs, k, c = ints(rng, n), rng.choice([1, 3, 6, 8]), rng.choice([64, 100, 1000])
    return [str(k), str(c), xs], [Array("i", prefixes(xs.data, plus))]


# ---- obsidian/mandelbrot.fcl ----

def single(x):
    """x rounded to a 32-bit float."""
    return struct.unpack("f", struct.pack("f", x))[0]


def iterations(re, im):
    x = y = 0.0
    count = 1
    while single(single(x * x) + single(y * y)) < 4 and count < 512:
        xsq, ysq = single(x * x), single(y * y)
        x, y = single(single(xsq - ysq) + re), single(single(single(2 * x) * y) + im)
        count += 1
    return count


@program("obsidian/mandelbrot.fcl", most=3000)
def mandel(rng, n):
    cols = rng.choice([1, 7, 32, 50])
    rows = n // cols
    width, height = single(single(1.2) + 2), single(single(1.2) + single(1.2))
    dx, dy = single(width / cols), single(height / rows) if rows else 0.0
    values = [iterations(single(single(x * dx) - 2), single(single(1.2) - single(y * dy))) % 16 * 16
              for y in range(rows) for x in range(cols)]
    return [str(rows), str(cols)], [Array("B", values)]


# ---- obsidian/sort.fcl ----

@program("obsidian/sort.fcl", most=20000)
def sortedChunks(rng, n):
    xs, k = ints(rng, n), rng.choice([0, 1, 3, 5, 6, 9])
    return [str(k), xs], [Array("i", [x for part in chunks(xs.data, 2 ** k) for x in sorted(part)])]


@program("obsidian/sort.fcl", most=20000)
def merged(rng, n):
    k = rng.choice([1, 3, 6, 9])
    found, xs = [], []
    for part in chunks(ints(rng, n).data, 2 ** k):
        xs += [x for half in chunks(part, 2 ** (k - 1)) for x in sorted(half)]
        found += sorted(part)
    return [str(k), Array("i", xs)], [Array("i", found)]


# ---- obsidian/levels.fcl ----

@program("obsidian/levels.fcl", most=70000)
def sumLevels(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 4, 7])
    return [str(c), xs], [Array("i", [wrap(sum(part)) for part in chunks(xs.data, 256 * c)])]


@program("obsidian/levels.fcl", most=70000)
def maxLevels(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 4, 7])
    return [str(c), xs], [Array("i", [max(part) for part in chunks(xs.data, 256 * c)])]


@program("obsidian/levels.fcl", most=3000)
def liftings(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 4, 33])
    padded = list(xs.data) + [0] * (-n % c)
    found = Array("i", [y for part in chunks(padded, c) for y in part[::-1]])
    return [str(c), xs], [found, found, found]


@program("obsidian/levels.fcl", most=70000)
def appends(rng, n):
    xs, ys = ints(rng, n), ints(rng, rng.choice([0, 1, n]))
    both = Array("i", xs.data + ys.data)
    return [xs, ys], [both, both]


@program("obsidian/levels.fcl", most=70000)
def scanLevels(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", prefixes(xs.data, plus))]
