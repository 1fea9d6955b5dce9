"""Writes .npy files of every kind from nothing but struct, good and bad, into the directory named by the argument.

The elements of good.* files are 0, 1, 2, ... in row-major order (bool: false, true, ...)."""
import os
import struct
import sys

CODES = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f4": "f", "f8": "d"}


def header(text, version=1):
    width = 2 if version == 1 else 4
    text = text.encode("utf-8" if version == 3 else "latin1")
    text += b" " * (-(8 + width + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text


def describe(descr, fortran, shape):
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)


def elements(order, kind, values):
    values = [v % 2 == 1 if kind == "b1" else v for v in values]
    return struct.pack((">" if order == ">" else "<") + CODES[kind] * len(values), *values)


def column_major(shape):
    """The row-major numbers of the elements in column-major order."""
    if not shape:
        return [0]
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    out = [0]
    for extent, stride in zip(shape, strides):
        out = [base + k * stride for k in range(extent) for base in out]
    return out


def count(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def good(order, kind, shape, fortran=False, version=1):
    values = column_major(shape) if fortran else range(count(shape))
    return header(describe(order + kind, fortran, shape), version) + elements(order, kind, list(values))


def files():
    for kind in CODES:
        order = "|" if kind[1] == "1" else "<"
        yield "good.%s.npy" % kind, good(order, kind, (3,))
        if order == "<":
            yield "good.big.%s.npy" % kind, good(">", kind, (3,))
    yield "good.v2.npy", good("<", "i4", (3,), version=2)
    yield "good.v3.npy", good("<", "i4", (3,), version=3)
    yield "good.scalar.npy", good("<", "i4", ())
    yield "good.one.npy", good("<", "i4", (1,))
    yield "good.empty.npy", good("<", "i4", (0,))
    yield "good.rank2.npy", good("<", "i4", (2, 3))
    yield "good.rank2.fortran.npy", good("<", "i4", (2, 3), fortran=True)
    yield "good.rank2.fortran.big.npy", good(">", "i4", (2, 3), fortran=True)
    yield "good.rank3.fortran.npy", good("<", "i4", (2, 3, 4), fortran=True)
    yield "good.python2.npy", header("{'descr': '<i4', 'fortran_order': False, 'shape': (3L,)}") + elements("<", "i4", [0, 1, 2])
    whole = good("<", "i4", (3,))
    yield "bad.empty.npy", b""
    yield "bad.magic.npy", b"PK\x03\x04" + whole
    yield "bad.version.npy", whole[:6] + b"\x09" + whole[7:]
    yield "bad.header-cut.npy", whole[:40]
    yield "bad.header-length.npy", whole[:8] + b"\xff\xff" + whole[10:]
    yield "bad.cut.npy", whole[:-1]
    yield "bad.long.npy", whole + b"\0"
    yield "bad.huge.npy", header(describe("<i4", False, "(1152921504606846976,)")) + b"\0" * 16
    yield "bad.overflow.npy", header(describe("<i4", False, "(4294967296, 4294967296)")) + b"\0" * 16
    yield "bad.number.npy", header(describe("<i4", False, "(99999999999999999999999,)"))
    yield "bad.negative.npy", header(describe("<i4", False, "(-3,)")) + b"\0" * 12
    yield "bad.shape.npy", header(describe("<i4", False, "[3]")) + b"\0" * 12
    yield "bad.order.npy", header(describe("<i4", "Maybe", "(3,)")) + b"\0" * 12
    yield "bad.dict.npy", header("['descr']") + b"\0" * 12
    yield "bad.missing.npy", header("{'descr': '<i4', 'shape': (3,)}") + b"\0" * 12
    yield "bad.twice.npy", header("{'descr': '<i4', 'descr': '<i4', 'shape': (3,)}") + b"\0" * 12
    yield "bad.extra.npy", header("{'descr': '<i4', 'colour': 'red', 'shape': (3,)}") + b"\0" * 12
    yield "bad.quote.npy", header("{'descr: <i4, shape") + b"\0" * 12
    yield "bad.fields.npy", header("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }") + b"\0" * 12
    yield "bad.complex.npy", header(describe("<c8", False, "(3,)")) + b"\0" * 24
    yield "bad.object.npy", header(describe("|O", False, "(3,)")) + b"\0" * 24
    yield "bad.width.npy", header(describe("<i99999999999", False, "(3,)")) + b"\0" * 24
    yield "bad.axes.npy", header(describe("<i4", False, "(" + "1, " * 100 + ")")) + b"\0" * 4


for name, data in files():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
