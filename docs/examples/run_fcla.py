#!/usr/bin/env python3
"""Runs a kernel of an artifact (.fcla) with pyopencl, without libfcl: docs/runtime.md explains it.

    run_fcla.py FILE.fcla ENTRY OUTPUT ARGUMENT...

An argument is a number, or the name of a .npy file, for each leaf of the parameters.  Leaf i of the result goes to OUTPUT.i.npy.
What the entry hands out while it runs is printed at once; what it asks for is in OUTPUT.give0.npy, OUTPUT.give1.npy and so on."""
import itertools
import math
import sys
import msgpack
import numpy as np
import pyopencl as cl

TYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "int": np.int32, "i64": np.int64, "u8": np.uint8,
         "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "double": np.float64}
NUMPY = {"sub": "subtract", "mul": "multiply", "fdiv": "divide", "neg": "negative", "min": "fmin", "max": "fmax", "pow": "power",
         "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "not": "invert", "eq": "equal", "ne": "not_equal",
         "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "select": "where", "asin": "arcsin",
         "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2"}


OPERATORS = {  # those that are no functions of NumPy: of operands, integers as Python's, and the width of their type in bits
    "div": lambda x, y, w: x // y if y else 0,
    "mod": lambda x, y, w: x - y * np.floor(x / y) if isinstance(x, np.floating) else x % y if y else x,
    "quot": lambda x, y, w: abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1) if y else 0,
    "rem": lambda x, y, w: np.fmod(x, y) if isinstance(x, np.floating) else abs(x) % abs(y) * (-1 if x < 0 else 1) if y else x,
    "pow": lambda x, y, w: x ** y if isinstance(x, np.floating) else pow(x, y, 2 ** w) if y >= 0 else int(x ** y) if x else 0,
    "mulhi": lambda x, y, w: x * y >> w, "shl": lambda x, y, w: x << y % w, "shr": lambda x, y, w: x >> y % w,
    "lshr": lambda x, y, w: x % 2 ** w >> y % w, "rotl": lambda x, y, w: x % 2 ** w << y % w | x % 2 ** w >> w - y % w,
    "popcount": lambda x, w: bin(x % 2 ** w).count("1"), "clz": lambda x, w: w - (x % 2 ** w).bit_length(),
    "ctz": lambda x, w: (x & -x).bit_length() - 1 if x else w, "rsqrt": lambda x, w: 1 / np.sqrt(x),
    "erf": lambda x, w: math.erf(x), "round": lambda x, w: np.copysign(np.floor(abs(x) + 0.5), x), "fma": lambda x, y, z, w: x * y + z}


def compute(op, operands):
    if op not in OPERATORS:
        return getattr(np, NUMPY.get(op, op))(*operands)
    width = 8 * operands[0].dtype.itemsize
    return OPERATORS[op](*(x if x.dtype.kind == "f" else int(x) for x in operands), width)


def cast(dtype, x):
    """A number as a value of a type: integers wrap, floats go towards zero, as far as the type reaches."""
    kind = np.dtype(dtype).kind
    if kind not in "iu":
        return dtype(x)
    if isinstance(x, np.floating):
        x = int(max(min(float(x), 2.0 ** 64), -2.0 ** 64)) if x == x else 0
        x = max(min(x, np.iinfo(dtype).max), np.iinfo(dtype).min)
    return np.uint64(int(x) % 2 ** 64).astype(dtype)


class Run:
    """One run of a plan.  Values, memories and so on have numbers from 1."""

    def __init__(self, plan, program, queue, arguments, take=print, give=None):
        self.plan, self.program, self.queue, self.arguments, self.take, self.give = plan, program, queue, arguments, take, give
        self.values, self.buffers, self.leaves, self.results, self.report = {}, {}, [], [None] * len(plan["outputs"]), None
        for number, memory in enumerate(plan["memories"], 1):
            if memory["kind"] == "argument":
                self.upload(number, arguments[memory.get("argument", 0)])
            elif memory["kind"] in ("table", "kept"):
                self.upload(number, np.array(memory["elements"], TYPES[memory["type"]]))
            elif memory["kind"] == "report":
                self.upload(number, np.zeros(5, np.uint32))
                self.report = number
        with np.errstate(all="ignore"):
            self.block(plan["steps"])

    def make(self, memory, count):
        size = int(count) * np.dtype(TYPES[self.plan["memories"][memory - 1]["type"]]).itemsize
        self.buffers[memory] = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, max(1, size))

    def swap(self, one, other):
        kept = {number: buffer for number, buffer in self.buffers.items() if number not in (one, other)}
        self.buffers = kept | {y: self.buffers[x] for x, y in ((one, other), (other, one)) if x in self.buffers}

    def upload(self, memory, array):
        self.buffers[memory] = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR,
                                         hostbuf=np.ascontiguousarray(array) if array.size else np.zeros(1))

    def download(self, memory, count, first=0):
        array = np.empty(count, TYPES[self.plan["memories"][memory - 1]["type"]])
        if count:
            cl.enqueue_copy(self.queue, array, self.buffers[memory], src_offset=first * array.itemsize)
        return array

    def block(self, block):
        """Runs a block; what it yields."""
        for step in block["steps"]:
            self.step(step)
        return self.get(block["yields"])

    def step(self, s):
        of = {key: self.values[number] for key, number in s.items()  # the operands
              if key in ("a", "b", "c", "elements", "element", "groups", "threads", "from", "to", "by", "first", "second")}
        dtype = TYPES[self.plan["values"][s["value"] - 1]] if "value" in s else None
        match s["step"]:
            case "const": self.values[s["value"]] = dtype(s["bits"])
            case "scalar": self.values[s["value"]] = dtype(self.arguments[s["argument"]])
            case "extent": self.values[s["value"]] = dtype(self.arguments[s["argument"]].shape[s["axis"]])
            case "compute": self.values[s["value"]] = cast(dtype, compute(s["op"], list(of.values())))
            case "convert": self.values[s["value"]] = cast(dtype, of["a"])
            case "bitcast": self.values[s["value"]] = of["a"].view(dtype)
            case "allocate": self.make(s["memory"], of["elements"])
            case "free": self.buffers.pop(s["memory"], None)
            case "swap": self.swap(s["memory"], s["with"])
            case "read": self.values[s["value"]] = self.download(s["memory"], 1, int(of["element"]))[0]
            case "launch": self.launch(self.plan["kernels"][s["kernel"] - 1], int(of["groups"]), int(of["threads"]), s["arguments"])
            case "output":
                shape = [int(self.values[extent]) for extent in s["extents"]]
                self.results[s["result"]] = self.download(s["memory"], math.prod(shape)).reshape(shape)
            case "emit":
                shape = [int(self.values[extent]) for extent in s["extents"]]
                self.emit(self.download(s["memory"], math.prod(shape), int(of["first"])).reshape(shape), s["follow"])
            case "emitscalar": self.emit(of["a"], s["follow"])
            case "receive":
                answer, self.leaves = self.give(*self.leaves), []
                self.upload(s["memory"], answer)
                self.set(s["results"], [np.int32(extent) for extent in answer.shape])
            case "check" if not self.values[s["condition"]]:
                self.passed()
                self.fail(s["check"], of["first"], of["second"])
            case "passed": self.passed()
            case "if": self.set(s["results"], self.block(s["then" if self.values[s["condition"]] else "else"]))
            case "for":
                state = self.get(s["carried"])
                for i in range(of["from"], of["to"], of["by"]):
                    self.set(s["body"]["params"], [of["from"].dtype.type(i), *state])
                    state = self.block(s["body"])
                self.set(s["results"], state)
            case "while":
                self.set(s["condition"]["params"], self.get(s["carried"]))
                while self.block(s["condition"])[0]:
                    self.set(s["condition"]["params"], self.block(s["body"]))
                self.set(s["results"], self.get(s["condition"]["params"]))

    def get(self, numbers):
        return [self.values[number] for number in numbers]

    def set(self, numbers, values):
        self.values.update(zip(numbers, values))

    def launch(self, kernel, groups, threads, numbers):
        if groups <= 0:
            return
        given = []
        for argument, number in zip(kernel["arguments"], numbers):
            if argument["takes"] == "value":
                given.append(self.values[number].view(np.uint8) if argument["type"] == "bool" else self.values[number])
            elif argument["takes"] == "local":
                given.append(cl.LocalMemory(int(self.values[number])))
            else:
                if number not in self.buffers:  # allocated in a branch that was not taken: the kernel does not touch it
                    self.make(number, 0)
                given.append(self.buffers[number])
        getattr(self.program, kernel["name"])(self.queue, (groups * threads,), (threads,), *given)

    def emit(self, leaf, follow):
        self.leaves.append(leaf)
        if not follow:
            self.take(*self.leaves)
            self.leaves = []

    def passed(self):
        words = self.download(self.report, 5) if self.report else [0]
        if words[0]:
            self.fail(int(words[0]), *words[1:].view(np.int64))

    def fail(self, number, first, second):
        check = self.plan["checks"][number - 1]
        message = check["message"].replace("%1", str(first)).replace("%2", str(second)).replace("%%", "%")
        raise SystemExit(f"{':'.join(map(str, check.get('at', [])[:3]))}: error[E{check['code']:04}]: {message}")


def load(path):
    """The target of an artifact that every OpenCL device takes."""
    with open(path, "rb") as f:
        magic, major, _, _, features, contents, _ = msgpack.unpackb(f.read())
    assert (magic, major, features) == ("fcla", 0, []), "this program reads artifacts of version 0"
    return next(t for t in contents["targets"] if t["target"] == "opencl-c" and "exchange" not in t)


def main(path, entry, output, *texts):
    target = load(path)
    plan = next(p for p in target["entries"] if p["entry"] == entry)
    arguments = [np.load(text) if leaf["rank"] else TYPES[leaf["type"]](text) for text, leaf in zip(texts, plan["inputs"])]
    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    program = cl.Program(queue.context, target["code"]).build(target.get("options", ""))
    answers = (np.load(f"{output}.give{i}.npy") for i in itertools.count())
    for i, result in enumerate(Run(plan, program, queue, arguments, give=lambda *asked: next(answers)).results):
        np.save(f"{output}.{i}.npy", result)
    queue.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
