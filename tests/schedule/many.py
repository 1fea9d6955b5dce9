"""Prints a program of many operators: many.py REDUCTIONS.

Each reduction is of a map of the map before it; every fifty the maps begin with the parameter anew."""
import sys

STEP = """  %m{k} = map {of} {{ (%x)
    %y = add %x, {k}
    %z = mod %y, 9973
    yield %z
  }}
  %r{k} = reduce 0, %m{k} {{ (%x, %y)
    %c = {how} %x, %y
    yield %c
  }}
  %a{k} = add {sum}, %r{k}
"""


def main(n):
    print("fcl 0.5\n\nkernel @many(%xs: [int]) -> int {")
    for k in range(n):
        print(STEP.format(k=k, of=f"%m{k - 1}" if k % 50 else "%xs", how="add" if k % 2 else "max",
                          sum=f"%a{k - 1}" if k else "0"), end="")
    print(f"  return %a{n - 1}\n}}")


main(int(sys.argv[1]))
