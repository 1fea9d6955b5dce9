/* The typing rules of collectives, which take whole pull arrays and name no level:
 *
 *     reduce z, xs { (x, y) }      z: t, xs: [t;r]                     to [t;r-1], t when r is 1
 *     scan, scanex                 z: t, xs: [t;r]                     to [t;r]
 *     filter xs { (x) }            xs: [t], the region to bool         to [t]
 *     sort xs { (x) }              xs: [t], the region to a scalar     to [t]
 *     streamred z, n { (start, count) } { (x, y) }                     to s, the type of z
 *     streammap n { (start, count) }                                   to [t], as the region
 *
 * What they make is in memory, so t has kind BT; what a reduce of rank 1 or a streamred combines
 * may be a state of pull arrays. */
#include "ir/check/levels.h"
#include "ir/check/ops.h"

static const char *name_of(const checker *c, ir_op o)
{
    return ir_op_info(ir_op_at(c->m, o)->opcode)->name;
}

/* Operand k, which the verifier knows to be there, as a pull array. */
static bool pull_operand(checker *c, ir_op o, uint32_t k, type_node *out)
{
    if (!check_array_operand(c, o, k, out))
        return false;
    if (out->kind == TY_PULL)
        return true;
    REFUSE(c, NOT_PULL, "%s takes a pull array, and %s has an iteration scheme already",
           name_of(c, o), TEXT(c, arg_type(c, o, k)));
    diag_hint(c->cx, "force it first, which writes it to memory");
    return false;
}

static bool is_base(checker *c, ir_type elem)
{
    return check_need_kind(c, elem, KIND_BT, DIAG_COLLECTIVE, "the element of an array in memory");
}

/* A region that makes one of two values of a type; false after an error or for an unknown type. */
static bool combines(checker *c, ir_op o, ir_region r, ir_type t, diag_code code)
{
    check_pass_param(c, r, 0, t);
    check_pass_param(c, r, 1, t);
    check_region(c, r);
    ir_type got = check_yielded(c, r, t);
    if (got && t && got != t)
        diag_error(c->cx, code, check_here(c),
                   "this %s combines two values of type %s to one, and the region gives %s",
                   name_of(c, o), TEXT(c, t), TEXT(c, got));
    return got && got == t;
}

/* The start, of the type of the elements, and the region; xs: operand 1. */
static bool start_and_region(checker *c, ir_op o, type_node *xs)
{
    bool known = pull_operand(c, o, 1, xs);
    ir_type elem = known ? xs->a : 0, z = settle_arg(c, o, 0, elem);
    if (z && elem && z != elem) {
        REFUSE(c, COLLECTIVE, "this %s starts with %s, and the elements of its array are %s",
               name_of(c, o), TEXT(c, z), TEXT(c, elem));
        elem = 0;
    }
    bool combined = combines(c, o, ir_op_at(c->m, o)->regions, elem, DIAG_COLLECTIVE);
    return z && elem && combined;
}

ir_type check_rule_REDUCE(checker *c, ir_op o)
{
    type_node xs;
    if (!start_and_region(c, o, &xs))
        return 0;
    if (xs.n == 1)
        return check_is_pull_state(c, o, xs.a) ? xs.a : 0;
    return is_base(c, xs.a) ? type_pull(c->m, xs.a, xs.n - 1u) : 0;
}

ir_type check_rule_SCAN(checker *c, ir_op o)
{
    type_node xs;
    return start_and_region(c, o, &xs) && is_base(c, xs.a) ? arg_type(c, o, 1) : 0;
}

ir_type check_rule_SCANEX(checker *c, ir_op o)
{
    return check_rule_SCAN(c, o);
}

/* What the region gives for each element of operand 0, an array of rank 1; 0: unknown. */
static ir_type of_element(checker *c, ir_op o, ir_type want, bool *known)
{
    type_node xs;
    ir_region r = ir_op_at(c->m, o)->regions;
    *known = pull_operand(c, o, 0, &xs);
    check_pass_param(c, r, 0, *known ? xs.a : 0);
    check_region(c, r);
    ir_type t = check_yielded(c, r, want);
    if (*known && xs.n != 1) {
        REFUSE(c, COLLECTIVE, "%s takes an array of rank 1, and this is %s", name_of(c, o),
               TEXT(c, arg_type(c, o, 0)));
        *known = false;
    }
    *known = *known && is_base(c, xs.a);
    return t;
}

ir_type check_rule_FILTER(checker *c, ir_op o)
{
    bool known;
    ir_type t = of_element(c, o, c->t_bool, &known);
    if (t && t != c->t_bool)
        return REFUSE(c, CONDITION, "what a filter asks of an element is a bool, and this is %s",
                      TEXT(c, t));
    return known && t ? arg_type(c, o, 0) : 0;
}

ir_type check_rule_SORT(checker *c, ir_op o)
{
    bool known;
    ir_type t = of_element(c, o, 0, &known);
    bool ordered = t && (type_as_scalar(c->m, t) || check_has_kind(c, t, KIND_BOUND_SCALAR));
    if (t && !ordered)
        return REFUSE(c, COLLECTIVE, "sort orders elements by a scalar, and the region gives %s",
                      TEXT(c, t));
    return known && t ? arg_type(c, o, 0) : 0;
}

/* ---- streams ---- */

/* What the first region gives for a chunk. */
static ir_type of_chunk(checker *c, ir_op o, ir_type want)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    check_pass_param(c, r, 0, c->t_int);
    check_pass_param(c, r, 1, c->t_int);
    check_region(c, r);
    return check_yielded(c, r, want);
}

/* A literal that it starts with is decided as the written result says, or what a chunk gives. */
ir_type check_rule_STREAMRED(checker *c, ir_op o)
{
    literal_kind k;
    ir_region r = ir_op_at(c->m, o)->regions;
    bool open = is_literal(c, ir_arg(c->m, o, 0), &k);
    ir_type written = check_written_type(c, o), z = open ? written : settle_arg(c, o, 0, written),
            of = of_chunk(c, o, z);
    z = open ? settle_arg(c, o, 0, z ? z : of) : z;
    bool same = z && of == z;
    if (z && of && !same)
        REFUSE(c, STREAM, "this streamred starts with %s, and a chunk of it gives %s", TEXT(c, z),
               TEXT(c, of));
    bool combined = combines(c, o, r + 1, same ? z : 0, DIAG_STREAM);
    return same && combined && check_is_pull_state(c, o, z) ? z : 0;
}

ir_type check_rule_STREAMMAP(checker *c, ir_op o)
{
    ir_type t = of_chunk(c, o, 0);
    const type_node n = node_of(c, t);
    if (!t)
        return 0;
    if (n.kind != TY_PULL || n.n != 1)
        return REFUSE(c, STREAM, "a chunk of a streammap is a pull array of rank 1, not %s",
                      TEXT(c, t));
    return is_base(c, n.a) ? t : 0;
}
