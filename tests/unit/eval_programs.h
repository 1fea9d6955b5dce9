/* The programs that the evaluator's tests run, without the version line; each has a kernel @main.
 */
#ifndef TESTS_UNIT_EVAL_PROGRAMS_H
#define TESTS_UNIT_EVAL_PROGRAMS_H

#define REVERSE                                                                                    \
    "fun @reverse<'a>(%xs: ['a]) -> ['a] {\n"                                                      \
    "  %n = length %xs\n"                                                                          \
    "  %r = generate %n { (%i: int)\n"                                                             \
    "    %k = sub %n, %i\n"                                                                        \
    "    %j = sub %k, 1\n"                                                                         \
    "    %v = index %xs, %j\n"                                                                     \
    "    yield %v\n"                                                                               \
    "  }\n"                                                                                        \
    "  return %r\n"                                                                                \
    "}\n"

/* The array in chunks of c elements; the last may be shorter. */
#define CHUNKS                                                                                     \
    "fun @chunks<'a>(%c: int, %xs: ['a]) -> [['a]] {\n"                                            \
    "  %n = length %xs\n"                                                                          \
    "  %less = sub %c, 1\n"                                                                        \
    "  %up = add %n, %less\n"                                                                      \
    "  %m = div %up, %c\n"                                                                         \
    "  %r = generate %m { (%i: int)\n"                                                             \
    "    %start = mul %i, %c\n"                                                                    \
    "    %left = sub %n, %start\n"                                                                 \
    "    %size = min %c, %left\n"                                                                  \
    "    %chunk = generate %size { (%k: int)\n"                                                    \
    "      %j = add %start, %k\n"                                                                  \
    "      %v = index %xs, %j\n"                                                                   \
    "      yield %v\n"                                                                             \
    "    }\n"                                                                                      \
    "    yield %chunk\n"                                                                           \
    "  }\n"                                                                                        \
    "  return %r\n"                                                                                \
    "}\n"

static const char reversed[] = REVERSE "kernel @main(%xs: [int]) -> [int]<grid> {\n"
                                       "  %r = call @reverse(%xs)\n"
                                       "  %p = push<grid> %r\n"
                                       "  return %p\n"
                                       "}\n";

/* Reversed in chunks: put back in order, the last chunk is short; reversed as a whole, the first
 * is. */
static const char distributed[] = REVERSE CHUNKS
    "kernel @main(%c: int, %xs: [int]) -> ([int]<grid>, [int]<grid>, [int]<grid>) {\n"
    "  %parts = call @chunks(%c, %xs)\n"
    "  %blocks = map %parts { (%part: [int])\n"
    "    %q = call @reverse(%part)\n"
    "    %b = push<block> %q\n"
    "    yield %b\n"
    "  }\n"
    "  %back = call @reverse(%blocks)\n"
    "  %whole = concat %c, %back\n"
    "  %pieces = concat %c, %blocks\n"
    "  %n = length %whole\n"
    "  %ns = array %n\n"
    "  %np = push<grid> %ns\n"
    "  %r = tuple %whole, %pieces, %np\n"
    "  return %r\n"
    "}\n";

/* The sum by halving, level-polymorphic, any length; the second phase in one block. */
static const char sum[] = CHUNKS "fun @step<l>(%xs: [int]) -> [int]<l> {\n"
                                 "  %n = length %xs\n"
                                 "  %up = add %n, 1\n"
                                 "  %h = div %up, 2\n"
                                 "  %ys = generate %h { (%i: int)\n"
                                 "    %j = add %i, %h\n"
                                 "    %pair = lt %j, %n\n"
                                 "    %x = index %xs, %i\n"
                                 "    %s = if %pair {\n"
                                 "      %y = index %xs, %j\n"
                                 "      %both = add %x, %y\n"
                                 "      yield %both\n"
                                 "    } {\n"
                                 "      yield %x\n"
                                 "    }\n"
                                 "    yield %s\n"
                                 "  }\n"
                                 "  %r = push<l> %ys\n"
                                 "  return %r\n"
                                 "}\n"
                                 "fun @reduce<l>(%xs: [int]) -> [int]<l> {\n"
                                 "  %first = call @step<l>(%xs)\n"
                                 "  %one = while %first { (%ys: [int])\n"
                                 "    %n = length %ys\n"
                                 "    %more = gt %n, 1\n"
                                 "    yield %more\n"
                                 "  } { (%ys: [int])\n"
                                 "    %half = call @step<l>(%ys)\n"
                                 "    yield %half\n"
                                 "  }\n"
                                 "  %r = push<l> %one\n"
                                 "  return %r\n"
                                 "}\n"
                                 "kernel @main(%xs: [int]) -> [int]<grid> {\n"
                                 "  %bs = blocksize\n"
                                 "  %c = mul %bs, 2\n"
                                 "  %parts = call @chunks(%c, %xs)\n"
                                 "  %parts2 = map %parts { (%part: [int])\n"
                                 "    %s = call @reduce<block>(%part)\n"
                                 "    yield %s\n"
                                 "  }\n"
                                 "  %sums = concat 1, %parts2\n"
                                 "  %found = force %sums\n"
                                 "  %last = generate 1 { (%i: int)\n"
                                 "    %s = call @reduce<block>(%found)\n"
                                 "    yield %s\n"
                                 "  }\n"
                                 "  %total = concat 1, %last\n"
                                 "  return %total\n"
                                 "}\n";

/* Transposed tile by tile, each tile through memory: rank 2 in, rank 2 out, tiles of rank 2 in an
 * array of rank 2. */
static const char tiled[] =
    "kernel @main(%t: int, %a: [int;2]) -> [int;2]<grid> {\n"
    "  %rows = dim %a, 0\n"
    "  %cols = dim %a, 1\n"
    "  %tr = div %rows, %t\n"
    "  %tc = div %cols, %t\n"
    "  %tiles = generate %tr, %tc { (%p: int, %q: int)\n"
    "    %r0 = mul %p, %t\n"
    "    %c0 = mul %q, %t\n"
    "    %tile = generate %t, %t { (%i: int, %j: int)\n"
    "      %r = add %r0, %i\n"
    "      %c = add %c0, %j\n"
    "      %x = index %a, %r, %c\n"
    "      yield %x\n"
    "    }\n"
    "    %pushed = push<block> %tile\n"
    "    %m = force %pushed\n"
    "    %flipped = generate %t, %t { (%i: int, %j: int)\n"
    "      %x = index %m, %j, %i\n"
    "      yield %x\n"
    "    }\n"
    "    %out = push<block> %flipped\n"
    "    yield %out\n"
    "  }\n"
    "  %whole = interleave %cols, %rows, %tiles { (%p: int, %q: int, %i: int, %j: int)\n"
    "    %r0 = mul %q, %t\n"
    "    %c0 = mul %p, %t\n"
    "    %r = add %r0, %i\n"
    "    %c = add %c0, %j\n"
    "    %at = tuple %r, %c\n"
    "    yield %at\n"
    "  }\n"
    "  return %whole\n"
    "}\n";

/* Three levels of concat inside each other, with a function mapped over the whole push array. */
static const char nested[] = CHUNKS "kernel @main(%xs: [int]) -> [int]<grid> {\n"
                                    "  %blocks = call @chunks(6, %xs)\n"
                                    "  %done = map %blocks { (%b: [int])\n"
                                    "    %warps = call @chunks(3, %b)\n"
                                    "    %ws = map %warps { (%w: [int])\n"
                                    "      %threads = call @chunks(2, %w)\n"
                                    "      %ts = map %threads { (%t: [int])\n"
                                    "        %p = push<thread> %t\n"
                                    "        %m = force %p\n"
                                    "        %q = push<thread> %m\n"
                                    "        yield %q\n"
                                    "      }\n"
                                    "      %c = concat 2, %ts\n"
                                    "      %m = force %c\n"
                                    "      %q = push<warp> %m\n"
                                    "      yield %q\n"
                                    "    }\n"
                                    "    %c = concat 3, %ws\n"
                                    "    yield %c\n"
                                    "  }\n"
                                    "  %all = concat 6, %done\n"
                                    "  %more = map %all { (%x: int)\n"
                                    "    %y = mul %x, 10\n"
                                    "    yield %y\n"
                                    "  }\n"
                                    "  return %more\n"
                                    "}\n";

static const char pairs[] = "kernel @main(%p: ([(int, bool)], double)) -> ([(double, (int, "
                            "bool))]<grid>, [double]<grid>) {\n"
                            "  %xs = proj %p, 0\n"
                            "  %d = proj %p, 1\n"
                            "  %ys = map %xs { (%x: (int, bool))\n"
                            "    %i = proj %x, 0\n"
                            "    %f = convert<double> %i\n"
                            "    %g = mul %f, %d\n"
                            "    %y = tuple %g, %x\n"
                            "    yield %y\n"
                            "  }\n"
                            "  %a = push<block> %ys\n"
                            "  %m = force %a\n"
                            "  %b = push<grid> %m\n"
                            "  %ds = array %d\n"
                            "  %e = push<grid> %ds\n"
                            "  %r = tuple %b, %e\n"
                            "  return %r\n"
                            "}\n";

/* Functions as values: named and anonymous, partial application, level application, an `if` between
 * arrays. */
static const char functions[] = "fun @plus(%x: int, %y: int) -> int {\n"
                                "  %s = add %x, %y\n"
                                "  return %s\n"
                                "}\n"
                                "fun @twice<'a>(%f: 'a -> 'a, %x: 'a) -> 'a {\n"
                                "  %y = apply %f, %x\n"
                                "  %z = apply %f, %y\n"
                                "  return %z\n"
                                "}\n"
                                "kernel @main(%c: bool, %xs: [int]) -> [int]<grid> {\n"
                                "  %plus = func @plus\n"
                                "  %add5 = apply %plus, 5\n"
                                "  %ys = map %xs { (%x: int)\n"
                                "    %y = call @twice(%add5, %x)\n"
                                "    yield %y\n"
                                "  }\n"
                                "  %zs = if %c {\n"
                                "    yield %ys\n"
                                "  } {\n"
                                "    %lit = array 7, 8, 9\n"
                                "    yield %lit\n"
                                "  }\n"
                                "  %wr = fn<l> { (%as: [int])\n"
                                "    %p = push<l> %as\n"
                                "    %k = fn { (%o: int)\n"
                                "      %q = map %p { (%x: int)\n"
                                "        %y = sub %x, %o\n"
                                "        yield %y\n"
                                "      }\n"
                                "      yield %q\n"
                                "    }\n"
                                "    yield %k\n"
                                "  }\n"
                                "  %wb = lapply<block> %wr\n"
                                "  %wg = lapply<grid> %wr\n"
                                "  %a = apply %wb, %zs, 1\n"
                                "  %m = force %a\n"
                                "  %b = apply %wg, %m, 100\n"
                                "  return %b\n"
                                "}\n";

/* Polymorphic values (rule 25), named and anonymous, over types and over levels. */
static const char polymorphic[] = "fun @swap<'a, 'b>(%p: ('a, 'b)) -> ('b, 'a) {\n"
                                  "  %x = proj %p, 0\n"
                                  "  %y = proj %p, 1\n"
                                  "  %q = tuple %y, %x\n"
                                  "  return %q\n"
                                  "}\n"
                                  "fun @half<l>(%xs: [int]) -> [int]<1+l> {\n"
                                  "  %parts = generate 2 { (%i: int)\n"
                                  "    %p = push<l> %xs\n"
                                  "    %m = force %p\n"
                                  "    %q = push<l> %m\n"
                                  "    yield %q\n"
                                  "  }\n"
                                  "  %n = length %xs\n"
                                  "  %r = concat %n, %parts\n"
                                  "  return %r\n"
                                  "}\n"
                                  "kernel @main(%xs: [int]) -> [int]<grid> {\n"
                                  "  %id = fn<'a> { (%x: 'a)\n"
                                  "    yield %x\n"
                                  "  }\n"
                                  "  %ys = apply %id, %xs\n"
                                  "  %n = apply %id, 2\n"
                                  "  %swap = func @swap\n"
                                  "  %zs = map %ys { (%x: int)\n"
                                  "    %t = tuple %x, %n\n"
                                  "    %u = apply %swap, %t\n"
                                  "    %v = proj %u, 0\n"
                                  "    %w = proj %u, 1\n"
                                  "    %y = mul %v, %w\n"
                                  "    yield %y\n"
                                  "  }\n"
                                  "  %store = fn<'a, l> { (%as: ['a])\n"
                                  "    %p = push<l> %as\n"
                                  "    %m = force %p\n"
                                  "    yield %m\n"
                                  "  }\n"
                                  "  %storeBlock = lapply<block> %store\n"
                                  "  %m = apply %storeBlock, %zs\n"
                                  "  %half = func @half\n"
                                  "  %halfBlock = lapply<block> %half\n"
                                  "  %r = apply %halfBlock, %m\n"
                                  "  return %r\n"
                                  "}\n";

static const char several[] =
    "kernel @main(%xs: [int]) -> ([int]<grid>, [f32]<grid>, [u8]<grid>, [bool]<grid>) {\n"
    "  %p = push<grid> %xs\n"
    "  %fs = map %p { (%x: int)\n"
    "    %y = convert<f32> %x\n"
    "    %z = fdiv %y, 3.0\n"
    "    yield %z\n"
    "  }\n"
    "  %us = map %p { (%x: int)\n"
    "    %y = convert<u8> %x\n"
    "    %z = add %y, 250\n"
    "    yield %z\n"
    "  }\n"
    "  %bs = map %p { (%x: int)\n"
    "    %y = mod %x, 2\n"
    "    %z = eq %y, 1\n"
    "    %w = not %z\n"
    "    yield %w\n"
    "  }\n"
    "  %r = tuple %p, %fs, %us, %bs\n"
    "  return %r\n"
    "}\n";

/* The steps on i32 have cases of their own; they must agree with the general ones, which i64 takes.
 */
#define COMPARE(op)                                                                                \
    "      %" op " = " op " %x, %y\n      %" op "2 = " op " %a, %b\n      %" op                    \
    "3 = convert<int> %" op "2\n"
#define FOLD(op, from)                                                                             \
    "      %e" op " = eq %" op ", %" op "3\n      %f" op " = and %" from ", %e" op "\n"
#define TRUTH(op)                                                                                  \
    "      %" op " = " op " %x, %y\n      %" op "2 = " op " %a, %b\n      %f" op " = eq %" op      \
    ", %" op "2\n"
static const char agreement[] =
    "kernel @main(%xs: [int]) -> [bool;2]<grid> {\n"
    "  %n = length %xs\n"
    "  %r = generate %n, %n { (%i: int, %j: int)\n"
    "      %x = index %xs, %i\n"
    "      %y = index %xs, %j\n"
    "      %a = convert<i64> %x\n"
    "      %b = convert<i64> %y\n"
    "      %ft = eq %n, %n\n" COMPARE("add") COMPARE("sub") COMPARE("mul") COMPARE("div")
        COMPARE("mod") COMPARE("min") COMPARE("max") FOLD("add", "ft") FOLD("sub", "fadd")
            FOLD("mul", "fsub") FOLD("div", "fmul") FOLD("mod", "fdiv") FOLD("min", "fmod")
                FOLD("max", "fmin") TRUTH("lt") TRUTH("le") TRUTH("gt") TRUTH("ge") TRUTH("eq")
                    TRUTH("ne") "      %g1 = and %fmax, %flt\n"
                                "      %g2 = and %fle, %fgt\n"
                                "      %g3 = and %fge, %feq\n"
                                "      %g4 = and %g1, %g2\n"
                                "      %g5 = and %g3, %fne\n"
                                "      %g6 = and %g4, %g5\n"
                                "      yield %g6\n"
                                "  }\n"
                                "  %p = push<grid> %r\n"
                                "  return %p\n"
                                "}\n";

/* A while that keeps its length many times must not need more memory each time; sequential, at
 * thread level. */
static const char counting[] = "kernel @main(%n: int) -> [int]<grid> {\n"
                               "  %zero = array 0, 0\n"
                               "  %p = push<thread> %zero\n"
                               "  %r = while %p { (%s: [int])\n"
                               "    %i = index %s, 0\n"
                               "    %more = lt %i, %n\n"
                               "    yield %more\n"
                               "  } { (%s: [int])\n"
                               "    %i = index %s, 0\n"
                               "    %t = index %s, 1\n"
                               "    %i2 = add %i, 1\n"
                               "    %t2 = add %t, %i\n"
                               "    %next = array %i2, %t2\n"
                               "    %q = push<thread> %next\n"
                               "    yield %q\n"
                               "  }\n"
                               "  %out = push<grid> %r\n"
                               "  return %out\n"
                               "}\n";

/* Sums of all beginnings, each from the one before. */
static const char scanned[] = "kernel @main(%xs: [int]) -> [int]<thread> {\n"
                              "  %n = length %xs\n"
                              "  %p = seqfor %n, %n { (%ys: [int], %i: int)\n"
                              "    %x = index %xs, %i\n"
                              "    %first = eq %i, 0\n"
                              "    %y = if %first {\n"
                              "      yield %x\n"
                              "    } {\n"
                              "      %k = sub %i, 1\n"
                              "      %before = index %ys, %k\n"
                              "      %both = add %before, %x\n"
                              "      yield %both\n"
                              "    }\n"
                              "    %t = tuple %i, %y\n"
                              "    yield %t\n"
                              "  }\n"
                              "  return %p\n"
                              "}\n";

/* A fold from the left, with one element that each step writes again: digits put together, and
 * whether their number is even. */
static const char folded[] =
    "fun @foldl<'a: BT, 'b: BT>(%f: 'b -> 'a -> 'b, %start: 'b, %xs: ['a]) -> ['b]<thread> {\n"
    "  %n = length %xs\n"
    "  %m = add %n, 1\n"
    "  %p = seqfor 1, %m { (%ys: ['b], %i: int)\n"
    "    %first = eq %i, 0\n"
    "    %y = if %first {\n"
    "      yield %start\n"
    "    } {\n"
    "      %k = sub %i, 1\n"
    "      %x = index %xs, %k\n"
    "      %so_far = index %ys, 0\n"
    "      %next = apply %f, %so_far, %x\n"
    "      yield %next\n"
    "    }\n"
    "    %t = tuple 0, %y\n"
    "    yield %t\n"
    "  }\n"
    "  return %p\n"
    "}\n"
    "kernel @main(%xs: [int]) -> [(int, bool)]<thread> {\n"
    "  %start = tuple 7, true\n"
    "  %f = fn { (%s: (int, bool), %x: int)\n"
    "    %sum = proj %s, 0\n"
    "    %odd = proj %s, 1\n"
    "    %ten = mul %sum, 10\n"
    "    %new = add %ten, %x\n"
    "    %even = not %odd\n"
    "    %t = tuple %new, %even\n"
    "    yield %t\n"
    "  }\n"
    "  %p = call @foldl(%f, %start, %xs)\n"
    "  return %p\n"
    "}\n";

/* Chunks of c elements joined one after another, from the end to the front, all at one level. */
static const char joined[] = "kernel @main(%c: int, %xs: [int]) -> [int]<block> {\n"
                             "  %n = length %xs\n"
                             "  %m = div %n, %c\n"
                             "  %xss = generate %m { (%i: int)\n"
                             "    %chunk = generate %c { (%j: int)\n"
                             "      %start = mul %i, %c\n"
                             "      %k = add %start, %j\n"
                             "      %v = index %xs, %k\n"
                             "      yield %v\n"
                             "    }\n"
                             "    %p = push<block> %chunk\n"
                             "    %a = force %p\n"
                             "    %q = push<block> %a\n"
                             "    yield %q\n"
                             "  }\n"
                             "  %out = interleaveseq %n, %xss { (%i: int, %j: int)\n"
                             "    %last = sub %n, 1\n"
                             "    %start = mul %i, %c\n"
                             "    %k = add %start, %j\n"
                             "    %at = sub %last, %k\n"
                             "    yield %at\n"
                             "  }\n"
                             "  return %out\n"
                             "}\n";

/* y becomes y * x + k, for k from 0 to n - 1. */
static const char power[] = "kernel @main(%n: int, %x: int) -> [int]<block> {\n"
                            "  %ones = generate 3 { (%i: int)\n"
                            "    yield %i\n"
                            "  }\n"
                            "  %p = push<block> %ones\n"
                            "  %r = repeat %n, %p { (%k: int, %ys: [int])\n"
                            "    %more = map %ys { (%y: int)\n"
                            "      %z = mul %y, %x\n"
                            "      %w = add %z, %k\n"
                            "      yield %w\n"
                            "    }\n"
                            "    %q = push<block> %more\n"
                            "    yield %q\n"
                            "  }\n"
                            "  %out = push<block> %r\n"
                            "  return %out\n"
                            "}\n";

/* Step i writes one more than the element reads[i], 100 where that is negative, to writes[i] of n
 * elements. */
static const char scattered[] =
    "kernel @main(%n: int, %reads: [int], %writes: [int]) -> [int]<thread> {\n"
    "  %k = length %writes\n"
    "  %p = seqfor %n, %k { (%ys: [int], %i: int)\n"
    "    %from = index %reads, %i\n"
    "    %start = lt %from, 0\n"
    "    %y = if %start {\n"
    "      yield 100\n"
    "    } {\n"
    "      %before = index %ys, %from\n"
    "      %new = add %before, 1\n"
    "      yield %new\n"
    "    }\n"
    "    %at = index %writes, %i\n"
    "    %t = tuple %at, %y\n"
    "    yield %t\n"
    "  }\n"
    "  return %p\n"
    "}\n";

/* Values added up at positions, into cells that start with 10, 11, ...; pairs of value and position
 * in one array. */
static const char counted[] = "kernel @main(%n: int, %at: [int], %xs: [int]) -> [int]<block> {\n"
                              "  %start = generate %n { (%i: int)\n"
                              "    %s = add %i, 10\n"
                              "    yield %s\n"
                              "  }\n"
                              "  %p = push<block> %at\n"
                              "  %is = map %p { (%a: int)\n"
                              "    %t = tuple %a, 1\n"
                              "    yield %t\n"
                              "  }\n"
                              "  %c = accumulate %start, %is { (%t: (int, int))\n"
                              "    %a = proj %t, 0\n"
                              "    %x = index %xs, %a\n"
                              "    %u = tuple %x, %a\n"
                              "    yield %u\n"
                              "  } { (%old: int, %new: int)\n"
                              "    %sum = add %old, %new\n"
                              "    yield %sum\n"
                              "  }\n"
                              "  %out = push<block> %c\n"
                              "  return %out\n"
                              "}\n";

/* Rounds of c elements, of which round i makes as many as lengths say: each the sum of lengths so
 * far. */
static const char rounds[] = "kernel @main(%n: int, %c: int, %lengths: [int]) -> [int]<block> {\n"
                             "  %z = tuple 0, 1.5\n"
                             "  %p = mapaccum %n, %c, %z { (%i: int, %s: (int, double))\n"
                             "    %l = index %lengths, %i\n"
                             "    %sum = proj %s, 0\n"
                             "    %t = add %sum, %l\n"
                             "    %chunk = generate %l { (%j: int)\n"
                             "      yield %t\n"
                             "    }\n"
                             "    %q = push<block> %chunk\n"
                             "    %f = force %q\n"
                             "    %p = push<block> %f\n"
                             "    %next = tuple %t, 2.5\n"
                             "    %r = tuple %p, %next\n"
                             "    yield %r\n"
                             "  }\n"
                             "  %a = force %p\n"
                             "  %out = push<block> %a\n"
                             "  return %out\n"
                             "}\n";

/* Chunk k has lengths[k] elements, and looks at chunk looks[k] for the number of chunks before it.
 */
static const char chained[] =
    "kernel @main(%n: int, %c: int, %lengths: [int], %looks: [int]) -> [int]<grid> {\n"
    "  %p = chain %n, %c, 100 { (%k)\n"
    "    %l = index %lengths, %k\n"
    "    %own = tuple 1, %l\n"
    "    yield %own\n"
    "  } { (%x, %y)\n"
    "    %z = add %x, %y\n"
    "    yield %z\n"
    "  } { (%k, %look)\n"
    "    %j = index %looks, %k\n"
    "    %r = apply %look, %j\n"
    "    %status = proj %r, 0\n"
    "    %x = proj %r, 1\n"
    "    %all = eq %status, 2\n"
    "    %y = select %all, %x, 0\n"
    "    yield %y\n"
    "  } { (%k, %before, %l)\n"
    "    %chunk = generate %l { (%i)\n"
    "      yield %before\n"
    "    }\n"
    "    %q = push<block> %chunk\n"
    "    yield %q\n"
    "  }\n"
    "  return %p\n"
    "}\n";

/* Transposes n times. */
static const char transposing[] = "kernel @main(%n: int, %m: [int;2]) -> [int;2]<block> {\n"
                                  "  %p = push<block> %m\n"
                                  "  %r = repeat %n, %p { (%k: int, %xs: [int;2])\n"
                                  "    %h = dim %xs, 0\n"
                                  "    %w = dim %xs, 1\n"
                                  "    %next = generate %w, %h { (%a: int, %b: int)\n"
                                  "      %v = index %xs, %b, %a\n"
                                  "      yield %v\n"
                                  "    }\n"
                                  "    %q = push<block> %next\n"
                                  "    yield %q\n"
                                  "  }\n"
                                  "  %out = push<block> %r\n"
                                  "  return %out\n"
                                  "}\n";

#endif
