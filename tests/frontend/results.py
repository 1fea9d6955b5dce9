"""What the functions of docs/examples/frontend/stats.tally give, a line each: function, result, arguments."""

from math import fsum, nan


def mean(x):
    return fsum(x) / len(x) if x else nan


def totals(x):
    return [fsum(x[:i + 1]) for i in range(len(x))]


def triangle(n):
    return n * (n + 1) / 2


VECTORS = [[], [5.0], [1.0, 2.0, 3.0, 6.0], [float(i % 7 - 3) for i in range(700)]]
NUMBERS = [0.0, 1.0, 30.0]
FUNCTIONS = {  # of whole numbers, so that every order of a sum gives the same
    "mean": lambda x: [mean(x)],
    "above": lambda x: [float(sum(e > mean(x) for e in x))],
    "totals": totals,
    "means": lambda x: [t / (i + 1) for i, t in enumerate(totals(x))],
    "triangles": lambda x: [triangle(max(e, 0.0)) for e in x],
    "dot": lambda x, y: [fsum(a * b for a, b in zip(x, y))],
    "triangle": lambda n: [triangle(n)],
    "first": lambda n: [triangle(i + 1.0) for i in range(int(n))],
}


def literal(x):
    return "[" + ",".join(map(repr, x)) + "]" if isinstance(x, list) else repr(x)


def result(x):
    return "[" + ", ".join(map(repr, x)) + "]"


for name, function in FUNCTIONS.items():
    for x in NUMBERS if name in ("triangle", "first") else VECTORS:
        args = [x, x[::-1]] if name == "dot" else [[abs(e) for e in x]] if name == "triangles" else [x]
        print(name, result(function(*args)), " ".join(map(literal, args)), sep="\t")
