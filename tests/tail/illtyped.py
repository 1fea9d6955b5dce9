#!/usr/bin/python3
"""Ill-typed programs, with lines // ----- between them.  illtyped.py scalars TABLE: each primitive on scalars with one operand
of another type, or one too many or too few; all have to be refused.  illtyped.py others TABLE: the other primitives with
operands of any type, of which some are right."""
import random
import re
import sys

OPERANDS = {"i": "7", "d": "1.5", "x": "1.5j2.0", "b": "tt", "c": "'a'"}
# What no primitive on scalars takes.
WRONG = ["[1,2]", "[1.5]", "reshape([2,2],[tt])", "(1,2)", "fn v1:[int]0 => v1", "addi", "zilde{[int],[1]}()"]
ANY = list(OPERANDS.values()) + WRONG + ["0", "-3", "['a','b']", "reshape([2,1,2],[1.0])", "reshape([0,3],[1])", "(tt,[2.0])",
                                       "fn v1:[int]0 => fn v2:[int]0 => addi(v1,v2)", "maxd", "fn v1:[bool]1 => vreverse(v1)"]


def table(path):
    text = open(path).read()
    scalars = re.findall(r'^SCALAR\((\w+), "(\w*)"', text, re.M)
    others = re.findall(r"^(?:PRIMITIVE|HIGHER)\((\w+), (\d)", text, re.M)
    return scalars, others


def applied(name, operands):
    return "%s(%s)" % (name, ",".join(operands))


def wrong_scalars(scalars):
    for name, letters in scalars:
        right = [OPERANDS[c] for c in letters]
        yield applied(name, right + ["1"])
        if right:
            yield applied(name, right[:-1])
        for i, own in enumerate(letters):
            others = [text for c, text in OPERANDS.items() if c != own]
            for text in others + WRONG:
                yield applied(name, right[:i] + [text] + right[i + 1:])


def any_others(others):
    for name, count in others:
        draw = random.Random(name)
        for _ in range(120):
            operands = [draw.choice(ANY) for _ in range(int(count))]
            yield "let v9:[int]0 = 1 in %s" % applied(name, operands)


def main():
    scalars, others = table(sys.argv[2])
    programs = wrong_scalars(scalars) if sys.argv[1] == "scalars" else any_others(others)
    print("\n// -----\n".join(programs))


main()
