"""docs/examples/arrays/kmeans.fclir"""
import numpy

from unscheduled import kernel, redrawn, scalar
from arrays import Array
from matrices import plane

CLOSE = 1e-4  # distances that differ by less may be ordered either way


def points_of(rng, n, d):
    values = numpy.array([[rng.randrange(4) * 3 + rng.random() for _ in range(d)] for _ in range(n)]).reshape(n, d)
    return values.astype("float32").astype("float64")


def within(a, absolute):
    a.tolerance = (absolute, absolute)
    return a


# ---- means ----

def means(rng, n):
    k, d = rng.randint(1, 6), rng.randint(1, 4)
    points, membership = points_of(rng, n, d), [rng.randrange(k) for _ in range(n)]
    sizes = [membership.count(c) for c in range(k)]
    out = numpy.zeros((k, d))
    for p, c in zip(points, membership):
        out[c] += p / sizes[c]
    return [Array("i", sizes), plane("f", points), Array("i", membership)], [within(plane("f", out), 1e-3)]


@kernel("kmeans", most=1023)
def meansParallel(rng, n):
    return means(rng, n)


@kernel("kmeans", most=7000)
def meansSequential(rng, n):
    return means(rng, n)


@kernel("kmeans", most=7000)
def meansStream(rng, n):
    return means(rng, n)


# ---- the whole ----

def nearest(points, centres):
    """The number of the nearest centre of each point, or None where two are about equally near."""
    squares = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    two = numpy.sort(squares, axis=1)[:, :2]
    if squares.shape[1] > 1 and (two[:, 1] - two[:, 0] < CLOSE).any():
        return None
    return squares.argmin(axis=1)


def recentred(points, centres, membership):
    return numpy.array([points[membership == c].sum(axis=0) / max((membership == c).sum(), 1) for c in range(len(centres))])


def clustering(rng, n):
    k, d, threshold, limit = rng.randint(1, min(n, 4)), rng.randint(1, 4), rng.choice([0, n // 10]), rng.choice([0, 1, 3, 50])
    points = points_of(rng, n, d)
    centres, old, changed, rounds = points[:k], numpy.arange(n) % k, threshold + 1, 0
    while changed > threshold and rounds < limit:
        membership = nearest(points, centres)
        if membership is None:
            return None
        changed, rounds, old = int((membership != old).sum()), rounds + 1, membership
        centres = recentred(points, centres, membership)
    return [str(k), str(threshold), str(limit), plane("f", points)], [within(plane("f", centres), 1e-3), scalar("i", rounds)]


@kernel("kmeans", most=257)
def kmeans(rng, n):
    return redrawn(lambda: clustering(rng, max(n, 1)))


def clustering2d(rng, n):
    k, points, rounds, far = rng.randint(1, min(n, 4)), points_of(rng, n, 2), 0, True
    centres = points[:k]
    while far:
        membership = nearest(points, centres)
        if membership is None:
            return None
        after = recentred(points, centres, membership)
        ways = abs(after - centres)
        if ((ways > 0.0099) & (ways < 0.0101)).any():
            return None
        centres, far, rounds = after, bool((ways > 0.01).any()), rounds + 1
    columns = lambda a: tuple(Array("f", a[:, j].tolist(), tolerance=(1e-3, 1e-3)) for j in (0, 1))
    return [str(k), columns(points)], [*columns(centres), scalar("i", rounds - 1)]


@kernel("kmeans", most=257)
def kmeans2d(rng, n):
    return redrawn(lambda: clustering2d(rng, max(n, 1)))
