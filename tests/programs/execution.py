"""Runs of programs (programs.py) with one input in one configuration on every device, some at a time; see run.sh.  Scripts
that use this are called with BUILD ROOT SCRATCH."""
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

from arrays import Array, difference, read

BUILD, ROOT, SCRATCH = sys.argv[1:4]
sys.path.append(os.path.join(ROOT, "tests/driver"))
from driver import Driver  # noqa: E402

FCLC, DRIVER = os.path.join(BUILD, "bin/fclc"), os.path.join(BUILD, "tests/driver")
DEVICES = os.environ.get("DEVICES", "interp").split()
# Devices that take one run of so many; the first word about a device counts, as for `takes` in tests/tools/lib.sh.
SAMPLED = {d: int(n) for d, n in (s.rsplit(":", 1) for s in reversed(os.environ.get("SAMPLED", "").split()))}
TIMEOUT = 120
# Devices with little local memory whose loops end after so many turns of a thread, each as NAME:TURNS (docs/rooms/spirv.md).
LIMITED = {name: int(turns) for name, turns in (d.rsplit(":", 1) for d in os.environ.get("LIMITED", "").split())}

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

    def __init__(self, program, n, seed, block=None, groups=None, phases=False):
        self.program, self.n, self.seed, self.groups, self.phases = program, n, seed, groups, phases
        self.block = block and min(max(block, self.program.blocks[0]), self.program.blocks[1])
        self.entry = program.entry

    def make(self):
        rng = random.Random("%s %s %s" % (self.program.name, self.n, self.seed))
        extra = [self.block or 256] if getattr(self.program.case, "wants_block_size", False) else []
        return self.program.case(rng, self.n, *extra)

    def describe(self):
        shape = (self.program.name, self.n, self.block or "-", self.groups or "-")
        return "%s n=%d block=%s groups=%s" % shape + (" in phases" if self.phases else "")

    def most_turns(self):
        """About as many turns as the loops of one thread make together: a group goes through its part of the elements, and an
        element takes 16 at most."""
        return 16 * self.n // (self.groups or (8 if self.block == 1 else 1024))

    def options(self):
        out = ["--entry=" + self.entry]
        out += ["-D", "BlockSize=%d" % self.block] if self.block else []
        out += ["-D", "Groups=%d" % self.groups] if self.groups else []
        out += ["-D", "InPhases=1"] if self.phases else []
        return out + shlex.split(os.environ.get("OPTIONS", ""))


class Data(Run):
    """A program on stored inputs."""

    def __init__(self, program, make):
        super().__init__(program, 0, 0)
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
declined = []  # for each run that a device cannot do: what it has too little of


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
    source = os.path.join(ROOT, run.program.file)
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
    for device in run.devices:
        if run.most_turns() > LIMITED.get(device, run.most_turns()):
            declined.append("turns")
            continue
        out = os.path.join(folder, device + ".npy")
        command = command_of(device, run.source, out, run.options() + words)
        wrong = failure_of(command, out, expected)
        if wrong and device in LIMITED and wrong.startswith("status 1: ") and "error[E0615]" in wrong:
            declined.append("local memory")
        elif wrong:
            failures.append("%s on %s: %s\n  %s" % (run.describe(), device, wrong, shlex.join(command)))
    if not failures:
        shutil.rmtree(folder)
    return failures


# ---- all of them ----

def chosen_seed():
    return int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 30))


def sampled(runs, device, dice):
    """Those of the runs that a device takes: of one in so many, and as evenly over the programs as that goes, so that each has
    one before another has two; every run of a program is as likely as its others."""
    of = SAMPLED.get(device, 1)
    turns = {}
    for run in dice.sample(runs, len(runs)):
        turns.setdefault(run.program.name, []).append(run)
    rows = dice.sample(list(turns.values()), len(turns))
    in_turn = [run for turn in itertools.zip_longest(*rows) for run in turn if run]
    return set(in_turn[:-(-len(runs) // of)])


def run_all(name, seed, runs):
    """Runs what FILTER and SKIP leave, and says how it went; the exit status."""
    start = time.time()
    log("%s: SEED=%d, on %s" % (name, seed, ", ".join(DEVICES)))
    wanted = os.environ.get("FILTER", "")
    unwanted = os.environ.get("SKIP") or "\n"
    runs = [run for run in runs if wanted in run.describe() and unwanted not in run.describe()]
    dice = random.Random(seed)
    taken = {device: sampled(runs, device, dice) for device in DEVICES}
    for run in runs:
        run.source = rewritten(source_of(run))
        run.devices = [d for d in DEVICES if run in taken[d]]
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
    if len(declined) > len(runs) // 4:
        log("%s: %d of %d runs declined" % (name, len(declined), len(runs)))
        return 1
    few = ", ".join("%d without %s" % (declined.count(what), what) for what in sorted(set(declined)))
    log("%s: ok (%d runs, %.0f s)%s" % (name, len(runs), time.time() - start, "; not done: " + few if few else ""))
    return 0

