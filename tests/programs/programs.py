"""The example programs and what they mean, in plain Python.

Each function makes a random case of about n elements for the kernel of its name: it returns the arguments for the command
line (texts and Arrays) and the expected results."""
import math
import os

from arrays import Array, read

PROGRAMS = {}


class Program:
    def __init__(self, name, entry, file, most, blocks, case):
        self.name, self.entry, self.file, self.most, self.blocks, self.case = name, entry, file, most, blocks, case


def program(file, most=1 << 30, block=1024, least=1):
    """most: the greatest length that makes sense for it; least, block: the blocks whose local memory devices have."""
    def register(function):
        name, path = function.__name__, os.path.join("docs/examples", file)
        PROGRAMS[name] = Program(name, name.rstrip("_"), path, most, (least, block), function)
        return function
    return register


def wrap(x):
    return ((x + 0x80000000) & 0xffffffff) - 0x80000000


def ints(rng, n):
    bits = rng.getrandbits(32 * n).to_bytes(4 * n, "little") if n else b""
    out = Array("i", [])
    out.data.frombytes(bits)
    out.shape = (n,)
    return out


def doubles(rng, n):
    return Array("d", [rng.random() - 0.5 for _ in range(n)])


def floats(rng, n, low=-1.0, high=1.0):
    return Array("f", [rng.uniform(low, high) for _ in range(n)])


def chunks(values, c):
    return [values[i:i + c] for i in range(0, len(values), c)]


def chunk_for(rng, n):
    """A chunk size that need not divide n."""
    return rng.choice([1, 2, 31, 32, 100, 256, 512, 1000, max(n, 1), n + 1]) if n < 5000 else rng.choice([100, 256, 1000, 1024])


# ---- reverse.fclir ----

def reversed_case(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", xs.data[::-1])]


@program("reverse", most=1000)
def revThread(rng, n):
    return reversed_case(rng, n)


@program("reverse", most=1000)
def revWarp(rng, n):
    return reversed_case(rng, n)


@program("reverse", most=70000)
def revBlock(rng, n):
    return reversed_case(rng, n)


@program("reverse")
def revGrid(rng, n):
    return reversed_case(rng, n)


@program("reverse")
def revDistribute(rng, n):
    args, expected = reversed_case(rng, n)
    return [str(chunk_for(rng, n))] + args, expected


@program("reverse", most=70000)
def revPairs(rng, n):
    xs, ys = ints(rng, n), doubles(rng, n)
    return [str(chunk_for(rng, n)), (xs, ys)], [Array("i", xs.data[::-1]), Array("d", ys.data[::-1])]


# ---- transpose.fclir ----

def matrix_shape(rng, n):
    cols = rng.choice([1, 7, 16, 33, 100]) if n < 5000 else rng.choice([256, 1000, 1021])
    return n // cols, cols


def transpose_of(values, rows, cols):
    return [x for j in range(cols) for x in values[j:rows * cols:cols]]


@program("transpose")
def transposeNaive(rng, n):
    rows, cols = matrix_shape(rng, n)
    xs = ints(rng, rows * cols)
    return [str(cols), str(rows), xs], [Array("i", transpose_of(xs.data, rows, cols))]


@program("transpose")
def transposeTiled(rng, n):
    args, expected = transposeNaive(rng, n)
    return [str(rng.choice([1, 3, 16, 32]) if n < 5000 else 16)] + args, expected


@program("transpose")
def transpose2DNaive(rng, n):
    rows, cols = matrix_shape(rng, n)
    xs = ints(rng, rows * cols)
    xs.shape = (rows, cols)
    return [xs], [Array("i", transpose_of(xs.data, rows, cols), (cols, rows))]


@program("transpose")
def transpose2D(rng, n):
    args, expected = transpose2DNaive(rng, n)
    return [str(rng.choice([1, 5, 16, 32]) if n < 5000 else 16)] + args, expected


# ---- stencil.fclir ----

def neighbours(a, rows, cols, i, j):
    """The four, the edge itself where one is missing."""
    near = [(max(i - 1, 0), j), (min(i + 1, rows - 1), j), (i, max(j - 1, 0)), (i, min(j + 1, cols - 1))]
    return [a[y * cols + x] for y, x in near]


def is_inner(rows, cols, i, j):
    return 0 < i < rows - 1 and 0 < j < cols - 1


def laplace_of(a, rows, cols):
    return [sum(neighbours(a, rows, cols, i, j)) - 4 * a[i * cols + j] if is_inner(rows, cols, i, j) else 0.0
            for i in range(rows) for j in range(cols)]


def some_matrix(rng, n):
    rows, cols = matrix_shape(rng, n)
    a = doubles(rng, rows * cols)
    a.shape = (rows, cols)
    return a, rows, cols


@program("stencil")
def smooth(rng, n):
    a = doubles(rng, n)
    x = a.data
    out = [(x[max(i - 1, 0)] + x[i] + x[min(i + 1, n - 1)]) / 3 for i in range(n)]
    return [a], [Array("d", out, tolerance=(1e-10, 1e-12))]


@program("stencil")
def differences(rng, n):
    a = ints(rng, n)
    x = a.data
    out = [wrap(2 * x[i] - x[i - 1] - x[i + 1]) if 0 < i < n - 1 else 0 for i in range(n)]
    return [a], [Array("i", out)]


@program("stencil")
def blur(rng, n):
    a, rows, cols = some_matrix(rng, n)
    out = [math.fsum(neighbours(a.data, rows, cols, i, j) + [a.data[i * cols + j]]) / 5
           for i in range(rows) for j in range(cols)]
    return [a], [Array("d", out, (rows, cols), tolerance=(1e-10, 1e-12))]


@program("stencil")
def laplace(rng, n):
    a, rows, cols = some_matrix(rng, n)
    return [a], [Array("d", laplace_of(a.data, rows, cols), (rows, cols), tolerance=(1e-10, 1e-10))]


@program("stencil", most=5000)
def heat(rng, n):
    a, rows, cols = some_matrix(rng, n)
    steps, out = rng.choice([0, 1, 3]), list(a.data)
    for _ in range(steps):
        out = [x + d * 0.125 for x, d in zip(out, laplace_of(out, rows, cols))]
    return [str(steps), a], [Array("d", out, (rows, cols), tolerance=(1e-9, 1e-10))]


# ---- reduce.fclir ----

def reduceGrid(rng, n, block):
    xs = ints(rng, n)
    return [xs], [Array("i", [wrap(sum(c)) for c in chunks(xs.data, 2 * block)])]


reduceGrid.wants_block_size = True
program("reduce")(reduceGrid)


@program("reduce")
def sum_(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", [wrap(sum(xs.data))])]


@program("reduce")
def sumDouble(rng, n):
    xs = doubles(rng, n)
    return [xs], [Array("d", [math.fsum(xs.data)], tolerance=(1e-9 * math.sqrt(n + 1), 1e-12))]


@program("reduce")
def maximum(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", [max(xs.data, default=-2 ** 31)])]


@program("reduce")
def minMax(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", [min(xs.data, default=2 ** 31 - 1)]), Array("i", [max(xs.data, default=-2 ** 31)])]


def by_pairs(f, values):
    while len(values) > 1:
        odd = values[-1:] if len(values) % 2 else []
        values = [f(a, b) for a, b in zip(values[0::2], values[1::2])] + odd
    return values


@program("reduce", most=70000)
def affineBlocks(rng, n):
    xs, c = ints(rng, n), chunk_for(rng, n)
    return [str(c), xs], [Array("i", [by_pairs(lambda a, b: wrap(3 * a + b), list(part))[0] for part in chunks(xs.data, c)])]


@program("reduce", most=70000)
def composeMaps(rng, n):
    ms, cs, size = ints(rng, n), ints(rng, n), chunk_for(rng, n)
    found = []
    for part in chunks(list(zip(ms.data, cs.data)), size):
        m, c = 1, 0
        for qm, qc in part:
            m, c = wrap(qm * m), wrap(qm * c + qc)
        found.append((m, c))
    return [str(size), (ms, cs)], [Array("i", [m for m, _ in found]), Array("i", [c for _, c in found])]


@program("reduce")
def reduceSequence(rng, n):
    xs, c = ints(rng, n), chunk_for(rng, n)
    return [str(rng.choice([1, 4, 8, 13])), str(c), xs], [Array("i", [wrap(sum(part)) for part in chunks(xs.data, c)])]


# ---- chain.fclir, map.fclir ----

@program("chain")
def chain(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", chain_values(list(xs.data)))]


def chain_values(xs):
    first = [x + 1 for x in xs]
    fourth = [a + 2 * b for a, b in zip(first[::-1], xs)]
    sixth = [3 * x for x in fourth[::-1]]
    eighth = [a - b for a, b in zip(sixth, first)]
    return [wrap(x) ^ 5 for x in eighth[::-1]]


@program("map")
def saxpy(rng, n):
    xs, ys = floats(rng, n), floats(rng, n)
    zs = Array("f", [2.5 * x + y for x, y in zip(xs.data, ys.data)], tolerance=(1e-6, 1e-6))
    return ["2.5f32", xs, ys], [zs]


@program("map")
def dotp(rng, n):
    xs, ys = ints(rng, n), ints(rng, n)
    return [xs, ys], [Array("i", [wrap(sum(x * y for x, y in zip(xs.data, ys.data)))])]


def normal(d):
    return 0.5 * math.erfc(-d / math.sqrt(2))


def option(s, k, t):
    d1 = (math.log(s / k) + (0.02 + 0.3 * 0.3 / 2) * t) / (0.3 * math.sqrt(t))
    d2 = d1 - 0.3 * math.sqrt(t)
    now = k * math.exp(-0.02 * t)
    call = s * normal(d1) - now * normal(d2)
    return call, call - s + now


@program("map", most=70000)
def blackscholes(rng, n):
    s, k, t = floats(rng, n, 5, 30), floats(rng, n, 1, 100), floats(rng, n, 0.25, 10)
    found = [option(*x) for x in zip(s.data, k.data, t.data)]
    return [s, k, t], [Array("f", [x[i] for x in found], tolerance=(1e-4, 1e-5)) for i in (0, 1)]


def blackscholes_data(root):
    at = lambda name: read(root + "/tests/data/blackscholes-4096/%s.npy" % name)
    expected = [at("expected_call"), at("expected_put")]
    for x in expected:
        x.tolerance = (1e-4, 0)
    return [at("in_s"), at("in_k"), at("in_t")], expected


def escape(limit, cr, ci):
    zr = zi = 0.0
    k = 0
    while zr * zr + zi * zi <= 4 and k < limit:
        zr, zi = zr * zr - zi * zi + cr, zr * zi * 2 + ci
        k += 1
    return k


@program("map", most=70000)
def mandelbrot(rng, n):
    width = rng.choice([1, 16, 50])
    height, limit = n // width, 30
    dx, dy = 2.5 / width, 2.5 / max(height, 1)
    values = [escape(limit, -2.0 + x * dx, -1.25 + y * dy) for y in range(height) for x in range(width)]
    return [str(limit), "-2.0", "-1.25", "2.5", str(width), str(height)], [Array("i", values, (height, width))]


# ---- matrix.fclir ----

def matrix_and_vector(rng, n):
    rows, cols = matrix_shape(rng, n)
    a, x = doubles(rng, rows * cols), doubles(rng, cols)
    a.shape = (rows, cols)
    ys = [math.fsum(p * q for p, q in zip(a.data[i * cols:(i + 1) * cols], x.data)) for i in range(rows)]
    return [a, x], [Array("d", ys, tolerance=(1e-10, 1e-12))]


@program("matrix")
def matvec(rng, n):
    return matrix_and_vector(rng, n)


@program("matrix")
def matvecThreads(rng, n):
    return matrix_and_vector(rng, n)


@program("matrix")
def rowSums(rng, n):
    rows, cols = matrix_shape(rng, n)
    a = doubles(rng, rows * cols)
    a.shape = (rows, cols)
    sums = [math.fsum(a.data[i * cols:(i + 1) * cols]) for i in range(rows)]
    return [a], [Array("d", sums, tolerance=(1e-10, 1e-12))]


@program("matrix", most=5000)
def sgemm(rng, n):
    side = math.isqrt(n)
    rows, inner, cols = max(side - 3, 0), side, side + 2
    a, b, c = floats(rng, rows * inner), floats(rng, inner * cols), floats(rng, rows * cols)
    a.shape, b.shape, c.shape = (rows, inner), (inner, cols), (rows, cols)
    out = [1.5 * math.fsum(a.data[i * inner + k] * b.data[k * cols + j] for k in range(inner)) - 0.5 * c.data[i * cols + j]
           for i in range(rows) for j in range(cols)]
    return ["1.5f32", "-0.5f32", a, b, c], [Array("f", out, (rows, cols), tolerance=(1e-5 * (side + 1), 1e-5))]


@program("matrix", most=5000)
def sgemmTiled(rng, n):
    args, expected = sgemm(rng, n)
    return [str(rng.choice([3, 8, 16]))] + args, expected


# Tiles are 128 x 128: results within one, that fit exactly, and that reach into the next; inner extents off the step of 8.
@program("matmul.fcl", most=70000, least=128)  # fewer threads have too many sums for registers
def matmul(rng, n):
    side = math.isqrt(n)
    extents = [side % 140, 128, 130] if n >= 200 else [side]
    rows, inner, cols = rng.choice(extents), min(side, rng.choice([8, 16, 19])), rng.choice(extents)
    a, b = floats(rng, rows * inner), floats(rng, inner * cols)
    a.shape, b.shape = (rows, inner), (inner, cols)
    out = [math.fsum(a.data[i * inner + k] * b.data[k * cols + j] for k in range(inner)) for i in range(rows) for j in range(cols)]
    return [a, b], [Array("f", out, (rows, cols), tolerance=(1e-5 * (inner + 1), 1e-5))]


def sgemm_data(root):
    at = lambda name: read(root + "/tests/data/sgemm-tiny/%s.npy" % name)
    expected = at("expected_c")
    expected.tolerance = (1e-6, 1e-5)
    return [repr(at("in_alpha").data[0]), repr(at("in_beta").data[0]), at("in_a"), at("in_b"), at("in_c")], [expected]


# ---- scan.fclir ----

def prefixes(values, f):
    out = []
    for x in values:
        out.append(f(out[-1], x) if out else x)
    return out


def plus(x, y):
    return wrap(x + y)


def scanned(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", prefixes(xs.data, plus))]


@program("scan", most=1000)
def scanBlock(rng, n):
    return scanned(rng, n)


@program("scan", most=70000)
def scanLaunches(rng, n):
    return scanned(rng, n)


def scan_chunk(rng, n):
    return rng.choice([1, 31, 100, 256, 300]) if n < 5000 else rng.choice([500, 1024])


@program("scan")
def scanThree(rng, n):
    args, expected = scanned(rng, n)
    return [str(scan_chunk(rng, n))] + args, expected


@program("scan", most=70000)
def scanMax(rng, n):
    xs = ints(rng, n)
    return [str(scan_chunk(rng, n)), xs], [Array("i", prefixes(xs.data, max))]


@program("scan", most=70000)
def sklansky(rng, n):
    xs, c = ints(rng, n), scan_chunk(rng, n)
    return [str(c), xs], [Array("i", [y for part in chunks(xs.data, c) for y in prefixes(part, plus)])]


# ---- digits.fclir ----

@program("digits")
def earlier(rng, n):
    """Chunks are of 64 elements."""
    xs, before, found = ints(rng, n), [0] * 10, []
    for part in chunks(xs.data, 64):
        digits = [x % 10 for x in part]
        found += [before[d] for d in digits]
        for d in digits:
            before[d] += 1
    return [xs], [Array("i", found)]


# ---- scan_chained.fclir ----

def one_pass(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", prefixes(xs.data, plus))]


@program("scan_chained", block=512)
def onePass(rng, n):
    return one_pass(rng, n)


@program("scan_chained", block=512)
def exclusive(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", prefixes([1000] + list(xs.data[:-1]), plus) if n else [])]


@program("scan_chained", block=512)
def maxima(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", prefixes(xs.data, max))]


def maps_case(rng, n):
    ms, cs = ints(rng, n), ints(rng, n)
    found = prefixes(zip(ms.data, cs.data), lambda p, q: (wrap(q[0] * p[0]), wrap(q[0] * p[1] + q[1])))
    return [ms, cs], [Array("i", [m for m, _ in found]), Array("i", [c for _, c in found])]


@program("scan_chained", block=512)
def maps(rng, n):
    return maps_case(rng, n)


@program("scan_chained", block=512)
def byRows(rng, n):
    return one_pass(rng, n)


@program("scan_chained", block=512)
def mapsByRows(rng, n):
    return maps_case(rng, n)


def product(p, q):
    a, b, c, d = p
    e, g, h, k = q
    return wrap(a * e + b * h), wrap(a * g + b * k), wrap(c * e + d * h), wrap(c * g + d * k)


@program("scan_chained", block=512)
def matrices(rng, n):
    parts = [ints(rng, n) for _ in range(4)]
    found = prefixes(zip(*(p.data for p in parts)), product)
    return parts, [Array("i", [m[i] for m in found]) for i in range(4)]


@program("scan_chained", block=512)
def doubles_(rng, n):
    xs = doubles(rng, n)
    return [xs], [Array("d", prefixes(xs.data, lambda x, y: x + y), tolerance=(1e-10 * (n + 1), 1e-12))]


@program("scan_chained", block=512)
def twoKernels(rng, n):
    return one_pass(rng, n)


@program("scan_chained", block=512)
def twoKernelsMaps(rng, n):
    return maps_case(rng, n)


@program("scan_chained", block=512)
def threeKernels(rng, n):
    return one_pass(rng, n)


@program("scan_chained", block=512)
def threeKernelsMaps(rng, n):
    return maps_case(rng, n)


@program("scan_chained", most=70000)
def written(rng, n):
    args, expected = one_pass(rng, n)
    return [str(scan_chunk(rng, n))] + args, expected


# ---- levels.fclir ----

def sums_case(rng, n, c):
    xs = ints(rng, n)
    return [xs], [Array("i", [wrap(sum(part)) for part in chunks(xs.data, c)])]


@program("levels")
def chunkSums(rng, n):
    c = rng.choice([1, 7, 64])
    args, expected = sums_case(rng, n, c)
    return [str(c)] + args, expected


@program("levels", most=70000)
def chunkSumsJoined(rng, n):
    return chunkSums(rng, n)


@program("levels")
def warpReverse(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 31, 50, 64])
    return [str(c), xs], [Array("i", [y for part in chunks(xs.data, c) for y in part[::-1]])]


@program("levels")
def warpSums(rng, n):
    return sums_case(rng, n, 64)


@program("levels")
def treeOfLevels(rng, n):
    return sums_case(rng, n, 2048)


@program("levels", most=70000)
def choose(rng, n):
    xs, ys = ints(rng, n), ints(rng, n // 2)
    which = rng.random() < 0.5
    zs = xs.data[::-1] if which else ys.data
    return ["true" if which else "false", xs, ys], [Array("i", [wrap(z + 1) for z in zs])]


@program("levels", most=70000)
def twoResults(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", xs.data[::-1]), Array("d", [x * 0.5 for x in xs.data])]


@program("levels", most=70000)
def parity(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 4, 100, 300])
    flags, sums = [], []
    for part in chunks(xs.data, c):
        following = part[1:] + part[:1]
        flags += [x % 2 == 1 for x in following]
        sums += [wrap(x + y) for x, y in zip(part, following)]
    return [str(c), xs], [Array("?", flags), Array("i", sums)]


# ---- histogram.fclir ----

def counts(n, values):
    found = [0] * n
    for x in values:
        found[x] += 1
    return found


@program("histogram")
def histogramBytes(rng, n):
    high = rng.choice([0, 1, 255])  # all steps on one place, too
    xs = Array("B", [rng.randint(0, high) for _ in range(n)])
    return [str(chunk_for(rng, n)), xs], [Array("i", counts(256, xs.data))]


@program("histogram", most=70000)
def histogramBlocks(rng, n):
    args, expected = histogramGrid(rng, n)
    return [args[0], str(chunk_for(rng, n)), args[1]], expected


@program("histogram", most=70000)
def histogramGrid(rng, n):
    bins = rng.choice([1, 3, 64, 1000])
    xs = Array("i", [rng.randrange(bins) for _ in range(n)])
    return [str(bins), xs], [Array("i", counts(bins, xs.data))]


@program("histogram", most=70000)
def weights(rng, n):
    bins = rng.choice([1, 3, 64, 1000])
    at = Array("i", [rng.randrange(bins) for _ in range(n)])
    ws = Array("d", [rng.randint(-1000, 1000) * 0.25 for _ in range(n)])  # whose sums are exact
    found = [0.0] * bins
    for i, w in zip(at.data, ws.data):
        found[i] += w
    return [str(bins), (at, ws)], [Array("d", found)]


@program("histogram", most=5000)
def maxima(rng, n):
    bins = rng.choice([1, 3, 10])
    at = Array("i", [rng.randrange(bins) for _ in range(n)])
    xs = Array("q", [rng.randrange(-2 ** 63, 2 ** 63) for _ in range(n)])
    found = [-2 ** 63] * bins
    for i, x in zip(at.data, xs.data):
        found[i] = max(found[i], x)
    return [str(bins), (at, xs)], [Array("q", found)]


@program("histogram", most=70000)
def occurrences(rng, n):
    bins = rng.choice([1, 32, 33, 1000])
    xs = Array("i", [rng.randrange(bins) for _ in range(n)])
    words = [0] * ((bins + 31) // 32)
    for x in xs.data:
        words[x // 32] |= 1 << x % 32
    return [str(bins), xs], [Array("I", words)]


# ---- scatter.fclir ----

def shuffled(rng, n):
    at = list(range(n))
    rng.shuffle(at)
    return at


@program("scatter")
def permuted(rng, n):
    at, xs = Array("i", shuffled(rng, n)), ints(rng, n)
    ys = [0] * n
    for i, x in zip(at.data, xs.data):
        ys[i] = x
    return [at, xs], [Array("i", ys)]


@program("scatter")
def scattered(rng, n):
    m = rng.choice([n, n + 1, 2 * n + 5])
    at, xs = Array("i", shuffled(rng, m)[:n]), ints(rng, n)
    ys = [wrap(10 * i) for i in range(m)]
    for i, x in zip(at.data, xs.data):
        ys[i] = x
    return [str(m), at, xs], [Array("i", ys)]


@program("scatter", most=70000)
def lastOnes(rng, n):
    bins = rng.choice([1, 3, 64, 1000])
    at = Array("i", [rng.randrange(bins) for _ in range(n)])
    xs = doubles(rng, n)
    values, counts_then = [0.0] * bins, [0] * bins
    for i, (k, x) in enumerate(zip(at.data, xs.data)):
        values[k], counts_then[k] = x, i + 1
    return [str(bins), (at, xs)], [Array("d", values), Array("i", counts_then)]


@program("scatter", most=5000)
def lastOfChunks(rng, n):
    bins, c = rng.choice([1, 3, 64]), chunk_for(rng, n)
    xs = Array("i", [rng.randrange(bins) for _ in range(n)])
    last, occurs = [], []
    for chunk in chunks(xs.data, c):
        for k in range(bins):
            found = [i for i, x in enumerate(chunk) if x == k]
            last.append(found[-1] if found else -1)
            occurs.append(1 if found else 0)
    return [str(bins), str(c), xs], [Array("i", last), Array("i", occurs)]


@program("scatter", most=70000)
def tickets(rng, n):
    bins = rng.choice([1, 3, 64, 1000])
    xs = Array("i", [rng.randrange(bins) for _ in range(n)])
    number = counts(bins, xs.data)
    return [str(bins), xs], [Array("i", number), Array("i", [wrap(k * (k - 1) // 2) for k in number])]


@program("scatter", most=1000)
def firstFree(rng, n):
    bins = rng.choice([1, 3, 64])
    xs = Array("i", [rng.randrange(bins) for _ in range(n)])
    sofar, found = [0] * bins, []
    for x in xs.data:
        found.append(sofar[x])
        sofar[x] += 1
    return [str(bins), xs], [Array("i", found)]


@program("scatter")
def transposed(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", [wrap(x * j) for j in range(3) for x in xs.data], (3, n))]


# ---- update.fclir ----

@program("update")
def replaced(rng, n):
    xs = ints(rng, n)
    at = rng.randint(0, n)
    ys = ints(rng, rng.randint(0, n - at))
    return [xs, str(at), ys], [Array("i", list(xs.data[:at]) + list(ys.data) + list(xs.data[at + len(ys.data):]))]


@program("update", most=5000)
def counted(rng, n):
    bins = rng.choice([1, 3, 16])
    xs = Array("i", [rng.randrange(bins) for _ in range(n)])
    return [str(bins), xs], [Array("i", counts(bins, xs.data))]


@program("update", most=300)
def distances(rng, n):
    m = rng.randint(0, min(n, 64))
    xs, ys = (Array("i", [rng.randrange(3) for _ in range(k)]) for k in (n, m))
    row = list(range(m + 1))
    for i, x in enumerate(xs.data):
        above, row = row, [i + 1]
        for j, y in enumerate(ys.data):
            row.append(min(above[j + 1] + 1, row[j] + 1, above[j] + (x != y)))
    return [str(n), xs, ys], [Array("i", row)]


# ---- compact.fclir ----

def signs(rng, n):
    share = rng.choice([0, 1, 50, 99, 100])
    return Array("i", [rng.randint(1, 1000) if rng.randrange(100) < share else -rng.randint(0, 1000) for _ in range(n)])


def split_by(keep, values):
    return [x for x in values if keep(x)], [x for x in values if not keep(x)]


@program("compact")
def positive(rng, n):
    xs = signs(rng, n)
    return [xs], [Array("i", split_by(lambda x: x > 0, xs.data)[0])]


@program("compact")
def bySign(rng, n):
    xs = signs(rng, n)
    front, back = split_by(lambda x: x > 0, xs.data)
    return [xs], [Array("i", front), Array("i", back)]


@program("compact", most=3000)
def primesBelow(rng, n):
    return [str(n)], [Array("i", [x for x in range(2, n) if all(x % d for d in range(2, math.isqrt(x) + 1))])]


@program("compact", most=70000)
def nearOnes(rng, n):
    most = rng.choice([-1.0, 0.0, 0.25, 1.0])
    xs = doubles(rng, n)
    found = [(i * 2 ** 33, x) for i, x in enumerate(xs.data) if x < most]
    return [str(most), (Array("q", [i * 2 ** 33 for i in range(n)]), xs)], [
        Array("q", [i for i, _ in found]), Array("d", [x for _, x in found])]


@program("compact", most=70000)
def bySignChunks(rng, n):
    xs, c = signs(rng, n), min(chunk_for(rng, n), 1024)
    parts = [split_by(lambda x: x > 0, chunk) for chunk in chunks(xs.data, c)]
    return [str(c), xs], [Array("i", [x for front, back in parts for x in front + back])]


@program("compact", most=1000)
def positiveBlock(rng, n):
    xs = signs(rng, n)
    front = split_by(lambda x: x > 0, xs.data)[0]
    return [xs], [Array("i", front), Array("i", front)]


@program("compact", most=1000)
def positiveThread(rng, n):
    xs = signs(rng, n)
    return [xs], [Array("i", split_by(lambda x: x > 0, xs.data)[0])]


# ---- segments.fclir ----

def offsets_for(rng, n):
    k = rng.choice([0, 1, 2, max(n // 100, 1), max(n // 7, 1), n + 3])
    cuts = sorted(rng.randint(0, n) for _ in range(max(k - 1, 0)))
    return Array("i", [0] + cuts + [n] if k else [0])


def segments(offsets, values):
    return [values[a:b] for a, b in zip(offsets.data, offsets.data[1:])]


@program("segments", most=70000)
def segmentSums(rng, n):
    at, xs = offsets_for(rng, n), ints(rng, n)
    return [at, xs], [Array("i", [wrap(sum(s)) for s in segments(at, xs.data)])]


@program("segments", most=5000)
def segmentMaxima(rng, n):
    at, xs = offsets_for(rng, n), ints(rng, n)
    return [at, xs], [Array("i", [max(s, default=-2 ** 31) for s in segments(at, xs.data)])]


@program("segments", most=70000)
def segmentWords(rng, n):
    at, xs = offsets_for(rng, n), Array("i", [rng.randrange(10) for _ in range(n)])
    words = [0 for _ in at.data[1:]]
    for k, s in enumerate(segments(at, xs.data)):
        for x in s:
            words[k] = (words[k] * 10 + x) % 2 ** 64
    return [at, xs], [Array("Q", words)]


@program("segments")
def runningSums(rng, n):
    most = rng.choice([0, 1, 10, 1000])
    flags, xs = Array("?", [rng.randint(0, most) == 0 for _ in range(n)]), ints(rng, n)
    sums, total = [], 0
    for flag, x in zip(flags.data, xs.data):
        total = wrap(x if flag else total + x)
        sums.append(total)
    return [(flags, xs)], [Array("i", sums)]


@program("segments", most=70000)
def sparse(rng, n):
    at, rows = offsets_for(rng, n), rng.choice([1, 10, 1000])
    columns = Array("i", [rng.randrange(rows) for _ in range(n)])
    values = Array("d", [rng.randint(-100, 100) * 0.25 for _ in range(n)])
    v = Array("d", [rng.randint(-100, 100) * 0.5 for _ in range(rows)])
    products = [a * v.data[j] for j, a in zip(columns.data, values.data)]
    return [at, (columns, values), v], [Array("d", [sum(s, 0.0) for s in segments(at, products)])]


# ---- push.fclir ----

@program("push")
def appendTwo(rng, n):
    xs, ys = ints(rng, n), ints(rng, rng.choice([0, 1, n // 2]))
    return [xs, ys], [Array("i", xs.data + ys.data)]


@program("push", most=70000)
def interleaveTwo(rng, n):
    xs, ys = ints(rng, n), ints(rng, n)
    return [str(chunk_for(rng, n)), xs, ys], [Array("i", [z for pair in zip(xs.data, ys.data) for z in pair])]


@program("push", most=70000)
def koggeStoneStep(rng, n):
    xs, c, stride = ints(rng, n), chunk_for(rng, n), rng.choice([0, 1, 2, 7, 64])
    found = []
    for part in chunks(list(xs.data), c):
        found += part[:stride] + [wrap(x + y) for x, y in zip(part, part[stride:])]
    return [str(stride), str(c), xs], [Array("i", found)]


@program("push", most=70000)
def exchangePairs(rng, n):
    stride = rng.choice([1, 2, 3, 8, 33])
    n -= n % (2 * stride)
    xs, c = ints(rng, n), 2 * stride * rng.choice([1, 2, 5, 17])
    found = list(xs.data)
    for i in range(n):
        if i // stride % 2 == 0 and found[i] > found[i + stride]:
            found[i], found[i + stride] = found[i + stride], found[i]
    return [str(stride), str(c), xs], [Array("i", found)]


@program("push", most=70000)
def butterflies(rng, n):
    h = rng.choice([1, 16, 17, 100])
    xs, found = doubles(rng, n - n % (2 * h)), []
    for part in chunks(xs.data, 2 * h):
        found += [x + y for x, y in zip(part, part[h:])] + [x - y for x, y in zip(part, part[h:])]
    return [str(2 * h), xs], [Array("d", found)]


def part_for(rng, n):
    """A first position and a number of elements, which need not exist."""
    return rng.choice([-1, 0, 1, 5, n // 2, n, n + 3]), rng.choice([-2, 0, 1, 7, n // 3, n, n + 9])


def part(values, k, m):
    return list(values)[max(k, 0):][:max(m, 0)]


@program("push", most=70000)
def partOfChunks(rng, n):
    xs, c, (k, m) = ints(rng, n), chunk_for(rng, n), part_for(rng, n)
    found = [x for piece in chunks(list(xs.data), c) for x in reversed(piece)]
    return [str(k), str(m), str(c), xs], [Array("i", part(found, k, m))]


@program("push", most=70000)
def partOfReversed(rng, n):
    xs, c, (k, m) = ints(rng, n), chunk_for(rng, n), part_for(rng, n)
    return [str(k), str(m), str(c), xs], [Array("i", [wrap(x * x) for x in part(xs.data[::-1], k, m)])]


@program("push", most=70000)
def paddedSums(rng, n):
    xs, c, w = ints(rng, n), chunk_for(rng, n), rng.choice([1, 3, 32])
    return [str(w), str(c), xs], [Array("i", [wrap(2 * sum(piece)) for piece in chunks(list(xs.data), c)])]


@program("push", most=70000)
def paddedRows(rng, n):
    rows, cols = matrix_shape(rng, n)
    xs, ys, (k, m) = ints(rng, rows * cols), ints(rng, rows * cols), part_for(rng, rows)
    xs.shape = ys.shape = (rows, cols)
    left = rows - min(max(k, 0), rows)
    padded = max(m, left)
    found = []
    for values, z in ((xs, 7), (ys, -8)):
        out = Array("i", values.data.tolist()[(rows - left) * cols:] + [z] * ((padded - left) * cols))
        out.shape = (padded, cols)
        found.append(out)
    return [str(k), str(m), "(7, -8)", (xs, ys)], found


@program("push", most=70000)
def partsInMemory(rng, n):
    xs, (k, _) = ints(rng, n), part_for(rng, n)
    twice = [wrap(2 * x) for x in xs.data][max(k, 0):]
    return [str(k), xs], [Array("i", [wrap((x + 1) * (x + 2)) for x in twice])]


# ---- sort.fclir ----

@program("sort", most=20000)
def sortChunks(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 2, 3, 31, 64, 100, 257, 1000])
    return [str(c), xs], [Array("i", [x for part in chunks(xs.data, c) for x in sorted(part)])]


@program("sort", most=5000)
def sortPairs(rng, n):
    c = rng.choice([1, 5, 32, 300])
    keys, values = Array("i", [rng.randrange(20) for _ in range(n)]), doubles(rng, n)
    pairs = [x for part in chunks(list(zip(keys.data, values.data)), c) for x in sorted(part)]
    return [str(c), (keys, values)], [Array("i", [k for k, _ in pairs]), Array("d", [v for _, v in pairs])]


@program("sort", most=2000)
def oddEven(rng, n):
    xs, c = ints(rng, n), rng.choice([1, 2, 3, 31, 64])
    return [str(c), xs], [Array("i", [x for part in chunks(xs.data, c) for x in sorted(part)])]
