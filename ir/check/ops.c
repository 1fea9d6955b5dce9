/* The typing rules of the scalar operators, of tuples and branches, and of single arrays: rules 17
 * to 23, figure 3.
 *
 * Every rule takes an operation whose operands are typed and returns the type of its result, 0
 * after an error or when an operand is unknown.  The table at the end comes from ops.def and
 * scalars.def. */
#include "ir/check/ops.h"
#include "ir/data.h"
#include "ir/scalar/scalar.h"

/* Reports in words of what the int is for; false for an unknown type too. */
static bool need_int(checker *c, ir_op o, uint32_t k, const char *what)
{
    ir_type t = settle_arg(c, o, k, c->t_int);
    if (t == c->t_int || !t)
        return t != 0;
    REFUSE(c, NOT_INT, "%s must be an int, and is %s", what, TEXT(c, t));
    return false;
}

void check_int_operands(checker *c, ir_op o, const op_info *info)
{
    uint32_t n = ir_op_at(c->m, o)->nargs;
    for (uint32_t k = 0; k < n; k++) {
        const operand_kind *of = ir_operand_kind(info, k, n);
        if (of->is_int)
            need_int(c, o, k, of->what);
    }
}

/* ---- scalar operators ---- */

/* The type of the operands from `first` on: of the first that is decided; else as the literals and
 * the written result say. */
static ir_type scalar_operand_type(checker *c, ir_op o, uint32_t first, bool result_same)
{
    uint32_t n = ir_op_at(c->m, o)->nargs;
    ir_type t = 0;
    bool is_float = false, undecided = true;
    for (uint32_t k = first; k < n && undecided; k++) {
        literal_kind lit;
        undecided = is_literal(c, ir_arg(c->m, o, k), &lit);
        is_float |= undecided && lit == LIT_FLOAT;
        if (!undecided)
            t = arg_type(c, o, k);
    }
    if (!undecided)
        return t;
    t = result_same ? check_written_type(c, o) : 0;
    return t ? t : is_float ? c->t_double : c->t_int;
}

/* A variable whose bound is not enough, and cannot become so. */
static ir_type refuse_variable(checker *c, ir_op o, uint32_t k, ir_type t, const char *takes)
{
    const op_info *info = ir_op_info(ir_op_at(c->m, o)->opcode);
    ir_tvar v = node_of(c, t).a;
    kind asked = ir_kind_of_class((operand_class)info->operands);
    REFUSE(c, OPERAND_VARIABLE, "operand %u of %s is of type %s, a type variable; %s works on %s",
           k + 1, info->name, TEXT(c, t), info->name, takes);
    check_note_kind(c, v);
    if (asked && check_may_have_bound(c, v, asked))
        diag_hint(c->cx, "declare '%s: %s", ir_str(c->m, c->m->tvars.at[v].name),
                  ir_kind_name(asked));
    else
        diag_hint(c->cx, "take the operation as a parameter: %%f: %s -> ..., and apply it",
                  TEXT(c, t));
    return 0;
}

static ir_type refuse_operand(checker *c, ir_op o, uint32_t k, ir_type t)
{
    const op_info *info = ir_op_info(ir_op_at(c->m, o)->opcode);
    static const char *const names[] = {[CLASS_ANY] = "scalars",
                                        [CLASS_ORD] = "integers and floats",
                                        [CLASS_NUM] = "integers and floats",
                                        [CLASS_INT] = "integers",
                                        [CLASS_FLT] = "floats (double, f32, f16)",
                                        [CLASS_BIT] = "integers and bool",
                                        [CLASS_BOOL] = "bool",
                                        [CLASS_SEL] = "scalars"};
    if (node_of(c, t).kind == TY_VAR)
        return refuse_variable(c, o, k, t, names[info->operands]);
    REFUSE(c, OPERAND_CLASS, "operand %u of %s is of type %s; %s works on %s", k + 1, info->name,
           TEXT(c, t), info->name, names[info->operands]);
    return 0;
}

/* Whether an operator works on operands of type t: of a type parameter, by its bound, which this
 * may infer. */
static bool takes(checker *c, operand_class class, ir_type t)
{
    scalar s = type_as_scalar(c->m, t);
    if (s)
        return c->accepted[class] >> s & 1;
    kind bound = ir_kind_of_class(class);
    return node_of(c, t).kind == TY_VAR && bound && check_has_kind(c, t, bound);
}

/* The common type of the operands from `first` on, 0 after an error. */
static ir_type same_operands(checker *c, ir_op o, uint32_t first, operand_class class,
                             bool result_same)
{
    uint32_t n = ir_op_at(c->m, o)->nargs;
    ir_type want = scalar_operand_type(c, o, first, result_same), t = 0;
    for (uint32_t k = first; k < n; k++) {
        ir_type a = settle_arg(c, o, k, want);
        if (!a)
            return 0;
        if (!takes(c, class, a))
            return refuse_operand(c, o, k, a);
        if (t && t != a) {
            REFUSE(c, OPERAND_TYPES, "the operands of %s are of types %s and %s",
                   ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, t), TEXT(c, a));
            diag_hint(c->cx, "bring them to one type: convert<%s>", TEXT(c, t));
            return 0;
        }
        t = a;
    }
    return t;
}

/* The common type of operands of which all have one that the operator takes: nearly always.  Else
 * 0, and nothing is reported. */
static inline ir_type plain_operands(const checker *c, const op_node *n, uint32_t classes)
{
    const ir_module *m = c->m;
    const ir_value *args = m->pool.at + n->args;
    ir_type t = m->values.at[args[0]].type;
    for (uint32_t k = 1; k < n->nargs; k++)
        if (m->values.at[args[k]].type != t)
            return 0;
    return classes >> type_as_scalar(m, t) & 1 ? t : 0; /* an undecided literal has no type */
}

/* One rule for all scalar operators, by the columns of scalars.def.  The first lines are the fast
 * way: a module is mostly scalar operators on operands that are typed. */
static ir_type rule_scalar(checker *c, ir_op o)
{
    const op_node *n = ir_op_at(c->m, o);
    const op_info *info = ir_op_info(n->opcode);
    ir_type plain =
        info->operands == CLASS_SEL ? 0 : plain_operands(c, n, c->accepted[info->operands]);
    if (plain)
        return info->result_bool ? c->t_bool : plain;
    bool sel = info->operands == CLASS_SEL;
    if (sel) {
        ir_type cond = settle_arg(c, o, 0, c->t_bool);
        if (cond && cond != c->t_bool)
            return REFUSE(c, CONDITION, "the condition of %s must be a bool, and is %s", info->name,
                          TEXT(c, cond));
    }
    ir_type t = same_operands(c, o, sel, sel ? CLASS_ANY : (operand_class)info->operands,
                              !info->result_bool);
    return t && info->result_bool ? c->t_bool : t;
}

/* The type converted to, 0 after an error; *from is the operand's. */
static ir_type scalar_attr(checker *c, ir_op o, ir_type *from)
{
    const char *name = ir_op_info(ir_op_at(c->m, o)->opcode)->name;
    ir_type to = ir_op_at(c->m, o)->attr;
    *from = settle_arg(c, o, 0, 0);
    if (!*from)
        return 0;
    if (!check_well_formed(c, to))
        return 0;
    if (!takes(c, CLASS_ANY, to) || !takes(c, CLASS_ANY, *from))
        return REFUSE(c, CONVERT, "%s goes from a scalar type to a scalar type, not from %s to %s",
                      name, TEXT(c, *from), TEXT(c, to));
    return to;
}

/* Any scalar type to any other; all conversions are total (docs/rooms/core.md). */
ir_type check_rule_CONVERT(checker *c, ir_op o)
{
    ir_type from;
    return scalar_attr(c, o, &from);
}

/* bool has one bit that means anything, so it is cast to itself only.  How wide a variable is, its
 * bound does not say. */
ir_type check_rule_BITCAST(checker *c, ir_op o)
{
    ir_type from, to = scalar_attr(c, o, &from);
    if (!to)
        return 0;
    if (to != from && (!type_as_scalar(c->m, to) || !type_as_scalar(c->m, from)))
        return REFUSE(c, CONVERT, "bitcast from %s to %s: nothing says that they are of one size",
                      TEXT(c, from), TEXT(c, to));
    scalar f = type_as_scalar(c->m, from), t = type_as_scalar(c->m, to);
    if (ir_scalar_bytes(f) != ir_scalar_bytes(t) || (f != t && (f == ST_BOOL || t == ST_BOOL)))
        return REFUSE(c, CONVERT, "bitcast from %s to %s would change the number of bits",
                      TEXT(c, from), TEXT(c, to));
    return to;
}

/* ---- tuples, arrays of operands, if ---- */

enum { FEW = 16 };

/* Rule 21, for any number of components.  The written type decides literals component by
 * component. */
ir_type check_rule_TUPLE(checker *c, ir_op o)
{
    ir_type few[FEW], written = check_written_type(c, o), t = 0;
    uint32_t n = ir_op_at(c->m, o)->nargs;
    mem *mm = &c->cx->mem;
    ir_type *items = n <= FEW ? few : mem_resize(mm, NULL, 0, n * sizeof *items);
    if (!items)
        return 0;
    for (uint32_t k = 0; k < n; k++)
        items[k] = settle_arg(c, o, k, type_item(c->m, written, k));
    t = type_tuple(c->m, items, n);
    if (items != few)
        mem_free(mm, items, n * sizeof *items);
    return t;
}

/* The number that a literal operand gives; false when it is none or not below `limit`. */
static bool literal_below(checker *c, ir_op o, uint32_t k, uint32_t limit, uint64_t *out)
{
    if (!need_int(c, o, k, "the number of a component or an axis"))
        return false;
    ir_value v = ir_arg(c->m, o, k);
    *out = ir_const_bits(c->m, v);
    return ir_value_at(c->m, v)->kind == V_CONST && *out < limit;
}

/* Rules 22 and 23.  The component is a literal, since its type depends on it. */
ir_type check_rule_PROJ(checker *c, ir_op o)
{
    ir_type t = settle_arg(c, o, 0, 0);
    if (!t)
        return 0;
    type_node n = node_of(c, t);
    uint64_t k;
    if (n.kind != TY_TUPLE)
        return REFUSE(c, PROJ, "proj takes a component of a tuple, and this is %s", TEXT(c, t));
    if (!literal_below(c, o, 1, n.n, &k))
        return REFUSE(c, PROJ, "the component of %s must be given by a literal from 0 to %u",
                      TEXT(c, t), n.n - 1u);
    return type_item(c->m, t, (uint32_t)k);
}

/* 0 also for a type that is no array: whoever asks reports the mismatch later. */
ir_type check_element_of_written(checker *c, ir_op o)
{
    type_node n = node_of(c, check_written_type(c, o));
    return n.kind == TY_PULL || n.kind == TY_PUSH ? n.a : 0;
}

static ir_type empty_array(checker *c, ir_op o)
{
    ir_type t = check_written_type(c, o);
    if (!t)
        return REFUSE(c, EMPTY_ARRAY,
                      "the type of an empty array must be written: %%xs: [int] = array");
    type_node n = node_of(c, t);
    return n.kind == TY_PULL && n.n == 1
               ? t
               : REFUSE(c, ANNOTATION, "array gives a pull array of rank 1, and %s is written",
                        TEXT(c, t));
}

/* Rule 20. */
ir_type check_rule_ARRAY(checker *c, ir_op o)
{
    uint32_t n = ir_op_at(c->m, o)->nargs;
    if (n == 0)
        return empty_array(c, o);
    ir_type elem = check_element_of_written(c, o),
            want = elem ? elem : scalar_operand_type(c, o, 0, false), t = 0;
    for (uint32_t k = 0; k < n; k++) {
        ir_type a = settle_arg(c, o, k, want);
        if (!a)
            return 0;
        if (t && a != t)
            return REFUSE(c, ARRAY_ITEMS,
                          "element %u of the array is %s, but the ones before it are %s", k + 1,
                          TEXT(c, a), TEXT(c, t));
        t = a;
    }
    return check_need_kind(c, t, KIND_GT, DIAG_KIND_PULL, "the element type of a pull array")
               ? type_pull(c->m, t, 1)
               : 0;
}

/* The verifier has seen to what it holds. */
ir_type check_rule_CONSTANT(checker *c, ir_op o)
{
    return type_pull(c->m, ir_op_at(c->m, o)->attr, ir_op_data(c->m, o).rank);
}

/* The type on which two branches settle before their literals are decided. */
static ir_type branch_type(checker *c, ir_op o, ir_region then)
{
    literal_kind k1, k2;
    ir_type written = check_written_type(c, o);
    if (written)
        return written;
    if (!check_yields_literal(c, then, &k1))
        return check_yielded(c, then, 0);
    if (!check_yields_literal(c, then + 1, &k2))
        return check_yielded(c, then + 1, 0);
    return k1 == LIT_FLOAT || k2 == LIT_FLOAT ? c->t_double : c->t_int;
}

/* Both branches are checked before either literal is decided, so that `1` beside a float is one. */
ir_type check_rule_IF(checker *c, ir_op o)
{
    ir_type cond = settle_arg(c, o, 0, c->t_bool);
    ir_region then = ir_op_at(c->m, o)->regions;
    check_region(c, then);
    check_region(c, then + 1);
    ir_type want = branch_type(c, o, then), x = check_yielded(c, then, want),
            y = check_yielded(c, then + 1, want);
    if (cond && cond != c->t_bool)
        return REFUSE(c, CONDITION, "the condition of an if must be a bool, and is %s",
                      TEXT(c, cond));
    if (x == y || !x || !y)
        return x && y ? x : 0;
    return REFUSE(c, BRANCHES, "the branches of this if are %s and %s", TEXT(c, x), TEXT(c, y));
}

/* One region, whose literal is decided as that of a branch is. */
ir_type check_rule_ASSERT(checker *c, ir_op o)
{
    literal_kind k;
    ir_type cond = settle_arg(c, o, 0, c->t_bool), want = check_written_type(c, o);
    ir_region r = ir_op_at(c->m, o)->regions;
    check_region(c, r);
    if (!want && check_yields_literal(c, r, &k))
        want = k == LIT_FLOAT ? c->t_double : c->t_int;
    ir_type t = check_yielded(c, r, want);
    if (cond && cond != c->t_bool)
        return REFUSE(c, CONDITION, "what is asserted must be a bool, and is %s", TEXT(c, cond));
    return t;
}

/* ---- arrays ---- */

/* An unknown type leaves an annotation as it is, which then serves for the region. */
void check_pass_param(checker *c, ir_region r, uint32_t k, ir_type t)
{
    value_node *v = ir_value_at(c->m, ir_region_at(c->m, r)->params + k);
    if (v->annotated && v->type && v->type != t && t) {
        REFUSE(c, PARAM_ANNOTATION,
               "parameter %u of this region is passed a value of type %s, but %s is written", k + 1,
               TEXT(c, t), TEXT(c, v->type));
        return;
    }
    if (!v->annotated || !v->type || t)
        v->type = t;
}

/* The rank and element of operand k, an array; false, silently for an unknown type. */
bool check_array_operand(checker *c, ir_op o, uint32_t k, type_node *out)
{
    ir_type t = settle_arg(c, o, k, 0);
    *out = node_of(c, t);
    if (out->kind == TY_PULL || out->kind == TY_PUSH)
        return true;
    if (t)
        REFUSE(c, NOT_ARRAY, "%s needs an array, and this is %s",
               ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, t));
    return false;
}

/* Operand 0, which is where most operators have their array. */
static bool array_operand(checker *c, ir_op o, type_node *out)
{
    return check_array_operand(c, o, 0, out);
}

/* The rank is the number of extents; the verifier has compared it with the parameters. */
ir_type check_rule_GENERATE(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    for (uint32_t k = 0; k < n.nargs; k++)
        check_pass_param(c, n.regions, k, c->t_int);
    check_region(c, n.regions);
    ir_type elem = check_yielded(c, n.regions, check_element_of_written(c, o));
    return check_need_kind(c, elem, KIND_GT, DIAG_KIND_PULL, "the element type of a pull array")
               ? type_pull(c->m, elem, n.nargs)
               : 0;
}

ir_type check_rule_LENGTH(checker *c, ir_op o)
{
    type_node a;
    return array_operand(c, o, &a) ? c->t_int : 0;
}

ir_type check_rule_DIM(checker *c, ir_op o)
{
    type_node a;
    uint64_t k;
    if (!array_operand(c, o, &a))
        return 0;
    if (!literal_below(c, o, 1, a.n, &k))
        return REFUSE(c, INDICES, "the axis must be given by a literal from 0 to %u", a.n - 1u);
    return c->t_int;
}

/* A push array has no elements to ask for: they exist only while they are written. */
ir_type check_rule_INDEX(checker *c, ir_op o)
{
    type_node a;
    uint32_t n = ir_op_at(c->m, o)->nargs;
    if (!array_operand(c, o, &a))
        return 0;
    if (a.kind == TY_PUSH) {
        REFUSE(c, INDEX_PUSH, "index takes a pull array, and %s is a push array",
               TEXT(c, arg_type(c, o, 0)));
        diag_hint(c->cx, "force it first: %%a = force ..., then index %%a");
        return 0;
    }
    if (n - 1 != a.n)
        return REFUSE(c, INDICES, "an array of rank %u takes %u ind%s, not %u", a.n, a.n,
                      a.n == 1 ? "ex" : "ices", n - 1);
    return a.a;
}

/* mapPull and mapPush of figure 3: the operand's type decides, and the kind of element with it. */
ir_type check_rule_MAP(checker *c, ir_op o)
{
    type_node a;
    ir_region r = ir_op_at(c->m, o)->regions;
    bool known = array_operand(c, o, &a);
    check_pass_param(c, r, 0, known ? a.a : 0);
    check_region(c, r);
    ir_type t = check_yielded(c, r, check_element_of_written(c, o));
    if (!known || !t)
        return 0;
    if (a.kind == TY_PULL)
        return check_need_kind(c, t, KIND_GT, DIAG_KIND_PULL, "the element type of a pull array")
                   ? type_pull(c->m, t, a.n)
                   : 0;
    return check_need_kind(c, t, KIND_BT, DIAG_KIND_PUSH, "the element type of a push array")
               ? type_push(c->m, t, a.n, a.b)
               : 0;
}

/* Only the type; that elements work at thread level is the turnstile's (check_work_PUSH). */
ir_type check_rule_PUSH(checker *c, ir_op o)
{
    type_node a;
    ir_level l = ir_op_at(c->m, o)->attr;
    bool level = check_well_formed_level(c, l);
    if (!array_operand(c, o, &a) || !level)
        return 0;
    if (a.kind == TY_PUSH)
        return REFUSE(c, NOT_PULL,
                      "push takes a pull array, and %s has an iteration scheme already",
                      TEXT(c, arg_type(c, o, 0)));
    return check_need_kind(c, a.a, KIND_BT, DIAG_KIND_PUSH, "the element type of a push array")
               ? type_push(c->m, a.a, a.n, l)
               : 0;
}

bool check_push_operand(checker *c, ir_op o, uint32_t k, type_node *out)
{
    if (!check_array_operand(c, o, k, out))
        return false;
    if (out->kind == TY_PUSH)
        return true;
    REFUSE(c, NOT_PUSH,
           "%s takes a push array, and %s is a pull array, without an iteration scheme",
           ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, arg_type(c, o, k)));
    diag_hint(c->cx, "choose the level that works on it first, for example push<block>");
    return false;
}

/* What is left of an array, or is put behind it, is written as the array is. */
ir_type check_rule_TAKE(checker *c, ir_op o)
{
    type_node a;
    return check_push_operand(c, o, 1, &a) ? arg_type(c, o, 1) : 0;
}

ir_type check_rule_DROP(checker *c, ir_op o)
{
    return check_rule_TAKE(c, o);
}

ir_type check_rule_PAD(checker *c, ir_op o)
{
    type_node a;
    bool known = check_push_operand(c, o, 2, &a);
    ir_type x = settle_arg(c, o, 1, known ? a.a : 0);
    if (!known || !x)
        return 0;
    if (x != a.a)
        return REFUSE(c, OPERAND_TYPES, "%s is padded by elements of type %s, not %s",
                      TEXT(c, arg_type(c, o, 2)), TEXT(c, a.a), TEXT(c, x));
    return arg_type(c, o, 2);
}

/* The array is the same but has no level any more: it is in memory. */
ir_type check_rule_FORCE(checker *c, ir_op o)
{
    type_node a;
    return check_push_operand(c, o, 0, &a) ? type_pull(c->m, a.a, a.n) : 0;
}

ir_type check_rule_BLOCKSIZE(checker *c, ir_op o)
{
    (void)o;
    return c->t_int;
}

ir_type check_rule_WARPSIZE(checker *c, ir_op o)
{
    (void)o;
    return c->t_int;
}

ir_type check_rule_LOCALSIZE(checker *c, ir_op o)
{
    (void)o;
    return c->t_int;
}

/* A region's value is typed by the operator that owns the region: see check_yielded. */
ir_type check_rule_YIELD(checker *c, ir_op o)
{
    (void)c;
    (void)o;
    return 0;
}

typing_rule *const check_typing_rules[OP_END] = {
#define SCALAROP(e, ...) [SOP_##e] = rule_scalar,
#include "ir/scalars.def"
#undef SCALAROP
#define OP(e, ...) [OP_##e] = check_rule_##e,
#include "ir/ops.def"
#undef OP
};
