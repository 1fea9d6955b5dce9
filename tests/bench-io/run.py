#!/usr/bin/env python3
"""make bench-io: how fast modules are read, checked and written, beside SPIRV-Tools and LLVM in the same run.

For each shape and size of generate.py: measure (the library in one process, phase by phase), then spirv-as, spirv-dis,
spirv-val, llvm-as, llvm-dis and opt -passes=verify on modules with as many operators.  A tool's time is that of its
process less that of the same on an empty module; assemblers also write, disassemblers and validators also read the
binary form: there is no other way to run them.  All times are processor time, medians of the runs.

  --runs=N        of each phase and tool (5)
  --sizes=A,B     numbers of operators (10000,100000,1000000)
  --shapes=A,B    many,huge,deep,wide
  --no-peers      the library only
  --out=FILE      the figures as JSON (bench-io.json in the folder of the work)
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
LOWER_MOST = 100000  # operators: lowering larger modules says nothing new

# tool: (language of the module, what it is made into first, command).  {in}, {binary}, {out} are files.
TOOLS = {
    "spirv-as": ("spvasm", None, ["spirv-as", "{in}", "-o", "{out}"]),
    "spirv-dis": ("spvasm", "spirv-as", ["spirv-dis", "{binary}", "-o", "{out}"]),
    "spirv-val": ("spvasm", "spirv-as", ["spirv-val", "{binary}"]),
    "llvm-as": ("ll", None, ["llvm-as", "-disable-verify", "{in}", "-o", "{out}"]),
    "llvm-dis": ("ll", "llvm-as", ["llvm-dis", "{binary}", "-o", "{out}"]),
    "opt-verify": ("ll", "llvm-as", ["opt", "-passes=verify", "-disable-output", "{binary}"]),
}
# phase of the library: the tools beside it, and the target in millions of operators or megabytes per second
PHASES = {
    "parse": (["spirv-as", "llvm-as"], "8 Mop/s, 200 MB/s"),
    "print": (["spirv-dis", "llvm-dis"], "500 MB/s"),
    "write": ([], "40 Mop/s"),
    "read": ([], "40 Mop/s"),
    "structure": ([], ""),
    "check": (["spirv-val", "opt-verify"], "30 Mop/s"),
    "lower": ([], ""),
}
MB_PHASES = ("parse", "print")
MEMORY_TARGET, GROWTH_TARGET = 64, 1.2


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()[:300]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Bench:
    def __init__(self, options):
        self.options = options
        self.empty = {}

    def path(self, name):
        return os.path.join(self.options.work, name)

    def module(self, shape, size, language):
        name = self.path(f"{shape}-{size}.{language}")
        if not os.path.exists(name):
            with open(name + ".new", "w") as out:
                generate.generate(out, shape, size, language)
            os.rename(name + ".new", name)
        return name

    def library(self, shape, size):
        command = [self.options.measure, self.module(shape, size, "fclir"), str(self.options.runs)]
        command += ["lower"] if size <= LOWER_MOST else []
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        figures = json.loads(done.stdout)
        figures["seconds"] = {k: statistics.median(v) for k, v in figures["seconds"].items()}
        return figures

    def tool_times(self, tool, text):
        """Of the runs of a tool over the module in a text."""
        language, first, command = TOOLS[tool]
        files = {"in": text, "binary": text + ".binary", "out": text + ".out"}
        if first:
            subprocess.run([w.format(**{**files, "out": files["binary"]}) for w in TOOLS[first][2]], check=True)
        return [cpu_seconds([w.format(**files) for w in command]) for _ in range(self.options.runs)]

    def tool(self, tool, shape, size):
        if tool not in self.empty:
            self.empty[tool] = min(self.tool_times(tool, self.module("many", 0, TOOLS[tool][0])))
        times = self.tool_times(tool, self.module(shape, size, TOOLS[tool][0]))
        return max(statistics.median(times) - self.empty[tool], 1e-6)

    def case(self, shape, size):
        result = {"shape": shape, "size": size, **self.library(shape, size), "tools": {}}
        for tools, _ in PHASES.values():
            for tool in tools if self.options.peers else []:
                if shutil.which(TOOLS[tool][2][0]):
                    result["tools"][tool] = self.tool(tool, shape, size)
        return result


def print_figures(cases):
    phases = list(PHASES)
    print("\nThe library: millions of operators per second; megabytes of text per second; bytes of memory per operator")
    print(f"{'':14}" + "".join(f"{p:>16}" for p in phases) + f"{'bytes/op':>12}")
    for c in cases:
        cells = []
        for p in phases:
            t = c["seconds"].get(p)
            cell = "" if t is None else f"{c['ops'] / t / 1e6:.1f}"
            cells.append(cell + (f" / {c['bytes'] / t / 1e6:.0f}" if t and p in MB_PHASES else ""))
        print(f"{c['shape']:6}{c['size']:>8}" + "".join(f"{x:>16}" for x in cells) +
              f"{c['module_bytes'] / c['ops']:>12.1f}")
    print(f"{'target':14}" + "".join(f"{PHASES[p][1].replace(' Mop/s, ', ' / ').replace(' MB/s', ''):>16}"
                                     for p in phases) + f"{MEMORY_TARGET:>12}")


def print_growth(cases):
    print(f"\nGrowth: time per operator of the largest module over that of the smallest (target {GROWTH_TARGET})")
    for shape in dict.fromkeys(c["shape"] for c in cases):
        own = sorted((c for c in cases if c["shape"] == shape), key=lambda c: c["size"])
        small, large = own[0], own[-1]
        ratios = [(p, large["seconds"][p] / large["ops"] / (small["seconds"][p] / small["ops"]))
                  for p in PHASES if p in large["seconds"]]
        print(f"{shape:6}" + "".join(f"{p:>12} {r:.2f}" for p, r in ratios))


def print_ratios(cases):
    columns = [(p, t) for p, (tools, _) in PHASES.items() for t in tools if any(t in c["tools"] for c in cases)]
    if not columns:
        return
    print("\nTime per operator of a tool over that of the library's phase: above 1 the library is faster")
    print(f"{'':14}" + "".join(f"{p + ':' + t:>20}" for p, t in columns))
    for c in cases:
        ratios = [c["tools"][t] / c["seconds"][p] if t in c["tools"] else None for p, t in columns]
        print(f"{c['shape']:6}{c['size']:>8}" + "".join(f"{'' if r is None else f'{r:.1f}':>20}" for r in ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--shapes", default=",".join(generate.SHAPES))
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--out")
    options = parser.parse_args()
    bench = Bench(options)
    cases = []
    for shape in options.shapes.split(","):
        for size in map(int, options.sizes.split(",")):
            cases.append(bench.case(shape, size))
            print(f"{shape} {size}", flush=True)
    with open(options.out or bench.path("bench-io.json"), "w") as out:
        json.dump(cases, out, indent=1)
    print_figures(cases)
    print_growth(cases)
    print_ratios(cases)


if __name__ == "__main__":
    main()
