"""Makes a file of a later version of a binary file on standard input: with one thing in it that no table has."""

import sys
import zlib
from msgpack import packb, unpackb

magic, major, minor, producer, features, sections, checksum = unpackb(sys.stdin.buffer.read())
bodies = {name: [flags, unpackb(body)] for name, flags, body in sections}


def body(name):
    return bodies[name][1]


def first_push():
    return next(t for t in body("types")[1] if t[0] == 9)


def add_property():
    functions = len(body("functions")[2])
    bodies["properties"] = [0, [["x"], [0, 2, 1], [[]] * functions]]


what = sys.argv[1]
{
    "form": lambda: body("types")[1].append([10, 1]),
    "scalar": lambda: body("types")[1].append([1, 20]),
    "constant": lambda: body("constants").extend([20, 1]),
    "parameter": lambda: body("types")[0].append(99),
    "base": lambda: first_push().__setitem__(3, 8),
    "operator": lambda: body("code")[0].__setitem__(0, 319),
    "function": lambda: body("functions")[2][0].__setitem__(1, 4),
    "flags": lambda: bodies["code"].__setitem__(0, 3),
    "section": lambda: bodies.__setitem__("layout", [1, 0]),
    "feature": lambda: features.append("time travel"),
    "property": add_property,
}[what]()
packed = [[name, flags, packb(contents)] for name, (flags, contents) in bodies.items()]
data = b"\x97" + b"".join(map(packb, [magic, major, 8, producer, features, packed]))
sys.stdout.buffer.write(data + b"\xce" + zlib.crc32(data).to_bytes(4, "big"))
