#!/usr/bin/python3
"""generate.py FAMILY N: a program of N equal parts in FCL, for what it costs beside its size."""
import sys


def main_of(lines, last, params="x0", types="[int]"):
    bindings = "\n      ".join(lines)
    return (f"sig main : {types} -> [int]<grid>\nfun main {params} =\n  let {bindings}\n"
            f"  in push <grid> {last}\n")


def chains(n):
    """Each array is used twice: z = c + z * z."""
    return main_of([f"x{i + 1} = zipWith (fn a b => a + b) c (zipWith (fn a b => a * b) x{i} x{i})"
                    for i in range(n)], f"x{n}", "c x0", "[int] -> [int]")


def diamonds(n):
    """Each array is used by the next two."""
    return main_of(["x1 = map (fn a => a * 3) x0"] +
                   [f"x{i + 2} = zipWith (fn a b => a + b) x{i + 1} x{i}" for i in range(n - 1)],
                   f"x{n}")


def ifs(n):
    """Arrays, each of which is one of two made from the one before."""
    return main_of([f"x{i + 1} = if c > {i} then map (fn a => a + {i}) x{i} "
                    f"else map (fn a => a * 3) x{i}" for i in range(n)], f"x{n}", "c x0",
                   "int -> [int]")


def choices(n):
    """Scalars, likewise."""
    lets = "\n      ".join(f"x{i + 1} = if x{i} > {i} then x{i} + {i} else x{i} * 3"
                           for i in range(n))
    return (f"sig f : int -> int\nfun f x0 =\n  let {lets}\n  in x{n}\n"
            "sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => f x) xs)\n")


def nests(n):
    """Ifs over arrays in one another."""
    return ("sig main : int -> [int] -> [int]<grid>\nfun main c x = push <grid> (" +
            "".join(f"if c > {i} then map (fn a => a + {i}) (" for i in range(n)) + "x" +
            ") else x" * n + ")\n")


def stencils(n):
    """Asks for three elements of the array before, at indices that do not fold: refused early."""
    return ("sig s : [int] -> [int]\nfun s x = generate (length x) (fn i => index x (max 0 (i - 1)) + "
            "index x i + index x (min (length x - 1) (i + 1)))\n" +
            main_of([f"x{i + 1} = s x{i}" for i in range(n)], f"x{n}"))


def powers(n):
    """f (f x): twice as much with each function, refused early."""
    return ("fun f0 x = x + 1\n" +
            "".join(f"sig f{i + 1} : int -> int\nfun f{i + 1} x = f{i} (f{i} x)\n" for i in range(n)) +
            f"sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => f{n} x) xs)\n")


def kernels(n):
    """Arrays in memory, each written by a launch."""
    return main_of([f"x{i + 1} = force (push <grid> (map (fn a => a + {i}) x{i}))"
                    for i in range(n)], f"x{n}")


def literals(n):
    """A long list."""
    return ("sig main : [int] -> [int]<grid>\nfun main x = push <grid> (append [" +
            ", ".join(str(i * 7919 % 10007) for i in range(n)) + "] x)\n")


def doubling(n):
    """Functions that call the one before twice, for the same argument."""
    return ("fun f0 x = x + 1\n" +
            "".join(f"sig f{i + 1} : int -> int\nfun f{i + 1} x = f{i} x + f{i} x\n"
                    for i in range(n)) +
            f"sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => f{n} x) xs)\n")


def branches(n):
    """Functions that call the one before in both branches of an if."""
    return ("fun f0 x = x + 1\n" +
            "".join(f"sig f{i + 1} : int -> int\n"
                    f"fun f{i + 1} x = if x > {i} then f{i} x * 2 else f{i} x + 1\n"
                    for i in range(n)) +
            f"sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => f{n} x) xs)\n")


def functions(n):
    """Functions that are called once."""
    lets = "\n      ".join(f"x{i + 1} = f{i} x{i}" for i in range(n))
    return ("".join(f"sig f{i} : int -> int\nfun f{i} x = x * {2 * i + 1} + {i % 17}\n"
                    for i in range(n)) +
            f"sig g : int -> int\nfun g x0 =\n  let {lets}\n  in x{n}\n"
            "sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => g x) xs)\n")


# Sizes: three for counting instructions, which grow evenly between them, and the largest.  Nests end
# where the language does (200 regions, 400 in an expression), calls at 2000 (limit call-depth).
# Small kernels have four elements computed by each thread, so that these families begin at 400.
FAMILIES = {
    chains: (100, 200, 400, 10000),
    diamonds: (400, 700, 1000, 10000),
    ifs: (100, 200, 400, 10000),
    choices: (100, 200, 400, 10000),
    nests: (40, 80, 160, 180),
    kernels: (50, 100, 200, 10000),
    literals: (1000, 2000, 4000, 10000),
    doubling: (400, 700, 1000, 1900),
    branches: (100, 200, 400, 900),
    functions: (100, 200, 400, 10000),
}


def wrapped(x):
    return (x + 2**31) % 2**32 - 2**31


def expected(family, n, x):
    """What an element x becomes, where c is 7."""
    if family == "chains":
        for _ in range(n):
            x = wrapped(7 + x * x)
    elif family == "diamonds":
        x, before = x * 3, x
        for _ in range(n - 1):
            x, before = x + before, x
    elif family == "ifs":
        for i in range(n):
            x = x + i if 7 > i else x * 3
    elif family == "branches":
        x, y = x + 1, x
        for i in range(n):
            x = x * 2 if y > i else x + 1
    elif family == "doubling":
        x = (x + 1) * 2**n
    return wrapped(x)


if __name__ == "__main__":
    sys.stdout.write(globals()[sys.argv[1]](int(sys.argv[2])))
