/* Indices compared: see neighbour.h.
 *
 * Equal forms up to a constant is what vectorisers call consecutive accesses; known zeros is the
 * known-bits analysis, of trailing zeros alone. */
#include "ir/kernel/analysis/neighbour.h"

uint32_t k_widest_access(const k_program *p)
{
    uint32_t wanted = p->target.facts.simd ? 1 : p->target.tuning.vector_bytes;
    return wanted < MEMORY_ALIGNMENT ? wanted : MEMORY_ALIGNMENT;
}

/* ---- forms ---- */

/* By the terms' ids; insertion, as there are at most MAX_TERMS. */
static void sort_terms(linear *l)
{
    for (uint32_t i = 1; i < l->n; i++)
        for (uint32_t j = i; j > 0 && l->v[j - 1] > l->v[j]; j--) {
            k_id v = l->v[j];
            int64_t k = l->k[j];
            l->v[j] = l->v[j - 1];
            l->k[j] = l->k[j - 1];
            l->v[j - 1] = v;
            l->k[j - 1] = k;
        }
}

/* A value with too many terms is its own only term, which is right and tells less. */
static linear form_of(const k_program *p, scalar t, k_id v, linear_depth depth)
{
    linear l;
    if (!ka_linear_of(p, t, v, 0, 1, depth, &l))
        l = (linear){.n = 1, .v = {v}, .k = {1}};
    sort_terms(&l);
    return l;
}

linear k_index_form(const k_program *p, k_id v)
{
    return form_of(p, (scalar)k_at(p, v)->type, v, OPEN_EQUAL);
}

linear k_index_residue(const k_program *p, k_id v)
{
    return form_of(p, ST_I32, v, OPEN_RESIDUE);
}

static int compare(int64_t x, int64_t y)
{
    return x < y ? -1 : x > y;
}

int k_compare_terms(const linear *x, const linear *y)
{
    int d = compare(x->n, y->n);
    for (uint32_t i = 0; !d && i < x->n; i++) {
        d = compare(x->v[i], y->v[i]);
        d = d ? d : compare(x->k[i], y->k[i]);
    }
    return d;
}

/* ---- divisibility ---- */

enum { ZEROS_DEPTH = 6, ZEROS_MOST = 32 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t zeros_of_bits(uint64_t bits)
{
    return bits ? least((uint32_t)__builtin_ctzll(bits), ZEROS_MOST) : ZEROS_MOST;
}

static uint32_t zeros(const k_program *p, k_id v, int depth);

/* Division by a power of two that leaves no rest; otherwise nothing is known. */
static uint32_t zeros_of_quotient(const k_program *p, const k_node *n, int depth)
{
    int64_t d;
    if (!k_is_const(p, n->args[1], &d) || d < 1 || (d & (d - 1)) != 0)
        return 0;
    uint32_t x = zeros(p, n->args[0], depth - 1), shift = zeros_of_bits((uint64_t)d);
    return x > shift ? x - shift : 0;
}

static uint32_t zeros_of_scalar(const k_program *p, const k_node *n, int depth)
{
    uint32_t x = zeros(p, n->args[0], depth - 1), y = zeros(p, n->args[1], depth - 1);
    switch ((opcode)n->opcode) {
    case SOP_NEG: return x;
    case SOP_MUL: return least(x + y, ZEROS_MOST);
    case SOP_AND: return x > y ? x : y;
    case SOP_SELECT: return least(y, zeros(p, n->args[2], depth - 1));
    case SOP_QUOT:
    case SOP_DIV: return zeros_of_quotient(p, n, depth);
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MIN:
    case SOP_MAX:
    case SOP_OR:
    case SOP_XOR:
    case SOP_REM:
    case SOP_MOD: return least(x, y);
    default: return 0;
    }
}

static uint32_t zeros(const k_program *p, k_id v, int depth)
{
    const k_node *n = k_at(p, v);
    if (n->op == K_CONST)
        return zeros_of_bits(n->bits);
    if (n->op == K_CONVERT && depth > 0 && k_type_is_int((scalar)n->type) &&
        k_type_is_int((scalar)k_at(p, n->args[0])->type))
        return zeros(p, n->args[0], depth - 1);
    return n->op == K_SCALAR && depth > 0 ? zeros_of_scalar(p, n, depth) : 0;
}

uint32_t k_known_zeros(const k_program *p, k_id v)
{
    return zeros(p, v, ZEROS_DEPTH);
}

uint32_t k_term_zeros(const k_program *p, const linear *l, uint32_t i)
{
    return least(zeros_of_bits((uint64_t)l->k[i]) + k_known_zeros(p, l->v[i]), ZEROS_MOST);
}
