/* Values as vectors of OpenCL C: one operation for all lanes where the language has it, else the elements one by
 * one, as the scalar code writes them.
 *
 * A function that OpenCL C has for numbers it has for vectors as well.  Comparisons give -1 and 0, in integers as
 * wide as what is compared; ours are ints, so that a bool of any origin is one thing. */
#include "backends/opencl/vectors.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

#include <ctype.h>
#include <string.h>

static cl_vectors *vectors(c_emitter *e)
{
    return cl_uses_of(e)->vectors;
}

/* ---- which operation ---- */

static bool is_divided_by_known(const c_emitter *e, const k_node *n)
{
    int64_t by;
    return k_is_const(e->p, n->args[1], &by) && by != 0 && by != -1;
}

/* NAME($1e), NAME($1e, $2e) or NAME($1e, $2e, $3e), of a function of the language's own. */
static bool is_call(const char *text)
{
    static const char *const operands[] = {"($1e)", "($1e, $2e)", "($1e, $2e, $3e)"};
    size_t name = 0;
    while (text && (isalnum((unsigned char)text[name]) || text[name] == '_'))
        name++;
    for (int i = 0; name && i < 3; i++)
        if (strcmp(text + name, operands[i]) == 0)
            return true;
    return false;
}

static const char *division_text(const c_emitter *e, const k_node *n)
{
    bool rest = n->opcode == SOP_REM || n->opcode == SOP_MOD;
    if (!is_divided_by_known(e, n))
        return NULL;
    switch (n->form) {
    case FORM_PLAIN: return rest ? "$1 % $2" : "$1 / $2";
    case FORM_NATURAL: return rest ? "as_$T(as_$V($1) % as_$V($2))" : "as_$T(as_$V($1) / as_$V($2))";
    case FORM_POWER: return rest ? "$1 & $L" : "$1 >> $K";
    default: return NULL;
    }
}

/* The usual words for sums wrap in a vector, too, but only unsigned ones are said to. */
static const char *sum_text(const k_node *n, bool real)
{
    bool wraps = !real && n->form == FORM_WRAPPING;
    switch (n->opcode) {
    case SOP_ADD: return wraps ? "as_$T(as_$V($1) + as_$V($2))" : "$1 + $2";
    case SOP_SUB: return wraps ? "as_$T(as_$V($1) - as_$V($2))" : "$1 - $2";
    case SOP_MUL: return wraps ? "as_$T(as_$V($1) * as_$V($2))" : "$1 * $2";
    default: return wraps ? "as_$T(-as_$V($1))" : "-$1";
    }
}

static const char *relation_text(uint16_t op)
{
    switch (op) {
    case SOP_EQ: return "$1 == $2";
    case SOP_NE: return "$1 != $2";
    case SOP_LT: return "$1 < $2";
    case SOP_LE: return "$1 <= $2";
    case SOP_GT: return "$1 > $2";
    case SOP_GE: return "$1 >= $2";
    default: return NULL;
    }
}

/* Of bools, which are ints of all bits or none. */
static const char *logical_text(uint16_t op)
{
    switch (op) {
    case SOP_AND: return "$1 & $2";
    case SOP_OR: return "$1 | $2";
    case SOP_NE:
    case SOP_XOR: return "$1 ^ $2";
    case SOP_EQ: return "~($1 ^ $2)";
    case SOP_NOT: return "~$1";
    case SOP_SELECT: return "$3 ^ (($3 ^ $2) & $1)";
    default: return NULL;
    }
}

/* Functions of vectors that the driver gets wrong. */
static bool is_wrong(const c_emitter *e, const k_node *n)
{
    bool of_doubles = n->opcode == SOP_REM || n->opcode == SOP_POW,
         of_floats = n->opcode == SOP_SIN || n->opcode == SOP_COS || n->opcode == SOP_TAN;
    return (e->p->target.quirks & QUIRK_VECTOR_FUNCTIONS) &&
           ((of_doubles && n->type == ST_F64) || (of_floats && n->type == ST_F32));
}

static const char *operator_text(const c_emitter *e, const k_node *n)
{
    scalar t = (scalar)k_at(e->p, n->args[n->opcode == SOP_SELECT])->type;
    bool real = ir_scalar_is_float(t);
    const char *text = c_text_of(e, n);
    if (t == ST_BOOL)
        return logical_text(n->opcode);
    switch (n->opcode) {
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_NEG: return sum_text(n, real);
    case SOP_DIV:
    case SOP_MOD:
    case SOP_QUOT:
    case SOP_REM: return real ? is_call(text) ? text : NULL : division_text(e, n);
    case SOP_FDIV: return n->form == FORM_PLAIN ? "$1 / $2" : is_call(text) ? text : NULL;
    case SOP_ABS: return real ? text : "as_$T(abs($1))";
    case SOP_AND: return "$1 & $2";
    case SOP_OR: return "$1 | $2";
    case SOP_XOR: return "$1 ^ $2";
    case SOP_NOT: return "~$1";
    case SOP_SHL: return "as_$T(as_$V($1) << as_$V($2))";
    case SOP_SHR: return "$1 >> $2";
    case SOP_LSHR: return "as_$T(as_$V($1) >> as_$V($2))";
    case SOP_SELECT: return "select($3, $2, $M)";
    case SOP_ISNAN: return "$1 != $1";
    default: return relation_text(n->opcode) ? relation_text(n->opcode) : is_call(text) ? text : NULL;
    }
}

static const char *convert_text(const c_emitter *e, const k_node *n)
{
    scalar from = (scalar)k_at(e->p, n->args[0])->type;
    if (n->form == FORM_SATURATING || from == ST_F16)
        return NULL;
    if (n->type == ST_BOOL)
        return from == ST_BOOL ? "$1" : "$1 != $Z";
    return from == ST_BOOL ? "convert_$T($1 & 1)" : "convert_$T($1)";
}

const char *cl_vector_text(const c_emitter *e, k_id v)
{
    const k_node *n = k_at(e->p, v);
    scalar from = (scalar)k_at(e->p, n->args[0])->type;
    switch (n->op) {
    case K_SCALAR: return is_wrong(e, n) ? NULL : operator_text(e, n);
    case K_CONVERT: return convert_text(e, n);
    case K_BITCAST: return n->type == ST_BOOL || from == ST_BOOL ? NULL : "as_$T($1)";
    default: return NULL;
    }
}

/* ---- as text ---- */

void cl_vector_type(c_emitter *e, const cl_vectors *x, scalar t)
{
    c_put(e, "%s%u", c_type(e->language, t == ST_BOOL ? ST_I32 : t), x->width);
}

void cl_vector_name(c_emitter *e, k_id v)
{
    k_id alias = c_note_of(e, v)->alias;
    c_put(e, "w%u", alias ? alias : v);
}

void cl_mask_name(c_emitter *e, const cl_vectors *x)
{
    c_put(e, "%s%u", x->otherwise ? "n" : "m", x->mask);
}

/* (int4)(0, 1, 2, 3), times the step. */
static void put_steps(c_emitter *e, const cl_vectors *x, k_id v)
{
    c_put(e, "(");
    cl_vector_type(e, x, (scalar)k_at(e->p, v)->type);
    c_put(e, ")(");
    for (uint32_t k = 0; k < x->width; k++)
        c_put(e, "%s%lld", k ? ", " : "", (long long)k * x->steps[v]);
    c_put(e, ")");
}

void cl_vector(c_emitter *e, const cl_vectors *x, k_id v)
{
    scalar t = (scalar)k_at(e->p, v)->type;
    if (cl_kind_of(x, v) == CL_OWN) {
        cl_vector_name(e, v);
        return;
    }
    c_put(e, cl_kind_of(x, v) == CL_STEP ? "((" : "(");
    cl_vector_type(e, x, t);
    c_put(e, t == ST_BOOL ? ")(-(int)" : ")(");
    c_value(e, v, t == ST_BOOL ? FCL_C_UNARY : FCL_C_ANY);
    c_put(e, ")");
    if (cl_kind_of(x, v) == CL_STEP) {
        c_put(e, " + ");
        put_steps(e, x, v);
        c_put(e, ")");
    }
}

/* The signed integer of a width: what a relation of numbers so wide gives, and what a select of them takes. */
static scalar mask_type(scalar t)
{
    switch (t == ST_BOOL ? 4 : ir_scalar_bytes(t)) {
    case 1: return ST_I8;
    case 2: return ST_I16;
    case 4: return ST_I32;
    default: return ST_I64;
    }
}

static void put_mask(c_emitter *e, const cl_vectors *x, k_id v, scalar of)
{
    bool same = mask_type(of) == ST_I32;
    if (!same) {
        c_put(e, "convert_");
        cl_vector_type(e, x, mask_type(of));
        c_put(e, "(");
    }
    cl_vector(e, x, v);
    c_put(e, same ? "" : ")");
}

static void put_number(c_emitter *e, const cl_vectors *x, scalar t, int64_t n)
{
    c_put(e, "(");
    cl_vector_type(e, x, t);
    c_put(e, ")(%lld)", (long long)n);
}

static void put_part(c_emitter *e, const cl_vectors *x, const k_node *n, char part)
{
    scalar t = (scalar)n->type;
    switch (part) {
    case 'T': cl_vector_type(e, x, t); break;
    case 'V': cl_vector_type(e, x, (scalar)ir_scalar_info(t)->bits); break;
    case 'K': put_number(e, x, t, c_log2_of(k_lo(e->p, n->args[1]))); break;
    case 'L': put_number(e, x, t, k_lo(e->p, n->args[1]) - 1); break;
    case 'Z': put_number(e, x, (scalar)k_at(e->p, n->args[0])->type, 0); break;
    case 'M': put_mask(e, x, n->args[0], t); break;
    default: cl_vector(e, x, n->args[part - '1']); break;
    }
}

/* A relation of what is not as wide as an int has to become one. */
static void put_together(c_emitter *e, const cl_vectors *x, const k_node *n, const char *text)
{
    scalar from = (scalar)k_at(e->p, n->args[0])->type;
    bool narrow = n->type == ST_BOOL && mask_type(from) != ST_I32;
    if (narrow) {
        c_put(e, "convert_");
        cl_vector_type(e, x, ST_BOOL);
        c_put(e, "(");
    }
    for (const char *s = text; *s; s++) {
        if (*s != '$') {
            c_put(e, "%c", *s);
            continue;
        }
        put_part(e, x, n, *++s);
        s += isdigit((unsigned char)*s) && s[1] == 'e';
    }
    c_put(e, narrow ? ")" : "");
}

void cl_choose(c_emitter *e, const cl_vectors *x, k_id test, k_id yes, k_id no)
{
    scalar t = (scalar)k_at(e->p, yes)->type;
    if (t == ST_BOOL) {
        cl_vector(e, x, no);
        c_put(e, " ^ ((");
        cl_vector(e, x, no);
        c_put(e, " ^ ");
        cl_vector(e, x, yes);
        c_put(e, ") & ");
        cl_vector(e, x, test);
        c_put(e, ")");
        return;
    }
    c_put(e, "select(");
    cl_vector(e, x, no);
    c_put(e, ", ");
    cl_vector(e, x, yes);
    c_put(e, ", ");
    put_mask(e, x, test, t);
    c_put(e, ")");
}

/* Of what the lanes are combined to: the carried number by its name, or as the lane that it is for, what is combined
 * with it as another lane of the carried vector, and the test of a minimum in its place. */
static bool put_folded(c_emitter *e, const cl_vectors *x, k_id v)
{
    const k_node *next = k_at(e->p, x->fold.next);
    if (v == x->fold.before && x->into < 0)
        return false;
    if (next->opcode == SOP_SELECT && v == next->args[0]) {
        c_put(e, "(");
        c_operation(e, v);
        c_put(e, ")");
        return true;
    }
    cl_vector_name(e, x->fold.before);
    c_put(e, ".s%x", (unsigned)(v == x->fold.before ? x->into : x->lane));
    return true;
}

void cl_combine(c_emitter *e, cl_vectors *x, c_combined c, int into, int lane)
{
    x->fold = c;
    x->into = into;
    x->lane = lane;
    e->replaces = true;
    c_operation(e, c.next);
    e->replaces = false;
    x->fold = (c_combined){0};
    x->lane = -1;
}

bool cl_lane_operand(c_emitter *e, k_id v)
{
    cl_vectors *x = vectors(e);
    if (x->fold.next)
        return put_folded(e, x, v);
    if (x->lane < 0 || cl_kind_of(x, v) == CL_SAME)
        return false;
    int lane = x->lane;
    bool is_bool = k_at(e->p, v)->type == ST_BOOL;
    x->lane = -1;
    if (cl_kind_of(x, v) == CL_OWN) {
        c_put(e, is_bool ? "(" : "");
        cl_vector_name(e, v);
        c_put(e, ".s%x%s", (unsigned)lane, is_bool ? " != 0)" : "");
    } else {
        c_put(e, "(");
        c_value(e, v, FCL_C_SUM);
        c_put(e, " + %lld)", (long long)lane * x->steps[v]);
    }
    x->lane = lane;
    return true;
}

/* What may not be computed for a lane that is not at work: what reads memory, and what divides. */
static bool is_for_work(const k_node *n)
{
    return n->op == K_LOAD || (n->op == K_SCALAR && (n->opcode == SOP_DIV || n->opcode == SOP_MOD ||
                                                     n->opcode == SOP_QUOT || n->opcode == SOP_REM));
}

/* All lanes, one by one, as the elements of a vector. */
static void put_alone(c_emitter *e, cl_vectors *x, k_id v)
{
    const k_node *n = k_at(e->p, v);
    bool asks = x->mask && is_for_work(n);
    c_put(e, "(");
    cl_vector_type(e, x, (scalar)n->type);
    c_put(e, ")(");
    for (x->lane = 0; x->lane < (int)x->width; x->lane++) {
        c_put(e, x->lane ? ", " : "");
        if (asks) {
            cl_mask_name(e, x);
            c_put(e, ".s%x ? ", (unsigned)x->lane);
        }
        c_put(e, n->type == ST_BOOL ? "-(int)(" : "(%s)(", c_type(e->language, (scalar)n->type));
        c_operation(e, v);
        c_put(e, asks ? ") : 0" : ")");
    }
    x->lane = -1;
    c_put(e, ")");
}

void cl_vector_operation(c_emitter *e, cl_vectors *x, k_id v)
{
    const char *text = cl_vector_text(e, v);
    if (text)
        put_together(e, x, k_at(e->p, v), text);
    else
        put_alone(e, x, v);
}
