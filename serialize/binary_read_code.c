/* Code in binary form: see binary_parse.h.
 *
 * A function's body is one flat array of numbers.  Operands are distances into the stack of visible values or
 * constants, so that what is read is in scope by construction; regions are opened and closed with a stack of their own.
 * One pass; nothing recurses. */
#include "serialize/binary_parse.h"

/* An operation is four numbers of a byte, most often: room for nodes is made once, by the size of the section. */
enum { BYTES_PER_OP = 4, BYTES_PER_OPERAND = 2 };

static inline bool push_value(binary *b, ir_value v)
{
    return vec_push(b->mm, &b->visible, v);
}

/* ---- operands ---- */

/* Literals get their types one by one, so each use is a value of its own. */
static ir_value constant(binary *b, uint32_t k)
{
    const known_constant *c = &b->constants.at[k];
    return c->literal ? ir_literal(b->m, (literal_kind)c->literal, c->bits)
                      : ir_const(b->m, (scalar)c->scalar, c->bits);
}

static bool bad_operand(binary *b, const unsigned char *at, int32_t x)
{
    b->c.p = at;
    if (x < 0)
        return bin_refuse(b, DIAG_BINARY_RANGE, "the operand is constant %lld, but there are %u", -1 - (long long)x,
                          b->constants.len);
    return bin_refuse(b, DIAG_BINARY_RANGE, "the operand is %d values back, but %u are visible", x, b->visible.len);
}

static bool read_any_operand(binary *b, ir_value *v)
{
    const unsigned char *at = b->c.p;
    int32_t x;
    if (!cursor_i32(&b->c, &x))
        return bin_expected(b, "an operand");
    if (x > 0 && (uint32_t)x <= b->visible.len)
        *v = b->visible.at[b->visible.len - (uint32_t)x];
    else if (x < 0 && (uint32_t)(-1 - x) < b->constants.len)
        *v = constant(b, (uint32_t)(-1 - x));
    else
        return bad_operand(b, at, x);
    return *v != 0;
}

/* Most are values at most 127 back. */
static inline bool read_operand(binary *b, ir_value *v)
{
    uint32_t x = b->c.p < b->c.end ? *b->c.p - 1u : UINT32_MAX;
    if (x >= 127 || x >= b->visible.len)
        return read_any_operand(b, v);
    b->c.p++;
    *v = b->visible.at[b->visible.len - 1 - x];
    return true;
}

static bool read_operands(binary *b, const op_info *info)
{
    uint32_t n = info->min_args;
    const unsigned char *at = b->c.p;
    b->args.len = 0;
    if (has_operand_count(info)) {
        if (!bin_number(b, &n, "the number of operands"))
            return false;
        if (n < info->min_args || n > info->max_args || n > (size_t)(b->c.end - b->c.p)) {
            b->c.p = at;
            return bin_refuse(b, DIAG_OPERANDS, "%s does not take %u operands", info->name, n);
        }
    }
    if (!vec_reserve(b->mm, &b->args, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!read_operand(b, &b->args.at[i]))
            return false;
    b->args.len = n;
    return true;
}

/* ---- what stands in <...> ---- */

typedef struct attribute_parts {
    uint32_t attr, inst;
} attribute_parts;

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

static bool read_call(binary *b, attribute_parts *x)
{
    uint32_t f;
    if (!bin_index(b, &f, b->funcs.len, "the function that is called"))
        return false;
    x->attr = b->funcs.at[f];
    return read_instance(b, x);
}

static bool read_binders(binary *b, attribute_parts *x)
{
    uint32_t ntypes, nlevels;
    ir_tvar first;
    if (!bin_number(b, &ntypes, "the number of type parameters") ||
        !bin_number(b, &nlevels, "the number of level parameters") || !bin_bind(b, ntypes, nlevels, b->func, &first))
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

static bool read_attr(binary *b, const op_info *info, attribute_parts *x)
{
    switch ((attr_kind)info->attr) {
    case ATTR_NONE: return true;
    case ATTR_LEVEL: return bin_level(b, &x->attr);
    case ATTR_TYPE:
        return bin_type(b, &x->attr) && (x->attr || bin_refuse(b, DIAG_BINARY_RANGE, "%s needs a type", info->name));
    case ATTR_CALL: return read_call(b, x);
    case ATTR_BIND: return read_binders(b, x);
    }
    return false;
}

/* ---- regions ---- */

static bool enter(binary *b, ir_region r, ir_op owner, uint32_t left)
{
    inner_region x = {.region = r, .owner = owner, .left = left, .mark = b->visible.len};
    if (b->open.len >= b->cx->limits.region_depth)
        return bin_refuse(b, DIAG_TOO_DEEP, "regions nest deeper than %u", b->cx->limits.region_depth);
    return vec_push(b->mm, &b->open, x);
}

static bool read_region_params(binary *b, ir_region r)
{
    uint32_t n;
    const unsigned char *at = b->c.p;
    if (!bin_number(b, &n, "the number of a region's parameters"))
        return false;
    if (n > (size_t)(b->c.end - b->c.p)) {
        b->c.p = at;
        return bin_refuse(b, DIAG_BINARY_CUT, "a region claims %u parameters, more than there is", n);
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

/* Behind the end of a region: the next one of its owner, or what comes after that. */
static bool close_region(binary *b)
{
    inner_region x = b->open.at[--b->open.len];
    b->visible.len = x.mark;
    if (x.left)
        return open_inner(b, x.region + 1, x.owner, x.left - 1);
    return !x.owner || push_value(b, ir_op_at(b->m, x.owner)->result);
}

/* ---- operations ---- */

static bool unknown_operator(binary *b, const unsigned char *at, uint32_t code)
{
    b->c.p = at;
    bin_refuse(b, DIAG_BINARY_UNKNOWN, "there is no operator %u", code);
    if (b->major * 100 + b->minor > FORMAT_VERSION)
        diag_hint(b->cx, "the file has version %u.%u of the format, this library %d.%d", b->major, b->minor,
                  FORMAT_MAJOR, FORMAT_MINOR);
    return false;
}

static bool wrong_end(binary *b, const unsigned char *at, const char *name)
{
    b->c.p = at;
    return bin_refuse(b, DIAG_BAD_END, "%s cannot end this region: yield ends regions, return functions", name);
}

/* Makes the operation of what was read, with the type of its result. */
static ir_op add_operation(binary *b, uint32_t code, const op_info *info, const attribute_parts *x, ir_type t)
{
    ir_module *m = b->m;
    ir_op o = ir_add_op(m, b->open.at[b->open.len - 1].region, (opcode)code, b->args.at, b->args.len,
                        ir_loc_later((subject){ON_OP, m->ops.len}));
    op_node *n = ir_op_at(m, o);
    if (!o)
        return 0;
    if (info->attr == ATTR_LEVEL || info->attr == ATTR_TYPE || info->attr == ATTR_CALL)
        n->attr = x->attr;
    n->inst = x->inst;
    if (t) {
        ir_value_at(m, n->result)->type = t;
        ir_value_at(m, n->result)->annotated = 1;
    }
    return o;
}

static bool read_op(binary *b)
{
    const unsigned char *at = b->c.p;
    uint32_t code;
    ir_type t = 0;
    attribute_parts x = {0};
    if (!cursor_u32(&b->c, &code))
        return bin_expected(b, "an operator");
    const op_info *info = ir_op_info(code);
    if (!info->name)
        return unknown_operator(b, at, code);
    if (!info->has_result && (code == OP_RETURN) != (b->open.len == 1))
        return wrong_end(b, at, info->name);
    if ((info->attr != ATTR_NONE && !read_attr(b, info, &x)) || !read_operands(b, info) ||
        (info->has_result && !bin_type(b, &t)))
        return false;
    ir_op o = add_operation(b, code, info, &x, t);
    if (!o)
        return false;
    if (!info->has_result)
        return close_region(b);
    if (info->regions)
        return open_inner(b, ir_op_at(b->m, o)->regions, o, info->regions - 1u);
    return push_value(b, ir_op_at(b->m, o)->result);
}

/* ---- functions ---- */

static bool read_body(binary *b, ir_func f)
{
    const region_node whole = *ir_region_at(b->m, ir_func_at(b->m, f)->body);
    func_extent here = {.ops = b->m->ops.len, .values = b->m->values.len};
    uint32_t n;
    b->func = f;
    b->visible.len = b->open.len = 0;
    if (!vec_push(b->mm, &b->extents, here) || !bin_array(b, &n, "the code of a function"))
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
    return found == n || bin_refuse(b, DIAG_BINARY_SYNTAX, "the code ends after %zu numbers, not %u", found, n);
}

/* Room that turns out to be too much is given back when the module is complete, or never touched. */
static bool make_room(binary *b)
{
    ir_module *m = b->m;
    uint64_t size = (uint64_t)(b->c.end - b->c.p);
    return vec_reserve(b->mm, &m->ops, size / BYTES_PER_OP) && vec_reserve(b->mm, &m->values, size / BYTES_PER_OP) &&
           vec_reserve(b->mm, &m->pool, size / BYTES_PER_OPERAND);
}

bool bin_code(binary *b)
{
    if (!make_room(b) || !bin_array_of(b, b->own, "the code of the functions"))
        return false;
    for (uint32_t i = 0; i < b->own; i++)
        if (!read_body(b, b->funcs.at[i]))
            return false;
    b->func = 0;
    func_extent end = {.ops = b->m->ops.len, .values = b->m->values.len};
    if (b->bound != b->ntvars)
        return bin_refuse(b, DIAG_BINARY_RANGE, "%u type and level parameters are bound nowhere", b->ntvars - b->bound);
    return vec_push(b->mm, &b->extents, end);
}
