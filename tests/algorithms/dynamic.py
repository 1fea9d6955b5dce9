"""Dynamic programming."""
from algorithms import algorithm
from programs import Array, wrap


def small(rng, n, low, high):
    return Array("i", [rng.randrange(low, high) for _ in range(n)])


@algorithm(most=1000)
def knapsack(rng, n):
    items = rng.randrange(12)
    weights, values, row = small(rng, items, 1, 20), small(rng, items, 0, 100), [0] * (n + 1)
    for w, v in zip(weights.data, values.data):
        row = [max(row[c], row[c - w] + v) if w <= c else row[c] for c in range(n + 1)]
    return [str(n), weights, values], [Array("i", row)]


def two_texts(rng, n):
    a = [rng.randrange(3) for _ in range(n)]
    return a, [rng.randrange(3) for _ in range(rng.randrange(n + 2))]


@algorithm(most=80)
def lcs(rng, n):
    a, b = two_texts(rng, n)
    row = [0] * (len(b) + 1)
    for x in a:
        before = list(row)
        for j, y in enumerate(b):
            row[j + 1] = before[j] + 1 if x == y else max(before[j + 1], row[j])
    return [Array("B", a), Array("B", b)], [Array("i", [row[-1]])]


@algorithm(most=80)
def edit(rng, n):
    a, b = two_texts(rng, n)
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before = list(row)
        row[0] = i + 1
        for j, y in enumerate(b):
            row[j + 1] = min(before[j] + (x != y), before[j + 1] + 1, row[j] + 1)
    return [Array("B", a), Array("B", b)], [Array("i", [row[-1]])]


@algorithm(most=400)
def floyd(rng, n):
    m = int(n ** 0.5)
    w = [[0 if i == j else rng.randrange(1, 10 ** 6) for j in range(m)] for i in range(m)]
    flat = Array("i", [x for row in w for x in row], (m, m))
    for k in range(m):
        for i in range(m):
            w[i] = [min(w[i][j], w[i][k] + w[k][j]) for j in range(m)]
    return [flat], [Array("i", [x for row in w for x in row], (m, m))]


@algorithm(most=300)
def pascal(rng, n):
    row = [1]
    for _ in range(n):
        row = [wrap(x + y) for x, y in zip([0] + row, row + [0])]
    return [str(n)], [Array("i", row)]


@algorithm(most=100)
def coins(rng, n):
    kinds = small(rng, rng.randrange(1, 4), 1, 12)
    best = [0] + [1000000] * n
    for a in range(1, n + 1):
        best[a] = min([best[a]] + [best[a - c] + 1 for c in kinds.data if c <= a])
    return [str(n), kinds], [Array("i", [min(b, 1000000) for b in best])]


@algorithm(most=300)
def viterbi(rng, n):
    states = rng.randrange(1, 12)
    go, cost = small(rng, states * states, 0, 50), small(rng, n // 4 * states, 0, 50)
    best = [0] * states
    for t in range(n // 4):
        best = [min(best[r] + go.data[r * states + s] for r in range(states)) + cost.data[t * states + s] for s in range(states)]
    go.shape, cost.shape = (states, states), (n // 4, states)
    return [go, cost], [Array("i", best)]


@algorithm(most=200)
def catalan(rng, n):
    c = []
    for k in range(n):
        c.append(wrap(sum(c[i] * c[k - 1 - i] for i in range(k))) if k else 1)
    return [str(n)], [Array("i", c)]


@algorithm(most=40)
def chainorder(rng, n):
    sizes = [rng.randrange(1, 50) for _ in range(n + 1)]
    cost = {}
    for size in range(1, n + 1):
        for i in range(n - size + 1):
            j = i + size - 1
            ways = (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j))
            cost[i, j] = min(ways, default=0)
    return [Array("i", sizes)], [Array("i", [cost[0, n - 1] if n else 0])]


@algorithm(most=400)
def increasing(rng, n):
    xs, best = [rng.randrange(-n, n) for _ in range(n)], []
    for i, x in enumerate(xs):
        best.append(1 + max((b for b, y in zip(best, xs) if y < x), default=0))
    return [Array("i", xs)], [Array("i", [max(best, default=0)])]
