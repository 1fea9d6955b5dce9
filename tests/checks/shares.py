"""Prints docs/checks.md: of each program of docs/examples how many accesses are proved."""
import re
import subprocess
import sys
from pathlib import Path

fclc, examples = sys.argv[1], Path(sys.argv[2])
print("""# What is proved

Every index, every position of a result and every size that a program names has a verdict when it is
compiled: *proved*, whatever the arguments are, or *checked* when it runs. `fclc compile --report`
prints them with their places and reasons. This table counts them for the programs of
`docs/examples`, each place in the source once for an entry. What is checked depends on data, or on
arguments whose relation nothing states: the lengths of two arrays, or a width that is given beside a
flat array, or a size that is an argument, which the plan asks for before it launches anything.

| program | places | proved | checked |
|---|---|---|---|""")
for path in sorted(examples.glob("*.fclir")) + sorted(examples.glob("*/*.fcl")):
    run = subprocess.run([fclc, "compile", str(path), "--report"], capture_output=True, text=True)
    if run.returncode != 0:
        continue
    found = re.findall(r"^\d+ accesses and sizes: (\d+) proved, (\d+) checked", run.stdout, re.M)
    proved, checked = sum(int(p) for p, _ in found), sum(int(c) for _, c in found)
    if proved + checked:
        print(f"| `{path.relative_to(examples)}` | {proved + checked} | {proved} | {checked} |")
