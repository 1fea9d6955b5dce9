#!/usr/bin/env python3
"""Holds the table of errors in docs/language.md to the evaluator and, with a device named, to that: measure.py REFERENCE SEED
[DEVICE].  On the evaluator an error is at most 4 and not far above what the table has of it, on a device within OpenCL's, and
on vulkan within Vulkan's.  The device cpu has the evaluator's functions and others of glibc for vectors: the larger of both."""

import math
import os
import random
import re
import struct
import subprocess
import sys
from array import array

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FCLC = os.path.join(os.environ["BUILD"], "bin/fclc")
COUNT = 4000
DOMAINS = {"sqrt": (0, 1e6), "rsqrt": (1e-6, 1e6), "cbrt": (-1e6, 1e6), "exp": (-80, 80), "exp2": (-120, 120), "expm1": (-20, 80),
           "log": (1e-6, 1e6), "log2": (1e-6, 1e6), "log10": (1e-6, 1e6), "log1p": (-0.99, 1e3), "sin": (-1e4, 1e4),
           "cos": (-1e4, 1e4), "tan": (-1e4, 1e4), "asin": (-1, 1), "acos": (-1, 1), "atan": (-1e3, 1e3), "sinh": (-80, 80),
           "cosh": (-80, 80), "tanh": (-10, 10), "asinh": (-1e4, 1e4), "acosh": (1, 1e4), "atanh": (-0.999, 0.999), "erf": (-4, 4),
           "atan2": (-1e3, 1e3), "hypot": (-1e6, 1e6), "pow": (1e-3, 1e3)}


def save(name, values, code):
    header = ("{'descr': '<%s', 'fortran_order': False, 'shape': (%d,), }" % (code, len(values))).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(name + ".npy", "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + values.tobytes())
    with open(name, "wb") as f:
        f.write(values.tobytes())


def arguments(name):
    least, most = DOMAINS[name]
    if least < 0:
        near = [random.uniform(-1, 1) * min(1, most) for _ in range(COUNT // 4)]
    else:
        near = [math.exp(random.uniform(math.log(max(least, 1e-6)), math.log(most))) for _ in range(COUNT // 4)]
    xs = near + [random.uniform(least, most) for _ in range(COUNT - len(near))]
    return xs, [random.uniform(-10, 10) if name == "pow" else random.uniform(least, most) for _ in xs]


def measure(name, type, device, reference):
    code, kind = ("f4", "f") if type == "f32" else ("f8", "d")
    xs, ys = arguments(name)
    save("x", array(kind, xs), code)
    save("y", array(kind, ys), code)
    operand = ", %y" if name in ("atan2", "hypot", "pow") else ""
    with open("k.fclir", "w") as f:
        f.write("fcl 0.1\nkernel @k(%%xs: [%s], %%ys: [%s]) -> [%s]<grid> {\n  %%n = length %%xs\n  %%r = generate %%n { (%%i)\n"
                "    %%x = index %%xs, %%i\n    %%y = index %%ys, %%i\n    %%z = %s %%x%s\n    yield %%z\n  }\n"
                "  %%p = push<grid> %%r\n  return %%p\n}\n" % (type, type, type, name, operand))
    subprocess.run([FCLC, "run", "k.fclir", "--device=" + device, "@x.npy", "@y.npy", "-o", "z.npy"], check=True)
    with open("z.npy", "rb") as f:
        data = f.read()
    with open("z", "wb") as f:
        f.write(data[10 + struct.unpack("<H", data[8:10])[0]:])
    return float(subprocess.run([reference, name, code[1], "x", "y", "z"], check=True, capture_output=True).stdout)


def main():
    reference, seed = sys.argv[1], int(sys.argv[2])
    device = sys.argv[3] if len(sys.argv) > 3 else None
    random.seed(seed)
    with open(os.path.join(ROOT, "docs/language.md"), encoding="utf-8") as f:
        rows = re.findall(r"^\| `(\w+)` \| ([0-9.]+) \| [0-9.]+ \| ([0-9.]+) \| [0-9.]+ \| ([0-9.]+)[^|]*\| ([0-9.]+)",
                          f.read(), re.M)
    wrong = []
    if {r[0] for r in rows} != set(DOMAINS):
        wrong.append("the table has %s" % sorted({r[0] for r in rows} ^ set(DOMAINS)))
    for name, f32, double, by_opencl, by_vulkan in rows:
        allowed = by_vulkan if device == "vulkan" else by_opencl
        for type, stated in (("f32", f32), ("double", double)):
            by_host = min(4, 2 * float(stated) + 0.5)
            limit = max(float(allowed), by_host) if device == "cpu" else float(allowed) if device else by_host
            found = measure(name, type, device or "interp", reference)
            if found > limit:
                wrong.append("%s of %s: %.2f, and the limit is %.2f" % (name, type, found, limit))
    print("\n".join(wrong) or "%d functions" % len(rows))
    sys.exit(bool(wrong))


main()
