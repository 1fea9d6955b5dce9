/* What the tests of the text form share: files to import, reading and writing a module, and
 * samples. */
#ifndef FCL_TESTS_TEXT_WORLD_H
#define FCL_TESTS_TEXT_WORLD_H

#include "serialize/text/text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files that imports find. */
static const char *const files[][2] = {
    {"lib", "fcl 0.1\nfun @inc(%x: int) -> int {\n  %y = add %x, 1\n  return %y\n}\n"},
    {"left",
     "fcl 0.1\nimport \"lib\"\nfun @left(%x: int) -> int { %y = call @inc(%x) return %y }\n"},
    {"right",
     "fcl 0.1\nimport \"lib\"\nfun @right(%x: int) -> int { %y = call @inc(%x) return %y }\n"},
    {"loop", "fcl 0.1\nimport \"pool\"\n"},
    {"pool", "fcl 0.1\nimport \"loop\"\n"},
    {"broken", "fcl 0.1\nfun @b(%x: int) -> int {\n  %y = ad %x, 1\n  return %y\n}\n"},
    {"upward", "fcl 0.1\nfun @up(%x: int) -> int {\n  %y = call @mine(%x)\n  return %y\n}\n"},
};

static inline bool find_file(void *user, const char *name, const char **text, size_t *size)
{
    static char buffer[1000]; /* reused by every call, as a front end's may be */
    (void)user;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i][0], name) == 0) {
            *size = strlen(files[i][1]);
            memcpy(buffer, files[i][1], *size);
            *text = buffer;
            return true;
        }
    }
    return false;
}

typedef struct world {
    fcl_context cx;
    ir_module m;
    bool ok;
} world;

static inline void open_world(world *w)
{
    ck_assert(context_init(&w->cx, NULL, NULL));
    ck_assert(ir_module_init(&w->m, &w->cx));
}

static inline void read_bytes(world *w, const char *text, size_t size)
{
    open_world(w);
    w->ok = text_read(&w->m, "t.fclir", text, size, find_file, NULL);
    ck_assert(w->ok == (w->cx.diags.errors == 0));
}

static inline void read_text(world *w, const char *text)
{
    read_bytes(w, text, strlen(text));
}

static inline void close_world(world *w)
{
    ir_module_release(&w->m);
    context_release(&w->cx);
}

static inline void show_diags(world *w)
{
    vec_char t = {0};
    for (uint32_t i = 0; i < w->cx.diags.all.len && i < 20; i++)
        diag_format(&w->cx, &w->cx.diags.all.at[i], &t);
    if (t.len)
        fprintf(stderr, "%.*s", (int)t.len, t.at);
    vec_free(&w->cx.mem, &t);
}

/* The text of the module; freed by the caller. */
static inline char *written(world *w)
{
    vec_char t = {0};
    ck_assert(text_write(&w->m, &t));
    char *s = malloc((size_t)t.len + 1);
    memcpy(s, text_cstr(&w->cx.mem, &t), (size_t)t.len + 1);
    vec_free(&w->cx.mem, &t);
    return s;
}

/* Reads, writes, and checks that reading and writing that again changes nothing.  The text; freed
 * by the caller. */
static inline char *round_trip(const char *text)
{
    world w, again;
    read_text(&w, text);
    show_diags(&w);
    ck_assert(w.ok);
    char *once = written(&w);
    read_text(&again, once);
    show_diags(&again);
    ck_assert(again.ok);
    char *twice = written(&again);
    ck_assert_str_eq(once, twice);
    ck_assert_uint_eq(w.m.ops.len, again.m.ops.len);
    ck_assert_uint_eq(w.m.values.len, again.m.values.len);
    free(twice);
    close_world(&again);
    close_world(&w);
    return once;
}

/* ---- samples ---- */

#define HEAD             "fcl 0.1\n"
#define BODY(statements) HEAD "\nfun @f(%x: int, %xs: [int]) -> int {\n" statements "}\n"

/* Texts in their canonical form: they are written as they are. */
static const char *const canonical[] = {
    HEAD,
    HEAD "\nimport \"lib\"\nimport \"left\"\n",
    BODY("  return %x\n"),
    BODY("  %y: int = add %x, -7\n  %z = mul %y, 31\n  return %z\n"),
    BODY("  %e: [int] = array\n  %b = blocksize\n  %v = warpsize\n  %t = tuple %e, %b, true, "
         "false\n  %n = proj %t, 1\n  return %n\n"),
    BODY(
        "  %a = array 1.5, 1e+300, inf, -inf, nan, -0.0, 2.2250738585072014e-308\n"
        "  %b = array 1i64, 255u8, -128i8, 0.1f32, nanf32, 18446744073709551615u64\n  return %x\n"),
    BODY("  %a = array 0, -0, 18446744073709551615, -9223372036854775808, -2147483648\n  return "
         "%x\n"),
    BODY("  %ys = map %xs { (%y: int)\n    %z = add %y, %x\n    yield %z\n  }\n  %n = length %ys\n "
         " return %n\n"),
    BODY("  %c = lt %x, 0\n  %y = if %c {\n    yield 1\n  } {\n    yield %x\n  }\n  return %y\n"),
    BODY("  %p = push<block> %xs\n  %w = while %p { (%a)\n    %n = length %a\n    %c = gt %n, 1\n  "
         "  yield %c\n  } { "
         "(%a: [int])\n"
         "    %q = push<block> %a\n    yield %q\n  }\n  return %x\n"),
    BODY("  %a = map %xs { (%y)\n    %s = neg %y\n    yield %s\n  }\n  %b = map %xs { (%y)\n    %s "
         "= abs %y\n    yield "
         "%s\n  }\n"
         "  return %x\n"),
    BODY("  %a = neg %x loc(\"a b.apl\":3:7)\n  %b = map %xs { (%y)\n    yield %y\n  } "
         "loc(\"q\\\"\\\\\\x01.apl\":1:0)\n"
         "  return %x loc(\"t.fclir\":9:9)\n"),
    BODY("  %d = convert<double> %x\n  %i = bitcast<i64> %d\n  return %x\n"),
    HEAD "\nkernel @k<'a: BT, 'b, l>(%f: 'a -> 'b, %xs: ['a]<1+1+l>) -> (['b;2], int) {\n  return "
         "%xs\n}\n",
    HEAD "\nfun @g<l>(%f: <l> -> [int]<l> -> <l1> -> [int]<1+l1>, %g: forall 't: BT. 't -> forall "
         "'t1. ['t1]) -> "
         "[int]<l> {\n"
         "  %h: <l1> -> [int]<l> -> [int]<1+l1> = lapply<1+l> %f\n  return %h\n}\n",
    HEAD "\nfun @g(%x: int) -> int {\n  %id = fn<'a, 'b: GT, l> { (%y: 'a)\n    %z: ['b]<l> = call "
         "@h<'a, 'b, l>(%y)\n "
         "   yield %z\n  }\n"
         "  %q = func @h<int, [int], block>\n  %n = call @none()\n  return %n\n}\n"
         "\nfun @h<'a, 'b, l>(%y: 'a) -> ['b]<l> {\n  return %y\n}\n\nfun @none() -> int {\n  "
         "return 1\n}\n",
    HEAD "\nkernel @odd.name'(%0: (int -> int) -> int, %a$b#: ((int, bool), double)) {\n  return "
         "%0\n}\n",
    HEAD "\nkernel @levels(%a: [int]<thread>, %b: [int]<warp>, %c: [int]<block>, %d: [int]<grid>, "
         "%e: [int]<1+grid>) {\n"
         "  return %a\n}\n",
};

#endif
