/* #line directives, so that compilers and debuggers of the emitted code name the front end's
 * source.
 *
 * A statement whose operator has such a position is preceded by a directive, unless the lines of
 * the code count there by themselves.  What is a front end's source: a file that is neither the
 * module's own text nor an import of it.  The cost is a walk over what is emitted. */
#include "backends/c/emit.h"

/* The position of a value that is printed in its user, else of what it is computed from in the same
 * way. */
static uint32_t position_in(const c_emitter *e, k_id v)
{
    for (uint32_t steps = 0; v && c_note_of(e, v)->in_place && steps < 64; steps++) {
        const k_node *n = k_at(e->p, v);
        if (k_wants_line(e->p, k_loc_at(e->p, n->loc)))
            return n->loc;
        v = n->args[0];
    }
    return 0;
}

/* What a store writes says more than the store, which stands for the whole array. */
static uint32_t position_of_stored(const c_emitter *e, const k_node *n)
{
    if (n->op == K_STORE)
        return position_in(e, n->args[2]);
    return n->op == K_STOREWIDE && n->nlist ? position_in(e, k_listed(e->p, n, 0)) : 0;
}

void c_line_for(c_emitter *e, const k_node *n)
{
    e->lines.pending = 0;
    if (e->p->target.request.lines == LINES_NEVER || n->op == K_YIELD)
        return;
    uint32_t stored = position_of_stored(e, n);
    e->lines.pending = stored ? stored : k_wants_line(e->p, k_loc_at(e->p, n->loc)) ? n->loc : 0;
}

static void put_file(c_emitter *e, const char *file)
{
    c_put(e, "\"");
    for (; *file; file++)
        c_put(e, *file == '"' || *file == '\\' ? "\\%c" : "%c",
              (unsigned char)*file < ' ' ? '?' : *file);
    c_put(e, "\"");
}

/* The line that the compiler would count to here. */
static uint32_t counted(c_emitter *e)
{
    for (; e->lines.seen < e->out->len; e->lines.seen++)
        e->lines.line += e->out->at[e->lines.seen] == '\n';
    return e->lines.line;
}

void c_put_line(c_emitter *e)
{
    if (!e->lines.pending)
        return;
    location at = k_loc_at(e->p, e->lines.pending);
    e->lines.pending = 0;
    if (at.file == e->lines.file && counted(e) == at.line)
        return;
    c_put(e, "#line %u ", at.line);
    put_file(e, intern_str(&e->p->cx->strings, at.file));
    c_put(e, "\n");
    e->lines.file = at.file;
    e->lines.line = at.line;
    e->lines.seen = e->out->len;
}
