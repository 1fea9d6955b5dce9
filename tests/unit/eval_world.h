/* What the tests of the evaluator share: programs read from text, checked and run, with every
 * allocation counted. */
#ifndef TESTS_UNIT_EVAL_WORLD_H
#define TESTS_UNIT_EVAL_WORLD_H

#include "ir/check/check.h"
#include "ir/eval/eval.h"
#include "serialize/text/text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- running a program ---- */

enum { MAX_OUT = 4 };

/* Counts what is allocated, and fails at one allocation when asked to. */
typedef struct heap {
    size_t used, peak;
    long fail_at; /* 0: never */
    long calls;
} heap;

typedef struct session {
    heap heap;
    fcl_context cx;
    ir_module m;
    host_array out[MAX_OUT];
    eval_options options;
} session;

static inline void *heap_realloc(void *user, void *p, size_t old_size, size_t new_size)
{
    heap *h = user;
    if (new_size && ++h->calls == h->fail_at)
        return NULL;
    void *q = NULL;
    if (new_size)
        q = realloc(p, new_size);
    else
        free(p);
    h->used += new_size - old_size;
    h->peak = h->used > h->peak ? h->used : h->peak;
    return q;
}

static inline void show_diagnostics(session *s)
{
    for (uint32_t i = 0; i < s->cx.diags.all.len; i++) {
        vec_char t = {0};
        diag_format(&s->cx, &s->cx.diags.all.at[i], &t);
        fprintf(stderr, "%s", text_cstr(&s->cx.mem, &t));
        vec_free(&s->cx.mem, &t);
    }
}

static inline void begin(session *s, const char *body)
{
    vec_char text = {0};
    *s = (session){.options = {.block_size = 4}};
    ck_assert(context_init(&s->cx, heap_realloc, &s->heap) && ir_module_init(&s->m, &s->cx));
    ck_assert(text_addf(&s->cx.mem, &text, "fcl 0.1\n%s", body));
    bool ok = text_read(&s->m, "test", text.at, text.len, NULL, NULL) && ir_check(&s->m);
    if (!ok)
        show_diagnostics(s);
    ck_assert_msg(ok, "the program is refused: %s", body);
    vec_free(&s->cx.mem, &text);
}

static inline void drop_results(session *s)
{
    for (int i = 0; i < MAX_OUT; i++) {
        if (s->out[i].data)
            host_free(&s->cx.mem, &s->out[i]);
        s->out[i] = (host_array){0};
    }
}

static inline void end(session *s)
{
    drop_results(s);
    ir_module_release(&s->m);
    context_release(&s->cx);
    ck_assert_uint_eq(s->heap.used, 0);
}

static inline ir_func main_of(session *s)
{
    return ir_func_named(&s->m, intern_cstr(&s->cx.strings, "main"));
}

static inline bool run(session *s, const host_array *args, uint32_t nargs, uint32_t nout)
{
    drop_results(s);
    return ir_eval(&s->m, main_of(s), &s->options, args, nargs, s->out, nout);
}

static inline host_array ints(int32_t *xs, uint64_t n)
{
    return (host_array){.type = ST_I32, .rank = 1, .dims = {n}, .data = xs};
}

static inline host_array matrix(int32_t *xs, uint64_t rows, uint64_t cols)
{
    return (host_array){.type = ST_I32, .rank = 2, .dims = {rows, cols}, .data = xs};
}

static inline host_array one_int(int32_t *x)
{
    return (host_array){.type = ST_I32, .data = x};
}

static inline void expect_ints(const host_array *a, const int32_t *want, uint64_t n)
{
    ck_assert_int_eq((int)a->type, ST_I32);
    ck_assert_uint_eq(host_count(a), n);
    for (uint64_t i = 0; i < n; i++)
        ck_assert_msg(((int32_t *)a->data)[i] == want[i], "element %d is %d, not %d", (int)i,
                      ((int32_t *)a->data)[i], want[i]);
}

static int32_t iota[256];

static inline void make_iota(void)
{
    for (int i = 0; i < 256; i++)
        iota[i] = i;
}

/* Runs a program whose result is one array of ints. */
static inline void gives(const char *body, const host_array *args, uint32_t nargs,
                         const int32_t *want, uint64_t n)
{
    session s;
    begin(&s, body);
    bool ok = run(&s, args, nargs, 1);
    if (!ok)
        show_diagnostics(&s);
    ck_assert(ok);
    expect_ints(&s.out[0], want, n);
    end(&s);
}

/* Runs a program that fails, with this code, on this line of its text, and a message that says
 * this. */
static inline void fails(const char *body, const host_array *args, uint32_t nargs, diag_code why,
                         uint32_t line, const char *says)
{
    session s;
    begin(&s, body);
    s.out[0].rank = 77;
    ck_assert(!ir_eval(&s.m, main_of(&s), &s.options, args, nargs, s.out, 1));
    ck_assert_uint_eq(s.out[0].rank, 77);
    ck_assert_uint_eq(s.cx.diags.all.len, 1);
    const diag *d = &s.cx.diags.all.at[0];
    const char *text = intern_str(&s.cx.strings, d->text);
    ck_assert_msg(d->code == why && d->loc.line == line && strstr(text, says), "E%04u line %u: %s",
                  d->code, d->loc.line, text);
    s.out[0] = (host_array){0};
    end(&s);
}

#define ARGS(...)                                                                                  \
    ((host_array[]){__VA_ARGS__}), sizeof((host_array[]){__VA_ARGS__}) / sizeof(host_array)
#define INTS(...) ((int32_t[]){__VA_ARGS__}), sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)
/* Every allocation in turn fails: evaluation then fails in order, or does not need it. */
static inline void survives(const char *body, const host_array *args, uint32_t nargs, uint32_t nout)
{
    bool done = false;
    for (long k = 1; !done && k < 400; k++) {
        session s;
        begin(&s, body);
        s.heap.calls = 0;
        s.heap.fail_at = k;
        done = run(&s, args, nargs, nout);
        s.heap.fail_at = 0;
        ck_assert(done || !context_ok(&s.cx));
        end(&s);
    }
    ck_assert(done);
}

#endif
