/* Functions by name, while text is read.
 *
 * A file sees its own functions first, wherever in the file they stand; then those of the files
 * that it imports; then the preludes'; then whatever else was imported.  So a function may have a
 * name that a prelude has, or gets in a later version, and the preludes' own calls still mean their
 * own. */
#include "serialize/text/parse.h"

#include <string.h>

static ir_func at_name(const vec_u32 *by_name, str_id name)
{
    return name < by_name->len ? by_name->at[name] : 0;
}

/* The entry of a name; NULL when memory is short.  Tables are arrays by the number of the interned
 * name: no hashing, and no larger than the strings. */
static uint32_t *entry_of(mem *m, vec_u32 *by_name, str_id name)
{
    if (name >= by_name->len) {
        uint32_t old = by_name->len;
        if (!vec_reserve(m, by_name, (uint64_t)name + 1 - old))
            return NULL;
        by_name->len = by_name->cap;
        memset(by_name->at + old, 0, (by_name->cap - old) * sizeof *by_name->at);
    }
    return &by_name->at[name];
}

/* Where the functions of an import are kept. */
static vec_u32 *table_of(loading *s, uint32_t import)
{
    return ir_is_prelude(s->m, import) ? &s->preludes : &s->imported;
}

bool text_know_func(loading *s, ir_func f)
{
    const func_node *n = ir_func_at(s->m, f);
    uint32_t *entry = entry_of(&s->m->cx->mem, table_of(s, n->import), n->name);
    if (entry && !*entry)
        *entry = f;
    return entry != NULL;
}

/* Whether this text itself imports the file that the function is from. */
static bool imports_it(const reader *r, ir_func f)
{
    uint32_t import = ir_func_at(r->m, f)->import;
    for (uint32_t i = 0; i < r->imports.len; i++)
        if (r->imports.at[i] == import)
            return true;
    return false;
}

ir_func text_find_own_func(const reader *r, str_id name)
{
    return at_name(&r->own, name);
}

/* The order that the head of this file states.  What an import imports comes behind the preludes,
 * hence the question whether the text itself names the import. */
ir_func text_find_func(const reader *r, str_id name)
{
    ir_func own = at_name(&r->own, name), imported = at_name(&r->s->imported, name),
            prelude = at_name(&r->s->preludes, name);
    if (own)
        return own;
    return imported && (!prelude || imports_it(r, imported)) ? imported : prelude;
}

/* Two functions of one name are a mistake within a text, and among all imports or all preludes; an
 * own function may have the name of an imported one. */
void text_bind_func(reader *r, const token *name, ir_func f)
{
    str_id s = text_token_name(r, name);
    mem *m = &r->cx->mem;
    uint32_t *own = s && f ? entry_of(m, &r->own, s) : NULL;
    if (!own)
        return;
    ir_func other = *own ? *own : r->import ? at_name(table_of(r->s, r->import), s) : 0;
    if (!*own)
        *own = f;
    if (!other) {
        if (r->import)
            text_know_func(r->s, f);
        return;
    }
    diag_error(r->cx, DIAG_TEXT_DUPLICATE_FUNC, text_token_loc(r, name),
               "a function with the name @%.200s exists already", ir_str(r->m, s));
    diag_note_add(r->cx, ir_loc_at(r->m, ir_func_at(r->m, other)->loc), "it is defined here");
}

/* ---- calls, when the whole file was read ---- */

/* Whether a text of the core declares a function of that name. */
static bool declares(const char *text, size_t size, const char *name, size_t len)
{
    static const char begin[] = "fun @";
    const size_t n = sizeof begin - 1;
    for (const char *p = text, *end = text + size; p + n + len < end; p++) {
        p = memchr(p, begin[0], (size_t)(end - p));
        if (!p || p + n + len >= end)
            return false;
        if (memcmp(p, begin, n) == 0 && memcmp(p + n, name, len) == 0 &&
            (p[n + len] == '(' || p[n + len] == '<'))
            return true;
    }
    return false;
}

/* The prelude that has the function and is not imported; NULL when none has it. */
static const char *missing_import(reader *r, const char *name, size_t len)
{
    static const char *const preludes[] = {"prelude", "prelude.scan"};
    for (size_t i = 0; i < sizeof preludes / sizeof *preludes; i++) {
        const char *text;
        size_t size;
        if (r->s->import && r->s->import(r->s->user, preludes[i], &text, &size) &&
            declares(text, size, name, len))
            return preludes[i];
    }
    return NULL;
}

/* With the prelude that has it, or the nearest of the first SUGGESTIONS functions, as a hint. */
static void report_unknown_func(reader *r, const pending_call *c)
{
    const char *name = ir_str(r->m, c->name);
    nearest x;
    diag_error(r->cx, DIAG_TEXT_UNKNOWN_FUNC, lex_location_at(&r->lx, r->lx.text + c->at, c->len),
               "there is no function @%.200s", name);
    if (!text_errors_kept(r))
        return;
    const char *prelude = missing_import(r, name, intern_len(&r->cx->strings, c->name));
    if (prelude) {
        diag_hint(r->cx, "import \"%s\" has it", prelude);
        return;
    }
    nearest_init(&x, name, intern_len(&r->cx->strings, c->name));
    for (ir_func f = 1; f < r->m->funcs.len && f <= SUGGESTIONS; f++)
        nearest_offer(&x, ir_str(r->m, r->m->funcs.at[f].name),
                      intern_len(&r->cx->strings, r->m->funcs.at[f].name));
    if (x.n)
        diag_hint(r->cx, "did you mean @%s?", x.best[0]);
}

void text_resolve_calls(reader *r)
{
    for (uint32_t i = 0; i < r->calls.len; i++) {
        const pending_call *c = &r->calls.at[i];
        ir_func f = text_find_func(r, c->name);
        if (f && c->op)
            ir_op_at(r->m, c->op)->attr = f;
        else if (!f && !r->s->import_failed)
            report_unknown_func(r, c);
    }
}
