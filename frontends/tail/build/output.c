/* Primitives that print. */
#include "frontends/tail/build/build.h"

#include <string.h>

static const char *shown_as(tail_base base)
{
    switch (base) {
    case BASE_DOUBLE: return "tail.double";
    case BASE_COMPLEX: return "tail.complex";
    case BASE_BOOL: return "tail.bool";
    case BASE_CHAR: return "tail.char";
    case BASE_ANY:
    case BASE_INT:
    case BASE_TUPLE:
    case BASE_FUNCTION: break;
    }
    return "tail.int";
}

/* Doubles what there is room for. */
static bool add_shown(builder *b, const tail_value *v)
{
    if (!(b->nshown & (b->nshown - 1))) {
        tail_value *more = tail_alloc(b->p, b->nshown ? b->nshown * 2 : 1, sizeof *more);
        if (!more)
            return false;
        if (b->nshown)
            memcpy(more, b->shown, b->nshown * sizeof *more);
        b->shown = more;
    }
    b->shown[b->nshown++] = *v;
    return true;
}

bool tb_show(builder *b, const tail_value *v)
{
    bool ok = true;
    if (v->type.base != BASE_TUPLE)
        return add_shown(b, v);
    for (size_t i = 0; ok && i < v->type.nitems; i++)
        ok = tb_show(b, &v->items[i]);
    return ok;
}

/* Handed out here and now; the value is in memory then. */
static tail_value emitted(builder *b, const tail_value *x)
{
    const char *word = shown_as(x->type.base);
    tail_value out = *x;
    out.v = tb_op1(b, "emit", x->v);
    fcl_attribute how = {.key = "show", .text = word, .size = strlen(word)};
    if (out.v)
        fcl_attribute_set(b->m, (fcl_subject){.value = out.v}, &how);
    return out;
}

/* The words of the attribute, one for each result. */
static void say_how(builder *b, fcl_func kernel)
{
    enum { WORD = 16 };
    size_t size = 0;
    char *text = tail_alloc(b->p, b->nshown, WORD);
    for (size_t i = 0; text && i < b->nshown; i++) {
        const char *word = shown_as(b->shown[i].type.base);
        size_t n = strlen(word);
        if (i)
            text[size++] = ' ';
        memcpy(text + size, word, n);
        size += n;
    }
    fcl_attribute how = {.key = "show", .text = text, .size = size};
    if (text && kernel)
        fcl_attribute_set(b->m, (fcl_subject){.function = kernel}, &how);
}

void tb_show_all(builder *b, fcl_func kernel)
{
    fcl_value *all = tail_alloc(b->p, b->nshown, sizeof *all);
    for (size_t i = 0; all && i < b->nshown; i++)
        all[i] = b->shown[i].v;
    if (!all)
        return;
    fcl_return(b->m, b->r, b->nshown > 1 ? tb_op(b, "tuple", all, b->nshown) : all[0]);
    say_how(b, kernel);
}

static tail_value printed(const application *a, tail_base base)
{
    builder *b = a->b;
    tail_value x = tb_operand_of_base(a, 0, base);
    if (b->element)
        tail_fail(b->p, TAIL_PLACE, b->at, "print the array of the results",
                  "output where elements are computed, which have no order");
    else if (!b->p->failed)
        x = emitted(b, &x);
    return x;
}

tail_value tb_PRINT_INT(const application *a)
{
    return printed(a, BASE_INT);
}

tail_value tb_PRINT_BOOL(const application *a)
{
    return printed(a, BASE_BOOL);
}

tail_value tb_PRINT_DOUBLE(const application *a)
{
    return printed(a, BASE_DOUBLE);
}

tail_value tb_PRINT_CHAR(const application *a)
{
    return printed(a, BASE_CHAR);
}

tail_value tb_PRINT_COMPLEX(const application *a)
{
    return printed(a, BASE_COMPLEX);
}
