"""Runs programs (programs.py) over a selection of lengths and configurations on every device; see run.sh.

    run.py BUILD ROOT SCRATCH"""
import concurrent.futures
import itertools
import os
import random
import shlex
import shutil
import subprocess
import sys
import threading
import time

import obsidian  # registers its programs
import programs
from arrays import Array, difference, read

BUILD, ROOT, SCRATCH = sys.argv[1:4]
sys.path.append(os.path.join(ROOT, "tests/driver"))
from driver import Driver  # noqa: E402

FCLC, DRIVER = os.path.join(BUILD, "bin/fclc"), os.path.join(BUILD, "tests/driver")
SUITE = os.environ.get("SUITE", "")  # a folder of docs/examples
PROGRAMS = {name: p for name, p in programs.PROGRAMS.items() if os.path.dirname(p.file) == SUITE}
DEVICES = os.environ.get("DEVICES", "interp").split()
LENGTHS = [0, 1, 255, 256, 257, 1000, 65537, 2 ** 20 + 3]
BLOCK_SIZES = [1, 32, 64, 100, 256, 1024]
GROUPS = [1, 2, 3, 7, None]
TIMEOUT = 120

# What chains blocks: also in several launches.
CHAINED = ["onePass", "exclusive", "maxima", "maps", "matrices", "doubles_", "written"]

# What is run over all lengths, block sizes and groups: a map, a shuffle, tiles, trees, launches in a loop, a scan, levels.
CENTRAL = ["chain", "revDistribute", "transposeTiled", "sum_", "affineBlocks", "scanThree", "matvec", "treeOfLevels",
           "onePass", "maps"]
CENTRAL = obsidian.CENTRAL if SUITE else CENTRAL


PASSES = os.environ.get("PASSES")  # of fcl-opt, that each program goes through first
REWRITTEN = {}  # by source


def rewritten(source):
    """The program as it is after PASSES."""
    if not PASSES or source.endswith(".fcl"):
        return source
    if source not in REWRITTEN:
        REWRITTEN[source] = os.path.join(SCRATCH, "rewritten%d.fclir" % len(REWRITTEN))
        fcl_opt = os.path.join(os.path.dirname(FCLC), "fcl-opt")
        subprocess.run([fcl_opt, "--passes=" + PASSES, source, "-o", REWRITTEN[source]], check=True)
    return REWRITTEN[source]


def log(text):
    print(text, flush=True)


class Run:
    """One program with one input in one configuration, on every device."""

    def __init__(self, name, n, seed, block=None, groups=None, phases=False):
        self.program, self.n, self.seed, self.groups, self.phases = PROGRAMS[name], n, seed, groups, phases
        self.block = block and min(block, self.program.block)
        self.entry = name.rstrip("_")

    def make(self):
        rng = random.Random("%s %s %s" % (self.program.name, self.n, self.seed))
        extra = [self.block or 256] if getattr(self.program.case, "wants_block_size", False) else []
        return self.program.case(rng, self.n, *extra)

    def describe(self):
        shape = (self.program.name, self.n, self.block or "-", self.groups or "-")
        return "%s n=%d block=%s groups=%s" % shape + (" in phases" if self.phases else "")

    def options(self):
        out = ["--entry=" + self.entry]
        out += ["-D", "BlockSize=%d" % self.block] if self.block else []
        out += ["-D", "Groups=%d" % self.groups] if self.groups else []
        out += ["-D", "InPhases=1"] if self.phases else []
        return out + shlex.split(os.environ.get("OPTIONS", ""))


class Data(Run):
    """A program on stored inputs."""

    def __init__(self, name, make):
        super().__init__(name, 0, 0)
        self.stored = make

    def make(self):
        return self.stored(ROOT)

    def describe(self):
        return self.program.name + " on stored data"


numbers = itertools.count()


def argument(arg, folder):
    """The text of an argument on the command line; arrays go to files."""
    if isinstance(arg, Array):
        path = os.path.join(folder, "in%d.npy" % next(numbers))
        arg.write(path)
        return "@" + path
    if isinstance(arg, tuple):
        return "(%s)" % ", ".join(argument(a, folder) for a in arg)
    return arg


def outputs(path, n):
    return [path] if n == 1 else ["%s.%d.npy" % (path[:-4], i) for i in range(n)]


# ---- processes: one for each thread, that runs many commands; one for each run of the simulator ----

SIMULATOR = ["oclgrind", "--local-mem-size", "131072", "--data-races", "--uninitialized", "--build-options", "-cl-opt-disable", "--log"]
mine = threading.local()
started = []  # the processes of all threads, to be ended


def command_of(device, source, out, options):
    """The command of a run on a device; oclgrind is the simulator, which writes what it finds to a log."""
    if device == "oclgrind":
        return SIMULATOR + [out + ".log"] + command_of("opencl", source, out, options)
    return [FCLC, "run", source, "--device=" + device, "-o", out] + options


def simulate(command, error):
    """The exit status; None without an end."""
    try:
        with open(error, "wb") as f:
            null = subprocess.DEVNULL
            return subprocess.run(command, stdin=null, stdout=null, stderr=f, timeout=TIMEOUT).returncode
    except subprocess.TimeoutExpired:
        return None


def drive(command, error):
    """The same in the process of this thread."""
    if not hasattr(mine, "process"):
        mine.process = Driver(DRIVER)
        started.append(mine.process)
    return mine.process.run(["fclc"] + command[1:], os.devnull, error, TIMEOUT)


def simulator_log(out):
    """The beginning of what the simulator found, or None."""
    log_file = out + ".log"
    if not os.path.exists(log_file):
        return None
    with open(log_file, errors="replace") as f:
        return f.read(1500).strip() or None


def failure_of(command, out, expected):
    """What is wrong with a command and its results, or None."""
    error = out + ".err"
    status = (drive if command[0] == FCLC else simulate)(command, error)
    if status is None:
        return "no end after %d s" % TIMEOUT
    if status != 0:
        with open(error, errors="replace") as f:
            return "status %d: %s" % (status, f.read(500).strip())
    found = (difference(read(path), want) for path, want in zip(outputs(out, len(expected)), expected))
    return simulator_log(out) or next((d for d in found if d), None)


def source_of(run):
    source = os.path.join(ROOT, "docs/examples", run.program.file)
    return source if source.endswith(".fcl") else source + ".fclir"


def end_processes():
    """How many did not end well, so that sanitizers are heard."""
    return sum(process.stop() != 0 for process in started)


# ---- runs ----

def execute(run):
    """The failures of a run as texts."""
    folder = os.path.join(SCRATCH, "run%d" % next(numbers))
    os.mkdir(folder)
    args, expected = run.make()
    words = [argument(a, folder) for a in args]
    failures = []
    for device in DEVICES:
        out = os.path.join(folder, device + ".npy")
        command = command_of(device, run.source, out, run.options() + words)
        wrong = failure_of(command, out, expected)
        if wrong:
            failures.append("%s on %s: %s\n  %s" % (run.describe(), device, wrong, shlex.join(command)))
    if not failures:
        shutil.rmtree(folder)
    return failures


# ---- selections ----

def allowed(name, n):
    return n <= PROGRAMS[name].most


def every_program(seed, sizes):
    return [Run(name, n, seed) for name in PROGRAMS for n in sizes if allowed(name, n)]


def covering(seed, quick):
    lengths = [0, 257, 1000] if quick else LENGTHS
    two = [1000] if quick else [257, 65537]
    runs = every_program(seed, [300] if quick else [0, 1000])
    for name in CENTRAL:
        some = [n for n in two if allowed(name, n)]
        runs += [Run(name, n, seed) for n in lengths if allowed(name, n)]
        runs += [Run(name, n, seed, block=b) for b in ([32, 100] if quick else BLOCK_SIZES) for n in some]
        runs += [Run(name, n, seed, groups=g) for g in ([2] if quick else [1, 2, 3, 7]) for n in some]
    return runs


def chained(seed, quick):
    """Lengths around those of chunks, with as many groups as there are chunks, with few, and in phases."""
    names = [] if SUITE else CHAINED[::3] if quick else CHAINED + ["twoKernelsMaps", "threeKernelsMaps"]
    shapes = [(name, c, block) for name in names for c, block in [(1, 1), (15 * 64, 64), (3 * 256, 256)]]
    ways, runs = [(None, False), (2, False), (None, True), (3, True)], []
    for k, (name, c, block) in enumerate(shapes):
        groups, phases = ways[k % len(ways)]
        lengths = [n for n in [c - 1, c, c + 1, 40 * c + 7] if allowed(name, n)]
        runs += [Run(name, n, seed, block=block, groups=groups, phases=phases) for n in lengths]
    return runs


def full(seed):
    product = itertools.product(PROGRAMS, LENGTHS, BLOCK_SIZES, GROUPS)
    return [Run(name, n, seed, block=b, groups=g) for name, n, b, g in product if allowed(name, n)]


def small(seed, quick):
    """Every program, small enough for a simulator, in a few configurations."""
    shapes = [(70, 32, None), (300, 33, 2)] if quick else [(0, 8, None), (1, 32, None), (70, 32, 1), (300, 33, 2), (300, 64, None)]
    runs = [Run(name, n, seed, block=b, groups=g) for name in PROGRAMS for n, b, g in shapes]
    # Several chunks; records are only touched by atomic steps, so that looking back is no data race.
    chains = [] if SUITE else CHAINED
    return runs + [Run(name, 500, seed, block=8, phases=phases) for name in chains for phases in (False, True)]


def at_random(seed, count):
    rng = random.Random(seed)
    runs = []
    for i in range(count):
        name = rng.choice(list(PROGRAMS))
        n = min(int(2 ** rng.uniform(0, 17)), PROGRAMS[name].most)
        block, groups = rng.choice(BLOCK_SIZES + [rng.randint(1, 1024)]), rng.choice(GROUPS)
        runs.append(Run(name, n, seed + i, block=block, groups=groups, phases=name in CHAINED and rng.random() < 0.5))
    return runs


def selection(seed):
    stored = [] if SUITE else [Data("blackscholes", programs.blackscholes_data), Data("sgemm", programs.sgemm_data)]
    if os.environ.get("FULL"):
        return stored + full(seed) + at_random(seed, 200)
    quick = bool(os.environ.get("QUICK"))
    if os.environ.get("SMALL"):
        return small(seed, quick)
    runs = stored + covering(seed, quick) + chained(seed, quick) + at_random(seed, 4 if quick else 24)
    return list({run.describe() + str(run.seed): run for run in runs}.values())


def main():
    start = time.time()
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 30))
    name = SUITE or "programs"
    log("%s: SEED=%d, on %s" % (name, seed, ", ".join(DEVICES)))
    wanted = os.environ.get("FILTER", "")
    unwanted = os.environ.get("SKIP") or "\n"
    runs = [run for run in selection(seed) if wanted in run.describe() and unwanted not in run.describe()]
    for run in runs:
        run.source = rewritten(source_of(run))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2)) as pool:
        for failures in pool.map(execute, runs):
            for text in failures:
                failed += 1
                log("FAILED: " + text)
    badly = end_processes()
    if badly:
        failed += badly
        log("FAILED: %d of the processes do not end well" % badly)
    if not runs or failed:
        log("%s: %d of %d runs failed" % (name, failed, len(runs)) if runs else "%s: no run is selected" % name)
        return 1
    log("%s: ok (%d runs, %.0f s)" % (name, len(runs), time.time() - start))
    return 0


sys.exit(main())
