"""Counts the operations of each function of a module in binary form, operators included that came after the page which it
goes by, with nothing but msgpack and the tables of docs/format.md:

    python3 walk_fclb.py docs/format.md < module.fclb
"""

import re
import sys
from collections import Counter
from msgpack import unpackb

ANY = 2**32 - 1


def rows(page, table):
    text = re.search(r"<!-- table: %s -->\n(.*?)<!-- end -->" % table, page, re.S).group(1)
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def shapes(page, newer):
    """By number: name, what stands in <...>, least and most operands, regions, results."""
    known = {}
    for number, name, count, regions, attr, result, *_ in rows(page, "operators"):
        many = count.endswith("…")
        least = int(count.rstrip("…"))
        known[int(number)] = name, attr, least, ANY if many else least, int(regions), int(result == "yes")
    for number, name, count, *_ in rows(page, "scalar-operators"):
        known[int(number)] = name, "", int(count), int(count), 0, 1
    for number, name, since, attr, least, most, regions, results, *_ in newer:
        known[number] = name, attr, least, most, regions, results
    return known


def attribute(code, at, attr):
    """Behind what stands in <...>."""
    if attr == "CALL":
        return at + 3 + code[at + 1] + code[at + 2]
    if attr == "DATA":
        return at + 3 + code[at + 1]
    return at + {"": 0, "LEVEL": 1, "TYPE": 1, "BIND": 2}[attr]


def walk(code, at, known, counts):
    """Counts the operations of a region; the place behind its end."""
    while True:
        name, attr, least, most, regions, results = known[code[at]]
        counts[name] += 1
        at = attribute(code, at + 1, attr)
        operands = least
        if least != most:
            operands, at = code[at], at + 1
        at += operands + results
        for _ in range(regions):
            at = walk(code, at + 1 + code[at], known, counts)
        if not results:
            return at


magic, major, minor, producer, features, sections, checksum = unpackb(open(0, "rb").read())
assert magic == "fclb" and major == 0 and not features, "another format, or a newer one"
bodies = {name: body for name, flags, body in sections}
known = shapes(open(sys.argv[1], encoding="utf-8").read(), unpackb(bodies.get("operators", b"\x90")))
strings, (imports, externals, functions) = unpackb(bodies["strings"]), unpackb(bodies["functions"])
for function, code in zip(functions, unpackb(bodies["code"])):
    counts = Counter()
    assert walk(code, 0, known, counts) == len(code)
    print("@%s: %s" % (strings[function[0]], ", ".join("%d %s" % (n, name) for name, n in sorted(counts.items()))))
