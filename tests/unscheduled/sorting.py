"""Orders and tables: sorting, alignment."""
import math

from unscheduled import kernel
from arrays import Array
from programs import ints


@kernel("sorting", most=65537)
def radixSort(rng, n):
    xs = [rng.getrandbits(32) for _ in range(n)]
    return [Array("I", xs)], [Array("I", sorted(xs))]


@kernel("sorting", most=7000)
def radixSortSigned(rng, n):
    xs = ints(rng, n)
    return [xs], [Array("i", sorted(xs.data))]


@kernel("sorting")
def sortByKey(rng, n):
    keys, values = [rng.randint(-5, 5) for _ in range(n)], [rng.random() for _ in range(n)]
    pairs = sorted(zip(keys, values), key=lambda p: p[0])
    return [Array("i", keys), Array("f", values)], [Array("i", [k for k, _ in pairs]), Array("f", [v for _, v in pairs])]


@kernel("sorting")
def order(rng, n):
    xs = [rng.choice([-1.0, 0.5, math.inf, -math.inf, rng.random()]) for _ in range(n)]
    return [Array("d", xs)], [Array("i", sorted(range(n), key=lambda i: xs[i]))]


# ---- alignment ----

def table_of(penalty, a, similar, rows, columns):
    table = [list(a[y * columns:(y + 1) * columns]) for y in range(rows)]
    for y in range(1, rows):
        for x in range(1, columns):
            table[y][x] = max(table[y - 1][x - 1] + similar[y * columns + x], table[y][x - 1] - penalty, table[y - 1][x] - penalty)
    return [v for row in table for v in row]


def alignments(rng, n):
    rows = rng.choice([1, math.isqrt(n), n // 3]) if n > 2 else n
    columns = n // rows if rows else rng.randrange(3)
    penalty = rng.randrange(5)
    a = [-penalty * (y + x) for y in range(rows) for x in range(columns)]
    similar = [rng.randint(-4, 5) for _ in a]
    out = table_of(penalty, a, similar, rows, columns)
    return [str(penalty), Array("i", a, (rows, columns)), Array("i", similar, (rows, columns))], [Array("i", out, (rows, columns))]


@kernel("alignment", most=1023)
def diagonals(rng, n):
    return alignments(rng, n)


@kernel("alignment", most=1023)
def rows(rng, n):
    return alignments(rng, n)
