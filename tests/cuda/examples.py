"""Every entry of the examples as CUDA C: examples.py PLUGIN EXAMPLES RUNNER FOLDER, with FCL_LIBRARY for the binding.

NVRTC must take the code of both dialects, for sm_90: half of it, others each time (SEED repeats a choice), with FULL=1 all.  Where there is a GPU, the runner (docs/examples/run_plan.c over cuda/calls.h) runs
each entry with several sizes, and must agree with the evaluator: integers bit for bit, floats nearly, and in that a check fails."""
import concurrent.futures
import ctypes
import ctypes.util
import glob
import os
import random
import re
import subprocess
import sys

import numpy as np

PLUGIN, EXAMPLES, RUNNER, FOLDER = sys.argv[1:]
sys.path.insert(0, EXAMPLES + "/python")
import fcl  # noqa: E402

SIZES = (0, 1, 7, 100, 1000)
UNORDERED = {"tickets"}  # whose results depend on which thread comes first: they are compared as sets
TYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "int": np.int32, "i64": np.int64, "u8": np.uint8,
         "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "double": np.float64}


class Options(fcl._CompileOptions):
    _fields_ = [("warp_size", ctypes.c_uint), ("local_limit", ctypes.c_size_t), ("exchange", ctypes.c_char_p)]


def library(*names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


def has_gpu():
    cuda = library("libcuda.so.1")
    return cuda is not None and cuda.cuInit(0) == 0


class Compiler:
    def __init__(self):
        self.nvrtc = library("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so")

    def refuses(self, code):
        """What NVRTC does not like about the code."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), code.encode(), b"code.cu", 0, None, None)
        options = (ctypes.c_char_p * 2)(b"--gpu-architecture=sm_90", b"--fmad=false")
        status = self.nvrtc.nvrtcCompileProgram(program, 2, options)
        self.nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value + 1)
        self.nvrtc.nvrtcGetProgramLog(program, log)
        self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        return log.value.decode() or (f"status {status}" if status else "")


def compiled(cx, module, entry, exchange):
    options = Options(size=ctypes.sizeof(Options), target=b"cuda-c", entry=entry and entry.encode(), exchange=exchange.encode())
    made = fcl._lib.fcl_compile(module.handle, ctypes.byref(options))
    cx._check(made)
    return fcl.Artifact(cx, made, module)


def argument(dtype, rank, size, seed):
    """Positions into the argument, where it is an array of integers."""
    if not rank:
        return np.dtype(dtype).type(0.5 if np.dtype(dtype).kind == "f" else 3)
    rng, shape = np.random.default_rng(seed), (min(size, 100) if rank > 1 else size,) * rank
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-2, 2, shape).astype(dtype)
    return rng.integers(0, 2 if dtype == np.bool_ else max(1, size), shape).astype(dtype)


def evaluated(program, arguments):
    try:
        made = program(*arguments)
    except fcl.Error as error:
        return f"E{error.diagnostics[0].code:04}"
    return list(made) if isinstance(made, tuple) else [made]


def ran(file, entry, arguments, stem):
    words = []
    for i, x in enumerate(arguments):
        if x.ndim:
            x.tofile(f"{stem}.in{i}")
        words.append("x".join(map(str, x.shape)) + f":{stem}.in{i}" if x.ndim else str(x.astype(int) if x.dtype == bool else x))
    done = subprocess.run([RUNNER, file, entry, stem] + words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        return (re.findall(r"error\[(E\d+)\]", done.stderr) or [f"status {done.returncode}: {done.stderr}"])[0]
    made = []
    for line in done.stdout.splitlines():
        name, dtype, *extents = line.replace(":", "").split()
        made.append(np.fromfile(name, TYPES[dtype]).reshape([int(extent) for extent in extents]))
    return made


def same(entry, left, right):
    if isinstance(left, str) or isinstance(right, str):
        return all(isinstance(x, str) and x.startswith("E07") for x in (left, right))  # which check fails first is up to the threads
    if entry in UNORDERED:
        left, right = ([np.sort(x, None) for x in side] for side in (left, right))
    return len(left) == len(right) and all(
        x.shape == y.shape and x.dtype == y.dtype and
        (np.allclose(x, y, 1e-4, 1e-5, equal_nan=True) if x.dtype.kind == "f" else np.array_equal(x, y)) for x, y in zip(left, right))


def sources():
    """Files, with the entry that FCL source makes a kernel of."""
    for source in sorted(glob.glob(EXAMPLES + "/*.fclir")):
        yield source, None
    for source in sorted(glob.glob(EXAMPLES + "/obsidian/*.fcl")):
        with open(source, encoding="utf-8") as f:
            for entry in sorted(set(re.findall(r"^-- run: .*--entry=(\S+)", f.read(), re.M))):
                yield source, entry


def cases_of(cx, interp, module, files, name):
    """What the evaluator says of each entry and size, and how to run it."""
    for kernel in module.kernels():
        inputs, _ = module.signature(kernel)
        program = module.program(interp, kernel)
        for size in SIZES:
            arguments = [argument(dtype, rank, size, 100 * size + i) for i, (_, dtype, rank) in enumerate(inputs)]
            wanted = evaluated(program, arguments)
            for file in files:
                yield file, kernel, arguments, f"{FOLDER}/{name}.{kernel}.{size}.{os.path.basename(file)}", wanted


def main():
    cx, compiler, failures, codes, cases = fcl.Context(), Compiler(), [], set(), []
    fcl._lib.fcl_plugin_load.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    cx._check(fcl._lib.fcl_plugin_load(cx.handle, PLUGIN.encode()))
    interp, gpu = cx.device("interp"), has_gpu()
    seed, taken = os.environ.get("SEED") or str(random.SystemRandom().randrange(1 << 30)), 0
    dice = random.Random(seed)
    for source, entry in sources():
        name, files = os.path.basename(source).replace(".", "_") + (f"_{entry}" if entry else ""), []
        module = cx.load(source, entry=entry)
        for exchange in ("local", "shuffles"):
            artifact = compiled(cx, module, None, exchange)
            if artifact.code in codes:
                continue
            codes.add(artifact.code)
            files.append(f"{FOLDER}/{name}.{exchange}.fcla")
            with open(files[-1], "wb") as f:
                f.write(artifact.save())
            if compiler.nvrtc and (os.environ.get("FULL") or dice.random() < 0.5):
                taken += 1
                said = compiler.refuses(artifact.code)
                if said:
                    failures.append(f"{files[-1]}: {said[:1000]}")
        if gpu:
            cases += cases_of(cx, interp, module, files, name)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, found in zip(cases, pool.map(lambda c: ran(*c[:4]), cases)):
            if not same(case[1], case[4], found):
                failures.append(f"{case[3]}: {case[4]} is not {found}"[:500])
    for failure in failures:
        print("FAILED:", failure)
    print(f"SEED={seed}, {len(codes)} codes " +
          (f"emitted, {taken} of them taken by NVRTC" if compiler.nvrtc else "emitted; skipped: there is no NVRTC to compile them") +
          (f", {len(cases)} runs compared" if gpu else "; skipped: there is no NVIDIA GPU to run them"))
    return bool(failures)


sys.exit(main())
