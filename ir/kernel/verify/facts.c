/* What is said about values: ranges and bounds of one node, claims of the whole program.
 *
 * That an operation is claimed not to wrap holds where the access to which it belongs runs, or the
 * loop over the elements that it counts.  So its value may reach positions, the ends of loops and
 * what its block yields, and be compared with other positions; it is never data.  The walk
 * marks what is computed from a claim, and looks at every use. */
#include "ir/kernel/verify/impl.h"

#include "ir/kernel/build/build.h"
#include "ir/scalar/scalar.h"

#include <string.h>

/* ---- ranges and bounds ---- */

/* Bits have the one form that scalar_wrap gives, so that equal constants are equal nodes. */
static bool check_constant(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    bool canonical = scalar_wrap((scalar)n->type, n->bits) == n->bits;
    bool itself = k_lo(v->p, id) == (int64_t)n->bits && k_hi(v->p, id) == (int64_t)n->bits;
    return (canonical && (itself || !k_type_is_int((scalar)n->type))) ||
           verify_breaks(v, RULE_RANGE, id, "the constant's range is not its value");
}

/* An empty range would let folding prove anything. */
static bool check_range(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    int64_t lo, hi;
    if (n->op == K_CONST)
        return check_constant(v, id);
    if (!k_type_is_int((scalar)n->type))
        return true;
    k_type_range((scalar)n->type, &lo, &hi);
    return (k_lo(v->p, id) >= lo && k_hi(v->p, id) <= hi && k_lo(v->p, id) <= k_hi(v->p, id)) ||
           verify_breaks(v, RULE_RANGE, id, "%%%u is in %lld..%lld", id, (long long)k_lo(v->p, id),
                         (long long)k_hi(v->p, id));
}

/* A value, visible, and outside of all launches; the last is what its depth tells: a launch's body
 * is deeper than whatever stands outside. */
static bool check_limit(verifier *v, k_id id, k_id limit)
{
    if (!limit)
        return true;
    if (!verify_is_visible(v, limit) || verify_is_memory(v, limit))
        return verify_breaks(v, RULE_BOUND, id, "%%%u, which bounds %%%u, is not defined here",
                             limit, id);
    return k_type_is_int((scalar)k_at(v->p, limit)->type) ||
           verify_breaks(v, RULE_BOUND, id, "%%%u, which bounds %%%u, is no number", limit, id);
}

static bool check_value(verifier *v, k_id id)
{
    return check_range(v, id) && check_limit(v, id, k_bound(v->p, id)) &&
           check_limit(v, id, k_below(v->p, id));
}

static bool check_values(verifier *v, k_id first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!check_value(v, first + i))
            return false;
    return true;
}

/* The parameters of its blocks were met on the way; the limits of what a loop carries are visible
 * inside it. */
bool verify_facts(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    k_class class = k_op_info(n->op)->class;
    bool value = class == KC_VALUE || class == KC_READ || n->op == K_ATOMIC;
    return (!value || check_value(v, id)) && check_values(v, n->results, n->nresults);
}

bool verify_param_facts(verifier *v, k_block b)
{
    const k_blocks *bl = k_block_at(v->p, b);
    return check_values(v, bl->params, bl->nparams);
}

/* ---- claims ---- */

static bool is_access(uint32_t op)
{
    return op == K_LOAD || op == K_STORE || op == K_LOADWIDE || op == K_STOREWIDE || op == K_ATOMIC;
}

/* What stores a number is no access to the place that the number tells; a check names the place
 * that was asked for, and who sets a bit stands for the place that it writes next. */
static bool may_use(const k_node *user, uint32_t operand)
{
    k_class class = k_op_info(user->op)->class;
    return class == KC_VALUE || class == KC_REGION || user->op == K_YIELD || user->op == K_CHECK ||
           (is_access(user->op) && operand == 1) ||
           (user->op == K_ATOMIC && user->atomic == ATOMIC_OR && operand == 2);
}

/* Only sums and products count elements; nothing else is ever claimed. */
static bool check_claimed(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    bool sum = n->opcode == SOP_ADD || n->opcode == SOP_SUB || n->opcode == SOP_MUL;
    return (sum && (n->type == ST_I32 || n->type == ST_I64)) ||
           verify_breaks(v, RULE_CLAIM, id, "it does not add or multiply positions");
}

/* What is stored at a position that is computed from a claim may be computed from one, too: where the
 * access runs, both hold. */
static bool holds_with(const verifier *v, const k_node *user)
{
    bool store = user->op == K_STORE || user->op == K_STOREWIDE;
    return store && v->notes[user->args[1]].claimed;
}

static bool check_use(verifier *v, k_id id, k_id x, uint32_t operand)
{
    const k_node *user = k_at(v->p, id);
    return !v->notes[x].claimed || may_use(user, operand) || holds_with(v, user) ||
           verify_breaks(v, RULE_CLAIM, id,
                         "it takes %%%u, which is claimed for positions, for data", x);
}

/* A value is claimed if it is the operation itself or computed from one; operands come before their
 * users, so one look at each node is enough.  What is asked of a position, as whether accesses from
 * there on are aligned, decides and is none. */
bool verify_claims(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    bool from = false;
    for (uint32_t i = 0; i < 3; i++) {
        if (!check_use(v, id, n->args[i], i))
            return false;
        from = from || v->notes[n->args[i]].claimed;
    }
    for (uint32_t i = 0; i < n->nlist; i++)
        if (!check_use(v, id, v->p->pool.at[n->list + i], 3))
            return false;
    bool claimed = n->op == K_SCALAR && n->exact == CLAIMED;
    bool computed = k_op_info(n->op)->class == KC_VALUE && n->type != ST_BOOL;
    v->notes[id].claimed = claimed || (from && computed);
    return !claimed || check_claimed(v, id);
}
