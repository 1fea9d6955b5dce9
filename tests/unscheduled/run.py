"""Runs the programs without levels at several lengths; see run.sh.

    run.py BUILD ROOT SCRATCH"""
import os
import random
import sys

import unscheduled  # makes tests/programs known
import execution

import clusters  # these register programs
import fields
import matrices
import sorting
import stored
import vectors

LENGTHS = [0, 1, 2, 3, 7, 64, 257, 1000, 1023, 65536, 65537, 70001]
MODULES = [clusters, fields, matrices, sorting, vectors]


def kernels():
    """The names of all kernels of the examples, as FILE/KERNEL."""
    folder, found = os.path.join(execution.ROOT, "docs/examples/arrays"), set()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".fclir"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                found |= {name[:-6] + "/" + line.split("@")[1].split("(")[0] for line in f if line.startswith("kernel @")}
    return found


def lengths(rng, program):
    all_of = [n for n in LENGTHS if n <= program.most]
    if os.environ.get("FULL"):
        return all_of
    some = rng.sample(all_of, 1 if os.environ.get("QUICK") else 3)
    return sorted(set(some) if os.environ.get("QUICK") else {0, 1, all_of[-1], *some})


def main():
    seed, programs = execution.chosen_seed(), unscheduled.PROGRAMS
    unknown = kernels() - set(programs)
    if unknown:
        sys.exit("unscheduled: without a case: " + ", ".join(sorted(unknown)))
    rng = random.Random(seed)
    runs = [execution.Run(p, n, seed) for p in programs.values() for n in lengths(rng, p)]
    return execution.run_all("unscheduled", seed, stored.runs(programs) + runs)


sys.exit(main())
