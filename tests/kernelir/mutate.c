/* Programs and texts that are changed at random: see kir.h. */
#include "tests/kernelir/kir.h"

#include "ir/kernel/pass/pass.h"
#include "ir/kernel/read.h"
#include "ir/kernel/verify.h"
#include "libfcl/fcl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers ---- */

static uint64_t random_state;
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return n ? (uint32_t)(random_state >> 11) % n : 0;
}

/* ---- nodes ---- */

/* Some number that is often near what there is. */
static uint32_t some(const k_program *p)
{
    switch (random_below(6)) {
    case 0: return 0;
    case 1: return UINT32_MAX;
    case 2: return random_below(70);
    default: return random_below(p->nodes.len + 3);
    }
}

static void mutate_facts(k_program *p, uint32_t x)
{
    k_facts *f = &p->facts.at[1 + random_below(p->facts.len - 1)];
    switch (random_below(4)) {
    case 0: f->lo = (int64_t)x - 3; break;
    case 1: f->hi = (int64_t)x - 3; break;
    case 2: f->bound = x; break;
    default: f->below = x; break;
    }
}

static void mutate_node(k_program *p)
{
    k_node *n = k_at(p, 1 + random_below(p->nodes.len - 1));
    uint32_t x = some(p);
    switch (random_below(14)) {
    case 0: n->op = (uint8_t)x; break;
    case 1: n->type = (uint8_t)random_below(16); break;
    case 2: k_set_attribute(n, (k_attribute)(1u << random_below(14)), x); break;
    case 3: n->depth = (uint16_t)x; break;
    case 4: n->exact = (uint8_t)random_below(4); break;
    case 5: n->args[random_below(3)] = x; break;
    case 6: n->list = x; break;
    case 7: n->nlist = x; break;
    case 8: n->results = x; break;
    case 9: n->nresults = x; break;
    case 10:
        n->blocks[random_below(2)] = random_below(2) ? x : random_below(p->blocks.len + 2);
        break;
    case 11: mutate_facts(p, x); break;
    case 12: n->owner = x; break;
    default: n->next = x; break;
    }
}

static void mutate_other(k_program *p)
{
    uint32_t x = some(p);
    k_blocks *b = k_block_at(p, random_below(p->blocks.len));
    switch (random_below(6)) {
    case 0: b->first = x; break;
    case 1: b->last = x; break;
    case 2: b->params = x; break;
    case 3: b->nparams = x; break;
    case 4: b->depth = (uint16_t)x; break;
    default:
        if (p->pool.len)
            p->pool.at[random_below(p->pool.len)] = x;
        break;
    }
}

static void mutate_table(k_program *p)
{
    uint32_t x = some(p);
    if (!p->kernels.len)
        return;
    k_kernel *k = &p->kernels.at[random_below(p->kernels.len)];
    uint32_t *fields[] = {&k->launch,   &k->scalars,  &k->nscalars, &k->globals,
                          &k->nglobals, &k->locals,   &k->nlocals,  &k->nareas,
                          &k->phases,   &k->privates, &k->nprivates};
    *fields[random_below(sizeof fields / sizeof *fields)] = x;
    if (p->locals.len)
        p->locals.at[random_below(p->locals.len)].area = random_below(3);
}

/* One program in a few variants, each with one or two changes; nothing may crash. */
int kir_mutate(uint64_t seed, int count, const char *path)
{
    size_t size;
    char *text = kir_load(path, &size);
    int found = 0;
    random_state = seed * 2654435761u + 88172645463325252u;
    for (int i = 0; i < count; i++) {
        fcl_context *cx = fcl_context_create(NULL, NULL);
        k_program p;
        vec_char out = {0};
        if (!k_read(cx, path, text, size, &p)) {
            kir_show_diagnostics(cx);
            return 1;
        }
        for (uint32_t k = 0; k <= random_below(2); k++)
            switch (random_below(8)) {
            case 0: mutate_other(&p); break;
            case 1: mutate_table(&p); break;
            default: mutate_node(&p); break;
            }
        if (!k_verify(&p, p.stage))
            found++;
        else if (!k_print(&p, &out))
            kir_failures++;
        out.len = 0;
        (void)k_print(&p, &out);
        vec_free(&cx->mem, &out);
        k_release(&p);
        fcl_context_destroy(cx);
    }
    printf("%d of %d mutations found\n", found, count);
    free(text);
    return kir_failures != 0;
}

/* ---- texts ---- */

/* Changes a few bytes: to others, to those of another place, or away. */
static size_t change_text(const char *text, size_t size, char *out)
{
    static const char bytes[] = "%0123456789{}()[],:=.- abefilnoprstx";
    memcpy(out, text, size);
    for (uint32_t k = 0; k <= random_below(3) && size > 40; k++) {
        uint32_t at = random_below((uint32_t)size), from = random_below((uint32_t)size);
        size_t n = 1 + random_below(12), most = size - (at > from ? at : from);
        n = n < most ? n : most;
        switch (random_below(4)) {
        case 0: out[at] = bytes[random_below(sizeof bytes - 1)]; break;
        case 1: memmove(out + at, out + from, n); break;
        case 2:
            memmove(out + at, out + at + n, size - at - n);
            size -= n;
            break;
        default: out[at] = (char)random_below(256); break;
        }
    }
    return size;
}

/* Whatever is read is verified; what is accepted and outlined is emitted. */
int kir_hostile(uint64_t seed, int count, const char *path)
{
    size_t size;
    char *text = kir_load(path, &size), *changed = malloc(size + 1);
    int taken = 0;
    random_state = seed * 2654435761u + 88172645463325252u;
    for (int i = 0; i < count; i++) {
        fcl_context *cx = fcl_context_create(NULL, NULL);
        k_program p;
        vec_char code = {0};
        size_t n = change_text(text, size, changed);
        bool ok = k_read(cx, path, changed, n, &p);
        if (ok == (fcl_diagnostic_count(cx) != 0)) {
            kir_failures++;
            fprintf(stderr, "FAILED: case %d is %s\n", i,
                    ok ? "read with a diagnostic" : "refused without one");
        }
        taken += ok;
        if (ok && p.stage >= K_OUTLINED && k_legalise(&p))
            (void)kir_emit(cx, &p, &code);
        vec_free(&cx->mem, &code);
        k_release(&p);
        fcl_context_destroy(cx);
    }
    printf("%d of %d accepted\n", taken, count);
    free(text);
    free(changed);
    return kir_failures != 0;
}
