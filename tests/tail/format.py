#!/usr/bin/python3
"""A program that shows doubles twice, by itself and by the text that formatD makes: format.py COUNT SEED."""
import random
import struct
import sys


def literal(x):
    text = repr(x).replace("e+", "e")
    return text if "." in text or "e" in text or "n" in text else text + ".0"


def numbers(count, draw):
    """Ends, ties, powers of ten and what is beside them, and any."""
    out = [0.0, -0.0, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, float("inf"), float("-inf"), float("nan"),
           999999999999.5, 99999999999.95, 12345678901.25, 1234567890123.5, 0.1, -2.5, 1 / 3, 1e22, 1e23, 123456.5]
    out += [d * 10.0 ** k for k in range(-20, 22) for d in (1, 3)]
    while len(out) < count:
        any_bits = struct.unpack("d", struct.pack("Q", draw.getrandbits(64)))[0]
        tie = (draw.randrange(10 ** 11, 10 ** 12) + 0.5) * 2.0 ** draw.randrange(-5, 1)
        usual = round(draw.uniform(-100, 100) * 10.0 ** draw.randrange(-8, 12), draw.randrange(0, 6))
        out += [x for x in (any_bits, tie, usual) if x == x]
    return out


def main():
    draw = random.Random(int(sys.argv[2]))
    names = iter(range(1, 10 ** 6))
    for x in numbers(int(sys.argv[1]), draw):
        print(f"let v{next(names)}:[double]0 = prSclD({literal(x)}) in")
        print(f"let v{next(names)}:[char]1 = prArrC(formatD({literal(x)})) in")
        print(f"let v{next(names)}:[char]1 = prArrC(formatX(injx({literal(x)},-1.5))) in")
    print("0.0")


main()
