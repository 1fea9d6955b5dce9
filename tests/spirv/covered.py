#!/usr/bin/env python3
"""What of the kernel IR the tests of an environment have emitted, by its tables.

    covered.py operators OUT        a module with a kernel for every scalar operator on every type, and every conversion
    covered.py count TEXT [TYPE]    TEXT is all kernel IR that was emitted: what no kernel has is printed, and is a failure;
                                    but for operators on TYPE, which the environment computes in another one
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLASSES = {"ANY": "BIUF", "ORD": "IUF", "NUM": "IUF", "INT": "IU", "FLT": "F", "BIT": "BIU", "BOOL": "B", "SEL": "BIUF"}
# A builder writes another operator in their place: of numbers without signs quot and rem.
REPLACED = {("divide", kind) for kind in "IUF"} | {("div", "U"), ("mod", "U")}
# Statements of the host or of parts of others, and constants, which have no line of their own.
NOT_IN_KERNELS = {"arg", "dim", "buffer", "table", "output", "emit", "emitscalar", "receive", "resize", "swap", "par", "launch",
                  "param", "result", "yield", "const", ""}


def rows(path, macro):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        for line in re.findall(r"^%s\((.*)$" % macro, f.read(), re.M):
            yield [word.strip(' \t")') for word in line.split(",")]


def types():
    return {row[2]: (row[3], int(row[4])) for row in rows("ir/types.def", "SCALAR")}


def operators():
    """(name, type, operands) of each operator on each type that it takes."""
    for row in rows("ir/scalars.def", "SCALAROP"):
        for name, (kind, _) in types().items():
            if kind in CLASSES[row[4]] and (row[2], kind) not in REPLACED:
                yield row[2], name, int(row[3])


def conversions():
    """(convert or bitcast, from, to)"""
    for a, (kind, size) in types().items():
        for b, (other, others) in types().items():
            if a != b:
                yield "convert", a, b
                if size == others and "B" not in (kind, other):
                    yield "bitcast", a, b


def kernel(name, type, result, lines):
    return ("kernel @%s(%%xs: [%s], %%ys: [%s], %%zs: [%s]) -> [%s]<grid> {\n  %%n = length %%xs\n  %%g = generate %%n { (%%i: int)\n"
            "    %%x = index %%xs, %%i\n    %%y = index %%ys, %%i\n    %%z = index %%zs, %%i\n%s    yield %%r\n  }\n"
            "  %%p = push<grid> %%g\n  return %%p\n}\n" % (name, type, type, type, result, "".join("    %s\n" % x for x in lines)))


def write(out):
    relations = {row[2] for row in rows("ir/scalars.def", "SCALAROP") if row[5] == "BOOL"}
    for op, t, n in operators():
        before = ["%c = ne %x, %y"] if op == "select" else []
        operands = "%c, %x, %y" if op == "select" else ", ".join(["%x", "%y", "%z"][:n])
        out.write(kernel("%s_%s" % (op, t), t, "bool" if op in relations else t, before + ["%%r = %s %s" % (op, operands)]))
    for op, a, b in conversions():
        out.write(kernel("%s_%s_%s" % (op, a, b), a, b, ["%%r = %s<%s> %%x" % (op, b)]))


def sections(text):
    """The text of each kernel program."""
    return dict(re.findall(r"^program @(\w+)\((.*?)(?=^kernel-ir|\Z)", text, re.M | re.S))


def count(path, other):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    programs = sections(text)
    relations = {row[2] for row in rows("ir/scalars.def", "SCALAROP") if row[5] == "BOOL"}
    wanted = [("operator %s of %s" % (op, t), "%s_%s" % (op, t), r"= %s .*: %s\b" % (op, "bool" if op in relations else t))
              for op, t, _ in operators() if t != other]
    wanted += [("%s of %s to %s" % c, "%s_%s_%s" % c, r"= %s %%\d+ : %s\b" % (c[0], c[2])) for c in conversions()]
    wanted += [("statement " + r[2], None, r"(^|[ =])%s " % r[2]) for r in rows("ir/kernel/kir.def", "KNODE")
               if r[2] not in NOT_IN_KERNELS]
    wanted += [("step " + r[2], None, r"atomic %s\b" % r[2]) for r in rows("ir/kernel/kir.def", "KATOMIC")]
    wanted += [("coordinate " + r[2], None, r"builtin %s\b" % r[2]) for r in rows("ir/kernel/kir.def", "KCOORDINATE")]
    wanted += [("form " + r[2], None, r" %s$" % r[2]) for r in rows("ir/kernel/kir.def", "KFORM") if r[2] != "plain"]
    missing = [what for what, program, pattern in wanted
               if not re.search(pattern, programs.get(program, "") if program else text, re.M)]
    for what in missing:
        print("no kernel has " + what)
    if len(wanted) < 500:
        print("%d things to look for, so that the tables were not read" % len(wanted))
    sys.exit(bool(missing) or len(wanted) < 500)


if __name__ == "__main__":
    if sys.argv[1] == "operators":
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            f.write("fcl 0.3\n")
            write(f)
    else:
        count(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
