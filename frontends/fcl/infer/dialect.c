/* What messages say of the dialect: that a name means something else in the other one, or that the
 * hierarchy is another there; and what in the text made it one of its own. */
#include "frontends/fcl/infer/infer.h"

#include <string.h>

/* Adds why the text is of its dialect. */
static void note_reason(infer *x)
{
    const program *p = x->p;
    if (p->of_2017.word && p->of_paper.word)
        diag_note_add(
            p->cx, p->of_paper.loc,
            "'%s' is of programs of 2017, but the level warp is not: with it, a file is of "
            "the paper's dialect",
            program_text_of(p, p->of_2017.word));
    else if (p->old && p->of_2017.word)
        diag_note_add(p->cx, p->of_2017.loc,
                      "the file is read as a program of 2017 because of '%s' here",
                      program_text_of(p, p->of_2017.word));
    else if (p->old)
        diag_hint(p->cx, "the file is read as a program of 2017, as its prelude is one");
    else
        diag_hint(p->cx, "a file is a program of 2017 if something occurs that only those have, "
                         "such as 'a, do or Program, and the level warp does not");
}

const name_entry *infer_other_meaning(infer *x, str_id name, const char *where)
{
    char buffer[80];
    const char *s = program_text_of(x->p, name);
    size_t n = strlen(s), more = strlen(where);
    if (n + more > sizeof buffer)
        return NULL;
    memcpy(buffer, s, n);
    memcpy(buffer + n, where, more);
    str_id other = intern_find(&x->p->cx->strings, buffer, n + more);
    return other ? program_name_at(x->p, other) : NULL;
}

const name_entry *infer_old_meaning(infer *x, str_id name)
{
    return infer_other_meaning(x, name, "#2017");
}

/* Only what there is twice: elsewhere programs are what they give, and the types agree. */
void infer_note_dialect(infer *x, const expr *head)
{
    const name_entry *old = infer_old_meaning(x, head->name);
    if (!old || (!old->prelude && !old->builtin) || head->binder ||
        (head->decl && !head->decl->from_prelude))
        return;
    const char *name = program_text_of(x->p, head->name);
    if (x->p->old)
        diag_note_add(x->p->cx, head->loc, "in the paper's dialect '%s' is another function", name);
    else
        diag_note_add(x->p->cx, head->loc, "in programs of 2017 '%s' is another function", name);
    note_reason(x);
}

static bool is_height(infer *x, lv l, uint32_t height)
{
    level_form f = lv_find(x->t, l);
    return l && !f.var && f.offset == height;
}

/* Who never names warps may mean the hierarchy without them; and who has 'a in a program may not
 * know that there are none in it. */
void infer_note_hierarchy(infer *x, lv low, lv high)
{
    const program *p = x->p;
    if (p->old && p->of_2017.word) {
        diag_note_add(
            p->cx, p->of_2017.loc,
            "in programs of 2017, which this is because of '%s', the level above thread is "
            "block",
            program_text_of(p, p->of_2017.word));
    } else if (p->of_2017.word) {
        note_reason(x);
    } else if (!p->of_paper.word && (is_height(x, low, 1) || is_height(x, high, 1))) {
        diag_note_add(p->cx, x->decl->loc,
                      "the level above thread is warp; only in programs of 2017 it is block");
    }
}
