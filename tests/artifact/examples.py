"""Runs every entry of the examples' artifacts with several sizes: examples.py BUILD FOLDER < LIST; see run.sh.

`fclc run` of the source on the evaluator and on OpenCL, `fclc run` of the artifact, run_fcla.py and run_plan must agree: integers bit for
bit, floats nearly, and failed checks by their code.  So must run_plan.c, which reads the plan through fcl.h, and the host programs of --driver=c."""
import os
import re
import subprocess
import sys

import numpy as np
import pyopencl as cl
import run_fcla
from driver import Driver

BUILD, FOLDER = sys.argv[1:]
SIZES = (0, 1, 7, 100)
SCALARS = {"bool": "true", "f16": "0.5", "f32": "0.5", "double": "0.5"}
UNORDERED = {"tickets"}  # whose results depend on which thread comes first: they are compared as sets


def elements(dtype, shape, seed):
    """Positions into the argument, where they are integers."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-2, 2, shape).astype(dtype)
    return rng.integers(0, 2 if dtype == np.bool_ else max(1, max(shape)), shape).astype(dtype)


def arguments_of(plan, size):
    """One for each leaf; those of an array of tuples have the same extents."""
    made = []
    for i, leaf in enumerate(plan["inputs"]):
        dtype = run_fcla.TYPES[leaf["type"]]
        made.append(elements(dtype, (size,) * leaf["rank"], 100 * size + i) if leaf["rank"] else
                    dtype(0.5) if np.dtype(dtype).kind == "f" else dtype(3))
    return made


def words_of(plan, arguments, stem):
    """The arguments on the command line, a word for each parameter: a tuple of files for an array of tuples."""
    texts = []
    for i, (leaf, x) in enumerate(zip(plan["inputs"], arguments)):
        if leaf["rank"]:
            np.save(f"{stem}.in{i}.npy", x)
        texts.append(f"@{stem}.in{i}.npy" if leaf["rank"] else SCALARS.get(leaf["type"], "3"))
    leaves = iter(texts)
    return [re.sub(r"[a-z][a-z0-9]*", lambda _: next(leaves), re.sub(r"[\[\] ]|;\d|<.*?>", "", p["type"])) for p in plan["params"]]


def results_of(stem, n):
    return [np.load(stem + (".npy" if n == 1 else f".{i}.npy")) for i in range(n)]


class Comparison:
    def __init__(self):
        self.driver, self.count, self.failed = Driver(os.path.join(BUILD, "tests/driver")), 0, 0
        self.queue = cl.CommandQueue(cl.create_some_context(interactive=False))

    def library(self, source, plan, device, words, stem):
        """The results, or the code of the error."""
        options = [f"--entry={plan['entry']}", f"--device={device}", "-o", stem + ".npy"]
        status = self.driver.run(["fclc", "run", source] + options + words, os.devnull, stem + ".err", 120)
        if status == 0:
            return results_of(stem, len(plan["outputs"]))
        with open(stem + ".err", encoding="utf-8") as f:
            return (re.findall(r"error\[(E\d+)\]", f.read()) or [f"status {status}"])[0]

    def example(self, plan, program, arguments):
        """What it hands out, and its results."""
        made = []
        try:
            run = run_fcla.Run(plan, program, self.queue, arguments, lambda *leaves: made.extend(leaves))
            return made + run.results
        except SystemExit as why:
            return re.findall(r"error\[(E\d+)\]", str(why))[0]

    def program(self, command, plan, arguments, stem):
        """What run_plan, or a host program, makes of arrays in plain files: what it hands out, and its results."""
        words = []
        for i, x in enumerate(arguments):
            if x.ndim:
                x.tofile(f"{stem}.in{i}")
            words.append("x".join(map(str, x.shape)) + f":{stem}.in{i}" if x.ndim else str(x.astype(int) if x.dtype == bool else x))
        done = subprocess.run(command + [plan["entry"], stem] + words, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            return (re.findall(r"error\[(E\d+)\]", done.stderr) or [f"status {done.returncode}: {done.stderr}"])[0]
        made = []
        for line in done.stdout.splitlines():
            said, given, elements = line.partition(" =")
            name, dtype, *extents = said.replace(":", "").split()
            stored = np.uint8 if dtype == "bool" else run_fcla.TYPES[dtype]
            flat = np.array(elements.split(), stored) if given else np.fromfile(name, stored)
            made.append(flat.astype(run_fcla.TYPES[dtype]).reshape([int(extent) for extent in extents]))
        return made

    def agree(self, what, entry, left, right):
        self.count += 1
        if isinstance(left, str) or isinstance(right, str):
            same = isinstance(left, str) and isinstance(right, str) and left == right
        else:
            if entry in UNORDERED:
                left, right = ([np.sort(x, None) for x in side] for side in (left, right))
            same = len(left) == len(right) and all(x.shape == y.shape and x.dtype == y.dtype and
                       (np.allclose(x, y, 1e-4, 1e-5, equal_nan=True) if x.dtype.kind == "f" else np.array_equal(x, y))
                       for x, y in zip(left, right))
        if not same:
            self.failed += 1
            print(f"FAILED: {what}: {left} is not {right}"[:600])

    def host(self, name):
        """The host program of an artifact, compiled; no compiler has anything to say about it."""
        folder = f"{FOLDER}/host/{name}"
        status = self.driver.run(["fclc", "compile", f"{FOLDER}/files/{name}.fcla", "--driver=c", "-o", folder], os.devnull,
                                 FOLDER + "/host.err", 120)
        assert status == 0, f"{name}: no host program"
        sources = [f"{folder}/{file}" for file in os.listdir(folder) if file.endswith(".c")]
        for compiler in ("clang", "cc"):
            said = subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
                                   "-ffp-contract=off", "-o", folder + "/program"] + sources + ["-lOpenCL", "-lm"],
                                  capture_output=True, text=True, check=False)
            if said.returncode:
                self.failed += 1
                print(f"FAILED: {compiler} on the host program of {name}: {said.stderr[:600]}")
        return folder + "/program"

    def entry(self, name, source, plan, program, host):
        path = f"{FOLDER}/files/{name}.fcla"
        for size in SIZES:
            stem = f"{FOLDER}/{name}.{plan['entry']}.{size}"
            arguments = arguments_of(plan, size)
            words = words_of(plan, arguments, stem)
            wanted = self.library(path, plan, "opencl", words, stem + ".artifact")
            what = f"{source} {plan['entry']} with {size} elements:"
            made = self.example(plan, program, arguments)
            self.agree(what + " run_fcla.py", plan["entry"], made if isinstance(made, str) else made[-len(plan["outputs"]):], wanted)
            for command in [BUILD + "/bin/run_plan", path], [host]:
                self.agree(f"{what} {command[0]}", plan["entry"], self.program(command, plan, arguments, stem + ".plain"), made)
            if size == 7 or os.environ.get("FULL"):
                self.agree(what + " the source", plan["entry"], self.library(source, plan, "opencl", words, stem + ".source"), wanted)
            if not isinstance(wanted, str):  # the evaluator finds what devices do not check
                self.agree(what + " the evaluator", plan["entry"], self.library(source, plan, "interp", words, stem + ".interp"), wanted)

    def all(self):
        for line in sys.stdin:
            name, source, _ = line.rstrip("\n").split("\t")
            target = run_fcla.load(f"{FOLDER}/files/{name}.fcla")
            host = self.host(name)
            program = cl.Program(self.queue.context, target["code"]).build(target["options"])
            for plan in target["entries"]:
                self.entry(name, source, plan, program, host)
        with open(f"{FOLDER}/count", "w", encoding="utf-8") as f:
            print(self.count, file=f)
        return self.driver.stop() != 0 or self.failed != 0


sys.exit(Comparison().all())
