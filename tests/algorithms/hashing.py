"""Hashes and codes: integers of all sizes that wrap."""
import zlib

from algorithms import algorithm
from programs import Array, ints, wrap

M32, M64 = 2 ** 32 - 1, 2 ** 64 - 1


def words(rng, n):
    return Array("I", [rng.getrandbits(32) for _ in range(n)])


def texts(rng, n):
    rows = rng.randrange(1, 50)
    cols = n // rows
    values = [rng.randrange(256) for _ in range(rows * cols)]
    return Array("B", values, (rows, cols)), [bytes(values[i * cols:(i + 1) * cols]) for i in range(rows)]


@algorithm()
def fnv(rng, n):
    a, rows = texts(rng, n)
    out = []
    for row in rows:
        h = 2166136261
        for c in row:
            h = (h ^ c) * 16777619 & M32
        out.append(h)
    return [a], [Array("I", out)]


@algorithm()
def lcg(rng, n):
    rounds, xs = rng.randrange(7), ints(rng, n)
    out = list(xs.data)
    for _ in range(rounds):
        out = [wrap(x * 1664525 + 1013904223) for x in out]
    return [str(rounds), xs], [Array("i", out)]


@algorithm(most=20000)
def crc32(rng, n):
    a, rows = texts(rng, n)
    return [a], [Array("I", [zlib.crc32(row) for row in rows])]


@algorithm()
def murmur(rng, n):
    xs, out = words(rng, n), []
    for h in xs.data:
        h = (h ^ h >> 16) * 0x85ebca6b & M32
        h = (h ^ h >> 13) * 0xc2b2ae35 & M32
        out.append(h ^ h >> 16)
    return [xs], [Array("I", out)]


@algorithm()
def adler(rng, n):
    s = [rng.randrange(256) for _ in range(n)]
    return [Array("B", s)], [Array("I", [zlib.adler32(bytes(s))])]


@algorithm()
def xorshift(rng, n):
    seeds, out = [rng.getrandbits(63) for _ in range(n)], []
    for x in seeds:
        for _ in range(16):
            x ^= x >> 12
            x = (x ^ x << 25) & M64
            x ^= x >> 27
        out.append(x * 2685821657736338717 & M64)
    return [Array("Q", seeds)], [Array("Q", out)]


@algorithm()
def bloom(rng, n):
    n = min(n, 300)
    xs, qs = words(rng, n), words(rng, 500)

    def places(x):
        return {((x + k) * 2654435769 & M32) >> 22 for k in range(3)}
    present = set().union(*(places(x) for x in xs.data))
    return [xs, qs], [Array("?", [places(q) <= present for q in qs.data])]


@algorithm()
def distinct(rng, n):
    xs = Array("i", [rng.randrange(4096) for _ in range(n)])
    return [xs], [Array("i", [len(set(xs.data))])]


@algorithm()
def salsa(rng, n):
    rows, out = n // 4, []
    a = words(rng, 4 * rows)
    a.shape = (rows, 4)

    def rotl(x, k):
        x &= M32
        return (x << k | x >> (32 - k)) & M32
    for i in range(rows):
        w = list(a.data[4 * i:4 * i + 4])
        for k, (p, q), by in ((1, (0, 3), 7), (2, (1, 0), 9), (3, (2, 1), 13), (0, (3, 2), 18)):
            w[k] ^= rotl(w[p] + w[q], by)
        out += w
    return [a], [Array("I", out, (rows, 4))]


@algorithm()
def gray(rng, n):
    xs = words(rng, n)
    return [xs], [Array("I", [x ^ x >> 1 for x in xs.data]), xs]


@algorithm()
def morton(rng, n):
    xs, ys = (Array("I", [rng.randrange(65536) for _ in range(n)]) for _ in range(2))
    codes = [sum((x >> b & 1) << 2 * b | (y >> b & 1) << 2 * b + 1 for b in range(16)) for x, y in zip(xs.data, ys.data)]
    return [xs, ys], [Array("I", codes), xs]
