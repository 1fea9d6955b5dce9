#!/usr/bin/env python3
"""Holds a reader or writer of FCL files to this suite: see README.md beside it.

    conform.py --read='CMD {in} {out}' [--text] [--versions] [--hash='CMD {in}'] [--check='CMD {in}'] [--run='CMD {in} {entry} {arguments}']
               [--artifact='CMD {in} {out}'] [--codes] [--version=X.Y] [--rule=NAME]... [--list]

Status 0: everything that was asked agrees; 1: a line for each difference; 2: wrong usage."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REFUSED = range(1, 126)  # statuses of a command that refuses; anything above is a crash


class Command:
    """A command with {in}, {out}, {entry} and {arguments} in it."""

    def __init__(self, line):
        self.words = shlex.split(line)

    def __call__(self, arguments=(), **values):
        """Whether it succeeds, its standard output, and its standard error."""
        words = []
        for word in self.words:
            if word == "{arguments}":
                words += arguments
                continue
            for name, value in values.items():
                word = word.replace("{%s}" % name, value)
            words.append(word)
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
        err = done.stderr.decode(errors="replace")
        if done.returncode and done.returncode not in REFUSED:
            err = "it ends with status %d: %s" % (done.returncode, err)
            return None, "", err
        return done.returncode == 0, done.stdout.decode(errors="replace"), err


def number(data, at):
    """A MessagePack integer that is not negative, and where it ends."""
    first = data[at]
    size = 0 if first < 0x80 else 1 << first - 0xCC
    return (first if not size else int.from_bytes(data[at + 1:at + 1 + size], "big")), at + 1 + size


def parts(data):
    """The version of a file, and all that is neither version nor producer nor checksum."""
    major, at = number(data, 6)
    minor, at = number(data, at)
    first = data[at]
    if 0xA0 <= first < 0xC0:
        at += 1 + first - 0xA0
    else:
        width = 1 << (first - 0xD9 if first >= 0xD9 else first - 0xC4)
        at += 1 + width + int.from_bytes(data[at + 1:at + 1 + width], "big")
    return "%d.%d" % (major, minor), data[at:-5]


class Suite:
    def __init__(self, asked, folder=HERE):
        self.asked, self.folder = asked, folder
        with open(os.path.join(folder, "index.json"), encoding="utf-8") as f:
            self.cases = json.load(f)["cases"]
        self.failures, self.count, self.untold = [], 0, 0
        self.scratch = tempfile.TemporaryDirectory()

    def fail(self, case, what):
        self.failures.append("%s: %s" % (case["file"], what.strip()[:300]))

    def selected(self):
        def known(case):
            return tuple(map(int, case["since"].split("."))) <= self.asked.version
        return [c for c in self.cases if known(c) and (not self.asked.rule or c["rule"] in self.asked.rule)]

    def run(self):
        for case in self.selected():
            command = self.asked.artifact if case["file"].endswith(".fcla") else self.asked.read
            if command:
                self.count += 1
                self.read(case, command)
        return self.failures

    def read(self, case, command):
        out = os.path.join(self.scratch.name, "out" + os.path.splitext(case.get("written", "x.fclb"))[1])
        if os.path.exists(out):
            os.remove(out)
        path = os.path.join(self.folder, case["file"])
        ok, _, said = command(**{"in": path, "out": out})
        if ok is None:
            self.fail(case, said)
        elif ok != (case["verdict"] == "accept"):
            self.fail(case, "it is accepted" if ok else "it is refused: " + said)
        elif not ok:
            if self.asked.codes and case["code"] not in said:
                self.fail(case, "no %s in: %s" % (case["code"], said))
        else:
            self.written(case, out)
            self.more(case, path, command)

    def written(self, case, out):
        with open(os.path.join(self.folder, case["written"]), "rb") as f:
            wanted = f.read()
        with open(out, "rb") as f:
            found = f.read()
        if parts(wanted)[1] != parts(found)[1]:
            self.fail(case, "what is written differs from %s" % case["written"])
        elif self.asked.versions and parts(wanted)[0] != parts(found)[0]:
            self.fail(case, "it states version %s, not %s" % (parts(found)[0], parts(wanted)[0]))

    def more(self, case, path, command):
        if self.asked.text and case.get("text", True) and not path.endswith(".fcla"):
            self.by_way_of_text(case, path, command)
        if self.asked.hash and "hash" in case:
            told, printed, said = self.asked.hash(**{"in": path})
            if told is False:
                self.untold += 1
            elif case["hash"] not in printed:
                self.fail(case, "the hash is not %s: %s%s" % (case["hash"], printed, said))
        if self.asked.check and "check" in case:
            ok, _, said = self.asked.check(**{"in": path})
            if ok or (self.asked.codes and case["check"] not in said):
                self.fail(case, "the check does not say %s: %s" % (case["check"], said))
        for run in case.get("runs", []) if self.asked.run else []:
            ok, printed, said = self.asked.run(run["arguments"], **{"in": path, "entry": run["entry"]})
            if not ok or printed.split() != " ".join(run["results"]).split():
                self.fail(case, "%s %s: %s%s, not %s" % (run["entry"], " ".join(run["arguments"])[:80], printed[:80], said, run["results"][0][:80]))

    def by_way_of_text(self, case, path, command):
        """In the other folder of the suite, so that imports are found."""
        middle, out = os.path.join(self.scratch.name, "middle.fclir"), os.path.join(self.scratch.name, "out.fclb")
        for name in ("helper", "base"):
            with open(os.path.join(self.folder, "text", name + ".fclir"), "rb") as f, open(os.path.join(self.scratch.name, name + ".fclir"), "wb") as g:
                g.write(f.read())
        for here, there in ((path, middle), (middle, out)):
            ok, _, said = command(**{"in": here, "out": there})
            if not ok:
                self.fail(case, "by way of text: " + said)
                return
        self.written({**case, "file": case["file"] + " by way of text"}, out)


def version(text):
    return tuple(map(int, text.split(".")))


def arguments(words):
    parser = argparse.ArgumentParser(prog="conform.py")
    for name in ("read", "artifact", "hash", "check", "run"):
        parser.add_argument("--" + name, type=Command, metavar="CMD")
    for name in ("text", "versions", "codes", "list"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--version", type=version, default=(9, 9), metavar="X.Y")
    parser.add_argument("--rule", action="append", metavar="NAME")
    return parser.parse_args(words)


def main():
    asked = arguments(sys.argv[1:])
    suite = Suite(asked)
    if asked.list:
        for case in suite.selected():
            print(case["rule"], case["verdict"], case["file"])
        return 0
    if not asked.read and not asked.artifact:
        print("conform.py: say what to hold to the suite, with --read or --artifact; --help says more", file=sys.stderr)
        return 2
    for failure in suite.run():
        print(failure)
    if suite.untold:
        print("%d hashes were not told" % suite.untold)
    print("%d cases, %d differences" % (suite.count, len(suite.failures)))
    return bool(suite.failures)


if __name__ == "__main__":
    sys.exit(main())
