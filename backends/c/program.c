/* The kernels of a program in a language like C: see emit.h. */
#include "backends/c/emit.h"

#include <string.h>

/* Names that the checker allows but C does not are cut to what a comment may hold. */
void c_put_comment(c_emitter *e, const k_kernel *k)
{
    const char *entry = intern_str(&e->p->cx->strings, e->p->name);
    c_put(e, "\n/* Entry ");
    for (int i = 0; entry[i] && i < 64; i++)
        c_put(e, "%c", entry[i] == '*' || (unsigned char)entry[i] < ' ' ? '?' : entry[i]);
    c_put(e, ", launch %u of %u: blocks of %lld threads. */\n",
          (uint32_t)(k - e->p->kernels.at) + 1, e->p->kernels.len, (long long)c_threads(e, k));
}

/* A table stands before the first kernel, in lines of some elements. */
static void put_table(c_emitter *e, k_id id)
{
    enum { IN_LINE = 16 };
    const k_node *n = k_at(e->p, id);
    c_put(e, "\n%s %s ", e->language->words.table, c_memory_type(e->language, c_held_by(e, id)));
    c_name(e, id);
    c_put(e, "[%u] = {", n->nlist);
    for (uint32_t i = 0; i < n->nlist; i++) {
        c_put(e, i % IN_LINE ? " " : "\n    ");
        c_value(e, k_listed(e->p, n, i), FCL_C_ANY);
        c_put(e, i + 1 < n->nlist ? "," : "");
    }
    c_put(e, "};\n");
}

/* Marks the memories that are results, so that they are called so: the first one of each leaf, as
 * names must differ. */
static bool name_results(c_emitter *e)
{
    vec_u32 named = {0};
    bool ok = true;
    for (k_id id = 1; ok && id < e->p->nodes.len; id++) {
        const k_node *n = k_at(e->p, id);
        if (n->op != K_OUTPUT)
            continue;
        while (ok && named.len <= n->leaf)
            ok = vec_push(e->m, &named, 0);
        if (ok && !named.at[n->leaf] && !c_note_of(e, n->args[0])->result) {
            named.at[n->leaf] = n->args[0];
            c_note_of(e, n->args[0])->result = n->leaf + 1u;
        }
    }
    vec_free(e->m, &named);
    return ok;
}

static bool number_checks(c_emitter *e)
{
    vec_u32 checks = {0};
    bool ok = k_list_checks(e->p, e->p->host, &checks);
    for (uint32_t i = 0; ok && i < checks.len; i++)
        c_note_of(e, checks.at[i])->check = i + 1;
    vec_free(e->m, &checks);
    return ok;
}

/* Tables that some kernel takes as an argument are in global memory. */
static void note_given(c_emitter *e)
{
    for (uint32_t i = 0; i < e->p->kernels.len; i++) {
        const k_kernel *k = &e->p->kernels.at[i];
        for (uint32_t j = 0; j < k->nglobals; j++)
            c_note_of(e, e->p->pool.at[k->globals + j])->given = true;
    }
}

static void put_kernel(c_emitter *e, uint32_t i)
{
    c_put_comment(e, e->kernel);
    if (e->language->words.kernel_frame)
        e->language->words.kernel_frame(e, i);
    else
        c_put_kernel(e, e->kernel);
}

/* Each kernel is scanned just before it is printed, and its quirks are found then. */
static bool emit_kernels(c_emitter *e)
{
    if (!name_results(e) || !number_checks(e))
        return false;
    note_given(e);
    for (k_id id = k_block_at(e->p, e->p->host)->first; id; id = k_at(e->p, id)->next)
        if (k_at(e->p, id)->op == K_TABLE && !c_note_of(e, id)->given)
            put_table(e, id);
    for (uint32_t i = 0; i < e->p->kernels.len && !e->failed; i++) {
        e->kernel = &e->p->kernels.at[i];
        if (!c_scan(e))
            break;
        barriers_find(&e->barriers, e->kernel);
        put_kernel(e, i);
    }
    return !e->failed;
}

/* Notes take an entry for every node, so time and memory are linear in the program. */
static bool emit_program(const k_program *p, c_file *file)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(c_note);
    c_note *notes = mem_zeroed(m, size);
    if (!notes)
        return false;
    c_emitter e = {.p = p,
                   .m = m,
                   .out = &file->kernels,
                   .notes = notes,
                   .file = file,
                   .language = &file->language};
    bool ok = barriers_begin(&e.barriers, p) && emit_kernels(&e);
    barriers_end(&e.barriers);
    mem_free(m, notes, size);
    return ok;
}

/* Kernels are written first: what they use decides what must stand before them.  What is one for
 * all programs is that of the last: they come from the same options. */
static bool emit_programs(const k_program *const *programs, uint32_t n, c_file *file, vec_char *out)
{
    const fcl_c_language *w = &file->language.words;
    mem *m = &programs[0]->cx->mem;
    bool ok = true;
    file->programs = n;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = emit_program(programs[i], file);
    c_emitter e = {.p = programs[n - 1],
                   .m = m,
                   .out = out,
                   .file = file,
                   .language = &file->language,
                   .failed = !ok};
    if (ok && w->begin)
        w->begin(&e);
    else if (ok && w->head)
        e.failed = !text_add(m, out, w->head, strlen(w->head));
    ok = !e.failed && c_print_helpers(&file->language, m, &file->helpers, out);
    if (ok && w->declare)
        w->declare(&e);
    return ok && !e.failed && text_add(m, out, file->kernels.at, file->kernels.len);
}

bool c_emit_file(const fcl_c_language *l, const k_program *const *programs, uint32_t n,
                 vec_char *out)
{
    if (!n)
        return true;
    fcl_context *cx = programs[0]->cx;
    c_file *file = mem_zeroed(&cx->mem, sizeof *file);
    bool ok = file && c_language_make(&file->language, l, cx);
    size_t state = ok ? file->language.words.state : 0;
    if (state)
        file->state = mem_zeroed(&cx->mem, state);
    ok = ok && (!state || file->state) && emit_programs(programs, n, file, out);
    if (file) {
        mem_free(&cx->mem, file->state, state);
        vec_free(&cx->mem, &file->kernels);
        mem_free(&cx->mem, file, sizeof *file);
    }
    return ok;
}
