"""Holds docs/examples/fclfile to the suite, in this process: second.py FOLDER."""

import os
import sys

sys.path.insert(0, sys.argv[1])

import conform  # noqa: E402
from fclfile import Refused, binary, digest, read, text  # noqa: E402
from fclfile.__main__ import Imports  # noqa: E402


def load(path):
    with open(path, "rb") as f:
        return read(f.read(), Imports(os.path.dirname(path)))


def convert(**names):
    """As a command that reads {in} and writes {out}."""
    try:
        m = load(names["in"])
    except Refused as why:
        return False, "", str(why)
    with open(names["out"], "wb") as f:
        f.write(binary.write(m, b"fclfile") if names["out"].endswith(".fclb") else text.write(m))
    return True, "", ""


def hash_of(**names):
    """Of a module that calls imported functions the second reader has none."""
    try:
        return True, digest(load(names["in"])), ""
    except Refused as why:
        return False, "", str(why)


asked = conform.arguments(["--text"])
asked.read, asked.hash = convert, hash_of
suite = conform.Suite(asked, sys.argv[1])
print(*suite.run(), sep="\n")
print("%d cases, %d differences" % (suite.count, len(suite.failures)))
sys.exit(bool(suite.failures))
