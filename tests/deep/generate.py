#!/usr/bin/env python3
"""Writes programs that are as deep or as long as no person writes them, one at a time:

    generate.py                 the names of the cases, each with the command of fclc and the extension of its file
    generate.py CASE N          the program of that case with depth or length N
    generate.py --serve         reads lines `CASE N FILE`, writes such a program to the file, and answers `written`

Depth lies in brackets, regions, types, calls, chains of deferred arrays and chains of values.  What is refused must be refused with a
diagnostic; nothing may depend on the size of the stack."""

import sys

HEAD = "fcl 0.1\n"
CASES = {}


def case(command, extension):
    def add(f):
        CASES[f.__name__] = (command, extension, f)
        return f
    return add


def kernel(body, result, params="%xs: [int]", type_="[int]<grid>", before=""):
    return f"{HEAD}{before}kernel @main({params}) -> {type_} {{\n{body}  return {result}\n}}\n"


def pushed(body, value="%v", before="", type_="int"):
    """A kernel that computes an element of type_ from %x by the statements."""
    return kernel(f"  %ys = map %xs {{ (%x: {type_})\n{body}    yield {value}\n  }}\n  %p = push<grid> %ys\n", "%p",
                  f"%xs: [{type_}]", f"[{type_}]<grid>", before)


# ---- brackets of the text form ----

for bracket, where in (("(", "type"), ("[", "type"), ("<l> -> ", "type"), ("forall 'a. ", "type"), ("int -> ", "type")):
    def nest(n, bracket=bracket):
        return f"{HEAD}fun @f(%x: " + bracket * n
    nest.__name__ = "type_" + {"(": "tuples", "[": "arrays", "<l> -> ": "levels", "forall 'a. ": "schemes",
                               "int -> ": "functions"}[bracket]
    case("check", "fclir")(nest)


@case("check", "fclir")
def regions_open(n):
    return f"{HEAD}fun @f(%x: bool) -> int {{\n" + "%a = if %x { " * n


@case("check", "fclir")
def regions_closed(n):
    opened = "".join(f"%v{i} = if %x {{ " for i in range(n))
    closed = "".join(f"}} {{ yield 1 }} yield %v{i} " for i in reversed(range(1, n)))
    return f"{HEAD}fun @f(%x: bool) -> int {{\n{opened}yield 2 {closed}}} {{ yield 3 }}\n return %v0 }}\n"


@case("check", "fclir")
def generates(n):
    opened = "".join(f"%v{i} = generate 3 {{ (%i{i}: int) " for i in range(n))
    closed = "".join(f"yield %v{i + 1} }} " for i in reversed(range(n - 1)))
    return f"{HEAD}fun @f(%x: bool) {{\n{opened}yield 2 }} {closed} return %v0 }}\n"


@case("check", "fclir")
def braces(n):
    return HEAD + "{" * n


@case("check", "fclir")
def levels(n):
    return f"{HEAD}fun @f(%x: [int]<" + "1+" * n + "thread>) -> int {{\n return 1 }}\n"


# ---- calls ----

def calls_to_earlier(n):
    f = ["fun @f0(%x: int) -> int {\n  return %x\n}\n"]
    f += [f"fun @f{i}(%x: int) -> int {{\n  %y = call @f{i - 1}(%x)\n  return %y\n}}\n" for i in range(1, n)]
    return f


@case("check", "fclir")
def calls_earlier(n):
    return HEAD + "".join(calls_to_earlier(n))


@case("check", "fclir")
def calls_later(n):
    return HEAD + "".join(reversed(calls_to_earlier(n)))


@case("compile", "fclir")
def calls_compiled(n):
    return pushed(f"    %v = call @f{n - 1}(%x)\n", before="".join(calls_to_earlier(n)))


@case("run", "fclir")
def calls_run(n):
    return calls_compiled(n)


@case("check", "fclir")
def calls_circle(n):
    return HEAD + "".join(f"fun @f{i}(%x: int) -> int {{\n  %y = call @f{(i + 1) % n}(%x)\n  return %y\n}}\n" for i in range(n))


@case("compile", "fclir")
def calls_in_ifs(n):
    """Every function has its branch around the call: nested code from flat text."""
    f = ["fun @f0(%x: int, %n: int) -> int {\n  return %x\n}\n"]
    f += [f"fun @f{i}(%x: int, %n: int) -> int {{\n  %c = lt %x, {i}\n  %y = if %c {{\n"
          f"    %z = call @f{i - 1}(%x, %n)\n    %q = quot %z, %n\n    yield %q\n  }} {{ yield {i} }}\n  return %y\n}}\n"
          for i in range(1, n)]
    return pushed(f"    %v = call @f{n - 1}(%x, %x)\n", before="".join(f))


@case("compile", "fclir")
def calls_in_loops(n):
    f = ["fun @f0(%x: int) -> int {\n  return %x\n}\n"]
    f += [f"fun @f{i}(%x: int) -> int {{\n  %a = seqfor %x, %x {{ (%ys: [int], %i: int)\n    %z = call @f{i - 1}(%i)\n"
          f"    %t = tuple %i, %z\n    yield %t\n  }}\n  %b = force %a\n  %y = index %b, 0\n  return %y\n}}\n" for i in range(1, n)]
    return pushed(f"    %v = call @f{n - 1}(%x)\n", before="".join(f))


# ---- deferred arrays ----

def maps(n):
    body = "".join(f"  %a{i} = map %a{i - 1} {{ (%x{i}: int)\n    %y{i} = mul %x{i}, %x{i}\n    yield %y{i}\n  }}\n"
                   for i in range(1, n))
    return kernel(f"{body}  %p = push<grid> %a{n - 1}\n", "%p", "%a0: [int]")


@case("compile", "fclir")
def maps_compiled(n):
    return maps(n)


@case("run", "fclir")
def maps_run(n):
    return maps(n)


def push_maps(n):
    body = "".join(f"  %a{i} = map %a{i - 1} {{ (%x{i}: int)\n    %y{i} = mul %x{i}, %x{i}\n    yield %y{i}\n  }}\n"
                   for i in range(1, n))
    return kernel(f"  %a0 = push<grid> %xs\n{body}", f"%a{n - 1}")


@case("compile", "fclir")
def push_maps_compiled(n):
    return push_maps(n)


@case("run", "fclir")
def push_maps_run(n):
    return push_maps(n)


@case("compile", "fclir")
def array_ifs(n):
    body = "".join(f"  %a{i} = if %c {{ yield %a{i - 1} }} {{\n    %b{i} = generate 3 {{ (%i{i}: int) yield {i} }}\n"
                   f"    yield %b{i}\n  }}\n" for i in range(1, n))
    return kernel(f"{body}  %p = push<grid> %a{n - 1}\n", "%p", "%a0: [int], %c: bool")


@case("compile", "fclir")
def compositions(n):
    body = "".join(f"  %f{i} = fn {{ (%x{i}: int)\n    %y{i} = apply %f{i - 1}, %x{i}\n    yield %y{i}\n  }}\n"
                   for i in range(1, n))
    return kernel(f"  %f0 = fn {{ (%x0: int) yield %x0 }}\n{body}  %ys = map %xs {{ (%x)\n    %y = apply %f{n - 1}, %x\n"
                  "    yield %y\n  }\n  %p = push<grid> %ys\n", "%p")


def forces(n):
    body = "".join(f"  %a{i} = force %p{i - 1}\n  %p{i} = push<grid> %a{i}\n" for i in range(1, n))
    return kernel(f"  %p0 = push<grid> %xs\n{body}", f"%p{n - 1}")


@case("compile", "fclir")
def forces_compiled(n):
    return forces(n)


@case("run", "fclir")
def forces_run(n):
    return forces(n)


@case("check", "fclir")
def partial_functions(n):
    body = "".join(f"  %f{i} = fn {{ (%x{i}: int) yield %f{i - 1} }}\n" for i in range(1, n))
    return f"{HEAD}fun @f(%f0: int) {{\n{body}  return 1\n}}\n"


@case("check", "fclir")
def tuples(n):
    body = "".join(f"  %t{i} = tuple %t{i - 1}, %t{i - 1}\n" for i in range(1, n))
    return f"{HEAD}fun @f(%t0: int) {{\n{body}  return 1\n}}\n"


# ---- chains of values ----

def chain(name, type_, operands):
    def f(n):
        body = "".join("    %v" + (str(i) if i < n else "") + f" = {operands(f'%v{i - 1}', i)}\n" for i in range(1, n + 1))
        return pushed(body.replace("%v0", "%x"), type_=type_)
    f.__name__ = "values_" + name
    case("compile", "fclir")(f)


for op in ("add", "sub", "mul", "div", "mod", "quot", "rem", "min", "max", "and", "or", "xor", "shl", "shr", "pow", "mulhi"):
    chain(op, "int", lambda v, i, op=op: f"{op} {v}, " + ("%x", str(i % 30 + 2), v, "%x")[i * 4 // 5000 % 4])
for op in ("neg", "abs", "not", "sign", "popcount"):
    chain(op, "int", lambda v, i, op=op: f"{op} {v}")
for op in ("sin", "sqrt", "neg"):
    chain("f64_" + op, "double", lambda v, i, op=op: f"{op} {v}")
for op in ("add", "fdiv", "max"):
    chain("f64_" + op, "double", lambda v, i, op=op: f"{op} {v}, %x")
chain("linear", "int", lambda v, i: (f"add {v}, %x", f"mul {v}, 3", f"quot {v}, 7", f"rem {v}, 100")[i % 4])
chain("bits", "int", lambda v, i: (f"and {v}, 255", f"shl {v}, 1", f"xor {v}, %x", f"shr {v}, 1")[i % 4])
chain("if", "int", lambda v, i: f"if true {{ yield {v} }} {{ yield {i} }}")
chain("convert", "int", lambda v, i: f"bitcast<int> {v}")


@case("compile", "fclir")
def values_select(n):
    body = "".join(f"    %c{i} = lt %v{i - 1}, {i}\n    %v{i} = select %c{i}, %x, %v{i - 1}\n" for i in range(1, n))
    return pushed(body.replace("%v0", "%x"), f"%v{n - 1}")


@case("compile", "fclir")
def values_if(n):
    body = "".join(f"    %c{i} = lt %v{i - 1}, {i}\n    %v{i} = if %c{i} {{ yield %x }} {{\n      %q{i} = div %v{i - 1}, %x\n"
                   f"      yield %q{i}\n    }}\n" for i in range(1, n))
    return pushed(body.replace("%v0", "%x"), f"%v{n - 1}")


@case("compile", "fclir")
def values_index(n):
    body = "".join(f"    %v{i} = index %xs, %v{i - 1}\n" for i in range(1, n))
    return pushed(body.replace("%v0", "%x"), f"%v{n - 1}")


@case("run", "fclir")
def values_run(n):
    body = "".join(f"    %v{i} = add %v{i - 1}, %x\n" for i in range(1, n))
    return pushed(body.replace("%v0", "%x"), f"%v{n - 1}")


@case("compile", "fclir")
def host_sizes(n):
    body = "".join(f"  %n{i} = min %n{i - 1}, {n + i}\n" for i in range(1, n))
    return kernel(f"{body}  %ys = generate %n{n - 1} {{ (%i: int) yield %i }}\n  %p = push<grid> %ys\n  %q = force %p\n"
                  "  %r = push<grid> %q\n", "%r", "%n0: int")


# ---- the surface language ----

def surface(name, write):
    write.__name__ = "fcl_" + name
    case("check", "fcl")(write)


surface("parens", lambda n: "sig f : int -> int\nfun f x = " + "(" * n)
surface("parens_closed", lambda n: "sig f : int -> int\nfun f x = " + "(" * n + "x" + ")" * n + "\n")
surface("brackets", lambda n: "sig f : int -> int\nfun f x = " + "[" * n)
surface("minuses", lambda n: "sig f : int -> int\nfun f x = " + "- " * n + "x\n")
surface("sums", lambda n: "sig f : int -> int\nfun f x = x" + " + x" * n + "\n")
surface("powers", lambda n: "sig f : int -> int\nfun f x = x" + " ** x" * n + "\n")
surface("pipes", lambda n: "sig f : int -> int\nfun f x = x" + " |> g" * n + "\n")
surface("applications", lambda n: "sig f : int -> int\nfun f x = g" + " x" * n + "\n")
surface("ifs", lambda n: "sig f : int -> int\nfun f x = " + "if x > 1 then " * n)
surface("else_ifs", lambda n: "sig f : int -> int\nfun f x = " + "if x > 1 then 1 else " * n + "2\n")
surface("functions", lambda n: "sig f : int -> int\nfun f x = " + "fn y => " * n + "x\n")
surface("lets", lambda n: "sig f : int -> int\nfun f x = " + "let y = x in " * n + "x\n")
surface("dos", lambda n: "sig f : int -> int\nfun f x = " + "do { " * n)
surface("comments", lambda n: "(*" * n)
surface("comments_closed", lambda n: "(*" * n + "*)" * n + "\nfun f x = x\n")
surface("types", lambda n: "sig f : " + "[" * n)
surface("arrows", lambda n: "sig f : " + "int -> " * n + "int\nfun f x = x\n")
surface("type_tuples", lambda n: "sig f : " + "(int, " * n)
surface("level_functions", lambda n: "sig f : " + "<l> -> " * n)
surface("patterns", lambda n: "fun f " + "(x, " * n)
surface("composition", lambda n: "sig f : int -> int\nfun f x = " + "g . " * n + "g\n")
surface("declarations", lambda n: "sig f0 : int -> int\nfun f0 x = x\n" + "".join(f"fun f{i} x = f{i - 1} x\n" for i in range(1, n)))
surface("declarations_later", lambda n: "".join(f"fun f{i} x = f{i - 1} x\n" for i in reversed(range(1, n))) + "sig f0 : int -> int\nfun f0 x = x\n")
surface("levels", lambda n: "sig f : [int]<" + "1+" * n + "thread>\nval f = f\n")
surface("parameters", lambda n: "fun f " + " ".join(f"x{i}" for i in range(n)) + " = x0\nfun g x = f" + " x" * n + "\n")
surface("returned", lambda n: "fun f0 x = x\n" + "".join(f"fun f{i} x = f{i - 1}\n" for i in range(1, n)))
surface("literals", lambda n: "val xs = [" + "1, " * n + "1]\nfun f x = index xs x\n")
surface("classes", lambda n: "fun f0 x = x + 1\n" + "".join(f"fun f{i} x = f{i - 1} (x * {i % 9})\n" for i in range(1, n)))
surface("pairs", lambda n: "fun f0 x = (x, x)\n" + "".join(f"fun f{i} x = f{i - 1} (f{i - 1} x)\n" for i in range(1, n)))


def main():
    if len(sys.argv) == 1:
        for name, (command, extension, _) in CASES.items():
            print(name, command, extension)
    elif sys.argv[1] == "--serve":
        for line in sys.stdin:
            name, n, path = line.split()
            with open(path, "w") as f:
                f.write(CASES[name][2](int(n)))
            print("written", flush=True)
    else:
        sys.stdout.write(CASES[sys.argv[1]][2](int(sys.argv[2])))


main()
