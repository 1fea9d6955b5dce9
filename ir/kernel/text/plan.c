/* Text of the launch plan, for people: the host block with launches abbreviated to their geometry,
 * arguments and local memory, and with values that are used once written as expressions over the
 * inputs: quot(add(len(%xs), 255), 256). */
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/text/text.h"

#include "ir/scalar/scalar.h"

#include <string.h>

/* How high an expression of the plan may grow. */
enum { HEIGHT_MOST = 8 };

#define put ktext_put

/* ---- inputs by their names ---- */

/* A name that is no number: those are the plan's values. */
static bool is_word(const char *name)
{
    return name[strspn(name, "0123456789")] != 0;
}

/* xs, or xs.1 for the second leaf of a parameter that is a tuple; arg0 for what has no name, or
 * only a number. */
static bool add_leaf(const k_program *p, uint32_t which, vec_char *out)
{
    mem *m = &p->cx->mem;
    const char *name = k_leaf_name(p, which);
    uint32_t param = which < p->in.len ? p->in.at[which].param : which, within = 0;
    for (uint32_t i = which; i > 0 && i < p->in.len && p->in.at[i - 1].param == param; i--)
        within++;
    return (is_word(name) ? text_add(m, out, name, strlen(name))
                          : text_addf(m, out, "arg%u", param)) &&
           (!within || text_addf(m, out, ".%u", within));
}

/* A parameter's own name, of which there is one: those made of it give way. */
static bool has_own_name(const k_program *p, uint32_t which)
{
    return is_word(k_leaf_name(p, which)) &&
           (which == 0 || p->in.at[which - 1].param != p->in.at[which].param);
}

/* Whether the name at the end of the texts, of leaf `which`, is that of a parameter, or of a leaf
 * before it. */
static bool is_taken(const k_program *p, const plan_names *n, uint32_t which)
{
    const char *name = n->text.at + n->first.at[which];
    for (uint32_t i = 0; i < p->in.len; i++) {
        const char *other = i < which ? n->text.at + n->first.at[i] : k_leaf_name(p, i);
        if (i != which && (i < which || has_own_name(p, i)) && strcmp(name, other) == 0)
            return true;
    }
    return false;
}

/* Chooses a name for each input, no two the same: xs.1 becomes xs.1'2 where another parameter has
 * that name.  Quadratic in the inputs, which are few. */
static bool choose_names(const k_program *p, plan_names *n)
{
    mem *m = &p->cx->mem;
    for (uint32_t i = 0; i < p->in.len; i++) {
        uint32_t start = n->text.len, twin = 1, length;
        if (!vec_push(m, &n->first, start) || !add_leaf(p, i, &n->text))
            return false;
        length = n->text.len;
        while (text_cstr(m, &n->text) && !m->oom && !has_own_name(p, i) && is_taken(p, n, i)) {
            n->text.len = length;
            if (!text_addf(m, &n->text, "'%u", ++twin))
                return false;
        }
        if (!vec_push(m, &n->text, 0))
            return false;
    }
    return !m->oom;
}

void ktext_leaf(kernel_printer *w, uint32_t which)
{
    put(w, "%%");
    if (w->names && which < w->names->first.len) {
        const char *name = w->names->text.at + w->names->first.at[which];
        w->ok = w->ok && text_add(w->m, w->out, name, strlen(name));
    } else {
        w->ok = w->ok && add_leaf(w->p, which, w->out);
    }
}

/* An array of rank 1 has one extent, its length. */
static void put_dim(kernel_printer *w, const k_node *n)
{
    uint32_t which = n->leaf;
    bool only = which < w->p->in.len && w->p->in.at[which].rank == 1;
    put(w, only ? "len(" : "dim(");
    ktext_leaf(w, which);
    if (!only)
        put(w, ", %u", n->axis);
    put(w, ")");
}

/* ---- operands ---- */

/* Operators in the expression of v, or more than most. */
static uint32_t operators_of(const k_program *p, k_id v, uint32_t most)
{
    const k_node *n = k_at(p, v);
    uint32_t sum = ktext_is_operator(n);
    for (uint32_t i = 0; sum && i < ktext_operand_count(n) && sum <= most; i++)
        sum += operators_of(p, n->args[i], most - sum);
    return sum;
}

/* Whether an operator is written where it is used. */
static bool stands_here(const kernel_printer *w, k_id v)
{
    if (w->notes)
        return w->notes[v].in_place;
    return w->open && ktext_is_operator(k_at(w->p, v)) && operators_of(w->p, v, w->open) <= w->open;
}

void ktext_plan_operand(kernel_printer *w, k_id v)
{
    const k_node *n = k_at(w->p, v);
    if (n->op == K_ARG || n->op == K_BUFFER)
        ktext_leaf(w, n->leaf);
    else if (n->op == K_DIM)
        put_dim(w, n);
    else if (stands_here(w, v))
        ktext_expression(w, n);
    else
        put(w, "%%%u", v);
}

/* Inputs and expressions are written where they are used. */
bool ktext_plan_is_shown(const kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    bool input = n->op == K_ARG || n->op == K_DIM || n->op == K_BUFFER;
    return !input && !w->notes[id].in_place;
}

/* ---- launches ---- */

/* tile60: 256 x int = 1024 bytes */
static void put_array(kernel_printer *w, const char *prefix, k_id v)
{
    const k_node *n = k_at(w->p, v);
    int64_t count;
    put(w, "%s%u: ", prefix, v);
    ktext_operand(w, n->args[0]);
    put(w, " x %s", ktext_type_name(n));
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
        ktext_operand(
            w, w->p->pool.at[i < k->nscalars ? k->scalars + i : k->globals + i - k->nscalars]);
    }
    put(w, ")");
}

void ktext_plan_launch(kernel_printer *w, const k_node *n, k_id id)
{
    const k_kernel *k = ktext_kernel_of(w, id);
    put(w, "launch %s%s%s groups=", k ? "@" : "", k ? intern_str(&w->p->cx->strings, k->name) : "",
        k ? "" : ktext_attribute(n, HAS_LEVEL));
    ktext_operand(w, n->args[0]);
    put(w, " threads=");
    ktext_operand(w, n->args[1]);
    if (!k)
        return;
    put_arguments(w, k);
    put_locals(w, k);
    put_privates(w, k);
}

/* ---- what is written as expressions ---- */

/* Arguments of a kernel are uses of the plan's values. */
static void count_pool(kernel_printer *w, uint32_t list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        w->notes[w->p->pool.at[list + i]].uses++;
}

/* An operator that is used once is written in its user, unless the expression would grow higher
 * than HEIGHT_MOST; that also bounds the recursion of printing. */
static void decide(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    plan_note *note = &w->notes[id];
    bool written = ktext_is_operator(n);
    for (uint32_t i = 0; written && i < ktext_operand_count(n); i++) {
        const plan_note *operand = &w->notes[n->args[i]];
        if (operand->in_place && operand->height >= note->height)
            note->height = (uint8_t)(operand->height + 1);
    }
    note->in_place = written && note->uses == 1 && note->height < HEIGHT_MOST;
}

static void note_block(kernel_printer *w, k_block b, bool counting);

static void count_uses(kernel_printer *w, k_id id)
{
    const k_node *n = k_at(w->p, id);
    const k_kernel *k = n->op == K_LAUNCH ? ktext_kernel_of(w, id) : NULL;
    for (uint32_t i = 0; i < 3; i++)
        w->notes[n->args[i]].uses++;
    for (uint32_t i = 0; i < n->nlist; i++)
        w->notes[k_listed(w->p, n, i)].uses++;
    if (!k)
        return;
    count_pool(w, k->scalars, k->nscalars);
    for (uint32_t i = 0; i < k->nlocals; i++)
        w->notes[k_at(w->p, k_local_at(w->p, k, i)->alloc)->args[0]].uses++;
}

/* Uses are counted first, as a value is decided on where it stands, before its users. */
static void note_block(kernel_printer *w, k_block b, bool counting)
{
    if (++w->indent > TEXT_NESTING)
        w->ok = false;
    for (k_id id = k_block_at(w->p, b)->first; id && w->ok; id = k_at(w->p, id)->next) {
        const k_node *n = k_at(w->p, id);
        if (counting)
            count_uses(w, id);
        else
            decide(w, id);
        for (uint32_t i = 0; n->op != K_LAUNCH && i < 2; i++)
            if (n->blocks[i])
                note_block(w, n->blocks[i], counting);
    }
    w->indent--;
}

/* ---- the whole ---- */

static void put_inputs(kernel_printer *w)
{
    const vec_leaf *in = &w->p->in;
    put(w, "(");
    for (uint32_t i = 0; i < in->len; i++) {
        put(w, i ? ", " : "");
        ktext_leaf(w, i);
        put(w, ": ");
        ktext_leaf_type(w, &in->at[i]);
    }
    put(w, ")");
}

static void put_plan(kernel_printer *w)
{
    const k_program *p = w->p;
    put(w, "plan @%s", intern_str(&p->cx->strings, p->name));
    put_inputs(w);
    for (uint32_t i = 0; i < p->out.len; i++) {
        put(w, i ? ", " : " -> ");
        ktext_leaf_type(w, &p->out.at[i]);
    }
    put(w, " {\n");
    ktext_block(w, p->host);
    put(w, "}\n");
}

static void free_names(mem *m, plan_names *n)
{
    vec_free(m, &n->text);
    vec_free(m, &n->first);
}

/* Two walks before the text: uses are counted, then it is decided what is written in place. Time
 * and memory are linear in the program. */
bool k_print_plan(const k_program *p, vec_char *out)
{
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .budget = p->nodes.len, .ok = true};
    size_t size = p->nodes.len * sizeof *w.notes;
    plan_names names = {0};
    w.notes = mem_zeroed(w.m, size);
    w.names = &names;
    if (!w.notes || !choose_names(p, &names)) {
        mem_free(w.m, w.notes, w.notes ? size : 0);
        free_names(w.m, &names);
        return false;
    }
    note_block(&w, p->host, true);
    note_block(&w, p->host, false);
    w.ok = true; /* a plan that nests too deep is refused with a diagnostic where it is printed */
    put_plan(&w);
    mem_free(w.m, w.notes, size);
    free_names(w.m, &names);
    return w.ok;
}

/* There are no notes: how much is written is bounded by the number of operators instead. */
bool k_print_value(const k_program *p, k_id v, vec_char *out)
{
    enum { OPERATORS_MOST = 8 };
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .open = OPERATORS_MOST, .ok = true};
    if (ktext_is_operator(k_at(p, v)))
        ktext_expression(&w, k_at(p, v));
    else
        ktext_operand(&w, v);
    return w.ok;
}
