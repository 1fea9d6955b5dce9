/* What a program asks for when it is run: files and the time.  Who runs it answers by the attribute
 * "show" of the operation, as docs/tail.md says. */
#include "frontends/tail/build/build.h"

#include <string.h>

static tail_value received(const application *a, const char *what, tail_base base, bool array,
                           fcl_value asked)
{
    builder *b = a->b;
    if (b->element) {
        tail_fail(b->p, TAIL_PLACE, b->at, "ask once, in front of them",
                  "input where elements are computed, which have no order");
        return tb_nothing();
    }
    fcl_type t = tb_core_type(b, base);
    if (array)
        t = fcl_type_pull(b->m, t, 1);
    fcl_value v = b->p->failed ? 0 : fcl_op_type(b->m, b->r, "receive", t, asked);
    fcl_attribute how = {.key = "show", .text = what, .size = strlen(what)};
    if (v)
        fcl_attribute_set(b->m, (fcl_subject){.value = v}, &how);
    return array ? tb_vector(b, base, LENGTH_UNKNOWN, v) : tb_scalar(base, v);
}

static tail_value file(const application *a, const char *what, tail_base base)
{
    tail_value name = tb_operand(a, 0, BASE_CHAR, 1);
    return a->b->p->failed ? tb_nothing() : received(a, what, base, true, name.v);
}

tail_value tb_READ_INTS(const application *a)
{
    return file(a, "tail.file.int", BASE_INT);
}

tail_value tb_READ_DOUBLES(const application *a)
{
    return file(a, "tail.file.double", BASE_DOUBLE);
}

tail_value tb_READ_CHARS(const application *a)
{
    return file(a, "tail.file.char", BASE_CHAR);
}

tail_value tb_NOW(const application *a)
{
    tail_value x = tb_operand(a, 0, BASE_INT, 0);
    return a->b->p->failed ? tb_nothing() : received(a, "tail.now", BASE_INT, false, x.v);
}
