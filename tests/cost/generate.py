#!/usr/bin/python3
"""generate.py FAMILY N: a program of N equal parts in FCL, for what compiling costs beside its size.
Without arguments: the families, a line each: NAME, the sizes, FORMS (compile, run)."""
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


def loops(n):
    """Loops of a thread in one another."""
    head = "".join(f"fold (fn a{i} b{i} => a{i} + b{i} + {i}) 0 (generate 3 (fn i{i} => "
                   for i in range(n))
    return ("sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => " + head +
            "x" + "))" * n + ") xs)\n")


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


def functions(n):
    """Functions that are called once."""
    lets = "\n      ".join(f"x{i + 1} = f{i} x{i}" for i in range(n))
    return ("".join(f"sig f{i} : int -> int\nfun f{i} x = x * {2 * i + 1} + {i % 17}\n"
                    for i in range(n)) +
            f"sig g : int -> int\nfun g x0 =\n  let {lets}\n  in x{n}\n"
            "sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map (fn x => g x) xs)\n")


FAMILIES = {
    # family: sizes for counting instructions; for memory and code
    chains: "100 400 1600 10000",
    diamonds: "100 400 1600 10000",
    ifs: "100 400 1600 10000",
    choices: "100 400 1600 10000",
    nests: "10 40 90 180",
    kernels: "100 200 400 10000",
    literals: "100 1000 10000 10000",
    doubling: "100 400 1600 1900",
    functions: "100 400 1600 10000",
}

if __name__ == "__main__":
    if len(sys.argv) == 1:
        for family, sizes in FAMILIES.items():
            print(family.__name__, sizes)
    else:
        sys.stdout.write(globals()[sys.argv[1]](int(sys.argv[2])))
