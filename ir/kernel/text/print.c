/* Text of kernel programs: every statement on a line, blocks indented, constants written where they
 * are used.
 *
 *     %12 = add %3, %4 : int
 *     %20 = for %17 = 0, %5, 1 carry (%18 = 0) : int in 0..99 { ... }
 *
 * What passes and emitters know of a value stands behind its type where it does not follow from the
 * operator and its operands (text.h); the reader (read.c) gives the same program again.  Any
 * contents are safe to print: lists and blocks are looked at within bounds, and a program prints at
 * most as many statements as it has nodes. */
#include "ir/kernel/text/text.h"

#include "ir/base/source.h"
#include "ir/kernel/verify.h"
#include "ir/scalar/float.h"
#include "ir/scalar/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void ktext_put(kernel_printer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    w->ok = text_add_list(w->m, w->out, fmt, ap) && w->ok;
    va_end(ap);
}

#define put ktext_put

static void put_indent(kernel_printer *w)
{
    put(w, "%*s", (int)(2 * w->indent), "");
}

const char *ktext_type_name(const k_node *n)
{
    return ir_scalar_name((scalar)n->type);
}

/* ---- names ---- */

/* Whether a name reads back without quotation marks. */
static bool is_plain_name(const char *s)
{
    for (const char *c = s; *c; c++)
        if (!source_is_name_char(*c))
            return false;
    return *s != 0;
}

/* As it is where it can be a name, else as a string. */
static void put_name(kernel_printer *w, char mark, const char *s)
{
    w->ok = text_add(w->m, w->out, &mark, mark != 0) && w->ok;
    if (is_plain_name(s) && mark) {
        w->ok = text_add(w->m, w->out, s, strlen(s)) && w->ok;
        return;
    }
    put(w, "\"");
    for (; *s; s++)
        put(w,
            *s == '"' || *s == '\\'   ? "\\%c"
            : (unsigned char)*s < ' ' ? "\\x%02X"
                                      : "%c",
            (unsigned char)*s);
    put(w, "\"");
}

static void put_str(kernel_printer *w, char mark, str_id s)
{
    put_name(w, mark, intern_str(&w->p->cx->strings, s));
}

/* ---- positions ---- */

/* Those that a front end gave, and all of them where emitted code names all. */
static void put_position(kernel_printer *w, k_id id)
{
    bool all = w->p->target.request.lines == LINES_ALWAYS;
    if (!w->facts || (!all && w->p->origin.locs.len <= 1))
        return;
    location l = k_loc_of(w->p, id);
    bool there = l.file && l.line;
    if (there && (all || k_is_front_end(w->p, l.file))) {
        put(w, " loc(");
        put_str(w, 0, l.file);
        put(w, ":%u:%u)", l.line, l.col);
    } else if (all && !there) {
        put(w, " loc(none)");
    }
}

/* ---- operands ---- */

static const char *operation_name(const k_node *n)
{
    const char *name = n->op == K_SCALAR ? ir_op_info(n->opcode)->name : k_op_info(n->op)->name;
    return name ? name : "?";
}

/* How many of args[] are printed. A missing operand of a broken program prints as %0. */
uint32_t ktext_operand_count(const k_node *n)
{
    uint32_t most = ir_op_info(n->opcode)->max_args;
    switch (n->op) {
    case K_SCALAR: return most < 3 ? most : 3;
    case K_STORE: return 3;
    case K_ATOMIC: return n->args[2] ? 3 : 2;
    case K_ALLOC: return n->args[1] ? 2 : 1;
    case K_LOAD:
    case K_LOADWIDE:
    case K_STOREWIDE:
    case K_SHUFFLE:
    case K_RESIZE:
    case K_SWAP:
    case K_EMIT: return 2;
    case K_CHECK: return 3;
    case K_TABLE:
    case K_FAILED: return 0;
    default: return 1;
    }
}

static bool has_type_argument(const k_node *n)
{
    return n->op == K_CONVERT || n->op == K_BITCAST;
}

static void put_operands(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < ktext_operand_count(n); i++) {
        put(w, i ? ", " : "");
        ktext_operand(w, n->args[i]);
    }
}

bool ktext_is_operator(const k_node *n)
{
    return n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST;
}

void ktext_expression(kernel_printer *w, const k_node *n)
{
    put(w, "%s", operation_name(n));
    if (has_type_argument(n))
        put(w, "<%s>", ktext_type_name(n));
    put(w, "(");
    put_operands(w, n);
    put(w, ")");
}

/* Not every NaN is the one that the word stands for. */
static bool is_other_nan(const k_node *n)
{
    scalar t = (scalar)n->type;
    return ir_scalar_class(t) == 'F' && isnan(scalar_float_value(t, n->bits)) &&
           n->bits != scalar_float_bits(t, (double)NAN);
}

/* Numbers read back as the same bits, so a NaN of unusual bits is written by them. */
static void put_constant(kernel_printer *w, const k_node *n)
{
    if (is_other_nan(n))
        put(w, "nan:%llu", (unsigned long long)n->bits);
    w->ok = is_other_nan(n) ? w->ok : scalar_text(w->m, (scalar)n->type, n->bits, w->out) && w->ok;
    if (is_other_nan(n) && n->type != ST_F64)
        put(w, "%s", ktext_type_name(n));
}

void ktext_operand(kernel_printer *w, k_id v)
{
    const k_node *n = k_at(w->p, v);
    if (n->op == K_CONST && v)
        put_constant(w, n);
    else if (w->open)
        ktext_open_operand(w, v);
    else
        put(w, "%%%u", v);
}

static void put_list(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < n->nlist && i < w->p->pool.len; i++) {
        put(w, i ? ", " : "");
        ktext_operand(w, k_pooled(w->p, n->list, i));
    }
}

/* ---- facts ---- */

static void put_form(kernel_printer *w, const k_node *n)
{
    if (n->form != FORM_PLAIN)
        put(w, " %s", ktext_attribute(n, HAS_FORM));
}

static void put_range(kernel_printer *w, k_id id, const k_facts *plain)
{
    if (k_lo(w->p, id) != plain->lo || k_hi(w->p, id) != plain->hi)
        put(w, " in %lld..%lld", (long long)k_lo(w->p, id), (long long)k_hi(w->p, id));
}

static void put_limit(kernel_printer *w, const char *word, k_id limit)
{
    if (!limit)
        return;
    put(w, " %s ", word);
    ktext_operand(w, limit);
}

/* What is known of a value beyond what follows. */
static void put_facts(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    if (!w->facts || !ktext_has_range(n))
        return;
    plain_facts plain = ktext_plain_facts(w->p, id);
    if (n->op == K_SCALAR && n->exact != plain.exact)
        put(w, " %s", ktext_word(KIND_EXACT, n->exact));
    if (k_is_extent(w->p, id)) {
        put(w, " extent");
        ktext_make_extent(&plain.facts);
    }
    put_range(w, id, &plain.facts);
    if (k_below(w->p, id) != plain.facts.below)
        put_limit(w, "below", k_below(w->p, id));
    put_limit(w, "bound", k_bound(w->p, id));
}

/* Printing into a buffer of its own asks the one place that decides what is worth saying. */
static bool has_facts(kernel_printer *w, k_id id)
{
    vec_char text = {0}, *out = w->out;
    w->out = &text;
    put_facts(w, id);
    w->out = out;
    bool any = text.len > 0;
    vec_free(w->m, &text);
    return any;
}

/* ---- structured statements ---- */

/* Constants are written where they are used; empty yields say nothing. */
static bool is_shown(const kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    return n->op != K_CONST && (n->op != K_YIELD || n->nlist);
}

/* An else that shows nothing is left out; the reader makes an empty block for it. */
static bool shows_anything(const kernel_printer *w, k_block b)
{
    uint32_t most = w->budget;
    for (k_id id = k_block_at(w->p, b)->first; id && most; id = k_at(w->p, id)->next, most--)
        if (is_shown(w, id))
            return true;
    return false;
}

static void put_braces(kernel_printer *w, k_block b)
{
    put(w, " {\n");
    ktext_block(w, b);
    put_indent(w);
    put(w, "}");
}

/* A broken program may claim any number of results; it prints none of them then. */
static uint32_t result_count(const kernel_printer *w, const k_node *n)
{
    return n->nresults < w->p->nodes.len ? n->nresults : 0;
}

static void put_result_names(kernel_printer *w, const k_node *n)
{
    uint32_t count = result_count(w, n);
    for (uint32_t i = 0; i < count; i++)
        put(w, "%s%%%u", i ? ", " : "", n->results + i);
    put(w, count ? " = " : "");
}

static void put_result_types(kernel_printer *w, const k_node *n)
{
    for (uint32_t i = 0; i < result_count(w, n); i++) {
        put(w, "%s%s", i ? ", " : " : ", ktext_type_name(k_at(w->p, n->results + i)));
        put_facts(w, n->results + i);
    }
}

/* carry (%18 = 0, ...): the carried parameters are the last of the block's. */
static void put_carried(kernel_printer *w, const k_node *n)
{
    const k_blocks *b = k_block_at(w->p, n->blocks[0]);
    if (!n->nlist || b->nparams < n->nlist || n->nlist > w->p->pool.len)
        return;
    put(w, " carry (");
    for (uint32_t i = 0; i < n->nlist; i++) {
        k_id param = b->params + b->nparams - n->nlist + i;
        put(w, "%s%%%u = ", i ? ", " : "", param);
        ktext_operand(w, k_pooled(w->p, n->list, i));
        put_facts(w, param);
    }
    put(w, ")");
}

static void put_for(kernel_printer *w, const k_node *n)
{
    k_id variable = k_block_at(w->p, n->blocks[0])->params;
    put(w, "for %%%u = ", variable);
    for (int i = 0; i < 3; i++) {
        put(w, i ? ", " : "");
        ktext_operand(w, n->args[i]);
    }
    put_facts(w, variable);
    put(w, "%s%s", n->independent ? " independent" : "", n->unordered ? " unordered" : "");
    put_form(w, n);
}

static void put_par(kernel_printer *w, const k_node *n)
{
    k_id variable = k_block_at(w->p, n->blocks[0])->params;
    put(w, "par %s %%%u < ", ktext_attribute(n, HAS_WORKERS), variable);
    ktext_operand(w, n->args[0]);
    put_facts(w, variable);
}

static void put_region_head(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    put_result_names(w, n);
    if (n->op == K_FOR)
        put_for(w, n);
    else if (n->op == K_PAR)
        put_par(w, n);
    else
        put(w, n->op == K_IF ? "if " : "while");
    if (n->op == K_IF)
        ktext_operand(w, n->args[0]);
    put_carried(w, n);
    put_result_types(w, n);
    put_position(w, id);
}

static void put_region_blocks(kernel_printer *w, const k_node *n)
{
    put_braces(w, n->blocks[0]);
    if (n->blocks[1] && (n->op == K_WHILE || shows_anything(w, n->blocks[1]))) {
        put(w, n->op == K_WHILE ? " do" : " else");
        put_braces(w, n->blocks[1]);
    }
}

/* ---- launches ---- */

/* Launches are met in the order of the table. */
static const k_kernel *kernel_of(kernel_printer *w, k_id launch)
{
    const k_program *p = w->p;
    for (uint32_t i = 0; i < p->kernels.len; i++) {
        uint32_t at = (w->next_kernel + i) % p->kernels.len;
        if (p->kernels.at[at].launch != launch)
            continue;
        w->next_kernel = at + 1;
        return &p->kernels.at[at];
    }
    return NULL;
}

/* Numbers alone: what a kernel lists are nodes, never constants. */
static void put_pool(kernel_printer *w, uint32_t at, uint32_t n, const char *before)
{
    for (uint32_t i = 0; i < n && i < w->p->pool.len; i++)
        put(w, "%s%%%u", i ? ", " : before, k_pooled(w->p, at, i));
}

/* %43 in 0 at 128, phases 1..3 */
static void put_locals(kernel_printer *w, const k_kernel *k)
{
    put(w, " local(");
    for (uint32_t i = 0; i < k->nlocals && (uint64_t)k->locals + i < w->p->locals.len; i++) {
        const k_local *l = &w->p->locals.at[k->locals + i];
        put(w, "%s%%%u in %u", i ? ", " : "", l->alloc, l->area);
        if (l->offset)
            put(w, " at %llu", (unsigned long long)l->offset);
        if (l->to)
            put(w, " phases %u..%u", l->from, l->to);
    }
    put(w, ") areas=%u phases=%u", k->nareas, k->phases);
}

static void put_kernel(kernel_printer *w, const k_kernel *k)
{
    put(w, " args(");
    put_pool(w, k->scalars, k->nscalars, "");
    put_pool(w, k->globals, k->nglobals, k->nscalars ? ", " : "");
    put(w, ")");
    if (k->nlocals)
        put_locals(w, k);
    if (k->nprivates) {
        put(w, " private(");
        put_pool(w, k->privates, k->nprivates, "");
        put(w, ")");
    }
    put(w, k->shares_global ? " shares-global" : "");
    put(w, k->checks ? " checks" : "");
}

static void put_launch_head(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    const k_kernel *k = kernel_of(w, id);
    put(w, "launch ");
    if (k) {
        put_str(w, '@', k->name);
        put(w, " ");
    }
    put(w, "%s groups=", ktext_attribute(n, HAS_LEVEL));
    ktext_operand(w, n->args[0]);
    put(w, " threads=");
    ktext_operand(w, n->args[1]);
    put(w, "%s", n->joined ? " joined" : "");
    if (k)
        put_kernel(w, k);
    put_position(w, id);
}

/* ---- plain statements ---- */

/* Between the name of an operator and its operands. */
static void put_kind(kernel_printer *w, const k_node *n)
{
    switch (n->op) {
    case K_ARG:
    case K_BUFFER: put(w, " %u", n->leaf); break;
    case K_DIM: put(w, " %u, %u", n->leaf, n->axis); break;
    case K_BUILTIN: put(w, " %s", ktext_attribute(n, HAS_COORDINATE)); break;
    case K_ATOMIC: put(w, " %s ", ktext_attribute(n, HAS_ATOMIC)); break;
    case K_ALLOC: put(w, " %s ", ktext_attribute(n, HAS_SPACE)); break;
    case K_FAILED: break;
    default: put(w, " "); break;
    }
}

static bool has_operands(const k_node *n)
{
    return n->op != K_ARG && n->op != K_BUFFER && n->op != K_DIM && n->op != K_BUILTIN &&
           n->op != K_FAILED && n->op != K_TABLE;
}

static void put_value(kernel_printer *w, const k_node *n, k_id id)
{
    put(w, "%%%u = %s", id, operation_name(n));
    put_kind(w, n);
    if (n->op == K_CONST)
        put_constant(w, n);
    else if (has_operands(n))
        put_operands(w, n);
    put(w, n->op == K_ATOMIC && n->nlist ? ", " : "");
    if (n->op == K_ATOMIC || n->op == K_TABLE)
        put_list(w, n);
    put(w, " : %s", ktext_type_name(n));
    put_form(w, n);
    put_facts(w, id);
    if (n->op == K_BUFFER && n->overwritten)
        put(w, " overwritten");
    if (n->op == K_ALLOC && n->kept)
        put(w, " kept");
}

static void put_output(kernel_printer *w, const k_node *n)
{
    put(w, "output %u = ", n->leaf);
    ktext_operand(w, n->args[0]);
    put(w, " [");
    put_list(w, n);
    put(w, "]");
}

/* Of a scalar its value; of an array the memory and the extents. */
static void put_emitted(kernel_printer *w, const k_node *n)
{
    put(w, "%s ", k_op_info(n->op)->name);
    put_operands(w, n);
    if (n->op == K_EMIT) {
        put(w, " [");
        put_list(w, n);
        put(w, "]");
    }
    if (n->number)
        put(w, " follow %u", n->number);
    if (n->bits) {
        put(w, " as ");
        put_str(w, 0, (str_id)n->bits);
    }
}

static void put_check(kernel_printer *w, const k_node *n)
{
    put(w, "check %s ", ktext_attribute(n, HAS_CHECKED));
    put_operands(w, n);
    if (n->bits) {
        put(w, " ");
        put_str(w, 0, (str_id)n->bits);
    }
}

/* One type, unless something is known of an element. */
static void put_load_wide(kernel_printer *w, const k_node *n)
{
    bool facts = false;
    put_result_names(w, n);
    put(w, "loadwide ");
    put_operands(w, n);
    for (uint32_t i = 0; i < result_count(w, n) && w->facts; i++)
        facts = facts || has_facts(w, n->results + i);
    if (facts)
        put_result_types(w, n);
    else
        put(w, " : %s", ktext_type_name(n));
}

static void put_receive(kernel_printer *w, const k_node *n)
{
    if (n->nresults)
        put_result_names(w, n);
    put(w, "receive ");
    put_operands(w, n);
    if (n->bits) {
        put(w, " as ");
        put_str(w, 0, (str_id)n->bits);
    }
    if (n->nresults)
        put_result_types(w, n);
}

static void put_plain(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    switch (n->op) {
    case K_OUTPUT: put_output(w, n); break;
    case K_EMIT:
    case K_EMITSCALAR: put_emitted(w, n); break;
    case K_SYNC:
        put(w, "sync %s%s", ktext_attribute(n, HAS_LEVEL), n->fenced ? " fenced" : "");
        break;
    case K_CHECK: put_check(w, n); break;
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
    case K_LOADWIDE: put_load_wide(w, n); break;
    case K_RECEIVE: put_receive(w, n); break;
    case K_RESIZE:
    case K_SWAP:
        put(w, "%s ", k_op_info(n->op)->name);
        put_operands(w, n);
        break;
    case K_YIELD:
        put(w, "yield ");
        put_list(w, n);
        break;
    default: put_value(w, n, id); break;
    }
    put_position(w, id);
}

static bool is_region(const k_node *n)
{
    return k_op_info(n->op)->class == KC_REGION;
}

/* A statement without its blocks. */
static void put_head(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    if (is_region(n))
        put_region_head(w, id);
    else if (n->op == K_LAUNCH)
        put_launch_head(w, id);
    else
        put_plain(w, id);
}

static void put_statement(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    put_head(w, id);
    if (is_region(n))
        put_region_blocks(w, n);
    else if (n->op == K_LAUNCH)
        put_braces(w, n->blocks[0]);
}

static bool refuse_depth(kernel_printer *w)
{
    w->ok = w->ok && diag_error(w->p->cx, DIAG_TOO_DEEP, (location){0},
                                "the kernel IR nests deeper than %d blocks", TEXT_NESTING);
    return false;
}

/* No statement is printed twice, so that a list that runs in a circle ends. */
static bool has_budget(kernel_printer *w)
{
    if (w->budget)
        w->budget--;
    else
        w->ok = w->ok && diag_error(w->p->cx, DIAG_KERNEL_RULE, (location){0},
                                    "the statements of the kernel IR run in a circle");
    return w->ok;
}

void ktext_block(kernel_printer *w, k_block b)
{
    if (++w->indent > TEXT_NESTING)
        refuse_depth(w);
    for (k_id id = k_block_at(w->p, b)->first; id && w->ok; id = k_at(w->p, id)->next) {
        if (id >= w->p->nodes.len || !has_budget(w))
            break;
        if (!is_shown(w, id))
            continue;
        put_indent(w);
        put_statement(w, id);
        put(w, "\n");
    }
    w->indent--;
}

/* ---- the head of a program ---- */

static void put_leaf_type(kernel_printer *w, const leaf *l)
{
    put(w, l->rank ? "[%s" : "%s", ir_scalar_name(l->type));
    if (l->rank > 1)
        put(w, ";%u", l->rank);
    put(w, l->rank ? "]" : "");
}

/* The leaves of one parameter or result: int, or ([int], [double]) for tuples; () for none. */
static uint32_t put_leaves(kernel_printer *w, const vec_leaf *all, uint32_t first, uint32_t param)
{
    uint32_t n = 0;
    while (first + n < all->len && all->at[first + n].param == param)
        n++;
    put(w, n == 1 ? "" : "(");
    for (uint32_t i = 0; i < n; i++) {
        put(w, i ? ", " : "");
        put_leaf_type(w, &all->at[first + i]);
    }
    put(w, n == 1 ? "" : ")");
    return first + n;
}

static void put_inputs(kernel_printer *w)
{
    const vec_leaf *in = &w->p->in;
    put(w, "(");
    for (uint32_t i = 0, param = 0; i < in->len && in->at[i].param >= param; param++) {
        const char *name = in->at[i].param == param ? k_leaf_name(w->p, i) : "";
        put(w, param ? ", " : "");
        if (*name)
            put_name(w, '%', name);
        else
            put(w, "_");
        put(w, ": ");
        i = put_leaves(w, in, i, param);
    }
    put(w, ")");
}

static void put_outputs(kernel_printer *w)
{
    const vec_leaf *out = &w->p->out;
    for (uint32_t i = 0, param = 0; i < out->len && out->at[i].param >= param; param++) {
        put(w, param ? ", " : " -> ");
        i = put_leaves(w, out, i, param);
    }
}

/* Flags are words alone, and stand only when set, as their usual value is 0. */
static void put_field(kernel_printer *w, const target_field *f, uint32_t x)
{
    put(w, " %s", f->name);
    if (f->form == KIND_FLAG)
        return;
    put(w, "=");
    if (f->form == KIND_NUMBER)
        put(w, "%u", x);
    else if (f->form == KIND_NAME)
        put_str(w, '%', x);
    else
        put(w, "%s", ktext_word(f->form, x));
}

static void put_target(kernel_printer *w)
{
    target_field f;
    put(w, "target");
    for (uint32_t i = 0; ktext_target_field(i, &f); i++) {
        uint32_t x = ktext_target_value(&w->p->target, &f);
        if (f.always || x != f.usual)
            put_field(w, &f, x);
    }
    put(w, "\n");
}

bool k_print(const k_program *p, vec_char *out)
{
    kernel_printer w = {
        .p = p, .m = &p->cx->mem, .out = out, .budget = p->nodes.len, .facts = true, .ok = true};
    put(&w, "kernel-ir %s %s%s\n", KERNEL_TEXT_VERSION, ktext_word(KIND_STAGE, p->stage),
        p->barriers_counted ? " barriers" : "");
    put_target(&w);
    put(&w, "program ");
    put_str(&w, '@', p->name);
    put_inputs(&w);
    put_outputs(&w);
    put_braces(&w, p->host);
    put(&w, "\n");
    return w.ok;
}

bool k_print_statement(const k_program *p, k_id id, vec_char *out)
{
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .ok = true};
    put_head(&w, id);
    return w.ok;
}
