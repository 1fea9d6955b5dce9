"""docs/prelude.md, from the preludes: each function with its type, what its comment says (or how it is written, where that is
a line), its levels and what it costs.

    page.py ROOT          the page on standard output

Levels are those in the type.  The cost is what the function uses, itself or through others of the preludes, of the operators
that do not fuse."""
import os
import re
import sys

# Those that cost memory are in docs/core.md; these go through their elements in order, one after the other.
IN_ORDER = ["seqfor", "mapaccum", "chain"]
HEADING = re.compile(r"^(?://|--) ---- (.*) ----$")
FCL = ("prelude.fcl", "--", "FCL: `prelude.fcl`", "What every program in FCL has at hand.")
ARRAYS = ("arrays.fcl", "--", "FCL: `import \"arrays\"`",
          "For programs that say `import \"arrays\"` before all declarations; the operators are listed in [language.md]"
          "(language.md#arrays-without-levels).")
CORE = [
    ("prelude.fclir", "//", "Core: `prelude`", "For modules that say `import \"prelude\"`."),
    ("scan.fclir", "//", "Core: `prelude.scan`", "Scans of arrays of any length."),
    ("compact.fclir", "//", "Core: `prelude.compact`", "Filters and partitions."),
    ("segments.fclir", "//", "Core: `prelude.segments`", "Arrays in segments."),
    ("shares.fclir", "//", "Core: `prelude.shares`", "Segments of any lengths, shared equally."),
    ("skeletons.fclir", "//", "Core: `prelude.skeletons`", "What the pass `schedule` puts in the place of collectives. A function of a module with one of these names takes its place: in the text of the core or through the builder, as FCL has no names with a dot. `import \"prelude.skeletons\"` brings what such functions may call."),
    ("cores.fclir", "//", "Core: `prelude.cores`", "Reductions on the cores of a processor, which `prelude.skeletons` uses there."),
    ("arrays.fclir", "//", "Core: `arrays`", "For modules that say `import \"arrays\"`: the same without levels."),
]


class Function:
    def __init__(self, name, type_text, meaning, section):
        self.name, self.type, self.meaning, self.section, self.words = name, type_text, meaning, section, set()

    def uses(self, functions, seen):
        """The operators that it and what it calls are made of."""
        found = {word for word in self.words if word not in functions}
        seen.add(self.name)
        for word in self.words:
            if word in functions and word not in seen:
                found |= functions[word].uses(functions, seen)
        return found

    def levels(self):
        found = []
        for level in re.findall(r"\]<([^<>]+)>|Program<([^<>]+)>", self.type):
            level = "".join(level).strip()
            if level not in found:
                found.append(level)
        return ", ".join("`%s`" % level for level in found)

    def cost(self, functions, operators):
        used = {operators[word] for word in self.uses(functions, set()) if word in operators}
        return ", ".join(f"`{operator}`" for operator in sorted(used)) or "fuses"


def operators_of(root):
    """What is called so in the core or in FCL: the operator, where it does not fuse."""
    page = open(os.path.join(root, "docs/core.md"), encoding="utf-8").read()
    found = {name: name for name in re.findall(r"^\| `(\w+)` \|.*\| MEMORY \|$", page, re.M)}
    found.update({name: name for name in IN_ORDER})
    table = open(os.path.join(root, "frontends/fcl/infer/builtins.def"), encoding="utf-8").read()
    for row in re.split(r"^BUILTIN\w*\(", table, flags=re.M)[1:]:
        words = re.findall(r'"(\w+)(?:#arrays)?"', row)
        if len(words) > 1 and words[-1] in found:
            found[words[0]] = words[-1]
    return found


def read(path, mark):
    """The functions in order, with the comment right above each."""
    functions, comment, section, current = [], [], "", None
    for line in open(path, encoding="utf-8").read().split("\n"):
        heading = HEADING.match(line)
        head = (re.match(r"sig ([\w#']+) : (.*)", line) if mark == "--" else
                re.match(r"fun @([\w.]+)(.*?)(?: \{)?$", line))
        if heading:
            section, comment = heading.group(1), []
        elif head:
            current = Function(head.group(1), head.group(2).strip(), " ".join(comment), section)
            functions.append(current)
            comment = []
        elif line.startswith(mark):
            comment.append(line[len(mark):].strip())
        elif not line.strip():
            comment = []
        elif current:
            if mark == "//" and line.endswith(") -> " + line.split(") -> ")[-1]) and line.endswith(" {") and not current.words:
                current.type += " " + line.strip()[:-2]  # a head of two lines
                continue
            body = re.match(r"fun %s [^=]*= (.*)" % re.escape(current.name), line)
            if body and not current.meaning:
                current.meaning = f"`{body.group(1)}`"
            if mark == "--" and line.startswith(" ") and not current.words and "=" not in line:
                current.type += " " + line.strip()  # a signature of two lines
            current.words |= set(re.findall(r"[A-Za-z](?:[\w.]*\w)?", line.split(mark)[0]))
    for f in functions:
        f.words.discard(f.name)
    return functions


def table(functions, every, operators, arrays=False):
    """In "arrays" an operator hides the function of a prelude of the same name, elsewhere the function is meant."""
    known = {f.name: f for f in every if f in functions or not arrays or f.name not in operators}
    operators = {name: op for name, op in operators.items() if name not in known}
    section = None
    for f in functions:
        if f.section != section:
            section = f.section
            print("\n### %s\n\n| function | type | meaning | levels | cost |\n|---|---|---|---|---|" %
                  (section[:1].upper() + section[1:] or "Functions"))
        cells = [f"`{f.name}`", f"`{f.type}`", f.meaning.replace("|", "\\|"), f.levels(), f.cost(known, operators)]
        print("| " + " | ".join(cells) + " |")


def main():
    root = sys.argv[1]
    folder, operators = os.path.join(root, "libfcl/prelude"), operators_of(root)
    print("""# The preludes

Generated from the files of `libfcl/prelude/` by `tests/prelude/run.sh update`; the words are those of
their comments. `n` is the length of an array; `[t]` is a pull array, `[t]<l>` a push array at level
`l`. A function with no level in its type takes part in whatever level uses it.

The cost is what a function is made of, itself or through others, that does not fuse: operators that
write memory, and %s, which go through their elements in order. A function that
fuses costs what its elements cost, each time one is asked for. [core.md](core.md) has the operators.""" %
          ", ".join(f"`{name}`" for name in IN_ORDER))
    print(f"\n## {FCL[2]}\n\n{FCL[3]}")
    fcl = read(os.path.join(folder, FCL[0]), FCL[1])
    table(fcl, fcl, operators)
    arrays = read(os.path.join(folder, ARRAYS[0]), ARRAYS[1])
    print(f"\n## {ARRAYS[2]}\n\n{ARRAYS[3]}")
    table(arrays, arrays + fcl, operators, True)
    files = [(read(os.path.join(folder, name), mark), title, about) for name, mark, title, about in CORE]
    every = [f for functions, _, _ in files[:-1] for f in functions]
    for functions, title, about in files:
        print(f"\n## {title}\n\n{about}")
        arrays = functions is files[-1][0]
        table(functions, every + functions if arrays else every, operators, arrays)
    return 0


sys.exit(main())
