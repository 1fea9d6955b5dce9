"""Prints docs/checks.md: of each program of docs/examples how many accesses are proved."""
import re
import subprocess
import sys
from pathlib import Path

fclc, examples = sys.argv[1], Path(sys.argv[2])
print("""# What is proved

Every index, every position of a result and every size that a program names has a verdict when it is
compiled: *proved*, whatever the arguments are; *asked by the host*, once, before it launches what
depends on it; or *checked* by a kernel, for each element. `fclc compile --report` prints them with
their places and reasons. This table counts them for the programs of `docs/examples`, each place in
the source once for an entry. The host asks for sizes that are arguments, for how many elements they
come to, and for what is asserted outside of kernels; no kernel is slower for that. What is checked
by kernels depends on data, or on arguments whose relation nothing states: the lengths of two arrays,
or a width that is given beside a flat array. An assertion states it.

| program | places | proved | asked by the host | checked |
|---|---|---|---|---|""")
for path in sorted(examples.glob("*.fclir")) + sorted(examples.glob("**/*.fcl")):
    run = subprocess.run([fclc, "compile", str(path), "--report"], capture_output=True, text=True)
    if run.returncode != 0:
        continue
    found = re.findall(r"^\d+ accesses and sizes: (\d+) proved, (\d+) asked by the host, (\d+) checked", run.stdout, re.M)
    proved, asked, checked = (sum(int(f[i]) for f in found) for i in range(3))
    if found:
        print(f"| `{path.relative_to(examples)}` | {proved + asked + checked} | {proved} | {asked} | {checked} |")
