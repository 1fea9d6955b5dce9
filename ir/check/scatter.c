/* The typing rules of what puts elements at positions that are computed with them: scatter,
 * scatterlast, scatterany, permute and fetch; and of update, which puts them side by side.
 * accumulate, which combines, is in ops_seq.c.
 *
 *     scatter init, p { (x) (position, value) }          init: [t;q], p: [u;r]<l>   to [t;q]
 *     permute n1, ..., nq, p { (x) (position, value) }                              to [t;q]
 *     fetch init, p { (x) (position, value) } { (old, new) combined }               to ([t], [t;r])
 *     update a, i1, ..., ir, p                           a: [t;r], p: [t;r]<l>      to [t;r]
 *
 * p may be a pull array, too: then nobody is named who does the work, and it is a collective.
 * The results are in memory, so their elements have kind BT. */
#include "ir/check/ops.h"

/* The name of the operator, for messages. */
static const char *name_of(const checker *c, ir_op o)
{
    return ir_op_info(ir_op_at(c->m, o)->opcode)->name;
}

/* What operand 0 is: the array that elements are put into; 0 after an error. */
static ir_type start_operand(checker *c, ir_op o, type_node *out)
{
    ir_type t = settle_arg(c, o, 0, 0);
    *out = node_of(c, t);
    if (!t || out->kind == TY_PULL)
        return t;
    REFUSE(c, SCATTER, "%s starts with a pull array, and this is %s", name_of(c, o), TEXT(c, t));
    if (out->kind == TY_PUSH)
        diag_hint(c->cx, "force it first, which writes it to memory");
    return 0;
}

/* Operand k, a push or a pull array, and what the first region takes; false after an error or for
 * an unknown type. */
static bool source_operand(checker *c, ir_op o, uint32_t k, type_node *src)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    bool known = check_array_operand(c, o, k, src);
    check_pass_param(c, r, 0, known ? src->a : 0);
    check_region(c, r);
    return known;
}

/* What the first region gives is (position, elem); elem 0: any.  Returns the element's type. */
static ir_type placed(checker *c, ir_op o, uint32_t rank, ir_type elem)
{
    ir_type at = check_position_type(c, rank), items[2] = {at, elem};
    ir_type want = elem && at ? type_tuple(c->m, items, 2) : 0;
    ir_type t = check_yielded(c, ir_op_at(c->m, o)->regions, want);
    const type_node n = node_of(c, t);
    bool pair = n.kind == TY_TUPLE && n.n == 2 && type_item(c->m, t, 0) == at;
    if (!t || (pair && (!elem || type_item(c->m, t, 1) == elem)))
        return t ? type_item(c->m, t, 1) : 0;
    if (want)
        return REFUSE(c, SCATTER,
                      "each element of this %s gives a position and a value, %s, and the region "
                      "gives %s",
                      name_of(c, o), TEXT(c, want), TEXT(c, t));
    return REFUSE(c, SCATTER,
                  "each element of this %s gives a position, %s, and a value, and the region "
                  "gives %s",
                  name_of(c, o), TEXT(c, at), TEXT(c, t));
}

static bool is_base(checker *c, ir_type elem)
{
    return elem && check_need_kind(c, elem, KIND_BT, DIAG_SCATTER,
                                   "the element of an array that elements are put into");
}

/* All three scatters. */
ir_type check_rule_SCATTER(checker *c, ir_op o)
{
    type_node start, src;
    ir_type t = start_operand(c, o, &start);
    bool known = source_operand(c, o, 1, &src);
    if (!t || !known || !placed(c, o, start.n, start.a) || !is_base(c, start.a))
        return 0;
    return t;
}

/* The winner is found by the number of the element, so there is one order: rank 1. */
ir_type check_rule_SCATTERLAST(checker *c, ir_op o)
{
    type_node src = node_of(c, arg_type(c, o, 1));
    ir_type t = check_rule_SCATTER(c, o);
    if (!t || src.n == 1)
        return t;
    return REFUSE(c, SCATTER, "the elements of a %s come from an array of rank 1, and this is %s",
                  name_of(c, o), TEXT(c, arg_type(c, o, 1)));
}

ir_type check_rule_SCATTERANY(checker *c, ir_op o)
{
    return check_rule_SCATTERLAST(c, o);
}

/* The element follows from the region. */
ir_type check_rule_PERMUTE(checker *c, ir_op o)
{
    type_node src;
    uint32_t rank = ir_op_at(c->m, o)->nargs - 1u;
    ir_type elem = source_operand(c, o, rank, &src) ? placed(c, o, rank, 0) : 0;
    return is_base(c, elem) ? type_pull(c->m, elem, rank) : 0;
}

/* As accumulate, with what was found beside it. */
ir_type check_rule_FETCH(checker *c, ir_op o)
{
    type_node start, src;
    ir_region r = ir_op_at(c->m, o)->regions;
    ir_type t = start_operand(c, o, &start), elem = t ? start.a : 0;
    bool known = source_operand(c, o, 1, &src);
    check_pass_param(c, r + 1, 0, elem);
    check_pass_param(c, r + 1, 1, elem);
    check_region(c, r + 1);
    ir_type combined = check_yielded(c, r + 1, elem);
    if (!t || !known || !placed(c, o, start.n, elem) || !combined || !is_base(c, elem))
        return 0;
    if (start.n != 1)
        return REFUSE(c, SCATTER, "fetch starts with an array of rank 1, and this is %s",
                      TEXT(c, t));
    if (combined != elem)
        return REFUSE(c, SCATTER,
                      "a fetch from %s combines two elements to one, and the region gives %s",
                      TEXT(c, t), TEXT(c, combined));
    ir_type items[2] = {t, type_pull(c->m, elem, src.n)};
    return items[1] ? type_tuple(c->m, items, 2) : 0;
}

/* That a may be overwritten is for check/consume.c. */
ir_type check_rule_UPDATE(checker *c, ir_op o)
{
    type_node a, src;
    uint32_t last = ir_op_at(c->m, o)->nargs - 1u;
    ir_type t = start_operand(c, o, &a);
    if (!check_array_operand(c, o, last, &src) || !t)
        return 0;
    if (last != a.n + 1u)
        return REFUSE(c, INDICES, "an update of %s takes %u %s, and this one has %u", TEXT(c, t),
                      a.n, a.n == 1 ? "index" : "indices", last - 1);
    if (src.a != a.a || src.n != a.n)
        return REFUSE(c, UPDATE, "this update of %s is by elements of %s, which is not alike",
                      TEXT(c, t), TEXT(c, arg_type(c, o, last)));
    return is_base(c, a.a) ? t : 0;
}
