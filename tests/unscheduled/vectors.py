"""docs/examples/arrays/vectors.fclir"""
import bisect
import itertools
import math
import operator

from unscheduled import kernel, scalar
from arrays import Array
from programs import doubles, floats, ints, wrap


def small(rng, n, low=-9, high=9):
    return Array("i", [rng.randint(low, high) for _ in range(n)])


@kernel("vectors")
def sum_(rng, n):
    xs = ints(rng, n)
    return [xs], [scalar("i", wrap(sum(xs.data)))]


@kernel("vectors")
def dotp(rng, n):
    xs, ys = floats(rng, n), floats(rng, n)
    return [xs, ys], [scalar("f", math.fsum(map(operator.mul, xs.data, ys.data)), (1e-6 * n + 1e-6, 1e-5))]


@kernel("vectors")
def chain(rng, n):
    xs, ys = small(rng, n), small(rng, max(0, n - rng.randrange(3)))
    return [xs, ys], [Array("i", [2 * x + y for x, y in zip(xs.data, reversed(ys.data))])]


@kernel("vectors")
def reverseMap(rng, n):
    xs = floats(rng, n, 0, 100)
    return [xs], [Array("f", [math.sqrt(x) for x in reversed(xs.data)], tolerance=(1e-6, 1e-6))]


@kernel("vectors")
def statistics(rng, n):
    xs = doubles(rng, n)
    logs = [math.log1p(abs(x)) for x in xs.data]
    out = [math.fsum(logs), max(logs, default=0.0), math.fsum(logs) / n if n else 0.0]
    return [xs], [scalar("d", x, (1e-9, 1e-9)) for x in out]


@kernel("vectors")
def prefixSums(rng, n):
    xs = ints(rng, n)
    sums = [wrap(x) for x in itertools.accumulate(xs.data)]
    return [xs], [Array("i", sums), Array("i", ([0] + sums)[:n])]


@kernel("vectors")
def positives(rng, n):
    xs = small(rng, n, *rng.choice([(-9, 9), (-9, 0), (1, 9)]))
    kept = [x for x in xs.data if x > 0]
    return [xs], [Array("i", kept), scalar("i", len(kept))]


@kernel("vectors", most=20000)
def primesBelow(rng, n):
    sieve = [k > 1 for k in range(n)]
    for k in range(2, math.isqrt(n) + 1):
        sieve[k * k::k] = [False] * len(sieve[k * k::k])
    return [str(n)], [Array("i", [k for k in range(n) if sieve[k]])]


@kernel("vectors")
def histogram(rng, n):
    bins = rng.choice([0, 1, 5, 256])
    xs = small(rng, n, -2, bins + 2)
    return [str(bins), xs], [Array("i", [list(xs.data).count(k) for k in range(bins)] if n < 3000 else counts(xs.data, bins))]


def counts(values, bins):
    out = [0] * bins
    for x in values:
        if 0 <= x < bins:
            out[x] += 1
    return out


@kernel("vectors")
def segmentSums(rng, n):
    xs = small(rng, n)
    ends = sorted(rng.randint(0, n) for _ in range(rng.choice([0, 1, 3, n // 5])))
    offsets = [0] + ends + [n] if n else rng.choice([[], [0], [0, 0]])
    return [Array("i", offsets), xs], [Array("i", [sum(xs.data[a:b]) for a, b in zip(offsets, offsets[1:])])]


@kernel("vectors")
def distinct(rng, n):
    xs = small(rng, n, -n // 2, n // 2)
    found = []
    for x in xs.data:
        if n < 1000:
            at = bisect.bisect_left(found, x)
            found[at:at] = [x] if at == len(found) or found[at] != x else []
    return [xs], [Array("i", found if n < 1000 else sorted(set(xs.data)))]
