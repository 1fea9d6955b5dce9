"""What ir.py reads of every example is what its text says: see run.sh."""
import glob
import re

import fcl
import ir
import numpy

LINE = re.compile(r"\s*(?:%\S+?(?:: .*?)? = )?([a-z0-9]+)")
PROGRAM = """fcl 0.4
fun @f(%x: int) -> int hint("my.key" = 1) attr("who" = "me", "n" = 3) {
  %y = mul %x, 7
  return %y
}
kernel @k(%xs: [int]) -> [int]<grid> {
  %t = constant<i16; 2, 2> "AQACAAMABAA="
  %ys = map %xs { (%x)
    %a = call @f(%x) loc("front.apl":3:4)
    yield %a
  }
  %p = push<grid> %ys
  return %p
}
"""


def operations(text):
    """The operators of a printed module, in their order."""
    names = []
    for line in text.splitlines():
        if re.match(r"\s+(%\S.* = |yield|return)", line):
            names.append(LINE.match(line).group(1))
    return names


def compare(cx, name):
    module = cx.load(name)
    module.check()
    own = [f for f in ir.functions(module) if not f.imported]
    found = [operation for f in own for operation in f.body.walk()]
    wanted = operations(str(module))
    assert [o.name for o in found] == wanted, (name, len(found), len(wanted))
    source = open(name).read().splitlines()
    for o in found:
        assert o.name in source[o.position.line - 1], (name, o.position, o.name)
        assert not o.result or (o.result.type and o.result.operation == o), (name, o.position)
    assert [f.name for f in own if f.kernel] == module.kernels(), name
    return len(found)


with fcl.Context() as cx:
    count = sum(compare(cx, name) for name in sorted(glob.glob("docs/examples/*.fclir")))
    assert count > 1000, count
    module = cx.load("own", PROGRAM)
    module.check()
    f, k = [x for x in ir.functions(module) if not x.imported]
    assert (f.name, f.kernel, f.result, [p.type for p in f.params]) == ("f", False, "int", ["int"])
    assert f.attributes == {"who": b"me", "n": 3} and f.properties == {"my.key": 1}, (f.attributes, f.properties)
    product, end = f.body
    assert [str(x) for x in product.operands] == ["%x", "7"] and product.operands[1].constant == 7
    assert end.result is None and end.operands == [product.result]
    table, mapped, push, _ = k.body
    assert (table.array == numpy.array([[1, 2], [3, 4]], "int16")).all() and product.array is None
    (inside,) = mapped.regions
    call = next(iter(inside))
    assert call.function == f and call.position[:3] == ("front.apl", 3, 4) and call.position.given
    assert inside.owner == mapped and inside.params[0].type == "int" and push.level == "grid"
