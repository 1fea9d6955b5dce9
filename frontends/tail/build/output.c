/* Primitives that print, and the texts of numbers. */
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
    else if (b->p->prints_within && !b->p->failed)
        x = emitted(b, &x);
    else
        tb_show(b, &x);
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

/* ---- texts of numbers ---- */

static fcl_value as_unsigned(builder *b, fcl_value x)
{
    return tb_convert(b, FCL_U32, x);
}

static fcl_value unsigned_of(builder *b, int64_t x)
{
    return fcl_const_int(b->m, FCL_U32, x);
}

/* How many digits it has, and the power of ten of each from the left, by comparison. */
static fcl_value digits_of(builder *b, fcl_value x)
{
    fcl_value n = tb_int_of(b, 1);
    int64_t power = 10;
    for (int64_t digits = 2; digits <= 10; digits++, power *= 10)
        n = tb_op3(b, "select", tb_op2(b, "ge", x, unsigned_of(b, power)), tb_int_of(b, digits), n);
    return n;
}

tail_value tb_FORMAT_INT(const application *a)
{
    builder *b = a->b;
    tail_value x = tb_operand(a, 0, BASE_INT, 0);
    fcl_value minus = tb_op2(b, "lt", x.v, tb_int_of(b, 0)),
              size = as_unsigned(b, tb_op1(b, "abs", x.v));
    fcl_value digits = digits_of(b, size);
    fcl_value sign = tb_op3(b, "select", minus, tb_int_of(b, 1), tb_int_of(b, 0));
    fcl_value n = tb_op2(b, "add", digits, sign);
    loop l = tb_generate_begin(b, &n, 1);
    fcl_value from_right = tb_op2(b, "sub", tb_op2(b, "sub", n, tb_int_of(b, 1)), l.i[0]);
    fcl_value power = tb_op2(b, "pow", unsigned_of(b, 10), as_unsigned(b, from_right));
    fcl_value digit = tb_op2(b, "mod", tb_op2(b, "div", size, power), unsigned_of(b, 10));
    fcl_value first = tb_op2(b, "and", minus, tb_op2(b, "eq", l.i[0], tb_int_of(b, 0)));
    fcl_value c = tb_op3(b, "select", first, unsigned_of(b, '-'),
                         tb_op2(b, "add", digit, unsigned_of(b, '0')));
    return tb_array(b, BASE_CHAR, 1, tb_generate_end(b, &l, c));
}

static tail_value not_yet(const application *a)
{
    tail_fail(a->b->p, TAIL_MISSING, a->b->at, "print the number itself",
              "%s is not there yet: numbers have texts where they are printed",
              tail_primitive_name(a->primitive));
    return tb_nothing();
}

tail_value tb_FORMAT_DOUBLE(const application *a)
{
    return not_yet(a);
}

tail_value tb_FORMAT_COMPLEX(const application *a)
{
    return not_yet(a);
}

tail_value tb_NOW(const application *a)
{
    tail_fail(a->b->p, TAIL_MISSING, a->b->at, "measure the run with fclc run --time",
              "%s is not there yet: a program cannot ask what time it is",
              tail_primitive_name(a->primitive));
    return tb_nothing();
}
