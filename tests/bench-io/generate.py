"""Modules of one shape and size in three languages: generate.py SHAPE OPERATORS LANGUAGE > FILE.

The same arithmetic on 32-bit integers as text of the FCL core, as SPIR-V assembly and as LLVM's.  Every operator has a
numbered result and two operands, of which every fourth is a constant; what an operand names was made up to 50
operators before (in `wide`: the first value, always).

  many   functions of 100 operators
  huge   one function
  deep   nests of 150 levels: regions for FCL, and for the others chains of blocks, each dominated by all before it
  wide   one function in which one value is used by every operator
"""
import random
import sys

SHAPES = ("many", "huge", "deep", "wide")
MANY, DEEP = 100, 150
OPS = {"fclir": ("add", "sub", "mul", "xor"), "ll": ("add", "sub", "mul", "xor"),
       "spvasm": ("OpIAdd", "OpISub", "OpIMul", "OpBitwiseXor")}


def rows(count, wide):
    """(operator, operands before or None for a constant) of a function's operators; value 0 is the parameter."""
    rand = random.Random(count)
    for i in range(1, count + 1):
        a = 0 if wide else max(0, i - 1 - rand.randrange(50) % i)
        b = None if i % 4 == 0 else i - 1
        yield i % 4, a, b


class Fcl:
    """A kernel maps the function's body over an array."""

    def begin(self, out, shape):
        out.write("fcl 0.1\n")

    def function(self, out, number, count, shape):
        out.write(f"\nkernel @k{number}(%xs: [int]) -> [int]<grid> {{\n  %ys: [int] = map %xs {{ (%0: int)\n")
        for i, (op, a, b) in enumerate(rows(count, shape == "wide"), 1):
            right = i if b is None else f"%{b}"
            out.write(f"    %{i}: int = {OPS['fclir'][op]} %{a}, {right}\n")
        out.write(f"    yield %{count}\n  }}\n  %r: [int]<grid> = push<grid> %ys\n  return %r\n}}\n")

    def nest(self, out, number, levels):
        """Three operators for each level: an operator, an if, and two yields for its regions."""
        out.write(f"\nkernel @k{number}(%xs: [int]) -> [int]<grid> {{\n  %ys: [int] = map %xs {{ (%0: int)\n")
        out.write("    %c: bool = lt %0, 7\n")
        for i in range(1, levels + 1):
            pad = "  " * (i + 1)
            out.write(f"{pad}%{i}: int = {OPS['fclir'][i % 4]} %{i - 1}, {i}\n{pad}%{levels + i}: int = if %c {{\n")
        for i in range(levels, 0, -1):
            inner = i if i == levels else levels + i + 1
            pad = "  " * (i + 1)
            out.write(f"{pad}  yield %{inner}\n{pad}}} {{\n{pad}  yield %{i - 1}\n{pad}}}\n")
        out.write(f"    yield %{levels + 1}\n  }}\n  %r: [int]<grid> = push<grid> %ys\n  return %r\n}}\n")

    def end(self, out):
        pass

    per_level = 4


class Llvm:
    def begin(self, out, shape):
        pass

    def function(self, out, number, count, shape):
        out.write(f"define i32 @k{number}(i32 %0) {{\nentry:\n")
        for i, (op, a, b) in enumerate(rows(count, shape == "wide"), 1):
            out.write(f"  %{i} = {OPS['ll'][op]} i32 %{a}, {i if b is None else f'%{b}'}\n")
        out.write(f"  ret i32 %{count}\n}}\n")

    def nest(self, out, number, levels):
        out.write(f"define i32 @k{number}(i32 %0) {{\nl0:\n")
        for i in range(1, levels + 1):
            out.write(f"  %{i} = {OPS['ll'][i % 4]} i32 %{i - 1}, {i}\n  br label %l{i}\nl{i}:\n")
        out.write(f"  ret i32 %{levels}\n}}\n")

    def end(self, out):
        pass

    per_level = 2


class Spirv:
    """Ids are global: each function has its own range."""

    def begin(self, out, shape):
        self.next = 1000
        out.write("OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\n"
                  "%1 = OpTypeInt 32 0\n%2 = OpTypeFunction %1 %1\n")
        for i in range(4, 1000):
            out.write(f"%{i} = OpConstant %1 {i}\n")

    def open(self, out, number, count):
        at = self.next
        self.next += count + 4
        out.write(f"%{at + count + 1} = OpFunction %1 None %2\n%{at} = OpFunctionParameter %1\n"
                  f"%{at + count + 2} = OpLabel\n")
        return at

    def function(self, out, number, count, shape):
        at = self.open(out, number, count)
        for i, (op, a, b) in enumerate(rows(count, shape == "wide"), 1):
            right = 4 + i % 996 if b is None else at + b
            out.write(f"%{at + i} = {OPS['spvasm'][op]} %1 %{at + a} %{right}\n")
        out.write(f"OpReturnValue %{at + count}\nOpFunctionEnd\n")

    def nest(self, out, number, levels):
        at = self.open(out, number, 2 * levels)
        for i in range(1, levels + 1):
            label = at + levels + i
            out.write(f"%{at + i} = {OPS['spvasm'][i % 4]} %1 %{at + i - 1} %{4 + i}\nOpBranch %{label}\n"
                      f"%{label} = OpLabel\n")
        out.write(f"OpReturnValue %{at + levels}\nOpFunctionEnd\n")

    def end(self, out):
        pass

    per_level = 3


LANGUAGES = {"fclir": Fcl, "ll": Llvm, "spvasm": Spirv}


def generate(out, shape, operators, language):
    writer = LANGUAGES[language]()
    writer.begin(out, shape)
    if shape == "deep":
        levels = min(DEEP, max(1, operators // writer.per_level))
        for number in range(max(1, operators // (levels * writer.per_level))):
            writer.nest(out, number, levels)
    else:
        each = MANY if shape == "many" else operators
        for number in range(operators // each):
            writer.function(out, number, each, shape)
    writer.end(out)


if __name__ == "__main__":
    generate(sys.stdout, sys.argv[1], int(sys.argv[2]), sys.argv[3])
