"""libfcl through ctypes: reading, writing and hashing of modules."""

import ctypes
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FIND = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_size_t))


class Options(ctypes.Structure):
    """fcl_load_options."""
    _fields_ = [("size", ctypes.c_size_t), ("find", FIND), ("user", ctypes.c_void_p), ("entry", ctypes.c_char_p), ("lang", ctypes.c_int)]


class Library:
    def __init__(self):
        build = os.environ.get("BUILD", os.path.join(ROOT, "build"))
        self.lib = ctypes.CDLL(os.path.join(build, "lib/libfcl.so.0"))
        for name, result in (("context_create", ctypes.c_void_p), ("module_load", ctypes.c_void_p), ("module_print", ctypes.c_void_p),
                             ("module_write", ctypes.c_void_p), ("diagnostic_text", ctypes.c_char_p), ("module_hash", ctypes.c_bool),
                             ("module_check", ctypes.c_bool), ("artifact_load", ctypes.c_void_p), ("artifact_save", ctypes.c_void_p)):
            getattr(self.lib, "fcl_" + name).restype = result
        self.texts = []  # of imports, which stay as long as this
        self.cx = ctypes.c_void_p(self.lib.fcl_context_create(None, None))

    def load(self, data, path=None):
        """The module, or None and what the library says.  path: imports lie beside it."""
        find = FIND(lambda _, name, text, size: self.find(os.path.dirname(path), name, text, size))
        options = Options(ctypes.sizeof(Options), find, None, None, 0) if path else None
        m = self.lib.fcl_module_load(self.cx, b"file", data, ctypes.c_size_t(len(data)), ctypes.byref(options) if options else None)
        said = self.lib.fcl_diagnostic_text(self.cx, ctypes.c_size_t(0)).decode(errors="replace") if not m else ""
        self.lib.fcl_diagnostics_clear(self.cx)
        return (ctypes.c_void_p(m) if m else None), said

    def find(self, folder, name, text, size):
        path = os.path.join(folder, name.decode() + ".fclir")
        if not os.path.exists(path):
            return False
        with open(path, "rb") as f:
            data = f.read()
        self.texts.append(data)
        text[0], size[0] = data, len(data)
        return True

    def artifact(self, data):
        """What the library writes for an artifact that it has read; None where it refuses it."""
        a = ctypes.c_void_p(self.lib.fcl_artifact_load(self.cx, b"file", data, ctypes.c_size_t(len(data))))
        if not a:
            self.lib.fcl_diagnostics_clear(self.cx)
            return None
        written = self._bytes(lambda size: self.lib.fcl_artifact_save(a, size), 0)
        self.lib.fcl_artifact_destroy(a)
        return written

    def drop(self, m):
        self.lib.fcl_module_destroy(m)

    def text(self, m):
        return self._bytes(lambda size: self.lib.fcl_module_print(m, size), 1)

    def binary(self, m):
        return self._bytes(lambda size: self.lib.fcl_module_write(m, 0, size), 0)

    def check(self, m):
        ok = self.lib.fcl_module_check(m)
        self.lib.fcl_diagnostics_clear(self.cx)
        return ok

    def hash(self, m):
        digest = ctypes.create_string_buffer(32)
        return digest.raw if self.lib.fcl_module_hash(m, digest) else None

    def _bytes(self, call, _):
        size = ctypes.c_size_t()
        p = call(ctypes.byref(size))
        if not p:
            self.lib.fcl_diagnostics_clear(self.cx)
            return None
        out = ctypes.string_at(p, size.value)
        self.lib.fcl_free(self.cx, ctypes.c_void_p(p), size)
        return out
