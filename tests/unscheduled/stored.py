"""Stored inputs and what they give: those of tests/data, and those of the folder DATA, where it is there."""
import os

import execution
from arrays import Array, read
from unscheduled import scalar

HERE = execution.ROOT
DATA = os.environ.get("DATA") or os.path.join(HERE, "../shared/data")


class Stored(execution.Data):
    def __init__(self, program, name, make):
        super().__init__(program, make)
        self.name = name

    def describe(self):
        return "%s on %s" % (self.program.name, self.name)


def within(a, absolute, relative=0.0):
    a.tolerance = (absolute, relative)
    return a


def number(a):
    """A scalar argument."""
    return repr(a.data[0])


def rounds(a):
    """A number of rounds, which the program counts in an int."""
    return scalar("i", a.data[0])


def pairs(a):
    """An n x 2 array as one of pairs."""
    return tuple(Array(a.code, a.data[j::2], tolerance=a.tolerance) for j in (0, 1))


def blackscholes(at):
    return [at("in_s"), at("in_k"), at("in_t")], [within(at("expected_" + x), 1e-4) for x in ("call", "put")]


def sgemm(at):
    return [number(at("in_alpha")), number(at("in_beta")), at("in_a"), at("in_b"), at("in_c")], [within(at("expected_c"), 1e-6, 1e-5)]


def kmeans(at):
    numbers = [number(at("in_" + x)) for x in ("k", "threshold", "max_iter")]
    return numbers + [at("in_points")], [within(at("expected_centres"), 3e-5), rounds(at("expected_iterations"))]


def kmeans2d(at):
    centres = within(at("expected_centres"), 8e-6)
    return [number(at("in_k")), pairs(at("in_points"))], [*pairs(centres), rounds(at("expected_iterations"))]


def hotspot(at):
    return [number(at("in_iterations")), at("in_temperature"), at("in_power")], [within(at("expected_temperature"), 0, 3e-5)]


def alignment(at):
    return [number(at("in_penalty")), at("in_a"), at("in_ref")], [at("expected_a")]


def radix(at):
    return [at("in_keys")], [at("expected_sorted")]


def spmv(at):
    return [at("in_offsets"), at("in_columns"), at("in_values"), at("in_x")], [within(at("expected_y"), 1e-6, 1e-5)]


STORED = [("options/blackscholes", "blackscholes-4096", blackscholes), ("rows/sgemm", "sgemm-tiny", sgemm),
          ("kmeans/kmeans", "kmeans-trivial", kmeans), ("kmeans/kmeans", "kmeans-100", kmeans),
          ("kmeans/kmeans2d", "kmeans2d-50", kmeans2d), ("fields/hotspot", "hotspot-64", hotspot),
          ("alignment/diagonals", "nw-17", alignment), ("alignment/rows", "nw-17", alignment),
          ("sorting/radixSort", "radix-100", radix), ("sparse/product", "spmv-512", spmv), ("sparse/productScan", "spmv-512", spmv)]


def folder_of(name):
    return next((f for f in (os.path.join(HERE, "tests/data", name), os.path.join(DATA, name)) if os.path.isdir(f)), None)


def runs(programs):
    found, missing = [], []
    for kernel, name, make in STORED:
        folder = folder_of(name)
        if folder:
            at = lambda file, folder=folder: read(os.path.join(folder, file + ".npy"))
            found.append(Stored(programs[kernel], name, lambda root, at=at, make=make: make(at)))
        else:
            missing.append(name)
    if missing:
        print("unscheduled: not run, as their inputs are not there: " + ", ".join(sorted(set(missing))))
    return found
