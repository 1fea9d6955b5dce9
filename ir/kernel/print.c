/* Text of kernel programs, for people: every statement on a line, blocks indented, constants
 * written where they are used.
 *
 *     %12 = add %3, %4 : int
 *     %20 = for %i17 = 0, %5, 1 carry (%18 = 0) : int { ... }
 *
 * The launch plan is the same host block with launches abbreviated to their geometry, arguments and
 * local memory, and with values that are used once written as expressions over the inputs:
 * quot(add(len(%xs), 255), 256). */
#include "ir/kernel/analysis/local.h"

#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Blocks inside one another that are printed; and how high an expression of the plan may grow. */
enum { NESTING_MOST = 1000, HEIGHT_MOST = 8 };

typedef struct plan_note {
    uint32_t uses;
    uint8_t height;
    bool in_place;
} plan_note;

typedef struct kernel_printer {
    const k_program *p;
    mem *m;
    vec_char *out;
    plan_note *notes; /* of the plan; NULL: the whole program is printed */
    uint32_t indent;
    uint32_t open; /* expressions of at most so many operators are written where they are used,
                      whoever else uses them */
    bool ok;
} kernel_printer;

static void put(kernel_printer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(kernel_printer *w, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    w->ok = text_add(w->m, w->out, text, len) && w->ok;
}

static void put_indent(kernel_printer *w)
{
    put(w, "%*s", (int)(2 * w->indent), "");
}

/* ---- names of the small enumerations ---- */

static const char *const space_names[] = {"?", "global", "local", "warp", "private", "lanes"};
static const char *const worker_names[] = {"?", "lanes", "threads", "warps", "blocks", "grid"};
static const char *const builtin_names[] = {"?", "thread", "group", "groups"};
static const char *const atomic_names[] = {"?",       "add",   "min",      "max",     "and",
                                           "or",      "xor",   "exchange", "compare", "load",
                                           "acquire", "store", "release"};
static const char *const height_names[] = {
#define LEVEL(e, height, name, since) [height] = name,
#include "ir/types.def"
#undef LEVEL
};
#define NAME_IN(table, i) ((i) < sizeof(table) / sizeof *(table) ? (table)[i] : "?")

static const char *type_name(const k_node *n)
{
    return ir_scalar_name((scalar)n->type);
}

/* ---- inputs by their names ---- */

/* %xs, or %xs.1 for the second leaf of a parameter that is a tuple. */
static void put_leaf(kernel_printer *w, uint32_t which)
{
    const k_program *p = w->p;
    const char *name = k_leaf_name(p, which);
    uint32_t param = which < p->in.len ? p->in.at[which].param : which, within = 0;
    for (uint32_t i = which; i > 0 && i < p->in.len && p->in.at[i - 1].param == param; i--)
        within++;
    put(w, *name ? "%%%s" : "%%arg", name);
    if (!*name)
        put(w, "%u", param);
    if (within)
        put(w, ".%u", within);
}

static void put_dim(kernel_printer *w, uint32_t sub)
{
    uint32_t which = sub / MAX_RANK;
    bool only = which < w->p->in.len && w->p->in.at[which].rank == 1;
    put(w, only ? "len(" : "dim(");
    put_leaf(w, which);
    if (!only)
        put(w, ", %u", sub % MAX_RANK);
    put(w, ")");
}

/* ---- operands ---- */

static void put_operand(kernel_printer *w, k_id v);

static const char *operation_name(const k_node *n)
{
    return n->op == K_SCALAR ? ir_op_info(n->sub)->name : k_op_info(n->op)->name;
}

static uint32_t operand_count(const k_node *n)
{
    switch (n->op) {
    case K_SCALAR: return ir_op_info(n->sub)->max_args;
    case K_STORE: return 3;
    case K_ATOMIC: return n->args[2] ? 3 : 2;
    case K_ALLOC: return n->args[1] ? 2 : 1;
    case K_LOAD:
    case K_LOADWIDE:
    case K_STOREWIDE:
    case K_SHUFFLE: return 2;
    default: return 1;
    }
}

static bool has_type_argument(const k_node *n)
{
    return n->op == K_CONVERT || n->op == K_BITCAST;
}

static void put_operands(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < operand_count(n); i++) {
        put(w, i ? ", " : "");
        put_operand(w, n->args[i]);
    }
}

static bool is_operator(const k_node *n)
{
    return n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST;
}

static void put_expression(kernel_printer *w, const k_node *n)
{
    put(w, "%s", operation_name(n));
    if (has_type_argument(n))
        put(w, "<%s>", type_name(n));
    put(w, "(");
    put_operands(w, n);
    put(w, ")");
}

static void put_constant(kernel_printer *w, const k_node *n)
{
    w->ok = scalar_text(w->m, (scalar)n->type, (uint64_t)n->lo, w->out) && w->ok;
}

/* Operators in the expression of v, or more than most. */
static uint32_t operators_of(const k_program *p, k_id v, uint32_t most)
{
    const k_node *n = k_at(p, v);
    uint32_t sum = is_operator(n);
    for (uint32_t i = 0; is_operator(n) && i < operand_count(n) && sum <= most; i++)
        sum += operators_of(p, n->args[i], most - sum);
    return sum;
}

/* Whether an operator is written where it is used. */
static bool stands_here(const kernel_printer *w, k_id v)
{
    if (w->notes)
        return w->notes[v].in_place;
    return w->open && is_operator(k_at(w->p, v)) && operators_of(w->p, v, w->open) <= w->open;
}

static void put_operand(kernel_printer *w, k_id v)
{
    const k_node *n = k_at(w->p, v);
    bool plan = w->notes || w->open;
    if (n->op == K_CONST)
        put_constant(w, n);
    else if (plan && (n->op == K_ARG || n->op == K_BUFFER))
        put_leaf(w, n->sub);
    else if (plan && n->op == K_DIM)
        put_dim(w, n->sub);
    else if (stands_here(w, v))
        put_expression(w, n);
    else
        put(w, "%%%u", v);
}

static void put_list(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < n->nlist; i++) {
        put(w, i ? ", " : "");
        put_operand(w, k_listed(w->p, n, i));
    }
}

/* ---- structured statements ---- */

/* Constants and, in the plan, inputs and expressions are written where they are used; empty yields
 * say nothing. */
static bool is_shown(const kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    bool input = n->op == K_ARG || n->op == K_DIM || n->op == K_BUFFER;
    if (n->op == K_CONST || (n->op == K_YIELD && n->nlist == 0))
        return false;
    return !w->notes || !(input || w->notes[id].in_place);
}

static bool shows_anything(const kernel_printer *w, k_block b)
{
    for (k_id id = k_block_at(w->p, b)->first; id; id = k_at(w->p, id)->next)
        if (is_shown(w, id))
            return true;
    return false;
}

static void put_block(kernel_printer *w, k_block b);

static void put_braces(kernel_printer *w, k_block b)
{
    put(w, " {\n");
    put_block(w, b);
    put_indent(w);
    put(w, "}");
}

static void put_result_names(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < n->nresults; i++)
        put(w, "%s%%%u", i ? ", " : "", n->results + i);
    put(w, n->nresults ? " = " : "");
}

static void put_result_types(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < n->nresults; i++)
        put(w, "%s%s", i ? ", " : " : ", type_name(k_at(w->p, n->results + i)));
}

/* carry (%18 = 0, ...): the carried parameters are the last of the block's. */
static void put_carried(kernel_printer *w, const k_node *n)
{
    const k_blocks *b = k_block_at(w->p, n->blocks[0]);
    if (!n->nlist || b->nparams < n->nlist)
        return;
    put(w, " carry (");
    for (uint32_t i = 0; i < n->nlist; i++) {
        put(w, "%s%%%u = ", i ? ", " : "", b->params + b->nparams - n->nlist + i);
        put_operand(w, k_listed(w->p, n, i));
    }
    put(w, ")");
}

static void put_for(kernel_printer *w, const k_node *n)
{
    put(w, "for %%%u = ", k_block_at(w->p, n->blocks[0])->params);
    for (int i = 0; i < 3; i++) {
        put(w, i ? ", " : "");
        put_operand(w, n->args[i]);
    }
    put(w, "%s", n->sub & FOR_INDEPENDENT ? " independent" : "");
}

static void put_region(kernel_printer *w, const k_node *n)
{
    put_result_names(w, n);
    if (n->op == K_FOR)
        put_for(w, n);
    else if (n->op == K_PAR)
        put(w, "par %s %%%u < ", NAME_IN(worker_names, n->sub),
            k_block_at(w->p, n->blocks[0])->params);
    else
        put(w, n->op == K_IF ? "if " : "while");
    if (n->op == K_IF || n->op == K_PAR)
        put_operand(w, n->args[0]);
    put_carried(w, n);
    put_result_types(w, n);
    put_braces(w, n->blocks[0]);
    if (n->blocks[1] && (n->op == K_WHILE || shows_anything(w, n->blocks[1]))) {
        put(w, n->op == K_WHILE ? " do" : " else");
        put_braces(w, n->blocks[1]);
    }
}

/* ---- launches ---- */

static const k_kernel *kernel_of(const k_program *p, k_id launch)
{
    for (uint32_t i = 0; i < p->kernels.len; i++)
        if (p->kernels.at[i].launch == launch)
            return &p->kernels.at[i];
    return NULL;
}

/* tile60: 256 x int = 1024 bytes */
static void put_array(kernel_printer *w, const char *prefix, k_id v)
{
    const k_node *n = k_at(w->p, v);
    int64_t count;
    put(w, "%s%u: ", prefix, v);
    put_operand(w, n->args[0]);
    put(w, " x %s", type_name(n));
    if (k_is_const(w->p, n->args[0], &count))
        put(w, " = %lld bytes", (long long)count * ir_scalar_bytes((scalar)n->type));
}

/* Arrays that share an area say where they lie in it, and when. */
static void put_locals(kernel_printer *w, const k_kernel *k)
{
    for (uint32_t i = 0; i < k->nlocals; i++) {
        const k_local *l = k_local_at(w->p, k, i);
        uint32_t first, n = k_area_locals(w->p, k, l->area, &first);
        put(w, i ? ", " : " local(");
        put_array(w, "tile", l->alloc);
        if (n > 1)
            put(w, " at %llu of area%u in phases %u to %u", (unsigned long long)l->offset,
                k_local_at(w->p, k, first)->alloc, l->from, l->to);
    }
    put(w, k->nlocals ? ")" : "");
}

static void put_privates(kernel_printer *w, const k_kernel *k)
{
    for (uint32_t i = 0; i < k->nprivates; i++) {
        put(w, i ? ", " : " private(");
        put_array(w, "own", w->p->pool.at[k->privates + i]);
    }
    put(w, k->nprivates ? ")" : "");
}

static void put_arguments(kernel_printer *w, const k_kernel *k)
{
    put(w, " args(");
    for (uint32_t i = 0; i < k->nscalars + k->nglobals; i++) {
        put(w, i ? ", " : "");
        put_operand(w,
                    w->p->pool.at[i < k->nscalars ? k->scalars + i : k->globals + i - k->nscalars]);
    }
    put(w, ")");
}

static void put_launch(kernel_printer *w, const k_node *n, k_id id)
{
    const k_kernel *k = kernel_of(w->p, id);
    put(w, "launch %s%s%s groups=", k ? "@" : "", k ? intern_str(&w->p->cx->strings, k->name) : "",
        k ? "" : NAME_IN(height_names, n->sub));
    put_operand(w, n->args[0]);
    put(w, " threads=");
    put_operand(w, n->args[1]);
    if (!w->notes) {
        put_braces(w, n->blocks[0]);
    } else if (k) {
        put_arguments(w, k);
        put_locals(w, k);
        put_privates(w, k);
    }
}

/* ---- plain statements ---- */

static void put_value(kernel_printer *w, const k_node *n, k_id id)
{
    put(w, "%%%u = %s", id, operation_name(n));
    switch (n->op) {
    case K_ARG:
    case K_BUFFER: put(w, " %u", n->sub); break;
    case K_DIM: put(w, " %u, %u", n->sub / MAX_RANK, n->sub % MAX_RANK); break;
    case K_BUILTIN: put(w, " %s", NAME_IN(builtin_names, n->sub)); break;
    case K_ATOMIC:
        put(w, " %s ", NAME_IN(atomic_names, n->sub));
        put_operands(w, n);
        put(w, n->nlist ? ", " : "");
        put_list(w, n);
        break;
    case K_ALLOC:
        put(w, " %s ", NAME_IN(space_names, n->sub));
        put_operands(w, n);
        break;
    default:
        put(w, " ");
        put_operands(w, n);
        break;
    }
    put(w, " : %s", type_name(n));
}

static void put_output(kernel_printer *w, const k_node *n)
{
    put(w, "output %u = ", n->sub);
    put_operand(w, n->args[0]);
    put(w, " [");
    put_list(w, n);
    put(w, "]");
}

static void put_statement(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    switch (n->op) {
    case K_IF:
    case K_FOR:
    case K_WHILE:
    case K_PAR: put_region(w, n); break;
    case K_LAUNCH: put_launch(w, n, id); break;
    case K_OUTPUT: put_output(w, n); break;
    case K_SYNC: put(w, "sync %s", NAME_IN(height_names, n->sub)); break;
    case K_STORE:
        put(w, "store ");
        put_operands(w, n);
        break;
    case K_STOREWIDE:
        put(w, "storewide ");
        put_operands(w, n);
        put(w, " = ");
        put_list(w, n);
        break;
    case K_LOADWIDE:
        for (uint32_t i = 0; i < n->nresults; i++)
            put(w, "%s%%%u", i ? ", " : "", n->results + i);
        put(w, " = loadwide ");
        put_operands(w, n);
        put(w, " : %s", type_name(n));
        break;
    case K_YIELD:
        put(w, "yield ");
        put_list(w, n);
        break;
    default: put_value(w, n, id); break;
    }
}

static void put_block(kernel_printer *w, k_block b)
{
    if (++w->indent > NESTING_MOST) {
        w->ok = w->ok && diag_error(w->p->cx, DIAG_TOO_DEEP, (location){0},
                                    "the kernel IR nests deeper than %d blocks", NESTING_MOST);
    } else {
        for (k_id id = k_block_at(w->p, b)->first; id && w->ok; id = k_at(w->p, id)->next) {
            if (!is_shown(w, id))
                continue;
            put_indent(w);
            put_statement(w, id);
            put(w, "\n");
        }
    }
    w->indent--;
}

static void put_leaf_type(kernel_printer *w, const leaf *l)
{
    put(w, l->rank ? "[%s" : "%s", ir_scalar_name(l->type));
    if (l->rank > 1)
        put(w, ";%u", l->rank);
    put(w, l->rank ? "]" : "");
}

static void put_program(kernel_printer *w, const char *what)
{
    const k_program *p = w->p;
    put(w, "%s @%s(", what, intern_str(&p->cx->strings, p->name));
    for (uint32_t i = 0; i < p->in.len; i++) {
        put(w, i ? ", " : "");
        put_leaf(w, i);
        put(w, ": ");
        put_leaf_type(w, &p->in.at[i]);
    }
    put(w, ")");
    for (uint32_t i = 0; i < p->out.len; i++) {
        put(w, i ? ", " : " -> ");
        put_leaf_type(w, &p->out.at[i]);
    }
    put_braces(w, p->host);
    put(w, "\n");
}

bool k_print(const k_program *p, vec_char *out)
{
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .ok = true};
    put_program(&w, "program");
    return w.ok;
}

bool k_print_value(const k_program *p, k_id v, vec_char *out)
{
    enum { OPERATORS_MOST = 8 };
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .open = OPERATORS_MOST, .ok = true};
    if (is_operator(k_at(p, v)))
        put_expression(&w, k_at(p, v));
    else
        put_operand(&w, v);
    return w.ok;
}

bool k_print_statement(const k_program *p, k_id id, vec_char *out)
{
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .ok = true};
    put_statement(&w, id);
    for (uint32_t i = 0; i < out->len; i++)
        if (out->at[i] == '\n')
            out->len = i;
    return w.ok;
}

/* ---- what the plan writes as expressions ---- */

static void count_pool(kernel_printer *w, uint32_t list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        w->notes[w->p->pool.at[list + i]].uses++;
}

static void decide(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    plan_note *note = &w->notes[id];
    bool written = is_operator(n);
    for (uint32_t i = 0; written && i < operand_count(n); i++) {
        const plan_note *operand = &w->notes[n->args[i]];
        if (operand->in_place && operand->height >= note->height)
            note->height = (uint8_t)(operand->height + 1);
    }
    note->in_place = written && note->uses == 1 && note->height < HEIGHT_MOST;
}

/* Uses are counted first, as a value is decided on where it stands, before its users. */
static void note_block(kernel_printer *w, k_block b, bool counting)
{
    if (++w->indent > NESTING_MOST)
        w->ok = false;
    for (k_id id = k_block_at(w->p, b)->first; id && w->ok; id = k_at(w->p, id)->next) {
        const k_node *n = k_at(w->p, id);
        const k_kernel *k = n->op == K_LAUNCH ? kernel_of(w->p, id) : NULL;
        if (!counting)
            decide(w, id);
        for (uint32_t i = 0; counting && i < 3; i++)
            w->notes[n->args[i]].uses++;
        for (uint32_t i = 0; counting && i < n->nlist; i++)
            w->notes[k_listed(w->p, n, i)].uses++;
        if (k && counting) {
            count_pool(w, k->scalars, k->nscalars);
            for (uint32_t i = 0; i < k->nlocals; i++)
                w->notes[k_at(w->p, k_local_at(w->p, k, i)->alloc)->args[0]].uses++;
        }
        for (uint32_t i = 0; n->op != K_LAUNCH && i < 2; i++)
            if (n->blocks[i])
                note_block(w, n->blocks[i], counting);
    }
    w->indent--;
}

bool k_print_plan(const k_program *p, vec_char *out)
{
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .ok = true};
    size_t size = p->nodes.len * sizeof *w.notes;
    w.notes = mem_resize(w.m, NULL, 0, size);
    if (!w.notes)
        return false;
    memset(w.notes, 0, size);
    note_block(&w, p->host, true);
    note_block(&w, p->host, false);
    w.ok = true; /* a plan that nests too deep is refused with a diagnostic where it is printed */
    put_program(&w, "plan");
    mem_free(w.m, w.notes, size);
    return w.ok;
}
