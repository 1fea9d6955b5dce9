/* Printing a module to find places in it: see listing.h.  Costs nothing unless there is an error to
 * report; then as much as writing the module, once, and a count of lines for each place. */
#include "serialize/text/listing.h"

#include "ir/base/source.h"
#include "serialize/text/text.h"

#include <string.h>

typedef struct listing {
    ir_module *m;
    vec_char text;
    vec_u32 places[3]; /* by subject_kind and id: 1 + offset of its name in the text */
    bool printed;
} listing;

/* Whether a location is a number that ir_loc_later made for this module. */
static bool is_later(const ir_module *m, const location *l)
{
    return l->line == LOC_LATER && l->file == m->file;
}

static void print(listing *x)
{
    fcl_context *cx = x->m->cx;
    x->printed = true;
    if (!text_write_places(x->m, &x->text, x->places))
        return;
    uint32_t kept = source_add(cx, ir_str(x->m, x->m->file), x->text.at, x->text.len);
    if (kept)
        source_hold(cx, &x->m->sources, kept - 1);
}

/* Line and column of an offset; the name that begins there is underlined. */
static location place_of(const listing *x, uint32_t offset)
{
    location l = {.file = x->m->file, .line = 1, .col = 1, .len = 1};
    for (uint32_t i = 0; i < offset; i++) {
        l.col++;
        if (x->text.at[i] == '\n')
            l.line++, l.col = 1;
    }
    for (uint32_t i = offset + 1; i < x->text.len && !strchr(" (<\n", x->text.at[i]); i++)
        l.len++;
    return l;
}

/* What is not printed, as an imported function is not, gets the file without a line. */
static void resolve(listing *x, location *l)
{
    if (!is_later(x->m, l))
        return;
    if (!x->printed)
        print(x);
    subject of = ir_subject_of_loc(l->col);
    const vec_u32 *places = &x->places[of.kind];
    uint32_t at = of.id < places->len ? places->at[of.id] : 0;
    *l = at ? place_of(x, at - 1) : (location){.file = x->m->file};
}

void listing_resolve(ir_module *m)
{
    diag_list *list = &m->cx->diags;
    listing x = {.m = m};
    for (uint32_t i = 0; i < list->all.len; i++) {
        diag *d = &list->all.at[i];
        resolve(&x, &d->loc);
        for (uint32_t k = 0; k < d->notes.len; k++)
            resolve(&x, &d->notes.at[k].loc);
    }
    vec_free(&m->cx->mem, &x.text);
    for (int i = 0; i < 3; i++)
        vec_free(&m->cx->mem, &x.places[i]);
}
