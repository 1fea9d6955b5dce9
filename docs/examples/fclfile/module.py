"""A module, as both forms hold it.

Types are tuples: ("scalar", n), ("var", parameter), ("bound", n), ("tuple", types), ("fun", from, to), ("lvlfn", body),
("forall", kind, body), ("pull", element, rank), ("push", element, rank, level).  Levels are (base, index or parameter, offset)
with the bases of docs/format.md.  None is a type that is not known.  Names are bytes, or an int where they are a decimal
number; None where there is none."""

import re

from .tables import MAJOR, NUMBER_NAME, T, refuse


class Parameter:
    """Of types (kind 0 to 3) or levels (4)."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


class Value:
    def __init__(self, name=None, type=None):
        self.name, self.type = name, type


class Constant:
    """form: a scalar type's number, 16 to 18 for a literal; value: an int, or the bits of a float 64."""

    def __init__(self, form, value):
        self.form, self.value = form, value


class Region:
    def __init__(self):
        self.params, self.ops = [], []


class Op:
    def __init__(self, info):
        self.info = info
        self.level = self.type = self.callee = self.result = self.loc = None
        self.types, self.levels, self.bound, self.operands, self.regions, self.attrs, self.props = [], [], [], [], [], [], []
        self.extents, self.data = [], None


class Function:
    def __init__(self, name, kernel):
        self.name, self.kernel = name, kernel
        self.bound, self.result, self.loc, self.attrs, self.props = [], None, None, [], []
        self.body = Region()


class Module:
    def __init__(self):
        self.version = (0, 1)
        self.imports, self.functions, self.attrs, self.props, self.sections = [], [], [], [], []


def value_name(text):
    """What a name of a value is: an int where it is a number as programs write them."""
    return int(text) if NUMBER_NAME.fullmatch(text) else text


def property_of(item, key, required, value):
    """Sets a property; the key may be one that nobody knows, if it is not required."""
    known, of = T.properties.get(key), {"Module": "module", "Function": "function", "Op": "operation"}[type(item).__name__]
    if not known and required:
        refuse("there is no property %r", key)
    if known and (known.of != of or known.is_text != isinstance(value, bytes) or known.required != required):
        refuse("the property %r does not stand where it has a meaning", key)
    if not key or any(k == key for k, _, _ in item.props):
        refuse("the key is empty, or stands twice")
    item.props.append((key, required, value))


def properties_in_order(item):
    return sorted(item.props, key=lambda p: not p[1])


def good_data(type, extents, data):
    """Whether the bytes of a constant are elements of a type, as many as the extents say."""
    if not type or type[0] != "scalar" or not 1 <= len(extents) <= 8 or max(extents) >= 2**31:
        return False
    count = 1
    for n in extents:
        count *= n
    fits = count < 2**31 and count * T.scalars[type[1]].bytes == len(data)
    return fits and (type[1] != 1 or max(data, default=0) <= 1)


def walk(region):
    """The operations of a region in the order in which they stand."""
    todo = [iter(region.ops)]
    while todo:
        op = next(todo[-1], None)
        if op is None:
            todo.pop()
            continue
        yield op
        for r in reversed(op.regions):
            todo.append(iter(r.ops))


def values_in_order(function):
    """As the section names counts them: parameters; then results and parameters of regions as they stand in the code."""
    out = list(function.body.params)

    def region(r):
        for op in r.ops:
            if op.result:
                out.append(op.result)
            for inner in op.regions:
                out.extend(inner.params)
                region(inner)

    region(function.body)
    return out


def distinct_names(function):
    """The name of each value, another one where it is visible already when it is bound again; None stays."""
    names, taken = {}, {v.name for v in values_in_order(function)}

    def choose(v, visible):
        name = v.name
        if name is not None and name in visible:
            text, i = b"%d" % name if isinstance(name, int) else name, 1
            while b"%s.%d" % (text, i) in taken:
                i += 1
            name = b"%s.%d" % (text, i)
            taken.add(name)
        names[v] = name
        return {name} - {None}

    def region(r, visible):
        for v in r.params:
            visible = visible | choose(v, visible)
        for op in r.ops:
            own = choose(op.result, visible) if op.result else set()
            for inner in op.regions:
                region(inner, visible)
            visible = visible | own

    region(function.body, set())
    return names


def level_name(b, version=(MAJOR, 99)):
    """Whether a level parameter may be called that in texts of the version: where one is used, some words mean something else."""
    word = b.decode()
    return bool(re.match("[A-Za-z_]", word)) and T.word_since.get(word, (MAJOR + 1,)) > version and word != "forall"


def name_parameters(function):
    """Gives each type and level parameter a name that a text can have: one that is none, or that means something else, stands
    between underscores; one that is visible already gets a number, counted in the function."""
    last = {False: 0, True: 0}

    def bind(parameters, visible):
        for p in parameters:
            level = p.kind == 4
            wanted = p.name or b"_"
            if not p.name or wanted.endswith(b".") or (level and not level_name(wanted)):
                wanted = b"_%s_" % wanted
            p.name = wanted
            while (level, p.name) in visible:
                last[level] += 1
                p.name = b"%s.%d" % (wanted, last[level])
            visible = visible | {(level, p.name)}
        return visible

    def region(r, visible):
        for op in r.ops:
            inner = bind(op.bound, visible)
            for part in op.regions:
                region(part, inner)

    region(function.body, bind(function.bound, set()))


def settle_numbers(names):
    """Leaves out the names that the text form would give to unnamed values: numbers beside unnamed values become names of
    all; then, where the numbers stand in the order 0, 1, 2, ..., none of them is kept."""
    names = list(names)
    if any(isinstance(n, int) for n in names) and None in names:
        taken = {n for n in names if isinstance(n, int)}
        free = (i for i in range(len(names) + len(taken)) if i not in taken)
        names = [next(free) if n is None else n for n in names]
    numbers = [n for n in names if isinstance(n, int)]
    if numbers == list(range(len(numbers))):
        names = [None if isinstance(n, int) else n for n in names]
    return names
