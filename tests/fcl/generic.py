#!/usr/bin/env python3
"""generic.py SEED COUNT: programs with functions over a class of types, each beside a copy of it for every type.

A program is one kernel, and the functions are declared at the top or in its let: of each function and type it gives what the general function gives and then what the copy gives, which
has the type in its signature.  The two must be the same, bit for bit.  Programs are separated by a line of dashes.
"""
import random
import sys

INTS = ["int", "i64", "u8", "i16"]
FLOATS = ["double", "f32"]
VALUES = {"int": "[0, 1, -7, 2147483647]", "i64": "[0i64, 3i64, -9i64, 4294967296i64]", "u8": "[0u8, 1u8, 200u8, 255u8]",
          "i16": "[0i16, 5i16, -300i16, 32767i16]", "double": "[0.0, 1.5, -2.25, 1e10]",
          "f32": "[0.0f32, 0.5f32, -3.75f32, 1e6f32]"}
OTHERS = {"int": 3, "i64": 5, "u8": 7, "i16": 9, "double": 2.5, "f32": 0.25}
SUFFIX = {"int": "", "i64": "i64", "u8": "u8", "i16": "i16", "double": "", "f32": "f32"}


def expression(r, cls, depth):
    """An expression over x and y whose operators have the class."""
    if depth == 0 or r.random() < 0.15:
        literal = str(r.randrange(100)) if cls != "float" or r.random() < 0.5 else str(r.randrange(64) / 8)
        return r.choice(["x", "y", "x", "y", literal])
    part = lambda: expression(r, cls, depth - 1)
    forms = [lambda: f"({part()} {r.choice(['+', '-', '*', '/', '%'])} {part()})",
             lambda: f"(if {part()} {r.choice(['<', '<=', '==', '!='])} {part()} then {part()} else {part()})",
             lambda: f"({r.choice(['min', 'max'])} {part()} {part()})",
             lambda: f"(let z = {part()} in z * z - {part()})",
             lambda: f"(index [{r.randrange(90)}, {r.randrange(90)}, {r.randrange(90)}] (toInt {part()} & 1))",
             lambda: f"({r.choice(['abs', 'sign', 'negate'])} {part()})"]
    if cls == "int":
        forms.append(lambda: f"({part()} {r.choice(['div', '&', '|', '^', '<<', '>>'])} {part()})")
    if cls == "float":
        forms.append(lambda: f"(sqrt (abs {part()}))")
    return r.choice(forms)()


def program(seed):
    r = random.Random(seed)
    lines, results = ["fun negate x = -x"], []
    local, inside = r.random() < 0.5, []
    for k in range(3):
        cls = r.choice(["num", "int", "float"])
        body = expression(r, cls, r.randrange(1, 5))
        general = f"g{k} x y = if x == y then y + {body} else {body}" + {"num": "", "int": " & x", "float": " * sqrt 4"}[cls]
        if local:
            inside.append(general)
        else:
            if r.random() < 0.3:
                lines.append(f"sig g{k} : forall a:{cls}. a -> a -> a")
            lines.append("fun " + general)
        for t in {"num": INTS + FLOATS, "int": INTS, "float": FLOATS}[cls]:
            lines.append(f"sig g{k}{t} : {t} -> {t} -> {t}")
            lines.append(f"fun g{k}{t} " + general[len(f"g{k} "):])
            other = f"{OTHERS[t]}{SUFFIX[t]}"
            results += [f"push <grid> (map (fn x => {f} x {other}) {VALUES[t]})" for f in (f"g{k}", f"g{k}{t}")]
    lines.append("val main =" + (" let" + "".join("\n  " + general for general in inside) + "\n in" if local else ""))
    return "\n".join(lines) + "\n           (" + ",\n            ".join(results) + ")\n"


seed, count = int(sys.argv[1]), int(sys.argv[2])
print(("-" * 10 + "\n").join(program(seed + i) for i in range(count)), end="")
