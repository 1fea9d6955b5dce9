"""libfcl/prelude/arrays.fclir, from arrays.fcl beside it: core.py FCL_OPT.

The functions are what the library makes of them; sections and comments are those of the source.  What they use of the prelude is
that of the core's prelude."""

import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path("libfcl/prelude")


def translated(fcl_opt, source):
    """The functions that the library makes of a text of functions, by name."""
    with tempfile.NamedTemporaryFile("w", suffix=".fcl") as file:
        file.write('import "arrays"\n' + source)
        file.flush()
        done = subprocess.run([fcl_opt, "--passes=check", "--no-warnings", file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    text = re.sub(r' loc\("[^"]*":\d+:\d+\)', "", done.stdout)
    return {re.match(r"fun @(\w+)", f).group(1): f for f in re.findall(r"^fun @.*?^}\n", text, re.M | re.S)}


def commented(source):
    """(what stands above, name) of each declaration."""
    above = []
    for line in source.split("\n"):
        name = re.match(r"sig (\w+) :", line)
        if name:
            yield above, name.group(1)
        above = above + [line] if line.startswith("--") or not line else []


def main():
    source = (FOLDER / "arrays.fcl").read_text(encoding="utf-8")
    functions = translated(sys.argv[1], source)
    known = set(re.findall(r"^fun @(\w+)", (FOLDER / "prelude.fclir").read_text(encoding="utf-8"), re.M))
    own = [name for _, name in commented(source)]
    if set(functions) - set(own) - known:
        sys.exit(f"the core's prelude lacks {set(functions) - set(own) - known}")
    print("fcl 0.5\n\n// Made of arrays.fcl by tests/arrays/run.sh update.")
    for number, (above, name) in enumerate(commented(source)):
        lines = [re.sub("^--", "//", line) for line in above]
        if number == 0:
            lines = lines[: next(i for i, line in enumerate(lines) if "----" in line)] + ['import "prelude"', ""] + \
                lines[next(i for i, line in enumerate(lines) if "----" in line):]
        print("\n".join(lines))
        print(functions[name], end="")
    return 0


sys.exit(main())
