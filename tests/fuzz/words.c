/* The words of the text form, of the surface language and of kernel IR, from their tables: see
 * fuzz.h. */
#include "tests/fuzz/fuzz.h"

enum { MANY = 255, NONE = 'N', LEVEL = 'L', TYPE = 'T', CALL = 'C', BIND = 'B', DATA = 'D' };

const fuzz_word fuzz_words[] = {
#define OP(e, wire, name, min, max, regions, attr, ...) {name, WORD_OP, min, max, regions, attr},
#include "ir/ops.def"
#undef OP
#define SCALAROP(e, wire, name, arity, ...) {name, WORD_OP, arity, arity, 0, 'S'},
#include "ir/scalars.def"
#undef SCALAROP
#define SCALAR(e, wire, name, ...) {name, WORD_TYPE, 0, 0, 0, 0},
#define KIND(e, wire, name, ...)   {name, WORD_KIND, 0, 0, 0, 0},
#include "ir/types.def"
#undef KIND
#undef SCALAR
/* In a pass of its own: LEVEL is also what an operator's attribute is called. */
#undef LEVEL
#define LEVEL(e, height, name, since) {name, WORD_LEVEL, 0, 0, 0, 0},
#include "ir/types.def"
#undef LEVEL
#define TOKEN(e, spelling) {spelling, WORD_TOKEN, 0, 0, 0, 0},
#include "frontends/fcl/parse/tokens.def"
#undef TOKEN
#define BUILTIN(e, name, arity, type, old, op) {name, WORD_BUILTIN, arity, arity, 0, 0},
#include "frontends/fcl/infer/builtins.def"
#undef BUILTIN
};

const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

/* Statements and expressions that are no scalar operators are a kind of their own, since they are
 * written in ways of their own; so are the names of attributes, and what the target has. */
const fuzz_word fuzz_kernel_words[] = {
#define SCALAROP(e, wire, name, arity, ...) {name, WORD_OP, arity, arity, 0, 'S'},
#include "ir/scalars.def"
#undef SCALAROP
#define SCALAR(e, wire, name, ...) {name, WORD_TYPE, 0, 0, 0, 0},
#include "ir/types.def"
#undef SCALAR
#define KNODE(e, wire, name, ...) {name, WORD_KIND, 0, 0, 0, 0},
#define KSPACE(e, number, name)   {name, WORD_TOKEN, 0, 0, 0, 0},
#define KWORKERS                  KSPACE
#define KCOORDINATE               KSPACE
#define KATOMIC                   KSPACE
#include "ir/kernel/kir.def"
#undef KATOMIC
#undef KCOORDINATE
#undef KWORKERS
#undef KSPACE
#undef KNODE
#define KWORD(kind, value, word) {word, WORD_TOKEN, 0, 0, 0, 0},
#include "ir/kernel/text/words.def"
#undef KWORD
#define KTARGET(field, word, form) {word, WORD_LEVEL, 0, 0, 0, 0},
#include "ir/kernel/text/target.def"
#undef KTARGET
#define QUIRK(e, number, word, meaning) {word, WORD_LEVEL, 0, 0, 0, 0},
#include "ir/kernel/quirks.def"
#undef QUIRK
};

const size_t fuzz_kernel_word_count = sizeof fuzz_kernel_words / sizeof *fuzz_kernel_words;
