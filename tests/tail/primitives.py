#!/usr/bin/python3
"""What TAIL's primitives give, from the description of the language: primitives.py FOLDER writes a program for each of them,
over bases, ranks and shapes, with beside it what it prints.  Shares nothing with the library."""
import itertools
import math
import os
import sys

BASES = {"int": [3, -1, 7, 0, 2, -5, 11, 4, 9, -8, 6, 1], "double": [1.5, -0.25, 3.0, 0.0, 2.75, -4.5, 1e10, 0.125, 9.0, 6.5],
         "bool": [True, False, False, True, True, False, True], "char": [ord(c) for c in "hello, world"],
         "complex": [(1.5, -2.0), (0.0, 1.0), (3.25, 0.5), (-1.0, -1.0), (2.0, 8.0)]}
FILL = {"int": 0, "double": 0.0, "bool": False, "char": 32}
LETTER = {"int": "I", "double": "D", "bool": "B", "char": "C", "complex": "X"}
SHAPES = [[], [5], [1], [2, 3], [3, 1], [2, 3, 2], [1, 4, 3], [2, 2, 1, 3], [0, 3], [2, 0], [0]]


class Array:
    def __init__(self, base, shape, data):
        self.base, self.shape, self.data = base, list(shape), list(data)
        assert len(self.data) == math.prod(self.shape)

    def rank(self):
        return len(self.shape)

    def at(self, index):
        flat = 0
        for i, n in zip(index, self.shape):
            flat = flat * n + i
        return self.data[flat]


def make(base, shape, element):
    return Array(base, shape, [element(i) for i in itertools.product(*map(range, shape))])


def sample(base, shape, shift=0):
    values = BASES[base]
    return Array(base, shape, [values[(i + shift) % len(values)] for i in range(math.prod(shape))])


def wrapped(x):
    return (x + 2 ** 31) % 2 ** 32 - 2 ** 31


# ---- how TAIL writes things, and how its compiler shows them ----

def literal(base, x):
    if base == "int":
        return str(x)
    if base == "bool":
        return "tt" if x else "ff"
    if base == "char":
        return "'%c'" % x
    if base == "complex":
        return literal("double", x[0]) + "j" + literal("double", x[1])
    text = repr(x).replace("e+", "e")
    return text if set(".en") & set(text) else text + ".0"


def vector(base, data):
    return "[%s]" % ",".join(literal(base, x) for x in data)


def written(a):
    if not a.rank():
        return literal(a.base, a.data[0])
    flat = vector(a.base, a.data or BASES[a.base][:1])
    return flat if a.rank() == 1 and a.data else "reshape(%s,%s)" % (vector("int", a.shape), flat)


def shown_double(x):
    if math.isnan(x) or math.isinf(x):
        return "nan.0" if x != x else "HUGE_VAL" if x > 0 else "-HUGE_VAL"
    sign = "-" if x < 0 else ""
    mantissa, power = ("%.11e" % abs(x)).split("e")
    digits, power = mantissa.replace(".", "").rstrip("0") or "0", int(power)
    number = str(power).replace("-", "~")
    scientific = digits[0] + ("." + digits[1:] if digits[1:] else "") + "E" + number
    if power < 0:
        fixed = "0." + "0" * (-power - 1) + digits
    else:
        whole, rest = digits[:power + 1].ljust(power + 1, "0"), digits[power + 1:]
        fixed = whole + ("." + rest if rest else "")
    text = fixed if len(fixed) <= len(scientific) else scientific
    return sign + text + ("" if "." in text else ".0")


def cell(base, x):
    if base == "complex":
        return shown_double(x[0]) + "j" + shown_double(x[1])
    return {"int": lambda: str(x), "bool": lambda: str(int(x)), "double": lambda: shown_double(x),
            "char": lambda: chr(x)}[base]()


def shown(a):
    cells = [cell(a.base, x) for x in a.data]
    if a.rank() == 1 and a.base == "char":
        return "".join(cells) + "\n"
    if a.rank() == 2 and cells:
        width, between = (0, "") if a.base == "char" else (max(map(len, cells)), " ")
        columns = a.shape[1]
        rows = [cells[i:i + columns] for i in range(0, len(cells), columns)]
        return "\n" + "".join(" " + between.join(c.rjust(width) for c in row) + "\n" for row in rows) + "\n"
    between = "" if a.base == "char" else ","
    return "[%s](%s)\n" % (",".join(map(str, a.shape)), between.join(cells))


# ---- arrays ----

def swapped(a):
    return make(a.base, a.shape[::-1], lambda i: a.at(i[::-1]))


def reshaped(shape, a):
    source = a.data or [FILL[a.base]]
    return Array(a.base, shape, [source[i % len(source)] for i in range(math.prod(shape))])


def taken(n, a):
    inside = a.shape[0]
    start = 0 if n >= 0 else inside + n
    return make(a.base, [abs(n)] + a.shape[1:],
                lambda i: a.at((i[0] + start,) + i[1:]) if 0 <= i[0] + start < inside else FILL[a.base])


def dropped(n, a):
    left = max(0, a.shape[0] - abs(n))
    return make(a.base, [left] + a.shape[1:], lambda i: a.at((i[0] + max(n, 0),) + i[1:]))


def joined(a, b):
    n = a.shape[-1]
    return make(a.base, a.shape[:-1] + [n + b.shape[-1]],
                lambda i: a.at(i) if i[-1] < n else b.at(i[:-1] + (i[-1] - n,)))


def widened(a):
    return Array(a.base, a.shape + [1], a.data)


def turned(n, a):
    return make(a.base, a.shape, lambda i: a.at(((i[0] + n) % a.shape[0],) + i[1:]))


def turned_last(n, a):
    return make(a.base, a.shape, lambda i: a.at(i[:-1] + ((i[-1] + n) % a.shape[-1],)))


def folded(f, a, all_of_them):
    """In the interpreter's order: acc = f(x, acc)."""
    def row(i, last):
        acc = a.at(i + (0,))
        for j in range(1, last):
            acc = f(a.at(i + (j,)), acc)
        return acc
    if all_of_them:
        return make(a.base, a.shape, lambda i: row(i[:-1], i[-1] + 1))
    return make(a.base, a.shape[:-1], lambda i: row(i, a.shape[-1]))


def order(a, down):
    """Of equal ones the first comes first, both ways."""
    return sorted(range(len(a.data)), key=lambda i: a.data[i], reverse=down)


# ---- cases: text and value ----

def shape_cases(base):
    for shape in SHAPES:
        a = sample(base, shape)
        text = written(a)
        yield "shape", "shape(%s)" % text, Array("int", [len(shape)], shape)
        yield "rav", "rav(%s)" % text, Array(base, [len(a.data)], a.data)
        if a.data or base != "complex":
            yield "first", "first(%s)" % text, Array(base, [], a.data[:1] or [FILL[base]])
        yield "transp", "transp(%s)" % text, swapped(a)
        yield "vreverse", "vreverse(%s)" % text, make(
            base, shape, lambda i: a.at((shape[0] - 1 - i[0],) + i[1:])) if shape else a
        yield "mem", "mem(%s)" % text, a
        for target in ([4], [2, 2], [3, 0], [2, 1, 3], []):
            if a.data or base != "complex":
                yield "reshape", "reshape(%s,%s)" % (vector("int", target) if target else "zilde{[int],[1]}()", text), \
                    reshaped(target, a)


def axis_cases(base):
    for shape in SHAPES[1:]:
        a = sample(base, shape)
        text = written(a)
        for n in (0, 1, -1, 2, -2, 7, -7, 2 ** 31 - 1, 1 - 2 ** 31):
            if (base != "complex" or abs(n) <= shape[0]) and abs(n) < 100:
                yield "take", "take(%d,%s)" % (n, text), taken(n, a)
            yield "drop", "drop(%d,%s)" % (n, text), dropped(n, a)
            if a.data:
                yield "vrotate", "vrotate(%d,%s)" % (n, text), turned(n, a)
                yield "rotate", "rotate(%d,%s)" % (n, text), turned_last(n, a)
        for extent in (0, 1, 3):
            b = sample(base, shape[:-1] + [extent], 2)
            yield "cat", "cat(%s,%s)" % (text, written(b)), joined(a, b)
        one = sample(base, shape[:-1], 3)
        yield "cons", "cons(%s,%s)" % (written(one), text), joined(widened(one), a)
        yield "snoc", "snoc(%s,%s)" % (text, written(one)), joined(a, widened(one))
        for axis, extent in enumerate(shape):
            for k in range(extent):
                yield "idxS", "idxS(%d,%d,%s)" % (axis + 1, k + 1, text), make(
                    base, shape[:axis] + shape[axis + 1:], lambda i: a.at(i[:axis] + (k,) + i[axis:]))
        for place in itertools.permutations(range(len(shape))):
            yield "transp2", "transp2(%s,%s)" % (vector("int", [p + 1 for p in place]), text), make(
                base, [shape[place.index(k)] for k in range(len(shape))], lambda i: a.at(tuple(i[p] for p in place)))


def choice_cases(base):
    for n in (0, 1, 2, 5, 9):
        a = sample(base, [n])
        text, flags = written(a), sample("bool", [n], 1)
        kept = [x for x, f in zip(a.data, flags.data) if f]
        yield "compress", "compress(%s,%s)" % (written(flags), text), Array(base, [len(kept)], kept)
        counts = [(i * 3) % 5 - 1 for i in range(n)]
        fill = BASES[base][1]
        many = [y for x, c in zip(a.data, counts) for y in ([fill] * -c if c < 0 else [x] * c)]
        yield "replicate", "replicate(%s,%s,%s)" % (literal(base, fill), written(Array("int", [n], counts)), text), \
            Array(base, [len(many)], many)
        if base == "complex":
            continue
        for name, down in (("gradeUp", False), ("gradeDown", True)):
            yield name, "%s(%s)" % (name, text), Array("int", [n], [i + 1 for i in order(a, down)])


def folds():
    """Functions, their text, the neutral element: known ones and others."""
    yield "int", "addi", lambda x, y: wrapped(x + y), 0
    yield "int", "fn v1:[int]0 => fn v2:[int]0 => maxi(v2,v1)", max, -2 ** 31
    yield "int", "subi", lambda x, y: wrapped(x - y), 0
    yield "int", "fn v1:[int]0 => fn v2:[int]0 => subi(muli(2,v1),v2)", lambda x, y: wrapped(2 * x - y), 0
    yield "int", "resi", lambda x, y: y if x == 0 else y % x, 0
    yield "double", "addd", lambda x, y: x + y, 0.0
    yield "double", "subd", lambda x, y: x - y, 0.0
    yield "double", "fn v1:[double]0 => fn v2:[double]0 => divd(v2,addd(v1,0.75))", lambda x, y: y / (x + 0.75), 1.0
    yield "bool", "orb", lambda x, y: x or y, False
    yield "bool", "nandb", lambda x, y: not (x and y), True
    yield "char", "fn v1:[char]0 => fn v2:[char]0 => v1", lambda x, y: x, 32
    yield "complex", "subx", lambda x, y: (x[0] - y[0], x[1] - y[1]), (0.0, 0.0)


def fold_cases(base):
    for of, text, f, neutral in folds():
        for shape in SHAPES if of == base else []:
            if shape and shape[-1] == 0 and len(shape) > 1:
                continue
            a = sample(base, shape)
            operands = "(%s,%s,%s)" % (text, literal(base, neutral), written(a))
            if not shape:
                yield "reduce", "reduce" + operands, a
            elif shape == [0]:
                yield "reduce", "reduce" + operands, Array(base, [], [neutral])
            else:
                yield "reduce", "reduce" + operands, folded(f, a, False)
            yield "scan", "scan" + operands, folded(f, a, True) if shape else a


UNARY = {"int": [("negi", "int", lambda x: wrapped(-x)), ("signi", "int", lambda x: 1 if x >= 0 else -1),
                 ("i2d", "double", float), ("absi", "int", lambda x: wrapped(abs(x))), ("noti", "int", lambda x: ~x)],
         "double": [("negd", "double", lambda x: -x), ("floor", "int", lambda x: max(-2 ** 31, min(2 ** 31 - 1, math.floor(x)))),
                    ("ceil", "int", lambda x: max(-2 ** 31, min(2 ** 31 - 1, math.ceil(x)))), ("absd", "double", abs),
                    ("signd", "int", lambda x: 1 if x >= 0 else -1), ("d2x", "complex", lambda x: (x, 0.0)),
                    ("sin", "double", math.sin), ("cos", "double", math.cos), ("tan", "double", math.tan),
                    ("atan", "double", math.atan), ("tanh", "double", math.tanh)],
         "bool": [("notb", "bool", lambda x: not x), ("b2i", "int", int)], "char": [],
         "complex": [("rex", "double", lambda x: x[0]), ("imx", "double", lambda x: x[1]),
                     ("negx", "complex", lambda x: (-x[0], -x[1])), ("conjx", "complex", lambda x: (x[0], -x[1])),
                     ("magnx", "double", lambda x: math.hypot(*x))]}
COMPARISONS = [("lt", lambda x, y: x < y), ("lte", lambda x, y: x <= y), ("gt", lambda x, y: x > y),
               ("gte", lambda x, y: x >= y), ("eq", lambda x, y: x == y)]


def shifted(x, by, signed):
    if not 0 <= by < 32:
        return (-1 if x < 0 else 0) if signed else 0
    return x >> by if signed else wrapped((x % 2 ** 32) >> by)


def binary(base):
    if base in ("int", "double", "char"):
        for name, f in COMPARISONS:
            yield name + base[0], "bool", f
    if base == "int":
        for name, f in [("addi", lambda x, y: x + y), ("subi", lambda x, y: x - y), ("muli", lambda x, y: x * y),
                        ("maxi", max), ("mini", min), ("andi", lambda x, y: x & y), ("ori", lambda x, y: x | y),
                        ("xori", lambda x, y: x ^ y), ("resi", lambda x, y: y if x == 0 else y % x),
                        ("divi", lambda x, y: x // y if y else 0), ("mod", lambda x, y: x % y if y else x),
                        ("shli", lambda x, y: x << y if 0 <= y < 32 else 0),
                        ("shri", lambda x, y: shifted(x, y, False)), ("shari", lambda x, y: shifted(x, y, True))]:
            yield name, "int", lambda x, y, f=f: wrapped(f(x, y))
    if base == "double":
        yield from [("addd", "double", lambda x, y: x + y), ("subd", "double", lambda x, y: x - y),
                    ("muld", "double", lambda x, y: x * y), ("maxd", "double", lambda x, y: x if x > y else y),
                    ("mind", "double", lambda x, y: x if x < y else y), ("injx", "complex", lambda x, y: (x, y)),
                    ("resd", "double", lambda x, y: y if x == 0 else y - math.floor(y / x))]
    if base == "bool":
        yield from [("andb", "bool", lambda x, y: x and y), ("orb", "bool", lambda x, y: x or y),
                    ("xorb", "bool", lambda x, y: x != y), ("eqb", "bool", lambda x, y: x == y),
                    ("nandb", "bool", lambda x, y: not (x and y)), ("norb", "bool", lambda x, y: not (x or y))]
    if base == "complex":
        yield "addx", "complex", lambda x, y: (x[0] + y[0], x[1] + y[1])
        yield "subx", "complex", lambda x, y: (x[0] - y[0], x[1] - y[1])
        yield "mulx", "complex", lambda x, y: (x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0])


def element_cases(base):
    """Scalar primitives, by themselves, under each and under zipWith."""
    extremes = [2 ** 31 - 1, -2 ** 31, 31, 32, 33, -1] if base == "int" else []
    values = BASES[base] + extremes
    for name, to, f in UNARY[base]:
        for x in values:
            yield name, "%s(%s)" % (name, literal(base, x)), Array(to, [], [f(x)])
        for shape in SHAPES:
            a = sample(base, shape)
            yield "each", "each(%s,%s)" % (name, written(a)), Array(to, shape, map(f, a.data))
    for name, to, f in binary(base):
        for x, y in itertools.product(values, values):
            yield name, "%s(%s,%s)" % (name, literal(base, x), literal(base, y)), Array(to, [], [f(x, y)])
        for shape in SHAPES:
            a, b = sample(base, shape), sample(base, shape, 3)
            text = "zipWith(fn v1:[%s]0 => fn v2:[%s]0 => %s(v2,v1),%s,%s)" % (base, base, name, written(a), written(b))
            yield "zipWith", text, Array(to, shape, [f(y, x) for x, y in zip(a.data, b.data)])


def loop_cases(base):
    for shape in SHAPES:
        a = sample(base, shape)
        text, rank, other = written(a), len(shape), BASES[base][2]
        for n in (0, 1, 3):
            yield "power", "power(fn v1:[%s]%d => transp(v1),%d,%s)" % (base, rank, n, text), swapped(a) if n % 2 else a
            if shape and a.data:
                yield "power", "power(fn v1:[%s]%d => vrotate(1,v1),%d,%s)" % (base, rank, n, text), turned(n, a)
        if shape == [5]:
            pair = "Prj(%d,power(fn v1:([%s]1 * [int]0) => (rotate(Prj(1,v1),Prj(0,v1)),addi(Prj(1,v1),1)),3,(%s,1)))"
            yield "power", pair % (0, base, text), turned(6, a)
            yield "power", pair % (1, base, text), Array("int", [], [4])
        if not shape:
            for flag in (True, False):
                text_of = "condScl(fn v1:[%s]0 => %s,%s,%s)" % (base, literal(base, other), literal("bool", flag), text)
                yield "condScl", text_of, Array(base, [], [other if flag else a.data[0]])
            for name in ("powerScl", "bench"):
                yield name, "%s(fn v1:[%s]0 => %s,2,%s)" % (name, base, literal(base, other), text), Array(base, [], [other])


def assignments(base):
    """Programs of their own: the text of lets, and what they print."""
    for shape in SHAPES[1:]:
        a = sample(base, shape)
        if not a.data:
            continue
        where, value = [n - n // 2 for n in shape], BASES[base][2]
        flat = 0
        for i, n in zip(where, shape):
            flat = flat * n + i - 1
        after = Array(base, shape, a.data[:flat] + [value] + a.data[flat + 1:])
        yield ("let mv1:[%s]%d = %s in let v2:[%s]%d = prArr%s(mv1) in let v3:[bool]0 = prSclB(idxassign(%s,mv1,%s)) in "
               "let v4:[%s]%d = prArr%s(mv1) in 0.0\n" % (base, len(shape), written(a), base, len(shape), LETTER[base],
                                                        vector("int", where), literal(base, value), base, len(shape),
                                                        LETTER[base])), shown(a) + "[](1)\n" + shown(after)


# ---- programs ----

# the same with a result whose length is known, named with a V
VECTORS = ("shape", "take", "drop", "cat", "cons", "snoc", "vreverse", "vrotate", "rotate", "iota", "each")

def printed(number, text, value):
    kind = "prArr" if value.rank() else "prScl"
    return "let v%d:[%s]%d = %s%s(%s) in" % (number, value.base, value.rank(), kind, LETTER[value.base], text)


def write(folder, name, program, expected):
    with open(os.path.join(folder, name + ".tail"), "w") as out:
        out.write(program)
    with open(os.path.join(folder, name + ".out"), "w") as out:
        out.write(expected)


def main():
    folder = sys.argv[1]
    groups = {}
    for base in BASES:
        for cases in (shape_cases, axis_cases, choice_cases, fold_cases, element_cases, loop_cases):
            for name, text, value in cases(base):
                groups.setdefault((name, base), []).append((text, value))
        for k, (program, expected) in enumerate(assignments(base)):
            write(folder, "idxassign-%s-%d" % (base, k), program, expected + "[](0.0)\n")
    groups["iota", "int"] = [("iota(%d)" % n, Array("int", [n], range(1, n + 1))) for n in (0, 1, 2, 40)]
    groups["formatI", "int"] = [("formatI(%d)" % x, Array("char", [len(str(x))], map(ord, str(x))))
                                for x in (0, 7, -7, 10, 99, 100, -12345, 2 ** 31 - 1, -2 ** 31)]
    for name in VECTORS:
        for (of, base), cases in list(groups.items()):
            if of == name:
                groups[name + "V", base] = [(text.replace(name, name + "V", 1), value) for text, value in cases
                                            if value.rank() == 1 and "reshape([" not in text]
    for (name, base), cases in groups.items():
        lines = [printed(100 + i, text, value) for i, (text, value) in enumerate(cases)]
        write(folder, "%s-%s" % (name, base), "\n".join(lines) + " 0.0\n",
              "".join(shown(value) for _, value in cases) + "[](0.0)\n")


main()
