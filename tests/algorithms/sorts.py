"""Sorting and selecting."""
from algorithms import algorithm
from programs import Array, chunks, doubles, ints


def sorted_case(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", sorted(xs.data))]


@algorithm()
def bitonic(rng, n):
    return sorted_case(rng, n)


@algorithm(most=1000)
def oddeven(rng, n):
    return sorted_case(rng, n)


@algorithm(most=1000)
def rank(rng, n):
    xs = Array("i", [rng.randrange(-50, 50) for _ in range(n)])
    return [xs], [Array("i", sorted(xs.data))]


@algorithm()
def counting(rng, n):
    xs = Array("i", [rng.randrange(256) for _ in range(n)])
    return [xs], [Array("i", sorted(xs.data))]


@algorithm()
def merge(rng, n):
    xs = Array("i", [rng.randrange(-n, n) for _ in range(n)])
    return [xs], [Array("i", sorted(xs.data))]


@algorithm()
def radix(rng, n):
    return sorted_case(rng, n)


@algorithm()
def insertion(rng, n):
    xs = ints(rng, n)
    blocks = [w for c in chunks(xs.data, 256) for w in chunks(c, 32)]
    return [xs], [Array("i", [x for w in blocks for row in chunks(w, 8) for x in sorted(row)])]


@algorithm()
def topk(rng, n):
    k = rng.randrange(1, 8)
    xs = Array("i", [rng.randrange(-n, n) for _ in range(n)])
    return [str(k), xs], [Array("i", sorted(xs.data)[::-1][:k])]


@algorithm()
def argsort(rng, n):
    xs = doubles(rng, n)
    return [xs], [Array("i", sorted(range(n), key=lambda i: xs.data[i]))]


@algorithm()
def bucket(rng, n):
    xs = [rng.choice([rng.random(), 0.5, 0.0]) if n < 2000 else rng.random() for _ in range(n)]
    return [Array("d", xs)], [Array("d", sorted(xs))]
