"""Runs the algorithms of this folder at several lengths and block sizes on every device; see run.sh.

    run.py BUILD ROOT SCRATCH"""
import importlib
import itertools
import os
import random
import sys

import algorithms  # makes tests/programs known
import execution

FOLDERS = sorted(name for name in os.listdir(algorithms.HERE) if os.path.exists(os.path.join(algorithms.HERE, name + ".py"))
                 and os.path.isdir(os.path.join(algorithms.HERE, name)))
LENGTHS = [0, 1, 7, 257, 1000, 65537]
BLOCK_SIZES = [32, 64, 100, 256]


def unknown():
    """Programs without a case."""
    files = (os.path.join(folder, name) for folder in FOLDERS for name in os.listdir(os.path.join(algorithms.HERE, folder)))
    return [name for name in files if name.endswith(".fcl") and name[:-4] not in algorithms.ALGORITHMS]


def full(programs, seed):
    product = itertools.product(programs, LENGTHS, BLOCK_SIZES)
    return [execution.Run(p, min(n, p.most), seed, block=b) for p, n, b in product]


def sample(programs, seed):
    """Each algorithm at a length and a block size, other ones every time."""
    rng = random.Random(seed)
    return [execution.Run(p, min(rng.choice(LENGTHS), p.most), seed, block=rng.choice(BLOCK_SIZES)) for p in programs]


def small(programs, seed):
    return [execution.Run(p, min(n, p.most), seed, block=32) for p in programs for n in (7, 70)]


def main():
    for folder in FOLDERS:
        importlib.import_module(folder)
    if unknown():
        sys.exit("algorithms: without a case: " + ", ".join(unknown()))
    seed, programs = execution.chosen_seed(), list(algorithms.ALGORITHMS.values())
    if os.environ.get("SMALL"):
        runs = small(programs, seed)
    elif os.environ.get("FULL"):
        runs = full(programs, seed)
    else:
        runs = sample(programs, seed)
    return execution.run_all("algorithms", seed, list({run.describe(): run for run in runs}.values()))


sys.exit(main())
