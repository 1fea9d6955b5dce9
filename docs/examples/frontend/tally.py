"""Tally, a small language like APL: what docs/frontend.md compiles.  This file reads it; nothing here knows of libfcl.

    mean x[] ← (+/x) ÷ ≢x                        a function of a vector; x without [] would be a number
    x[] dot y[] ← +/ x × y                       of two
    variance x[] ← d ← x - mean x ⋄ mean d × d   ⋄ stands between steps, which may name what they compute

As in APL a function takes all that is to its right.  Every value is a number or a vector of numbers."""

import re
from dataclasses import dataclass, field

WORD = re.compile(r"(?P<number>¯?[0-9]+(\.[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<blank>[ \t]+|⍝.*)|(?P<symbol>\[\]|.)")
TWO_SIDED = set("+-×÷*⌊⌈<=>")
ONE_SIDED = {"-": None, "⍳": False, "≢": True, "⌽": True}  # what they take: either, a number, a vector
REDUCIBLE = set("+×⌊⌈")  # in any order, so that many may work at it
MOST_DEPTH, MOST_LETTERS = 50, 60


@dataclass
class Place:
    """Where something stands: lines from 1, columns from 1 in bytes, as libfcl counts them."""
    file: str
    line: int
    column: int


@dataclass
class Word:
    kind: str  # number, name, symbol, end
    text: str
    place: Place


class Error(Exception):
    """A word, and what is wrong with it."""

    def __init__(self, word, message):
        self.word, self.message = word, f"{word.text or 'the end of the line'} {message}"

    def show(self, text):
        """As libfcl shows its own: FILE:LINE:COLUMN: error[tally]: message, the line, a caret."""
        at, line = self.word.place, text.split("\n")[self.word.place.line - 1]
        before = len(line.encode()[:at.column - 1].decode())
        caret = " " * before + "^" + "~" * (len(self.word.text) - 1)
        return f"{at.file}:{at.line}:{before + 1}: error[tally]: {self.message}\n    {line}\n    {caret}"


@dataclass
class Node:
    """What computes a value."""
    kind: str  # number, name, primitive, reduce, scan, each, call
    word: Word
    vector: bool  # else a number
    args: list = field(default_factory=list)
    value: object = None  # the numbers; the definition that each and call mean


@dataclass
class Definition:
    word: Word  # its name
    params: list  # (name, is it a vector)
    steps: list = field(default_factory=list)  # (name, node)
    result: Node = None


def words(line, file, number):
    for m in WORD.finditer(line):
        if m.lastgroup != "blank":
            yield Word(m.lastgroup, m[0], Place(file, number, len(line[:m.start()].encode()) + 1))
    yield Word("end", "", Place(file, number, len(line.split("⍝")[0].encode()) + 1))


class Parser:
    """One line: a definition."""

    def __init__(self, line, definitions):
        self.words, self.at, self.depth = line, 0, 0
        self.definitions, self.vectors = definitions, {}  # which of the names that are visible are vectors

    @property
    def next(self):
        return self.words[self.at]

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def took(self, text):
        return self.next.text == text and bool(self.take())

    def expect(self, text):
        if not self.took(text):
            raise Error(self.next, f"stands where {text} is expected")

    def name(self):
        if self.next.kind != "name":
            raise Error(self.next, "stands where a name is expected")
        if len(self.next.text) > MOST_LETTERS:
            raise Error(self.next, "is too long")
        return self.take()

    def enter(self, word, vector):
        if word.text in self.definitions or word.text in self.vectors:
            raise Error(word, "is defined already")
        self.vectors[word.text] = vector

    # ---- definitions: [parameter] NAME parameter ← { NAME ← expression ⋄ } expression ----

    def parameter(self):
        return self.name(), self.took("[]")

    def definition(self):
        two = self.words[self.at + 1].text == "[]" or self.words[self.at + 2].kind == "name"
        params = [self.parameter()] if two else []
        name = self.name()
        params.append(self.parameter())
        self.expect("←")
        if name.text in self.definitions:
            raise Error(name, "is defined already")
        for param in params:
            self.enter(*param)
        made = Definition(name, [(word.text, vector) for word, vector in params])
        while self.next.kind == "name" and self.words[self.at + 1].text == "←":
            step = self.name()
            self.expect("←")
            node = self.expression()
            self.enter(step, node.vector)
            made.steps.append((step.text, node))
            self.expect("⋄")
        made.result = self.expression()
        if self.next.kind != "end":
            raise Error(self.next, "stands where a function is expected")
        return made

    # ---- expressions: [operand] function expression | operand ----

    def expression(self):
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Error(self.next, "is too deep in one expression: name a part of it, and put ⋄ behind it")
        left = self.operand() if self.begins_operand() else None
        if left is None or self.begins_function():
            left = self.applied(left)
        self.depth -= 1
        return left

    def begins_operand(self):
        return self.next.kind == "number" or self.next.text == "(" or self.next.text in self.vectors

    def begins_function(self):
        return self.next.text in TWO_SIDED or self.next.text in ONE_SIDED or self.next.text in self.definitions

    def operand(self):
        if self.took("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if self.next.kind == "name":
            return Node("name", self.next, self.vectors[self.take().text])
        first, numbers = self.next, []
        while self.next.kind == "number":
            numbers.append(float(self.take().text.replace("¯", "-")))
        return Node("number", first, len(numbers) > 1, value=numbers)

    def applied(self, left):
        """A function, what is on its left, if anything, and all that is on its right."""
        if not self.begins_function():
            known = self.next.kind != "name"
            raise Error(self.next, "stands where a value is expected" if known else "is not defined")
        word = self.take()
        operator = self.next.text if self.next.text in ("/", "\\", "¨") else ""
        if operator:
            self.take()
        right = self.expression()
        node = Node("primitive", word, False, [right] if left is None else [left, right], self.definitions.get(word.text))
        if operator and left is not None:
            raise Error(word, "takes nothing on its left here")
        if operator:
            self.operator(node, operator)
        elif node.value:
            self.call(node)
        else:
            self.primitive(node)
        return node

    def operator(self, node, operator):
        node.kind, node.vector = {"/": ("reduce", False), "\\": ("scan", True), "¨": ("each", True)}[operator]
        if operator != "¨" and node.word.text not in REDUCIBLE:
            raise Error(node.word, "cannot be reduced or scanned: + × ⌊ ⌈ can")
        if operator == "¨" and not (node.value and [v for _, v in node.value.params] + [node.value.result.vector] == [False, False]):
            raise Error(node.word, "is no function of one number that gives a number, as ¨ wants it")
        if not node.args[0].vector:
            raise Error(node.word, "takes a vector here")

    def call(self, node):
        wanted = [vector for _, vector in node.value.params]
        if wanted != [a.vector for a in node.args]:
            raise Error(node.word, "takes " + " and ".join("a vector" if v else "a number" for v in wanted))
        node.kind, node.vector = "call", node.value.result.vector

    def primitive(self, node):
        symbol, vectors = node.word.text, [a.vector for a in node.args]
        if len(vectors) == 2:
            if symbol not in TWO_SIDED:
                raise Error(node.word, "takes nothing on its left")
            node.vector = True in vectors
        elif symbol not in ONE_SIDED:
            raise Error(node.word, "wants a value on its left, too")
        elif ONE_SIDED[symbol] not in (None, vectors[0]):
            raise Error(node.word, "takes a vector" if ONE_SIDED[symbol] else "takes a number")
        else:
            node.vector = vectors[0] if symbol == "-" else symbol != "≢"


def parse(text, file):
    """The definitions of a program, by name; each line is one, and may use those above it."""
    definitions = {}
    for number, line in enumerate(text.split("\n"), 1):
        found = list(words(line, file, number))
        if len(found) > 1:
            made = Parser(found + found[-1:] * 2, definitions).definition()
            definitions[made.word.text] = made
    return definitions
