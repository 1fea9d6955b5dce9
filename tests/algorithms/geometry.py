"""Points, polygons and bodies."""
import math

from algorithms import algorithm
from programs import Array


def points(rng, n, most=1000):
    return [(rng.randrange(-most, most), rng.randrange(-most, most)) for _ in range(n)]


def apart(ps, code="i"):
    return [Array(code, [x for x, _ in ps]), Array(code, [y for _, y in ps])]


@algorithm()
def area(rng, n):
    ps = points(rng, n, 10 ** 6)
    twice = sum(ps[i - 1][0] * ps[i][1] - ps[i][0] * ps[i - 1][1] for i in range(n))
    return apart(ps, "q"), [Array("q", [twice])]


@algorithm()
def box(rng, n):
    ps, most = points(rng, n), 2 ** 31 - 1
    xs, ys = [x for x, _ in ps], [y for _, y in ps]
    out = [f(v, default=d) for v in (xs, ys) for f, d in ((min, most), (max, -most))]
    return apart(ps), [Array("i", out)]


@algorithm(most=1000)
def nearest(rng, n):
    ps, qs = points(rng, n), points(rng, rng.randrange(60))

    def best(p):
        far = [(p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for q in qs]
        return far.index(min(far)) if far else -1
    return apart(ps) + apart(qs), [Array("i", [best(p) for p in ps])]


@algorithm(most=20000)
def inside(rng, n):
    corners = [(round(900 * math.cos(a)), round(900 * math.sin(a))) for a in sorted(rng.uniform(0, 6.28) for _ in range(7))]
    ps = points(rng, n)

    def within(x, y):
        odd = False
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1]):
            if (y < ay) != (y < by):
                side = (bx - ax) * (y - ay) - (x - ax) * (by - ay)
                odd ^= (side > 0) == (y < by)
        return odd
    return apart(corners) + apart(ps), [Array("?", [within(x, y) for x, y in ps])]


@algorithm()
def rotate(rng, n):
    a = rng.uniform(0, 6)
    ps = [(rng.random(), rng.random()) for _ in range(n)]
    out = [(x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)) for x, y in ps]
    close = (1e-12, 1e-12)
    args = tuple(apart(ps, "d"))
    return [repr(a), args], [Array("d", [x for x, _ in out], tolerance=close), Array("d", [y for _, y in out], tolerance=close)]


@algorithm()
def kmeans(rng, n):
    k = rng.randrange(1, 6)
    start, xs = [rng.randrange(10000) for _ in range(k)], [rng.randrange(10000) for _ in range(n)]
    means = list(start)
    for _ in range(3):
        groups = [[] for _ in range(k)]
        for x in xs:
            far = [abs(x - m) for m in means]
            groups[far.index(min(far))].append(x)
        means = [sum(g) // len(g) if g else m for g, m in zip(groups, means)]
    return [Array("i", start), Array("i", xs)], [Array("i", means)]


@algorithm(most=3000)
def centres(rng, n):
    ms, xs = [rng.randrange(10 ** 6) for _ in range(rng.randrange(150))], [rng.randrange(10 ** 6) for _ in range(n)]
    return [Array("i", ms), Array("i", xs)], [Array("i", [min(range(len(ms)), key=lambda k: abs(x - ms[k]), default=-1) for x in xs])]


@algorithm(most=600)
def nbody(rng, n):
    xs, ms = [rng.uniform(-9, 9) for _ in range(n)], [rng.random() for _ in range(n)]
    out = [math.fsum(m * (y - x) / (abs(y - x) ** 3 + 0.001) for y, m in zip(xs, ms)) for x in xs]
    return [Array("d", xs), Array("d", ms)], [Array("d", out, tolerance=(1e-6, 1e-9))]


@algorithm()
def hullside(rng, n):
    ps, (a, b) = points(rng, n), points(rng, 2)
    side = [(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) for x, y in ps]
    best = max(side, default=0)
    lines = ["(%d, %d)" % a, "(%d, %d)" % b]
    return lines + apart(ps), [Array("i", [side.index(best) if best > 0 else -1]), Array("i", [sum(s > 0 for s in side)])]
