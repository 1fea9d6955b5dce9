"""The programs of docs/examples/arrays: of each kernel a function that makes a random case of about n elements, as in
tests/programs/programs.py: arguments and expected results, computed another way than the program does it."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../programs"))
from arrays import Array  # noqa: E402
from programs import Program  # noqa: E402

PROGRAMS = {}


def kernel(file, most=1 << 17):
    """most: the greatest n that makes sense for it."""
    def register(function):
        entry = function.__name__.rstrip("_")
        name = file + "/" + entry
        PROGRAMS[name] = Program(name, entry, "docs/examples/arrays/" + file, most, 1024, function)
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
