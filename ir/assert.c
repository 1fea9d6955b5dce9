/* What an assertion says when it does not hold. */
#include "ir/ir.h"

str_id ir_assert_text(const ir_module *m, ir_op o)
{
    intern *s = &m->cx->strings;
    str_id key = intern_find(s, "text", 4);
    uint32_t at = key ? ir_attr_find(&m->attrs, (subject){ON_OP, o}, key) : 0;
    const attribute *a = at ? &m->attrs.all.at[at] : NULL;
    return a && a->is_text && a->text ? a->text : intern_cstr(s, "an assertion does not hold");
}
