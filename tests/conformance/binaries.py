"""Cases in the binary form, packed by hand.  A file is made of parts that a case replaces; all else is that of a plain module."""

import struct
import zlib

from cases import Case
from fclfile.binary import pack_array, pack_bin, pack_int, pack_ints, pack_str, pack_text

NIL, FALSE, MAP = b"\xc0", b"\xc2", b"\x80"
REQUIRED = ("strings", "types", "constants", "functions", "code")
OPTIONAL = ("names", "locations", "attributes")


def texts(*items):
    return pack_array(pack_text(t if isinstance(t, bytes) else t.encode()) for t in items)


def arrays(items):
    return pack_array(map(pack_ints, items))


def long_int(n):
    """In nine bytes."""
    return (b"\xcf" + n.to_bytes(8, "big")) if n >= 0 else b"\xd3" + n.to_bytes(8, "big", signed=True)


def types(kinds=(), entries=((1, 4),)):
    return pack_array([pack_ints(kinds), arrays(entries)])


def functions(imports=(), used=(), heads=((0, 0, 0, 0, (1,), 1),)):
    """Heads are name, flags, type parameters, level parameters, types of parameters, type of the result."""
    def one(h):
        return pack_array([pack_int(n) for n in h[:4]] + [pack_ints(h[4]), pack_int(h[5])])
    return pack_array([pack_ints(imports), pack_ints(used), pack_array(map(one, heads))])


def float64(x):
    return b"\xcb" + struct.pack(">d", x)


def float32(x):
    return b"\xca" + struct.pack(">f", x)


def constants(*pairs):
    return pack_array([b for form, value in pairs for b in (pack_int(form), value if isinstance(value, bytes) else pack_int(value))])


# fun @f(%x: int) -> int { %y = add %x, 1  return %y }
ADD, RETURN, YIELD, GENERATE, LENGTH, TUPLE, CALL, FN, BLOCKSIZE, PUSH, CONVERT = 1, 251, 250, 230, 231, 210, 223, 220, 240, 235, 200
CODE = [ADD, 1, -1, 1, RETURN, 1]
PLAIN = {"strings": texts("f"), "types": types(), "constants": constants((16, 1)), "functions": functions(), "code": arrays([CODE]),
         "names": None, "locations": None, "attributes": None}


def section(name, body, flags=None):
    if flags is None:
        flags = int(name in REQUIRED)
    return pack_array([pack_str(name.encode()) if isinstance(name, str) else name, pack_int(flags), pack_bin(body)])


def sections(*more, without=(), **parts):
    """Known ones in their order, then more."""
    bodies = {**PLAIN, **parts}
    return [section(n, b) for n, b in bodies.items() if b is not None and n not in without] + list(more)


def file(parts=None, version=(0, 1), producer=None, features=b"\x90", magic=b"\x97\xa4fclb", checksum=None, ending=b""):
    data = magic + pack_int(version[0]) + pack_int(version[1]) + (pack_str(b"conformance") if producer is None else producer)
    data += features + (pack_array(sections() if parts is None else parts) if not isinstance(parts, bytes) else parts) + ending
    return data + (b"\xce" + zlib.crc32(data).to_bytes(4, "big") if checksum is None else checksum)


def binary(rule, name, data, code=None, **more):
    return Case(rule, "binary/" + name + ".fclb", data, code, **more)


def with_code(rule, name, numbers, code=None, before=None, **more):
    """Of the plain module with another body; `before`: other sections."""
    return binary(rule, name, file(sections(code=arrays([numbers]), **(before or {}))), code, **more)


def frame():
    yield binary("frame", "plain", file())
    yield binary("frame", "producer-empty", file(producer=pack_str(b"")), same="plain")
    yield binary("frame", "producer-bytes", file(producer=pack_bin(b"\xff")), same="plain")
    yield binary("frame", "producer-not-utf-8", file(producer=pack_str(b"\xff")), "E0126")
    yield binary("frame", "producer-number", file(producer=pack_int(1)), "E0121")
    yield binary("frame", "feature-unknown", file(features=pack_array([pack_str(b"streams")])), "E0123")
    yield binary("frame", "feature-number", file(features=pack_ints([1])), "E0121")
    yield binary("frame", "major", file(version=(1, 0)), "E0123")
    yield binary("frame", "array-of-8", file(magic=b"\x98\xa4fclb", ending=NIL), "E0101")
    yield binary("frame", "array-16", file(magic=b"\xdc\0\7\xa4fclb"), "E0101")
    yield binary("frame", "magic-bin", file(magic=b"\x97\xc4\4fclb"), "E0101")
    yield binary("frame", "magic-long-str", file(magic=b"\x97\xd9\4fclb"), "E0101")
    yield binary("frame", "checksum-wrong", file(checksum=b"\xce\0\0\0\0"), "E0122")
    crc = zlib.crc32(file()[:-5])
    yield binary("frame", "checksum-wide", file(checksum=b"\xcf" + crc.to_bytes(8, "big")), "E0120")
    yield binary("frame", "checksum-missing", file(checksum=b""), "E0120")
    yield binary("frame", "something-behind", file() + b"\0", "E0120")
    yield binary("frame", "something-before-the-checksum", file(ending=NIL), "E0121")
    for n in (7, 20, len(file()) - 1):
        yield binary("frame", "cut-%d" % n, file()[:n], "E0120")
    yield binary("frame", "changed", file()[:40] + b"\x55" + file()[41:], "E0122")


def encodings():
    wide = b"\xdd" + len(CODE).to_bytes(4, "big") + b"".join(map(long_int, CODE))
    yield binary("encodings", "integers-of-64-bits", file(sections(code=pack_array([wide]))), same="plain")
    yield binary("encodings", "signed-positive", file(sections(constants=pack_array([b"\xd0\x10", b"\xd3" + bytes(7) + b"\1"]))), same="plain")
    yield binary("encodings", "version-wide", file().replace(b"fclb\0\1", b"fclb\0\1", 1), same="plain")
    magic = b"\x97\xa4fclb" + long_int(0) + long_int(1) + pack_str(b"wide") + b"\xdc\0\0" + b"\xdc" + struct.pack(">H", 5) + b"".join(sections())
    yield binary("encodings", "head-wide", magic + b"\xce" + zlib.crc32(magic).to_bytes(4, "big"), same="plain")
    yield binary("encodings", "texts-long", file(sections(strings=b"\xdd\0\0\0\1\xdb\0\0\0\1f")), same="plain")
    yield binary("encodings", "section-bin-32", file([b"\x93" + pack_str(n.encode()) + b"\1\xc6" + len(PLAIN[n]).to_bytes(4, "big") + PLAIN[n]
                                                      for n in REQUIRED]), same="plain")
    yield binary("encodings", "section-is-a-str", file([b"\x93\xa7strings\1" + pack_str(PLAIN["strings"])] + sections(without=["strings"])), "E0121")
    yield binary("encodings", "name-in-a-bin", file(sections(strings=pack_array([pack_bin(b"f")]))), same="plain")
    yield binary("encodings", "section-name-in-a-bin", file(sections(section(pack_bin(b"x"), b""))), "E0121")
    for name, value in (("nil", NIL), ("boolean", FALSE), ("map", MAP), ("extension", b"\xd4\1\1"), ("float", float64(1.0)), ("never-used", b"\xc1"),
                        ("text", pack_str(b"1"))):
        yield binary("encodings", "number-is-a-" + name, file(sections(code=pack_array([pack_array([value] + [pack_int(n) for n in CODE[1:]])]))), "E0121")
    yield binary("encodings", "float-for-an-integer", file(sections(constants=constants((16, float64(1.0))))), "E0121")
    yield binary("encodings", "number-beyond-32-bits", file(sections(code=pack_array([pack_array([long_int(2**32 + 1)] + [pack_int(n) for n in CODE[1:]])]))), "E0121")
    yield binary("encodings", "array-claims-more", file(sections(strings=b"\xdd\xff\xff\xff\xff\xa1f")), "E0120")
    yield binary("encodings", "text-claims-more", file(sections(strings=b"\x91\xdb\xff\xff\xff\xff")), "E0120")


def section_rules():
    rule = "sections"
    for name in REQUIRED:
        yield binary(rule, "without-" + name, file(sections(without=[name])), "E0124")
        yield binary(rule, "twice-" + name, file(sections()[:REQUIRED.index(name) + 1] + sections()[REQUIRED.index(name):]), "E0124")
    swapped = sections()
    swapped[1], swapped[2] = swapped[2], swapped[1]
    yield binary(rule, "in-another-order", file(swapped), "E0124")
    yield binary(rule, "optional-before-required", file([section("names", pack_array([texts(), pack_ints([]), arrays([[0, 0]])]))] + sections()), "E0124")
    yield binary(rule, "flags-of-a-known-one", file([section("strings", PLAIN["strings"], 3)] + sections(without=["strings"])), "E0123")
    yield binary(rule, "required-without-its-flag", file([section("strings", PLAIN["strings"], 0)] + sections(without=["strings"])), same="plain")
    yield binary(rule, "optional-with-the-flag", file(sections(section("names", pack_array([texts("y"), b"\x90", arrays([[0, 1]])]), 1))), same="names-of-a-result")
    yield binary(rule, "something-behind-the-contents", file(sections(strings=PLAIN["strings"] + NIL)), "E0121")
    yield binary(rule, "contents-cut", file(sections(strings=b"\x92\xa1f")), "E0120")
    yield binary(rule, "contents-empty", file(sections(strings=b"")), "E0120")
    yield binary(rule, "unknown", file(sections(section("x.y", b"\1\2"))), since="0.1")
    yield binary(rule, "unknown-first", file([section("x.y", b"\1\2")] + sections()), same="unknown")
    yield binary(rule, "unknown-twice", file(sections(section("x.y", b"\1"), section("x.y", b"\1"))))
    yield binary(rule, "unknown-empty", file(sections(section("x.y", b""))))
    yield binary(rule, "unknown-no-messagepack", file(sections(section("x.y", b"\xc1\xff"))))
    yield binary(rule, "unknown-flags", file(sections(section("x.y", b"\1", 2))), since="0.3")
    yield binary(rule, "unknown-required", file(sections(section("x.y", b"\1", 1))), "E0123")
    yield binary(rule, "unknown-no-name", file(sections(section("", b"\1"))), "E0121")
    yield binary(rule, "unknown-name-not-utf-8", file(sections(section(pack_str(b"\xff"), b""))), "E0126")
    yield binary(rule, "of-two-elements", file([b"\x92\xa7strings\1"] + sections()), "E0121")


def tables():
    rule = "tables"
    yield binary(rule, "strings-twice", file(sections(strings=texts("f", "f"), functions=functions(heads=((1, 0, 0, 0, (1,), 1),)))), same="plain")
    yield binary(rule, "strings-not-used", file(sections(strings=texts("f", "", "unused"))), same="plain")
    yield binary(rule, "strings-not-utf-8", file(sections(strings=b"\x92\xa1f\xa1\xff")), "E0126")
    yield binary(rule, "types-twice", file(sections(types=types(entries=((1, 4), (1, 4))), functions=functions(heads=((0, 0, 0, 0, (2,), 1),)))), same="plain")
    yield binary(rule, "types-not-used", file(sections(types=types(entries=((1, 4), (1, 1), (8, 1, 1))))), same="plain")
    yield binary(rule, "constants-twice", file(sections(constants=constants((16, 1), (16, 1)), code=arrays([[ADD, 1, -2, 1, RETURN, 1]]))), same="plain")
    yield binary(rule, "constants-not-used", file(sections(constants=constants((16, 1), (16, 2)))), same="plain")

    def of_type(name, entries, code=None, kinds=(), bound=(0, 0), number=None, **more):
        head = (0, 0, *bound, (1, number or len(entries)), 1)
        return binary(rule, "type-" + name, file(sections(types=types(kinds, ((1, 4), *entries[1:]) if entries[0] == (1, 4) else entries),
                                                           functions=functions(heads=(head,)), code=arrays([[ADD, 2, -1, 1, RETURN, 1]]))), code, **more)
    i = (1, 4)
    for name, entry in (("tuple", (4, 1, 1)), ("function", (5, 1, 1)), ("pull", (8, 1, 1)), ("pull-8", (8, 1, 8)), ("push", (9, 1, 1, 13)),
                        ("push-255", (9, 1, 1, 255 * 4 + 1))):
        yield of_type(name, [i, entry])
    for name, entry, code in (("form-0", (0, 1), "E0123"), ("form-10", (10, 1), "E0123"), ("scalar-0", (1, 0), "E0123"), ("scalar-unknown", (1, 99), "E0123"), ("scalar-long", (1, 4, 4), "E0121"),
                              ("empty", (), "E0121"), ("tuple-of-one", (4, 1), "E0121"), ("itself", (8, 2, 1), "E0125"), ("later", (8, 3, 1), "E0125"),
                              ("of-none", (8, 0, 1), "E0125"), ("rank-0", (8, 1, 0), "E0125"), ("rank-9", (8, 1, 9), "E0125"),
                              ("level-0", (9, 1, 1, 0), "E0123"), ("level-index", (9, 1, 1, 1025), "E0125"), ("level-base-0", (9, 1, 1, 4), "E0123"),
                              ("level-parameter-none", (9, 1, 1, 2), "E0125"), ("parameter-none", (2, 0), "E0125"), ("bound-alone", (3, 0), "E0125"),
                              ("level-bound-alone", (9, 1, 1, 3), "E0125"), ("kind-4", (7, 4, 1), "E0123"), ("kind-unknown", (7, 99, 1), "E0123")):
        yield of_type(name, [i, entry], code)
    yield of_type("level-function", [i, (9, 1, 1, 3), (6, 2)])
    yield of_type("level-function-deeper", [i, (9, 1, 1, 1024 + 3), (6, 2)], "E0125")
    yield of_type("scheme", [i, (3, 0), (5, 2, 2), (7, 1, 3)])
    yield of_type("scheme-no-kind", [i, (3, 0), (5, 2, 2), (7, 0, 3)])
    yield of_type("parameter", [i, (2, 0)], kinds=[0], bound=(1, 0))
    yield of_type("parameter-of-a-kind", [i, (2, 0)], kinds=[3], bound=(1, 0))
    yield of_type("parameter-bound", [i, (2, 0)], kinds=[7], bound=(1, 0), since="0.3")
    yield of_type("parameter-unknown", [i, (2, 0)], "E0123", kinds=[99], bound=(1, 0))
    yield of_type("parameter-is-a-level", [i, (2, 0)], "E0125", kinds=[4], bound=(0, 1))
    yield of_type("level-is-a-parameter", [i, (9, 1, 1, 2)], "E0125", kinds=[0], bound=(1, 0))
    yield of_type("level-parameter", [i, (9, 1, 1, 2)], kinds=[4], bound=(0, 1))
    yield of_type("parameter-not-bound", [i, (2, 0)], "E0125", kinds=[0])
    yield of_type("parameter-bound-nowhere", [i], "E0125", kinds=[0], number=1)
    yield of_type("parameters-too-few", [i], "E0125", bound=(1, 0), number=1)
    yield of_type("parameters-mixed", [i], "E0125", kinds=[4, 0], bound=(1, 1), number=1)
    yield of_type("nested-100", [i] + [(8, n, 1) for n in range(1, 100)])
    yield of_type("nested-101", [i] + [(8, n, 1) for n in range(1, 101)], "E0902")

    def of_constant(name, form, value, code=None, type=None, **more):
        parts = {"constants": constants((form, value))}
        if type:
            parts.update(types=types(entries=((1, 4), (1, type))), code=arrays([[CONVERT, 1, -1, 1, RETURN, 1]]))
        return binary(rule, "constant-" + name, file(sections(**parts)), code, **more)
    yield of_constant("negative", 17, 1)
    yield of_constant("largest", 16, 2**64 - 1)
    yield of_constant("least", 17, 2**63)
    yield of_constant("below-least", 17, 2**63 + 1, "E0125")
    yield of_constant("negative-zero", 17, 0)
    yield of_constant("magnitude-negative", 16, -1, "E0121")
    yield of_constant("form-0", 0, 1, "E0123")
    yield of_constant("form-unknown", 99, 1, "E0123")
    yield of_constant("i8", 2, -128)
    yield of_constant("i8-too-large", 2, 128, "E0125")
    yield of_constant("u8-negative", 6, -1, "E0121")
    yield of_constant("bool-2", 1, 2, "E0125")
    yield of_constant("bool-boolean", 1, b"\xc3", "E0121")
    yield of_constant("real", 18, float64(1.5))
    yield of_constant("real-32", 18, float32(1.5), same="constant-real")
    yield of_constant("real-integer", 18, 1, "E0121")
    yield of_constant("f32", 10, float32(1.5))
    yield of_constant("f32-from-64", 10, float64(1.5), same="constant-f32")
    yield of_constant("f32-not-exact", 10, float64(0.1), "E0125")
    yield of_constant("f32-nan", 10, float64(float("nan")), same="constant-f32-nan-of-another-kind")
    yield of_constant("f32-nan-of-another-kind", 10, b"\xca\xff\xc0\0\1")
    yield of_constant("f16", 12, float32(1.5), since="0.2")
    yield of_constant("f16-not-exact", 12, float32(1 + 2**-11), "E0125", since="0.2")
    yield binary(rule, "constants-odd", file(sections(constants=pack_ints([16]))), "E0121")

    two = functions(heads=((0, 0, 0, 0, (1,), 1), (1, 0, 0, 0, (1,), 1)))
    yield binary(rule, "function-two", file(sections(strings=texts("f", "g"), functions=two, code=arrays([CODE, CODE]))))
    yield binary(rule, "function-twice", file(sections(strings=texts("f", "f"), functions=two, code=arrays([CODE, CODE]))), "E0204")
    yield binary(rule, "function-name-empty", file(sections(strings=texts(""))), "E0126")
    yield binary(rule, "function-name-dash", file(sections(strings=texts("a-b"))), "E0126")
    yield binary(rule, "function-name-digits", file(sections(strings=texts("12"))))
    for name, head, code in (("name-number", (1, 0, 0, 0, (1,), 1), "E0125"), ("flags-2", (0, 2, 0, 0, (1,), 1), "E0123"), ("parameter-no-type", (0, 0, 0, 0, (0,), 1), "E0125"),
                             ("parameter-type-number", (0, 0, 0, 0, (2,), 1), "E0125"), ("result-number", (0, 0, 0, 0, (1,), 2), "E0125")):
        yield binary(rule, "function-" + name, file(sections(functions=functions(heads=(head,)))), code)
    yield binary(rule, "function-no-result-type", file(sections(functions=functions(heads=((0, 0, 0, 0, (1,), 0),)))))
    yield binary(rule, "function-kernel", file(sections(functions=functions(heads=((0, 1, 0, 0, (1,), 1),)))))
    yield binary(rule, "function-none", file(sections(strings=texts(), types=types(entries=()), constants=constants(), functions=functions(heads=()), code=arrays([]))))
    yield binary(rule, "function-without-code", file(sections(code=arrays([]))), "E0121")
    yield binary(rule, "code-without-function", file(sections(code=arrays([CODE, CODE]))), "E0121")


def imports():
    use = {"strings": texts("helper", "f", "twice"), "constants": constants(), "code": arrays([[CALL, 1, 0, 0, 1, 1, 1, RETURN, 1]])}
    heads = ((1, 0, 0, 0, (1,), 1),)
    yield binary("imports", "import", file(sections(functions=functions([0], [2], heads), **use)))
    yield binary("imports", "import-twice", file(sections(functions=functions([0, 0], [2], heads), **use)), same="import")
    yield binary("imports", "import-unused-function", file(sections(functions=functions([0], [2, 2], heads), **use)), same="import")
    yield binary("imports", "import-unknown-function", file(sections(functions=functions([0], [2], heads), **{**use, "strings": texts("helper", "f", "thrice")})), "E0209")
    yield binary("imports", "import-unknown", file(sections(functions=functions([0], [2], heads), **{**use, "strings": texts("nobody", "f", "twice")})), "E0216")
    yield binary("imports", "import-not-imported", file(sections(functions=functions([], [2], heads), **use)), "E0209")
    yield binary("imports", "import-of-an-own-name", file(sections(functions=functions([0], [2], heads), **{**use, "strings": texts("helper", "twice", "twice")})), "E0125")


def code():
    rule = "code"
    yield with_code(rule, "operator-unknown", [9999, 1, 1, RETURN, 1], "E0123")
    yield with_code(rule, "operator-0", [0, 1, 1, RETURN, 1], "E0123")
    yield with_code(rule, "operand-0", [ADD, 0, -1, 1, RETURN, 1], "E0125")
    yield with_code(rule, "operand-beyond", [ADD, 2, -1, 1, RETURN, 1], "E0125")
    yield with_code(rule, "operand-constant-beyond", [ADD, 1, -2, 1, RETURN, 1], "E0125")
    yield with_code(rule, "result-type-none", [ADD, 1, -1, 0, RETURN, 1])
    yield with_code(rule, "result-type-beyond", [ADD, 1, -1, 2, RETURN, 1], "E0125")
    yield with_code(rule, "no-return", [ADD, 1, -1, 1], "E0120")
    yield with_code(rule, "behind-the-return", [ADD, 1, -1, 1, RETURN, 1, RETURN, 1], "E0121")
    yield with_code(rule, "yield-in-a-body", [YIELD, 1], "E0252")
    yield with_code(rule, "empty", [], "E0120")
    yield with_code(rule, "operands-of-a-range", [TUPLE, 2, 1, 1, 0, RETURN, 2])
    yield with_code(rule, "operands-below-the-range", [TUPLE, 1, 1, 0, RETURN, 2], "E0254")
    region = [GENERATE, 1, 1, 0, 1, 1, YIELD, 1, LENGTH, 1, 1, RETURN, 1]
    yield with_code(rule, "region", region)
    yield with_code(rule, "region-parameter-no-type", region[:5] + [0] + region[6:])
    yield with_code(rule, "region-parameters-2", region[:4] + [2, 1, 1] + region[6:], check="E0255")
    yield with_code(rule, "region-parameters-many", region[:4] + [2**31] + region[5:], "E0120")
    yield with_code(rule, "region-sees-around", region[:6] + [YIELD, 2] + region[8:])
    yield with_code(rule, "region-values-end-with-it", region[:8] + [LENGTH, 3, 1, RETURN, 1], "E0125")
    yield with_code(rule, "region-return", region[:6] + [RETURN, 1] + region[8:], "E0252")
    yield with_code(rule, "result-not-visible-in-its-regions", region[:6] + [YIELD, 3] + region[8:], "E0125")
    for n, refused in ((199, None), (200, "E0902")):
        nested = [x for _ in range(n) for x in (GENERATE, 1, 1, 0, 1, 1)] + [YIELD, 1]
        for i in range(n - 1):
            nested += [LENGTH, 1, 1, YIELD, 1]
        yield with_code(rule, "regions-nested-%d" % (n + 1), nested + [LENGTH, 1, 1, RETURN, 1], refused)
    call = [CALL, 0, 0, 0, 1, 1, 1, RETURN, 1]
    yield with_code(rule, "call", call, check="E0259")
    yield with_code(rule, "call-beyond", [CALL, 1] + call[2:], "E0125")
    yield with_code(rule, "call-instance-of-none", call[:2] + [1, 0, 0] + call[4:], "E0125")
    yield with_code(rule, "call-instance-claims-more", call[:2] + [65534, 0] + call[4:], "E0125")
    yield with_code(rule, "call-instance-too-many", call[:2] + [70000, 0] + call[4:], "E0125")
    yield with_code(rule, "type-0", [CONVERT, 0, 1, 1, RETURN, 1], "E0125")
    push = [PUSH, 9, 1, 0, RETURN, 2]
    yield with_code(rule, "level", push)
    yield with_code(rule, "level-base", [PUSH, 8] + push[2:], "E0123")
    yield with_code(rule, "level-bound", [PUSH, 3] + push[2:], "E0125")
    fn = [FN, 1, 1, 0, 1, 1, YIELD, 1, RETURN, 2]
    both = {"types": types([0, 4])}
    yield with_code(rule, "bind", fn, before=both)
    yield with_code(rule, "bind-order", fn, "E0125", before={"types": types([4, 0])})
    yield with_code(rule, "bind-nothing", [FN, 0, 0] + fn[3:])
    yield with_code(rule, "bind-too-few", fn[:1] + [2, 0] + fn[3:], "E0125", before=both)


def optional():
    rule = "optional"

    def names(name, body, code=None, **more):
        return binary(rule, "names-" + name, file(sections(names=body)), code, **more)

    def of(texts_, values, parameters=()):
        return pack_array([texts(*texts_), pack_ints(parameters), arrays(values)])
    yield names("of-a-result", of(["y"], [[0, 1]]))
    yield names("none", of([], [[0, 0]]), same="plain")
    yield names("number", of([], [[0, -8]]))
    yield names("number-as-a-text", of(["7"], [[0, 1]]), same="names-number")
    yield names("number-with-zeros", of(["007"], [[0, 1]]))
    yield names("number-largest", of([], [[0, -10**9]]))
    yield names("number-too-large", of([], [[0, -10**9 - 1]]), "E0125")
    yield names("number-text-too-large", of(["1000000000"], [[0, 1]]))
    yield names("numbers-that-a-text-gives", of([], [[-1, -2]]), same="plain")
    yield names("numbers-in-another-order", of([], [[-2, -1]]))
    yield names("numbers-of-some-only", of([], [[-1, 0]]), same="plain")
    yield names("numbers-of-some-that-stay", of([], [[-2, 0]]), same="names-numbers-in-another-order")
    yield names("beyond", of(["y"], [[0, 2]]), "E0125")
    yield names("too-few", of(["y"], [[1]]), "E0121")
    yield names("too-many", of(["y"], [[0, 0, 1]]), "E0121")
    yield names("functions-too-few", of(["y"], []), "E0121")
    yield names("no-name", of(["a-b"], [[0, 1]]), "E0126")
    yield names("empty", of([""], [[0, 1]]), "E0126")
    yield names("same-twice", of(["y"], [[1, 1]]))
    yield names("texts-not-used", of(["z", "y"], [[0, 2]]), same="names-of-a-result")
    yield names("of-a-parameter-that-is-none", of(["y"], [[0, 1]], [1]), "E0121")

    def places(name, entries, code=None, files=("a.apl",), **more):
        return binary(rule, "places-" + name, file(sections(locations=pack_array([texts(*files), arrays([entries])]))), code, **more)
    yield places("of-the-function", [0, 0, 1, 0])
    yield places("of-an-operation", [1, 0, 3, 4])
    yield places("of-all", [0, 0, 1, 1, 1, 0, 2, 1, 1, 0, 3, 1])
    yield places("none", [], same="plain")
    yield places("twice", [1, 0, 3, 4, 0, 0, 5, 6], same="places-the-last-counts")
    yield places("the-last-counts", [1, 0, 5, 6])
    yield places("behind-all", [3, 0, 1, 1], "E0125")
    yield places("line-0", [1, 0, 0, 1], "E0125")
    yield places("line-largest", [1, 0, 2**32 - 2, 2**32 - 1])
    yield places("line-too-large", [1, 0, 2**32 - 1, 1], "E0125")
    yield places("file-beyond", [1, 1, 1, 1], "E0125")
    yield places("file-empty", [1, 0, 1, 1], "E0125", files=("",))
    yield places("file-any-bytes", [1, 0, 1, 1], files=(b"\xff",))
    yield places("of-three", [1, 0, 1], "E0121")
    yield places("texts-not-used", [1, 1, 3, 4], files=("other", "a.apl"), same="places-of-an-operation")

    def attributes(name, module=(), entries=(), code=None, keys=("k", "l"), **more):
        def pack(values):
            return pack_array(v if isinstance(v, bytes) else pack_int(v) for v in values)
        return binary(rule, "attributes-" + name, file(sections(attributes=pack_array([texts(*keys), pack(module), pack_array([pack(entries)])]))), code, **more)
    yield attributes("of-the-module", [0, 1])
    yield attributes("of-the-function", (), [0, 0, 1])
    yield attributes("of-an-operation", (), [1, 0, pack_str(b"v"), 0, 1, -2**63])
    yield attributes("none", same="plain")
    yield attributes("text-any-bytes", [0, pack_bin(b"\xff")])
    yield attributes("text-empty", [0, pack_str(b"")])
    yield attributes("text-not-utf-8", [0, pack_str(b"\xff")], code="E0126")
    yield attributes("largest", [0, 2**63 - 1])
    yield attributes("too-large", [0, 2**63], code="E0121")
    yield attributes("key-twice", [0, 1, 0, 2], code="E0125")
    yield attributes("key-twice-by-two-texts", [0, 1, 1, 2], code="E0125", keys=("k", "k"))
    yield attributes("key-empty", [0, 1], code="E0125", keys=("",))
    yield attributes("key-beyond", [2, 1], code="E0125")
    yield attributes("value-missing", [0], code="E0121")
    yield attributes("value-float", [0, float64(1.0)], code="E0121")
    yield attributes("behind-all", (), [3, 0, 1], code="E0125")


CONSTANT, BYTES = 214, 19


def data():
    """constant<i8; 3>, whose bytes are a constant of the module."""
    def one(name, numbers, refused=None, values=((BYTES, pack_bin(b"\1\2\xff")),), version=(0, 4), **more):
        parts = sections(types=types(entries=((1, 4), (1, 2), (1, 1), (8, 1, 1))), constants=constants(*values),
                         code=arrays([[CONSTANT, *numbers, 0, RETURN, 2]]))
        return binary("bytes", "bytes-" + name, file(parts, version=version), refused, since="0.4", **more)
    yield one("plain", [2, 1, 3, 0])
    yield one("of-two-axes", [2, 2, 3, 1, 0])
    yield one("of-none", [1, 1, 0, 0], values=((BYTES, pack_bin(b"")),))
    yield one("stated-by-0.1", [2, 1, 3, 0], version=(0, 1), same="bytes-plain")
    yield one("too-few", [2, 1, 4, 0], "E0125")
    yield one("too-many", [2, 1, 2, 0], "E0125")
    yield one("no-axes", [2, 0, 0], "E0125")
    yield one("nine-axes", [2, 9] + [1] * 8 + [3, 0], "E0125")
    yield one("extent-too-large", [2, 2, 2**31, 0, 0], "E0125")
    yield one("type-beyond", [9, 1, 3, 0], "E0125")
    yield one("type-no-scalar", [4, 1, 3, 0], "E0125")
    yield one("constant-beyond", [2, 1, 3, 1], "E0125")
    yield one("constant-of-another-form", [2, 1, 1, 0], "E0125", values=((16, 1),))
    yield one("bool", [3, 1, 2, 0], values=((BYTES, pack_bin(b"\0\1")),))
    yield one("bool-2", [3, 1, 2, 0], "E0125", values=((BYTES, pack_bin(b"\0\2")),))
    yield binary("bytes", "bytes-as-an-operand", file(sections(constants=constants((BYTES, pack_bin(b"\1")))), version=(0, 4)), "E0125", since="0.4")
    yield binary("bytes", "bytes-in-a-str", file(sections(constants=constants((BYTES, pack_str(b"\1")))), version=(0, 4)), "E0121", since="0.4")


def properties():
    def one(name, module=(), entries=(), code=None, keys=("inline", "x.y"), flags=1, version=(0, 4), **more):
        def pack(values):
            return pack_array(v if isinstance(v, bytes) else pack_int(v) for v in values)
        body = pack_array([texts(*keys), pack(module), pack_array([pack(entries)])])
        return binary("properties", "properties-" + name, file(sections(section("properties", body, flags)), version=version), code, since="0.4", **more)
    yield one("known", (), [0, 0, 0, 1], flags=0)
    yield one("hint", (), [0, 1, 0, 5], flags=0)
    yield one("hint-of-the-module", [1, 0, pack_str(b"v")], flags=0)
    yield one("hint-of-an-operation", (), [1, 1, 0, -1], flags=0)
    yield one("two", (), [0, 1, 0, 5, 0, 0, 0, 1], flags=0)
    yield one("required-and-unknown", (), [0, 1, 1, 5], "E0123")
    yield one("hint-as-required", (), [0, 0, 1, 1], "E0125")
    yield one("known-of-another-item", (), [1, 0, 0, 1], "E0125", flags=0)
    yield one("known-of-another-form", (), [0, 0, 0, pack_str(b"yes")], "E0125", flags=0)
    yield one("key-twice", (), [0, 1, 0, 5, 0, 1, 0, 6], "E0125", flags=0)
    yield one("flag-of-the-section-alone", (), [0, 1, 0, 5], same="properties-hint")
    yield one("value-missing", (), [0, 0, 0], "E0121", flags=0)
    yield one("behind-all", (), [9, 1, 0, 5], "E0125", flags=0)


def newer():
    rule = "newer"
    yield binary(rule, "minor-99", file(version=(0, 99)), same="plain")
    yield binary(rule, "minor-99-unknown-section", file(sections(section("streams", b"\1")), version=(0, 99)))
    yield binary(rule, "minor-99-required-section", file(sections(section("streams", b"\1", 1)), version=(0, 99)), "E0123")
    yield binary(rule, "minor-99-feature", file(version=(0, 99), features=pack_array([pack_str(b"streams")])), "E0123")
    yield binary(rule, "minor-99-operator", file(sections(code=arrays([[9999, 1, 1, RETURN, 1]])), version=(0, 99)), "E0123")
    yield binary(rule, "minor-99-scalar", file(sections(types=types(entries=((1, 4), (1, 99)))), version=(0, 99)), "E0123")
    yield binary(rule, "minor-99-form", file(sections(types=types(entries=((1, 4), (99, 1)))), version=(0, 99)), "E0123")
    yield binary(rule, "minor-99-literal", file(sections(constants=constants((99, 1))), version=(0, 99)), "E0123")


def all_cases():
    for group in (frame, encodings, section_rules, tables, imports, code, optional, data, properties, newer):
        yield from group()
