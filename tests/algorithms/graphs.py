"""Graphs: as edges, as rows of neighbours, as bits."""
from algorithms import algorithm
from programs import Array


def edges(rng, n, m):
    return [(rng.randrange(n), rng.randrange(n)) for _ in range(m)] if n else []


def rows_of(n, pairs):
    """Starts and ends of the edges of each node."""
    rows = [[] for _ in range(n)]
    for a, b in pairs:
        rows[a].append(b)
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    return rows, Array("i", starts), Array("i", [b for row in rows for b in row])


@algorithm(most=20000)
def bfs(rng, n):
    rows, starts, ends = rows_of(n, edges(rng, n, 3 * n))
    far, todo = [-1] * n, [0] if n else []
    if n:
        far[0] = 0
    # A node looks at those that its edges lead to: ways run against the edges.
    back, _, _ = rows_of(n, [(b, a) for a, row in enumerate(rows) for b in row])
    for node in todo:
        for a in back[node]:
            if far[a] < 0:
                far[a] = far[node] + 1
                todo.append(a)
    return [starts, ends], [Array("i", far)]


def least_of_components(n, pairs):
    label = list(range(n))

    def root(a):
        while label[a] != a:
            label[a] = label[label[a]]
            a = label[a]
        return a
    for a, b in pairs:
        a, b = root(a), root(b)
        label[max(a, b)] = min(a, b)
    return [root(a) for a in range(n)]


@algorithm(most=300)
def components(rng, n):
    pairs = edges(rng, n, n // 2 + n // 4)
    return [str(n), Array("i", [a for a, _ in pairs]), Array("i", [b for _, b in pairs])], \
        [Array("i", least_of_components(n, pairs))]


@algorithm(most=200)
def bellman(rng, n):
    pairs = edges(rng, n, 3 * n)
    cost = [rng.randrange(1, 1000) for _ in pairs]
    far = [0] + [10 ** 9] * (n - 1) if n else []
    for _ in range(n):
        for (a, b), c in zip(pairs, cost):
            if far[a] < 10 ** 9:
                far[b] = min(far[b], far[a] + c)
    return [str(n), Array("i", [a for a, _ in pairs]), Array("i", [b for _, b in pairs]), Array("i", cost)], [Array("i", far)]


@algorithm(most=20000)
def pagerank(rng, n):
    pairs = edges(rng, n, 4 * n)
    rows, starts, sources = rows_of(n, [(b, a) for a, b in pairs])
    degrees = [0] * n
    for a, _ in pairs:
        degrees[a] += 1
    rank = [1.0] * n
    for _ in range(10):
        share = [r / max(1, d) for r, d in zip(rank, degrees)]
        rank = [0.15 + 0.85 * sum(share[a] for a in row) for row in rows]
    return [starts, sources, Array("i", degrees)], [Array("d", rank, tolerance=(1e-10, 1e-10))]


@algorithm(most=32)
def closure(rng, n):
    rows = [sum(1 << j for j in range(n) if rng.random() < 0.1) for _ in range(n)]
    args = [Array("I", rows)]
    for _ in range(5):
        rows = [row | sum_or(rows[j] for j in range(n) if row >> j & 1) for row in rows]
    return args, [Array("I", rows)]


def sum_or(values):
    out = 0
    for v in values:
        out |= v
    return out


@algorithm(most=120)
def triangles(rng, n):
    linked = {(i, j) for i in range(n) for j in range(i) if rng.random() < 0.2}
    linked |= {(j, i) for i, j in linked}
    width = (n + 31) // 32
    words = [sum(1 << b for b in range(32) if (i, 32 * w + b) in linked) for i in range(n) for w in range(width)]
    count = sum((i, j) in linked and (j, k) in linked and (i, k) in linked for i in range(n) for j in range(i) for k in range(j))
    return [Array("I", words, (n, width))], [Array("i", [count])]


@algorithm()
def degrees(rng, n):
    pairs = edges(rng, n, 2 * n)
    into, out = [0] * n, [0] * n
    for a, b in pairs:
        out[a] += 1
        into[b] += 1
    return [str(n), Array("i", [a for a, _ in pairs]), Array("i", [b for _, b in pairs])], [Array("i", into), Array("i", out)]


@algorithm()
def depths(rng, n):
    parents = [rng.randrange(i + 1) if rng.random() < 0.9 else i for i in range(n)]
    depth = []
    for i, p in enumerate(parents):
        depth.append(0 if p == i else depth[p] + 1)
    return [Array("i", parents)], [Array("i", depth)]


@algorithm()
def listrank(rng, n):
    order = list(range(n))
    rng.shuffle(order)
    follow, place = [0] * n, [0] * n
    for k, i in enumerate(order):
        follow[i], place[i] = order[k + 1] if k + 1 < n else i, n - 1 - k
    return [Array("i", follow)], [Array("i", place)]


@algorithm()
def coloring(rng, n):
    n = n if n > 3 else 0
    colours = list(range(n))
    for _ in range(5):
        def new(a, b):
            k = ((a ^ b) & -(a ^ b)).bit_length() - 1
            return 2 * k + (a >> k & 1)
        colours = [new(c, colours[(i + 1) % n]) for i, c in enumerate(colours)]
    for most in (5, 4, 3):
        old = list(colours)
        for i, c in enumerate(old):
            if c == most:
                colours[i] = min({0, 1, 2} - {old[i - 1], old[(i + 1) % n]})
    return [str(n)], [Array("i", colours)]


@algorithm(most=5000)
def boruvka(rng, n):
    pairs, parent, total = edges(rng, n, 2 * n), list(range(n)), 0
    weights = rng.sample(range(10 * len(pairs) + 1), len(pairs))

    def root(a):
        while parent[a] != a:
            parent[a] = a = parent[parent[a]]
        return a

    for w, (a, b) in sorted(zip(weights, pairs)):
        a, b = root(a), root(b)
        total += w if a != b else 0
        parent[a] = b
    ends = [Array("i", [e[k] for e in pairs]) for k in (0, 1)]
    return [str(n)] + ends + [Array("i", weights)], [Array("i", [total])]
