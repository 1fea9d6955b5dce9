"""Numbers: primes, roots, sums, transforms."""
import cmath
import math

from algorithms import algorithm
from programs import Array, doubles


@algorithm(most=4000)
def primes(rng, n):
    return [str(n)], [Array("?", [k > 1 and all(k % d for d in range(2, math.isqrt(k) + 1)) for k in range(n)])]


@algorithm(most=20000)
def collatz(rng, n):
    xs, out = [rng.randrange(1, 5000) for _ in range(n)], []
    for x in xs:
        k = 0
        while x > 1:
            x, k = x // 2 if x % 2 == 0 else 3 * x + 1, k + 1
        out.append(k)
    return [Array("i", xs)], [Array("i", out)]


@algorithm(most=5000)
def escape(rng, n):
    rounds, res, ims, out = rng.randrange(20), [rng.uniform(-2, 1) for _ in range(n)], [rng.uniform(-1, 1) for _ in range(n)], []
    for re, im in zip(res, ims):
        x, y, k = 0.0, 0.0, 0
        while k < rounds and x * x + y * y < 4.0:
            x, y, k = x * x - y * y + re, 2.0 * x * y + im, k + 1
        out.append(k)
    return [str(rounds), Array("d", res), Array("d", ims)], [Array("i", out)]


@algorithm()
def gcd(rng, n):
    xs, ys = ([rng.randrange(10 ** 9) for _ in range(n)] for _ in range(2))
    return [Array("i", xs), Array("i", ys)], [Array("i", [math.gcd(x, y) for x, y in zip(xs, ys)]), Array("i", [math.gcd(*xs)])]


@algorithm(most=20000)
def modpow(rng, n):
    xs, p = [rng.getrandbits(40) for _ in range(n)], 10 ** 9 + 7
    return [Array("Q", xs)], [Array("Q", [pow(x, p - 2, p) for x in xs])]


@algorithm()
def isqrt(rng, n):
    xs = [rng.randrange(2 ** 31) for _ in range(n)]
    return [Array("i", xs)], [Array("i", [math.isqrt(x) for x in xs])]


@algorithm()
def horner(rng, n):
    cs, xs, out = doubles(rng, 8), doubles(rng, n), []
    for x in xs.data:
        s = 0.0
        for c in cs.data:
            s = s * x + c
        out.append(s)
    return [cs, xs], [Array("d", out, tolerance=(1e-12, 1e-12))]


@algorithm(most=20000)
def newton(rng, n):
    xs = [rng.uniform(0.001, 1000.0) for _ in range(n)]
    return [Array("d", xs)], [Array("d", [x ** (1 / 3) for x in xs], tolerance=(1e-9, 1e-9))]


@algorithm()
def simpson(rng, n):
    n = max(n, 7)
    exact = 2 * math.sin(1) + math.cos(1) - 2
    return [str(n)], [Array("d", [exact], tolerance=(1e-5, 1e-5))]


@algorithm()
def variance(rng, n):
    xs = doubles(rng, n)
    mean = math.fsum(xs.data) / n if n else 0.0
    out = [mean, math.fsum((x - mean) ** 2 for x in xs.data) / n if n else 0.0]
    return [xs], [Array("d", out, tolerance=(1e-9, 1e-9))]


@algorithm()
def fibonacci(rng, n):
    a, b, out = 0, 1, []
    for _ in range(n):
        a, b = b, (a + b) % 2 ** 32
        out.append(a)
    return [str(n)], [Array("I", out)]


@algorithm(most=1000)
def divisors(rng, n):
    return [str(n)], [Array("i", [sum(d for d in range(1, k + 1) if k % d == 0) for k in range(1, n + 1)])]


@algorithm(most=257)
def dft(rng, n):
    xs = doubles(rng, n)
    out = [sum(x * cmath.exp(-2j * cmath.pi * (j * k % n) / n) for j, x in enumerate(xs.data)) for k in range(n)]
    return [xs], [Array("d", [z.real for z in out], tolerance=(1e-9, 1e-9)), Array("d", [z.imag for z in out], tolerance=(1e-9, 1e-9))]


@algorithm()
def ntt(rng, n):
    xs = [rng.randrange(257) for _ in range(256)]
    return [Array("i", xs)], [Array("i", [sum(x * pow(3, j * k, 257) for j, x in enumerate(xs)) % 257 for k in range(256)])]
