"""What a case is, and the rules of docs/format.md that cases are about."""

from dataclasses import dataclass, field

RULES = {
    "words": "Text: what separates words, and what may stand before the first one",
    "names": "Text: what a NAME is, and where a bare one is reserved",
    "scopes": "Text: what is visible where",
    "strings": "Text: strings and their escapes",
    "literals": "Text: integers, reals, suffixes, and what fits",
    "types": "Text: types, levels, kinds and their limits",
    "statements": "Text: operators, operands, regions and where they end",
    "imports": "Imports, and whose a name is",
    "extras": "Places, attributes and sections",
    "bytes": "Arrays of bytes: constant",
    "properties": "Properties and hints",
    "frame": "Binary: the file around the sections",
    "encodings": "Binary: which MessagePack encodings stand for what",
    "sections": "Binary: which sections, in which order, how often, with which flags",
    "tables": "Binary: strings, types, constants and functions",
    "code": "Binary: the code of functions",
    "optional": "Binary: names, places and attributes",
    "canonical": "What libfcl writes: order of first use, shortest encodings, names that are left out",
    "hash": "What is hashed, and what is not",
    "newer": "Files of a newer version",
    "artifact": "Artifacts: the file, its records and what a reader checks",
    "meaning": "Programs: what operators compute",
}


@dataclass
class Case:
    """A file and what a reader says of it.

    code: None where it is accepted, else libfcl's code of the refusal.  same: the name of a case whose module is the same, so
    that both are written as the same bytes.  hash: the name of a case of that rule with the same hash; without one, the hash is
    another than that of the plain module.  sayable: whether the text form can say what the file says.  runs: (entry,
    arguments, results), literals as `fclc run` takes and prints them.  check: the code of what is wrong with the types."""
    rule: str
    name: str
    data: bytes
    code: str = None
    since: str = "0.1"
    same: str = None
    hash: str = None
    sayable: bool = True
    check: str = None
    runs: list = field(default_factory=list)

    def __post_init__(self):
        assert self.rule in RULES, self.rule
