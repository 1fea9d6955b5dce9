"""From one file form to the other:

    python3 docs/examples/fclfile IN -o OUT    writes the binary form where OUT ends in .fclb, else the text
    python3 docs/examples/fclfile --hash IN    prints the hash of the module

An import is a file NAME.fclir beside IN; those of the preludes are taken for granted.  Status 1 and a line on standard error
where IN is refused."""

import argparse
import os
import sys

if not __package__:  # run by the name of the folder
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    __package__ = "fclfile"
from fclfile import Everything, Refused, binary, digest, read, text  # noqa: E402


class Imports(dict):
    """The functions of each import, its own and those of what it imports."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def __contains__(self, name):
        return self[name] is not None

    def __missing__(self, name):
        if name.split(b".")[0] == b"prelude":
            return Everything()
        path = os.path.join(self.folder, os.fsdecode(name.replace(b"\0", b"?")) + ".fclir")
        self[name] = None  # where it imports itself
        if os.path.exists(path):
            with open(path, "rb") as f:
                m = read(f.read(), self)
            self[name] = {f.name for f in m.functions}.union(*(self[i] for i in m.imports))
        return self[name]


def arguments():
    parser = argparse.ArgumentParser(prog="fclfile")
    parser.add_argument("file", metavar="IN")
    parser.add_argument("-o", "--output", metavar="OUT")
    parser.add_argument("--hash", action="store_true")
    return parser.parse_args()


def main():
    given = arguments()
    with open(given.file, "rb") as f:
        data = f.read()
    try:
        m = read(data, Imports(os.path.dirname(given.file)))
    except Refused as why:
        sys.exit("%s: %s" % (given.file, why))
    if given.hash:
        print(digest(m))
    if given.output:
        with open(given.output, "wb") as f:
            f.write(binary.write(m, b"fclfile") if given.output.endswith(".fclb") else text.write(m))


if __name__ == "__main__":
    main()
