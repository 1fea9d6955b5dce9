"""f16 on a device against exact arithmetic: half.py FCLC MODULE SCRATCH DEVICE SEED

Operands are random bit patterns and edges; expected results are computed as fractions and rounded once, halves to even."""
import math
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

FCLC, MODULE, SCRATCH, DEVICE, SEED = sys.argv[1:6]
COUNT = 4099
EDGES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3c01, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
         0x3800, 0x3555, 0x6800, 0x77ff]
CODES = {"<f2": "H", "<f8": "d", "<i4": "i", "<u2": "H"}
rng = random.Random(int(SEED))


def value_of(bits):
    """An f16 as a float of Python, which holds it exactly."""
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def rounded(x):
    """The bits of the f16 nearest to a fraction; None for zero, whose sign is not a fraction's."""
    sign, x = (0x8000 if x < 0 else 0), abs(x)
    if x == 0:
        return None
    exponent = max(-14, math.floor(math.log2(x)) if x >= Fraction(1, 1 << 30) else -14)
    while Fraction(2) ** exponent > x and exponent > -14:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= x:
        exponent += 1
    units = x / Fraction(2) ** (exponent - 10)
    n = units.numerator // units.denominator
    rest = units - n
    n += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n % 2 == 1)
    bits = ((exponent + 14) << 10) + n
    return sign | min(bits, 0x7c00)


def write(name, descr, items):
    path = os.path.join(SCRATCH, name + ".npy")
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (descr, len(items))
    header = header.ljust(117) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%d%s" % (len(items), CODES[descr]), *items))
    return "@" + path


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    length = struct.unpack("<H", data[8:10])[0]
    descr = data[10:10 + length].decode().split("'")[3]
    body = data[10 + length:]
    return list(struct.unpack("<%d%s" % (len(body) // struct.calcsize(CODES[descr]), CODES[descr]), body))


def run(entry, args, outputs):
    out = os.path.join(SCRATCH, "out.npy")
    command = [FCLC, "run", MODULE, "--entry=" + entry, "--device=" + DEVICE, "-o", out] + args
    subprocess.run(command, check=True)
    return [read(out if outputs == 1 else "%s.%d.npy" % (out[:-4], i)) for i in range(outputs)]


def is_nan(bits):
    return bits & 0x7fff > 0x7c00


def exact(op, *operands):
    """The fraction of an operation on finite operands, or None where it is not one."""
    if any(not math.isfinite(x) for x in operands):
        return None
    a = [Fraction(x) for x in operands]
    if op == "fdiv":
        return a[0] / a[1] if a[1] else None
    return {"add": lambda: a[0] + a[1], "sub": lambda: a[0] - a[1], "mul": lambda: a[0] * a[1], "fma": lambda: a[0] * a[1] + a[2]}[op]()


def root(x):
    """The square root, to more bits than decide how it is rounded."""
    return Fraction(math.isqrt(int(Fraction(x) * (1 << 120))), 1 << 60) if math.isfinite(x) else None


failures = 0


def expect(what, got, want, operands):
    global failures
    same = got == want or (is_nan(got) and want == "nan")
    if not same:
        failures += 1
        if failures <= 10:
            print("%s of %s on %s: %04x, not %s" % (what, operands, DEVICE, got, want if isinstance(want, str) else "%04x" % want))


def pattern():
    return rng.choice(EDGES) if rng.random() < 0.3 else rng.randrange(0x10000)


def near():
    """Operands whose exponents are close, so that sums round."""
    return rng.randrange(0x3000, 0x5000) | rng.choice([0, 0x8000])


def beside():
    """x y in the middle of two f16, and z so small that a sum of 24 bits does not see it."""
    return 0x3e00 | rng.choice([0, 0x8000]), 0x3c01 + 2 * rng.randrange(0xa0), rng.randrange(1, 4) | rng.choice([0, 0x8000])


def check_arithmetic():
    rows = [beside() if i % 3 == 0 else [(pattern if i % 3 == 1 else near)() for _ in range(3)] for i in range(COUNT)]
    xs, ys, zs = zip(*rows)
    args = [write(n, "<f2", v) for n, v in (("x", xs), ("y", ys), ("z", zs))]
    results = run("arithmetic", args, 6)
    checked = 0
    for i, bits in enumerate(zip(xs, ys, zs)):
        x, y, z = (value_of(b) for b in bits)
        wanted = [exact("add", x, y), exact("sub", x, y), exact("mul", x, y), exact("fdiv", x, y), root(abs(x)), exact("fma", x, y, z)]
        for what, got, want in zip(["add", "sub", "mul", "fdiv", "sqrt", "fma"], (r[i] for r in results), wanted):
            if want is not None and rounded(want) is not None:
                expect(what, got, rounded(want), (x, y, z))
                checked += 1
            elif want is not None and got & 0x7fff:
                expect(what, got, 0, (x, y, z))
    return checked


def check_conversions():
    xs = [pattern() for _ in range(COUNT)]
    ds = [struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0] if i % 4 == 0 else middle(i) for i in range(COUNT)]
    ints = [rng.choice([0, 1, -1, 65504, 65519, 65520, -65520, 2049, 2051, 2 ** 31 - 1, -2 ** 31]) if i % 3 == 0
            else rng.randrange(-70000, 70000) for i in range(COUNT)]
    halves, from_ints, doubles, to_ints, bits = run("conversions", [write("x", "<f2", xs), write("d", "<f8", ds), write("i", "<i4", ints)], 5)
    for i, d in enumerate(ds):
        want = "nan" if d != d else (0x7c00 if d > 0 else 0xfc00) if math.isinf(d) else rounded(Fraction(d))
        if want is None:
            want = 0x8000 if math.copysign(1, d) < 0 else 0
        expect("convert<f16>", halves[i], want, d)
        expect("convert<f16>", from_ints[i], rounded(Fraction(ints[i])) or 0, ints[i])
        x = value_of(xs[i])
        if x == x:
            expect("bitcast<u16>", bits[i], xs[i], x)
            expect("convert<double>", doubles[i] == x, True, x)
            limit = max(-2 ** 31, min(2 ** 31 - 1, int(x))) if math.isfinite(x) else (2 ** 31 - 1 if x > 0 else -2 ** 31)
            expect("convert<int>", to_ints[i] == limit, True, x)
    return 5 * COUNT


def middle(i):
    """A double beside or at the middle of two f16, where rounding in two steps would go wrong."""
    low = rng.randrange(0x7bff)
    mid = (value_of(low) + value_of(low + 1)) / 2
    return math.copysign([mid, math.nextafter(mid, 0), math.nextafter(mid, math.inf), mid * (1 + 2.0 ** -40)][i % 4], rng.choice([1, -1]))


def check_memory():
    xs = [pattern() for _ in range(COUNT)]
    got, = run("memory", [write("x", "<f2", xs)], 1)
    for start in range(0, COUNT, 64):
        for a, b in zip(got[start:start + 64], reversed(xs[start:start + 64])):
            expect("memory", a, "nan" if is_nan(b) else b ^ 0x8000, b)
    return COUNT


n = check_arithmetic() + check_conversions() + check_memory()
print("half: %d results on %s, %d wrong" % (n, DEVICE, failures))
sys.exit(failures != 0 or n < 5 * COUNT)
