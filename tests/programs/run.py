"""Runs programs (programs.py) over a selection of lengths and configurations on every device; see run.sh.

    run.py BUILD ROOT SCRATCH"""
import itertools
import os
import random
import sys

import execution
import obsidian  # registers its programs
import programs

SUITE = os.environ.get("SUITE", "")  # a folder of docs/examples
FOLDER = os.path.join("docs/examples", SUITE).rstrip("/")
PROGRAMS = {name: p for name, p in programs.PROGRAMS.items() if os.path.dirname(p.file) == FOLDER}
LENGTHS = [0, 1, 255, 256, 257, 1000, 65537, 2 ** 20 + 3]
BLOCK_SIZES = [1, 32, 64, 100, 256, 1024]
GROUPS = [1, 2, 3, 7, None]

# What chains blocks: also in several launches.
CHAINED = ["onePass", "exclusive", "maxima", "maps", "matrices", "doubles_", "written", "earlier"]

# What is run over all lengths, block sizes and groups: a map, a shuffle, tiles, trees, launches in a loop, a scan, levels.
CENTRAL = ["chain", "revDistribute", "transposeTiled", "sum_", "affineBlocks", "scanThree", "matvec", "treeOfLevels",
           "onePass", "maps"]
CENTRAL = obsidian.CENTRAL if SUITE else CENTRAL


def run_of(name, n, seed, **configuration):
    return execution.Run(PROGRAMS[name], n, seed, **configuration)


# ---- selections ----

def allowed(name, n):
    return n <= PROGRAMS[name].most


def every_program(seed, sizes):
    return [run_of(name, n, seed) for name in PROGRAMS for n in sizes if allowed(name, n)]


def covering(seed, quick):
    lengths = [0, 257, 1000] if quick else LENGTHS
    rng = random.Random(seed)
    long = rng.sample(CENTRAL, 3)  # the evaluator takes seconds for a million elements
    few = 1000 if quick else 257
    runs = every_program(seed, [300] if quick else [0, 1000])
    for name in CENTRAL:
        runs += [run_of(name, n, seed) for n in lengths if allowed(name, n) and (n < 2 ** 20 or name in long)]
        runs += [run_of(name, few, seed, block=b) for b in ([32, 100] if quick else BLOCK_SIZES)]
        runs += [run_of(name, few, seed, groups=g) for g in ([2] if quick else [1, 2, 3, 7])]
        if not quick and allowed(name, 65537):
            runs += [run_of(name, 65537, seed, block=rng.choice(BLOCK_SIZES), groups=rng.choice(GROUPS)) for _ in range(2)]
    return runs


def chained(seed, quick):
    """Lengths around those of chunks, with as many groups as there are chunks, with few, and in phases."""
    names = [] if SUITE else CHAINED[::3] if quick else CHAINED + ["twoKernelsMaps", "threeKernelsMaps"]
    shapes = [(name, c, block) for name in names for c, block in [(1, 1), (15 * 64, 64), (3 * 256, 256)]]
    ways, runs = [(None, False), (2, False), (None, True), (3, True)], []
    for k, (name, c, block) in enumerate(shapes):
        groups, phases = ways[k % len(ways)]
        lengths = [n for n in [c - 1, c, c + 1, 40 * c + 7] if allowed(name, n)]
        runs += [run_of(name, n, seed, block=block, groups=groups, phases=phases) for n in lengths]
    return runs


def full(seed):
    product = itertools.product(PROGRAMS, LENGTHS, BLOCK_SIZES, GROUPS)
    return [run_of(name, n, seed, block=b, groups=g) for name, n, b, g in product if allowed(name, n)]


def small(seed, quick):
    """Every program, small enough for a simulator, in a few configurations."""
    shapes = [(70, 32, None), (300, 33, 2)] if quick else [(0, 8, None), (1, 32, None), (70, 32, 1), (300, 33, 2), (300, 64, None)]
    runs = [run_of(name, n, seed, block=b, groups=g) for name in PROGRAMS for n, b, g in shapes]
    # Several chunks; records are only touched by atomic steps, so that looking back is no data race.
    chains = [] if SUITE else CHAINED
    return runs + [run_of(name, 500, seed, block=8, phases=phases) for name in chains for phases in (False, True)]


def at_random(seed, count):
    rng = random.Random(seed)
    runs = []
    for i in range(count):
        name = rng.choice(list(PROGRAMS))
        n = min(int(2 ** rng.uniform(0, 17)), PROGRAMS[name].most)
        block, groups = rng.choice(BLOCK_SIZES + [rng.randint(1, 1024)]), rng.choice(GROUPS)
        runs.append(run_of(name, n, seed + i, block=block, groups=groups, phases=name in CHAINED and rng.random() < 0.5))
    return runs


def selection(seed):
    stored = [] if SUITE else [execution.Data(PROGRAMS["blackscholes"], programs.blackscholes_data),
                                execution.Data(PROGRAMS["sgemm"], programs.sgemm_data)]
    if os.environ.get("FULL"):
        return stored + full(seed) + at_random(seed, 200)
    quick = bool(os.environ.get("QUICK"))
    if os.environ.get("SMALL"):
        return small(seed, quick)
    runs = stored + covering(seed, quick) + chained(seed, quick) + at_random(seed, 4 if quick else 24)
    return list({run.describe() + str(run.seed): run for run in runs}.values())


def main():
    seed = execution.chosen_seed()
    return execution.run_all(SUITE or "programs", seed, selection(seed))


sys.exit(main())
