"""Tally to the binary form of the FCL core, MessagePack, as docs/format.md has it:

    python3 binary.py stats.tally > stats.fclb
    fclc run stats.fclb --entry=mean '[1, 2, 3, 6]'"""

import sys
import zlib

from msgpack import packb

from tally import Error, parse
from translate import translate

# What Tally needs of the tables of docs/format.md.
OPERATORS = {"add": 1, "sub": 2, "mul": 3, "fdiv": 8, "neg": 9, "min": 12, "max": 13, "pow": 14, "eq": 40, "lt": 42, "gt": 44,
             "convert": 200, "array": 212, "assert": 215, "fn": 220, "call": 223, "generate": 230, "length": 231, "index": 233,
             "map": 234, "push": 235, "force": 236, "yield": 250, "return": 251}
COUNTED = {"array", "call", "generate", "index"}  # may have more operands or fewer, so that their number is written
GRID = 3 * 4 + 1  # three levels above thread
TYPES = {"double": [1, 11], "int": [1, 4], "[double]": [8, 1, 1], "[double]<grid>": [9, 1, 1, GRID]}
NUMBERS = {name: number for number, name in enumerate(TYPES, 1)}
INTEGER, REAL = 16, 18  # constants whose types follow from where they stand
REQUIRED = 1


class Value(int):
    """A place in the list of visible values; plain numbers are constants."""


class Binary:
    def __init__(self):
        self.place = None
        self.strings, self.constants, self.imported, self.own, self.names = {}, {}, {}, {}, {}  # what has a number
        self.heads, self.codes, self.named, self.places, self.texts = [], [], [], [], []

    @staticmethod
    def number(table, entry):
        """Where an entry is in a table, at whose end it is put if it is not there."""
        return table.setdefault(entry, len(table))

    def imports(self, names):
        self.imports = [self.number(self.strings, name) for name in names]

    def begin(self, name, kernel, params, result):
        self.number(self.own, name)
        types = [NUMBERS[type] for _, type in params]
        self.heads.append([self.number(self.strings, name), int(kernel), 0, 0, types, NUMBERS[result]])
        self.code, self.visible, self.items = [], 0, -1  # items: operations so far, the function itself being item 0
        self.codes.append(self.code)
        for table in self.named, self.places, self.texts:
            table.append([])
        self.item(self.place)
        return [self.value(name) for name, _ in params]

    def end(self, value):
        self.item(self.place)
        self.code += [OPERATORS["return"], self.operand(value)]

    def op(self, name, operands, what=None, takes=None, body=None, text=None):
        place = self.place
        self.item(place, text)
        self.code.append(OPERATORS[name])
        self.code += {"call": [what, 0, 0], "convert": [NUMBERS.get(what)], "push": [GRID], "fn": [0, 0]}.get(name, [])
        self.code += [len(operands)] if name in COUNTED else []
        self.code += [self.operand(x) for x in operands]
        self.code.append(0)  # the type of the result is left to the checker
        if body:
            outside = self.visible
            self.code += [len(takes)] + [NUMBERS[type] for type in takes]
            result = body(*[self.value() for _ in takes])
            self.item(place)
            self.code += [OPERATORS["yield"], self.operand(result)]
            self.visible = outside  # what the region has made is not seen behind it
        return self.value()

    def value(self, name=None):
        self.named[-1].append(0 if name is None else 1 + self.number(self.names, name))
        self.visible += 1
        return Value(self.visible - 1)

    def operand(self, x):
        if isinstance(x, Value):
            return self.visible - x
        return -1 - self.number(self.constants, (INTEGER if isinstance(x, int) else REAL, repr(x)))

    def item(self, place, text=None):
        """What is made now has its place in the user's file, and for assert a text."""
        self.items += 1
        self.places[-1].append((self.items, [0, place.line, place.column]))
        if text:
            self.texts[-1].append((self.items, [0, text]))

    # ---- the file ----

    def function(self, x):
        """A function's name, as its number: own ones first, then imported ones."""
        if not isinstance(x, str):
            return x
        return self.own[x] if x in self.own else len(self.own) + self.number(self.imported, x)

    @staticmethod
    def steps(items):
        """Each item says how far it is behind the one before."""
        flat, before = [], 0
        for item, rest in items:
            flat += [item - before] + rest
            before = item
        return flat

    def file(self, source):
        codes = [[self.function(x) for x in code] for code in self.codes]
        imported = [self.number(self.strings, name) for name in self.imported]
        constants = [x for form, text in self.constants for x in (form, int(text) if form == INTEGER else float(text))]
        sections = [
            ["strings", REQUIRED, list(self.strings)],
            ["types", REQUIRED, [[], list(TYPES.values())]],
            ["constants", REQUIRED, constants],
            ["functions", REQUIRED, [self.imports, imported, self.heads]],
            ["code", REQUIRED, codes],
            ["names", 0, [list(self.names), [], self.named]],
            ["locations", 0, [[source], [self.steps(f) for f in self.places]]],
            ["attributes", 0, [["text"], [], [self.steps(f) for f in self.texts]]],
        ]
        packed = [[name, flags, packb(contents)] for name, flags, contents in sections]
        data = b"\x97" + b"".join(map(packb, ["fclb", 0, 3, "binary.py", [], packed]))
        return data + b"\xce" + zlib.crc32(data).to_bytes(4, "big")


def main(path):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    try:
        writer = Binary()
        translate(parse(source, path), writer)
    except Error as error:
        sys.exit(error.show(source))
    sys.stdout.buffer.write(writer.file(path))


if __name__ == "__main__":
    main(sys.argv[1])
