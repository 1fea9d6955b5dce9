"""Stencils: fields, edges."""
import math

import numpy

from unscheduled import kernel, redrawn, scalar
from arrays import Array
from matrices import plane


def field(rng, shape, low=0.0, high=1.0):
    count = math.prod(shape)
    values = numpy.array([rng.uniform(low, high) for _ in range(count)]).reshape(shape)
    return values.astype("float32").astype("float64")


def extents(rng, n, rank):
    """About n elements of that rank."""
    shape = []
    for k in range(rank - 1):
        shape.append(max(1, round(n ** (1 / rank)) + rng.randint(-1, 1)))
    return tuple(shape) + (n // math.prod(shape),)


def shifted(x, axis, step):
    """What lies one step further along the axis, and at the edge the edge."""
    index = numpy.clip(numpy.arange(x.shape[axis]) + step, 0, x.shape[axis] - 1)
    return numpy.take(x, index, axis)


def near(code, values, tolerance):
    out = plane(code, values)
    out.tolerance = (tolerance, tolerance)
    return out


# ---- chips and heat ----

def cooled(power, t):
    """As Rodinia states it: chip of 16 mm, 64 cells along each side."""
    side = 0.016 / 64
    cap = 0.5 * 1.75e6 * 5e-4 * side * side
    r, rz, step = side / (2 * 100 * 5e-4 * side), 5e-4 / (100 * side * side), 0.001 / (3e6 / (0.5 * 5e-4 * 1.75e6))
    across = shifted(t, 1, 1) + shifted(t, 1, -1) - 2 * t
    along = shifted(t, 0, 1) + shifted(t, 0, -1) - 2 * t
    return t + step / cap * (power + across / r + along / r + (80 - t) / rz)


@kernel("fields", most=65537)
def hotspot(rng, n):
    shape, turns = extents(rng, n, 2), rng.randrange(4) if n < 1000 else 1
    t, power = field(rng, shape, 70, 90), field(rng, shape)
    args = [str(turns), plane("f", t), plane("f", power)]
    for _ in range(turns):
        t = cooled(power, t)
    return args, [near("f", t, 3e-5)]


@kernel("fields", most=65537)
def heat3d(rng, n):
    x, turns = field(rng, extents(rng, n, 3)), rng.randrange(4) if n < 1000 else 1
    args = [str(turns), "0.1f32", plane("f", x)]
    for _ in range(turns):
        around = sum(shifted(x, axis, step) for axis in range(3) for step in (-1, 1))
        x = x + 0.1 * (around - 6 * x)
    return args, [near("f", x, 1e-5)]


# ---- fluids ----

def relaxed(rounds, a, c, b):
    x = b
    for _ in range(rounds):
        x = (b + a * sum(shifted(x, axis, step) for axis in (0, 1) for step in (-1, 1))) / c
    return x


def diffused(rounds, a, b):
    return relaxed(rounds, a, 1 + 4 * a, b)


def carried(dt, u, v, x):
    i, j = numpy.indices(x.shape)
    y, z = numpy.clip(i - dt * v, 0, x.shape[0] - 1), numpy.clip(j - dt * u, 0, x.shape[1] - 1)
    i0, j0 = y.astype(int), z.astype(int)
    i1, j1 = numpy.minimum(i0 + 1, x.shape[0] - 1), numpy.minimum(j0 + 1, x.shape[1] - 1)
    s, t = y - i0, z - j0
    return (1 - s) * ((1 - t) * x[i0, j0] + t * x[i0, j1]) + s * ((1 - t) * x[i1, j0] + t * x[i1, j1])


def projected(rounds, u, v):
    sources = -0.5 * (shifted(u, 1, 1) - shifted(u, 1, -1) + shifted(v, 0, 1) - shifted(v, 0, -1))
    p = relaxed(rounds, 1, 4, sources)
    return u - 0.5 * (shifted(p, 1, 1) - shifted(p, 1, -1)), v - 0.5 * (shifted(p, 0, 1) - shifted(p, 0, -1))


@kernel("fields", most=1023)
def fluid(rng, n):
    shape, turns, rounds, dt, viscosity = extents(rng, n, 2), rng.randrange(3), rng.randrange(4), 0.125, 0.5
    u, v, density = (field(rng, shape, -1, 1) for _ in range(3))
    args = [str(turns), str(rounds), "0.125f32", "0.5f32"] + [plane("f", x) for x in (u, v, density)]
    for _ in range(turns if n else 0):
        u, v = (diffused(rounds, dt * viscosity, x) for x in (u, v))
        u, v = projected(rounds, u, v)
        u, v = carried(dt, u, v, u), carried(dt, u, v, v)
        u, v = projected(rounds, u, v)
        density = carried(dt, u, v, diffused(rounds, dt * viscosity, density))
    return args, [near("f", x, 1e-4) for x in (u, v, density)]


# ---- edges ----

LOW, HIGH, CLOSE = 20.0, 60.0, 1e-3  # what is closer may be decided either way


def picture(rng, n):
    shape = extents(rng, n, 2)
    values = [rng.getrandbits(24) for _ in range(math.prod(shape))]
    return Array("I", values, shape), numpy.array(values, dtype="int64").reshape(shape)


def brightness(p):
    return 0.3 * (p & 255) + 0.59 * (p >> 8 & 255) + 0.11 * (p >> 16 & 255)


@kernel("edges")
def grey(rng, n):
    arg, p = picture(rng, n)
    return [arg], [near("f", brightness(p), 1e-5)]


def gaussian(x, axis):
    return sum(w * shifted(x, axis, k - 2) for k, w in enumerate([1, 4, 6, 4, 1])) / 16


def marked(p):
    """2, 1 and 0 as the program has them; None where rounding might decide."""
    if not p.size:
        return numpy.zeros(p.shape, dtype=int)
    x = gaussian(gaussian(brightness(p), 1), 0)
    smooth = lambda a, axis: shifted(a, axis, -1) + 2 * a + shifted(a, axis, 1)
    dx, dy = (smooth(shifted(x, a, 1), 1 - a) - smooth(shifted(x, a, -1), 1 - a) for a in (1, 0))
    steep = numpy.hypot(dx, dy)
    # The direction as a multiple of 45 degrees: across which neighbours lie.
    sector = numpy.degrees(numpy.arctan2(dy, dx)) % 180
    turn = numpy.rint(sector / 45).astype(int) % 4
    i, j = numpy.indices(p.shape)
    di, dj = numpy.array([0, 1, 1, -1])[turn], numpy.array([1, 1, 0, 1])[turn]
    at = lambda y, z: steep[numpy.clip(y, 0, p.shape[0] - 1), numpy.clip(z, 0, p.shape[1] - 1)]
    before, after = at(i - di, j - dj), at(i + di, j + dj)
    counts = steep > LOW
    margins = [abs(steep - LOW), abs(steep - HIGH), abs(abs(sector % 45 - 22.5)) * steep + 1e9 * ~counts]
    inside = lambda y, z: (y == numpy.clip(y, 0, p.shape[0] - 1)) & (z == numpy.clip(z, 0, p.shape[1] - 1))
    for other, y, z in [(before, i - di, j - dj), (after, i + di, j + dj)]:
        margins.append(abs(steep - other) + 1e9 * ~(counts & inside(y, z)))
    if min(m.min() for m in margins) < CLOSE:
        return None
    return numpy.where(counts & (steep > before) & (steep >= after), numpy.where(steep > HIGH, 2, 1), 0)


def drawing(rng, n):
    arg, p = picture(rng, n)
    marks = marked(p)
    return None if marks is None else ([str(LOW) + "f32", str(HIGH) + "f32", arg], marks)


@kernel("edges", most=1023)
def canny(rng, n):
    args, marks = redrawn(lambda: drawing(rng, n))
    return args, [plane("i", marks), Array("i", numpy.flatnonzero(marks == 2).tolist())]


@kernel("edges", most=1023)
def edges(rng, n):
    args, marks = redrawn(lambda: drawing(rng, n))
    lines, rounds, fresh = marks == 2, 0, True
    while fresh:
        wide = numpy.pad(lines, 1)
        around = sum(wide[1 + a:1 + a + lines.shape[0], 1 + b:1 + b + lines.shape[1]] for a in (-1, 0, 1) for b in (-1, 0, 1))
        after = lines | ((marks == 1) & (around > 0))
        fresh, lines, rounds = bool((after != lines).any()), after, rounds + 1
    return args, [plane("?", lines), scalar("i", rounds)]
