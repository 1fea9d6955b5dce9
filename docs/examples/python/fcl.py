"""libfcl from Python: ctypes over the C interface, NumPy arrays in and out, nothing to build.

    with fcl.Context() as cx:
        module = cx.load("docs/examples/reverse.fclir")
        reverse = module.program(cx.device("auto"), "revGrid")
        print(reverse(numpy.arange(10, dtype=numpy.int32)))

What the library reports is raised as fcl.Error, with all diagnostics in it; warnings of calls that succeed are in
Context.warnings.  A kernel takes a NumPy array or a number for each leaf of its parameters (tuples are flattened) and gives
an array or a number for each leaf of its result: the only one by itself, several as a tuple.

Device buffers (Device.buffer, Device.empty) stand for arrays in Program.run and Program.start, whose results are buffers, too:
numpy.asarray(buffer) brings one back.  Program.start does not wait, so that a chain of programs waits once:

    job = second.start(first.start(buffer).results)
    print(job.wait().numpy())

What is compiled can be kept in a file: Module.compile(...).save(), and Context.artifact(name).program(device).

The library is the one that FCL_LIBRARY names, else the system's.  Every structure here is as large as it says it is, so that
a later library, whose structures have more fields, takes it as well: fcl.h explains."""
import ctypes
import ctypes.util
import itertools
import os
import weakref
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p, cast, sizeof

import numpy

MAX_RANK = 8
ERROR, WARNING, NOTE = 1, 2, 3
# fcl_scalar, in order from 1
DTYPES = [None] + [numpy.dtype(t) for t in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                            "float32", "float64", "float16")]
_NUMBERS = {dtype: number for number, dtype in enumerate(DTYPES) if number}


class _Array(Structure):
    _fields_ = [("type", c_int), ("rank", c_uint), ("dims", c_uint64 * MAX_RANK), ("data", c_void_p)]


class _Argument(Structure):
    _fields_ = [("buffer", c_void_p), ("type", c_int), ("scalar", c_void_p)]


class _Leaf(Structure):
    _fields_ = [("param", c_size_t), ("type", c_int), ("rank", c_uint), ("name", c_char_p), ("type_text", c_char_p)]


class _Signature(Structure):
    _fields_ = [("nparams", c_size_t), ("nresults", c_size_t), ("nleaves_in", c_size_t), ("nleaves_out", c_size_t)]


class _Diagnostic(Structure):
    _fields_ = [("severity", c_int), ("code", c_uint), ("file", c_char_p), ("line", c_uint), ("column", c_uint),
                ("length", c_uint), ("message", c_char_p), ("hint", c_char_p), ("notes", c_size_t)]


class _LoadOptions(Structure):
    _fields_ = [("size", c_size_t), ("import_", c_void_p), ("import_user", c_void_p), ("entry", c_char_p), ("lang", c_int)]


class _CompileOptions(Structure):
    """The first fields; the library takes 0 for the others."""
    _fields_ = [("size", c_size_t), ("target", c_char_p), ("entry", c_char_p), ("block_size", c_uint), ("groups", c_uint)]


_PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_uint64)


class _RunOptions(Structure):
    _fields_ = [("size", c_size_t), ("compile", POINTER(_CompileOptions)), ("via", c_char_p), ("timed", c_bool),
                ("memory", c_uint64), ("progress", _PROGRESS), ("user", c_void_p)]


_P, _S, _Z = c_void_p, c_char_p, c_size_t
_FUNCTIONS = {
    "fcl_version": (_S, []),
    "fcl_context_create": (_P, [_P, _P]),
    "fcl_context_destroy": (None, [_P]),
    "fcl_cancel": (None, [_P]),
    "fcl_cancel_clear": (None, [_P]),
    "fcl_diagnostic_count": (_Z, [_P]),
    "fcl_diagnostic_get": (c_bool, [_P, _Z, POINTER(_Diagnostic), _Z]),
    "fcl_diagnostic_text": (_S, [_P, _Z]),
    "fcl_diagnostics_clear": (None, [_P]),
    "fcl_module_load": (_P, [_P, _S, _S, _Z, POINTER(_LoadOptions)]),
    "fcl_module_destroy": (None, [_P]),
    "fcl_module_check": (c_bool, [_P]),
    "fcl_module_print": (_P, [_P, POINTER(_Z)]),
    "fcl_free": (None, [_P, _P, _Z]),
    "fcl_kernel_name": (_S, [_P, _Z]),
    "fcl_compile": (_P, [_P, POINTER(_CompileOptions)]),
    "fcl_artifact_destroy": (None, [_P]),
    "fcl_artifact_code": (_P, [_P, POINTER(_Z)]),
    "fcl_artifact_plan": (_P, [_P, POINTER(_Z)]),
    "fcl_artifact_save": (_P, [_P, POINTER(_Z)]),
    "fcl_artifact_load": (_P, [_P, _S, _S, _Z]),
    "fcl_artifact_entry": (_S, [_P, _Z]),
    "fcl_device_open": (_P, [_P, _S]),
    "fcl_device_close": (None, [_P]),
    "fcl_device_count": (_Z, [_P]),
    "fcl_device_name": (_S, [_P, _Z]),
    "fcl_device_target": (_S, [_P]),
    "fcl_buffer_create": (_P, [_P, c_int, c_uint, POINTER(c_uint64)]),
    "fcl_buffer_destroy": (None, [_P]),
    "fcl_buffer_shape": (_Array, [_P]),
    "fcl_buffer_write": (c_bool, [_P, _P]),
    "fcl_buffer_read": (c_bool, [_P, _P]),
    "fcl_buffer_memory": (_P, [_P]),
    "fcl_program_create": (_P, [_P, _S, _P, POINTER(_RunOptions)]),
    "fcl_program_from_artifact": (_P, [_P, _S, _P, POINTER(_RunOptions)]),
    "fcl_program_destroy": (None, [_P]),
    "fcl_program_run_into": (c_bool, [_P, POINTER(_Argument), _Z, POINTER(_P), _Z]),
    "fcl_program_start": (_P, [_P, POINTER(_Argument), _Z, POINTER(_P), _Z]),
    "fcl_program_reuse": (None, [_P, _P]),
    "fcl_program_peak": (c_uint64, [_P]),
    "fcl_job_wait": (c_bool, [_P]),
    "fcl_job_done": (c_bool, [_P]),
    "fcl_job_event": (_P, [_P]),
    "fcl_job_destroy": (None, [_P]),
    "fcl_program_run_host": (c_bool, [_P, POINTER(_Array), _Z, POINTER(_Array), _Z]),
    "fcl_program_nanoseconds": (c_uint64, [_P, POINTER(c_uint64)]),
    "fcl_results_free": (None, [_P, POINTER(_Array), _Z]),
}
for _of in ("kernel", "artifact"):
    _FUNCTIONS[f"fcl_{_of}_signature"] = (c_bool, [_P, _S, POINTER(_Signature), _Z])
    for _side in ("in", "out"):
        _FUNCTIONS[f"fcl_{_of}_leaf_{_side}"] = (c_bool, [_P, _S, _Z, POINTER(_Leaf), _Z])


def _load_library():
    name = os.environ.get("FCL_LIBRARY") or ctypes.util.find_library("fcl") or "libfcl.so.0"
    library = ctypes.CDLL(name)
    for function, (result, arguments) in _FUNCTIONS.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


_lib = _load_library()


def version():
    return _lib.fcl_version().decode()


class Diagnostic:
    """What was found, where, and what to do; str() is what a user reads, with the line and a caret."""

    def __init__(self, d, text):
        self.severity, self.code = d.severity, d.code
        self.file, self.line, self.column = d.file.decode(errors="replace"), d.line, d.column
        self.message, self.hint = d.message.decode(errors="replace"), d.hint.decode(errors="replace")
        self.text = text

    def __str__(self):
        return self.text


class Error(Exception):
    def __init__(self, diagnostics):
        super().__init__("\n" + "".join(map(str, diagnostics)) if diagnostics else "memory ran out")
        self.diagnostics = diagnostics


def _bytes(text):
    return None if text is None else text.encode()


class _Handle:
    """An object of the library, destroyed by close(), at the end of its context, or when nobody has it any more.  What it
    needs (its context, module, device) stays as long as it does."""
    _destroy = None

    def __init__(self, context, handle, *needs):
        self.context, self._handle, self._needs = context, handle, needs
        if not handle:
            context._raise()
        context._gather()
        context._made[next(context._numbers)] = self

    def close(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            getattr(_lib, self._destroy)(handle)

    __del__ = close

    @property
    def handle(self):
        if not self._handle:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._handle


class Context:
    """Everything belongs to one; one thread at a time may use it, but for cancel."""

    def __init__(self):
        self._handle = _lib.fcl_context_create(None, None)
        self._made, self._numbers, self.warnings = weakref.WeakValueDictionary(), itertools.count(), []
        if not self._handle:
            raise MemoryError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Everything that was made in it goes, the newest first."""
        for _, made in sorted(self._made.items(), reverse=True):
            made.close()
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            _lib.fcl_context_destroy(handle)

    __del__ = close

    @property
    def handle(self):
        if not self._handle:
            raise ValueError("this Context is closed")
        return self._handle

    def cancel(self):
        """Ends what runs in the context, or the next thing that does, with an Error (E0910); from any thread."""
        _lib.fcl_cancel(self.handle)

    def cancel_clear(self):
        """What runs next is not to be ended, whatever was cancelled before."""
        _lib.fcl_cancel_clear(self.handle)

    def _take(self):
        found, d = [], _Diagnostic()
        for i in range(_lib.fcl_diagnostic_count(self.handle)):
            if _lib.fcl_diagnostic_get(self.handle, i, byref(d), sizeof(d)):
                text = _lib.fcl_diagnostic_text(self.handle, i).decode(errors="replace")
                found.append(Diagnostic(d, text))
        _lib.fcl_diagnostics_clear(self.handle)
        return found

    def _gather(self):
        self.warnings += self._take()

    def _raise(self):
        raise Error(self._take())

    def _check(self, ok):
        if not ok:
            self._raise()
        self._gather()

    def load(self, name, text=None, entry=None):
        """The module of a file, or of a text (str or bytes) that messages call `name`; entry: for FCL source, the declaration
        that becomes the kernel."""
        if text is None:
            with open(name, "rb") as file:
                text = file.read()
        if isinstance(text, str):
            text = text.encode()
        how = _LoadOptions(size=sizeof(_LoadOptions), entry=_bytes(entry))
        return Module(self, _lib.fcl_module_load(self.handle, os.fsencode(name), text, len(text), byref(how)))

    def artifact(self, name, data=None):
        """A file that Artifact.save has written, or its bytes."""
        if data is None:
            with open(name, "rb") as file:
                data = file.read()
        return Artifact(self, _lib.fcl_artifact_load(self.handle, os.fsencode(name), data, len(data)))

    def devices(self):
        return [_lib.fcl_device_name(self.handle, i).decode() for i in range(_lib.fcl_device_count(self.handle))]

    def device(self, name="auto"):
        return Device(self, _lib.fcl_device_open(self.handle, _bytes(name)), name)

    def _text(self, at, size):
        """A text that the caller frees."""
        if not at:
            self._raise()
        text = ctypes.string_at(at, size.value)
        _lib.fcl_free(self.handle, at, size)
        return text


class _Kernels(_Handle):
    """What modules and artifacts have in common: entries with signatures, and programs made of them."""

    def _leaves(self, entry):
        of, signature = self._of, _Signature()
        self.context._check(getattr(_lib, f"fcl_{of}_signature")(self.handle, _bytes(entry), byref(signature),
                                                                 sizeof(signature)))
        sides = []
        for side, n in (("in", signature.nleaves_in), ("out", signature.nleaves_out)):
            leaves = (_Leaf * n)()
            for i in range(n):
                getattr(_lib, f"fcl_{of}_leaf_{side}")(self.handle, _bytes(entry), i, byref(leaves[i]), sizeof(_Leaf))
            sides.append(leaves)
        return sides

    def signature(self, entry=None):
        """The leaves of the parameters and of the result: (name, dtype, rank) each."""
        return tuple([(leaf.name.decode(), DTYPES[leaf.type], leaf.rank) for leaf in side] for side in self._leaves(entry))

    def program(self, device, entry=None, block_size=0, groups=0, timed=False, memory=0, progress=None):
        """A kernel, made ready for a device; entry None: the only one.

        timed: Program.nanoseconds tells how long runs take.  memory: bytes of device memory that a run may hold; 0: any.
        progress: called after each launch with their number so far; a run ends when it gives False.  (An artifact's program
        takes `timed` alone.)"""
        call = _PROGRESS(lambda _, launches: progress(launches) is not False) if progress else _PROGRESS()
        options = _CompileOptions(size=sizeof(_CompileOptions), block_size=block_size, groups=groups)
        how = _RunOptions(size=sizeof(_RunOptions), compile=ctypes.pointer(options), timed=timed, memory=memory, progress=call)
        made = getattr(_lib, self._program)(self.handle, _bytes(entry), device.handle, byref(how))
        return Program(self.context, made, self, device, call, leaves=self._leaves(entry) if made else None)


class Module(_Kernels):
    """A program in the core, loaded from any of its forms."""
    _destroy, _of, _program = "fcl_module_destroy", "kernel", "fcl_program_create"

    def check(self):
        """Raises what is wrong with it."""
        self.context._check(_lib.fcl_module_check(self.handle))

    def kernels(self):
        """The names of its kernels."""
        names = iter(range(1 << 30))
        return [name.decode() for name in iter(lambda: _lib.fcl_kernel_name(self.handle, next(names)), None)]

    def __str__(self):
        size = _Z()
        return self.context._text(_lib.fcl_module_print(self.handle, byref(size)), size).decode()

    def compile(self, entry=None, target=None, block_size=0, groups=0):
        """Code and launch plans of one kernel, or (entry None) of all, for a target: "opencl-c", "cpu-c" or "spirv-vulkan"."""
        self.check()
        options = _CompileOptions(size=sizeof(_CompileOptions), target=_bytes(target), entry=_bytes(entry),
                                  block_size=block_size, groups=groups)
        return Artifact(self.context, _lib.fcl_compile(self.handle, byref(options)), self)


class Artifact(_Kernels):
    """A compiled program; its programs are neither checked nor lowered again."""
    _destroy, _of, _program = "fcl_artifact_destroy", "artifact", "fcl_program_from_artifact"

    def _borrowed(self, function):
        size = _Z()
        text = getattr(_lib, function)(self.handle, byref(size))
        self.context._check(text)
        return ctypes.string_at(text, size.value)

    @property
    def code(self):
        """What was emitted: OpenCL C, or C."""
        return self._borrowed("fcl_artifact_code").decode()

    @property
    def plan(self):
        """Its launch plans, as text."""
        return self._borrowed("fcl_artifact_plan").decode()

    def kernels(self):
        """The names of its entries."""
        names = iter(range(1 << 30))
        return [name.decode() for name in iter(lambda: _lib.fcl_artifact_entry(self.handle, next(names)), None)]

    def save(self):
        """The bytes of its file (.fcla)."""
        size = _Z()
        return self.context._text(_lib.fcl_artifact_save(self.handle, byref(size)), size)


def _dims(shape):
    return (c_uint64 * MAX_RANK)(*shape)


class Device(_Handle):
    """interp, cpu, opencl, opencl:N, vulkan or vulkan:N: see Context.devices."""
    _destroy = "fcl_device_close"

    def __init__(self, context, handle, name):
        super().__init__(context, handle)
        self.name = name
        target = _lib.fcl_device_target(handle)
        self.target = target.decode() if target else None  # whose code it takes; None: it needs none

    def buffer(self, array):
        """An array in the device's memory, with the elements of a NumPy array."""
        array = numpy.ascontiguousarray(array)
        made = self.empty(array.shape, array.dtype)
        self.context._check(_lib.fcl_buffer_write(made.handle, array.ctypes.data))
        return made

    def empty(self, shape, dtype):
        """An array in the device's memory, of any contents: for Program.run(..., into=...)."""
        number = _NUMBERS[numpy.dtype(dtype)]
        return Buffer(self.context, _lib.fcl_buffer_create(self.handle, number, len(shape), _dims(shape)), self)


class Buffer(_Handle):
    """An array in the memory of a device."""
    _destroy = "fcl_buffer_destroy"

    @property
    def shape(self):
        about = _lib.fcl_buffer_shape(self.handle)
        return tuple(about.dims[:about.rank])

    @property
    def dtype(self):
        return DTYPES[_lib.fcl_buffer_shape(self.handle).type]

    @property
    def memory(self):
        """The cl_mem that it is in, as a number: pyopencl.Buffer.from_int_ptr takes it; on interp and cpu an address."""
        return _lib.fcl_buffer_memory(self.handle)

    def numpy(self):
        """Its elements in a new array; waits for what makes them."""
        array = numpy.empty(self.shape, self.dtype)
        self.context._check(_lib.fcl_buffer_read(self.handle, array.ctypes.data))
        return array

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("the elements are in the device's memory")
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    def write(self, array):
        """All elements, from an array of this type and shape."""
        array = numpy.ascontiguousarray(array)
        if (array.dtype, array.shape) != (self.dtype, self.shape):
            raise TypeError(f"{array.dtype} {array.shape} does not fit a buffer of {self.dtype} {self.shape}")
        self.context._check(_lib.fcl_buffer_write(self.handle, array.ctypes.data))


class Program(_Handle):
    """A kernel that is ready to run."""
    _destroy = "fcl_program_destroy"

    def __init__(self, context, handle, *needs, leaves):
        super().__init__(context, handle, *needs)
        self.leaves_in, self.leaves_out = leaves or ((), ())

    def _arguments(self, args):
        """NumPy arrays of the types that the kernel has; nothing is converted that would lose something."""
        if len(args) != len(self.leaves_in):
            raise TypeError(f"the kernel takes {len(self.leaves_in)} arguments, not {len(args)}")
        arrays = []
        for leaf, arg in zip(self.leaves_in, args):
            want, array = DTYPES[leaf.type], numpy.asarray(arg)
            if isinstance(arg, (bool, int, float, list, tuple)):
                array = array.astype(want)
                if want.kind != "f" and not numpy.array_equal(array, numpy.asarray(arg)):
                    raise TypeError(f"{leaf.name.decode()}: {arg!r} is no {want}")
            if array.dtype != want:
                raise TypeError(f"{leaf.name.decode()} is of {want}, not {array.dtype}: use astype")
            if array.ndim != leaf.rank:
                raise TypeError(f"{leaf.name.decode()} has {leaf.rank} axes, not {array.ndim}")
            arrays.append(numpy.ascontiguousarray(array) if array.ndim else array)
        return arrays

    def __call__(self, *args):
        """Runs it over arrays and numbers, which are copied to the device and back."""
        arrays = self._arguments(args)
        given = (_Array * len(arrays))(*[_Array(_NUMBERS[a.dtype], a.ndim, _dims(a.shape), a.ctypes.data) for a in arrays])
        results = (_Array * len(self.leaves_out))()
        self.context._check(_lib.fcl_program_run_host(self.handle, given, len(given), results, len(results)))
        try:
            made = tuple(self._take(r) for r in results)
        finally:
            _lib.fcl_results_free(self.context.handle, results, len(results))
        return made[0] if len(made) == 1 else made

    @staticmethod
    def _take(result):
        shape, dtype = tuple(result.dims[:result.rank]), DTYPES[result.type]
        array = numpy.empty(shape, dtype)
        if array.nbytes:
            ctypes.memmove(array.ctypes.data, result.data, array.nbytes)
        return array if result.rank else array[()]

    def _given(self, args):
        """Buffers and numbers as the library takes them, and what must stay until it has."""
        if len(args) != len(self.leaves_in):
            raise TypeError(f"the kernel takes {len(self.leaves_in)} arguments, not {len(args)}")
        given, kept = (_Argument * len(args))(), []
        for at, leaf, arg in zip(given, self.leaves_in, args):
            if isinstance(arg, Buffer):
                at.buffer, at.type = arg.handle, leaf.type
            else:
                kept.append(numpy.array(arg, DTYPES[leaf.type]))
                at.type, at.scalar = leaf.type, kept[-1].ctypes.data
        return given, kept

    def _results(self, into):
        """Where results are to be: a buffer for each, or None for a new one."""
        into = [None] * len(self.leaves_out) if into is None else [into] if isinstance(into, Buffer) else list(into)
        if len(into) != len(self.leaves_out):
            raise TypeError(f"the kernel has {len(self.leaves_out)} results, not {len(into)}")
        return into, (c_void_p * len(into))(*[b and b.handle for b in into])

    def _made(self, into, results):
        device = self._needs[1]
        made = tuple(b or Buffer(self.context, r, device) for b, r in zip(into, results))
        return made[0] if len(made) == 1 else made

    def run(self, *args, into=None):
        """Runs it over buffers and numbers, and waits; results are new buffers, or those of `into`: one, or a list with None
        for each that is to be new.  No element moves between host and device."""
        given, _kept = self._given(args)
        into, results = self._results(into)
        self.context._check(_lib.fcl_program_run_into(self.handle, given, len(given), results, len(results)))
        return self._made(into, results)

    def start(self, *args, into=None):
        """As run, but does not wait: a Job, whose results may be given to other programs at once."""
        given, _kept = self._given(args)
        into, results = self._results(into)
        job = Job(self.context, _lib.fcl_program_start(self.handle, given, len(given), results, len(results)), self, args)
        job.results = self._made(into, results)
        return job

    def reuse(self, buffer):
        """Closes a buffer, and keeps its memory for results of the next runs."""
        handle, buffer._handle = buffer.handle, None
        _lib.fcl_program_reuse(self.handle, handle)

    @property
    def peak(self):
        """Bytes of device memory that the last run held at most; 0 on interp."""
        return _lib.fcl_program_peak(self.handle)

    @property
    def nanoseconds(self):
        """What the kernels of the last run took; for programs made with timed=True."""
        return _lib.fcl_program_nanoseconds(self.handle, None)


class Job(_Handle):
    """A run that goes on: Program.start.  results: its buffers, to be read when it has ended (reading waits)."""
    _destroy = "fcl_job_destroy"
    results = None

    def wait(self):
        """Waits for its end; the results.  Raises what went wrong, in this run or in one that it takes results of."""
        self.context._check(_lib.fcl_job_wait(self.handle))
        return self.results

    @property
    def done(self):
        """Whether it has ended; does not wait."""
        return _lib.fcl_job_done(self.handle)

    @property
    def event(self):
        """The cl_event of its end, as a number; None on interp."""
        return _lib.fcl_job_event(self.handle)
