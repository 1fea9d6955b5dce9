/* Operands and types: what every operator takes, from one table.
 *
 * A letter tells what an operand is: - none, v any value, i a position or count (int or i64), n an
 * int, b a bool, m a memory, e a value of the node's type, = a value of the type of the operand
 * before, ? an i that may be missing.  The last letter is for the listed operands. */
#include "ir/kernel/verify/impl.h"

#include "ir/kernel/form.h"
#include "ir/scalar/scalar.h"

#include <string.h>

typedef struct shape {
    const char *operands; /* a, b, c, and what is listed; NULL: looked at elsewhere */
    char type;            /* - none, * any, n int, b bool, = that of a, m that of memory a */
    uint8_t blocks;
} shape;

static const shape shapes[K_END] = {
    [K_CONST] = {"----", '*', 0},     [K_ARG] = {"----", '*', 0},
    [K_DIM] = {"----", 'n', 0},       [K_CONVERT] = {"v---", '*', 0},
    [K_BITCAST] = {"v---", '*', 0},   [K_BUILTIN] = {"----", 'n', 0},
    [K_BUFFER] = {"----", '*', 0},    [K_ALLOC] = {"i?--", '*', 0},
    [K_TABLE] = {"---e", '*', 0},     [K_LOAD] = {"mi--", 'm', 0},
    [K_STORE] = {"mie-", 'm', 0},     [K_LOADWIDE] = {"mi--", 'm', 0},
    [K_STOREWIDE] = {"mi-e", 'm', 0}, [K_SHUFFLE] = {"vn--", '=', 0},
    [K_SYNC] = {"----", '-', 0},      [K_OUTPUT] = {"m--i", 'm', 0},
    [K_IF] = {"b---", '-', 2},        [K_FOR] = {"i==v", '-', 1},
    [K_WHILE] = {"---v", '-', 2},     [K_PAR] = {"i---", '-', 1},
    [K_LAUNCH] = {"in--", '-', 1},    [K_YIELD] = {"---v", '-', 0},
    [K_CHECK] = {"bii-", '-', 0},     [K_FAILED] = {"----", 'b', 0},
    [K_EMIT] = {"mi-i", 'm', 0},      [K_EMITSCALAR] = {"v---", '-', 0},
    [K_RECEIVE] = {"m---", 'm', 0},   [K_RESIZE] = {"mi--", 'm', 0},
    [K_SWAP] = {"mm--", 'm', 0},
};

/* ---- one operand ---- */

/* An atomic store and a wide load are statements without one. */
bool verify_is_scalar(const k_node *x)
{
    bool step = x->op == K_ATOMIC && x->atomic != ATOMIC_STORE && x->atomic != ATOMIC_RELEASE;
    k_class class = k_op_info(x->op)->class;
    return class == KC_VALUE || step || (class == KC_READ && x->op != K_LOADWIDE) ||
           x->op == K_PARAM || x->op == K_RESULT;
}

static bool is_position(uint32_t type)
{
    return type == ST_I32 || type == ST_I64;
}

/* By types: of the node, the operand, and the operand before. */
static bool fits_letter(uint32_t n, uint32_t x, uint32_t before, char letter)
{
    switch (letter) {
    case 'i':
    case '?': return is_position(x);
    case 'n': return x == ST_I32;
    case 'b': return x == ST_BOOL;
    case 'e': return x == n;
    case '=': return x == before;
    default: return true;
    }
}

static bool check_operand(verifier *v, k_id id, k_id x, k_id before, char letter)
{
    const verify_note *of = &v->notes[x < v->p->nodes.len ? x : 0];
    if (letter == '-' || (letter == '?' && !x))
        return !x || verify_breaks(v, RULE_OPERAND, id, "it has an operand too many, %%%u", x);
    if (!verify_is_node(v, x))
        return verify_breaks(v, RULE_OPERAND, id,
                             x ? "operand %u is no node" : "it lacks an operand", x);
    if (!verify_is_visible(v, x))
        return verify_breaks(v, RULE_SCOPE, id, "%%%u is not defined here", x);
    if ((letter == 'm') != of->is_memory)
        return verify_breaks(v, RULE_PLACE, id, "%%%u is %s memory", x, letter == 'm' ? "no" : "a");
    if (letter != 'm' && !of->is_value)
        return verify_breaks(v, RULE_OPERAND, id, "%%%u has no value", x);
    return fits_letter(k_at(v->p, id)->type, of->type, v->notes[before].type, letter) ||
           verify_breaks(v, RULE_OPERAND_TYPE, id, "operand %%%u is a %s", x,
                         ir_scalar_name((scalar)of->type));
}

/* Listed operands have one letter in common, as their number is not fixed. */
static bool check_list(verifier *v, k_id id, char letter)
{
    const k_node *n = k_at(v->p, id);
    if ((uint64_t)n->list + n->nlist > v->p->pool.len && n->nlist)
        return verify_breaks(v, RULE_OPERAND, id, "its list is not in the pool");
    if (letter == '-')
        return !n->nlist || verify_breaks(v, RULE_OPERAND, id, "it lists operands");
    for (uint32_t i = 0; i < n->nlist; i++)
        if (!check_operand(v, id, v->p->pool.at[n->list + i], 0, letter))
            return false;
    return true;
}

/* ---- operators with rules of their own ---- */

static bool check_form(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    k_form wanted = v->stage == K_LEGALISED ? k_form_of(v->p, n) : FORM_PLAIN;
    return n->form == wanted ||
           verify_breaks(v, RULE_FORM, id, "its form is %u, not %u", n->form, (unsigned)wanted);
}

/* All operands have one type and the result has it too, but select chooses by a bool, and
 * comparisons give one. */
static bool check_scalar(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    const op_info *o = ir_op_info(n->opcode);
    if (!o->name || !o->is_scalar)
        return verify_breaks(v, RULE_OPERATOR, id, "there is no scalar operator %u", n->opcode);
    bool chooses = n->opcode == SOP_SELECT;
    for (uint32_t i = 0; i < 3; i++) {
        char letter = i >= o->max_args ? '-' : chooses && !i ? 'b' : i > chooses ? '=' : 'v';
        if (!check_operand(v, id, n->args[i], n->args[i ? i - 1 : 0], letter))
            return false;
    }
    scalar t = (scalar)k_at(v->p, n->args[chooses])->type;
    if (!chooses && !scalar_accepts((operand_class)o->operands, t))
        return verify_breaks(v, RULE_OPERAND_TYPE, id, "%s takes no %s", o->name,
                             ir_scalar_name(t));
    if (n->type != (o->result_bool ? ST_BOOL : t))
        return verify_breaks(v, RULE_TYPE, id, "it is given the type %s",
                             ir_scalar_name((scalar)n->type));
    return check_form(v, id);
}

/* Whether an atomic step takes a value, and listed ones. */
static const char *atomic_operands(uint32_t what)
{
    switch (what) {
    case ATOMIC_LOAD:
    case ATOMIC_ACQUIRE: return "mi--";
    case ATOMIC_COMPARE: return "miee";
    default: return "mie-";
    }
}

/* Floats are swapped and compared as bits, so the step has the unsigned type of that width. */
static scalar atomic_type(scalar t)
{
    return t == ST_F32 ? ST_U32 : t == ST_F64 ? ST_U64 : t;
}

/* Atomic loads and stores, ordered or not, are for global memory alone. */
static bool check_atomic(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    uint32_t what = n->atomic;
    if (what < ATOMIC_ADD || what > ATOMIC_ARRIVE)
        return verify_breaks(v, RULE_OPERATOR, id, "there is no atomic step %u", what);
    const char *letters = atomic_operands(what);
    for (uint32_t i = 0; i < 3; i++)
        if (!check_operand(v, id, n->args[i], 0, letters[i]))
            return false;
    if (!check_list(v, id, letters[3]) || n->nlist != (what == ATOMIC_COMPARE))
        return verify_breaks(v, RULE_ATOMIC, id, "it lists %u values", n->nlist);
    const k_node *memory = k_at(v->p, n->args[0]);
    if (n->type != atomic_type((scalar)memory->type))
        return verify_breaks(v, RULE_ATOMIC, id, "its type is not that of the memory's elements");
    bool global = k_is_global(memory);
    bool shared = !global && memory->space <= SPACE_WARP;
    if (!global && (!shared || what >= ATOMIC_LOAD))
        return verify_breaks(v, RULE_ATOMIC, id, "its memory cannot be used in steps of this kind");
    return ir_scalar_bytes((scalar)n->type) >= 4 ||
           verify_breaks(v, RULE_ATOMIC, id, "devices have no such step on a %s",
                         ir_scalar_name((scalar)n->type));
}

/* ---- types ---- */

static bool is_scalar_type(uint32_t t)
{
    return ir_scalar_class((scalar)t) != 0;
}

static bool check_type(verifier *v, k_id id, char letter)
{
    const k_node *n = k_at(v->p, id);
    uint32_t of_a = k_at(v->p, n->args[0])->type;
    bool ok = letter == '*'   ? is_scalar_type(n->type)
              : letter == 'n' ? n->type == ST_I32
              : letter == 'b' ? n->type == ST_BOOL
              : letter == '-' ? n->type == 0
                              : n->type == of_a;
    return ok || verify_breaks(v, RULE_TYPE, id, "it is given the type %s",
                               is_scalar_type(n->type) ? ir_scalar_name((scalar)n->type) : "?");
}

static bool check_result_types(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    for (uint32_t i = 0; i < n->nresults && (uint64_t)n->results + i < v->p->nodes.len; i++) {
        const k_node *r = k_at(v->p, n->results + i);
        bool ok = n->op == K_LOADWIDE  ? r->type == n->type
                  : n->op == K_RECEIVE ? r->type == ST_I32
                                       : is_scalar_type(r->type);
        if (!ok)
            return verify_breaks(v, RULE_TYPE, id, "result %u is given another type", i);
    }
    return true;
}

/* ---- counts ---- */

static bool is_width(uint32_t n)
{
    return n == 2 || n == 4 || n == 8 || n == MAX_LANES;
}

/* A wide access reads or writes as many elements as a vector type of the device has. */
static bool check_counts(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    bool loop = k_is_loop(n);
    if (loop && n->nresults != n->nlist)
        return verify_breaks(v, RULE_YIELDED, id, "it carries %u values and has %u results",
                             n->nlist, n->nresults);
    if ((n->op == K_LOADWIDE && !is_width(n->nresults)) ||
        (n->op == K_STOREWIDE && !is_width(n->nlist)))
        return verify_breaks(v, RULE_WIDE, id, "it takes another number of elements");
    bool may = loop || n->op == K_IF || n->op == K_LOADWIDE ||
               (n->op == K_RECEIVE && n->nresults <= MAX_RANK);
    return may || !n->nresults ||
           verify_breaks(v, RULE_RESULT, id, "it has %u results", n->nresults);
}

static bool check_block_count(verifier *v, k_id id, uint32_t want)
{
    const k_node *n = k_at(v->p, id);
    uint32_t has = (n->blocks[0] ? 1u : 0u) + (n->blocks[1] ? 1u : 0u);
    return (has == want && (want != 1 || n->blocks[0])) ||
           verify_breaks(v, RULE_BLOCK, id, "it has %u blocks, not %u", has, want);
}

static bool check_bits(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    scalar from = (scalar)k_at(v->p, n->args[0])->type, to = (scalar)n->type;
    return n->op != K_BITCAST || ir_scalar_bytes(from) == ir_scalar_bytes(to) ||
           verify_breaks(v, RULE_OPERAND_TYPE, id, "a %s has not the bits of a %s",
                         ir_scalar_name(from), ir_scalar_name(to));
}

/* The row of the table; a node passes only if all of it fits. */
static bool check_shape(verifier *v, k_id id, const shape *s)
{
    const k_node *n = k_at(v->p, id);
    for (uint32_t i = 0; i < 3; i++)
        if (!check_operand(v, id, n->args[i], i ? n->args[i - 1] : 0, s->operands[i]))
            return false;
    return check_list(v, id, s->operands[3]) && check_type(v, id, s->type) && check_bits(v, id) &&
           check_form(v, id) && check_block_count(v, id, s->blocks) && check_counts(v, id) &&
           check_result_types(v, id);
}

/* The fields that a node has. */
static uint32_t used_fields(const k_node *n)
{
    uint32_t used = 0;
#define KATTRIBUTE(e, number, type, field, what) used |= n->field ? HAS_##e : 0u;
#include "ir/kernel/kir.def"
#undef KATTRIBUTE
    return used;
}

/* What a node of this operator does not have is 0, so that equal nodes are equal. */
static bool check_attributes(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    return (!(used_fields(n) & ~k_op_info(n->op)->attributes) && !n->owner) ||
           verify_breaks(v, RULE_ATTRIBUTE, id, "it has a field of another operator");
}

static bool check_kind(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    return (n->checked && n->checked < CHECKED_END) ||
           verify_breaks(v, RULE_OPERATOR, id, "there is no check of kind %u", n->checked);
}

bool verify_types(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    if (!k_op_info(n->op)->name || n->op == K_PARAM || n->op == K_RESULT)
        return verify_breaks(v, RULE_OPERATOR, id, "node %u is no statement", id);
    if (!check_attributes(v, id))
        return false;
    if (n->op == K_SCALAR)
        return check_scalar(v, id) && check_block_count(v, id, 0) && check_counts(v, id) &&
               check_list(v, id, '-');
    if (n->op == K_CHECK && !check_kind(v, id))
        return false;
    if (n->op == K_ATOMIC)
        return check_atomic(v, id) && check_block_count(v, id, 0) && check_counts(v, id);
    return check_shape(v, id, &shapes[n->op]);
}
