"""Compares artifacts with their JSON: json_form.py FILE.fcla FILE.json...

Read back as docs/artifact.md says, the JSON is the value of the file, down to the sign of a zero."""
import json
import math
import sys

import msgpack


def same(x, y):
    """x of MessagePack, y of JSON."""
    if isinstance(x, bytes):
        return isinstance(y, dict) and set(y) == {"hex"} and bytes.fromhex(y["hex"]) == x
    if isinstance(x, dict):
        return isinstance(y, dict) and list(x) == list(y) and all(same(x[key], y[key]) for key in x)
    if isinstance(x, list):
        return isinstance(y, list) and len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, bool) or isinstance(x, str):
        return type(y) is type(x) and x == y
    if isinstance(x, int):
        return type(y) is (str if abs(x) > 2 ** 53 else int) and int(y) == x
    y = float(y) if type(y) is (float if math.isfinite(x) else str) else None
    return y is not None and (math.isnan(x) and math.isnan(y) or x == y and math.copysign(1, x) == math.copysign(1, y))


def main(*paths):
    failed = 0
    for artifact, text in zip(paths[::2], paths[1::2]):
        with open(artifact, "rb") as f:
            x = msgpack.unpackb(f.read())
        with open(text, encoding="utf-8") as f:
            y = json.load(f)
        assert not same(x, y[:-1]) and not same(x, [0] + y[1:]), "a comparison that cannot fail"
        if not same(x, y):
            print(f"{text} is not {artifact}")
            failed = 1
    return failed


sys.exit(main(*sys.argv[1:]))
