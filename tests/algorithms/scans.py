"""Scans, and what is made of them."""
import itertools

from algorithms import algorithm
from programs import Array, ints, wrap


def accumulated(values, f):
    return list(itertools.accumulate(values, f))


def plus(x, y):
    return wrap(x + y)


@algorithm()
def prefix(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", accumulated(xs.data, plus))]


@algorithm()
def exclusive(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", ([0] + accumulated(xs.data, plus))[:n])]


@algorithm()
def linrec(rng, n):
    a, b, x, out = ints(rng, n), ints(rng, n), 0, []
    for i in range(n):
        x = wrap(a.data[i] * x + b.data[i])
        out.append(x)
    return [a, b], [Array("i", out)]


@algorithm()
def segsum(rng, n):
    flags, xs, total, out = Array("?", [rng.random() < 0.05 for _ in range(n)]), ints(rng, n), 0, []
    for flag, x in zip(flags.data, xs.data):
        total = x if flag else wrap(total + x)
        out.append(total)
    return [flags, xs], [Array("i", out)]


@algorithm()
def runlength(rng, n):
    xs, out = Array("i", [rng.randrange(2) for _ in range(n)]), []
    for _, run in itertools.groupby(xs.data):
        out += range(1, len(list(run)) + 1)
    return [xs], [Array("i", out)]


@algorithm()
def maxsofar(rng, n):
    xs = ints(rng, n)
    most = accumulated(xs.data, max)
    first, at = {}, 0
    for i, x in enumerate(xs.data):
        first.setdefault(x, i)
    return [xs], [Array("i", most), Array("i", [first[x] for x in most])]


@algorithm()
def kadane(rng, n):
    xs = Array("i", [rng.randrange(-100, 100) for _ in range(n)])
    best = here = 0
    for x in xs.data:
        here = max(here + x, 0)
        best = max(best, here)
    return [xs], [Array("i", [best])]


@algorithm()
def brackets(rng, n):
    good = rng.random() < 0.5
    text, depth = [], 0
    for i in range(n):
        down = depth > 0 and (rng.random() < 0.5 or depth >= n - i)
        text.append(41 if down else 40 if depth < n - i - 1 else 32)
        depth += -1 if down else text[-1] == 40
    if not good and n:
        text[rng.randrange(n)] = 41
    depths = accumulated([{40: 1, 41: -1}.get(c, 0) for c in text], lambda x, y: x + y) or [0]
    return [Array("B", text)], [Array("?", [depths[-1] == 0 and min(depths) >= 0])]


@algorithm()
def delta(rng, n):
    xs = Array("i", [rng.randrange(-1000, 1000) for _ in range(n)])
    return [xs], [xs]


@algorithm()
def compact(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", [x for x in xs.data if x % 2 == 0])]


@algorithm(most=20000)
def expand(rng, n):
    counts, values = [rng.choice([0, 0, 1, 2, 7]) for _ in range(n)], ints(rng, n)
    return [Array("i", counts), values], [Array("i", [v for c, v in zip(counts, values.data) for _ in range(c)])]
