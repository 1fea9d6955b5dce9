/* What is wrong whatever the arguments are is refused when it is compiled: a check whose condition
 * and numbers are constants, in code that every run comes by.
 *
 * Looked at when all is lowered, as code that is built to find something out is gone then.  Host code
 * is run from top to bottom; a launch is, and so are the turns of a loop that has one for certain,
 * the condition of a while, and the branch that a constant chooses.  What else there is in branches
 * and loops is asked at run time, and so is all that stands behind something that is handed out: the run has done that then. */
#include "ir/kernel/lower/value.h"

typedef struct message {
    diag_code code;
    const char *text;
} message;

static const message messages[CHECKED_END] = {
#define KCHECKED(e, number, name, code, message) [number] = {DIAG_##code, message},
#include "ir/kernel/kir.def"
#undef KCHECKED
};

/* The message of its kind with the numbers in it. */
static void put_message(lowering *L, const k_node *n, const int64_t x[2], vec_char *out)
{
    mem *m = &L->m->cx->mem;
    for (const char *c = messages[n->checked].text; *c; c++) {
        if (*c != '%')
            text_add(m, out, c, 1);
        else if (*++c == 't')
            text_addf(m, out, "%s", intern_str(&L->m->cx->strings, (str_id)n->bits));
        else
            text_addf(m, out, "%lld", (long long)x[*c == '2']);
    }
}

static bool refuse(lowering *L, const k_node *n, const int64_t x[2])
{
    fcl_context *cx = L->m->cx;
    vec_char text = {0};
    put_message(L, n, x, &text);
    diag_error(cx, messages[n->checked].code, k_loc_at(L->b.p, n->loc), "%s",
               text_cstr(&cx->mem, &text));
    diag_hint(cx, "that is so whatever the arguments are");
    vec_free(&cx->mem, &text);
    L->failed = true;
    return false;
}

static bool fails(lowering *L, const k_node *n)
{
    const k_program *p = L->b.p;
    int64_t holds, x[2];
    return k_is_const(p, n->args[0], &holds) && !holds && k_is_const(p, n->args[1], &x[0]) &&
           k_is_const(p, n->args[2], &x[1]) && !refuse(L, n, x);
}

/* The block of the statement that is run for certain; 0: none. */
static k_block certain_block(const k_program *p, const k_node *n)
{
    int64_t c;
    switch ((k_op)n->op) {
    case K_LAUNCH:
    case K_WHILE: return n->blocks[0];
    case K_PAR: return k_lo(p, n->args[0]) >= 1 ? n->blocks[0] : 0;
    case K_FOR: return k_hi(p, n->args[0]) < k_lo(p, n->args[1]) ? n->blocks[0] : 0;
    case K_IF: return k_is_const(p, n->args[0], &c) ? n->blocks[c ? 0 : 1] : 0;
    default: return 0;
    }
}

static bool hands_out(const k_node *n)
{
    return n->op == K_EMIT || n->op == K_EMITSCALAR || n->op == K_RECEIVE;
}

static bool block_hands_out(const k_program *p, k_block b)
{
    bool does = false;
    for (k_id id = k_block_at(p, b)->first; id && !does; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        does = hands_out(n) || (n->blocks[0] && block_hands_out(p, n->blocks[0])) || (n->blocks[1] && block_hands_out(p, n->blocks[1]));
    }
    return does;
}

/* Whether a block has been looked at to its end: nothing fails in it, and nothing is handed out. */
static bool goes_on(lowering *L, k_block b)
{
    const k_program *p = L->b.p;
    bool on = true;
    for (k_id id = k_block_at(p, b)->first; id && on; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_block inside = certain_block(p, n);
        on = !hands_out(n) && !(n->op == K_CHECK && fails(L, n));
        for (int i = 0; i < 2 && on; i++)
            on = !n->blocks[i] || (n->blocks[i] == inside ? goes_on(L, inside) : !block_hands_out(p, n->blocks[i]));
    }
    return on;
}

void lower_refuse_certain(lowering *L)
{
    goes_on(L, L->b.p->host);
}
