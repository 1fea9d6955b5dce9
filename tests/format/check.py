#!/usr/bin/env python3
"""The C readers and writers beside docs/examples/fclfile, which was written after docs/format.md alone.

Over valid files: both read each form as the same module, and write the same bytes of the binary form and its hash; what one
writes, the other reads.  Over mutated files, text and binary: both accept a file, or both refuse it, and what both accept both
write alike.  Arguments: SEED, how many mutations of each form, then the files; the files that differ go to $FOUND."""

import os
import random
import sys

import mutate
from fclfile import Refused, binary, digest, is_binary, text
from fclfile import read as read_file
from fclfile.module import walk
from library import ROOT, Library

failures = []
lib = Library()


def prelude_functions():
    """The functions of the preludes, by import: what an import imports counts as well."""
    folder = os.path.join(ROOT, "libfcl/prelude")
    names = sorted(f[:-len(".fclir")] for f in os.listdir(folder) if f.endswith(".fclir"))
    found = {b"prelude": set()}
    for file in sorted(names, key=lambda n: n != "prelude") * 2:  # twice: they may import one another
        with open(os.path.join(folder, file + ".fclir"), "rb") as f:
            try:
                module = text.read(f.read(), dict(found))
            except Refused:
                continue
        name = b"prelude" if file == "prelude" else b"prelude." + file.encode()
        found[name] = {f.name for f in module.functions}.union(*(found[i] for i in module.imports))
    return found


def fail(data, what):
    failures.append(what)
    folder = os.environ.get("FOUND")
    where = ""
    if folder:
        where = os.path.join(folder, "%d.%s" % (len(failures), "fclb" if is_binary(data) else "fclir"))
        with open(where, "wb") as f:
            f.write(data)
    if len(failures) <= 20:
        print("FAILED:", what, where)


def read(data):
    """Here: the module, or None and why."""
    try:
        return read_file(data, externals), ""
    except Refused as e:
        return None, str(e)


def compare(data, name, must_be_valid=False):
    """Whether both accept it; reports what differs."""
    theirs, said = lib.load(data)
    ours, why = read(data)
    if (theirs is None) != (ours is None):
        fail(data, "%s: the library %s, the second reader %s" % (name, "reads it" if theirs else "says " + said.strip(),
                                                                 "reads it" if ours else "says " + why))
    elif ours is None and must_be_valid:
        fail(data, "%s: both refuse it: %s" % (name, why))
    elif ours is not None:
        compare_written(data, name, theirs, ours)
    if theirs:
        lib.drop(theirs)
    return ours is not None


def other_hash(theirs, ours):
    """Of a module that calls imported functions it is that of the linked one: tests/compat."""
    try:
        return lib.hash(theirs).hex() != digest(ours)
    except Refused:
        return False


def compare_written(data, name, theirs, ours):
    written = lib.binary(theirs)
    if written is None:
        fail(data, "%s: the library cannot write what it has read" % name)
        return
    c = binary.Cursor(written, 6)
    ours.version = c.int(), c.int()  # the oldest that has all of it: the library's to say
    bytes_here = binary.write(ours, c.text())
    if bytes_here != written:
        fail(data, "%s: written differently: %s" % (name, first_difference(bytes_here, written)))
    if other_hash(theirs, ours):
        fail(data, "%s: another hash" % name)
    if not sayable(ours):
        return
    again, said = lib.load(text.write(ours))
    if not again:
        fail(data, "%s: the library refuses the text that was written here: %s" % (name, said))
        return
    if lib.binary(again) != written:
        fail(data, "%s: the text that was written here means something else" % name)
    lib.drop(again)
    printed = lib.text(theirs)
    if read(printed)[0] is None:
        fail(data, "%s: the second reader refuses what the library prints: %s" % (name, read(printed)[1]))


def sayable(m):
    """Whether a text can say it: in a binary file, a parameter may be named outside of the function or fn that binds it."""
    for f in m.functions:
        used = set()
        for t in [f.result] + [v.type for v in f.body.params]:
            named(t, used)
        if used - set(f.bound) or not in_scope(f.body, set(f.bound)):
            return False
    return True


def in_scope(region, bound):
    """Whether what the operations of a region name is bound around them."""
    for op in region.ops:
        used = set()
        for t in op.types + [op.type, op.result.type if op.result else None]:
            named(t, used)
        used.update(x[1] for x in op.levels + [op.level] if x and x[0] == 2)
        inner = bound | set(op.bound)
        for r in op.regions:
            mine = set()
            for v in r.params:
                named(v.type, mine)
            if mine - inner or not in_scope(r, inner):
                return False
        if used - bound:
            return False
    return True


def named(t, used):
    """The parameters that a type names."""
    if t and t[0] == "var":
        used.add(t[1])
    elif t and t[0] == "tuple":
        for part in t[1]:
            named(part, used)
    elif t and t[0] not in ("scalar", "bound"):
        for part in t[1:]:
            if isinstance(part, tuple) and isinstance(part[0], str):
                named(part, used)
            elif isinstance(part, tuple) and part[0] == 2:
                used.add(part[1])


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return "at byte %d, %r here and %r there" % (at, a[max(0, at - 8):at + 12], b[max(0, at - 8):at + 12])


def valid_files(paths):
    """Both forms of each file."""
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        if not compare(data, path, True):
            continue
        m, _ = lib.load(data)
        yield data
        if not data.startswith(b"\x97"):
            written = lib.binary(m)
            compare(written, path + " in binary form", True)
            yield written
        lib.check(m)
        checked = lib.binary(m)
        compare(checked, path + ", checked", True)
        yield checked
        lib.drop(m)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    corpus = list(valid_files(sys.argv[3:]))
    texts, binaries = [[d for d in corpus if d.startswith(b"\x97") == b and len(d) < 20000] for b in (False, True)]
    accepted = 0
    for i in range(count):
        accepted += compare(mutate.text(rng, rng.choice(texts)), "mutated text %d" % i)
        accepted += compare(mutate.binary(rng, rng.choice(binaries)), "mutated binary %d" % i)
    if failures:
        print("format: %d differences, SEED=%d" % (len(failures), seed))
    else:
        print("%d files in two forms, %d mutations, of which %d are valid" % (len(sys.argv) - 3, 2 * count, accepted))
    sys.exit(bool(failures))


externals = prelude_functions()
main()
