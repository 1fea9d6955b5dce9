"""Random numbers that are the same every time, and what is made of them."""
from algorithms import algorithm
from programs import Array, wrap

M32 = 2 ** 32 - 1


def mix(h):
    h = (h ^ h >> 16) * 0x85ebca6b & M32
    h = (h ^ h >> 13) * 0xc2b2ae35 & M32
    return h ^ h >> 16


@algorithm()
def pi(rng, n):
    inside = sum((mix(2 * i) >> 16) ** 2 + (mix(2 * i + 1) >> 16) ** 2 < 2 ** 32 for i in range(n))
    return [str(n)], [Array("i", [inside])]


@algorithm(most=20000)
def walk(rng, n):
    seeds, out = [rng.getrandbits(32) for _ in range(n)], []
    for s in seeds:
        x = 0
        for _ in range(32):
            s = (s * 1664525 + 1013904223) & M32
            x += 1 if s >> 31 else -1
        out.append(x)
    return [Array("I", seeds)], [Array("i", out)]


@algorithm(most=65536)
def shuffle(rng, n):
    n = n if n > 2000 else 3000  # few walks are long then
    n, key = 60000 if n > 20000 else 40000, rng.getrandbits(16)

    def enc(x):
        a, b = x >> 8, x & 255
        for r in range(4):
            a, b = b, a ^ ((b * 40503 + key + r * 977) * 2654435769 & M32) >> 24
        return a << 8 | b

    def walked(x):
        x = enc(x)
        while x >= n:
            x = enc(x)
        return x
    return [str(key), str(n)], [Array("i", [walked(i) for i in range(n)])]


@algorithm()
def ising(rng, n):
    turns, xs = rng.randrange(6), [rng.choice((-1, 1)) for _ in range(n)]
    ys = list(xs)
    for t in range(turns):
        old = list(ys)
        for i in range(t % 2, n, 2):
            s = old[i - 1] + old[(i + 1) % n]
            ys[i] = old[i] if s == 0 else (s > 0) - (s < 0)
    return [str(turns), Array("i", xs)], [Array("i", ys)]


@algorithm()
def alias(rng, n):
    weights = [rng.randrange(1, 20) for _ in range(rng.randrange(1, 500))]
    total, ends, s = sum(weights), [], 0
    for w in weights:
        s += w
        ends.append(s)
    rs = [rng.randrange(total) for _ in range(n)]
    place = [i for i, w in enumerate(weights) for _ in range(w)]
    return [Array("i", weights), Array("i", rs)], [Array("i", [place[r] for r in rs])]


@algorithm(most=20000)
def bootstrap(rng, n):
    n, rounds = max(n, 1), rng.randrange(8)
    xs = [rng.randrange(-999, 999) for _ in range(n)]
    sums = [sum(xs[(wrap(r * 7919 + i * 104729 + 12345) & 1048575) % n] for i in range(n)) for r in range(rounds)]
    return [str(rounds), Array("i", xs)], [Array("i", sums)]
