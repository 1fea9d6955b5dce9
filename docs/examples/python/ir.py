"""The core of a module, read from Python: functions, their regions, operations and values, types and positions.

    with fcl.Context() as cx:
        module = cx.load("docs/examples/reverse.fclir")
        module.check()                                      # types are there
        for function in ir.functions(module):
            for operation in function.body.walk():          # with those of nested regions
                print(operation.position, operation.name, [str(x) for x in operation.operands], operation.result)

What is read here is what fcl.h gives: see there what each field means.  Objects are numbers of their module, which they keep;
two that are equal are the same thing.  A pass may drop what they stand for, so that they are read anew behind it."""
import struct
from collections import namedtuple
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p, sizeof
from ctypes import string_at

import fcl

RESULT, PARAMETER, CONSTANT = 1, 2, 3

Position = namedtuple("Position", "file line column length given")


class _Function(Structure):
    _fields_ = [("name", c_char_p), ("kernel", c_bool), ("import_", c_char_p), ("types", c_size_t), ("levels", c_size_t),
                ("body", c_uint32), ("result", c_uint32)]


class _Region(Structure):
    _fields_ = [("function", c_uint32), ("owner", c_uint32), ("params", c_size_t), ("first", c_uint32), ("last", c_uint32)]


class _Operation(Structure):
    _fields_ = [("code", c_uint32), ("region", c_uint32), ("result", c_uint32), ("operands", c_size_t), ("regions", c_size_t),
                ("attached", c_int), ("level", c_uint32), ("type", c_uint32), ("function", c_uint32), ("types", c_size_t),
                ("levels", c_size_t)]


class _Opcode(Structure):
    _fields_ = [("name", c_char_p), ("least", c_size_t), ("most", c_size_t), ("regions", c_size_t)]


class _Value(Structure):
    _fields_ = [("kind", c_int), ("type", c_uint32), ("stated", c_bool), ("name", c_char_p), ("operation", c_uint32),
                ("region", c_uint32), ("number", c_size_t), ("literal", c_int), ("scalar", c_int), ("bits", c_uint64)]


class _Position(Structure):
    _fields_ = [("file", c_char_p), ("line", c_uint), ("column", c_uint), ("length", c_uint), ("given", c_bool)]


class _Attribute(Structure):
    _fields_ = [("key", c_char_p), ("text", c_void_p), ("size", c_size_t), ("number", c_int64)]


class _Constant(Structure):
    _fields_ = [("type", c_int), ("rank", c_size_t), ("extents", c_size_t * 8), ("data", c_void_p), ("size", c_size_t)]


class _Subject(Structure):
    _fields_ = [("function", c_uint32), ("value", c_uint32)]


_P, _I, _Z, _S = c_void_p, c_uint32, c_size_t, c_char_p
_FUNCTIONS = {"fcl_opcode_about": (c_bool, [_I, POINTER(_Opcode), _Z]), "fcl_type_text": (_S, [_P, _I]),
              "fcl_level_text": (_S, [_P, _I])}
for _name, _result in (("function_next", _I), ("operation_next", _I)):
    _FUNCTIONS["fcl_" + _name] = (_result, [_P, _I])
for _name in ("region_param", "operation_operand", "operation_region"):
    _FUNCTIONS["fcl_" + _name] = (_I, [_P, _I, _Z])
for _name, _out in (("function_about", _Function), ("region_about", _Region), ("operation_about", _Operation),
                    ("value_about", _Value), ("function_position", _Position), ("operation_position", _Position),
                    ("operation_constant", _Constant)):
    _FUNCTIONS["fcl_" + _name] = (c_bool, [_P, _I, POINTER(_out), _Z])
for _name in ("operation_attribute", "operation_property"):
    _FUNCTIONS["fcl_" + _name] = (c_bool, [_P, _I, _Z, POINTER(_Attribute), _Z])
for _name in ("attribute_get", "property_get"):
    _FUNCTIONS["fcl_" + _name] = (c_bool, [_P, _Subject, _Z, POINTER(_Attribute), _Z])
for _name, (_result, _takes) in _FUNCTIONS.items():
    getattr(fcl._lib, _name).restype = _result
    getattr(fcl._lib, _name).argtypes = _takes


def _get(what, out, *args):
    """The structure that a function fills; None where it says false."""
    out = out()
    return out if getattr(fcl._lib, "fcl_" + what)(*args, byref(out), sizeof(out)) else None


def _collect(get, *args):
    """Attributes, by key: integers, and texts as bytes."""
    found, i = {}, 0
    while a := _get(get, _Attribute, *args, i):
        found[a.key.decode()] = a.number if a.text is None else string_at(a.text, a.size)
        i += 1
    return found


class _Node:
    """A number of a module."""

    def __init__(self, module, number):
        self.module, self.number = module, number

    def __eq__(self, other):
        return type(self) is type(other) and self.module is other.module and self.number == other.number

    def __hash__(self):
        return hash((type(self), self.number))

    def _about(self, what, out):
        return _get(what, out, self.module.handle, self.number)

    def _make(self, kind, number):
        return kind(self.module, number) if number else None

    def _type(self, number):
        return fcl._lib.fcl_type_text(self.module.handle, number).decode() if number else None

    def _place(self, what):
        p = self._about(what, _Position)
        return Position(p.file.decode(), p.line, p.column, p.length, p.given) if p else None


class Function(_Node):
    """A function or kernel."""

    def __init__(self, module, number):
        super().__init__(module, number)
        about = self._about("function_about", _Function)
        self.name, self.kernel = about.name.decode(), about.kernel
        self.imported = about.import_.decode() if about.import_ else None  # where it came from; None: the module's own
        self.body = Region(module, about.body)
        self.result = self._type(about.result)  # as text; None: not known yet

    @property
    def params(self):
        return self.body.params

    @property
    def position(self):
        return self._place("function_position")

    @property
    def attributes(self):
        return _collect("attribute_get", self.module.handle, _Subject(function=self.number))

    @property
    def properties(self):
        return _collect("property_get", self.module.handle, _Subject(function=self.number))


class Region(_Node):
    """Operations in their order, and the parameters that they see."""

    @property
    def owner(self):
        """The operation whose region it is; None: the body of a function."""
        return self._make(Operation, self._about("region_about", _Region).owner)

    @property
    def params(self):
        n = self._about("region_about", _Region).params
        return [Value(self.module, fcl._lib.fcl_region_param(self.module.handle, self.number, i)) for i in range(n)]

    def __iter__(self):
        at = self._about("region_about", _Region).first
        while at:
            yield Operation(self.module, at)
            at = fcl._lib.fcl_operation_next(self.module.handle, at)

    def walk(self):
        """Its operations, each followed by those of its regions."""
        for operation in self:
            yield operation
            for region in operation.regions:
                yield from region.walk()


class Operation(_Node):
    def __init__(self, module, number):
        super().__init__(module, number)
        about = self._about("operation_about", _Operation)
        self.name = _get("opcode_about", _Opcode, about.code).name.decode()
        self.operands = [Value(module, fcl._lib.fcl_operation_operand(module.handle, number, i)) for i in range(about.operands)]
        self.regions = [Region(module, fcl._lib.fcl_operation_region(module.handle, number, i)) for i in range(about.regions)]
        self.result = self._make(Value, about.result)  # None of yield and return
        self.type = self._type(about.type)             # that is attached: convert<t>
        self.level = fcl._lib.fcl_level_text(module.handle, about.level).decode() if about.level else None
        self.function = self._make(Function, about.function)  # that is called

    @property
    def position(self):
        return self._place("operation_position")

    @property
    def attributes(self):
        return _collect("operation_attribute", self.module.handle, self.number)

    @property
    def properties(self):
        return _collect("operation_property", self.module.handle, self.number)

    @property
    def array(self):
        """What a `constant` holds, as a NumPy array; None of others."""
        c = self._about("operation_constant", _Constant)
        if not c:
            return None
        dtype = fcl.DTYPES[c.type].newbyteorder("<")
        return fcl.numpy.frombuffer(string_at(c.data, c.size), dtype).reshape([c.extents[i] for i in range(c.rank)])


class Value(_Node):
    def __init__(self, module, number):
        super().__init__(module, number)
        self._of = self._about("value_about", _Value)
        self.kind, self.name = self._of.kind, self._of.name.decode()
        self.type = self._type(self._of.type)  # as text; None: not known yet

    @property
    def operation(self):
        """Of which it is the result, else None."""
        return self._make(Operation, self._of.operation)

    @property
    def constant(self):
        """The number that a constant is whose type is known, else None."""
        dtype = fcl.DTYPES[self._of.scalar] if self.kind == CONSTANT and self._of.literal == 0 else None
        if dtype is None:
            return None
        return fcl.numpy.frombuffer(struct.pack("<Q", self._of.bits), dtype.newbyteorder("<"), 1)[0]

    def __str__(self):
        return str(self.constant) if self.constant is not None else "%" + (self.name or f"#{self.number}")


def functions(module):
    """Those of the module and of its imports, in their order."""
    at = fcl._lib.fcl_function_next(module.handle, 0)
    while at:
        yield Function(module, at)
        at = fcl._lib.fcl_function_next(module.handle, at)
