"""Lists the functions of a module in binary form with their types, with nothing but msgpack and docs/format.md:

    python3 list_fclb.py < module.fclb
"""

from msgpack import unpackb

SCALARS = ["?", "bool", "i8", "i16", "int", "i64", "u8", "u16", "u32", "u64", "f32", "double"]
KINDS = ["", ": BT", ": GT", ": TYP"]
LEVELS = ["thread", "warp", "block", "grid"]
LEVEL_PARAMETER = 4


def read(data):
    magic, major, minor, producer, features, sections, checksum = unpackb(data)
    assert magic == "fclb" and major == 0 and not features, "another format, or a newer one"
    return {name: unpackb(body) for name, flags, body in sections if name in KNOWN}


KNOWN = ["strings", "types", "functions", "names"]
module = read(open(0, "rb").read())
parameters, types = module["types"]
imports, externals, functions = module["functions"]
texts, tvar_names, value_names = module.get("names", ([], [0] * len(parameters), [[]] * len(functions)))


def name_of(entry, number):
    return texts[entry - 1] if entry > 0 else str(-1 - entry) if entry < 0 else str(number)


tvars = [name_of(entry, i) for i, entry in enumerate(tvar_names)]


def level(x, binders):
    base, offset, index = x % 4, x // 4 % 256, x // 1024
    if base == 1:
        return "1+" * (offset - 3) + LEVELS[min(offset, 3)]
    return "1+" * offset + (tvars[index] if base == 2 else binders[-1 - index])


def fresh(stem, binders):
    """A name for a binder that no parameter and no binder around it has."""
    names = [stem] + [stem + str(i) for i in range(1, 1000)]
    return next(n for n in names if n not in tvars and n not in binders)


def show(number, foralls=(), levels=()):
    if not number:
        return "?"
    form, *parts = types[number - 1]
    if form == 1:
        return SCALARS[parts[0]]
    if form == 2:
        return "'" + tvars[parts[0]]
    if form == 3:
        return "'" + foralls[-1 - parts[0]]
    if form == 4:
        return "(" + ", ".join(show(t, foralls, levels) for t in parts) + ")"
    if form == 5:
        left, right = show(parts[0], foralls, levels), show(parts[1], foralls, levels)
        return ("(%s) -> %s" if types[parts[0] - 1][0] in (5, 6, 7) else "%s -> %s") % (left, right)
    if form == 6:
        name = fresh("l", levels)
        return "<%s> -> %s" % (name, show(parts[0], foralls, (*levels, name)))
    if form == 7:
        name = fresh("t", foralls)
        return "forall '%s%s. %s" % (name, KINDS[parts[0]], show(parts[1], (*foralls, name), levels))
    rank = ";%d" % parts[1] if parts[1] > 1 else ""
    array = "[%s%s]" % (show(parts[0], foralls, levels), rank)
    return array if form == 8 else array + "<%s>" % level(parts[2], levels)


def binders(first, count):
    each = [tvars[k] if parameters[k] == LEVEL_PARAMETER else "'" + tvars[k] + KINDS[parameters[k]]
            for k in range(first, first + count)]
    return "<%s>" % ", ".join(each) if each else ""


def signature(function, first_tvar, names):
    name, flags, ntypes, nlevels, params, result = function
    each = [name_of(entry, i) for i, entry in enumerate(names[: len(params)] or [0] * len(params))]
    return "%s @%s%s(%s)%s" % ("kernel" if flags & 1 else "fun", module["strings"][name], binders(first_tvar, ntypes + nlevels),
                               ", ".join("%%%s: %s" % (n, show(t)) for n, t in zip(each, params)),
                               " -> " + show(result) if result else "")


bound = 0
for function, names in zip(functions, value_names):
    print(signature(function, bound, names))
    bound += function[2] + function[3]
