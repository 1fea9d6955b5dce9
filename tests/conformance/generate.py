#!/usr/bin/env python3
"""Writes the suite: generate.py FOLDER, with BUILD for the library.

Verdicts, codes and results are what the cases say, which is what docs/format.md says.  Only what libfcl writes for an accepted
file, and its hash, are taken from libfcl: `conform.py` compares them with what others write."""

import json
import os
import sys

import artifacts
import binaries
import programs
import texts
from cases import RULES
from library import Library

HELPER = b"""fcl 0.1
import "base"

fun @twice(%x: int) -> int {
  %y = call @base(%x)
  return %y
}
"""
BASE = b"""fcl 0.1
fun @base(%x: int) -> int {
  %y = add %x, %x
  return %y
}
"""


def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


class Generator:
    def __init__(self, folder):
        self.folder, self.library, self.files = folder, Library(), {}

    def rewritten(self, case):
        """What libfcl writes for an accepted file, the version that it states, and its hash (modules)."""
        if case.rule == "artifact":
            return self.library.artifact(case.data), {}
        m, said = self.library.load(case.data, os.path.join(self.folder, case.name))
        assert m, "%s: %s" % (case.name, said)
        data, digest = self.library.binary(m), self.library.hash(m)
        self.library.drop(m)
        return data, {"version": "%d.%d" % (data[6], data[7]), "hash": digest.hex()}

    def entry(self, case):
        out = {"file": case.name, "rule": case.rule, "since": case.since, "verdict": "refuse" if case.code else "accept"}
        if case.code:
            out["code"] = case.code
            return out
        data, more = self.rewritten(case)
        name = "written/" + case.name.rsplit(".", 1)[0].replace("/", "-") + (".fcla" if case.rule == "artifact" else ".fclb")
        name = self.files.setdefault(data, name)
        write(self.folder, name, data)
        out.update(written=name, **more)
        if not case.sayable:
            out["text"] = False
        if case.check:
            out["check"] = case.check
        if case.runs:
            out["runs"] = [{"entry": e, "arguments": a, "results": r} for e, a, r in case.runs]
        return out

    def same(self, cases, entries):
        """Those that say that they are the same module are written as the same file."""
        written, wrong = {c.name: e.get("written") for c, e in zip(cases, entries)}, []
        for c in cases:
            other = c.same and "%s/%s.%s" % (c.name.split("/")[0], c.same, c.name.rsplit(".", 1)[1])
            if other and (other not in written or written[c.name] != written[other]):
                wrong.append("%s is not written as %s" % (c.name, other))
        hashes = {c.name.split("/")[-1].split(".")[0]: e.get("hash") for c, e in zip(cases, entries) if c.rule == "hash"}
        wrong += ["%s has another hash than %s" % (c.name, c.hash) for c in cases if c.hash and hashes[c.hash] != hashes[c.name[5:-6]]]
        others = [c.name for c in cases if c.rule == "hash" and not c.hash]
        wrong += ["%s has the hash of the plain module" % n for n in others if hashes[n[5:-6]] == hashes["hash-plain"]]
        assert not wrong, "\n".join(wrong)


def main(folder):
    cases = [c for group in (texts, binaries, programs, artifacts) for c in group.all_cases()]
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), "two cases have one name: %s" % {n for n in names if names.count(n) > 1}
    for place in ("text", "binary"):
        write(folder, place + "/helper.fclir", HELPER)
        write(folder, place + "/base.fclir", BASE)
    for c in cases:
        write(folder, c.name, c.data)
    generator = Generator(folder)
    entries = [generator.entry(c) for c in cases]
    generator.same(cases, entries)
    lines = ",\n".join("    " + json.dumps(e, ensure_ascii=False) for e in entries)
    index = '{\n  "rules": %s,\n  "cases": [\n%s\n  ]\n}\n' % (json.dumps(RULES, indent=4).replace("\n}", "\n  }"), lines)
    write(folder, "index.json", index.encode())
    print("%d cases" % len(cases))


main(sys.argv[1])
