/* The section `code` of docs/format.md: see binary/parse.h.
 *
 * A function's body is one flat array of numbers.  Operands are distances into the stack of visible
 * values or constants (de Bruijn indices of values), so that what is read is in scope by
 * construction; regions are opened and closed with a stack of their own.  One pass, linear in the
 * bytes; nothing recurses.
 *
 * Most numbers are one byte.  Within an operation the cursor is a pointer in a register, `p`, which
 * functions take and return behind what they read, NULL when they refused it; b->c.p is set from it
 * where anything else is read. */
#include "serialize/binary/parse.h"

#include "ir/append.h"
#include "ir/data.h"

/* For what both kinds of operators share: called, it would know no constants and keep nothing in
 * registers. */
#define INLINE static inline __attribute__((always_inline))

/* An operation is four numbers of a byte, most often, with constants among its operands: room for
 * nodes is made once, by the size of the section.  Growing would copy, and touch new pages for the
 * copy. */
enum { BYTES_PER_OP = 4, BYTES_PER_VALUE = 3, BYTES_PER_OPERAND = 2, BYTES_PER_REGION = 6 };

/* Makes a value visible until its region ends. */
static inline bool push_value(binary *b, ir_value v)
{
    return vec_push(b->mm, &b->visible, v);
}

/* ---- operands ---- */

/* Literals get their types one by one, so each use is a value of its own.  They are counted: the
 * section of names has no entries for them. */
static ir_value constant(binary *b, uint32_t k)
{
    const known_constant *c = &b->constants.at[k];
    b->nconstants++;
    return c->literal ? ir_literal(b->m, (literal_kind)c->literal, c->bits)
                      : ir_written_const(b->m, (scalar)c->scalar, c->bits);
}

static bool bad_operand(binary *b, const unsigned char *at, int32_t x)
{
    b->c.p = at;
    if (x < 0 && (uint32_t)(-1 - x) < b->constants.len)
        return bin_refuse(b, DIAG_BINARY_RANGE, "the operand is constant %lld, and that is bytes",
                          -1 - (long long)x);
    if (x < 0)
        return bin_refuse(b, DIAG_BINARY_RANGE, "the operand is constant %lld, but there are %u",
                          -1 - (long long)x, b->constants.len);
    return bin_refuse(b, DIAG_BINARY_RANGE, "the operand is %d values back, but %u are visible", x,
                      b->visible.len);
}

/* x > 0: the value x places from the end of the stack; x < 0: constant -1 - x; 0 is neither. */
static bool read_any_operand(binary *b, ir_value *v)
{
    const unsigned char *at = b->c.p;
    int32_t x;
    if (!cursor_i32(&b->c, &x))
        return bin_expected(b, "an operand");
    if (x > 0 && (uint32_t)x <= b->visible.len)
        *v = b->visible.at[b->visible.len - (uint32_t)x];
    else if (x < 0 && (uint32_t)(-1 - x) < b->constants.len && !b->constants.at[-1 - x].is_bytes)
        *v = constant(b, (uint32_t)(-1 - x));
    else
        return bad_operand(b, at, x);
    return *v != 0;
}

/* Most are values at most 127 back. */
INLINE const unsigned char *read_operand(binary *b, const unsigned char *p, ir_value *v)
{
    uint32_t x = p < b->c.end ? *p - 1u : UINT32_MAX;
    if (x < 127 && x < b->visible.len) {
        *v = b->visible.at[b->visible.len - 1 - x];
        return p + 1;
    }
    b->c.p = p;
    return read_any_operand(b, v) ? b->c.p : NULL;
}

/* Only for operators that leave it open.  Each operand takes a byte, so no room is made for
 * more. */
static const unsigned char *read_operand_count(binary *b, const unsigned char *p,
                                               const op_info *info, uint32_t *n)
{
    b->c.p = p;
    if (!bin_number(b, n, "the number of operands"))
        return NULL;
    if (*n >= info->min_args && *n <= info->max_args && *n <= (size_t)(b->c.end - b->c.p))
        return b->c.p;
    b->c.p = p;
    bin_refuse(b, DIAG_OPERANDS, "%s does not take %u operands", info->name, *n);
    return NULL;
}

/* Into the pool, behind its last element, where they become an operation's. */
INLINE const unsigned char *read_operands(binary *b, const unsigned char *p, uint32_t n)
{
    if (!vec_reserve(b->mm, &b->m->pool, n))
        return NULL;
    ir_value *out = b->m->pool.at + b->m->pool.len;
    for (uint32_t i = 0; i < n && p; i++)
        p = read_operand(b, p, &out[i]);
    return p;
}

/* The type of a result. */
INLINE const unsigned char *read_type(binary *b, const unsigned char *p, ir_type *t)
{
    if (p < b->c.end && *p < 0x80 && *p < b->types.len &&
        needs_are_met(b, &b->types.at[*p].needs)) {
        *t = b->types.at[*p].type;
        return p + 1;
    }
    b->c.p = p;
    return bin_type(b, t) ? b->c.p : NULL;
}

/* ---- what stands in <...> ---- */

typedef struct attribute_parts {
    uint32_t attr, inst;
} attribute_parts;

/* types, levels, so many types, so many levels; 0 and 0 for no instance. */
static bool read_instance(binary *b, attribute_parts *x)
{
    uint32_t ntypes, nlevels, item;
    b->lists.len = 0;
    if (!bin_index(b, &ntypes, UINT16_MAX, "the number of types of an instance") ||
        !bin_index(b, &nlevels, UINT16_MAX, "the number of levels of an instance"))
        return false;
    for (uint32_t i = 0; i < ntypes + nlevels; i++) {
        if (i < ntypes ? !bin_type(b, &item) : !bin_level(b, &item))
            return false;
        if (!item)
            return bin_refuse(b, DIAG_BINARY_RANGE, "a type of an instance is the unknown one");
        if (!vec_push(b->mm, &b->lists, item))
            return false;
    }
    if (ntypes + nlevels)
        x->inst = ir_add_inst(b->m, b->lists.at, ntypes, b->lists.at + ntypes, nlevels);
    return x->inst || !(ntypes + nlevels);
}

/* CALL: function, instance. */
static bool read_call(binary *b, attribute_parts *x)
{
    uint32_t f;
    if (!bin_index(b, &f, b->funcs.len, "the function that is called"))
        return false;
    x->attr = b->funcs.at[f];
    return read_instance(b, x);
}

/* BIND: the numbers of type and level parameters that an fn binds, which are the next of the
 * table. */
static bool read_binders(binary *b, attribute_parts *x)
{
    uint32_t ntypes, nlevels;
    ir_tvar first;
    if (!bin_index(b, &ntypes, UINT8_MAX + 1, "the number of type parameters") ||
        !bin_index(b, &nlevels, UINT8_MAX + 1, "the number of level parameters") ||
        !bin_bind(b, ntypes, nlevels, b->func, &first))
        return false;
    uint32_t n = ntypes + nlevels;
    b->lists.len = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!vec_push(b->mm, &b->lists, first + i))
            return false;
    if (n)
        x->inst = ir_add_inst(b->m, b->lists.at, ntypes, b->lists.at + ntypes, nlevels);
    return x->inst || !n;
}

/* type, dimensions, extents, constant */
static bool read_data(binary *b, attribute_parts *x)
{
    uint32_t rank, extents[MAX_RANK], k;
    if (!bin_type(b, &x->attr) ||
        !bin_index(b, &rank, MAX_RANK + 1, "the number of dimensions of a constant"))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (!bin_number(b, &extents[i], "an extent"))
            return false;
    if (!bin_index(b, &k, b->constants.len, "the number of a constant"))
        return false;
    if (!b->constants.at[k].is_bytes)
        return bin_refuse(b, DIAG_BINARY_RANGE, "constant %u is no bytes", k);
    const char *wrong =
        ir_data_wrong(b->m, x->attr, extents, rank, (str_id)b->constants.at[k].bits);
    if (wrong)
        return bin_refuse(b, DIAG_BINARY_RANGE, "this constant %s", wrong);
    x->inst = ir_add_data(b->m, extents, rank, (str_id)b->constants.at[k].bits);
    return x->inst != 0;
}

/* What stands in <...>, by the operator's kind of attribute. */
static bool read_parts(binary *b, const op_info *info, attribute_parts *x)
{
    switch ((attr_kind)info->attr) {
    case ATTR_NONE: return true;
    case ATTR_LEVEL: return bin_level(b, &x->attr);
    case ATTR_TYPE:
        return bin_type(b, &x->attr) &&
               (x->attr || bin_refuse(b, DIAG_BINARY_RANGE, "%s needs a type", info->name));
    case ATTR_CALL: return read_call(b, x);
    case ATTR_BIND: return read_binders(b, x);
    case ATTR_DATA: return read_data(b, x);
    }
    return false;
}

static const unsigned char *read_attr(binary *b, const unsigned char *p, const op_info *info,
                                      attribute_parts *x)
{
    b->c.p = p;
    return read_parts(b, info, x) ? b->c.p : NULL;
}

/* ---- regions ---- */

/* What is read from here on goes into the region; `mark` is what is visible when it ends. */
static bool enter(binary *b, ir_region r, ir_op owner, uint32_t left)
{
    inner_region x = {.region = r, .owner = owner, .left = left, .mark = b->visible.len};
    if (b->open.len >= b->cx->limits.region_depth)
        return bin_refuse(b, DIAG_TOO_DEEP, "regions nest deeper than %u",
                          b->cx->limits.region_depth);
    return vec_push(b->mm, &b->open, x);
}

/* n, type, ...: the numbers of types, 0 where one is not known. */
static bool read_region_params(binary *b, ir_region r)
{
    uint32_t n;
    const unsigned char *at = b->c.p;
    if (!bin_number(b, &n, "the number of a region's parameters"))
        return false;
    if (n > (size_t)(b->c.end - b->c.p)) {
        b->c.p = at;
        return bin_refuse(b, DIAG_BINARY_CUT, "a region claims %u parameters, more than there is",
                          n);
    }
    while (n--) {
        ir_type t;
        if (!bin_type(b, &t))
            return false;
        ir_value v = ir_add_param(b->m, r, t, 0, t != 0);
        if (!v || !push_value(b, v))
            return false;
    }
    return true;
}

static bool open_inner(binary *b, ir_region r, ir_op owner, uint32_t left)
{
    return enter(b, r, owner, left) && read_region_params(b, r);
}

/* Behind the end of a region: the next one of its owner, or what comes after that.  The regions of
 * an operation have consecutive numbers; its result is visible behind the last. */
static bool close_region(binary *b)
{
    inner_region x = b->open.at[--b->open.len];
    b->visible.len = x.mark;
    if (x.left)
        return open_inner(b, x.region + 1, x.owner, x.left - 1);
    return !x.owner || push_value(b, ir_op_at(b->m, x.owner)->result);
}

/* ---- operations ---- */

static bool wrong_end(binary *b, const unsigned char *at, const char *name)
{
    b->c.p = at;
    return bin_refuse(b, DIAG_BAD_END,
                      "%s cannot end this region: yield ends regions, return functions", name);
}

/* Makes the operation of what was read, with the type of its result; its operands are behind the
 * end of the pool. Inline for read_scalar, which knows what such operators have none of. */
INLINE op_node *add_operation(binary *b, uint32_t code, uint32_t nargs, bool has_result, ir_type t)
{
    ir_module *m = b->m;
    if (nargs > OPERANDS_MANY || !vec_reserve(b->mm, &m->ops, 1) ||
        !vec_reserve(b->mm, &m->values, 1))
        return NULL;
    m->pool.len += nargs;
    ir_op o = ir_append_op(m, b->open.at[b->open.len - 1].region, (opcode)code, nargs,
                           ir_loc_later((subject){ON_OP, m->ops.len}), has_result);
    if (t) {
        value_node *v = &m->values.at[m->values.len - 1];
        v->type = t;
        v->annotated = 1;
    }
    return &m->ops.at[o];
}

/* A scalar operator has a fixed number of operands, a result, and nothing else.  Most operators
 * are. */
static bool read_scalar(binary *b, uint32_t code, uint32_t nargs)
{
    ir_type t = 0;
    const unsigned char *p = read_operands(b, b->c.p, nargs);
    if (!p || !(p = read_type(b, p, &t)))
        return false;
    b->c.p = p;
    return add_operation(b, code, nargs, true, t) && push_value(b, b->m->values.len - 1);
}

/* The operator's code; NULL when it is none. */
static inline const op_info *read_operator(binary *b, uint32_t *code)
{
    const unsigned char *at = b->c.p;
    if (!cursor_u32(&b->c, code)) {
        bin_expected(b, "an operator");
        return NULL;
    }
    const op_info *info = ir_op_info(*code);
    if (!info->name)
        return bin_unknown(b, at, "there is no operator %u", *code), NULL;
    if (!info->has_result && (*code == OP_RETURN) != (b->open.len == 1))
        return wrong_end(b, at, info->name), NULL;
    return info;
}

/* The parts of any operation. */
static bool read_any_op(binary *b, uint32_t code, const op_info *info)
{
    uint32_t nargs = info->min_args;
    ir_type t = 0;
    attribute_parts x = {0};
    const unsigned char *p = b->c.p;
    if ((info->attr != ATTR_NONE && !(p = read_attr(b, p, info, &x))) ||
        (has_operand_count(info) && !(p = read_operand_count(b, p, info, &nargs))) ||
        !(p = read_operands(b, p, nargs)) || (info->has_result && !(p = read_type(b, p, &t))))
        return false;
    b->c.p = p;
    if (info->regions && !(x.attr = ir_add_regions(b->m, b->m->ops.len, info->regions, b->func)))
        return false;
    op_node *n = add_operation(b, code, nargs, info->has_result, t);
    if (!n)
        return false;
    n->attr = x.attr; /* or its regions: no operator has both */
    n->inst = x.inst;
    if (!info->has_result)
        return close_region(b);
    if (info->regions)
        return open_inner(b, n->regions, b->m->ops.len - 1, info->regions - 1u);
    return push_value(b, n->result);
}

/* One operation, up to its first region. */
static inline bool read_op(binary *b)
{
    uint32_t code;
    const op_info *info = read_operator(b, &code);
    if (info && info->is_scalar)
        return read_scalar(b, code, info->min_args);
    return info && read_any_op(b, code, info);
}

/* ---- functions ---- */

/* Notes where operations and values of the next function begin: the optional sections count from
 * here. */
static bool begin_extent(binary *b)
{
    func_extent x = {.ops = b->m->ops.len, .values = b->m->values.len, .constants = b->nconstants};
    return vec_push(b->mm, &b->extents, x);
}

/* [number, ...], until the region of the body is closed, which its `return` does.  How many numbers
 * that was is compared with the array's length at the end: counting would cost more than
 * subtracting. */
static bool read_body(binary *b, ir_func f)
{
    const region_node whole = *ir_region_at(b->m, ir_func_at(b->m, f)->body);
    uint32_t n;
    b->func = f;
    b->visible.len = b->open.len = 0;
    if (!begin_extent(b) || !bin_array(b, &n, "the code of a function"))
        return false;
    size_t passed = cursor_numbers(&b->c, b->data);
    for (uint32_t i = 0; i < whole.nparams; i++)
        if (!push_value(b, whole.params + i))
            return false;
    if (!enter(b, ir_func_at(b->m, f)->body, 0, 0))
        return false;
    b->open.at[0].mark = 0;
    while (b->open.len)
        if (!read_op(b))
            return false;
    size_t found = cursor_numbers(&b->c, b->data) - passed;
    return found == n ||
           bin_refuse(b, DIAG_BINARY_SYNTAX, "the code ends after %zu numbers, not %u", found, n);
}

/* Room that turns out to be too much is given back when the module is complete, or never touched.
 */
static bool make_room(binary *b)
{
    ir_module *m = b->m;
    uint64_t size = (uint64_t)(b->c.end - b->c.p);
    return vec_reserve(b->mm, &m->ops, size / BYTES_PER_OP) &&
           vec_reserve(b->mm, &m->values, size / BYTES_PER_VALUE) &&
           vec_reserve(b->mm, &m->pool, size / BYTES_PER_OPERAND) &&
           vec_reserve(b->mm, &m->regions, size / BYTES_PER_REGION) &&
           vec_reserve(b->mm, &b->visible, size / BYTES_PER_OP);
}

/* [body, ...], one for each own function.  All parameters of types and levels are bound then. */
bool bin_code(binary *b)
{
    if (!make_room(b) || !bin_array_of(b, b->own, "the code of the functions"))
        return false;
    for (uint32_t i = 0; i < b->own; i++)
        if (!read_body(b, b->funcs.at[i]))
            return false;
    b->func = 0;
    if (b->bound != b->ntvars)
        return bin_refuse(b, DIAG_BINARY_RANGE, "%u type and level parameters are bound nowhere",
                          b->ntvars - b->bound);
    return begin_extent(b);
}
