/* Atomic steps on memory that one thread has for itself: where a block is one thread (the fact
 * `serial`), all but global memory. Nobody is there to be kept out, so they are a load and a store,
 * which take a processor one cycle and not twenty.
 *
 * They stay atomic steps until here: passes take turns of loops for independent that combine into
 * the same elements, and may only as long as no step is taken apart.  Floats that are combined as the words that their bits
 * are go through a value of the element's type, so that compilers see the load and the store. */
#include "backends/c/emit.h"

/* The same type, or bits that a reinterpretation in the language takes as they are. */
static bool has_bits_of(scalar memory, scalar step)
{
    unsigned bytes = ir_scalar_bytes(step);
    return memory == step || (bytes >= 4 && ir_scalar_bytes(memory) == bytes);
}

bool c_is_own(const c_emitter *e, const k_node *step)
{
    const k_node *memory = k_at(e->p, step->args[0]);
    return e->p->target.facts.serial && step->atomic <= ATOMIC_COMPARE && memory->op == K_ALLOC &&
           memory->space != SPACE_GLOBAL &&
           has_bits_of((scalar)memory->type, (scalar)step->type);
}

static scalar element_type(const c_emitter *e, const k_node *n)
{
    return (scalar)k_at(e->p, n->args[0])->type;
}

/* Opens the reinterpretation of what has the type `from` as `to`, if that is another one. */
static bool open_bits(c_emitter *e, scalar to, scalar from)
{
    if (to == from)
        return false;
    c_put(e, "%s%s(", e->language->words.reinterpret, c_type(e->language, c_held(e, to)));
    return true;
}

static void put_element(c_emitter *e, const k_node *n)
{
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "]");
}

static void put_extreme(c_emitter *e, k_id id, const char *sign)
{
    k_id x = k_at(e->p, id)->args[2];
    c_value(e, x, FCL_C_ATOM);
    c_put(e, " %s ", sign);
    c_name(e, id);
    c_put(e, " ? ");
    c_value(e, x, FCL_C_ATOM);
    c_put(e, " : ");
    c_name(e, id);
}

/* The old element and the operand, which C11 would promote, or let overflow, as signed ones. */
static void put_sum(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    scalar t = c_held(e, (scalar)n->type);
    const char *bits = c_unsigned_type(e->language, t);
    c_put(e, "(%s)((%s)", c_type(e->language, t), bits);
    c_name(e, id);
    c_put(e, " + (%s)", bits);
    c_value(e, n->args[2], FCL_C_ATOM);
    c_put(e, ")");
}

static void put_changed(c_emitter *e, k_id id)
{
    static const char *const signs[] = {
        [ATOMIC_MIN] = "<", [ATOMIC_MAX] = ">", [ATOMIC_AND] = "&",
        [ATOMIC_OR] = "|",  [ATOMIC_XOR] = "^", [ATOMIC_COMPARE] = "=="};
    const k_node *n = k_at(e->p, id);
    if (n->atomic == ATOMIC_ADD) {
        put_sum(e, id);
    } else if (n->atomic == ATOMIC_MIN || n->atomic == ATOMIC_MAX) {
        put_extreme(e, id, signs[n->atomic]);
    } else if (n->atomic == ATOMIC_EXCHANGE) {
        c_value(e, n->args[2], FCL_C_ANY);
    } else {
        c_name(e, id);
        c_put(e, " %s ", signs[n->atomic]);
        c_value(e, n->args[2], FCL_C_ATOM);
    }
}

void c_own_step(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    if (n->atomic != ATOMIC_EXCHANGE || c_note_of(e, id)->uses) {
        c_indent(e);
        c_put(e, "const %s ", c_type(e->language, c_held(e, (scalar)n->type)));
        c_name(e, id);
        c_put(e, " = ");
        bool bits = open_bits(e, (scalar)n->type, element_type(e, n));
        put_element(e, n);
        c_put(e, bits ? ");\n" : ";\n");
    }
    c_indent(e);
    put_element(e, n);
    c_put(e, " = ");
    bool bits = open_bits(e, element_type(e, n), (scalar)n->type);
    put_changed(e, id);
    if (n->atomic == ATOMIC_COMPARE) {
        c_put(e, " ? ");
        c_value(e, k_listed(e->p, n, 0), FCL_C_ATOM);
        c_put(e, " : ");
        c_name(e, id);
    }
    c_put(e, bits ? ");\n" : ";\n");
}
