"""Tally to the FCL core, whatever form that is written in: `translate` calls a writer, which text.py and binary.py have.

    imports(names)                        the files whose functions are used
    begin(name, kernel, params, result)   a function; params are (name, type); gives their values
    op(name, operands, ...)               an operation; gives its value.  `what` stands in <...>, or is the function of a call;
                                          `takes` and `body` are of its region: the types of the region's parameters, and a
                                          function from their values to what it yields; `text` is for assert
    end(value)                            the function returns it
    place                                 where in the user's file that is from which operations are made now

Numbers of Python are operands, too: an int, or a float.  Everything in Tally is a double or a [double]."""

from tally import Error

TWO_SIDED = {"+": "add", "-": "sub", "×": "mul", "÷": "fdiv", "*": "pow", "⌊": "min", "⌈": "max",
             "<": "lt", "=": "eq", ">": "gt"}
NEUTRAL = {"+": 0.0, "×": 1.0, "⌊": float("inf"), "⌈": float("-inf")}
IMPORTED = {"fold", "reduce", "scanChained", "reverse"}  # what is used of the preludes
SHAPES = {False: "double", True: "[double]"}
ITEMS = 16  # elements that a thread takes in a reduction or scan of the whole grid


class Translation:
    def __init__(self, writer):
        self.out = writer
        self.wanted = {}  # functions that are called: their names, and the definition and level of each

    def program(self, definitions):
        self.out.imports(["prelude", "prelude.scan"])
        for definition in definitions.values():
            self.kernel(definition)
        done = 0
        while done < len(self.wanted):  # each may want others
            self.function(*list(self.wanted.items())[done])
            done += 1

    def kernel(self, d):
        """What a user runs: a function's result, computed by the grid."""
        if d.word.text in IMPORTED:
            raise Error(d.word, "is a name that Tally needs itself")
        params = [(name, SHAPES[vector]) for name, vector in d.params]
        self.out.place = d.word.place
        values = self.out.begin(d.word.text, True, params, "[double]<grid>")
        result = self.out.op("call", values, what=self.want(d, "grid"))
        if not d.result.vector:
            result = self.out.op("array", [result])
        self.out.end(self.out.op("push", [result], what="grid"))

    def want(self, d, level):
        self.wanted[f"{d.word.text}.{level}"] = d, level
        return f"{d.word.text}.{level}"

    def function(self, name, wanted):
        d, self.level = wanted
        self.out.place = d.word.place
        params = [(name, SHAPES[vector]) for name, vector in d.params]
        values = self.out.begin(name, False, params, SHAPES[d.result.vector])
        self.named = dict(zip([name for name, _ in params], values))
        for step, node in d.steps:
            self.named[step] = self.value(node)
        self.out.end(self.value(d.result))

    # ---- expressions ----

    def value(self, node):
        if node.kind == "name":
            return self.named[node.word.text]
        if node.kind == "number":
            return self.out.op("array", node.value) if node.vector else node.value[0]
        args = [self.value(a) for a in reversed(node.args)][::-1]  # the right one first, as in APL
        self.out.place = node.word.place
        return getattr(self, node.kind)(node, *args)

    def primitive(self, node, *args):
        if len(args) == 1:
            return self.one_sided(node, *args)
        (x, y), (left, right) = args, [a.vector for a in node.args]
        if left and right:
            n = self.agreed(x, y)
            return self.generate(n, lambda i: self.scalar(node, self.out.op("index", [x, i]), self.out.op("index", [y, i])))
        if left:
            return self.map(x, lambda e: self.scalar(node, e, y))
        if right:
            return self.map(y, lambda e: self.scalar(node, x, e))
        return self.scalar(node, x, y)

    def scalar(self, node, x, y):
        result = self.out.op(TWO_SIDED[node.word.text], [x, y])
        return self.double(result) if node.word.text in "<=>" else result

    def one_sided(self, node, x):
        match node.word.text:
            case "⍳": return self.generate(self.out.op("convert", [x], what="int"),
                                           lambda i: self.double(self.out.op("add", [i, 1])))
            case "≢": return self.double(self.out.op("length", [x]))
            case "⌽": return self.out.op("call", [x], what="reverse")
        negated = lambda e: self.out.op("neg", [e])
        return self.map(x, negated) if node.vector else negated(x)

    def agreed(self, x, y):
        """The length of two vectors; a run in which they differ fails, and says where."""
        n = self.out.op("length", [x])
        same = self.out.op("eq", [n, self.out.op("length", [y])])
        return self.out.op("assert", [same], takes=[], body=lambda: n, text="the vectors have different lengths")

    def combine(self, node):
        """add, and its like, as a function."""
        return self.out.op("fn", [], takes=["double", "double"], body=lambda x, y: self.scalar(node, x, y))

    def reduce(self, node, x):
        if self.level == "thread":
            return self.out.op("call", [self.combine(node), NEUTRAL[node.word.text], x], what="fold")
        made = self.out.op("call", [ITEMS, self.combine(node), NEUTRAL[node.word.text], x], what="reduce")
        return self.out.op("index", [self.out.op("force", [made]), 0])

    def scan(self, node, x):
        if self.level == "thread":
            raise Error(node.word, "cannot scan in what ¨ applies: a thread would be alone with it")
        made = self.out.op("call", [ITEMS, self.combine(node), NEUTRAL[node.word.text], x], what="scanChained")
        return self.out.op("force", [made])

    def each(self, node, x):
        function = self.want(node.value, "thread")
        return self.map(x, lambda e: self.out.op("call", [e], what=function))

    def call(self, node, *args):
        return self.out.op("call", args, what=self.want(node.value, self.level))

    # ---- what is written often ----

    def double(self, x):
        return self.out.op("convert", [x], what="double")

    def map(self, xs, body):
        return self.out.op("map", [xs], takes=["double"], body=body)

    def generate(self, n, body):
        return self.out.op("generate", [n], takes=["int"], body=body)


def translate(definitions, writer):
    Translation(writer).program(definitions)
