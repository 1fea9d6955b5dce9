#!/usr/bin/python3
"""measure.py FCLC DRIVER DIR: what programs of generate.py cost beside their size; prints a line for each
family, and FAILED where a part costs more than GROWTH times as much in a larger program.

Instructions are counted by valgrind, which other work on the machine does not change, at three sizes:
what is the same for all programs drops out of the differences.  One process of the driver
(tests/driver/driver.c) does all of it, as valgrind takes longer to begin than for most programs.  The largest size is run for memory
and time, which are compared with a tenth of it, the time with room for noise."""
import os
import subprocess
import sys

import generate

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../driver"))
from driver import Driver  # noqa: E402

GROWTH = 1.2
NOISE = 3  # times GROWTH, for seconds
LIMIT = 120
fclc, driver, folder = sys.argv[1:4]
counts = os.path.join(folder, "counts")
counter = Driver("valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=" + counts, "--dump-after=fclc_main", driver)
ncounted = 0
wanted = os.environ.get("CASES", "").split()
failed = 0


def fail(text):
    global failed
    failed += 1
    print("FAILED:", text)


def written(family, n):
    path = os.path.join(folder, f"{family}{n}.fcl")
    with open(path, "w") as f:
        f.write(getattr(generate, family)(n))
    return path


def command(what, path):
    """A compilation or run, without a limit that a large program of this suite should not meet."""
    if what == "compile":
        return [fclc, "compile", path, "-o", os.path.join(folder, "out.cl")]
    text = open(path).read()
    return [fclc, "run", "--all", path] + (["7"] if "main c" in text and "int ->" in text else
                                  ["[7]"] if "main c" in text else []) + ["[5]"]


def instructions(arguments):
    """Of one command: what the counter writes when it has come to its end."""
    global ncounted
    error = os.path.join(folder, "error")
    status = counter.run(["fclc"] + arguments[1:], os.devnull, error, LIMIT)
    ncounted += 1
    path = f"{counts}.{ncounted}"
    found = [l.split()[1] for l in open(path) if l.startswith("totals:")] if os.path.exists(path) else []
    if status or not found:
        fail(f"{' '.join(arguments)}: status {status}: {open(error).read()[-300:]}")
        return 1
    return int(found[0])


def code_size():
    """Bytes of emitted code without indentation, which grows with nesting."""
    path = os.path.join(folder, "out.cl")
    return sum(len(line.lstrip()) for line in open(path))


def growth(sizes, costs):
    """What a part costs between the larger sizes, beside the smaller ones."""
    early = (costs[1] - costs[0]) / (sizes[1] - sizes[0])
    late = (costs[2] - costs[1]) / (sizes[2] - sizes[1])
    return late / early if early > 0 else float("inf")


def held(family, what, value, most):
    if value > most:
        fail(f"{family}: {what} grows by {value:.2f} beside the program, not {most}")
    return f"{what} {value:.2f}"


def counted(family, what, sizes):
    costs, code = [], []
    for n in sizes:
        costs.append(instructions(command(what, written(family, n))))
        if what == "compile":
            code.append(code_size())
    line = held(family, f"{what} instructions", growth(sizes, costs), GROWTH)
    return line + (", " + held(family, "code", growth(sizes, code), GROWTH) if code else "")


def spent(arguments):
    """Seconds of the processor, kilobytes, status and what was said of one process."""
    with open(os.path.join(folder, "said"), "w+") as said:
        pid = os.posix_spawn(arguments[0], arguments, os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 2),
                                           (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        said.seek(0)
        return usage.ru_utime, usage.ru_maxrss, os.waitstatus_to_exitcode(status), said.read()


def largest(family, n):
    least = max(n // 10, 1)
    small = min(spent(command("compile", written(family, least)))[:2] for _ in range(3))
    seconds, kilobytes, status, said = min(spent(command("compile", written(family, n)))
                                           for _ in range(2))
    if status:
        fail(f"{family} {n}: {said[:300]}")
        return ""
    line = held(family, "memory", kilobytes / small[1] / (n / least), GROWTH)
    return line + f", {n} parts in {seconds:.2f} s and {kilobytes // 1024} MB, " + held(
        family, "time", seconds / max(small[0], 0.02) / (n / least), NOISE * GROWTH)


def right(family, n):
    path = written(family, n)
    r = subprocess.run(command("run", path), stdout=subprocess.PIPE, text=True, check=False)
    if r.stdout.strip() != f"[{generate.expected(family, n, 5)}]":
        fail(f"{family} {n}: {r.stdout.strip()}")


def refused(family, n):
    """Within a second, a few hundred megabytes, and saying what to do."""
    seconds, kilobytes, status, said = spent(command("compile", written(family, n)))
    if status != 1 or "error[E0904]" not in said or "help: " not in said:
        fail(f"{family} {n}: status {status}: {said[:300]}")
    if seconds > 8 or kilobytes > 700 << 10:
        fail(f"{family} {n} is refused after {seconds:.1f} s and {kilobytes >> 10} MB")
    print(f"{family} {n}: refused after {seconds:.2f} s and {kilobytes >> 10} MB")


instructions(command("compile", written("chains", 1)))  # what a process does once is not counted
for function, sizes in generate.FAMILIES.items():
    name = function.__name__
    if not wanted or name in wanted:
        print(f"{name}: {counted(name, 'compile', sizes[:3])}, {largest(name, sizes[3])}", flush=True)
for name in "chains", "diamonds", "ifs", "choices":
    if not wanted or name in wanted:
        print(f"{name}: {counted(name, 'run', (100, 200, 400))}", flush=True)
for name in "chains", "diamonds", "ifs", "doubling", "branches":
    right(name, 12 if name == "doubling" else 60)
right("chains", 3000)
refused("stencils", 20)
refused("powers", 30)
if counter.stop():
    fail("the process that ran the commands does not end well")
sys.exit(failed != 0)
