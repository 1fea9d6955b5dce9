"""Writes a program in binary form, with nothing but msgpack and docs/format.md:

    fcl 0.1
    kernel @squares(%xs: [int]) -> [int]<grid> {
      %ys: [int] = map %xs { (%x: int)
        %y: int = mul %x, %x
        yield %y loc("squares.apl":1:9)
      }
      %p: [int]<grid> = push<grid> %ys
      return %p
    }

    python3 write_fclb.py > squares.fclb && fclc run squares.fclb '[1, 2, 3]'
"""

from msgpack import packb

INT = 4  # scalar types
MUL, MAP, PUSH, YIELD, RETURN = 3, 234, 235, 250, 251  # operators
SCALAR, PULL, PUSHED = 1, 8, 9  # forms of types
GRID = 3 * 4 + 1  # three levels above thread

strings = ["squares"]

# Types are numbered from 1 and refer to earlier ones.
types = [[SCALAR, INT], [PULL, 1, 1], [PUSHED, 1, 1, GRID]]
int_type, ints, grid_ints = 1, 2, 3

functions = [
    [0, 1, 0, 0, [ints], grid_ints]  # name, flags (a kernel), type and level parameters, parameters, result
]

# Operands count back from the value that became visible last; each operation ends with its result's type and regions.
code = [
    MAP, 1, ints,  # %ys = map %xs: xs is the only value
        1, int_type,  # a region with one parameter, %x
        MUL, 1, 1, int_type,  # %y = mul %x, %x
        YIELD, 1,
    PUSH, GRID, 1, grid_ints,  # %p = push<grid> %ys
    RETURN, 1,
]

# In the order in which they are defined: the parameters, then results and parameters of regions as the code has them.
names = [["xs", "ys", "x", "y", "p"], [], [[1, 2, 3, 4, 5]]]

# Item 0 is the function, 1 to 5 its operations: 3 is the yield.
locations = [["squares.apl"], [[3, 0, 1, 9]]]

REQUIRED = 1
sections = [
    ["strings", REQUIRED, packb(strings)],
    ["types", REQUIRED, packb([[], types])],
    ["constants", REQUIRED, packb([])],
    ["functions", REQUIRED, packb([[], [], functions])],
    ["code", REQUIRED, packb([code])],
    ["names", 0, packb(names)],
    ["locations", 0, packb(locations)],
]


def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


# An array of seven, written element by element, since the last one is the checksum of what is before it.
file = b"\x97" + b"".join(map(packb, ["fclb", 0, 1, "write_fclb.py", [], sections]))
file += b"\xce" + crc32(file).to_bytes(4, "big")
open(1, "wb").write(file)
