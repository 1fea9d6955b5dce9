/* The typing rules of what writes arrays in several steps or from several parts: seqfor,
 * accumulate, and the joins of rule 30.  As in check/ops.c, a rule returns the type of the result,
 * 0 after an error or when an operand is unknown. */
#include "ir/check/ops.h"

/* ---- steps ---- */

/* The type of the array that a seqfor is writing: as written for the parameter, or by the written
 * result. */
static ir_type written_so_far(checker *c, ir_op o)
{
    const value_node *xs =
        ir_value_at(c->m, ir_region_at(c->m, ir_op_at(c->m, o)->regions)->params);
    if (xs->annotated && xs->type)
        return check_well_formed(c, xs->type) ? xs->type : 0;
    ir_type elem = check_element_of_written(c, o);
    if (elem)
        return type_pull(c->m, elem, 1);
    REFUSE(c, SEQFOR, "the type of the array that this seqfor writes must be stated");
    diag_hint(c->cx,
              "write it at the region's first parameter: seqfor n, k { (%%xs: [int], %%i) ... }");
    return 0;
}

/* A thread's array, by a sequence of (position, value). */
ir_type check_rule_SEQFOR(checker *c, ir_op o)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    ir_type so_far = written_so_far(c, o);
    const type_node a = node_of(c, so_far);
    check_pass_param(c, r, 0, so_far);
    check_pass_param(c, r, 1, c->t_int);
    check_region(c, r);
    ir_type t = check_yielded(c, r, 0);
    if (!t || !so_far)
        return 0;
    if (a.kind != TY_PULL || a.n != 1)
        return REFUSE(c, SEQFOR, "seqfor writes a pull array of rank 1, and %s is written",
                      TEXT(c, so_far));
    ir_type items[2] = {c->t_int, a.a}, want = type_tuple(c->m, items, 2);
    if (t != want)
        return REFUSE(
            c, SEQFOR,
            "each step of a seqfor gives a position and a value, %s, and the region gives %s",
            TEXT(c, want), TEXT(c, t));
    bool base =
        check_need_kind(c, a.a, KIND_BT, DIAG_KIND_PUSH, "the element type of a push array");
    return base ? type_push(c->m, a.a, 1, level_const(LEVEL_THREAD)) : 0;
}

/* ---- cells ---- */

/* The type of the array that an accumulate starts with; 0 after an error. */
static ir_type cells_operand(checker *c, ir_op o, type_node *out)
{
    ir_type t = settle_arg(c, o, 0, 0);
    *out = node_of(c, t);
    if (!t || (out->kind == TY_PULL && out->n == 1))
        return t;
    return REFUSE(c, ACCUMULATE, "accumulate starts with a pull array of rank 1, and this is %s",
                  TEXT(c, t));
}

/* The result is in memory like that of a force; cells are combined by device atomics, hence BT. */
ir_type check_rule_ACCUMULATE(checker *c, ir_op o)
{
    type_node cells, src;
    ir_region r = ir_op_at(c->m, o)->regions;
    ir_type start = cells_operand(c, o, &cells), elem = start ? cells.a : 0;
    bool known = check_array_operand(c, o, 1, &src);
    check_pass_param(c, r, 0, known ? src.a : 0);
    check_pass_param(c, r + 1, 0, elem);
    check_pass_param(c, r + 1, 1, elem);
    check_region(c, r);
    check_region(c, r + 1);
    ir_type items[2] = {c->t_int, elem}, want = elem ? type_tuple(c->m, items, 2) : 0;
    ir_type placed = check_yielded(c, r, 0), combined = check_yielded(c, r + 1, elem);
    if (!known || !elem || !placed || !combined)
        return 0;
    if (placed != want)
        return REFUSE(c, ACCUMULATE,
                      "each element of an accumulate gives a position and a value, %s, and the "
                      "region gives %s",
                      TEXT(c, want), TEXT(c, placed));
    if (combined != elem)
        return REFUSE(c, ACCUMULATE,
                      "an accumulate into %s combines two elements to one, and the region gives %s",
                      TEXT(c, start), TEXT(c, combined));
    bool base = check_need_kind(c, elem, KIND_BT, DIAG_ACCUMULATE,
                                "the element of an array that is accumulated into");
    return base ? start : 0;
}

/* ---- rule 30 ---- */

/* The parts of a concat or interleave: [[t;q]<l>;p]. */
static bool parts_operand(checker *c, ir_op o, uint32_t k, diag_code code, type_node *outer,
                          type_node *inner)
{
    ir_type t = settle_arg(c, o, k, 0);
    *outer = node_of(c, t);
    *inner = node_of(c, outer->kind == TY_PULL ? outer->a : 0);
    if (inner->kind == TY_PUSH)
        return true;
    const char *name = ir_op_info(ir_op_at(c->m, o)->opcode)->name;
    if (t) {
        diag_error(c->cx, code, check_here(c),
                   "%s joins the push arrays of a pull array, and this is %s", name, TEXT(c, t));
        if (outer->kind == TY_PULL && inner->kind == TY_PULL)
            diag_hint(
                c->cx,
                "say at which level each part works: map %%xss { (%%p) ... push<block> %%p ... }");
    }
    return false;
}

/* The 1+l of rule 30; 0 above grid. */
static ir_type raise(checker *c, ir_op o, const type_node *part, uint32_t rank)
{
    ir_level l = level_succ(part->b);
    if (l && check_level_in_hierarchy(l))
        return type_push(c->m, part->a, rank, l);
    REFUSE(c, ABOVE_GRID, "%s raises the level by one, and there is no level above %s",
           ir_op_info(ir_op_at(c->m, o)->opcode)->name, level_str(c->m, part->b));
    diag_hint(c->cx, "make the parts at level block or below");
    return 0;
}

/* Rule 30.  That the parts work at l at most is the turnstile's (join_parts in check/levels.c). */
ir_type check_rule_CONCAT(checker *c, ir_op o)
{
    type_node outer, inner;
    if (!parts_operand(c, o, 1, DIAG_CONCAT, &outer, &inner))
        return 0;
    if (outer.n != 1 || inner.n != 1) {
        REFUSE(c, CONCAT, "concat joins arrays of rank 1, and this is %s",
               TEXT(c, arg_type(c, o, 1)));
        diag_hint(c->cx, "interleave joins arrays of any rank");
        return 0;
    }
    return raise(c, o, &inner, 1);
}

/* int, or a tuple of `rank` ints. */
ir_type check_position_type(checker *c, uint32_t rank)
{
    ir_type items[MAX_RANK];
    if (rank == 1)
        return c->t_int;
    for (uint32_t i = 0; i < rank; i++)
        items[i] = c->t_int;
    return type_tuple(c->m, items, rank);
}

/* The region computes where an element goes; false for an unknown type too. */
static bool check_position(checker *c, ir_region r, uint32_t rank)
{
    check_region(c, r);
    ir_type want = check_position_type(c, rank), t = check_yielded(c, r, want);
    if (t && t != want)
        REFUSE(c, INTERLEAVE, "the position in a result of rank %u is %s, and the region gives %s",
               rank, TEXT(c, want), TEXT(c, t));
    return t == want;
}

/* The type of the parts of an interleave; false after an error.  The region's parameters are the
 * outer array's indices, then those within a part. */
static bool interleaved(checker *c, ir_op o, type_node *part)
{
    const op_node n = *ir_op_at(c->m, o);
    uint32_t rank = n.nargs - 1u, nparams = ir_region_at(c->m, n.regions)->nparams;
    type_node outer;
    for (uint32_t k = 0; k < nparams; k++)
        check_pass_param(c, n.regions, k, c->t_int);
    bool position = check_position(c, n.regions, rank);
    if (!parts_operand(c, o, rank, DIAG_INTERLEAVE, &outer, part))
        return false;
    if (nparams == (uint32_t)outer.n + part->n)
        return position;
    REFUSE(c, REGION_PARAMS, "the region of this %s must take %u + %u indices, not %u parameters",
           ir_op_info(n.opcode)->name, outer.n, part->n, nparams);
    return false;
}

/* Rule 30 for any rank and order; the ranks of outer and inner arrays are free. */
ir_type check_rule_INTERLEAVE(checker *c, ir_op o)
{
    type_node part;
    return interleaved(c, o, &part) ? raise(c, o, &part, ir_op_at(c->m, o)->nargs - 1u) : 0;
}

/* The parts follow each other at their own level, so nothing is raised. */
ir_type check_rule_INTERLEAVESEQ(checker *c, ir_op o)
{
    type_node part;
    return interleaved(c, o, &part) ? type_push(c->m, part.a, ir_op_at(c->m, o)->nargs - 1u, part.b)
                                    : 0;
}
