"""Small changes of files: of words in a text, of values in a binary file, whose lengths and checksum are made right again so
that the change is seen by what it should be seen by."""

import re
import zlib

from fclfile.binary import Cursor, pack_array, pack_bin, pack_int, pack_str
from fclfile.tables import T

WORD = re.compile(rb"[A-Za-z0-9_.$'#%@\"-]+|\s+|.", re.S)
SPICE = [w.encode() for w in list(T.by_name) + list(T.scalar_names) + list(T.levels) + list(T.kinds) + [
    "fun", "kernel", "import", "module", "section", "loc", "attr", "prop", "hint", '"inline"', '"AAECAw=="', "forall", "true", "false", "inf", "nan", "-inf", "0", "1", "-1",
    "1.5", "1e400", "1e-400", "2e5f32", "65504f16", "65520f16", "70000i16", "256u8", "-1u8", "0x10", "0xffi8", "-0", "0.1f32", "1e39f32",
    "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809", "4294967295", "4294967296",
    "(", ")", "{", "}", "[", "]", "<", ">", ",", ":", ";", "=", "->", "+", ".", "'a", "l", "%x", "%0", "%7", "@f", "@reverse", "\n", " ",
    "// c\n", '"a"', '""', '"\\x00"', '"\\xff"', '"\\q"', '"prelude"', "fcl 0.2", "0.1", "\t", "\r\n", "\x0b", "\xe9", "1+", "1+block", "infi32"]]


def text(rng, data):
    words = WORD.findall(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        i = rng.randrange(len(words))
        kind = rng.randrange(6)
        if kind == 0:
            del words[i]
        elif kind == 1:
            words[i] = rng.choice(SPICE)
        elif kind == 2:
            words.insert(i, rng.choice(SPICE))
        elif kind == 3:
            j = rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
        elif kind == 4:
            words.insert(i, words[rng.randrange(len(words))])
        else:
            w = bytearray(words[i])
            w[rng.randrange(len(w))] = rng.choice(b"\x00 .%@'#$019axZ\"\\\n\xff\xc3-+")
            words[i] = bytes(w)
        if not words:
            words = [b" "]
    return b"".join(words)


# A binary file as a tree: lists, ints, ("str", b), ("bin", b), ("raw", b).

NUMBERS = [0, 1, 2, 3, 4, 5, 8, 9, 10, 13, 16, 17, 18, 31, 99, 127, 128, 200, 223, 224, 250, 251, 255, 256, 65535, 65536, 2**31 - 1, 2**31,
           2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -3, -31, -128, -2**31, -2**31 - 1, -10**9, -10**9 - 1, -2**63]
LONG = {"d": lambda n: b"\xcf" + n.to_bytes(8, "big"), "q": lambda n: b"\xd3" + n.to_bytes(8, "big", signed=True)}


def tree(c):
    start = c.at
    kind, value = c.value()
    if kind == "array":
        return [tree(c) for _ in range(value)]
    if kind == "int":
        return value
    if kind == "float":
        return "raw", bytes(c.data[start:c.at])
    return kind, value


def pack(t, rng):
    if isinstance(t, list):
        return pack_array(pack(x, rng) for x in t)
    if isinstance(t, int):
        if rng.random() < 0.002:
            return LONG["d"](t) if 0 <= t < 2**64 else LONG["q"](t)
        return pack_int(t)
    kind, value = t
    return value if kind == "raw" else pack_str(value) if kind == "str" else pack_bin(value)


def leaves(t, out):
    """Every list with each of its indices."""
    for i, x in enumerate(t):
        out.append((t, i))
        if isinstance(x, list):
            leaves(x, out)


def other(rng, x):
    """A value in the place of this one."""
    kind = rng.randrange(8)
    if isinstance(x, int) and kind < 5:
        return rng.choice((x + 1, x - 1, x + rng.randrange(-4, 5), rng.choice(NUMBERS), rng.choice(NUMBERS)))
    if isinstance(x, tuple) and kind < 5 and x[0] in ("str", "bin"):
        b = bytearray(x[1] + b"x")
        b[rng.randrange(len(b))] = rng.choice(b"a.%\x00\xff \xc3")
        return rng.choice((x[0], "str", "bin")), bytes(b[:rng.randrange(len(b) + 1)])
    if isinstance(x, tuple) and x[0] == "raw" and kind < 4:
        return "raw", rng.choice((b"\xca\x3f\x80\0\0", b"\xca\x7f\xc0\0\0", b"\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", b"\xcb\x7f\xf0\0\0\0\0\0\0"))
    return rng.choice((rng.choice(NUMBERS), [], [1], [rng.choice(NUMBERS)], ("str", b"x"), ("bin", b""), ("raw", b"\xc0"), ("raw", b"\xc3"),
                       ("raw", b"\xca\0\0\0\0"), ("raw", b"\x80"), ("raw", b"\xd4\0\0")))


def mutate_list(rng, root):
    places = []
    leaves(root, places)
    if not places:
        return
    where, i = rng.choice(places)
    kind = rng.randrange(10)
    if kind == 0:
        del where[i]
    elif kind == 1:
        where.insert(i, where[i])
    elif kind == 2:
        j = rng.randrange(len(where))
        where[i], where[j] = where[j], where[i]
    else:
        where[i] = other(rng, where[i])


def valid_int(x):
    return not isinstance(x, int) or -2**63 <= x < 2**64


def clean(t):
    """Numbers that MessagePack can hold."""
    return [clean(x) for x in t] if isinstance(t, list) else t if valid_int(t) else 0


def binary(rng, data):
    file = tree(Cursor(data))
    sections = file[5]
    opened = []
    for s in sections:
        try:
            c = Cursor(s[2][1])
            s[2] = tree(c)
            opened.append(s)
        except Exception:  # noqa: BLE001  an unknown section need not be MessagePack
            pass
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        known = [s for s in opened if len(s) > 2 and isinstance(s[2], list)]
        kind = rng.randrange(12)
        if kind == 0 or not known:
            mutate_list(rng, file)
        else:
            mutate_list(rng, rng.choice(known)[2])
    for s in opened:
        if len(s) > 2 and isinstance(s[2], list):
            s[2] = ("bin", pack(clean(s[2]), rng) + (rng.choice((b"", b"\0")) if rng.random() < 0.005 else b""))
    parts = [pack(clean(x) if isinstance(x, list) else x if valid_int(x) else 0, rng) for x in file[:6]]
    body = b"\x97" + b"".join(parts) if len(file) == 7 else pack_array(parts)
    if rng.random() < 0.01:
        body = bytearray(body)
        body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        body = bytes(body)
    return body + b"\xce" + zlib.crc32(body).to_bytes(4, "big")
