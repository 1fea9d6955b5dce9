"""Linear algebra."""
import math

from algorithms import algorithm
from programs import Array, doubles, ints, wrap

LOOSE = (1e-9, 1e-9)


def matrix(rng, rows, cols):
    return Array("d", [rng.random() - 0.5 for _ in range(rows * cols)], (rows, cols))


@algorithm(most=2000)
def matmul(rng, n):
    rows, inner = int(n ** 0.5), rng.randrange(40)
    cols = n // rows if rows else 0
    a, b = matrix(rng, rows, inner), matrix(rng, inner, cols)
    out = [sum(a.data[i * inner + k] * b.data[k * cols + j] for k in range(inner)) for i in range(rows) for j in range(cols)]
    return [a, b], [Array("d", out, (rows, cols), tolerance=LOOSE)]


@algorithm(most=3000)
def tiles(rng, n):
    rows, inner = int(n ** 0.5), rng.randrange(40)
    cols, w = n // rows if rows else 0, 16
    a = [[rng.randrange(-99, 99) for _ in range(inner)] for _ in range(rows)]
    b = [[rng.randrange(-99, 99) for _ in range(cols)] for _ in range(inner)]
    product = {(i, j): sum(a[i][k] * b[k][j] for k in range(inner)) for i in range(rows) for j in range(cols)}
    out = [product.get((top + e // w, left + e % w), 0) for top in range(0, rows, w) for left in range(0, cols, w) for e in range(w * w)]
    flat = [Array("i", [v for row in a for v in row], (rows, inner)), Array("i", [v for row in b for v in row], (inner, cols))]
    return flat, [Array("i", out)]


@algorithm()
def matvec(rng, n):
    rows = rng.randrange(1, 9)
    cols = n // rows
    a, x = ints(rng, rows * cols), ints(rng, cols)
    a.shape = (rows, cols)
    return [a, x], [Array("i", [wrap(sum(p * q for p, q in zip(a.data[i * cols:(i + 1) * cols], x.data))) for i in range(rows)])]


@algorithm(most=900)
def gauss(rng, n):
    m = int(n ** 0.5)
    x = [rng.random() - 0.5 for _ in range(m)]
    a = [[rng.random() + (m if i == j else 0) for j in range(m)] for i in range(m)]
    rows = [row + [sum(p * q for p, q in zip(row, x))] for row in a]
    return [Array("d", [v for row in rows for v in row], (m, m + 1))], [Array("d", x, tolerance=LOOSE)]


@algorithm(most=900)
def cholesky(rng, n):
    m = int(n ** 0.5)
    low = [[rng.random() + (m if i == j else 0) if j <= i else 0.0 for j in range(m)] for i in range(m)]
    a = [math.fsum(low[i][k] * low[j][k] for k in range(m)) for i in range(m) for j in range(m)]
    return [Array("d", a, (m, m))], [Array("d", [v for row in low for v in row], (m, m), tolerance=LOOSE)]


@algorithm(most=900)
def power(rng, n):
    m, e = int(n ** 0.5), rng.randrange(5)
    a = [[rng.randrange(-9, 9) for _ in range(m)] for _ in range(m)]
    flat = Array("i", [v for row in a for v in row], (m, m))
    for _ in range(e):
        a = [[wrap(sum(a[i][k] * a[k][j] for k in range(m))) for j in range(m)] for i in range(m)]
    return [str(e), flat], [Array("i", [v for row in a for v in row], (m, m))]


@algorithm()
def csr(rng, n):
    starts, columns, cols = [0], [], max(n, 1)
    for _ in range(n):
        columns += sorted(rng.randrange(cols) for _ in range(rng.choice([0, 1, 1, 2, 5, 30]) if n < 5000 else rng.randrange(4)))
        starts.append(len(columns))
    values, x = ints(rng, len(columns)), ints(rng, cols)
    out = [wrap(sum(values.data[k] * x.data[columns[k]] for k in range(a, b))) for a, b in zip(starts, starts[1:])]
    return [Array("i", starts), Array("i", columns), values, x], [Array("i", out)]


@algorithm(most=70000)
def tridiagonal(rng, n):
    low, up, x = ([rng.random() for _ in range(n)] for _ in range(3))
    diag = [3.0 + rng.random() for _ in range(n)]
    right = [diag[i] * x[i] + (low[i] * x[i - 1] if i else 0.0) + (up[i] * x[i + 1] if i + 1 < n else 0.0) for i in range(n)]
    return [Array("d", v) for v in (low, diag, up, right)], [Array("d", x, tolerance=LOOSE)]


@algorithm()
def norms(rng, n):
    xs = doubles(rng, n)
    sizes = [abs(x) for x in xs.data]
    out = [math.fsum(sizes), math.sqrt(math.fsum(x * x for x in sizes)), max(sizes, default=0.0)]
    return [xs], [Array("d", [v], tolerance=LOOSE) for v in out]


@algorithm()
def outer(rng, n):
    rows = rng.randrange(1, 30)
    cols = n // rows
    x, y, a = ints(rng, rows), ints(rng, cols), ints(rng, rows * cols)
    a.shape = (rows, cols)
    out = [wrap(a.data[i * cols + j] + x.data[i] * y.data[j]) for i in range(rows) for j in range(cols)]
    return [x, y, a], [Array("i", out, (rows, cols))]


@algorithm(most=20000)
def kronecker(rng, n):
    rows, cols, m = rng.randrange(1, 5), rng.randrange(1, 5), int((n / 4) ** 0.5)
    a, b = ints(rng, rows * cols), ints(rng, m * m)
    a.shape, b.shape = (rows, cols), (m, m)
    out = [wrap(a.data[i // m * cols + j // m] * b.data[i % m * m + j % m]) for i in range(rows * m) for j in range(cols * m)]
    return [a, b], [Array("i", out, (rows * m, cols * m))]


@algorithm(most=900)
def lu(rng, n):
    m = int(n ** 0.5)
    low = [[1.0 if i == j else rng.random() if j < i else 0.0 for j in range(m)] for i in range(m)]
    up = [[rng.random() + (m if i == j else 0) if i <= j else 0.0 for j in range(m)] for i in range(m)]
    a = [math.fsum(low[i][k] * up[k][j] for k in range(m)) for i in range(m) for j in range(m)]
    both = [low[i][j] if j < i else up[i][j] for i in range(m) for j in range(m)]
    return [Array("d", a, (m, m))], [Array("d", both, (m, m), tolerance=LOOSE)]


@algorithm(most=900)
def converge(rng, n):
    m = int(n ** 0.5)
    a = [[rng.random() + (2 * m if i == j else 0) for j in range(m)] for i in range(m)]
    x, steps, moved = [0.0] * m, 0, 1.0
    b = [sum(rng.random() * v for v in row) for row in a]
    while steps < 1000 and moved > 1e-6:
        y = [(b[i] - sum(a[i][j] * x[j] for j in range(m) if j != i)) / a[i][i] for i in range(m)]
        moved = max((abs(p - q) for p, q in zip(x, y)), default=0.0)
        x, steps = y, steps + 1
    out = [Array("d", x, tolerance=LOOSE), Array("i", [steps])]
    return ["1e-6", Array("d", [v for row in a for v in row], (m, m)), Array("d", b)], out
