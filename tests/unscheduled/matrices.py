"""Matrices, points and pictures: rows, options, mandelbrot, nbody, sparse."""
import math

import numpy

from unscheduled import kernel
from arrays import Array
from programs import floats, ints, matrix_shape, option, wrap


def plane(code, values):
    """An array of numpy as one of the tests."""
    return Array(code, values.reshape(-1).tolist(), values.shape)


def numbers(a):
    return numpy.array(a.data, dtype="float64" if a.code in "fd" else "int64").reshape(a.shape)


def matrix(rng, n, make=ints):
    rows, columns = matrix_shape(rng, n)
    a = make(rng, rows * columns)
    a.shape = rows, columns
    return a, numbers(a)


def wrapped(values):
    return (values + 2 ** 31) % 2 ** 32 - 2 ** 31


@kernel("rows")
def rowSums(rng, n):
    a, x = matrix(rng, n)
    return [a], [plane("i", wrapped(x.sum(axis=1)))]


@kernel("rows")
def rowSumsNested(rng, n):
    return rowSums(rng, n)


@kernel("rows")
def centred(rng, n):
    a, x = matrix(rng, n)
    return [a], [plane("i", wrapped(x + x.sum(axis=1, keepdims=True)))]


@kernel("rows", most=1000)
def interchange(rng, n):
    a, x = matrix(rng, n)
    turns = rng.randrange(5)
    return [str(turns), a], [plane("i", wrapped(x * 2 ** turns))]


@kernel("rows")
def matvec(rng, n):
    a, x = matrix(rng, n, floats)
    v = floats(rng, a.shape[1])
    out = plane("f", x @ numbers(v))
    out.tolerance = (1e-6 * a.shape[1] + 1e-6, 1e-5)
    return [a, v], [out]


@kernel("rows", most=1023)
def sgemm(rng, n):
    side = math.isqrt(n)
    a, b, c = (Array("f", floats(rng, r * k).data, (r, k)) for r, k in [(side, side + 1), (side + 1, side + 3), (side, side + 3)])
    out = plane("f", 1.5 * numbers(a) @ numbers(b) - 0.5 * numbers(c))
    out.tolerance = (1e-6 * side + 1e-6, 1e-5)
    return ["1.5f32", "-0.5f32", a, b, c], [out]


@kernel("rows")
def transpose(rng, n):
    a, x = matrix(rng, n, floats)
    return [a], [plane("f", x.T)]


@kernel("rows")
def columnMaxima(rng, n):
    a, _ = matrix(rng, n, lambda r, k: Array("i", [r.randint(-3, 3) for _ in range(k)]))
    columns = [a.data[j::a.shape[1]] for j in range(a.shape[1])]
    best = [max(c, default=wrap(2 ** 31)) for c in columns]
    return [a], [Array("i", best), Array("i", [c.index(x) if len(c) else -1 for c, x in zip(columns, best)])]


@kernel("options")
def blackscholes(rng, n):
    s, k, t = floats(rng, n, 5, 30), floats(rng, n, 1, 100), floats(rng, n, 0.25, 10)
    found = [option(*x) for x in zip(s.data, k.data, t.data)]
    return [s, k, t], [Array("f", [x[i] for x in found], tolerance=(1e-4, 1e-5)) for i in (0, 1)]


# ---- mandelbrot ----

def escapes(rng, n):
    width = rng.choice([1, 16, 50])
    height, limit = n // width, rng.randrange(30)
    out = []
    for y in range(height):
        for x in range(width):
            z, c, k = 0j, complex(-2.0 + x * (2.5 / width), -1.25 + y * (2.5 / height)), 0
            while z.real * z.real + z.imag * z.imag <= 4 and k < limit:
                z, k = z * z + c, k + 1
            out.append(k)
    return [str(limit), "-2.0", "-1.25", "2.5", str(width), str(height)], [Array("i", out, (height, width))]


@kernel("mandelbrot", most=7000)
def steps(rng, n):
    return escapes(rng, n)


@kernel("mandelbrot", most=7000)
def pixels(rng, n):
    return escapes(rng, n)


# ---- nbody ----

def triples(rng, n):
    """As an argument and as an array."""
    parts = [Array("d", [rng.uniform(-1, 1) for _ in range(n)]) for _ in range(3)]
    return tuple(parts), numpy.array([p.data for p in parts]).T.reshape(n, 3)


def drawn(at, masses):
    way = at[None, :, :] - at[:, None, :]
    square = (way ** 2).sum(axis=2) + 0.01
    return (way * (masses[None, :] / square ** 1.5)[:, :, None]).sum(axis=1)


def components(values):
    return [Array("d", values[:, k].tolist(), tolerance=(1e-9, 1e-9)) for k in range(3)]


@kernel("nbody", most=257)
def accelerations(rng, n):
    (places, at), masses = triples(rng, n), [rng.random() for _ in range(n)]
    return [places, Array("d", masses)], components(drawn(at, numpy.array(masses)))


@kernel("nbody", most=64)
def nbody(rng, n):
    (places, at), (speeds, v), masses = triples(rng, n), triples(rng, n), [rng.random() for _ in range(n)]
    turns, dt = rng.randrange(4), 0.01
    for _ in range(turns):
        v = v + dt * drawn(at, numpy.array(masses))
        at = at + dt * v
    return [str(turns), str(dt), places, speeds, Array("d", masses)], components(at) + components(v)


# ---- sparse ----

def sparse(rng, n):
    rows, width = max(n // 4, 1), rng.randint(1, n + 1)
    counts = [rng.choice([0, 0, 1, 3, 10]) for _ in range(rows)] if n else []
    offsets = [0]
    for k in counts:
        offsets.append(offsets[-1] + k)
    columns, values, x = [rng.randrange(width) for _ in range(offsets[-1])], floats(rng, offsets[-1]), floats(rng, width)
    out = [math.fsum(values.data[j] * x.data[columns[j]] for j in range(a, b)) for a, b in zip(offsets, offsets[1:])]
    return [Array("i", offsets), Array("i", columns), values, x], [Array("f", out, tolerance=(1e-5, 1e-5))]


@kernel("sparse")
def product(rng, n):
    return sparse(rng, n)


@kernel("sparse")
def productScan(rng, n):
    args, expected = sparse(rng, n)
    return args, expected
