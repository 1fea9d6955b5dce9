"""Cases of artifacts: a small one by hand, after docs/artifact.md, and what is changed in it."""

import copy
import struct
import sys
import zlib

from cases import Case
from fclfile.binary import head, pack_array, pack_bin, pack_int, pack_str

sys.setrecursionlimit(5000)  # blocks that nest deep
CODE = """__kernel void twice(const int n, __global const int *in, __global int *out)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = 2 * in[i];
}
"""
STEPS = [
    {"step": "extent", "value": 1, "argument": 0, "axis": 0},
    {"step": "const", "value": 2, "bits": 64},
    {"step": "const", "value": 3, "bits": 63},
    {"step": "compute", "value": 4, "a": 1, "b": 3, "op": "add"},
    {"step": "compute", "value": 5, "a": 4, "b": 2, "op": "quot"},
    {"step": "allocate", "elements": 1, "memory": 2},
    {"step": "launch", "groups": 5, "threads": 2, "kernel": 1, "arguments": [1, 1, 2]},
    {"step": "output", "memory": 2, "result": 0, "extents": [1]},
]
PLAN = {
    "entry": "twice",
    "params": [{"name": "xs", "type": "[int]"}],
    "results": [{"type": "[int]"}],
    "inputs": [{"of": 0, "type": "int", "rank": 1}],
    "outputs": [{"of": 0, "type": "int", "rank": 1}],
    "most_elements": 1000,
    "values": ["int"] * 5,
    "memories": [{"kind": "argument", "type": "int"}, {"kind": "allocated", "type": "int"}],
    "kernels": [{"name": "twice", "arguments": [{"takes": "value", "type": "int"}, {"takes": "memory", "type": "int"},
                                                {"takes": "memory", "type": "int", "written": True}]}],
    "checks": [],
    "steps": {"params": [], "yields": [], "steps": STEPS},
}
CONTENTS = {"targets": [{"target": "opencl-c", "options": "-cl-std=CL1.2", "code": CODE, "entries": [PLAN]}]}


def pack(x):
    """As MessagePack; texts are `str`, bytes `bin`."""
    if isinstance(x, bool) or x is None:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[x]
    if isinstance(x, dict):
        return head(len(x), 0x80, 16, ((0xDE, 2),)) + b"".join(pack(k) + pack(v) for k, v in x.items())
    if isinstance(x, float):
        return b"\xcb" + struct.pack(">d", x)
    packers = {int: pack_int, str: lambda s: pack_str(s.encode()), bytes: pack_bin, list: lambda items: pack_array(map(pack, items))}
    return packers[type(x)](x)


def file(contents=CONTENTS, version=(0, 4), producer="conformance", features=(), magic="fcla", checksum=None, more=()):
    data = pack([magic, *version, producer, list(features), contents, *more, 0])[:-1]
    return data + b"\xce" + (zlib.crc32(data) if checksum is None else checksum).to_bytes(4, "big")


def artifact(name, data, code=None, **more):
    return Case("artifact", "artifact/" + name + ".fcla", data, code, **more)


def changed(name, change, code=None, **more):
    """change(target, plan, contents): of a copy of the small one."""
    contents = copy.deepcopy(CONTENTS)
    target = contents["targets"][0]
    change(target, target["entries"][0], contents)
    return artifact(name, file(contents), code, **more)


def step(plan, name):
    return next(s for s in plan["steps"]["steps"] if s["step"] == name)


def set_in(where, **what):
    """A change that sets keys of a step, or of the part of the plan that `where` finds."""
    return lambda t, p, c: (step(p, where) if isinstance(where, str) else where(p)).update(what)


def drop(where, key):
    return lambda t, p, c: (step(p, where) if isinstance(where, str) else where(p)).pop(key)


def insert(at, *steps):
    def change(_, plan, __):
        plan["steps"]["steps"][at:at] = steps
        plan["values"] += ["int"] * 4
    return change


def frame():
    yield artifact("plain", file())
    yield artifact("minor-99", file(version=(0, 99)), same="plain")
    yield artifact("major", file(version=(1, 0)), "E0123")
    yield artifact("feature", file(features=["streams"]), "E0123")
    yield artifact("eight-elements", file(more=[0]), "E0101")
    yield artifact("checksum", file(checksum=0), "E0122")
    for n in (7, 50, len(file()) - 1):
        yield artifact("cut-%d" % n, file()[:n], "E0120")
    yield artifact("something-behind", file() + b"\0", "E0120")
    yield changed("hash", lambda t, p, c: c.update(module=bytes(range(32))))
    yield changed("hash-short", lambda t, p, c: c.update(module=bytes(31)), "E0121")
    yield changed("hash-a-text", lambda t, p, c: c.update(module="0" * 32), "E0121")


def records():
    yield changed("key-unknown", lambda t, p, c: t.update(later={"a": [1, None, 2.5, b"\0"]}), same="plain")
    yield changed("key-unknown-in-a-step", set_in("launch", queue=2), same="plain")
    yield changed("keys-in-another-order", lambda t, p, c: t.update(options=t.pop("options")), same="plain")
    yield changed("target-missing", lambda t, p, c: t.pop("target"), "E0121")
    yield changed("plan-without-kernels", drop(lambda p: p, "kernels"), "E0121")
    yield changed("values-behind-steps", lambda t, p, c: p.update(values=p.pop("values")), "E0121")
    yield changed("code-as-bytes", lambda t, p, c: t.update(code=b"\x7fELF\0"))
    yield changed("no-targets", lambda t, p, c: c.update(targets=[]))
    yield changed("options-empty", lambda t, p, c: t.update(options=""))
    yield changed("number-is-a-text", set_in("launch", groups="5"), "E0121")
    yield changed("number-negative", set_in("launch", groups=-5), "E0121")
    yield changed("place", set_in("launch", at=["twice.c", 1, 2, 3]))
    yield changed("place-of-three", set_in("launch", at=["twice.c", 1, 2]), "E0121")
    yield changed("step-unknown", set_in("allocate", step="teleport"), "E0123")
    yield changed("operator-unknown", set_in("compute", op="teleport"), "E0123")
    yield changed("type-unknown", lambda t, p, c: p["values"].__setitem__(0, "i128"), "E0123")
    yield changed("memory-unknown", set_in(lambda p: p["memories"][0], kind="image"), "E0123")
    yield changed("takes-unknown", set_in(lambda p: p["kernels"][0]["arguments"][0], takes="image"), "E0123")
    yield changed("need-unknown", set_in(lambda p: p["kernels"][0], needs=["tensors"]), "E0123")
    yield changed("needs", set_in(lambda p: p["kernels"][0], needs=["f64", "f16", "atomics64", "groups-wait"]))
    yield changed("quirks", lambda t, p, c: t.update(quirks=["part-turns", "what nobody knows yet"]))
    yield changed("quirks-numbers", lambda t, p, c: t.update(quirks=[1]), "E0121")
    yield changed("constant-out-of-range", set_in("const", bits=2**31), "E0125")
    yield changed("constant-a-boolean", set_in("const", bits=True), "E0121")
    yield changed("step-key-first", lambda t, p, c: p["steps"]["steps"].__setitem__(0, {"value": 1, "step": "extent", "argument": 0, "axis": 0}), "E0121")


def rules():
    yield changed("value-not-defined", set_in("launch", groups=99), "E0630")
    yield changed("value-defined-later", lambda t, p, c: p["steps"]["steps"].reverse(), "E0630")
    yield changed("value-defined-twice", set_in(lambda p: p["steps"]["steps"][2], value=2), "E0630")
    yield changed("kernel-not-there", set_in("launch", kernel=2), "E0630")
    yield changed("memory-not-there", set_in("output", memory=9), "E0630")
    yield changed("argument-not-there", set_in("extent", argument=1), "E0630")
    yield changed("axis-not-there", set_in("extent", axis=1), "E0630")
    yield changed("arguments-too-few", set_in("launch", arguments=[1, 1]), "E0630")
    yield changed("argument-of-another-type", lambda t, p, c: p["values"].__setitem__(0, "i64"), "E0630")
    yield changed("writes-an-argument", set_in("launch", arguments=[1, 2, 1]), "E0630")
    yield changed("writes-an-overwritten-argument", lambda t, p, c: (p["memories"][0].update(overwritten=True), step(p, "launch").update(arguments=[1, 2, 1]),
                                                                    step(p, "output").update(memory=1)))
    yield changed("result-not-there", set_in("output", result=1), "E0630")
    yield changed("result-without-output", lambda t, p, c: p["steps"]["steps"].pop())
    yield changed("extents-too-many", set_in("output", extents=[1, 1]), "E0630")
    yield changed("kernel-name", set_in(lambda p: p["kernels"][0], name="a b"), "E0630")
    yield changed("leaf-of-no-parameter", set_in(lambda p: p["inputs"][0], of=1), "E0125")
    yield changed("leaf-of-another-type", set_in(lambda p: p["inputs"][0], type="f32"), "E0630")
    yield changed("rank-9", set_in(lambda p: p["inputs"][0], rank=9), "E0630")
    branch = {"params": [], "yields": [6], "steps": [{"step": "const", "value": 6, "bits": 0}]}
    other = {"params": [], "yields": [7], "steps": [{"step": "const", "value": 7, "bits": 1}]}
    condition = {"step": "compute", "value": 8, "a": 1, "b": 2, "op": "lt"}

    def with_if(result, then, used):
        def change(_, plan, __):
            plan["values"] += ["int", "int", "bool", "int"]
            plan["steps"]["steps"][2:2] = [condition, {"step": "if", "results": [result], "condition": 8, "then": then, "else": other}]
            step(plan, "allocate")["elements"] = used
        return change
    yield changed("if", with_if(9, branch, 9))
    yield changed("if-value-used-behind-it", with_if(9, branch, 6), "E0630")
    yield changed("if-yields-nothing", with_if(9, {**branch, "yields": []}, 9), "E0630")
    array = {"step": "emit", "first": 3, "memory": 2, "follow": 1, "extents": [1], "show": "tail.int"}
    scalar = {"step": "emitscalar", "a": 1, "follow": 0, "show": ""}
    yield changed("emit", insert(7, array, scalar))
    yield changed("emit-an-argument", insert(7, {**array, "memory": 1, "follow": 0}))
    yield changed("emit-apart", insert(7, array, {"step": "const", "value": 6, "bits": 0}, scalar))
    yield changed("emit-without-a-leaf", insert(7, array), "E0630")
    yield changed("emit-in-another-order", insert(7, scalar, array), "E0630")
    yield changed("emit-two-for-one", insert(7, array, {**array, "follow": 0}, scalar))
    yield changed("emit-a-leaf-left-out", insert(7, {**array, "follow": 2}, scalar), "E0630")
    turns = {"step": "for", "results": [], "from": 3, "to": 1, "by": 2, "carried": [], "body": {"params": [7], "yields": [], "steps": []}}
    yield changed("emit-around-a-loop", insert(7, array, turns, scalar), "E0630")
    yield changed("emit-unfinished-in-a-loop", insert(7, {**turns, "body": {**turns["body"], "steps": [array]}}, scalar), "E0630")
    yield changed("emit-no-extents", insert(7, {**array, "follow": 0, "extents": []}), "E0630")
    yield changed("emit-no-memory", insert(7, {**array, "follow": 0, "memory": 9}), "E0630")
    yield changed("emit-from-nowhere", insert(7, {**array, "follow": 0, "first": 9}), "E0630")
    yield changed("emit-shown-by-a-number", insert(7, {**scalar, "show": 1}), "E0121")
    yield changed("emit-without-show", insert(7, {key: x for key, x in scalar.items() if key != "show"}), "E0121")
    receive = {"step": "receive", "results": [6], "memory": 2, "show": "name"}
    asked = {"step": "emitscalar", "a": 1, "follow": 1, "show": ""}
    yield changed("receive", insert(6, asked, receive))
    yield changed("receive-for-nothing", insert(6, receive))
    yield changed("receive-a-scalar", insert(6, asked, {**receive, "results": []}))
    yield changed("receive-not-last", insert(6, {**asked, "follow": 2}, receive), "E0630")
    yield changed("receive-an-argument", insert(6, asked, {**receive, "memory": 1}), "E0630")
    yield changed("receive-nine-axes", lambda t, p, c: (p["values"].extend(["int"] * 9), p["steps"]["steps"].insert(
        6, {**receive, "results": list(range(6, 15))})), "E0630")
    yield changed("receive-an-extent-of-another-type", lambda t, p, c: (p["values"].append("i64"), p["steps"]["steps"].insert(
        6, receive)), "E0630")
    yield changed("receive-without-show", insert(6, {key: x for key, x in receive.items() if key != "show"}), "E0121")
    swap = {"step": "swap", "memory": 2, "with": 3}

    def another(kind):
        def change(_, plan, __):
            plan["memories"].append({"kind": "allocated", "type": kind})
            plan["steps"]["steps"][6:6] = [{"step": "allocate", "elements": 1, "memory": 3}, swap]
        return change
    yield changed("swap", another("int"))
    yield changed("swap-with-itself", insert(6, {**swap, "with": 2}))
    yield changed("swap-of-another-type", another("u32"), "E0630")
    yield changed("swap-with-an-argument", insert(6, {**swap, "with": 1}), "E0630")
    yield changed("swap-of-an-argument", insert(6, {**swap, "memory": 1, "with": 2}), "E0630")
    yield changed("swap-with-nothing", insert(6, swap), "E0630")
    yield changed("swap-without-with", insert(6, {"step": "swap", "memory": 2}), "E0121")
    loop = {"step": "for", "results": [6], "from": 3, "to": 1, "by": 2, "carried": [1],
            "body": {"params": [7, 8], "yields": [8], "steps": []}}
    yield changed("for", insert(3, loop))
    yield changed("for-parameters-too-few", insert(3, {**loop, "body": {"params": [7], "yields": [7], "steps": []}}), "E0630")
    yield changed("for-parameters-not-in-order", insert(3, {**loop, "body": {"params": [8, 7], "yields": [7], "steps": []}}), "E0125")

    def nested(depth):
        def change(_, plan, __):
            plan["values"] += ["bool"]
            block = {"params": [], "yields": [], "steps": []}
            for _ in range(depth - 1):
                block = {"params": [], "yields": [], "steps": [{"step": "if", "results": [], "condition": 6, "then": block,
                                                                "else": {"params": [], "yields": [], "steps": []}}]}
            plan["steps"]["steps"][2:2] = [{"step": "compute", "value": 6, "a": 1, "b": 2, "op": "lt"}] + block["steps"]
        return change
    yield changed("blocks-nested-200", nested(200))
    yield changed("blocks-nested-201", nested(201), "E0902")


def targets():
    def more(change):
        def both(_, __, contents):
            target = copy.deepcopy(CONTENTS["targets"][0])
            change(target, target["entries"][0])
            contents["targets"].append(target)
        return both
    yield changed("two-targets", more(lambda t, p: t.update(target="cpu-c")))
    yield changed("second-target-without-entries", more(lambda t, p: t.update(entries=[])))
    yield changed("second-target-with-another-entry", more(lambda t, p: p.update(entry="thrice")), "E0630")
    yield changed("second-target-of-another-type", more(lambda t, p: (
        p["inputs"][0].update(type="u32"), p["params"][0].update(type="[u32]"), p["memories"][0].update(type="u32"),
        p["kernels"][0]["arguments"][1].update(type="u32"))), "E0630")


def all_cases():
    for group in (frame, records, rules, targets):
        yield from group()
