"""Reading and writing the text form, after the grammar of docs/format.md."""

import base64
import binascii
import math
import re
import struct
from collections import namedtuple
from fractions import Fraction

from .binary import NAN64, bits_of, float_of, is_utf8
from .module import (Constant, Function, Module, Op, Parameter, Region, Value, distinct_names, good_data, level_name,
                     name_parameters, property_of, value_name, values_in_order)
from .tables import MAJOR, MOST_COMPONENTS, MOST_PARAMETERS, MOST_RANK, NUMBER_NAME, REGION_DEPTH, T, TYPE_DEPTH, refuse

Token = namedtuple("Token", "kind text first")
ITEMS = (b"fun", b"kernel", b"import", b"module", b"section")
MOST_LEVEL = 255

# ---- tokens ----

BLANK = re.compile(rb"(?:[ \t\r\n]|//[^\n]*)*")
TOKENS = (("value", re.compile(rb"%[A-Za-z0-9_.$'#]+")), ("func", re.compile(rb"@[A-Za-z0-9_.$'#]+")),
          ("tvar", re.compile(rb"'[A-Za-z0-9_.$'#]*[A-Za-z0-9_$'#]")),
          ("number", re.compile(rb"0x[A-Za-z0-9_.]*|-0x[A-Za-z0-9_.]*|-?[0-9][A-Za-z0-9_.]*(?:(?<=[eE])[+-][0-9][A-Za-z0-9_.]*)?"
                                rb"|-(?:inf|nan)[A-Za-z0-9_.]*")),
          ("word", re.compile(rb"[A-Za-z_](?:[A-Za-z0-9_.$'#]*[A-Za-z0-9_$'#])?")),
          ("arrow", re.compile(rb"->")), ("string", re.compile(rb'"(?:[^"\\\n]|\\[^\n])*"')),
          ("mark", re.compile(rb"[(){}\[\]<>,:;=.+]")))


def tokens(data):
    out, at = [], 3 if data.startswith(b"\xef\xbb\xbf") else 0
    first = True
    while True:
        end = BLANK.match(data, at).end()
        first = first or b"\n" in data[at:end]
        at = end
        if at == len(data):
            return out + [Token("end", b"", first)]
        for kind, pattern in TOKENS:
            m = pattern.match(data, at)
            if m:
                out.append(Token(m.group().decode() if kind == "mark" else kind, m.group(), first))
                at, first = m.end(), False
                break
        else:
            refuse("unexpected character %r at %d", data[at:at + 1], at)


def string_value(token):
    def escape(m):
        c = m.group(1)
        known = {b"\\": b"\\", b'"': b'"', b"n": b"\n", b"t": b"\t"}
        return known[c] if c in known else bytes([int(c[1:], 16)]) if len(c) == 3 else refuse("unknown escape")
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", escape, token.text[1:-1], flags=re.S)


# ---- reading ----


class Scope:
    """Names of one kind: bound, hidden and forgotten in the order of a stack."""

    def __init__(self):
        self.bound, self.undo = {}, []

    def bind(self, name, what, over=False):
        if name in self.bound and not over:
            refuse("the name %r is in use", name)
        self.undo.append((name, self.bound.get(name)))
        self.bound[name] = what

    def leave(self, mark):
        while len(self.undo) > mark:
            name, before = self.undo.pop()
            if before is None:
                del self.bound[name]
            else:
                self.bound[name] = before


class Reader:
    def __init__(self, data, externals):
        self.tokens, self.at, self.externals = tokens(data), 0, externals
        self.m = Module()

    # tokens

    @property
    def tok(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, kind):
        return self.next() if self.tok.kind == kind else None

    def expect(self, kind):
        return self.take(kind) or refuse("expected %s, found %r", kind, self.tok.text)

    def is_word(self, *words):
        return self.tok.kind == "word" and self.tok.text in words

    def begins_statement(self):
        return self.tok.kind == "value" and self.tokens[self.at + 1].kind in ("=", ":")

    # the file

    def read(self):
        if not self.is_word(b"fcl"):
            refuse("the text begins with fcl and its version")
        self.next()
        m = re.fullmatch(rb"([0-9]{1,7})\.([0-9]{1,7})", self.expect("number").text)
        if not m or int(m.group(1)) != MAJOR:
            refuse("another version")
        self.m.version = int(m.group(1)), int(m.group(2))
        self.calls = []
        while self.tok.kind != "end":
            self.item()
        self.resolve()
        return self.m

    def item(self):
        if self.is_word(b"import"):
            self.next()
            name = self.filled_string()
            if name not in self.externals:
                refuse("no import %r", name)
            if name not in self.m.imports:
                self.m.imports.append(name)
        elif self.is_word(b"module"):
            self.next()
            if not self.is_word(b"attr", b"prop", b"hint"):
                refuse("attr, prop or hint follows module")
            self.beside(self.m)
        elif self.is_word(b"section"):
            self.section()
        elif self.is_word(b"fun", b"kernel"):
            self.function(self.next().text == b"kernel")
        else:
            refuse("%r begins no item", self.tok.text)

    def filled_string(self):
        return string_value(self.expect("string")) or refuse("an empty name")

    def resolve(self):
        own = {f.name for f in self.m.functions}
        imports = [self.externals[i] for i in self.m.imports]
        for op in self.calls:
            op.external = op.callee not in own
            if op.external and not any(op.callee in names for names in imports):
                refuse("no function %r", op.callee)

    def section(self):
        self.next()
        name = self.filled_string()
        if not is_utf8(name) or name.decode() in T.sections:
            refuse("%r is no name of an unknown section", name)
        flags = self.unsigned() if self.tok.kind == "number" else 0
        if flags & 1:
            refuse("a section that must be understood")
        self.m.sections.append((name, flags, self.bytes()))

    def bytes(self):
        text = self.expect("string").text[1:-1]
        try:
            body = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            refuse("not base 64")
        return body if base64.b64encode(body) == text else refuse("not base 64 in its usual form")

    def unsigned(self):
        text = self.expect("number").text
        if not text.isdigit() or int(text) > 2**32 - 1:
            refuse("%r is no number of 32 bits", text)
        return int(text)

    def location(self, item):
        if not self.is_word(b"loc"):
            return
        self.next()
        self.expect("(")
        file = self.filled_string()
        self.expect(":")
        line = self.unsigned()
        self.expect(":")
        item.loc = file, line, self.unsigned()
        self.expect(")")
        if not 0 < line < 2**32 - 1:
            refuse("lines are counted from 1")

    def beside(self, item):
        for key, value in self.entries(b"prop"):
            property_of(item, key, True, value)
        for key, value in self.entries(b"hint"):
            property_of(item, key, False, value)
        for key, value in self.entries(b"attr"):
            if any(k == key for k, _ in item.attrs):
                refuse("the attribute %r stands twice", key)
            item.attrs.append((key, value))

    def entries(self, word):
        if not self.is_word(word):
            return
        self.next()
        self.expect("(")
        while True:
            key = self.filled_string()
            self.expect("=")
            if self.tok.kind == "number":
                text = self.next().text
                if not re.fullmatch(rb"-?[0-9]+", text) or not -2**63 <= int(text) < 2**63:
                    refuse("%r is no integer of 64 bits", text)
                yield key, int(text)
            else:
                yield key, string_value(self.expect("string"))
            if not self.take(","):
                break
        self.expect(")")

    # functions

    def function(self, kernel):
        name = self.expect("func").text[1:]
        f = Function(name, kernel)
        if any(g.name == name for g in self.m.functions):
            refuse("a second function %r", name)
        self.m.functions.append(f)
        self.values, self.tvars, self.lvars = Scope(), Scope(), Scope()
        self.type_binders = self.level_binders = 0
        if self.tok.kind == "<":
            f.bound = self.parameters()
        f.body.params = self.params(True)
        if self.take("arrow"):
            f.result = self.type(1)
        self.location(f)
        self.beside(f)
        self.region(f.body, True, 1)

    def parameters(self):
        out = []
        self.expect("<")
        while self.tok.kind != ">":
            if self.tok.kind == "tvar":
                name = self.next().text[1:]
                if out and out[-1].kind == 4:
                    refuse("type parameters come before level parameters")
                p = Parameter(name, self.kind() if self.take(":") else 0)
                self.tvars.bind(name, p)
            else:
                name = self.expect("word").text
                if not level_name(name, self.m.version):
                    refuse("%r means something else", name)
                p = Parameter(name, 4)
                self.lvars.bind(name, p)
            out.append(p)
            if not self.take(","):
                break
            if self.tok.kind == ">":
                refuse("a parameter follows the comma")
        self.expect(">")
        if max(sum(p.kind == 4 for p in out), sum(p.kind != 4 for p in out)) > MOST_PARAMETERS:
            refuse("too many parameters")
        return out

    def kind(self):
        return T.kinds.get(self.expect("word").text.decode()) or refuse("no kind")

    def params(self, typed):
        out = []
        self.expect("(")
        if self.take(")"):
            return out
        while True:
            name = self.expect("value").text[1:]
            if typed and self.tok.kind != ":":
                refuse("the parameter has no type")
            v = Value(value_name(name), self.type(1) if self.take(":") else None)
            self.values.bind(v.name, v)
            out.append(v)
            if not self.take(","):
                break
        self.expect(")")
        return out

    # types and levels

    def type(self, depth):
        if depth > TYPE_DEPTH:
            refuse("types nest too deep")
        if self.take("<"):
            return self.level_function(depth)
        if self.is_word(b"forall"):
            return self.scheme(depth)
        if self.take("("):
            parts = [self.type(depth + 1)]
            while self.take(","):
                parts.append(self.type(depth + 1))
            self.expect(")")
            if len(parts) > MOST_COMPONENTS:
                refuse("a tuple of %d", len(parts))
            t = parts[0] if len(parts) == 1 else ("tuple", tuple(parts))
        elif self.take("["):
            t = self.array(depth)
        elif self.tok.kind == "word":
            t = "scalar", T.scalar_names.get(self.next().text.decode()) or refuse("no type")
        else:
            t = self.type_parameter()
        t = ("fun", t, self.type(depth + 1)) if self.take("arrow") else t
        return t if height(t) <= TYPE_DEPTH else refuse("types nest too deep")

    def level_function(self, depth):
        mark = len(self.lvars.undo)
        self.lvars.bind(self.expect("word").text, self.level_binders, over=True)
        self.level_binders += 1
        self.expect(">")
        self.expect("arrow")
        body = self.type(depth + 1)
        self.level_binders -= 1
        self.lvars.leave(mark)
        return "lvlfn", body

    def scheme(self, depth):
        self.next()
        mark, kind = len(self.tvars.undo), 0
        self.tvars.bind(self.expect("tvar").text[1:], self.type_binders, over=True)
        self.type_binders += 1
        if self.take(":"):
            kind = self.kind()
        self.expect(".")
        body = self.type(depth + 1)
        self.type_binders -= 1
        self.tvars.leave(mark)
        return "forall", kind, body

    def type_parameter(self):
        name = self.expect("tvar").text[1:]
        what = self.tvars.bound.get(name)
        if what is None:
            refuse("no type parameter %r", name)
        return ("bound", self.type_binders - 1 - what) if isinstance(what, int) else ("var", what)

    def array(self, depth):
        element, rank = self.type(depth + 1), 1
        if self.take(";"):
            text = self.expect("number").text
            if not re.fullmatch(rb"[1-%d]" % MOST_RANK, text):
                refuse("%r dimensions", text)
            rank = int(text)
        self.expect("]")
        if not self.take("<"):
            return "pull", element, rank
        level = self.level()
        self.expect(">")
        return "push", element, rank, level

    def level(self):
        above = 0
        while self.tok.kind == "number" and self.tok.text == b"1":
            self.next()
            self.expect("+")
            above += 1
        name = self.expect("word").text
        what = self.lvars.bound.get(name)
        if name.decode() in T.levels and (what is None or T.word_since[name.decode()] <= self.m.version):
            level = 1, 0, T.levels[name.decode()] + above
        elif what is None:
            refuse("no level %r", name)
        else:
            level = (3, self.level_binders - 1 - what, above) if isinstance(what, int) else (2, what, above)
        return level if level[2] <= MOST_LEVEL else refuse("no machine has such a level")

    # regions and statements

    def region(self, r, body, depth):
        if depth > REGION_DEPTH:
            refuse("regions nest too deep")
        mark = len(self.values.undo)
        self.expect("{")
        if not body and self.tok.kind == "(":
            r.params = self.params(False)
        while True:
            r.ops.append(self.statement(body, depth))
            if not r.ops[-1].info.result:
                break
        self.expect("}")
        self.values.leave(mark)

    def statement(self, body, depth):
        name = type = None
        target = self.tok.kind == "value"
        if target:
            name = value_name(self.next().text[1:])
            if self.take(":"):
                type = self.type(1)
            self.expect("=")
        word = self.expect("word").text
        info = T.by_name.get(word.decode()) or refuse("no operator %r", word)
        op = Op(info)
        if not info.result and (target or (info.name == "return") != body):
            refuse("%s has no result, and ends its own kind of region", info.name)
        marks = len(self.tvars.undo), len(self.lvars.undo)
        self.attribute(op)
        self.operands(op)
        for _ in range(info.regions):
            r = Region()
            op.regions.append(r)
            self.region(r, False, depth + 1)
        self.tvars.leave(marks[0])
        self.lvars.leave(marks[1])
        self.location(op)
        self.beside(op)
        if info.result:
            op.result = Value(name, type)
            if name is not None:
                self.values.bind(name, op.result)
        return op

    def attribute(self, op):
        attr = op.info.attr
        if attr in ("LEVEL", "TYPE"):
            self.expect("<")
            if attr == "LEVEL":
                op.level = self.level()
            else:
                op.type = self.type(1)
            self.expect(">")
        elif attr == "CALL":
            op.callee = self.expect("func").text[1:]
            self.calls.append(op)
            if self.take("<"):
                self.instance(op)
        elif attr == "BIND" and self.tok.kind == "<":
            op.bound = self.parameters()
        elif attr == "DATA":
            self.expect("<")
            op.type = self.type(1)
            self.expect(";")
            op.extents = [self.unsigned()]
            while self.take(","):
                op.extents.append(self.unsigned())
            self.expect(">")
            op.data = self.bytes()
            if not good_data(op.type, op.extents, op.data):
                refuse("no elements of a constant")

    def instance(self, op):
        while self.tok.kind != ">":
            word = self.tok.text if self.tok.kind == "word" else b""
            if self.tok.kind == "number" or word.decode() in T.levels or word in self.lvars.bound:
                op.levels.append(self.level())
            elif op.levels:
                refuse("types come before levels")
            else:
                op.types.append(self.type(1))
            if not self.take(","):
                break
            if self.tok.kind == ">":
                refuse("something follows the comma")
        self.expect(">")

    def at_operand(self):
        """A value that begins the next statement is none, unless it stands on the operator's line, where that cannot be."""
        if self.tok.kind == "value":
            return not self.begins_statement()
        return self.at_literal()

    def at_literal(self):
        t = self.tok
        if t.kind == "number":
            return True
        return t.kind == "word" and (t.text in (b"true", b"false") or
                                     (t.text[:3] in (b"inf", b"nan") and (t.text[3:].decode() in T.scalar_names or not t.text[3:])))

    def operands(self, op):
        call = op.info.attr == "CALL"
        brackets = call and self.take("(")
        if (not call and self.at_operand()) or (brackets and self.tok.kind != ")"):
            while True:
                op.operands.append(self.operand())
                if not self.take(","):
                    break
        if brackets:
            self.expect(")")
        if not op.info.least <= len(op.operands) <= op.info.most:
            refuse("%s does not take %d operands", op.info.name, len(op.operands))

    def operand(self):
        if self.tok.kind == "value":
            if self.begins_statement():
                refuse("a statement begins where an operand should be")
            name = value_name(self.next().text[1:])
            return self.values.bound.get(name) or refuse("%r is not visible", name)
        if not self.at_literal():
            refuse("%r is no operand", self.tok.text)
        return literal(self.next().text)


def height(t):
    """How deep a type nests."""
    kind, *rest = t
    if kind in ("scalar", "var", "bound"):
        return 1
    parts = {"tuple": rest[0], "fun": rest, "lvlfn": rest, "forall": rest[1:], "pull": rest[:1], "push": rest[:1]}[kind]
    return 1 + max(map(height, parts))


LITERAL = re.compile(rb"(-?)(?:(0x)([0-9A-Fa-f]+)|(inf|nan)|([0-9]+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))([A-Za-z0-9_.]*)")


def literal(text):
    if text in (b"true", b"false"):
        return Constant(1, int(text == b"true"))
    m = LITERAL.fullmatch(text)
    if not m:
        refuse("%r is no number", text)
    minus, hexadecimal, hexdigits, special, digits, rest, suffix = m.groups()
    form = 0
    if suffix:
        form = T.scalar_names.get(suffix.decode()) or refuse("%r is no type", suffix)
        if T.scalars[form].kind == "B":
            refuse("bool has no numbers")
    is_float = bool(special or rest)
    if form and is_float != (T.scalars[form].kind == "F") and (is_float or hexadecimal):
        refuse("%r is no number of its type", text)
    if is_float or (form and T.scalars[form].kind == "F"):
        return real(minus, special, (digits or b"") + (rest or b""), form)
    return integer(minus, int(hexdigits, 16) if hexadecimal else int(digits), form)


def integer(minus, magnitude, form):
    if not form:
        if magnitude >= 2**64 or (minus and magnitude > 2**63):
            refuse("more than 64 bits")
        return Constant(17 if minus else 16, magnitude)
    s = T.scalars[form]
    x, width = -magnitude if minus else magnitude, 8 * s.bytes
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if s.kind == "I" else (0, (1 << width) - 1)
    return Constant(form, x) if least <= x <= most and not (s.kind == "U" and minus and magnitude) else refuse("out of range")


def real(minus, special, text, form):
    if special == b"nan":
        return Constant(form or 18, NAN64)
    if special:
        return Constant(form or 18, bits_of(-math.inf if minus else math.inf))
    x = rounded(text, T.scalars[form].bytes if form else 8)
    if math.isinf(x):
        refuse("out of range")
    return Constant(form or 18, bits_of(-x if minus else x))


def rounded(text, size):
    """The nearest float of that many bytes, ties to even: rounded once, not through a float 64."""
    x = float(text)
    if size == 8 or x == 0 or math.isinf(x):
        return x
    precision, least = (24, -149) if size == 4 else (11, -24)
    m = re.fullmatch(rb"([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", text)
    fraction = m.group(2) or b""
    exact = Fraction(int(m.group(1) + fraction)) * Fraction(10) ** (int(m.group(3) or 0) - len(fraction))
    exponent = max(math.frexp(x)[1] - precision, least)
    unit = Fraction(2) ** exponent
    n = round(exact / unit)
    result = float(n * unit)
    return math.inf if result > (float(2**128 - 2**104) if size == 4 else 65504.0) else result


def read(data, externals=None):
    try:
        return Reader(data, {} if externals is None else externals).read()
    except RecursionError:
        return refuse("nests too deep")


# ---- writing ----


def quoted(b):
    out = bytearray(b'"')
    while b:
        n = next((n for n in (1, 2, 3, 4) if len(b) >= n and is_utf8(b[:n])), 0)
        if n == 1 and b[0] in b'"\\':
            out += b"\\" + b[:1]
        elif not n or (n == 1 and (b[0] < 32 or b[0] == 127)):
            out += b"\\x%02x" % b[0]
            n = 1
        else:
            out += b[:n]
        b = b[n:]
    return bytes(out + b'"')


class Writer:
    def __init__(self, m):
        self.m = m

    def write(self):
        m = self.m
        out = [b"fcl %d.%d" % m.version]
        out += [b"import " + quoted(i) for i in m.imports]
        if m.attrs or m.props:
            out.append(b"module" + self.attrs(m))
        out += [self.function(f) for f in m.functions]
        for name, flags, body in m.sections:
            out.append(b"section %s%s \"%s\"" % (quoted(name), b" %d" % flags if flags else b"", base64.b64encode(body)))
        return b"\n".join(out) + b"\n"

    def function(self, f):
        self.choose_names(f)
        head = b"kernel @" if f.kernel else b"fun @"
        params = b", ".join(self.param(v) for v in f.body.params)
        head += f.name + self.bound(f.bound) + b"(" + params + b")"
        if f.result:
            head += b" -> " + self.type(f.result)
        return head + self.loc(f) + self.attrs(f) + self.region(f.body, True)

    def choose_names(self, f):
        """Own names where they are not visible already, another one behind them else, and numbers for what has none."""
        self.names = distinct_names(f)
        taken = set(self.names.values())
        free = (i for i in range(2 * len(self.names) + 1) if i not in taken)
        for v in values_in_order(f):
            if self.names[v] is None:
                self.names[v] = next(free)
        name_parameters(f)

    def value(self, v):
        if isinstance(v, Constant):
            return self.constant(v)
        name = self.names[v]
        return b"%" + (b"%d" % name if isinstance(name, int) else name)

    def param(self, v):
        return self.value(v) + (b": " + self.type(v.type) if v.type else b"")

    @staticmethod
    def constant(k):
        suffix = T.scalars[k.form].name.encode() if k.form in T.scalars else b""
        if k.form == 1:
            return b"true" if k.value else b"false"
        if k.form == 18 or (k.form in T.scalars and T.scalars[k.form].kind == "F"):
            return repr(float_of(k.value)).encode() + suffix
        return (b"-" if k.form == 17 else b"") + b"%d" % k.value + suffix

    def bound(self, parameters):
        if not parameters:
            return b""
        words = []
        for p in parameters:
            kind = next((k for k, n in T.kinds.items() if n == p.kind), "")
            words.append(p.name if p.kind == 4 else b"'" + p.name + (b": " + kind.encode() if kind else b""))
        return b"<" + b", ".join(words) + b">"

    def level(self, level, binders=()):
        base, index, above = level
        if base == 1:
            named = {n: w for w, n in T.levels.items()}
            top = min(above, max(named))
            return b"1+" * (above - top) + named[top].encode()
        return b"1+" * above + (index.name if base == 2 else binders[-1 - index])

    def type(self, t, types=(), levels=()):
        kind, *rest = t

        def inner(x):
            return self.type(x, types, levels)

        if kind == "scalar":
            return T.scalars[rest[0]].name.encode()
        if kind == "var":
            return b"'" + rest[0].name
        if kind == "bound":
            return types[-1 - rest[0]]
        if kind == "tuple":
            return b"(" + b", ".join(map(inner, rest[0])) + b")"
        if kind == "fun":
            left = inner(rest[0])
            if rest[0][0] in ("fun", "lvlfn", "forall"):
                left = b"(" + left + b")"
            return left + b" -> " + inner(rest[1])
        if kind == "lvlfn":
            name = b"l#%d" % len(levels)
            return b"<" + name + b"> -> " + self.type(rest[0], types, levels + (name,))
        if kind == "forall":
            name = b"'t#%d" % len(types)
            kinds = next((b": " + k.encode() for k, n in T.kinds.items() if n == rest[0]), b"")
            return b"forall " + name + kinds + b". " + self.type(rest[1], types + (name,), levels)
        rank = b"; %d" % rest[1] if rest[1] > 1 else b""
        level = b"<" + self.level(rest[2], levels) + b">" if kind == "push" else b""
        return b"[" + inner(rest[0]) + rank + b"]" + level

    @staticmethod
    def loc(item):
        return b" loc(%s:%d:%d)" % (quoted(item.loc[0]), *item.loc[1:]) if item.loc else b""

    @staticmethod
    def attrs(item):
        out = b""
        for word, entries in ((b"prop", [(k, v) for k, must, v in item.props if must]),
                              (b"hint", [(k, v) for k, must, v in item.props if not must]), (b"attr", item.attrs)):
            pairs = [quoted(k) + b" = " + (b"%d" % v if isinstance(v, int) else quoted(v)) for k, v in entries]
            out += b" " + word + b"(" + b", ".join(pairs) + b")" if pairs else b""
        return out

    def region(self, r, body=False):
        head = b" {"
        if r.params and not body:
            head += b" (" + b", ".join(self.param(v) for v in r.params) + b")"
        return b"\n".join([head] + [self.statement(op) for op in r.ops] + [b"}"])

    def statement(self, op):
        out = self.param(op.result) + b" = " if op.result else b""
        out += op.info.name.encode()
        if op.level:
            out += b"<" + self.level(op.level) + b">"
        if op.extents:
            extents = b", ".join(b"%d" % n for n in op.extents)
            out += b"<%s; %s> \"%s\"" % (self.type(op.type), extents, base64.b64encode(op.data))
        elif op.type:
            out += b"<" + self.type(op.type) + b">"
        out += self.bound(op.bound)
        operands = b", ".join(map(self.value, op.operands))
        if op.callee is not None:
            instance = [self.type(t) for t in op.types] + [self.level(x) for x in op.levels]
            out += b" @" + op.callee + (b"<" + b", ".join(instance) + b">" if instance else b"")
            operands = b"(" + operands + b")" if operands else b""
        elif operands:
            operands = b" " + operands
        return out + operands + b"".join(map(self.region, op.regions)) + self.loc(op) + self.attrs(op)


def write(m):
    return Writer(m).write()
