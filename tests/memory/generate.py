"""A random kernel whose blocks force arrays one after another, of several types and sizes, in branches, loops and warps.

    generate.py SEED [all] > FILE      entry: chain(c, xs); "all": also with branches and loops that hold barriers"""
import random
import sys

rng = random.Random(int(sys.argv[1]))
ALL = "all" in sys.argv[2:]
TYPES = ["int", "int", "int", "double", "i64", "u8", "f32"]
numbers = iter(range(10 ** 6))


def fresh(prefix):
    return "%%%s%d" % (prefix, next(numbers))


class Code:
    """Statements at one indentation; an array is (value, type, value of its length)."""

    def __init__(self, indent):
        self.lines, self.indent = [], indent

    def add(self, line):
        self.lines.append("  " * self.indent + line)

    def let(self, prefix, line):
        name = fresh(prefix)
        self.add("%s = %s" % (name, line))
        return name

    def block(self, head, inside, tail="}"):
        self.add(head)
        self.lines += inside.lines
        self.add(tail)


def element(code, source, at):
    """An element of a source, at a position that is made to lie inside, as a small int."""
    name, kind, length = source
    k = code.let("k", "mod %s, %s" % (at, length))
    v = code.let("v", "index %s, %s" % (name, k))
    return code.let("w", "convert<int> %s" % v) if kind != "int" else v


def computed(code, sources, length, kind):
    """A pull array over some sources."""
    body = Code(code.indent + 1)
    i = fresh("i")
    total = i
    for source in sources:
        scaled = body.let("s", "mul %s, %d" % (i, rng.choice([1, 1, 3, 7, 31])))
        at = body.let("s", "add %s, %d" % (scaled, rng.randrange(70)))
        w = element(body, source, at)
        total = body.let("t", "add %s, %s" % (body.let("t", "mul %s, %d" % (total, rng.choice([1, 2, 5]))), w))
    value = body.let("t", "mod %s, 101" % total)
    if kind != "int":
        value = body.let("t", "convert<%s> %s" % (kind, value))
    body.add("yield %s" % value)
    name = fresh("g")
    code.block("%s = generate %s { (%s: int)" % (name, length, i), body)
    return name


def pushed(code, sources, length, kind, level="block"):
    return code.let("p", "push<%s> %s" % (level, computed(code, sources, length, kind)))


def forced(code, live, length, kind):
    sources = [rng.choice(live) for _ in range(rng.choice([1, 1, 2]))]
    return code.let("f", "force " + pushed(code, sources, length, kind))


def in_branches(code, live, length, kind):
    first = code.let("b", "mod %s, 2" % element(code, rng.choice(live), "0"))
    odd = code.let("b", "eq %s, 1" % first)
    sides = []
    for _ in range(2):
        side = Code(code.indent + 1)
        mine = list(live)
        for _ in range(rng.randrange(3)):
            size, of = rng.choice([length, "33"]), rng.choice(TYPES)
            mine.append((forced(side, mine, size, of), of, size))
        side.add("yield %s" % pushed(side, [rng.choice(mine)], length, kind))
        sides.append(side)
    name = fresh("c")
    code.add("%s = if %s {" % (name, odd))
    code.lines += sides[0].lines
    code.add("} {")
    code.lines += sides[1].lines
    code.add("}")
    return code.let("f", "force " + name)


def repeated(code, live, length, kind):
    body = Code(code.indent + 1)
    round_, ys = fresh("r"), fresh("y")
    mine = live + [(ys, kind, length)]
    for _ in range(rng.randrange(3)):
        size, of = rng.choice([length, "40"]), rng.choice(TYPES)
        mine.append((forced(body, mine, size, of), of, size))
    body.add("yield %s" % pushed(body, [mine[-1], rng.choice(mine)], length, kind))
    name = fresh("l")
    start = pushed(code, [rng.choice(live)], length, kind)
    code.block("%s = repeat %d, %s { (%s: int, %s: [%s])" % (name, rng.randrange(4), start, round_, ys, kind), body)
    return name


def by_warps(code, live, length, kind):
    """Every warp forces a part of its own, once or twice, and reverses it."""
    source = forced(code, live, length, kind)
    parts = code.let("q", "call @splitUp(%d, %s)" % (rng.choice([5, 32]), source))
    body = Code(code.indent + 1)
    part = fresh("w")
    last, n = part, body.let("n", "length %s" % part)
    for _ in range(rng.choice([1, 2])):
        last = body.let("f", "force " + pushed(body, [(last, kind, n)], n, kind, "warp"))
    body.add("yield %s" % body.let("p", "push<warp> %s" % last))
    name = fresh("m")
    code.block("%s = map %s { (%s: [%s])" % (name, parts, part, kind), body)
    size = code.lines[-len(body.lines) - 3].split("splitUp(")[1].split(",")[0]
    return code.let("f", "force " + code.let("p", "concat %s, %s" % (size, name)))


def chain():
    code = Code(2)
    n = code.let("n", "length %chunk")
    live = [("%chunk", "int", n)]
    makers = [forced] * 5 + [by_warps] + ([repeated, in_branches] * 2 if ALL else [])
    for _ in range(rng.randint(3, 9)):
        length, kind = rng.choice([n, n, "50", "64", "17"]), rng.choice(TYPES)
        live.append((rng.choice(makers)(code, live, length, kind), kind, length))
        while len(live) > rng.choice([2, 2, 3, 4]):
            live.pop(rng.randrange(len(live) - 1))
    code.add("yield %s" % pushed(code, live[-2:], n, "int"))
    return code


print("fcl 0.1\n")
print('import "prelude"\n')
print("kernel @chain(%c: int, %xs: [int]) -> [int]<grid> {")
size = rng.choice(["%c", "%c", "48", "96"])
print("  %%chunks = call @splitUp(%s, %%xs)" % size)
print("  %parts = map %chunks { (%chunk: [int])")
print("\n".join(chain().lines))
print("  }\n  %%out = concat %s, %%parts\n  return %%out\n}" % size)
