"""Programs with arguments and results: what operators compute.  Integers follow the formulas of the page's table, in Python's
own integers; what is about floats and arrays is written down."""

from cases import Case

TYPES = {"i8": (8, True), "i16": (16, True), "int": (32, True), "i64": (64, True),
         "u8": (8, False), "u16": (16, False), "u32": (32, False), "u64": (64, False)}


def wrap(x, width, signed):
    x &= (1 << width) - 1
    return x - (1 << width) if signed and x >> (width - 1) else x


def edges(width, signed):
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    return sorted({0, 1, 2, 3, 7, most, most - 1, least, least + 1} | ({-1, -2, -7} if signed else {most >> 1}))


def truncated(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def power(x, y):
    if y >= 0:
        return x ** y
    return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)


BINARY = {  # of x, y and the width of their type
    "add": lambda x, y, w: x + y,
    "sub": lambda x, y, w: x - y,
    "mul": lambda x, y, w: x * y,
    "div": lambda x, y, w: x // y if y else 0,
    "mod": lambda x, y, w: x % y if y else x,
    "quot": lambda x, y, w: truncated(x, y) if y else 0,
    "rem": lambda x, y, w: x - y * truncated(x, y) if y else x,
    "min": lambda x, y, w: min(x, y),
    "max": lambda x, y, w: max(x, y),
    "mulhi": lambda x, y, w: x * y >> w,
    "and": lambda x, y, w: x & y,
    "or": lambda x, y, w: x | y,
    "xor": lambda x, y, w: x ^ y,
    "shl": lambda x, y, w: x << y % w,
    "shr": lambda x, y, w: x >> y % w,
    "lshr": lambda x, y, w: (x & (1 << w) - 1) >> y % w,
    "rotl": lambda x, y, w: (x & (1 << w) - 1) << y % w | (x & (1 << w) - 1) >> (w - y % w),
}
UNARY = {
    "neg": lambda x, w: -x,
    "abs": lambda x, w: abs(x),
    "sign": lambda x, w: (x > 0) - (x < 0),
    "not": lambda x, w: ~x,
    "popcount": lambda x, w: bin(x & (1 << w) - 1).count("1"),
    "clz": lambda x, w: w - (x & (1 << w) - 1).bit_length(),
    "ctz": lambda x, w: (x & -x).bit_length() - 1 if x else w,
}
RELATIONS = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
             "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}


def array(items):
    return "[" + ", ".join(("true" if x else "false") if isinstance(x, bool) else str(x) for x in items) + "]"


def kernel(name, operator, operands, type, result):
    """The operator over arrays, an element after the other."""
    names = "xyz"[:operands]
    params = ", ".join("%%%ss: [%s]" % (n, type) for n in names)
    loads = "".join("    %%%s = index %%%ss, %%i\n" % (n, n) for n in names)
    return ("kernel @%s(%s) -> [%s]<grid> {\n  %%n = length %%xs\n  %%r = generate %%n { (%%i: int)\n%s    %%v = %s %s\n    yield %%v\n  }\n"
            "  %%p = push<grid> %%r\n  return %%p\n}\n" % (name, params, result, loads, operator, ", ".join("%" + n for n in names)))


def program(name, source, runs, since="0.1"):
    return Case("meaning", "programs/%s.fclir" % name, ("fcl %s\n" % since + source).encode(), since=since, runs=runs)


def pairs(width, signed):
    values = edges(width, signed)
    return [x for x in values for _ in values], [y for _ in values for y in values]


def integers():
    for op, compute in BINARY.items():
        source, runs = "", []
        for type, (width, signed) in TYPES.items():
            xs, ys = pairs(width, signed)
            source += kernel(type, op, 2, type, type)
            runs.append((type, [array(xs), array(ys)], [array(wrap(compute(x, y, width), width, signed) for x, y in zip(xs, ys))]))
        yield program(op, source, runs)
    for op, compute in UNARY.items():
        source, runs = "", []
        for type, (width, signed) in TYPES.items():
            xs = edges(width, signed)
            source += kernel(type, op, 1, type, type)
            runs.append((type, [array(xs)], [array(wrap(compute(x, width), width, signed) for x in xs)]))
        yield program(op, source, runs)
    for op, compute in RELATIONS.items():
        source, runs = "", []
        for type, (width, signed) in TYPES.items():
            xs, ys = pairs(width, signed)
            source += kernel(type, op, 2, type, "bool")
            runs.append((type, [array(xs), array(ys)], [array(compute(x, y) for x, y in zip(xs, ys))]))
        yield program(op, source, runs)
    source, runs = "", []
    for type, (width, signed) in TYPES.items():
        xs, ys = zip(*[(x, y) for x in (-3, -2, -1, 0, 1, 2, 3) for y in (-3, -2, -1, 0, 1, 2, 5) if signed or min(x, y) >= 0])
        source += kernel(type, "pow", 2, type, type)
        runs.append((type, [array(xs), array(ys)], [array(wrap(power(x, y), width, signed) for x, y in zip(xs, ys))]))
    yield program("pow", source, runs)
    source, runs = "", []
    for to, (width, signed) in TYPES.items():
        for type in ("i64", "u64", "i8"):
            xs = edges(*TYPES[type])
            name = "%s_to_%s" % (type, to)
            source += kernel(name, "convert<%s>" % to, 1, type, to)
            runs.append((name, [array(xs)], [array(wrap(x, width, signed) for x in xs)]))
    yield program("convert-integers", source, runs)


def floats():
    def one(name, op, type, result, runs, operands=1):
        return program(name, kernel("k", op, operands, type, result), [("k", arguments, [wanted]) for *arguments, wanted in runs])
    yield one("float-to-int", "convert<int>", "double", "int",
              [("[1.9, -1.9, 0.5, -0.5, 2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 1e300, -1e300, inf, -inf, nan]",
                "[1, -1, 0, 0, 2147483647, 2147483647, -2147483648, -2147483648, 2147483647, -2147483648, 2147483647, -2147483648, 0]")])
    yield one("float-to-u8", "convert<u8>", "f32", "u8", [("[255.9, 256.0, -0.9, -1.0, nan]", "[255, 255, 0, 0, 0]")])
    yield one("float-to-bool", "convert<bool>", "double", "bool", [("[0.0, -0.0, 0.1, nan]", "[false, false, true, true]")])
    yield one("int-to-float", "convert<f32>", "int", "f32", [("[16777216, 16777217, 16777219, -16777217]", "[16777216.0, 16777216.0, 16777220.0, -16777216.0]")])
    yield one("double-to-float", "convert<f32>", "double", "f32", [("[0.1, 1e39, 1e-46, 1.0000000596046448]", "[0.1, inf, 0.0, 1.0]")])
    yield one("float-bits", "bitcast<u32>", "f32", "u32", [("[1.0, -0.0, inf]", "[1065353216, 2147483648, 2139095040]")])
    yield one("float-of-bits", "bitcast<f32>", "u32", "f32", [("[1065353216, 2147483648, 2139095040, 4286578688]", "[1.0, -0.0, inf, -inf]")])
    for name, wanted in (("floor", "[1.0, -2.0, 0.0, 2.0, -3.0, inf]"), ("ceil", "[2.0, -1.0, 1.0, 3.0, -2.0, inf]"),
                         ("trunc", "[1.0, -1.0, 0.0, 2.0, -2.0, inf]"), ("round", "[2.0, -2.0, 1.0, 3.0, -3.0, inf]"),
                         ("rint", "[2.0, -2.0, 0.0, 2.0, -2.0, inf]")):
        yield one(name, name, "double", "double", [("[1.5, -1.5, 0.5, 2.5, -2.5, inf]", wanted)])
    yield one("float-min", "min", "double", "double", [("[1.0, nan, 1.0]", "[2.0, 1.0, nan]", "[1.0, 1.0, 1.0]")], 2)
    yield one("float-max", "max", "double", "double", [("[1.0, nan, 1.0]", "[2.0, 1.0, nan]", "[2.0, 1.0, 1.0]")], 2)
    yield one("float-compare", "lt", "double", "bool", [("[1.0, nan, 1.0, -0.0]", "[2.0, 1.0, nan, 0.0]", "[true, false, false, false]")], 2)
    yield one("float-equal", "eq", "double", "bool", [("[1.0, nan, -0.0]", "[1.0, nan, 0.0]", "[true, false, true]")], 2)
    yield one("float-unequal", "ne", "double", "bool", [("[1.0, nan, -0.0]", "[1.0, nan, 0.0]", "[false, true, false]")], 2)
    yield one("float-mod", "mod", "double", "double", [("[5.5, -5.5, 5.5, -5.5]", "[2.0, 2.0, -2.0, -2.0]", "[1.5, 0.5, -0.5, -1.5]")], 2)
    yield one("float-rem", "rem", "double", "double", [("[5.5, -5.5, 5.5, -5.5]", "[2.0, 2.0, -2.0, -2.0]", "[1.5, -1.5, 1.5, -1.5]")], 2)
    yield one("float-divide", "fdiv", "double", "double", [("[1.0, -1.0, 1.0]", "[0.0, 0.0, 3.0]", "[inf, -inf, 0.3333333333333333]")], 2)
    yield one("copysign", "copysign", "double", "double", [("[1.0, 1.0, -1.0]", "[-2.0, -0.0, 0.0]", "[-1.0, -1.0, 1.0]")], 2)
    yield one("sign-of-floats", "sign", "double", "double", [("[2.5, -2.5, 0.0, -0.0]", "[1.0, -1.0, 0.0, -0.0]")])
    yield one("isnan", "isnan", "f32", "bool", [("[1.0, nan, inf]", "[false, true, false]")])
    yield one("isinf", "isinf", "f32", "bool", [("[1.0, nan, -inf]", "[false, false, true]")])
    yield one("fma", "fma", "double", "double", [("[1.0000000000000002]", "[1.0000000000000002]", "[-1.0000000000000004]", "[4.930380657631324e-32]")], 3)


ARRAYS = [
    ("reverse", """kernel @k(%xs: [int]) -> [int]<grid> {
  %n = length %xs
  %last = sub %n, 1
  %r = generate %n { (%i: int)
    %j = sub %last, %i
    %x = index %xs, %j
    yield %x
  }
  %p = push<grid> %r
  return %p
}
""", [("k", ["[1, 2, 3]"], ["[3, 2, 1]"]), ("k", ["[]"], ["[]"])], "0.1"),
    ("transpose", """kernel @k(%xs: [int; 2]) -> [int; 2]<grid> {
  %rows = dim %xs, 0
  %columns = dim %xs, 1
  %r = generate %columns, %rows { (%i: int, %j: int)
    %x = index %xs, %j, %i
    yield %x
  }
  %p = push<grid> %r
  return %p
}
""", [("k", ["[[1, 2, 3], [4, 5, 6]]"], ["[[1, 4], [2, 5], [3, 6]]"])], "0.1"),
    ("pairs", """kernel @k(%ps: [(int, double)]) -> [(double, int)]<grid> {
  %r = map %ps { (%p: (int, double))
    %a = proj %p, 0
    %b = proj %p, 1
    %q = tuple %b, %a
    yield %q
  }
  %p = push<grid> %r
  return %p
}
""", [("k", ["[(1, 2.5), (3, 4.5)]"], ["[(2.5, 1), (4.5, 3)]"])], "0.1"),
    ("blocks", """kernel @k(%chunk: int, %xs: [int]) -> [int]<grid> {
  %n = length %xs
  %m0 = add %n, %chunk
  %m1 = sub %m0, 1
  %m = div %m1, %chunk
  %parts = generate %m { (%b: int)
    %start = mul %b, %chunk
    %left = sub %n, %start
    %size = min %left, %chunk
    %last = sub %size, 1
    %part = generate %size { (%i: int)
      %j = sub %last, %i
      %at = add %start, %j
      %x = index %xs, %at
      yield %x
    }
    %p = push<block> %part
    yield %p
  }
  %all = concat %chunk, %parts
  return %all
}
""", [("k", ["3", "[1, 2, 3, 4, 5, 6, 7]"], ["[3, 2, 1, 6, 5, 4, 7]"])], "0.1"),
    ("while", """kernel @k(%xs: [int]) -> [int]<grid> {
  %first = push<grid> %xs
  %r = while %first { (%s: [int])
    %n = length %s
    %more = gt %n, 1
    yield %more
  } { (%s: [int])
    %n = length %s
    %m0 = add %n, 1
    %half = div %m0, 2
    %next = generate %half { (%i: int)
      %j = add %i, %half
      %there = lt %j, %n
      %a = index %s, %i
      %v = if %there {
        %b = index %s, %j
        %c = add %a, %b
        yield %c
      } {
        yield %a
      }
      yield %v
    }
    %p = push<grid> %next
    yield %p
  }
  %p = push<grid> %r
  return %p
}
""", [("k", ["[1, 2, 3, 4, 5]"], ["[15]"]), ("k", ["[7]"], ["[7]"])], "0.1"),
    ("accumulate", """kernel @k(%xs: [int]) -> [int]<grid> {
  %zeros = generate 4 { (%i: int)
    yield 0
  }
  %cleared = push<grid> %zeros
  %init = force %cleared
  %all = push<grid> %xs
  %counts = accumulate %init, %all { (%x: int)
    %bin = mod %x, 4
    %one = tuple %bin, 1
    yield %one
  } { (%old: int, %new: int)
    %sum = add %old, %new
    yield %sum
  }
  %p = push<grid> %counts
  return %p
}
""", [("k", ["[0, 1, 2, 3, 4, 5, -1]"], ["[2, 2, 1, 2]"])], "0.1"),
    ("functions", """fun @twice<'a>(%f: 'a -> 'a, %x: 'a) -> 'a {
  %y = apply %f, %x
  %z = apply %f, %y
  return %z
}
kernel @k(%xs: [int]) -> [int]<grid> {
  %r = map %xs { (%x: int)
    %f = fn { (%a: int)
      %b = mul %a, 3
      yield %b
    }
    %y = call @twice<int>(%f, %x)
    yield %y
  }
  %p = push<grid> %r
  return %p
}
""", [("k", ["[1, -2]"], ["[9, -18]"])], "0.1"),
    ("two-results", """kernel @k(%xs: [int], %x: int) -> ([int]<grid>, [bool]<grid>) {
  %a = map %xs { (%y: int)
    %z = add %y, %x
    yield %z
  }
  %b = map %xs { (%y: int)
    %z = lt %y, %x
    yield %z
  }
  %pa = push<grid> %a
  %pb = push<grid> %b
  %r = tuple %pa, %pb
  return %r
}
""", [("k", ["[1, 2, 3]", "2"], ["[3, 4, 5]", "[true, false, false]"])], "0.1"),
    ("take-drop-pad", """kernel @k(%n: int, %xs: [int]) -> [int]<grid> {
  %p = push<grid> %xs
  %t = take %n, %p
  %d = drop 1, %t
  %r = pad 3, 9, %d
  return %r
}
""", [("k", ["3", "[1, 2, 3, 4]"], ["[2, 3, 9]"]), ("k", ["-1", "[1]"], ["[9, 9, 9]"])], "0.3"),
    ("scatter", """kernel @k(%is: [int]) -> [int]<grid> {
  %zeros = generate 4 { (%i: int)
    yield 0
  }
  %cleared = push<grid> %zeros
  %init = force %cleared
  %all = push<grid> %is
  %r = scatter %init, %all { (%i: int)
    %v = add %i, 10
    %w = tuple %i, %v
    yield %w
  }
  %p = push<grid> %r
  return %p
}
""", [("k", ["[3, -1, 0]"], ["[10, 0, 0, 13]"])], "0.3"),
    ("collectives", """kernel @along(%xs: [int;2]) {
  %a = reduce 0, %xs { (%x, %y)
    %z = add %x, %y
    yield %z
  }
  %b = scan 1, %xs { (%x, %y)
    %z = mul %x, %y
    yield %z
  }
  %c = scanex 7, %xs { (%x, %y)
    %z = max %x, %y
    yield %z
  }
  %r = tuple %a, %b, %c
  return %r
}
kernel @total(%xs: [int]) -> int {
  %s = reduce 0, %xs { (%x, %y)
    %z = add %x, %y
    yield %z
  }
  return %s
}
kernel @ordered(%xs: [double]) -> [double] {
  %a = filter %xs { (%x)
    %c = ne %x, 4.0
    yield %c
  }
  %b = sort %a { (%x)
    yield %x
  }
  return %b
}
kernel @stream(%n: int) {
  %a = streamred 0, %n { (%start, %count)
    yield %count
  } { (%x, %y)
    %z = add %x, %y
    yield %z
  }
  %b = streammap %n { (%start, %count)
    %e = generate %count { (%i)
      %k = add %start, %i
      yield %k
    }
    yield %e
  }
  %r = tuple %a, %b
  return %r
}
""", [("along", ["[[1, 2, 3], [4, 5, 6]]"], ["[6, 15]", "[[1, 2, 6], [4, 20, 120]]", "[[7, 7, 7], [7, 7, 7]]"]),
      ("total", ["[1, 2, 3]"], ["6"]), ("total", ["[]"], ["0"]),
      ("ordered", ["[3.0, 4.0, -0.5, 1.0]"], ["[-0.5, 1.0, 3.0]"]),
      ("stream", ["4"], ["4", "[0, 1, 2, 3]"]), ("stream", ["0"], ["0", "[]"])], "0.5"),
    ("output", """kernel @shows(%n: int, %xs: [int]) -> int {
  %a = emit %xs attr("show" = "tail.int")
  %r = repeat %n, 0 { (%i, %s)
    %e = emit %i
    %t = add %s, %e
    yield %t
  }
  return %r
}
""", [], "0.5"),
    ("collectives-by-operand", """kernel @count(%is: [int], %n: int) -> [int] {
  %none = generate %n { (%i)
    yield 0
  }
  %r = accumulate %none, %is { (%i)
    %t = tuple %i, 1
    yield %t
  } { (%x, %y)
    %z = add %x, %y
    yield %z
  }
  return %r
}
kernel @again(%n: int, %xs: [int]) -> [int] {
  %r = repeat %n, %xs { (%i, %s)
    %t = map %s { (%x)
      %y = add %x, %i
      yield %y
    }
    yield %t
  }
  return %r
}
""", [("count", ["[2, 0, 2]", "3"], ["[1, 0, 2]"]), ("again", ["3", "[1, 2]"], ["[4, 5]"])], "0.5"),
]


def all_cases():
    yield from integers()
    yield from floats()
    for name, source, runs, since in ARRAYS:
        yield program(name, source, runs, since)
