#!/usr/bin/env python3
"""Writes backends/spirv/real/polynomials.def: polynomials through Chebyshev's points, of the least degree that is good enough.
Needs mpmath (python3-mpmath): polynomials.py > backends/spirv/real/polynomials.def"""

import struct

from mpmath import atan, atanh, chebyfit, cos, erf, erfc, exp, expm1, log, mp, mpf, sin, sqrt

mp.prec = 400
TINY = mpf(2) ** -60


def near_zero(f, value):
    """f where it can be computed, else its limit at 0."""
    return lambda x: f(x) if abs(x) > TINY else mpf(value)


def of_root(f, value):
    """As a function of the square of the argument."""
    return near_zero(lambda z: f(sqrt(z)), value)


HALF = log(2) / 2
S = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2
Q = (mp.pi / 4) ** 2
ROWS = [
    ("EXP", near_zero(lambda r: (expm1(r) - r) / r ** 2, 0.5), -HALF, HALF, 2, "(e^r - 1 - r) / r^2, |r| <= ln(2) / 2"),
    ("EXP2", near_zero(lambda f: expm1(f * log(2)) / f, log(2)), -0.5, 0.5, 1, "(2^f - 1) / f, |f| <= 1/2"),
    ("LOG", of_root(lambda s: (2 * atanh(s) / s - 2) / s ** 2, mpf(2) / 3), 0, S, 4, "(2 atanh(s) / s - 2) / z of z = s^2, |s| <= 0.1716"),
    ("ATANH", of_root(lambda s: (atanh(s) / s - 1 - s ** 2 / 3) / s ** 4, mpf(1) / 5), 0, S, 0,
     "(atanh(s) / s - 1 - z / 3) / z^2 of z = s^2, |s| <= 0.1716"),
    ("SIN", of_root(lambda r: (sin(r) / r - 1) / r ** 2, mpf(-1) / 6), 0, Q, 2, "(sin(r) / r - 1) / z of z = r^2, |r| <= pi / 4"),
    ("COS", of_root(lambda r: (cos(r) - 1 + r ** 2 / 2) / r ** 4, mpf(1) / 24), 0, Q, 2,
     "(cos(r) - 1 + z / 2) / z^2 of z = r^2, |r| <= pi / 4"),
    ("ATAN", of_root(lambda t: (atan(t) / t - 1) / t ** 2, mpf(-1) / 3), 0, mpf("0.1716"), 2,
     "(atan(t) / t - 1) / z of z = t^2, |t| <= sqrt(2) - 1"),
    ("ERF", of_root(lambda x: erf(x) / x - 1, 2 / sqrt(mp.pi) - 1), 0, 1, 3, "erf(x) / x - 1 of z = x^2, |x| <= 1"),
    ("ERFC", lambda t: erfc(1 / t - 2) * exp((1 / t - 2) ** 2), mpf(1) / 8, mpf(1) / 3, 0, "erfc(x) e^(x^2) of t = 1 / (x + 2), 1 <= x <= 6"),
]


def fit(f, low, high, bits):
    """Coefficients, lowest first, of the shortest polynomial whose relative error is below 2^-bits."""
    size = min(abs(f(mpf(low) + (mpf(high) - low) * i / 16)) for i in range(17))
    for n in range(2, 40):
        coefficients, error = chebyfit(f, [low, high], n, error=True)
        if error / size < mpf(2) ** -bits:
            return coefficients[::-1], error / size
    raise SystemExit("no polynomial")


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def spell(coefficients, rounded):
    words = [repr(rounded(float(c))) for c in coefficients]
    lines, line = [], ""
    for w in words:
        if len(line) + len(w) > 110:
            lines.append(line)
            line = ""
        line += ("" if not line else ", ") + w
    return (",\n            ").join(lines + [line])


print("""/* Polynomials of functions of floats, each once: POLYNOMIAL(ENUM, (of f64), (of f32)), the coefficients from the lowest on.
 *
 * Written by tests/accuracy/polynomials.py; the relative errors are those of f64 and f32, before rounding. */""")
for name, f, low, high, spare, meaning in ROWS:
    # What is computed of the polynomial is smaller than what it is added to, by that many bits.
    full, error = fit(f, low, high, 56 - spare)
    short, error_single = fit(f, low, high, 27 - spare)
    print("\n/* %s: errors 2^%d and 2^%d */" % (meaning, int(mp.ceil(mp.log(error, 2))), int(mp.ceil(mp.log(error_single, 2)))))
    print("POLYNOMIAL(%s,\n           (%s),\n           (%s))" % (name, spell(full, float), spell(short, single)))
