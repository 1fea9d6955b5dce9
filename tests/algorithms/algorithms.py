"""The algorithms of this suite: each is a program FOLDER/NAME.fcl, written from docs/language.md alone, and a function NAME in
FOLDER.py that makes a random case of about n elements: the arguments (texts and Arrays) and the expected results, computed in
plain Python another way than the program does it."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../programs"))
from programs import Program  # noqa: E402

ALGORITHMS = {}


def algorithm(most=1 << 17, block=1024):
    """most: the greatest n that makes sense for it; block: the greatest block whose local memory devices have."""
    def register(function):
        folder = function.__module__
        name = "%s/%s" % (folder, function.__name__.rstrip("_"))
        path = "tests/algorithms/%s.fcl" % name
        ALGORITHMS[name] = Program(name, "main", path, most, (1, block), function)
        return function
    return register
