"""Tally to the text form of the FCL core:

    python3 text.py stats.tally > stats.fclir
    fclc run stats.fclir --entry=mean '[1, 2, 3, 6]'"""

import sys

from tally import Error, parse
from translate import translate


class Text:
    def __init__(self):
        self.lines, self.place = ["fcl 0.3"], None

    def imports(self, names):
        self.lines += [f'import "{name}"' for name in names]

    def begin(self, name, kernel, params, result):
        self.count, self.depth = 0, 1
        head = ", ".join(f"%{name}: {type}" for name, type in params)
        self.lines += ["", f"{'kernel' if kernel else 'fun'} @{name}({head}) -> {result} {self.loc()} {{"]
        return [f"%{name}" for name, _ in params]

    def end(self, value):
        self.line(f"return {self.operand(value)} {self.loc()}")
        self.lines.append("}")

    def op(self, name, operands, what=None, takes=None, body=None, text=None):
        value, loc, listed = self.fresh(), self.loc(), ", ".join(map(self.operand, operands))
        if name == "call":
            line = f"{value} = call @{what}({listed})"
        else:
            line = f"{value} = {name}{f'<{what}>' if what else ''} {listed}".rstrip()
        if body:
            params = [self.fresh() for _ in takes]
            head = ", ".join(f"{param}: {type}" for param, type in zip(params, takes))
            self.line(f"{line} {{ ({head})" if params else f"{line} {{")
            self.depth += 1
            self.line(f"yield {self.operand(body(*params))} {loc}")
            self.depth -= 1
            line = "}"
        self.line(f"{line} {loc}" + (f' attr("text" = "{text}")' if text else ""))
        return value

    def fresh(self):
        self.count += 1
        return f"%{self.count}"

    def operand(self, x):
        return x if isinstance(x, str) else repr(x)  # 1, 0.5, inf: as Python writes them

    def loc(self):
        name = self.place.file.replace("\\", "\\\\").replace('"', '\\"')
        return f'loc("{name}":{self.place.line}:{self.place.column})'

    def line(self, text):
        self.lines.append("  " * self.depth + text)


def main(path):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    try:
        writer = Text()
        translate(parse(source, path), writer)
    except Error as error:
        sys.exit(error.show(source))
    print("\n".join(writer.lines))


if __name__ == "__main__":
    main(sys.argv[1])
