/* Open scopes of the builder, and the builder itself: see build.h. */
#include "ir/kernel/build/inside.h"

k_outside kb_outside(k_builder *b, uint32_t depth, bool claims)
{
    k_outside before = b->outside;
    b->outside = (k_outside){.wanted = true, .claims = claims, .depth = (uint16_t)depth};
    return before;
}

/* Passes recurse over blocks: they count on this, and on adding only a few blocks around each. */
enum { SCOPES_MOST = 400 };

static bool nests_too_deep(k_builder *b)
{
    if (b->scopes.len < SCOPES_MOST || b->failed)
        return false;
    diag_error(b->p->cx, DIAG_TOO_DEEP, k_loc_at(b->p, b->loc),
               "loops and branches of the kernel nest deeper than %d", SCOPES_MOST);
    diag_hint(b->p->cx,
              "force intermediate arrays, so that their code is not nested in that of others");
    return true;
}

void kb_push_scope(k_builder *b, k_block block, k_id owner)
{
    if (nests_too_deep(b))
        b->failed = true;
    if (!block || !vec_push(&b->p->cx->mem, &b->scopes,
                            ((k_scope){.block = block,
                                       .owner = owner,
                                       .log = b->log.len,
                                       .verdicts = b->p->verdicts.len})))
        b->failed = true;
}

/* Closing a scope forgets the values numbered in it, and what was known there. */
void kb_pop_scope(k_builder *b)
{
    for (int i = 0; i < 2; i++) {
        k_givens *g = &b->given[i];
        while (g->len && g->at[g->len - 1].depth + 1 >= b->scopes.len)
            g->len--;
    }
    kb_forget(b, b->scopes.at[b->scopes.len - 1].log);
    b->scopes.len--;
}

bool kb_init(k_builder *b, k_program *p)
{
    *b = (k_builder){.p = p, .start = prove_start_new(&p->cx->mem)};
    b->failed = !b->start;
    p->host = kb_new_block(b);
    kb_push_scope(b, p->host, 0);
    if (b->failed)
        kb_release(b);
    return !b->failed;
}

void kb_release(k_builder *b)
{
    mem *m = &b->p->cx->mem;
    vec_free(m, &b->scopes);
    vec_free(m, &b->log);
    vec_free(m, &b->stamps);
    vec_free(m, &b->given[0]);
    vec_free(m, &b->given[1]);
    vec_free(m, &b->passed);
    vec_free(m, &b->passed_at);
    if (b->start)
        prove_start_free(m, b->start);
    b->start = NULL;
    mem_free(m, b->table, b->table_cap * sizeof *b->table);
    b->table = NULL;
}
