#!/usr/bin/env python3
"""Holds docs/diagnostics.md to the programs: every code has a section, in order; its example is refused with exactly that code (remarks come several at a time), or
the section says why there is none; `fclc explain` prints it."""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "bin")
WHY_NONE = re.compile(r"\b(Not (shown|in a|through)|not in a|is a defect of the library)\b")
ENV = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"])
failures = []
LETTERS = {11: "W", 12: "R"}


def defined():
    """The codes of both tables."""
    for table in ("ir/base/diag.def", "frontends/tools/report/diag.def"):
        with open(os.path.join(ROOT, table)) as f:
            for number in re.findall(r"^DIAG\(\w+, (\d+),", f.read(), re.M):
                yield f"{LETTERS.get(int(number) // 100, 'E')}{int(number):04}"


def sections():
    with open(os.path.join(ROOT, "docs/diagnostics.md")) as f:
        return re.findall(r"^### ([EWR]\d{4})\n(.*?)(?=^##|\Z)", f.read(), re.M | re.S)


def run(command, folder):
    return subprocess.run(command, cwd=folder, env=ENV, capture_output=True, encoding="utf-8",
                          errors="replace", timeout=60, stdin=subprocess.DEVNULL)


def run_example(language, arguments, body, folder):
    """What an example's commands write to standard error."""
    if language == "sh":
        return run(["bash", "-c", body], folder).stderr
    with open(os.path.join(folder, "example." + language), "w") as f:
        f.write(body)
    command, *rest = arguments.split() or ["check"]
    return run(["fclc", command, "example." + language] + rest, folder).stderr


def check_section(code, text):
    example = re.search(r"^```(\w+)([^\n]*)\n(.*?)^```", text, re.M | re.S)
    if not example:
        if not WHY_NONE.search(" ".join(text.split())):
            failures.append(f"{code}: neither an example nor a reason why there is none")
    elif "--device=opencl" in text and "opencl" not in run(["fclc", "devices"], ".").stdout:
        return
    else:
        with tempfile.TemporaryDirectory() as folder:
            said = run_example(*example.groups(), folder)
        got = re.findall(r"(?:error|warning|remark)\[([EWR]\d{4})\]", said)
        if got != [code] and not (code[0] == "R" and code in got and all(c[0] == "R" for c in got)):
            failures.append(f"{code}: the example gives {got}: {said[:300]}")
    printed = run(["fclc", "explain", code], ".").stdout
    if text.strip() not in printed:
        failures.append(f"fclc explain {code} prints {printed[:200]!r}")


def main():
    codes, written = sorted(defined()), sections()
    names = [code for code, _ in written]
    for code in codes:
        if code not in names:
            failures.append(f"{code} is not explained")
    for code in names:
        if code not in codes or names.count(code) > 1:
            failures.append(f"{code} is explained, but not a diagnostic, or twice")
    if [name[1:] for name in names] != sorted(name[1:] for name in names):
        failures.append("the sections are not in the order of their codes")
    for code, text in written:
        check_section(code, text)
    print("\n".join(failures) or f"explain: ok ({len(written)} codes)")
    sys.exit(bool(failures))


main()
