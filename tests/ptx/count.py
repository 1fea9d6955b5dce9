"""Instructions of the kernels in a file of PTX: how many stand there, and how many a thread executes that takes 8 turns of each
loop and every branch.  The second number tells whether work in front of a loop spares work inside of it.

Loops are the natural ones: a branch back to a block that dominates it, and what reaches that branch without the block."""
import re
import sys

TURNS = 8


def kernels(lines):
    """Blocks of each kernel: (label, number of instructions, labels that it may go to, whether it goes on to the next)."""
    blocks = None
    for line in lines:
        if line.startswith(".entry"):
            blocks = [["", 0, [], True]]
        elif line.startswith("}") and blocks:
            yield blocks
            blocks = None
        elif blocks is None:
            continue
        elif line.startswith("$L"):
            blocks.append([line.split(":")[0], 0, [], True])
        elif re.match(r"\t(@|[a-z])", line):
            if blocks[-1][2] or not blocks[-1][3]:
                blocks.append(["", 0, [], True])
            blocks[-1][1] += 1
            target = re.search(r"\bbra(?:\.uni)?\s+(\$L\w+)", line)
            if target:
                blocks[-1][2].append(target.group(1))
            if not line.startswith("\t@") and (target or re.match(r"\t(ret|exit)\b", line)):
                blocks[-1][3] = False


def successors(blocks):
    number = {block[0]: i for i, block in enumerate(blocks) if block[0]}
    return [[number[label] for label in block[2]] + ([i + 1] if block[3] and i + 1 < len(blocks) else [])
            for i, block in enumerate(blocks)]


def dominators(after):
    every = set(range(len(after)))
    before = [[i for i in every if k in after[i]] for k in every]
    over = [{0}] + [set(every) for _ in range(len(after) - 1)]
    changed = True
    while changed:
        changed = False
        for k in range(1, len(after)):
            new = set.intersection(*[over[i] for i in before[k]], every) | {k}
            changed, over[k] = changed or new != over[k], new
    return before, over


def loops(after):
    """The blocks of each loop, by the block that it begins with."""
    before, over = dominators(after)
    found = {}
    for i, targets in enumerate(after):
        for head in targets:
            if head in over[i]:
                body, work = found.setdefault(head, {head}), [i]
                while work:
                    k = work.pop()
                    if k not in body:
                        body.add(k)
                        work += before[k]
    return found.values()


stand = executed = 0
with open(sys.argv[1], encoding="utf-8") as text:
    for kernel in kernels(text):
        depth = [0] * len(kernel)
        for body in loops(successors(kernel)):
            for block in body:
                depth[block] += 1
        stand += sum(block[1] for block in kernel)
        executed += sum(block[1] * TURNS ** deep for block, deep in zip(kernel, depth))
print(stand, executed)
