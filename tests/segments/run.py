"""Segments of drawn lengths, by lanes and blocks as a GPU has them: what the evaluator says is what the device gives, or refuses.

What stands in front of the first segment and behind the last one must not matter: columns there are none of the vector's.  Some offsets
fall, or lie outside, and some columns do."""
import os
import random
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
fclc, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SMALL = ["-D", "segments.longest=64", "-D", "segments.numbers=64"]
WAYS = [[],
        ["-D", "BlockSize=32", "-D", "segments.each=1", "-D", "segments.ahead=1", "-D", "segments.long=64", *SMALL],
        ["-D", "BlockSize=64", "-D", "segments.each=2", "-D", "segments.ahead=4", *SMALL],
        ["-D", "segments.each=64", "-D", "segments.ahead=2", *SMALL]]
LENGTHS = {
    "short": lambda: random.randint(0, 9),
    "mixed": lambda: random.choice([0, 0, 1, 3, 4, 5, 8, 16, 33, 70]),
    "ones": lambda: 1,
    "long": lambda: random.choice([0, 1, 2, 129, 300]),
    "huge": lambda: random.randint(0, 3),
}


def drawn():
    """(entry, arguments)"""
    n, kind = random.choice([0, 1, 3, 17, 64, 100, 301]), random.choice(list(LENGTHS))
    lengths = [LENGTHS[kind]() for _ in range(n)]
    if kind == "huge" and n:
        lengths[random.randrange(n)] = random.choice([2047, 2049, 5000])
    offsets = [random.choice([0, 1, 2, 3, 4, 7])]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    first, last = offsets[0], offsets[-1]
    size, rows = last + random.choice([0, 1, 2, 3, 5, 9]), random.choice([1, 3, 10])
    columns = [random.randrange(rows) if first <= i < last else random.choice([-7, 99999]) for i in range(size)]
    wrong = random.random()
    if wrong < 0.1 and n > 1:
        offsets[random.randrange(1, n)] += random.choice([-40, 40, 100000, -100000])
    elif wrong < 0.15 and first < last:
        columns[random.randrange(first, last)] = random.choice([-1, rows, 2**31 - 1])
    elif wrong < 0.2:
        offsets[-1] = size + random.choice([1, 5, 1000000])
    xs = [random.randint(-50, 50) for _ in range(size)]
    entry = random.choice(["sums", "sparse", "sparse", "most"])
    return entry, [offsets, columns, xs, [random.randint(-5, 5) for _ in range(rows)]] if entry == "sparse" else [offsets, xs]


def ran(device, entry, arguments, options):
    """(what it gives, the number of what refuses it, of which a device may find another one first, what it says)"""
    words = [fclc, "run", "--all", f"--device={device}", f"--entry={entry}", *options, f"{here}/segments.fcl", "--"]
    done = subprocess.run(words + [str(a).replace(" ", "") for a in arguments], capture_output=True, text=True, check=False)
    code = done.stderr.partition("error[")[2][:5] if done.returncode else ""
    return done.stdout, code, done.stderr


random.seed(seed)
failed = compared = 0
for number in range(count):
    entry, arguments = drawn()
    if max(len(str(a)) for a in arguments) > 100000:
        continue
    expected = ran("interp", entry, arguments, [])
    for way in WAYS:
        got = ran("opencl", entry, arguments, ["-D", "Simd=1", *way])
        compared += 1
        if got[0] != expected[0] or bool(got[1]) != bool(expected[1]):
            failed += 1
            print(f"FAILED: {number} of SEED={seed}, {entry} {' '.join(way)}: offsets {arguments[0][:40]}")
            print(f"  {got[0][:200] or got[2][:400]}\n  not {expected[0][:200] or expected[2][:400]}")
print(f"segments: {'ok' if not failed else 'FAILED'} ({compared} runs)")
sys.exit(failed > 0 or not compared)
