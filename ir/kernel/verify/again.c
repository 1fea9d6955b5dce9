/* Verifying after a pass that may have left everything as it was: see verify.h.
 *
 * The rules are a function of what is copied here, so that a program equal to one that keeps them
 * keeps them too.  Most passes find nothing to do in most programs, and comparing a node costs a
 * hundredth of verifying it.  Bytes of padding may differ in equal programs: those are verified. */
#include "ir/kernel/verify.h"

#include <string.h>

enum { NUMBERS = 10, SPANS = 10 };

typedef struct span {
    const void *at;
    size_t size;
} span;

/* Everything that the verifier reads of a program.  The numbers, lengths among them, are the first
 * span: where they are equal, what follows stands at the same places in the copy. */
typedef struct reading {
    uint32_t numbers[NUMBERS];
    span spans[SPANS];
    size_t size;
} reading;

#define SPAN(vec)                                                                                  \
    (span)                                                                                         \
    {                                                                                              \
        (vec).at, (vec).len * sizeof *(vec).at                                                     \
    }

static void read_of(const k_program *p, k_stage stage, reading *r)
{
    *r = (reading){.numbers = {(uint32_t)stage, p->host, p->nodes.len, p->facts.len, p->blocks.len,
                               p->pool.len, p->kernels.len, p->locals.len, p->in.len, p->out.len},
                   .spans = {{r->numbers, sizeof r->numbers},
                             {&p->target, sizeof p->target},
                             SPAN(p->nodes),
                             SPAN(p->facts),
                             SPAN(p->blocks),
                             SPAN(p->pool),
                             SPAN(p->kernels),
                             SPAN(p->locals),
                             SPAN(p->in),
                             SPAN(p->out)}};
    for (int i = 0; i < SPANS; i++)
        r->size += r->spans[i].size;
}

static bool is_copy(const k_verified *last, const span spans[SPANS])
{
    const char *at = last->copy;
    for (int i = 0; i < SPANS; at += spans[i++].size)
        if (spans[i].size && memcmp(at, spans[i].at, spans[i].size) != 0)
            return false;
    return true;
}

static bool copy(mem *m, k_verified *last, const reading *r)
{
    if (r->size > last->room) { /* what was there is not wanted */
        k_verified_free(m, last);
        last->copy = mem_resize(m, NULL, 0, r->size);
        last->room = last->copy ? r->size : 0;
    }
    char *at = last->copy;
    last->size = at ? r->size : 0;
    if (!at)
        return false;
    for (int i = 0; i < SPANS; at += r->spans[i++].size)
        if (r->spans[i].size)
            memcpy(at, r->spans[i].at, r->spans[i].size);
    return true;
}

bool k_verify_again(const k_program *p, k_stage stage, k_verified *last)
{
    reading now;
    read_of(p, stage, &now);
    if (now.size == last->size && is_copy(last, now.spans))
        return true;
    return k_verify(p, stage) && copy(&p->cx->mem, last, &now);
}

void k_verified_free(mem *m, k_verified *last)
{
    mem_free(m, last->copy, last->room);
    *last = (k_verified){0};
}
