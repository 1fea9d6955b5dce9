"""Stencils: each element from its neighbours."""
from algorithms import algorithm
from programs import Array, doubles, ints

TIGHT = (1e-12, 1e-12)


def plane(rng, n, make):
    rows = max(1, int(n ** 0.5)) if n else 0
    cols = n // rows if rows else 0
    return Array("i", [make() for _ in range(rows * cols)], (rows, cols)), rows, cols


@algorithm()
def heat(rng, n):
    xs = doubles(rng, n)
    ys = list(xs.data)
    for _ in range(10):
        at = [ys[0]] + ys + [ys[-1]] if n else []
        ys = [y + 0.25 * (at[i] - 2.0 * y + at[i + 2]) for i, y in enumerate(ys)]
    return [xs], [Array("d", ys, tolerance=TIGHT)]


@algorithm(most=10000)
def jacobi(rng, n):
    shape, rows, cols = plane(rng, n, lambda: 0)
    a = Array("d", [rng.random() for _ in range(rows * cols)], (rows, cols))
    now = list(a.data)
    for _ in range(20):
        old = list(now)
        for i in range(1, rows - 1):
            for j in range(1, cols - 1):
                k = i * cols + j
                now[k] = 0.25 * (old[k - cols] + old[k + cols] + old[k - 1] + old[k + 1])
    return [a], [Array("d", now, (rows, cols), tolerance=TIGHT)]


@algorithm(most=10000)
def life(rng, n):
    _, rows, cols = plane(rng, n, lambda: 0)
    cells = {(i, j): rng.random() < 0.4 for i in range(rows) for j in range(cols)}
    a = Array("?", [cells[i, j] for i in range(rows) for j in range(cols)], (rows, cols))
    turns = rng.randrange(5)
    for _ in range(turns):
        def around(i, j):
            near = [(i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1) if (di, dj) != (0, 0)]
            return sum(cells[p % rows, q % cols] for p, q in near)
        cells = {(i, j): around(i, j) == 3 or (around(i, j) == 2 and alive) for (i, j), alive in cells.items()}
    return [str(turns), a], [Array("?", [cells[i, j] for i in range(rows) for j in range(cols)], (rows, cols))]


@algorithm()
def wolfram(rng, n):
    rule = rng.randrange(256)
    xs = Array("?", [rng.random() < 0.5 for _ in range(n)])
    row = [0] + list(xs.data) + [0]
    for _ in range(8):
        row = [0] + [(rule >> (4 * row[i - 1] + 2 * row[i] + row[i + 1])) & 1 for i in range(1, n + 1)] + [0]
    return [str(rule), xs], [Array("?", row[1:-1])]


@algorithm()
def sobel(rng, n):
    a, rows, cols = plane(rng, n, lambda: rng.randrange(256))

    def at(i, j):
        return a.data[max(0, min(rows - 1, i)) * cols + max(0, min(cols - 1, j))]
    out = []
    for i in range(rows):
        for j in range(cols):
            dx = sum(w * (at(i + d, j + 1) - at(i + d, j - 1)) for d, w in ((-1, 1), (0, 2), (1, 1)))
            dy = sum(w * (at(i + 1, j + d) - at(i - 1, j + d)) for d, w in ((-1, 1), (0, 2), (1, 1)))
            out.append(abs(dx) + abs(dy))
    return [a], [Array("i", out, (rows, cols))]


@algorithm()
def median(rng, n):
    xs = ints(rng, n)
    at = [xs.data[0]] + list(xs.data) + [xs.data[-1]] if n else []
    return [xs], [Array("i", [sorted(at[i:i + 3])[1] for i in range(n)])]


@algorithm()
def convolve(rng, n):
    w = rng.randrange(1, 16)
    ks, xs = Array("i", [rng.randrange(-9, 10) for _ in range(w)]), Array("i", [rng.randrange(-999, 999) for _ in range(n)])
    at = [0] * (w // 2) + list(xs.data) + [0] * w
    return [ks, xs], [Array("i", [sum(k * at[i + j] for j, k in enumerate(ks.data)) for i in range(n)])]


@algorithm()
def boxblur(rng, n):
    r = rng.randrange(10)
    xs = Array("i", [rng.randrange(256) for _ in range(n)])
    windows = [xs.data[max(0, i - r):i + r + 1] for i in range(n)]
    return [str(r), xs], [Array("i", [sum(w) // len(w) for w in windows])]


@algorithm()
def distance(rng, n):
    xs = Array("?", [rng.random() < 0.01 for _ in range(n)])
    out, last = [10 ** 9] * n, -10 ** 9
    for order in (range(n), range(n - 1, -1, -1)):
        last = None
        for i in order:
            last = i if xs.data[i] else last
            if last is not None:
                out[i] = min(out[i], abs(i - last))
    return [xs], [Array("i", [-1 if d == 10 ** 9 else d for d in out])]


@algorithm(most=4000)
def gaussian(rng, n):
    rows = max(1, int(n ** 0.5)) if n else 0
    cols = n // rows if rows else 0
    reach = rng.randrange(4)
    a, w = [[rng.random() for _ in range(cols)] for _ in range(rows)], [rng.random() for _ in range(2 * reach + 1)]

    def at(i, j):
        return a[max(0, min(rows - 1, i))][max(0, min(cols - 1, j))]

    span = range(-reach, reach + 1)
    out = [sum(w[p + reach] * w[q + reach] * at(i + p, j + q) for p in span for q in span)
           for i in range(rows) for j in range(cols)]
    flat = Array("d", [v for row in a for v in row], (rows, cols))
    return [Array("d", w), flat], [Array("d", out, (rows, cols), tolerance=TIGHT)]


@algorithm()
def equalise(rng, n):
    rows = max(1, int(n ** 0.5)) if n else 0
    cols = n // rows if rows else 0
    low = rng.randrange(200)
    data = [rng.randrange(low, rng.randrange(low, 256) + 1) for _ in range(rows * cols)]
    order = sorted(data)
    up_to = {v: k + 1 for k, v in enumerate(order)}
    n, least = len(data), up_to[order[0]] if order else 0
    out = [v if n == least else (up_to[v] - least) * 255 // (n - least) for v in data]
    return [Array("B", data, (rows, cols))], [Array("B", out, (rows, cols))]
