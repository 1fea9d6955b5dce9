"""Arrays as the tests see them: a type code, extents and values; read and written as .npy files with nothing but struct."""
import array
import ast
import math
import struct

# NumPy's name and the array module's code of each element type; bool is kept as bytes.
DESCR = {"i": "<i4", "I": "<u4", "q": "<i8", "Q": "<u8", "B": "|u1", "d": "<f8", "f": "<f4", "?": "|b1"}
CODE = {descr: code for code, descr in DESCR.items()}


class Array:
    def __init__(self, code, values, shape=None, tolerance=None):
        self.code = code
        self.data = array.array("B" if code == "?" else code, values)
        self.shape = tuple(shape) if shape is not None else (len(self.data),)
        self.tolerance = tolerance  # (absolute, relative) for floats

    def write(self, path):
        text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (DESCR[self.code], self.shape)
        text += " " * (-(10 + len(text) + 1) % 64) + "\n"
        with open(path, "wb") as f:
            f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1") + self.data.tobytes())


def read(path):
    with open(path, "rb") as f:
        raw = f.read()
    size = struct.unpack("<H", raw[8:10])[0]
    header = ast.literal_eval(raw[10:10 + size].decode("latin1"))
    code = CODE[header["descr"]]
    out = Array(code, [], header["shape"])
    out.data.frombytes(raw[10 + size:])
    return out


def close(x, y, tolerance):
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    return abs(x - y) <= tolerance[0] + tolerance[1] * max(abs(x), abs(y))


def difference(got, expected):
    """What is wrong with an array, or None."""
    if got.code != expected.code or got.shape != expected.shape:
        return "the result is %s %s, not %s %s" % (got.code, got.shape, expected.code, expected.shape)
    if got.data == expected.data:
        return None
    for i, (x, y) in enumerate(zip(got.data, expected.data)):
        if x != y and not (expected.tolerance and close(x, y, expected.tolerance)):
            return "element %d is %r, not %r" % (i, x, y)
    return None
