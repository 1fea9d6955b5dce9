"""The two file forms of the FCL core, read and written without libfcl and without other libraries.

What these files know of operators and types they take from the tables of docs/format.md.  `read` and `write` of the modules
`binary` and `text` are the way in and out; `module` says what lies between them."""

import hashlib

from . import binary, text
from .tables import Refused

__all__ = ["Everything", "Refused", "binary", "digest", "is_binary", "read", "text"]


class Everything(dict):
    """Imports that are all there and have every function: for those who do not have the imported files."""

    def __contains__(self, name):
        return True

    def __missing__(self, name):
        return self


def is_binary(data):
    return data.startswith(b"\x97\xa4fclb")


def read(data, externals=None):
    """The module; Refused where it is none.  externals: the functions that each import has, by its name."""
    return (binary if is_binary(data) else text).read(data, externals)


def digest(m):
    """What fcl_module_hash says of it, in hexadecimal; of a module that calls functions of imports, which are not here, Refused:
    link it first."""
    imports, m.imports = m.imports, []
    writer = binary.Writer(m, b"")
    writer.write()
    m.imports = imports
    if writer.external:
        raise Refused("it calls functions of imports: link it first")
    return hashlib.sha256(writer.required).hexdigest()
