"""Cases in the text form.  What stands here is what docs/format.md says; nothing is taken from libfcl."""

from cases import Case


def text(rule, name, source, code=None, **more):
    data = source if isinstance(source, bytes) else source.encode()
    return Case(rule, "text/" + name + ".fclir", data, code, **more)


def function(body, head="(%x: int) -> int", before="", since="0.1"):
    return "fcl %s\n%sfun @f%s {\n  %s\n}\n" % (since, before, head, body.replace("\n", "\n  "))


def literal(number, code=None, name=None, type="int", **more):
    """A function that returns a literal, or adds it."""
    source = function("%%y = add %%x, %s\nreturn %%y" % number, "(%%x: %s) -> %s" % (type, type))
    return text("literals", "literal-" + (name or number), source, code, **more)


PLAIN = function("%y = add %x, 1\nreturn %y")


def words():
    yield text("words", "plain", PLAIN)
    yield text("words", "byte-order-mark", b"\xef\xbb\xbf" + PLAIN.encode(), same="plain")
    yield text("words", "byte-order-mark-twice", b"\xef\xbb\xbf\xef\xbb\xbf" + PLAIN.encode(), "E0104")
    yield text("words", "returns", PLAIN.replace("\n", "\r\n"), same="plain")
    yield text("words", "tabs", PLAIN.replace(" ", "\t"), same="plain")
    yield text("words", "one-line", PLAIN.replace("\n", " "), same="plain")
    yield text("words", "no-blanks", "fcl 0.1 fun@f(%x:int)->int{%y=add%x,1return%y}", "E0107")
    yield text("words", "few-blanks", "fcl 0.1fun@f(%x:int)->int{%y=add%x,1 return%y}", "E0103")
    yield text("words", "fewest-blanks", "fcl 0.1 fun@f(%x:int)->int{%y=add%x,1 return%y}", same="plain")
    yield text("words", "comment-first", "// a comment\n" + PLAIN, same="plain")
    yield text("words", "comment-last", PLAIN + "// no end of line", same="plain")
    yield text("words", "comment-any-bytes", b"// \xff\x00\x01\xfe\n" + PLAIN.encode(), same="plain")
    yield text("words", "form-feed", PLAIN.replace("\n", "\f"), "E0101")
    yield text("words", "no-break-space", PLAIN.replace("fun @f", "fun\u00a0@f"), "E0104")
    yield text("words", "nul", PLAIN.encode().replace(b"fun ", b"fun \0"), "E0101")
    yield text("words", "empty", "", "E0102")
    yield text("words", "no-header", "fun @f(%x: int) -> int { return %x }", "E0102")
    yield text("words", "header-alone", "fcl 0.1")
    yield text("words", "header-blank-in-version", PLAIN.replace("0.1", "0 .1"), "E0103")
    yield text("words", "header-no-minor", PLAIN.replace("0.1", "0"), "E0103")
    yield text("words", "header-major", PLAIN.replace("0.1", "1.0"), "E0103")
    yield text("words", "two-headers", "fcl 0.1\n" + PLAIN, "E0106")


def names():
    odd = "_a.b$c'd#e0"
    yield text("names", "value-odd", PLAIN.replace("%y", "%" + odd))
    yield text("names", "value-digits", PLAIN.replace("%y", "%007"))
    yield text("names", "value-dot-first-and-last", PLAIN.replace("%y", "%.a."))
    yield text("names", "value-keyword", PLAIN.replace("%y", "%return"))
    yield text("names", "value-empty", PLAIN.replace("%y", "%"), "E0106")
    yield text("names", "value-blank-behind-sign", PLAIN.replace("%y", "% y"), "E0106")
    yield text("names", "value-dash", PLAIN.replace("%y", "%a-b"), "E0104")
    yield text("names", "value-not-ascii", PLAIN.replace("%y", "%é"), "E0106")
    yield text("names", "function-odd", PLAIN.replace("@f", "@" + odd))
    yield text("names", "function-digits", PLAIN.replace("@f", "@12"))
    yield text("names", "function-keyword", PLAIN.replace("@f", "@fun"))
    yield text("names", "type-parameter-odd", function("return %x", "<'a.b'c>(%x: 'a.b'c) -> 'a.b'c"))
    yield text("names", "type-parameter-dot-last", function("return %x", "<'a.>(%x: 'a.) -> 'a."), "E0106")
    yield text("names", "type-parameter-scalar", function("return %x", "<'int>(%x: 'int) -> 'int"))
    yield text("names", "level-parameter", function("return %x", "<l>(%x: [int]<l>) -> [int]<l>"))
    yield text("names", "level-parameter-long", function("return %x", "<my_level.of'x>(%x: [int]<my_level.of'x>) -> [int]<my_level.of'x>"))
    for word, code in (("int", "E0218"), ("half", None), ("f16", None), ("thread", "E0218"), ("grid", "E0218"), ("forall", "E0218"),
                       ("fun", None), ("return", None), ("loc", None), ("true", None), ("inf", None), ("BT", None)):
        yield text("names", "level-parameter-" + word, function("return %x", "<%s>(%%x: [int]<%s>) -> [int]<%s>" % (word, word, word)), code)
    yield text("names", "level-parameter-f16-of-0.2", function("return %x", "<f16>(%x: [int]<f16>) -> [int]<f16>", since="0.2"), "E0218", since="0.2")
    yield text("names", "level-parameter-f16-and-the-type", function("return %y", "<f16>(%x: [f16]<f16>, %y: int) -> int"), since="0.2")
    yield text("names", "level-parameter-digit", function("return %x", "<1l>(%x: int) -> int"), "E0106")
    yield text("names", "same-name-every-kind", function("return %f", "<'f, f>(%f: [int]<f>) -> [int]<f>"))


def scopes():
    def body(inner):
        return function("%%r = generate %%x { (%%i: int)\n  %s\n}\n%%n = length %%r\nreturn %%n" % inner)
    yield text("scopes", "inner", body("%a = add %i, %x\n  yield %a"))
    yield text("scopes", "use-behind-region", function("%r = generate %x { (%i: int) yield %i }\nreturn %i"), "E0207")
    yield text("scopes", "shadow-parameter", body("%x = add %i, 1\n  yield %x"), "E0205")
    yield text("scopes", "shadow-by-region-parameter", function("%r = generate %x { (%x: int) yield %x }\n%n = length %r\nreturn %n"), "E0205")
    yield text("scopes", "own-result-inside", body("%r = add %i, 1\n  yield %r"))
    yield text("scopes", "beside-one-another", function(
        "%a = generate %x { (%i: int) yield %i }\n%b = generate %x { (%i: int) yield %i }\n%n = length %b\nreturn %n"))
    yield text("scopes", "bound-twice", function("%y = add %x, 1\n%y = add %x, 2\nreturn %y"), "E0205")
    yield text("scopes", "result-in-own-operand", function("%y = add %y, 1\nreturn %y"), "E0208")
    yield text("scopes", "later", function("%y = add %z, 1\n%z = add %x, 1\nreturn %y"), "E0208")
    yield text("scopes", "nowhere", function("%y = add %z, 1\nreturn %y"), "E0207")
    yield text("scopes", "other-function", PLAIN + "fun @g(%z: int) -> int { return %y }\n", "E0207")
    yield text("scopes", "no-result-name", function("add %x, 1\nreturn %x"))
    yield text("scopes", "number-and-text-name", function("%1 = add %x, 1\n%01 = add %1, 1\nreturn %01"))
    yield text("scopes", "function-later", "fcl 0.1\nfun @g(%x: int) -> int {\n  %y = call @f(%x)\n  return %y\n}\n" + PLAIN[8:])
    yield text("scopes", "function-unknown", function("%y = call @g(%x)\nreturn %y"), "E0209")
    yield text("scopes", "function-twice", PLAIN + PLAIN[8:], "E0204")
    yield text("scopes", "type-parameter-twice", function("return %x", "<'a, 'a>(%x: 'a) -> 'a"), "E0206")
    yield text("scopes", "level-parameter-twice", function("return %x", "<l, l>(%x: [int]<l>) -> [int]<l>"), "E0206")
    yield text("scopes", "type-parameter-unknown", function("return %x", "<'a>(%x: 'b) -> 'b"), "E0202")
    yield text("scopes", "level-parameter-unknown", function("return %x", "<l>(%x: [int]<k>) -> [int]<k>"), "E0203")
    yield text("scopes", "forall-hides", function("return %x", "<'a>(%x: 'a, %g: forall 'a. 'a -> 'a) -> 'a"))
    yield text("scopes", "fn-hides-type-parameter", function("%g = fn<'a> { (%y: 'a) yield %y }\nreturn %x", "<'a>(%x: 'a) -> 'a"), "E0206")


def strings():
    def file(string):
        return PLAIN.replace("-> int {", "-> int loc(%s:1:1) {" % string)
    yield text("strings", "escapes", file(r'"\\ \" \n \t \x00 \xff"'))
    yield text("strings", "escape-unknown", file(r'"\r"'), "E0105")
    yield text("strings", "escape-upper-case", file(r'"\xFF"'), "E0105")
    yield text("strings", "escape-short", file(r'"\x1"'), "E0105")
    yield text("strings", "escape-at-the-end", file('"a\\"'), "E0105")
    yield text("strings", "string-not-closed", file('"a'), "E0105")
    yield text("strings", "end-of-line", file('"a\nb"'), "E0105")
    yield text("strings", "any-bytes", file('"#"').encode().replace(b"#", b"\xff\xfe\x01"), same="any-bytes-escaped")
    yield text("strings", "any-bytes-escaped", file(r'"\xff\xfe\x01"'))
    yield text("strings", "tab", file('"a\tb"'), same="tab-escaped")
    yield text("strings", "tab-escaped", file(r'"a\tb"'))
    yield text("strings", "comment-inside", file('"a//b"'))
    yield text("strings", "empty-file", file('""'), "E0106")


def literals():
    for number in ("0", "7", "-7", "0x7f", "-0x7F", "2147483647", "18446744073709551615", "-9223372036854775808", "0xffffffffffffffff",
                   "007", "1int", "1i32", "-1i8", "127i8", "-128i8", "0xffu8", "-0u8"):
        yield literal(number)
    yield literal("-0", same="literal-zero-negative")
    yield literal("-00", name="zero-negative")
    yield literal("1i32", name="alias", same="literal-1int")
    for number, code in (("18446744073709551616", "E0108"), ("-9223372036854775809", "E0108"), ("128i8", "E0108"), ("-129i8", "E0108"),
                         ("256u8", "E0108"), ("-1u8", "E0108"), ("2147483648int", "E0108"), ("0x1ffffffff" + "f" * 8, "E0108"),
                         ("0x", "E0107"), ("0X1f", "E0107"), ("+1", "E0106"), ("1_000", "E0107"), ("1bool", "E0107"), ("1q", "E0107"),
                         ("0b1", "E0107"), ("--1", "E0104"), ("- 1", "E0104"), ("1 int", "E0201"), ("0x1g", "E0107")):
        yield literal(number, code)
    yield literal("0x1f32", same="literal-hexadecimal-digits")
    yield literal("0x01F32", name="hexadecimal-digits")
    yield literal("0x1u8", name="hexadecimal-suffix", type="u8")
    yield literal("0x1int", same="literal-1int")
    yield literal("0x1.5", "E0107")
    yield literal("0x1f32f32", name="hexadecimal-f32", same="literal-hexadecimal-f32-digits")
    yield literal("0x01f32f32", name="hexadecimal-f32-digits")
    yield literal("0x1uf32", "E0107", name="hexadecimal-of-float")
    for number in ("0.0", "1.5", "-1.5", "1e3", "1E3", "1e+3", "1e-3", "1.5e3", "inf", "-inf", "nan", "1e308", "4.9e-324", "1e-400", "1double",
                   "1f64", "00.50", "1.5f64", "infdouble", "nanf64", "0e999999999"):
        yield literal(number, type="double")
    for number, code in ((".5", "E0106"), ("1.", "E0107"), ("1.e3", "E0107"), ("1e", "E0107"), ("1e+", "E0107"), ("1e309", "E0108"),
                         ("-nan", None), ("+inf", "E0106"), ("infinity", "E0106"), ("Inf", "E0106"), ("1.5i32", "E0108"), ("1.5int", "E0108"),
                         ("infi8", "E0108"), ("1,5", "E0210"), ("1.5e3.5", "E0107"), ("0." + "0" * 5000 + "1", None)):
        yield literal(number, code, name=number if len(number) < 40 else "of-%d-characters" % len(number), type="double")
    yield literal("-nan", name="nan-negative", type="double", same="literal-nan")
    yield literal("1e0", name="exponent-alone", type="double", same="literal-one-point-zero")
    yield literal("1.0", name="one-point-zero", type="double")
    yield literal("1.0double", name="double-written", type="double", same="literal-1double")
    for number in ("1f32", "1.5f32", "-0f32", "16777217f32", "1e38f32", "1e-46f32", "0.1f32", "inff32", "nanf32", "340282356779733661637539395458142568447f32"):
        yield literal(number, type="f32", name=number if len(number) < 40 else "largest-f32")
    yield literal("340282356779733661637539395458142568448f32", "E0108", type="f32", name="beyond-f32")
    yield literal("1e39f32", "E0108", type="f32")
    # halfway between two f32, and a hair above: rounded once, halves to even
    yield literal("1.00000005960464477539062500f32", name="half-way", type="f32", same="literal-one-f32")
    yield literal("1.0f32", name="one-f32", type="f32")
    yield literal("1.000000059604644775390625001f32", name="above-half-way", type="f32", same="literal-next-f32")
    yield literal("1.00000011920928955078125f32", name="next-f32", type="f32")
    yield literal("65504f16", type="f16", since="0.2")
    yield literal("65519.99f16", type="f16", since="0.2", same="literal-65504f16")
    yield literal("65520f16", "E0108", type="f16", since="0.2")
    yield literal("1half", type="f16", since="0.2")
    yield text("literals", "literal-true", function("%y = select true, %x, 1\nreturn %y"))
    yield text("literals", "literal-True", function("%y = select True, %x, 1\nreturn %y"), "E0106")


def types():
    def param(type, code=None, name=None, head="", **more):
        more.setdefault("rule", "types")
        rule = more.pop("rule")
        return text(rule, "type-" + (name or type), function("return %y", "%s(%%x: %s, %%y: int) -> int" % (head, type)), code, **more)
    for type, name in (("[int]", "pull"), ("[int;1]", "pull-1"), ("[int;8]", "pull-8"), ("[[int]]", "pull-of-pull"), ("[int]<grid>", "push"),
                       ("[int;2]<1+warp>", "push-above"), ("[int]<1+1+1+thread>", "push-grid"), ("[int]<1+grid>", "push-above-grid"),
                       ("(int, double)", "pair"), ("int -> int", "function"), ("int -> int -> int", "function-2"),
                       ("(int -> int) -> int", "function-of-function"), ("(int)", "brackets"), ("((int))", "brackets-twice"),
                       ("<l> -> [int]<l>", "level-function"), ("<l> -> <m> -> [[int]<l>]<m>", "level-function-2"),
                       ("forall 'a. 'a -> 'a", "scheme"), ("forall 'a: GT. 'a -> 'a", "scheme-kind"),
                       ("forall 'a. forall 'b. 'a -> 'b", "scheme-2")):
        yield param(type, name=name)
    yield param("[int;1]", name="rank-1-written", same="type-pull")
    yield param("(int)", name="brackets-again", same="type-scalar")
    yield param("int", name="scalar")
    yield param("int -> (int -> int)", name="function-right", same="type-function-2")
    yield param("[int]<1+warp>", name="push-warp-above", same="type-push-block")
    yield param("[int]<block>", name="push-block")
    for alias, name in (("i32", "int"), ("f64", "double")):
        yield param(alias, same="type-alias-of-" + alias)
        yield param(name, name="alias-of-" + alias)
    yield param("half", since="0.2", same="type-f16")
    yield param("f16", since="0.2")
    for type, code, name in (("[int;0]", "E0106", "rank-0"), ("[int;9]", "E0106", "rank-9"), ("[int;01]", "E0106", "rank-01"), ("[int;2i32]", "E0106", "rank-suffix"),
                             ("[int", "E0106", "open"), ("()", "E0106", "unit"), ("(int,)", "E0106", "comma"), ("[]", "E0106", "empty-array"),
                             ("i33", "E0202", "unknown"), ("Int", "E0202", "case"), ("[int]<2+warp>", "E0106", "level-2"), ("[int]<warp+1>", "E0106", "level-behind"),
                             ("[int]<1 + warp>", None, "level-blanks"), ("[int]<hyper>", "E0203", "level-unknown"), ("int ->", "E0106", "arrow-alone"),
                             ("forall 'a 'a", "E0106", "scheme-no-dot"), ("forall 'a: XX. 'a", "E0106", "scheme-kind-unknown"),
                             ("int<grid>", "E0106", "scalar-level")):
        yield param(type, code, name)
    yield param("[" * 99 + "int" + "]" * 99, name="nested-100")
    yield param("[" * 100 + "int" + "]" * 100, "E0902", name="nested-101")
    yield param("[int]<%sthread>" % ("1+" * 255), name="level-255")
    yield param("[int]<%sthread>" % ("1+" * 256), "E0903", name="level-256")
    for kind, since in (("BT", "0.1"), ("GT", "0.1"), ("TYP", "0.1"), ("scalar", "0.3"), ("ord", "0.3"), ("num", "0.3"), ("int", "0.3"),
                        ("float", "0.3"), ("bits", "0.3")):
        yield param("'a", name="kind-" + kind, head="<'a: %s>" % kind, since=since)
    yield param("'a", "E0106", name="kind-unknown", head="<'a: numbers>")
    yield param("'a", "E0106", name="parameters-comma", head="<'a,>")
    yield param("[int]<l>", "E0106", name="parameters-comma-level", head="<l,>")
    yield param("'a", "E0106", name="levels-before-types", head="<l, 'a>")
    yield param("int", name="parameters-none", head="<>", same="type-scalar")
    yield param("int", name="parameters-255", head="<%s>" % ", ".join("'a%d" % i for i in range(255)))
    yield param("int", "E0903", name="parameters-256", head="<%s>" % ", ".join("'a%d" % i for i in range(256)))


def statements():
    def body(source, code=None, name=None, head="(%x: int) -> int", **more):
        return text("statements", name, function(source, head), code, **more)
    yield body("%a = blocksize %b = neg %x\nreturn %b", name="no-operands-then-statement")
    yield body("%a = blocksize\n%x2: int = neg %x\nreturn %x2", name="no-operands-then-typed-statement")
    yield body("%a = blocksize %x\nreturn %a", "E0210", name="no-operands-but-one")
    yield body("%a = blocksize 1\nreturn %a", "E0210", name="no-operands-but-a-literal")
    yield body("%a = blocksize return %a", name="no-operands-then-return")
    yield body("%a = add %x,\n%x return %a", name="operands-over-lines")
    yield body("%a = add %x, 1,\nreturn %a", "E0106", name="operands-comma-last")
    yield body("%a = add %x, %b = neg %x\nreturn %a", "E0207", name="operand-is-a-statement")
    yield body("%a = add %x\nreturn %a", "E0210", name="operands-too-few")
    yield body("%a = add %x, 1, 2\nreturn %a", "E0210", name="operands-too-many")
    yield body("%a = add(%x, 1)\nreturn %a", "E0106", name="operands-in-brackets")
    yield body("%a = frobnicate %x\nreturn %a", "E0201", name="operator-unknown")
    yield body("%a = ADD %x, 1\nreturn %a", "E0201", name="operator-case")
    yield body("%a = call @f(%x)\nreturn %a", name="call", check="E0259")
    yield body("%a = call @f\nreturn %a", name="call-no-brackets", check="E0259")
    yield body("%a = call @f %x\nreturn %a", "E0106", name="call-operands-bare")
    yield body("%a = call @f(%x,)\nreturn %a", "E0106", name="call-comma-last")
    yield body("%a = add<int> %x, 1\nreturn %a", "E0212", name="brackets-not-wanted")
    yield body("%a = convert %x\nreturn %a", "E0212", name="brackets-missing")
    yield body("%a = convert<int> %x\nreturn %a", name="convert")
    yield body("return %x\nreturn %x", "E0214", name="return-twice")
    yield body("%y = add %x, 1", "E0213", name="return-missing")
    yield body("yield %x", "E0215", name="yield-in-body")
    yield body("%r = return %x", "E0215", name="return-with-result")
    yield body("%r = generate %x { (%i: int) return %i }\nreturn %x", "E0215", name="return-in-region")
    yield body("%r = generate %x { (%i: int) }\nreturn %x", "E0213", name="yield-missing")
    yield body("%r = generate %x\nreturn %x", "E0211", name="region-missing")
    yield body("%r = generate %x { (%i: int) yield %i } { (%i: int) yield %i }\nreturn %x", "E0211", name="region-too-many")
    yield body("%r = generate %x { (%i) yield %i }\nreturn %x", name="region-parameter-no-type")
    yield body("%c = lt %x, 1\n%r = if %c { yield 1 } { () yield 2 }\nreturn %r", name="region-parameters-none")
    yield text("statements", "body-with-parameters", "fcl 0.1\nfun @f(%x: int) -> int { (%y: int) return %x }", "E0106")
    yield text("statements", "no-body", "fcl 0.1\nfun @f(%x: int) -> int", "E0109")
    yield text("statements", "not-closed", "fcl 0.1\nfun @f(%x: int) -> int { return %x", "E0109")
    yield text("statements", "parameter-no-type", "fcl 0.1\nfun @f(%x) -> int { return %x }", "E0106")
    yield text("statements", "no-result-type", "fcl 0.1\nfun @f(%x: int) { return %x }")
    yield text("statements", "no-parameters", "fcl 0.1\nfun @f() -> int { return 1 }")
    yield text("statements", "kernel", "fcl 0.1\nkernel @k(%x: [int]) -> [int]<grid> { %p = push<grid> %x return %p }",
               runs=[("k", ["[1, 2]"], ["[1, 2]"])])
    deep = "%r{0} = generate %x {{ (%i{0}: int)\n"
    for n, code in ((199, None), (200, "E0902")):
        inner = "".join(deep.format(i) for i in range(n)) + "yield %x\n" + "".join(
            "}\n" + ("%%l%d = length %%r%d\nyield %%l%d\n" % (i, i, i) if i else "") for i in reversed(range(n)))
        yield body(inner + "%l0 = length %r0\nreturn %l0", code, name="regions-nested-%d" % (n + 1))
    yield body("%a = array 1, 2\n%b = array\n%t: [int] = array\nreturn %x", name="array-of-none", check="E0359")
    yield body("%p = tuple %x, %x\n%a = proj %p, 1\nreturn %a", name="tuple")
    yield body("%p = tuple %x\nreturn %x", "E0210", name="tuple-of-one")
    yield body("%g = fn { (%a: int)\n  yield %a\n}\n%b = apply %g, %x\nreturn %b", name="fn")
    yield body("%g = fn<'t, l> { (%a: 't)\n  yield %a\n}\nreturn %x", name="fn-parameters")


def extras():
    def placed(loc, code=None, name=None, **more):
        return text("extras", name, PLAIN.replace("%x, 1", "%x, 1 " + loc), code, **more)
    yield placed('loc("a.apl":1:0)', name="place")
    yield placed('loc("a.apl":4294967294:4294967295)', name="place-last")
    yield placed('loc("a.apl":0:1)', "E0108", name="place-line-0")
    yield placed('loc("a.apl":4294967295:1)', "E0108", name="place-line-too-large")
    yield placed('loc("a.apl":1:4294967296)', "E0106", name="place-column-too-large")
    yield placed('loc("a.apl":0x1:1)', "E0106", name="place-hexadecimal")
    yield placed('loc("a.apl":1)', "E0106", name="place-no-column")
    yield placed('loc("a":1:1) loc("a":1:1)', "E0201", name="place-twice")
    yield placed('attr("k" = 1)', name="attribute")
    yield placed('loc("a":1:1) attr("k" = 1)', name="place-and-attribute")
    yield placed('attr("k" = 1) loc("a":1:1)', "E0201", name="attribute-before-place")
    yield placed('attr("k" = "", "l" = -9223372036854775808, "m" = 9223372036854775807)', name="attribute-values")
    yield placed('attr("k" = 9223372036854775808)', "E0108", name="attribute-too-large")
    yield placed('attr("k" = 0x10)', "E0108", name="attribute-hexadecimal")
    yield placed('attr("k" = 1.5)', "E0108", name="attribute-real")
    yield placed('attr("k" = 1i8)', "E0108", name="attribute-suffix")
    yield placed('attr("k" = 1, "k" = 2)', "E0219", name="attribute-twice")
    yield placed('attr("" = 1)', "E0106", name="attribute-no-key")
    yield placed('attr()', "E0106", name="attribute-none")
    yield placed('attr("k" = 1,)', "E0106", name="attribute-comma-last")
    yield text("extras", "attribute-of-function", PLAIN.replace("-> int {", '-> int loc("a":1:1) attr("k" = 1) {'))
    yield text("extras", "attribute-of-module", PLAIN.replace("fun", 'module attr("k" = 1)\nfun'))
    yield text("extras", "attribute-of-module-last", PLAIN + 'module attr("k" = 1)\n', same="attribute-of-module")
    yield text("extras", "attribute-of-module-twice", PLAIN.replace("fun", 'module attr("k" = 1)\nmodule attr("k" = 2)\nfun'), "E0219")
    yield text("extras", "attribute-of-module-in-parts", PLAIN.replace("fun", 'module attr("k" = 1)\nmodule attr("l" = 2)\nfun'))
    section = PLAIN + 'section "x.y" "AAEC"\n'
    yield text("extras", "section", section)
    yield text("extras", "section-first", PLAIN.replace("fun", 'section "x.y" "AAEC"\nfun'), same="section")
    yield text("extras", "section-empty", section.replace("AAEC", ""))
    yield text("extras", "section-twice", section + 'section "x.y" "AAEC"\n')
    yield text("extras", "section-flags", section.replace('"AAEC"', '2 "AAEC"'), since="0.3")
    yield text("extras", "section-flags-0", section.replace('"AAEC"', '0 "AAEC"'), same="section", since="0.3")
    yield text("extras", "section-required", section.replace('"AAEC"', '1 "AAEC"'), "E0129", since="0.3")
    yield text("extras", "section-flags-too-large", section.replace('"AAEC"', '4294967296 "AAEC"'), "E0106", since="0.3")
    for name, data in (("short", "AAE"), ("long", "AAECA"), ("digit", "AA-C"), ("bits", "AAF="), ("blank", "AA EC"), ("padding", "AA==AA==")):
        yield text("extras", "section-base64-" + name, section.replace("AAEC", data), "E0129")
    yield text("extras", "section-base64-padded", section.replace("AAEC", "AA=="))
    yield text("extras", "section-no-name", section.replace("x.y", ""), "E0106")
    yield text("extras", "section-of-the-library", section.replace("x.y", "names"), "E0129")
    yield text("extras", "section-name-not-utf-8", section.replace("x.y", r"\xff"), "E0129")


def imports():
    def use(body, before='import "helper"\n'):
        return function(body, before=before)
    yield text("imports", "own", use("%y = call @twice(%x)\nreturn %y"))
    yield text("imports", "not-used", use("return %x"))
    yield text("imports", "twice", use("%y = call @twice(%x)\nreturn %y", 'import "helper"\nimport "helper"\n'), same="own")
    yield text("imports", "last", function("%y = call @twice(%x)\nreturn %y") + 'import "helper"\n', same="own")
    yield text("imports", "unknown-function", use("%y = call @thrice(%x)\nreturn %y"), "E0209")
    yield text("imports", "unknown", use("return %x", 'import "nobody"\n'), "E0216")
    yield text("imports", "no-name", use("return %x", 'import ""\n'), "E0106")
    yield text("imports", "name-with-nul", use("return %x", 'import "helper\\x00"\n'), "E0216")
    yield text("imports", "hidden-by-own", use("%y = call @twice(%x)\nreturn %y") + "fun @twice(%x: int) -> int {\n  %y = add %x, %x\n  return %y\n}\n")
    yield text("imports", "imported-by-import", use("%y = call @base(%x)\nreturn %y"))


def data():
    def body(constant, code=None, name=None, version="0.4", **more):
        return text("bytes", "bytes-" + name, function("%%a = constant%s\n%%n = length %%a\nreturn %%n" % constant, since=version), code, since="0.4", **more)
    yield body('<i8; 3> "AQL/"', name="text")
    yield body('<i8;3>"AQL/"', name="text-no-blanks", same="bytes-text")
    yield body('<i8; 3> "AQL/"', name="text-stated-by-0.1", version="0.1", same="bytes-text")
    yield body('<int; 1> "AQAAAA=="', name="text-int")
    yield body('<int; 0> ""', name="text-empty")
    yield body('<i8; 4> "AQL/"', "E0212", name="text-too-few")
    yield body('<i8; 2> "AQL/"', "E0212", name="text-too-many")
    yield body('<i8; 3> "AQL"', "E0129", name="text-no-base64")
    yield body('<i8> "AQL/"', "E0106", name="text-no-extents")
    yield body('<[i8]; 3> "AQL/"', "E0212", name="text-no-scalar")
    yield body('<bool; 2> "AAI="', "E0212", name="text-bool-2")
    yield text("bytes", "bytes-kernel", "fcl 0.4\nkernel @k(%x: int) -> [i16; 2]<grid> {\n  %a = constant<i16; 2, 2> \"AQACAAMA//8=\"\n  %p = push<grid> %a\n  return %p\n}\n",
               since="0.4", runs=[("k", ["0"], ["[[1, 2], [3, -1]]"])])


def properties():
    def of(beside, code=None, name=None, **more):
        return text("properties", "properties-" + name, PLAIN.replace("-> int {", "-> int %s {" % beside), code, since="0.4", **more)
    yield of('hint("inline" = 0)', name="known")
    yield of('hint("x.y" = "v") attr("k" = 1)', name="hint-and-attribute")
    yield of('attr("k" = 1) hint("x.y" = "v")', "E0106", name="order")
    yield of('prop("unknown" = 0)', "E0123", name="unknown")
    yield of('hint("unknown" = 0)', name="hint-unknown")
    yield of('prop("inline" = 0)', "E0220", name="hint-as-required")
    yield of('hint("inline" = "yes")', "E0220", name="known-of-another-form")
    yield of('hint("x.y" = 0, "x.y" = 1)', "E0219", name="twice")
    yield text("properties", "properties-of-an-operation", PLAIN.replace("%x, 1", '%x, 1 hint("x.y" = 1)'), since="0.4")
    yield text("properties", "properties-known-of-an-operation", PLAIN.replace("%x, 1", '%x, 1 hint("inline" = 1)'), "E0220", since="0.4")
    yield text("properties", "properties-of-the-module", PLAIN.replace("fun", 'module hint("x.y" = 1)\nfun'), since="0.4")


def canonical():
    yield text("canonical", "order-of-strings", 'fcl 0.1\nimport "helper"\nfun @z(%x: int) -> int {\n  %a = call @twice(%x)\n  %b = call @y(%a)\n  return %b\n}\n'
               "fun @y(%x: int) -> int {\n  %a = call @base(%x)\n  return %a\n}\n")
    yield text("canonical", "order-of-types", function("%t = tuple %y, %x\n%a: (bool, [i8]) = proj %t, 0\nreturn %x",
                                                      "(%x: (u8, [i16] -> u8), %y: [(i64, u8); 2]<block>) -> (u8, [i16] -> u8)"))
    yield text("canonical", "order-of-constants", function("%a = add %x, 3\n%b = add %a, 1\n%c = add %b, -3\n%d = add %c, 3\n%e = add %d, 3int\nreturn %e"))
    yield text("canonical", "order-of-parameters", function("%g = fn<'b, m> { (%p: 'b, %q: [int]<m>)\n  yield %p\n}\nreturn %x", "<'a, l>(%x: 'a, %y: [int]<l>) -> 'a")
               + "fun @g<'c>(%x: 'c) -> 'c {\n  return %x\n}\n")
    yield text("canonical", "order-of-names", function("%b = add %x, 1\n%a = add %b, 1\n%b2 = add %a, 1\nreturn %b2", "(%x: int) -> int"))
    yield text("canonical", "order-of-places", PLAIN.replace("{", 'loc("b":1:1) {').replace("%x, 1", '%x, 1 loc("a":2:1)').replace("return %y", 'return %y loc("b":3:1)'))
    yield text("canonical", "empty-module", "fcl 0.1", same="header-alone")
    yield text("canonical", "names-0-1-2", PLAIN.replace("%x", "%0").replace("%y", "%1"))
    yield text("canonical", "names-1-0", PLAIN.replace("%x", "%1").replace("%y", "%0"))
    yield text("canonical", "names-0-and-none", function("add %0, 1\nreturn %0", "(%0: int) -> int"), same="names-none")
    yield text("canonical", "names-none", function("%1 = add %0, 1\nreturn %0", "(%0: int) -> int"))


def hashes():
    def plain(name, source, **more):
        return text("hash", "hash-" + name, source, hash="hash-plain", **more)
    yield plain("plain", PLAIN)
    yield plain("other-names", PLAIN.replace("%y", "%z").replace("%x", "%a"))
    yield plain("no-names", PLAIN.replace("%x", "%0").replace("%y", "%1"))
    yield plain("place", PLAIN.replace("{", 'loc("a":1:1) {'))
    yield plain("attribute", PLAIN.replace("{", 'attr("k" = 1) {'))
    yield plain("section", PLAIN + 'section "x" "AAEC"\n')
    yield text("hash", "hash-linked", function("%y = call @twice(%x)\nreturn %y") + "fun @twice(%x: int) -> int {\n  %y = call @base(%x)\n  return %y\n}\n"
               "fun @base(%x: int) -> int {\n  %y = add %x, %x\n  return %y\n}\n")
    yield text("hash", "hash-of-an-import", function("%y = call @twice(%x)\nreturn %y", before='import "helper"\n'), hash="hash-linked")
    yield plain("unused-import", PLAIN.replace("fun", 'import "helper"\nfun'))
    yield plain("hint", PLAIN.replace("{", 'hint("x.y" = 1) {'), since="0.4")
    for name, source in (("function-name", PLAIN.replace("@f", "@g")), ("constant", PLAIN.replace("1\n  ret", "2\n  ret")), ("kernel", PLAIN.replace("fun", "kernel")),
                         ("type-written", PLAIN.replace("%y =", "%y: int ="))):
        yield text("hash", "hash-of-another-" + name, source)


def all_cases():
    for group in (words, names, scopes, strings, literals, types, statements, extras, imports, data, properties, canonical, hashes):
        yield from group()
