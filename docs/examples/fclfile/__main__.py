"""From one file form to the other:

    python3 docs/examples/fclfile IN -o OUT    writes the binary form where OUT ends in .fclb, else the text
    python3 docs/examples/fclfile --hash IN    prints the hash of the module

Status 1 and a line on standard error where IN is refused."""

import argparse
import os
import sys

if not __package__:  # run by the name of the folder
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    __package__ = "fclfile"
from fclfile import Everything, Refused, binary, digest, read, text  # noqa: E402


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
        m = read(data, Everything())
    except Refused as why:
        sys.exit("%s: %s" % (given.file, why))
    if given.hash:
        print(digest(m))
    if given.output:
        with open(given.output, "wb") as f:
            f.write(binary.write(m, b"fclfile") if given.output.endswith(".fclb") else text.write(m))


main()
