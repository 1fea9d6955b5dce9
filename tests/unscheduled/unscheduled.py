"""The programs of docs/examples/arrays, in the core and those that are there in FCL: of each kernel a function that makes a random case of about n elements, as in
tests/programs/programs.py: arguments and expected results, computed another way than the program does it."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../programs"))
from arrays import Array  # noqa: E402
from programs import Program  # noqa: E402

PROGRAMS = {}
FOLDER = "docs/examples/arrays/"


def in_fcl(file):
    """The functions of FILE.fcl, of which some are kernels of FILE.fclir; none where there is no such file."""
    path = os.path.join(HERE, "../..", FOLDER, file + ".fcl")
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as f:
        return set(re.findall(r"^sig (\w+) :", f.read(), re.M))


def kernel(file, most=1 << 17):
    """most: the greatest n that makes sense for it."""
    def register(function):
        entry = function.__name__.rstrip("_")
        name = file + "/" + entry
        PROGRAMS[name] = Program(name, entry, FOLDER + file, most, 1024, function)
        if entry in in_fcl(file):
            PROGRAMS[name + " in FCL"] = Program(name + " in FCL", entry, FOLDER + file + ".fcl", most, 1024, function)
        return function
    return register


def redrawn(draw):
    """What draw gives, as often as it takes until that is not None: it gives None where a comparison is so close that rounding
    decides it."""
    found = None
    while found is None:
        found = draw()
    return found


def scalar(code, x, tolerance=None):
    return Array(code, [x], (), tolerance)
