#!/usr/bin/env python3
"""Runs a kernel of an artifact (.fcla) with pyopencl, without libfcl: docs/runtime.md step by step.

    run_fcla.py FILE.fcla ENTRY OUTPUT ARGUMENT...

An argument is a number, or the name of a .npy file, for each leaf of the parameters.  Leaf i of the
result goes to OUTPUT.i.npy."""

import sys

import msgpack
import numpy as np
import pyopencl as cl

DTYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "int": np.int32, "i64": np.int64, "u8": np.uint8,
          "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "double": np.float64}


def quot(a, b):
    """Towards zero; 0 when b is 0."""
    return 0 if b == 0 else abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)


def div(a, b):
    return 0 if b == 0 else int(a) // int(b)


OPERATORS = {  # the scalar operators that plans of whole numbers need; docs/core.md has all
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a, "abs": abs,
    "quot": quot, "div": div, "rem": lambda a, b: a - b * quot(a, b) if b else a,
    "mod": lambda a, b: a - b * div(a, b) if b else a, "min": min, "max": max, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: not a if isinstance(a, bool) else ~a,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "select": lambda c, a, b: a if c else b,
    "shl": lambda a, b: a << (b % 32), "shr": lambda a, b: a >> (b % 32), "clz": lambda a: 32 - (int(a) & 0xffffffff).bit_length()}


class Failed(Exception):
    """A check of the program that did not hold."""


class Run:
    def __init__(self, plan, program, queue, arguments):
        self.plan, self.program, self.queue, self.arguments = plan, program, queue, arguments
        self.values = {}
        self.results = [None] * len(plan["outputs"])
        self.buffers = {}
        self.report = None
        for number, memory in enumerate(plan["memories"], 1):
            if memory["kind"] == "argument":
                self.buffers[number] = self.upload(arguments[memory.get("argument", 0)])
            elif memory["kind"] == "table":
                self.buffers[number] = self.upload(np.array(memory["elements"], DTYPES[memory["type"]]))
            elif memory["kind"] == "report":
                self.report = number
                self.buffers[number] = self.upload(np.zeros(5, np.uint32))

    def upload(self, array):
        buffer = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, max(1, array.nbytes))
        if array.nbytes:
            cl.enqueue_copy(self.queue, buffer, np.ascontiguousarray(array))
        return buffer

    def download(self, memory, count, first=0):
        array = np.empty(count, DTYPES[self.plan["memories"][memory - 1]["type"]])
        if count:
            cl.enqueue_copy(self.queue, array, self.buffers[memory], src_offset=first * array.itemsize)
        return array

    def give(self, number, x):
        """A value, cut to its type."""
        dtype = DTYPES[self.plan["values"][number - 1]]
        self.values[number] = np.array(x).astype(dtype).item()

    def block(self, block):
        for step in block["steps"]:
            getattr(self, "do_" + step["step"])(step)
        return [self.values[y] for y in block["yields"]]

    def do_const(self, s):
        self.give(s["value"], s["bits"])

    def do_scalar(self, s):
        self.give(s["value"], self.arguments[s["argument"]])

    def do_extent(self, s):
        self.give(s["value"], self.arguments[s["argument"]].shape[s["axis"]])

    def do_compute(self, s):
        self.give(s["value"], OPERATORS[s["op"]](*[self.values[s[k]] for k in "abc" if k in s]))

    def do_convert(self, s):
        self.give(s["value"], self.values[s["a"]])

    def do_bitcast(self, s):
        self.values[s["value"]] = np.array(self.values[s["a"]], DTYPES[self.plan["values"][s["a"] - 1]]).view(
            DTYPES[self.plan["values"][s["value"] - 1]]).item()

    def do_allocate(self, s):
        size = self.values[s["elements"]] * np.dtype(DTYPES[self.plan["memories"][s["memory"] - 1]["type"]]).itemsize
        self.buffers[s["memory"]] = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, max(1, size))

    def do_free(self, s):
        self.buffers.pop(s["memory"], None)

    def do_read(self, s):
        self.give(s["value"], self.download(s["memory"], 1, self.values[s["element"]])[0])

    def do_passed(self, s):
        words = self.download(s["memory"], 5)
        if words[0]:
            self.fail(int(words[0]), *(int(x) for x in words[1:].view(np.int64)))

    def do_check(self, s):
        if not self.values[s["condition"]]:
            if self.report:
                self.do_passed({"memory": self.report})
            self.fail(s["check"], self.values[s["first"]], self.values[s["second"]])

    def fail(self, number, first, second):
        check = self.plan["checks"][number - 1]
        raise Failed(f"{':'.join(map(str, check.get('at', [])[:3]))}: E{check['code']:04}: "
                     + check["message"].replace("%1", str(first)).replace("%2", str(second)).replace("%%", "%"))

    def do_launch(self, s):
        kernel = self.plan["kernels"][s["kernel"] - 1]
        groups, threads = self.values[s["groups"]], self.values[s["threads"]]
        if groups <= 0:
            return
        given = []
        for argument, number in zip(kernel["arguments"], s["arguments"]):
            if argument["takes"] == "value":
                dtype = DTYPES[argument["type"]]
                given.append(np.uint8(self.values[number]) if dtype == np.bool_ else dtype(self.values[number]))
            elif argument["takes"] == "local":
                given.append(cl.LocalMemory(self.values[number]))
            else:  # a memory of a branch that was not taken has no room: the kernel does not touch it
                given.append(self.buffers.setdefault(number, cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, 1)))
        cl.Kernel(self.program, kernel["name"])(self.queue, (groups * threads,), (threads,), *given)

    def do_output(self, s):
        shape = [self.values[e] for e in s["extents"]]
        self.results[s["result"]] = self.download(s["memory"], int(np.prod(shape))).reshape(shape)

    def do_if(self, s):
        self.values.update(zip(s["results"], self.block(s["then" if self.values[s["condition"]] else "else"])))

    def do_for(self, s):
        index, *carried = s["body"]["params"]
        state = [self.values[c] for c in s["carried"]]
        for i in range(self.values[s["from"]], self.values[s["to"]], self.values[s["by"]]):
            self.values.update({index: i}, **{})
            self.values.update(zip(carried, state))
            state = self.block(s["body"])
        self.values.update(zip(s["results"], state))

    def do_while(self, s):
        state = [self.values[c] for c in s["carried"]]
        while True:
            self.values.update(zip(s["condition"]["params"], state))
            if not self.block(s["condition"])[0]:
                break
            state = self.block(s["body"])
        self.values.update(zip(s["results"], state))


def main(path, entry, output, *arguments):
    with open(path, "rb") as f:
        magic, major, _, _, features, contents, _ = msgpack.unpackb(f.read(), strict_map_key=False)
    assert (magic, major, features) == ("fcla", 0, []), "this program reads artifacts of version 0"
    target = next(t for t in contents["targets"] if t["target"] == "opencl-c" and "exchange" not in t)
    plan = next(p for p in target["entries"] if p["entry"] == entry)
    arrays = [np.load(a) if leaf["rank"] else np.array(eval(a, {"inf": np.inf, "nan": np.nan, "true": 1, "false": 0}),
                                                       DTYPES[leaf["type"]]).item()
              for a, leaf in zip(arguments, plan["inputs"])]
    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    program = cl.Program(queue.context, target["code"]).build(target.get("options", "")) if plan["kernels"] else None
    run = Run(plan, program, queue, arrays)
    try:
        run.block(plan["steps"])
    except Failed as why:
        sys.exit(str(why))
    for i, result in enumerate(run.results):
        np.save(f"{output}.{i}.npy", result)


main(*sys.argv[1:])
