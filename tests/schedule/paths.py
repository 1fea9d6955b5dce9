"""Prints programs whose elements are reached on many paths: paths.py FORM LEVELS.

Each array is asked for twice by the next one; computed again each time, the last would take 2^LEVELS steps.  The form `deep` asks once,
at what has been read: code of LEVELS checks inside one another."""
import sys

HEAD = "fcl 0.5\n"
STEP = """  %x{k} = generate %n {{ (%i)
    %last = sub %n, 1
    %j = sub %last, %i
    %a = index %x{b}, %i
    %b = index %x{b}, %j
    %c = add %a, %b
    %d = mod %c, 65521
    yield %d
  }}
"""
FUNCTION = """fun @mirrored(%x0: [int]) -> [int] {
  %n = length %x0
""" + STEP.format(k=1, b=0) + """  return %x1
}
"""
PAIRS = """  %x{k} = generate %n {{ (%i)
    %last = sub %n, 1
    %j = sub %last, %i
    %a = index %x{b}, %i
    %b = index %x{b}, %j
    %both = tuple %a, %b
    yield %both
  }}
  %y{k} = map %x{k} {{ (%p)
    %a = proj %p, 0
    %b = proj %p, 1
    %c = add %a, %b
    %d = mod %c, 65521
    yield %d
  }}
"""
DEEP = """  %x{k} = map %x0 {{ (%v)
    %i = mod %v, %n
    %y = index %x{b}, %i
    yield %y
  }}
"""
CHOICE = """  %d{k} = gt %many, {k}
  %x{k} = if %d{k} {{
    %y = map %x{b} {{ (%v)
      %w = mul %v, 3
      %z = mod %w, 65521
      yield %z
    }}
    yield %y
  }} {{
    %y = generate %n {{ (%i)
      %last = sub %n, 1
      %j = sub %last, %i
      %a = index %x{b}, %j
      yield %a
    }}
    yield %y
  }}
"""
ELEMENTS = """kernel @paths(%xs: [int]) -> [int] {
  %all = generate 4 { (%e)
    %x0 = map %xs { (%x)
      %y = add %x, %e
      yield %y
    }
    %n = length %x0
    %many = add %n, %e
"""
SUM = """    %sum = reduce 0, %x{k} {{ (%x, %y)
      %z = add %x, %y
      yield %z
    }}
    yield %sum
  }}
  return %all
}}
"""
# No collective, and no array is the result: one is handed out, or asked for one element.
ENDS = {"handed": ("int", "  %out = emit {x}\n  return 0\n}}"), "asked": ("int", "  %one = index {x}, 1\n  return %one\n}}")}


def body(form, levels):
    for k in range(1, levels + 1):
        if form == "calls":
            yield f"  %x{k} = call @mirrored(%x{k - 1})\n"
        elif form in ("choices", "elements"):
            yield CHOICE.format(k=k, b=k - 1)
        elif form == "deep":
            yield DEEP.format(k=k, b=k - 1)
        elif form == "pairs":
            yield PAIRS.format(k=k, b=k - 1).replace(f"%x{k - 1},", f"%{'y' if k > 1 else 'x'}{k - 1},")
        else:
            yield STEP.format(k=k, b=k - 1)


def main(form, levels):
    if form == "number":
        print(HEAD + "fun @last(%x0: [int]) -> int {\n  %n = length %x0\n" + "".join(body(form, levels)) + f"  %one = index %x{levels}, 1\n  return %one\n}}\n" +
              "kernel @paths(%xs: [int]) -> int {\n  %a = call @last(%xs)\n  return %a\n}")
        return
    if form == "elements":
        print(HEAD + ELEMENTS + "".join(body(form, levels)) + SUM.format(k=levels))
        return
    result = f"%{'y' if form == 'pairs' else 'x'}{levels}"
    types, last = ENDS.get(form, ("[int]", "  return {x}\n}}"))
    print(HEAD + (FUNCTION if form == "calls" else "") + f"kernel @paths(%x0: [int]) -> {types} {{\n  %n = length %x0\n  %many = length %x0\n" +
          "".join(body(form, levels)) + last.format(x=result))


main(sys.argv[1], int(sys.argv[2]))
