"""Reading and writing the binary form, after docs/format.md: MessagePack by hand, then the sections."""

import math
import struct
import zlib

from .module import (Constant, Function, Module, Op, Parameter, Region, Value, distinct_names, good_data, name_parameters,
                     properties_in_order, property_of, settle_numbers, value_name, values_in_order, walk)
from .tables import (MAJOR, MOST_COMPONENTS, MOST_PARAMETERS, MOST_RANK, NAME, REGION_DEPTH, T, TYPE_DEPTH, Refused, refuse, version)

U32 = 2**32 - 1
NAN64 = 0x7FF8000000000000

# ---- MessagePack ----


class Cursor:
    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def take(self, n):
        if n > self.end - self.at:
            refuse("cut off")
        self.at += n
        return self.data[self.at - n:self.at]

    def number_of(self, n):
        return int.from_bytes(self.take(n), "big")

    def value(self):
        """("int", n), ("float", bits of a float 64), ("str", bytes), ("bin", bytes), ("array", length)."""
        b = self.take(1)[0]
        if b < 0x80:
            return "int", b
        if b >= 0xE0:
            return "int", b - 256
        if 0x90 <= b < 0xA0:
            return "array", self.length(b & 15)
        if 0xA0 <= b < 0xC0:
            return "str", self.take(b & 31)
        if 0xC4 <= b <= 0xC6:
            return "bin", self.take(self.number_of(1 << (b - 0xC4)))
        if b == 0xCA:
            return "float", bits_of(struct.unpack(">f", self.take(4))[0])
        if b == 0xCB:
            return "float", self.number_of(8)
        if 0xCC <= b <= 0xCF:
            return "int", self.number_of(1 << (b - 0xCC))
        if 0xD0 <= b <= 0xD3:
            return "int", int.from_bytes(self.take(1 << (b - 0xD0)), "big", signed=True)
        if 0xD9 <= b <= 0xDB:
            return "str", self.take(self.number_of(1 << (b - 0xD9)))
        if b in (0xDC, 0xDD):
            return "array", self.length(self.number_of(2 << (b - 0xDC)))
        return refuse("maps, nil, booleans and extensions are not used")

    def length(self, n):
        if n > self.end - self.at:
            refuse("an array claims more than there is")
        return n

    def want(self, kind):
        found, value = self.value()
        return value if found == kind else refuse("expected %s, found %s", kind, found)

    def int(self, least=0, most=U32):
        n = self.want("int")
        return n if least <= n <= most else refuse("%d is out of range", n)

    def array(self, n=None):
        found = self.want("array")
        return found if n in (None, found) else refuse("%d elements, not %d", found, n)

    def text(self):
        kind, value = self.value()
        if kind == "str":
            utf8(value)
        elif kind != "bin":
            refuse("expected a text, found %s", kind)
        return value

    def done(self):
        if self.at != self.end:
            refuse("something is left")


def skip(c):
    """Any value, of the kinds that are used."""
    kind, n = c.value()
    for _ in range(n if kind == "array" else 0):
        skip(c)


def utf8(b):
    try:
        b.decode("utf-8")
    except UnicodeDecodeError:
        refuse("not UTF-8")


def is_utf8(b):
    try:
        b.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def bits_of(x):
    return struct.unpack(">Q", struct.pack(">d", x))[0]


def float_of(bits):
    return struct.unpack(">d", struct.pack(">Q", bits))[0]


def pack_int(n):
    """The shortest encoding."""
    if 0 <= n < 0x80:
        return bytes([n])
    if -32 <= n < 0:
        return bytes([256 + n])
    for i in range(4):
        size = 1 << i
        if n >= 0 and n < 1 << 8 * size:
            return bytes([0xCC + i]) + n.to_bytes(size, "big")
        if n < 0 and n >= -(1 << 8 * size - 1):
            return bytes([0xD0 + i]) + n.to_bytes(size, "big", signed=True)
    raise ValueError(n)


def head(n, fix, most, codes):
    """Of a text, block or array of n: its short form below `most`, else the first code with room."""
    if n < most:
        return bytes([fix | n])
    for code, size in codes:
        if n < 1 << 8 * size:
            return bytes([code]) + n.to_bytes(size, "big")
    raise ValueError(n)


def pack_str(b):
    return head(len(b), 0xA0, 32, ((0xD9, 1), (0xDA, 2), (0xDB, 4))) + b


def pack_bin(b):
    return head(len(b), 0, 0, ((0xC4, 1), (0xC5, 2), (0xC6, 4))) + b


def pack_text(b):
    return pack_str(b) if is_utf8(b) else pack_bin(b)


def pack_array(items):
    items = list(items)
    return head(len(items), 0x90, 16, ((0xDC, 2), (0xDD, 4))) + b"".join(items)


def pack_ints(numbers):
    return pack_array(map(pack_int, numbers))


# ---- reading ----


class Reader:
    """externals: the names of functions that an import has, by the import's name (bytes)."""

    def __init__(self, data, externals):
        self.data, self.externals = data, externals
        self.m = Module()

    def read(self):
        c = Cursor(self.data)
        if not self.data.startswith(b"\x97\xa4fclb"):
            refuse("this is no module in binary form")
        c.at = 6
        self.m.version = (c.int(), c.int())
        if self.m.version[0] != MAJOR:
            refuse("another major version")
        if len(self.data) - c.at < 5 or self.data[-5] != 0xCE:
            refuse("no checksum")
        if int.from_bytes(self.data[-4:], "big") != zlib.crc32(self.data[:-5]):
            refuse("the checksum is wrong")
        c.end -= 5
        c.text()
        for _ in range(c.array()):
            refuse("needs the feature %r", c.want("str"))
        bodies = self.sections(c)
        c.done()
        for name, required in T.sections.items():
            if name in bodies:
                self.c = Cursor(bodies[name])
                getattr(self, name)()
                self.c.done()
            elif required:
                refuse("no section %s", name)
        return self.m

    def sections(self, c):
        bodies, order = {}, list(T.sections)
        for _ in range(c.array()):
            c.array(3)
            name = c.want("str")
            utf8(name)
            if not name:
                refuse("a section without a name")
            flags, contents = c.int(), c.want("bin")
            known = name.decode()
            if known not in T.sections:
                if flags & 1:
                    refuse("needs the section %s", known)
                self.m.sections.append((name, flags, contents))
                continue
            if flags & ~1:
                refuse("unknown flags of the section %s", known)
            if bodies and order.index(list(bodies)[-1]) >= order.index(known):
                refuse("the section %s stands twice or behind a later one", known)
            if T.section_since[known] > self.m.version and flags & 1:
                refuse("the section %s in a file of a version that has none", known)
            bodies[known] = contents
        return {name: b for name, b in bodies.items() if T.section_since[name] <= self.m.version}

    def operators(self):
        c = self.c
        for _ in range(c.array()):
            n, number = c.array(), c.int()
            if n < 8 or number not in T.operators:
                refuse("there is no operator %d", number)
            c.text(), c.int(), c.text(), c.int(), c.int(), c.int(), c.int()
            for _ in range(n - 8):
                skip(c)

    def texts(self):
        return [self.c.text() for _ in range(self.c.array())]

    def strings(self):
        self.texts_of = self.texts()

    def name(self):
        return self.texts_of[self.c.int(0, len(self.texts_of) - 1)]

    # types: each with what must be around it: (parameters bound, level binders, type binders)

    def types(self):
        c = self.c
        c.array(2)
        self.parameters = [Parameter(None, c.int(0, len(T.parameters) - 1)) for _ in range(c.array())]
        self.bound = 0
        self.table, self.needs, self.depths = [None], [(0, 0, 0)], [0]
        for _ in range(c.array()):
            self.type()

    def part(self, needs):
        k = self.c.int(1, len(self.table) - 1)
        needs[:] = map(max, needs, self.needs[k])
        self.depth = max(self.depth, self.depths[k])
        return self.table[k]

    def level(self, needs):
        x = self.c.int(0, 2**64 - 1)
        base, offset, index = x % 4, x // 4 % 256, x // 1024
        if base == 1 and index == 0:
            return 1, 0, offset
        if base == 2 and index < len(self.parameters) and self.parameters[index].kind == 4:
            needs[0] = max(needs[0], index + 1)
            return 2, self.parameters[index], offset
        if base == 3 and index < TYPE_DEPTH:
            needs[1] = max(needs[1], index + 1)
            return 3, index, offset
        return refuse("%d is not a level", x)

    def type(self):
        c, needs = self.c, [0, 0, 0]
        n = c.array()
        if not n:
            refuse("a type begins with its form")
        form = c.int()
        lengths = {1: 2, 2: 2, 3: 2, 5: 3, 6: 2, 7: 3, 8: 3, 9: 4}
        if form not in T.forms:
            refuse("no type of form %d", form)
        if lengths.get(form, n) != n:
            refuse("a type of form %d has %d elements", form, n)
        self.depth = 0
        if form == 1:
            t = "scalar", c.int(1, max(T.scalars))
        elif form == 2:
            k = c.int(0, len(self.parameters) - 1)
            if self.parameters[k].kind == 4:
                refuse("a level parameter is no type")
            needs[0] = k + 1
            t = "var", self.parameters[k]
        elif form == 3:
            k = c.int(0, TYPE_DEPTH - 1)
            needs[2] = k + 1
            t = "bound", k
        elif form == 4:
            if not 2 <= n - 1 <= MOST_COMPONENTS:
                refuse("a tuple of %d", n - 1)
            t = "tuple", tuple(self.part(needs) for _ in range(n - 1))
        elif form == 5:
            t = "fun", self.part(needs), self.part(needs)
        elif form == 6:
            t = "lvlfn", self.part(needs)
            needs[1] = max(0, needs[1] - 1)
        elif form == 7:
            kind = c.int(0, max(T.kinds.values()))
            if kind and kind not in T.kinds.values():
                refuse("there is no kind %d", kind)
            t = "forall", kind, self.part(needs)
            needs[2] = max(0, needs[2] - 1)
        else:
            element, rank = self.part(needs), c.int(1, MOST_RANK)
            t = ("pull", element, rank) if form == 8 else ("push", element, rank, self.level(needs))
        if self.depth + 1 > TYPE_DEPTH:
            refuse("types nest too deep")
        self.table.append(t)
        self.needs.append(tuple(needs))
        self.depths.append(self.depth + 1)

    def use_type(self, unknown=True):
        k = self.c.int(0 if unknown else 1, len(self.table) - 1)
        self.stands_alone(self.needs[k])
        return self.table[k]

    def use_level(self):
        needs = [0, 0, 0]
        level = self.level(needs)
        self.stands_alone(needs)
        return level

    def stands_alone(self, needs):
        if needs[0] > self.bound or needs[1] or needs[2]:
            refuse("a parameter that is not bound here")

    def constants(self):
        c = self.c
        n = c.array()
        if n % 2:
            refuse("a constant without a value")
        self.constant_table = [self.constant() for _ in range(n // 2)]

    def constant(self):
        c = self.c
        form = c.int()
        if form == 18:
            bits = c.want("float")
            return form, NAN64 if math.isnan(float_of(bits)) else bits
        if form == 19:
            return form, c.want("bin")
        if form in (16, 17):
            return form, c.int(0, 2**64 - 1 if form == 16 else 2**63)
        if form not in T.scalars:
            refuse("no constant of form %d", form)
        s = T.scalars[form]
        if s.kind == "B":
            return form, c.int(0, 1)
        if s.kind == "F":
            return form, self.held(s, c.want("float"))
        width = 8 * s.bytes
        return form, c.int(-(1 << width - 1), (1 << width - 1) - 1) if s.kind == "I" else c.int(0, (1 << width) - 1)

    @staticmethod
    def held(s, bits):
        x, form = float_of(bits), {2: ">e", 4: ">f", 8: ">d"}[s.bytes]
        if math.isnan(x):
            return NAN64
        try:
            same = struct.unpack(form, struct.pack(form, x))[0] == x
        except OverflowError:
            same = False
        return bits if same else refuse("the type does not hold the number exactly")

    def functions(self):
        c = self.c
        c.array(3)
        imports = []
        for _ in range(c.array()):
            name = self.name()
            if name not in self.externals:
                refuse("no import %r", name)
            if name not in self.m.imports:
                self.m.imports.append(name)
            imports.append(self.externals[name])
        external = []
        for _ in range(c.array()):
            external.append(self.name())
            if not any(external[-1] in names for names in imports):
                refuse("the imports have no function %r", external[-1])
        self.own, names = [], set()
        for _ in range(c.array()):
            self.own.append(self.function(names))
        if names & set(external):
            refuse("an imported function has the name of an own one")
        self.m.functions = self.own
        self.callees = self.own + external

    def bind(self, ntypes, nlevels):
        new = self.parameters[self.bound:self.bound + ntypes + nlevels]
        if len(new) < ntypes + nlevels:
            refuse("more parameters are bound than there are")
        if any((p.kind == 4) != (i >= ntypes) for i, p in enumerate(new)):
            refuse("a level parameter where a type parameter is bound, or the reverse")
        self.bound += len(new)
        return new

    def function(self, names):
        c = self.c
        c.array(6)
        name = self.name()
        f = Function(name, c.int(0, 1) == 1)
        if not NAME.fullmatch(name) or name in names:
            refuse("%r is no name of a function, or is taken", name)
        names.add(name)
        f.bound = self.bind(c.int(0, MOST_PARAMETERS), c.int(0, MOST_PARAMETERS))
        f.body.params = [Value(None, self.use_type(False)) for _ in range(c.array())]
        f.result = self.use_type()
        return f

    # code

    def code(self):
        c = self.c
        c.array(len(self.own))
        for f in self.own:
            n = c.array()
            self.count = 0
            self.visible = list(f.body.params)
            self.region(f.body, True, 1)
            if self.count != n:
                refuse("the code has %d numbers, not %d", self.count, n)
        if self.bound != len(self.parameters):
            refuse("a parameter is bound nowhere")

    def number(self, least=0, most=U32):
        self.count += 1
        return self.c.int(least, most)

    def region(self, r, body, depth):
        if depth > REGION_DEPTH:
            refuse("regions nest too deep")
        mark = len(self.visible) - (len(r.params) if body else 0)
        while True:
            op = self.operation(body, depth)
            r.ops.append(op)
            if not op.info.result:
                break
            self.visible.append(op.result)
        del self.visible[mark:]

    def operation(self, body, depth):
        info = T.operators.get(self.number())
        if not info:
            refuse("there is no such operator")
        if not info.result and (info.name == "return") != body:
            refuse("%s does not end this region", info.name)
        op = Op(info)
        self.attribute(op)
        n = info.least
        if info.least != info.most:
            n = self.number(info.least, info.most)
        op.operands = [self.operand() for _ in range(n)]
        if info.result:
            self.count += 1
            op.result = Value(None, self.use_type())
        for _ in range(info.regions):
            op.regions.append(self.inner(depth + 1))
        return op

    def inner(self, depth):
        r = Region()
        if depth > REGION_DEPTH:
            refuse("regions nest too deep")
        mark = len(self.visible)
        for _ in range(self.number()):
            self.count += 1
            r.params.append(Value(None, self.use_type()))
        self.visible += r.params
        self.region(r, False, depth)
        del self.visible[mark:]
        return r

    def attribute(self, op):
        attr = op.info.attr
        if attr == "LEVEL":
            self.count += 1
            op.level = self.use_level()
        elif attr == "TYPE":
            self.count += 1
            op.type = self.use_type(False)
        elif attr == "CALL":
            callee = self.callees[self.number(0, len(self.callees) - 1)]
            op.callee = callee.name if isinstance(callee, Function) else callee
            op.external = not isinstance(callee, Function)
            ntypes, nlevels = self.number(0, 65534), self.number(0, 65534)
            self.count += ntypes + nlevels
            op.types = [self.use_type(False) for _ in range(ntypes)]
            op.levels = [self.use_level() for _ in range(nlevels)]
        elif attr == "BIND":
            op.bound = self.bind(self.number(0, MOST_PARAMETERS), self.number(0, MOST_PARAMETERS))
        elif attr == "DATA":
            self.count += 1
            op.type = self.use_type()
            op.extents = [self.number() for _ in range(self.number(0, MOST_RANK))]
            form, op.data = self.constant_table[self.number(0, len(self.constant_table) - 1)]
            if form != 19 or not good_data(op.type, op.extents, op.data):
                refuse("no elements of a constant")

    def operand(self):
        x = self.number(-2**31, 2**31 - 1)
        if 0 < x <= len(self.visible):
            return self.visible[-x]
        if x < 0 and -1 - x < len(self.constant_table) and self.constant_table[-1 - x][0] != 19:
            return Constant(*self.constant_table[-1 - x])
        return refuse("%d is no operand", x)

    # what is optional

    def names(self):
        c = self.c
        c.array(3)
        texts = self.texts()
        c.array(len(self.parameters))
        for p in self.parameters:
            p.name = self.given(texts, False)
        c.array(len(self.own))
        for f in self.own:
            values = values_in_order(f)
            c.array(len(values))
            for v in values:
                v.name = self.given(texts, True)

    def given(self, texts, of_value):
        k = self.c.int(-10**9 if of_value else 0, len(texts))
        if k <= 0:
            return None if k == 0 else -1 - k
        if not NAME.fullmatch(texts[k - 1]):
            refuse("%r is no name", texts[k - 1])
        return value_name(texts[k - 1]) if of_value else texts[k - 1]

    def entries(self, elements):
        """The items that entries are about, in order."""
        self.c.array(len(self.own))
        for f in self.own:
            items, at = [f] + list(walk(f.body)), 0
            n = self.c.array()
            if n % elements:
                refuse("an entry has %d elements", elements)
            for _ in range(n // elements):
                at += self.c.int(0, len(items) - 1 - at)
                yield items[at]

    def locations(self):
        self.c.array(2)
        texts = self.texts()
        for item in self.entries(4):
            file = texts[self.c.int(0, len(texts) - 1)]
            item.loc = file, self.c.int(1, U32 - 1), self.c.int()
            if not file:
                refuse("a file without a name")

    def attributes(self):
        c = self.c
        c.array(3)
        texts = self.texts()
        n = c.array()
        if n % 2:
            refuse("an attribute without a value")
        for _ in range(n // 2):
            self.attribute_of(self.m, texts)
        for item in self.entries(3):
            self.attribute_of(item, texts)

    def value(self):
        before = self.c.at
        kind, value = self.c.value()
        if kind == "int" and not -2**63 <= value < 2**63:
            refuse("an integer of more than 64 bits")
        if kind != "int":
            self.c.at = before
            value = self.c.text()
        return value

    def properties(self):
        c = self.c
        c.array(3)
        texts = self.texts()
        n = c.array()
        if n % 3:
            refuse("a property has three elements")
        for item in [self.m] * (n // 3):
            property_of(item, texts[c.int(0, len(texts) - 1)], c.int(0, 1) == 1, self.value())
        for item in self.entries(4):
            property_of(item, texts[c.int(0, len(texts) - 1)], c.int(0, 1) == 1, self.value())

    def attribute_of(self, item, texts):
        key = texts[self.c.int(0, len(texts) - 1)]
        value = self.value()
        if not key or any(k == key for k, _ in item.attrs):
            refuse("the key is empty, or stands twice")
        item.attrs.append((key, value))


def read(data, externals=None):
    try:
        return Reader(data, {} if externals is None else externals).read()
    except RecursionError:
        return refuse("nests too deep")


# ---- writing ----


class Texts:
    """Numbered in the order of their first use."""

    def __init__(self):
        self.numbers = {}

    def __call__(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def packed(self):
        return pack_array(map(pack_text, self.numbers))


class Writer:
    def __init__(self, m, producer):
        self.m, self.producer = m, producer
        self.strings, self.types, self.constants, self.parameters = Texts(), {}, {}, {}

    def level(self, level):
        base, index, offset = level
        return ((self.parameters[index] if base == 2 else index) * 256 + offset) * 4 + base

    def type(self, t):
        """Its number; what it is made of gets numbers before it, from left to right."""
        if t is None:
            return 0
        if t not in self.types:
            entry = self.entry(t)
            self.types.setdefault(t, (len(self.types) + 1, pack_ints(entry)))
        return self.types[t][0]

    def entry(self, t):
        kind, *rest = t
        if kind in ("scalar", "bound"):
            return [1 if kind == "scalar" else 3, rest[0]]
        if kind == "var":
            return [2, self.parameters[rest[0]]]
        if kind == "tuple":
            return [4] + [self.type(p) for p in rest[0]]
        if kind == "fun":
            return [5, self.type(rest[0]), self.type(rest[1])]
        if kind == "lvlfn":
            return [6, self.type(rest[0])]
        if kind == "forall":
            return [7, rest[0], self.type(rest[1])]
        return [8 + (kind == "push"), self.type(rest[0]), rest[1]] + [self.level(x) for x in rest[2:]]

    def constant(self, k):
        """As the text form has it: a literal of the type int or double that was written without it has none."""
        key = k.form, k.value
        if key not in self.constants:
            self.constants[key] = len(self.constants), pack_int(k.form) + self.constant_value(k)
        return -1 - self.constants[key][0]

    @staticmethod
    def constant_value(k):
        if k.form == 19:
            return pack_bin(k.value)
        if k.form == 18 or (k.form in T.scalars and T.scalars[k.form].kind == "F" and T.scalars[k.form].bytes == 8):
            return b"\xcb" + k.value.to_bytes(8, "big")
        if k.form in T.scalars and T.scalars[k.form].kind == "F":
            return b"\xca" + struct.pack(">f", float_of(k.value))
        return pack_int(k.value)

    def bind(self, parameters):
        for p in parameters:
            self.parameters[p] = len(self.parameters)

    def write(self):
        m = self.m
        self.own = {f.name: i for i, f in enumerate(m.functions)}
        self.external = {}
        imports = [self.strings(i) for i in m.imports]
        heads = [self.head(f) for f in m.functions]
        code = [self.body(f) for f in m.functions]
        used = [self.strings(name) for name in self.external]
        bodies = {
            "functions": pack_array([pack_ints(imports), pack_ints(used), pack_array(heads)]),
            "code": pack_array(code),
            "strings": self.strings.packed(),
            "types": pack_array([pack_ints(p.kind for p in self.parameters), pack_array(t for _, t in self.types.values())]),
            "constants": head(2 * len(self.constants), 0x90, 16, ((0xDC, 2), (0xDD, 4))) +
                         b"".join(k for _, k in self.constants.values()),
            "names": self.names(), "locations": self.locations(), "attributes": self.attributes(), "operators": self.shapes(),
            "properties": self.properties(),
        }
        required = dict(T.sections, properties=any(must for item in self.items() for _, must, _ in item.props))
        sections = {n: pack_array([pack_str(n.encode()), pack_int(int(required[n])), pack_bin(bodies[n])])
                    for n in T.sections if bodies[n] is not None}
        self.required = b"".join(s for n, s in sections.items() if required[n])
        sections = list(sections.values())
        sections += [pack_array([pack_str(n), pack_int(flags), pack_bin(b)]) for n, flags, b in m.sections]
        data = b"\x97" + pack_str(b"fclb") + pack_int(m.version[0]) + pack_int(m.version[1]) + pack_text(self.producer)
        data += pack_array([]) + pack_array(sections)
        return data + b"\xce" + zlib.crc32(data).to_bytes(4, "big")

    def shapes(self):
        """Of the operators that came after version 0.4."""
        later = sorted({op.info for f in self.m.functions for op in walk(f.body) if version(op.info.since) > (0, 4)})
        entries = [pack_array([pack_int(o.number), pack_text(o.name.encode()), pack_int(version(o.since)[0] * 100 + version(o.since)[1]),
                               pack_text(o.attr.encode()), pack_int(o.least), pack_int(o.most if o.least == o.most else 2 ** 32 - 1),
                               pack_int(o.regions), pack_int(int(o.result))]) for o in later]
        return pack_array(entries) if entries else None

    def head(self, f):
        self.bind(f.bound)
        nlevels = sum(p.kind == 4 for p in f.bound)
        start = [self.strings(f.name), int(f.kernel), len(f.bound) - nlevels, nlevels]
        params = pack_ints(self.type(v.type) for v in f.body.params)
        return b"\x96" + b"".join(map(pack_int, start)) + params + pack_int(self.type(f.result))

    def body(self, f):
        self.visible, self.numbers = [], []
        self.region(f.body)
        return pack_ints(self.numbers)

    def region(self, r):
        mark = len(self.visible)
        self.visible += r.params
        for op in r.ops:
            self.operation(op)
        del self.visible[mark:]

    def operation(self, op):
        out = self.numbers
        out.append(op.info.number)
        if op.info.attr == "LEVEL":
            out.append(self.level(op.level))
        elif op.info.attr == "TYPE":
            out.append(self.type(op.type))
        elif op.info.attr == "CALL":
            own = op.callee in self.own and not getattr(op, "external", False)
            number = self.own[op.callee] if own else len(self.own) + self.external.setdefault(op.callee, len(self.external))
            out += [number, len(op.types), len(op.levels)]
            out += [self.type(t) for t in op.types] + [self.level(x) for x in op.levels]
        elif op.info.attr == "BIND":
            self.bind(op.bound)
            nlevels = sum(p.kind == 4 for p in op.bound)
            out += [len(op.bound) - nlevels, nlevels]
        elif op.info.attr == "DATA":
            out += [self.type(op.type), len(op.extents)] + op.extents + [-1 - self.constant(Constant(19, op.data))]
        if op.info.least != op.info.most:
            out.append(len(op.operands))
        for v in op.operands:
            if isinstance(v, Constant):
                out.append(self.constant(v))
            else:
                at = next(i for i in range(len(self.visible) - 1, -1, -1) if self.visible[i] is v)
                out.append(len(self.visible) - at)
        if op.info.result:
            out.append(self.type(op.result.type))
        for r in op.regions:
            out.append(len(r.params))
            out += [self.type(v.type) for v in r.params]
            self.region(r)
        if op.result:
            self.visible.append(op.result)

    def names(self):
        texts = Texts()

        def number(name):
            return 0 if name is None else -1 - name if isinstance(name, int) else 1 + texts(name)

        for f in self.m.functions:
            name_parameters(f)
        parameters = [number(p.name) for p in self.parameters]
        values = []
        for f in self.m.functions:
            names = distinct_names(f)
            values.append([number(n) for n in settle_numbers(names[v] for v in values_in_order(f))])
        if not any(parameters) and not any(map(any, values)):
            return None
        return pack_array([texts.packed(), pack_ints(parameters), pack_array(map(pack_ints, values))])

    def entries(self, of):
        """An array for each function: of(item) gives the elements behind the distance, for each entry of an item."""
        arrays, any_entry = [], False
        for f in self.m.functions:
            last, out = 0, []
            for i, item in enumerate([f] + list(walk(f.body))):
                for elements in of(item):
                    out.append(pack_int(i - last))
                    out += elements
                    last, any_entry = i, True
            arrays.append(pack_array(out))
        return pack_array(arrays), any_entry

    def locations(self):
        texts = Texts()
        packed, any_entry = self.entries(
            lambda item: [[pack_int(texts(item.loc[0])), pack_int(item.loc[1]), pack_int(item.loc[2])]] if item.loc else [])
        return pack_array([texts.packed(), packed]) if any_entry else None

    def items(self):
        return [self.m] + [item for f in self.m.functions for item in [f] + list(walk(f.body))]

    def properties(self):
        texts = Texts()

        def elements(item):
            return [[pack_int(texts(k)), pack_int(int(must)), pack_int(v) if isinstance(v, int) else pack_text(v)]
                    for k, must, v in properties_in_order(item)]

        own = [x for entry in elements(self.m) for x in entry]
        packed, any_entry = self.entries(elements)
        return pack_array([texts.packed(), pack_array(own), packed]) if own or any_entry else None

    def attributes(self):
        texts = Texts()

        def elements(item):
            return [[pack_int(texts(k)), pack_int(v) if isinstance(v, int) else pack_text(v)] for k, v in item.attrs]

        own = [x for pair in elements(self.m) for x in pair]
        packed, any_entry = self.entries(elements)
        return pack_array([texts.packed(), pack_array(own), packed]) if own or any_entry else None


def write(m, producer):
    return Writer(m, producer).write()
