"""Float literals against exact fractions: literals.py FCLC FCL_OPT SCRATCH SEED

Decimals on, and next to, the middle between two floats are read by the core's text form, the surface language and as arguments,
and printed again; each must be the nearest float of its type, rounded once, halves to even."""
import os
import random
import struct
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

FCLC, FCL_OPT, SCRATCH, SEED = sys.argv[1:5]
rng = random.Random(int(SEED))
FORMATS = {"f16": ("e", "H", 11, -14), "f32": ("f", "I", 24, -126), "double": ("d", "Q", 53, -1022)}
COUNT = 150
failures = 0


def value_of(name, bits):
    code, whole, _, _ = FORMATS[name]
    return struct.unpack("<" + code, struct.pack("<" + whole, bits))[0]


def nearest(name, x):
    """The bits of the float nearest to a fraction that is not negative."""
    _, _, precision, least = FORMATS[name]
    exponent = least
    while x >= Fraction(2) ** (exponent + 1):
        exponent += 1
    units = x / Fraction(2) ** (exponent - precision + 1)
    n = units.numerator // units.denominator
    n += units - n > Fraction(1, 2) or (units - n == Fraction(1, 2) and n % 2 == 1)
    return ((exponent - least) << (precision - 1)) + n


def decimal_text(x):
    """All digits of a fraction whose denominator is a power of two."""
    with localcontext() as context:
        context.prec = 1190
        text = format(Decimal(x.numerator) / Decimal(x.denominator), "f")
    return text if "." in text else text + ".0"


def draw(name):
    """A decimal on the middle between two floats, a little above or below it, or any."""
    _, whole, precision, _ = FORMATS[name]
    width = struct.calcsize(whole) * 8
    top = (1 << (width - 1)) - (1 << (precision - 1))  # the bits of infinity
    middle = top // 2 + rng.randrange(-(20 << (precision - 1)), 20 << (precision - 1)) if name != "f16" else rng.randrange(top - 1)
    a, b = Fraction(value_of(name, middle)), Fraction(value_of(name, middle + 1))
    text = decimal_text((a + b) / 2)
    kind = rng.randrange(5)
    if kind == 0:
        return text
    if kind == 1:
        return text + "0" * rng.randrange(60) + "1"
    if kind == 2 and text[-1] != "0":
        return text[:-1] + str(int(text[-1]) - 1) + "9" * rng.randrange(1, 60)
    if kind == 3:
        return decimal_text(a + (b - a) * Fraction(rng.randrange(1 << 12), 1 << 12))[:rng.randrange(20, 200)].rstrip(".") + "1"
    return "%d.%de%d" % (rng.randrange(10), rng.randrange(10 ** 9), rng.randrange(-5, 4))


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    if done.returncode:
        sys.exit("%s: %s" % (command[:3], done.stderr.decode()[:500]))
    return done.stdout.decode()


def file(name, text):
    path = os.path.join(SCRATCH, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def bits_of_result(name, *command):
    out = os.path.join(SCRATCH, "literals.npy")
    run(FCLC, "run", *command, "-o", out)
    with open(out, "rb") as f:
        data = f.read()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return list(struct.unpack("<%d%s" % (len(body) // struct.calcsize(FORMATS[name][1]), FORMATS[name][1]), body))


def compare(what, name, texts, got):
    global failures
    for text, bits in zip(texts, got):
        want = nearest(name, Fraction(text))
        if bits != want and failures < 10:
            failures += 1
            print("%s, %s: %s is %x, not %x" % (what, name, text, bits, want))
    if len(texts) != len(got):
        failures += 1
        print("%s, %s: %d values of %d" % (what, name, len(got), len(texts)))


def check(name):
    texts = [draw(name) for _ in range(COUNT)]
    listed = ", ".join(texts)
    same = file("same.fcl", "sig main : [%s] -> [%s]<grid>\nfun main xs = push <grid> xs\n" % (name, name))
    typed = ", ".join(t + name for t in texts)
    core = file("core.fclir", "fcl 0.2\nkernel @main() -> [%s]<grid> {\n  %%a = array %s\n  %%p = push<grid> %%a\n  return %%p\n}\n" % (name, typed))
    compare("an argument", name, texts, bits_of_result(name, same, "[%s]" % listed))
    compare("core text", name, texts, bits_of_result(name, core))
    compare("core text, written again", name, texts, bits_of_result(name, file("again.fclir", run(FCL_OPT, core))))
    suffixed = file("suffixed.fcl", "val main = push <grid> [%s]\n" % typed)
    compare("FCL", name, texts, bits_of_result(name, suffixed))
    by_context = file("context.fcl", "sig main : [%s]<grid>\nval main = push <grid> [%s]\n" % (name, listed))
    compare("FCL, by its context", name, texts, bits_of_result(name, by_context))
    printed = run(FCLC, "run", "--all", same, "[%s]" % listed).strip()[1:-1].split(", ")
    compare("printed", name, printed, [nearest(name, Fraction(t)) for t in texts])


for each in FORMATS:
    check(each)
sys.exit(failures != 0)
