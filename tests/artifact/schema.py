"""Holds artifacts to docs/artifact.md: schema.py PAGE FILE.fcla...

The tables of the page are the schema, read here by themselves: which keys each record has, which of them are always there, and
what stands under them."""
import re
import sys
import zlib

import msgpack

ONE_OF = {"targets": "target", "plans": "plan", "parameters": "parameter", "leaves": "leaf", "scalar types": "scalar type",
          "memories": "memory", "kernels": "kernel", "checks": "check", "scalars": "scalar", "arguments": "argument",
          "local arrays": "local", "needs": "need", "texts": "text", "values": "value", "steps": "step", "values and memories": "value"}
SCALARS = {"bool", "i8", "i16", "int", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "double"}


def tables_of(page):
    """The rows of each table of the page by its name; a row is a list of cells."""
    with open(page, encoding="utf-8") as f:
        text = f.read()
    tables = {}
    for name, body in re.findall(r"<!-- table: (\S+) -->\n\n(.*?)\n\n<!-- end -->", text, re.S):
        rows = [line.strip("| ").split(" | ") for line in body.split("\n")[2:]]
        tables[name] = [[row[0].strip("`")] + row[1:] for row in rows]
    return tables


class Checker:
    def __init__(self, tables):
        self.words = {name: {row[0] for row in tables[name]} for name in ("plan-memories", "plan-takes", "plan-needs")}
        self.records = {name[7:]: {row[0]: (row[1], row[2] == "always") for row in rows}
                        for name, rows in tables.items() if name.startswith("record-")}
        self.steps = {}
        for row in tables["plan-steps"]:
            keys = [part.strip().split(" ", 1) for part in row[1].split(";") if part.strip().startswith("`")]
            self.steps[row[0]] = {key.strip("`"): form.split(",")[0] for key, form in keys}

    def record(self, name, value):
        assert isinstance(value, dict), f"a {name} is a map, not {value!r}"
        fields = self.records[name]
        unknown = set(value) - set(fields)
        missing = {key for key, (_, always) in fields.items() if always} - set(value)
        assert not unknown and not missing, f"a {name} has {unknown} too much and lacks {missing}"
        for key, x in value.items():
            try:
                self.value(fields[key][0], x)
            except AssertionError as why:
                raise AssertionError(f"{name}.{key}: {why}") from None

    def value(self, form, x):
        if form.startswith("list of "):
            assert isinstance(x, list), f"{x!r} is no list"
            for one in x:
                self.value(ONE_OF[form[8:]], one)
        elif form in ("text", "text or bytes", "bytes", "boolean", "scalar"):
            kinds = {"text": str, "bytes": bytes, "boolean": bool, "scalar": (bool, int, float)}
            assert isinstance(x, kinds.get(form, (str, bytes))), f"{x!r} is no {form}"
        elif form == "number" or form == "value" or form == "memory" and not isinstance(x, dict):
            assert isinstance(x, int) and not isinstance(x, bool) and x >= (form != "number"), f"{x!r} is no {form}"
        elif form == "scalar type":
            assert x in SCALARS, f"{x!r} is no scalar type"
        elif form == "place":
            assert [type(part) for part in x] == [str, int, int, int], f"{x!r} is no place"
        elif form in ("kind of memory", "what it takes", "need"):
            words = {"kind of memory": "plan-memories", "what it takes": "plan-takes", "need": "plan-needs"}[form]
            assert x in self.words[words], f"{x!r} is no {form}"
        elif form == "step":
            self.step(x)
        else:
            self.record(form, x)

    def step(self, s):
        assert next(iter(s)) == "step", "the first key of a step"
        keys = self.steps[s["step"]]
        optional = {"at"} | ({"b", "c"} if s["step"] == "compute" else set())
        assert set(s) - {"step", "at"} <= set(keys), f"{s} has a key that is not in the table"
        assert set(keys) - optional <= set(s), f"{s} lacks a key"
        for key, x in s.items():
            if key not in ("step", "at"):
                self.value(keys[key], x)


def check(checker, path):
    with open(path, "rb") as f:
        raw = f.read()
    assert raw[:6] == b"\x97\xa4fcla" and raw[-5] == 0xce, "the frame"
    magic, major, minor, producer, features, contents, checksum = msgpack.unpackb(raw)
    assert (magic, major, minor, features) == ("fcla", 0, 4, []) and isinstance(producer, str), "the head"
    assert checksum == zlib.crc32(raw[:-5]), "the checksum"
    checker.record("contents", contents)


def main(page, *paths):
    checker = Checker(tables_of(page))
    failed = 0
    for path in paths:
        try:
            check(checker, path)
        except AssertionError as why:
            print(f"{path}: {why}")
            failed = 1
    return failed


sys.exit(main(*sys.argv[1:]))
