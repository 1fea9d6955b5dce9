#!/usr/bin/python3
"""Changes programs, and cuts them: mutate.py COUNT SEED FILE... writes COUNT texts with lines // ----- between them; mutate.py
cut FILE writes what is before each byte of it."""
import random
import re
import sys

TOKEN = re.compile(r"'[^'\n]+'|[a-zA-Z0-9_.~]+|=>|.", re.S)


def mutated(tokens, draw):
    out = list(tokens)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at, other = draw.randrange(len(out)), draw.randrange(len(out))
        kind = draw.randrange(6)
        if kind == 0:
            del out[at]
        elif kind == 1:
            out.insert(at, out[other])
        elif kind == 2:
            out[at], out[other] = out[other], out[at]
        elif kind == 3:
            out[at] = draw.choice(out)
        elif kind == 4:
            out[at] = draw.choice("()[]{}<>,:=*'\\~-\x01\xff9") + out[at][1:]
        else:
            out = out[:at]
        out = out or [" "]
    return "".join(out)


def cut(file):
    text = open(file, "rb").read()
    sys.stdout.buffer.write(b"\n// -----\n".join(text[:n] for n in range(len(text))))


def main():
    if sys.argv[1] == "cut":
        cut(sys.argv[2])
        return
    count, seed, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    draw = random.Random(seed)
    programs = [TOKEN.findall(open(f, encoding="latin-1").read()) for f in files]
    programs = [p for p in programs if len(p) < 1500]
    texts = (mutated(draw.choice(programs), draw).replace("// -----", "") for _ in range(count))
    sys.stdout.buffer.write("\n// -----\n".join(texts).encode("latin-1"))


main()
