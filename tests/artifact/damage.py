"""Writes damaged and future versions of an artifact: damage.py FILE.fcla FOLDER; a line for each, with the code that a reader
gives, or `good`."""
import copy
import sys
import zlib

import msgpack


def pack(parts, checksum=None):
    """The file; its last five bytes are the checksum, whatever its value."""
    raw = msgpack.packb(parts + [0])[:-1]
    return raw + b"\xce" + (zlib.crc32(raw) if checksum is None else checksum).to_bytes(4, "big")


def steps_of(block):
    """All steps, of inner blocks too."""
    for step in block["steps"]:
        yield step
        for inner in step.values():
            if isinstance(inner, dict):
                yield from steps_of(inner)


def first(plan, *names):
    return next(s for s in steps_of(plan["steps"]) if s["step"] in names)


def changed(parts, change):
    parts = copy.deepcopy(parts)
    change(parts, parts[5]["targets"][0]["entries"][0])
    return pack(parts)


def setter(index, value):
    return lambda parts, plan: parts.__setitem__(index, value)


def drop(record, key):
    del record[key]


def add_target(parts, change):
    """A second code, whose plans are changed."""
    more = copy.deepcopy(parts[5]["targets"][0])
    change(more["entries"][0])
    parts[5]["targets"].append(more)


def retype(face):
    """Another element type of the first array, with its type's text."""
    face["inputs"][0]["type"] = "f32"
    face["params"][0]["type"] = "[f32]"


CHANGES = [  # of the file's parts, or of its first plan
    ("E0123", setter(1, 1)),
    ("good", setter(2, 9)),
    ("E0123", setter(4, ["streams"])),
    ("E0121", setter(0, "fclb")),
    ("good", lambda parts, plan: parts[5].update(later={"a": [1, 2, None, 2.5]})),
    ("good", lambda parts, plan: parts[5]["targets"][0].update({"also": b"\0\1"})),
    ("good", lambda parts, plan: plan.update(streams=[])),
    ("good", lambda parts, plan: plan["kernels"][0].update(registers=12)),
    ("good", lambda parts, plan: plan["kernels"][0]["arguments"][0].update(aligned=16)),
    ("good", lambda parts, plan: plan["steps"].update(weight={})),
    ("good", lambda parts, plan: first(plan, "launch").update(queue=2)),
    ("good", lambda parts, plan: first(plan, "launch").update(at=["f", 1, 2, 3])),
    ("E0121", lambda parts, plan: drop(plan, "kernels")),
    ("E0121", lambda parts, plan: drop(plan["kernels"][0], "name")),
    ("E0121", lambda parts, plan: drop(plan["steps"], "yields")),
    ("E0121", lambda parts, plan: drop(first(plan, "launch"), "kernel")),
    ("E0121", lambda parts, plan: drop(first(plan, "const"), "bits")),
    ("E0121", lambda parts, plan: first(plan, "launch").update(groups="1")),
    ("E0121", lambda parts, plan: first(plan, "launch").update(at=["f", 1])),
    ("E0123", lambda parts, plan: first(plan, "launch").update(step="launch-later")),
    ("E0123", lambda parts, plan: first(plan, "compute").update(op="teleport")),
    ("E0123", lambda parts, plan: plan["values"].__setitem__(0, "i128")),
    ("E0123", lambda parts, plan: plan["memories"][0].update(kind="image")),
    ("E0123", lambda parts, plan: plan["kernels"][0]["arguments"][0].update(takes="image")),
    ("E0123", lambda parts, plan: plan["kernels"][0].update(needs=["tensors"])),
    ("E0125", lambda parts, plan: plan["inputs"][0].update(of=7)),
    ("E0630", lambda parts, plan: first(plan, "launch").update(groups=len(plan["values"]) + 1)),
    ("E0630", lambda parts, plan: first(plan, "launch")["arguments"].pop()),
    ("E0630", lambda parts, plan: first(plan, "launch").update(kernel=99)),
    ("E0630", lambda parts, plan: first(plan, "output").update(memory=99)),
    ("E0630", lambda parts, plan: plan["kernels"][0].update(name="a b")),
    ("E0630", lambda parts, plan: plan["params"][0].update(type="double")),
    ("E0630", lambda parts, plan: plan["steps"]["steps"].reverse()),
    ("good", lambda parts, plan: add_target(parts, lambda more: None)),
    ("E0630", lambda parts, plan: add_target(parts, lambda more: more.update(entry="unheard"))),
    ("E0630", lambda parts, plan: add_target(parts, retype)),
    ("E0121", lambda parts, plan: parts[5]["targets"][0].update(quirks=[1])),
]


def main(path, folder):
    with open(path, "rb") as f:
        raw = f.read()
    parts = msgpack.unpackb(raw)[:-1]
    assert pack(parts)[:4] == raw[:4]
    made = [(code, changed(parts, change)) for code, change in CHANGES]
    made += [("E0120", raw[:n]) for n in (6, 20, len(raw) // 2, len(raw) - 1)]
    made += [("E0122", raw[:n] + bytes([raw[n] ^ 1]) + raw[n + 1:]) for n in (20, len(raw) // 2, len(raw) - 1)]
    made += [("E0122", pack(parts, 0)), ("good", pack(parts))]
    for i, (code, data) in enumerate(made):
        with open(f"{folder}/damaged{i}.fcla", "wb") as f:
            f.write(data)
        print(f"{code}\t{folder}/damaged{i}.fcla")


if __name__ == "__main__":
    main(*sys.argv[1:])
