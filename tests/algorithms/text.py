"""Texts as arrays of bytes."""
from algorithms import algorithm
from programs import Array


def text(rng, n, letters):
    return [rng.choice(letters) for _ in range(n)]


@algorithm()
def histogram(rng, n):
    s = bytes(rng.randrange(256) for _ in range(n))
    return [Array("B", s)], [Array("i", [s.count(c) for c in range(256)])]


@algorithm()
def caesar(rng, n):
    k, s = rng.randrange(26), text(rng, n, range(32, 127))

    def moved(c):
        for base in (65, 97):
            if base <= c < base + 26:
                return base + (c - base + k) % 26
        return c
    return [str(k), Array("B", s)], [Array("B", [moved(c) for c in s])]


@algorithm()
def palindrome(rng, n):
    half = text(rng, n // 2, b"ab")
    s = half + text(rng, n % 2, b"ab") + half[::-1]
    if n and rng.random() < 0.5:
        s[rng.randrange(n)] = 99
    return [Array("B", s)], [Array("?", [s == s[::-1]])]


@algorithm(most=20000)
def find(rng, n):
    p, s = text(rng, rng.randrange(1, 5), b"ab"), text(rng, n, b"ab")
    return [Array("B", p), Array("B", s)], [Array("?", [s[i:i + len(p)] == p for i in range(n)])]


@algorithm()
def words(rng, n):
    s = bytes(text(rng, n, b"abc  "))
    return [Array("B", s)], [Array("i", [len(s.split())])]


@algorithm()
def lines(rng, n):
    s = text(rng, n, b"abcdefgh\n")
    row, column, rows, columns = 0, 0, [], []
    for c in s:
        rows.append(row)
        columns.append(column)
        row, column = (row + 1, 0) if c == 10 else (row, column + 1)
    return [Array("B", s)], [Array("i", rows), Array("i", columns)]


@algorithm()
def hex(rng, n):
    s = bytes(rng.randrange(256) for _ in range(n))
    return [Array("B", s)], [Array("B", s.hex().encode())]


@algorithm()
def parity(rng, n):
    xs, every = [rng.getrandbits(32) for _ in range(n)], 0
    for x in xs:
        every ^= x
    return [Array("I", xs)], [Array("I", [x.bit_count() & 1 for x in xs]), Array("I", [every.bit_count() & 1])]


@algorithm(most=300)
def suffixes(rng, n):
    s = bytes(text(rng, n, rng.choice([b"a", b"ab", b"abcz\xff"])))
    return [Array("B", s)], [Array("i", sorted(range(n), key=lambda i: s[i:]))]


@algorithm()
def rolling(rng, n):
    s = bytes(text(rng, n, b"ab"))
    start, size = rng.randrange(n + 1), rng.randrange(12)
    p = s[start:start + size] if rng.random() < 0.8 else b"abc"
    return [Array("B", p), Array("B", s)], [Array("i", [i for i in range(n - len(p) + 1) if s.startswith(p, i)])]
