"""The tables of docs/format.md, read from the page itself: what is not written there, nobody here knows."""

import gzip
import os
import re
from collections import namedtuple

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../format.md")

Operator = namedtuple("Operator", "number name least most regions attr result since")
Scalar = namedtuple("Scalar", "number name also kind bytes")
Property = namedtuple("Property", "of is_text required")


def rows(page, name):
    """The rows of a table, as lists of cells."""
    text = re.search(r"<!-- table: %s -->\n(.*?)<!-- end -->" % re.escape(name), page, re.S).group(1)
    lines = [line for line in text.split("\n") if line.startswith("|")][2:]
    return [[c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def bare(cell):
    return cell.strip("`")


def version(cell):
    return tuple(map(int, cell.split(".")))


def operands(cell):
    """3, or 2… for at least 2."""
    return (int(cell[:-1]), 65535) if cell.endswith("…") else (int(cell), int(cell))


def the_page():
    """docs/format.md; a package may have compressed it."""
    opened = open(PAGE, encoding="utf-8") if os.path.exists(PAGE) else gzip.open(PAGE + ".gz", "rt", encoding="utf-8")
    with opened as f:
        return f.read()


class Tables:
    def __init__(self):
        page = the_page()
        self.sections = {bare(r[0]): r[1] == "yes" for r in rows(page, "sections")}
        self.section_since = {bare(r[0]): version(r[2]) for r in rows(page, "sections")}
        self.properties = {bare(r[0]).encode(): Property(r[1], r[2] == "text", r[3] == "yes") for r in rows(page, "properties")}
        self.operators = {}
        for number, name, count, regions, attr, result, since, _ in rows(page, "operators"):
            least, most = operands(count)
            self.operators[int(number)] = Operator(int(number), bare(name), least, most, int(regions), attr,
                                                   result == "yes", since)
        for number, name, count, _, _, since, _ in rows(page, "scalar-operators"):
            self.operators[int(number)] = Operator(int(number), bare(name), int(count), int(count), 0, "", True, since)
        self.by_name = {o.name: o for o in self.operators.values()}
        self.scalars = {}
        for number, name, also, size, value, _ in rows(page, "scalars"):
            kind = "B" if value == "0 or 1" else "F" if value == "float" else "U" if "not negative" in value else "I"
            self.scalars[int(number)] = Scalar(int(number), bare(name), bare(also), kind, int(size))
        self.scalar_names = {n: s.number for s in self.scalars.values() for n in (s.name, s.also) if n}
        self.word_since = {}
        for table, names, since in (("scalars", (1, 2), 5), ("levels", (1,), 2)):
            for row in rows(page, table):
                self.word_since.update({bare(row[n]): version(row[since]) for n in names if row[n]})
        self.levels = {bare(r[1]): int(r[0]) for r in rows(page, "levels")}
        self.kinds = {bare(r[1]): int(r[0]) for r in rows(page, "kinds")}
        self.forms = [int(r[0]) for r in rows(page, "forms")]
        self.parameters = [int(r[0]) for r in rows(page, "parameters")]


T = Tables()

# The limits that docs/format.md states, and those of libfcl that it says a reader may have.
MOST_COMPONENTS = MOST_OPERANDS = 65535
MOST_PARAMETERS = 255
MOST_RANK = 8
REGION_DEPTH = 200
TYPE_DEPTH = 100
MAJOR = 0
NAME = re.compile(rb"[A-Za-z0-9_.$'#]+")
NUMBER_NAME = re.compile(rb"0|[1-9][0-9]{0,8}")


class Refused(Exception):
    """What is wrong with a file."""


def refuse(fmt, *args):
    raise Refused(fmt % args if args else fmt)
