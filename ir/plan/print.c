/* Plans as text for people: inputs by their names, values that are used once as expressions, and
 * launches with what their kernels take: quot(add(len(%xs), 255), 256). */
#include "ir/plan/plan.h"

#include "ir/scalar/scalar.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* How high an expression may grow, which also bounds the recursion. */
enum { HEIGHT_MOST = 8 };

/* Elements of a constant from which on those of one value are counted. */
enum { REPEATED = 8 };

typedef struct note {
    uint32_t step; /* that gives the value; 0: a parameter of a block */
    uint32_t uses;
    uint8_t height; /* of the expression */
} note;

typedef struct printer {
    const plan *p;
    mem *m;
    vec_char *out;
    note *values;
    vec_char names; /* of the inputs, one behind the other, each with a NUL */
    vec_u32 starts; /* in `names` */
    uint32_t indent;
    bool ok;
} printer;

__attribute__((format(printf, 2, 3))) static void put(printer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    w->ok = w->ok && text_add_list(w->m, w->out, fmt, ap);
    va_end(ap);
}

static const char *text_of(const printer *w, str_id s)
{
    return intern_str(&w->p->cx->strings, s);
}

static const char *type_name(uint8_t t)
{
    return ir_scalar_name((scalar)t);
}

/* ---- names of inputs ---- */

static bool is_taken(const printer *w, uint32_t param)
{
    const char *name = w->names.at + w->starts.at[w->starts.len - 1];
    for (uint32_t i = 0; i + 1 < w->starts.len; i++)
        if (strcmp(name, w->names.at + w->starts.at[i]) == 0)
            return true;
    for (uint32_t i = 0; i < w->p->face.params.len; i++)
        if (i != param && strcmp(name, text_of(w, w->p->face.params.at[i].name)) == 0)
            return true;
    return false;
}

/* A name that is no number, as those are values. */
static bool is_word(const char *name)
{
    return name[strspn(name, "0123456789")] != 0;
}

/* xs, or xs.1 for the second leaf of a tuple; arg0 for a parameter without a name; xs'2 where that
 * is another one's. */
static bool add_name(printer *w, uint32_t which, uint32_t within)
{
    uint32_t param = w->p->face.in.at[which].param, start = w->names.len, twin = 1;
    const char *name = text_of(w, w->p->face.params.at[param].name);
    bool ok = vec_push(w->m, &w->starts, start) &&
              (is_word(name) ? text_add(w->m, &w->names, name, strlen(name))
                             : text_addf(w->m, &w->names, "arg%u", param)) &&
              (!within || text_addf(w->m, &w->names, ".%u", within));
    uint32_t length = w->names.len;
    while (ok && text_cstr(w->m, &w->names) && !w->m->oom && is_taken(w, param)) {
        w->names.len = length;
        ok = text_addf(w->m, &w->names, "'%u", ++twin);
    }
    return ok && vec_push(w->m, &w->names, 0);
}

static bool choose_names(printer *w)
{
    const vec_leaf *in = &w->p->face.in;
    uint32_t within = 0;
    for (uint32_t i = 0; i < in->len; i++) {
        within = i && in->at[i - 1].param == in->at[i].param ? within + 1 : 0;
        if (!add_name(w, i, within))
            return false;
    }
    return !w->m->oom;
}

static void put_input(printer *w, uint32_t which)
{
    put(w, "%%");
    put(w, "%s", w->names.at + w->starts.at[which]);
}

/* ---- values ---- */

static bool is_expression(const plan_step *s)
{
    return s->op == PLAN_COMPUTE || s->op == PLAN_CONVERT || s->op == PLAN_BITCAST;
}

/* Whether a value is written where it is used. */
static bool stands_here(const printer *w, uint32_t value)
{
    const plan_step *s = plan_step_at(w->p, w->values[value].step);
    return s->op == PLAN_CONST || s->op == PLAN_SCALAR || s->op == PLAN_EXTENT ||
           (is_expression(s) && w->values[value].uses == 1 &&
            w->values[value].height < HEIGHT_MOST);
}

static void put_value(printer *w, uint32_t value);

static void put_expression(printer *w, const plan_step *s, const char *open, const char *close)
{
    if (s->op == PLAN_COMPUTE)
        put(w, "%s", ir_op_table[s->opcode].name);
    else
        put(w, "%s<%s>", plan_op_info(s->op)->name, type_name(w->p->values.at[s->gives]));
    for (int i = 0; i < 3 && s->args[i]; i++) {
        put(w, "%s", i ? ", " : open);
        put_value(w, s->args[i]);
    }
    put(w, "%s", close);
}

/* An array of rank 1 has one extent, its length. */
static void put_extent(printer *w, const plan_step *s)
{
    bool only = w->p->face.in.at[s->which].rank == 1;
    put(w, only ? "len(" : "dim(");
    put_input(w, s->which);
    if (!only)
        put(w, ", %u", s->axis);
    put(w, ")");
}

static void put_value(printer *w, uint32_t value)
{
    const plan_step *s = plan_step_at(w->p, w->values[value].step);
    if (!stands_here(w, value))
        put(w, "%%%u", value);
    else if (s->op == PLAN_CONST)
        w->ok = w->ok && scalar_text(w->m, (scalar)w->p->values.at[value], s->bits, w->out);
    else if (s->op == PLAN_SCALAR)
        put_input(w, s->which);
    else if (s->op == PLAN_EXTENT)
        put_extent(w, s);
    else
        put_expression(w, s, "(", ")");
}

static void put_values(printer *w, uint32_t list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put(w, i ? ", " : "");
        put_value(w, w->p->pool.at[list + i]);
    }
}

static void put_memory(printer *w, uint32_t memory)
{
    const plan_memory *m = plan_memory_at(w->p, memory);
    if (m->kind == PLAN_MEMORY_ARGUMENT)
        put_input(w, m->argument);
    else
        put(w, "%s%u", m->kind == PLAN_MEMORY_ALLOCATED ? "memory" : plan_memory_name(m->kind),
            memory);
}

/* ---- launches ---- */

static void put_argument(printer *w, const plan_argument *a, uint32_t given)
{
    if (a->takes == PLAN_TAKES_MEMORY) {
        put_memory(w, given);
    } else {
        put_value(w, given);
        put(w, a->takes == PLAN_TAKES_LOCAL ? " bytes" : "");
    }
}

/* tile: 256 x int = 1024 bytes; where it shares an area, also where it lies there, and when */
static void put_local(printer *w, const plan_local *l)
{
    put(w, "%s", text_of(w, l->name));
    put(w, ": ");
    if (l->elements)
        put_value(w, l->elements);
    else
        put(w, "%llu", (unsigned long long)l->count);
    put(w, " x %s", type_name(l->type));
    if (!l->elements)
        put(w, " = %llu bytes", (unsigned long long)l->count * ir_scalar_bytes((scalar)l->type));
    if (!l->area)
        return;
    put(w, " at %llu of ", (unsigned long long)l->offset);
    put(w, "%s", text_of(w, l->area));
    put(w, " in phases %u to %u", l->from, l->to);
}

static void put_launch(printer *w, const plan_step *s)
{
    const plan_kernel *k = plan_kernel_at(w->p, s->which);
    put(w, "launch @");
    put(w, "%s", text_of(w, k->name));
    put(w, " groups=");
    put_value(w, s->args[0]);
    put(w, " threads=");
    put_value(w, s->args[1]);
    put(w, " args(");
    for (uint32_t i = 0; i < k->narguments; i++) {
        put(w, i ? ", " : "");
        put_argument(w, &w->p->arguments.at[k->arguments + i], plan_listed(w->p, s, i));
    }
    put(w, ")");
    for (uint32_t i = 0; i < k->nlocals; i++) {
        put(w, i ? ", " : " local(");
        put_local(w, &w->p->locals.at[k->locals + i]);
    }
    put(w, k->nlocals ? ")" : "");
}

/* ---- steps ---- */

static void put_block(printer *w, uint32_t block);

/* Of what the step gives. */
static void put_types(printer *w, const plan_step *s)
{
    for (uint32_t i = 0; i < s->ngives; i++)
        put(w, "%s%s", i ? ", " : " : ", type_name(w->p->values.at[s->gives + i]));
}

/* " carry (%5 = 0, %6 = %1)", of the parameters from `first` on */
static void put_carried(printer *w, const plan_step *s, uint32_t first)
{
    for (uint32_t i = 0; i < s->nlist; i++) {
        put(w, "%s%%%u = ", i ? ", " : " carry (", first + i);
        put_value(w, plan_listed(w->p, s, i));
    }
    put(w, s->nlist ? ")" : "");
}

static void put_if(printer *w, const plan_step *s)
{
    put(w, "if ");
    put_value(w, s->args[0]);
    put_types(w, s);
    put_block(w, s->blocks[0]);
    put(w, " else");
    put_block(w, s->blocks[1]);
}

static void put_for(printer *w, const plan_step *s)
{
    uint32_t index = plan_block_at(w->p, s->blocks[0])->params;
    put(w, "for %%%u = ", index);
    put_value(w, s->args[0]);
    put(w, " to ");
    put_value(w, s->args[1]);
    put(w, " by ");
    put_value(w, s->args[2]);
    put_carried(w, s, index + 1);
    put_types(w, s);
    put_block(w, s->blocks[0]);
}

static void put_while(printer *w, const plan_step *s)
{
    put(w, "while");
    put_carried(w, s, plan_block_at(w->p, s->blocks[0])->params);
    put_types(w, s);
    put_block(w, s->blocks[0]);
    put(w, " do");
    put_block(w, s->blocks[1]);
}

static void put_check(printer *w, const plan_step *s)
{
    const plan_check *c = &w->p->checks.at[s->which];
    put(w, "check E%04u ", c->code);
    for (int i = 0; i < 3; i++) {
        put(w, i ? ", " : "");
        put_value(w, s->args[i]);
    }
}

static void put_output(printer *w, const plan_step *s)
{
    put(w, "output %u = ", s->which);
    put_memory(w, s->memory);
    put(w, " [");
    put_values(w, s->list, s->nlist);
    put(w, "]");
}

static void put_emitted(printer *w, const plan_step *s)
{
    put(w, "%s ", plan_op_info(s->op)->name);
    if (s->op == PLAN_EMIT) {
        put_memory(w, s->memory);
        put(w, ", ");
    }
    put_value(w, s->args[0]);
    if (s->op == PLAN_EMIT) {
        put(w, " [");
        put_values(w, s->list, s->nlist);
        put(w, "]");
    }
    if (s->which)
        put(w, " follow %u", s->which);
    if (!s->bits)
        return;
    put(w, " as ");
    put(w, "%s", text_of(w, (str_id)s->bits));
}

/* What names a memory, and perhaps a value. */
static void put_plain(printer *w, const plan_step *s)
{
    put(w, "%s ", plan_op_info(s->op)->name);
    put_memory(w, s->memory);
    if (s->args[0]) {
        put(w, ", ");
        put_value(w, s->args[0]);
    }
    if (s->op == PLAN_SWAP) {
        put(w, ", ");
        put_memory(w, s->which);
    }
    if (s->op == PLAN_RECEIVE && s->bits)
        put(w, " as %s", text_of(w, (str_id)s->bits));
    if (s->op == PLAN_ALLOCATE)
        put(w, " : %s", type_name(plan_memory_at(w->p, s->memory)->type));
}

static void put_gives(printer *w, const plan_step *s)
{
    for (uint32_t i = 0; i < s->ngives; i++)
        put(w, "%s%%%u", i ? ", " : "", s->gives + i);
    put(w, s->ngives ? " = " : "");
}

static void put_step(printer *w, const plan_step *s)
{
    put(w, "%*s", (int)(2 * w->indent), "");
    put_gives(w, s);
    switch (s->op) {
    case PLAN_LAUNCH: put_launch(w, s); break;
    case PLAN_IF: put_if(w, s); break;
    case PLAN_FOR: put_for(w, s); break;
    case PLAN_WHILE: put_while(w, s); break;
    case PLAN_CHECK: put_check(w, s); break;
    case PLAN_OUTPUT: put_output(w, s); break;
    case PLAN_EMIT:
    case PLAN_EMITSCALAR: put_emitted(w, s); break;
    default:
        if (is_expression(s))
            put_expression(w, s, " ", "");
        else
            put_plain(w, s);
        break;
    }
    if (!s->blocks[0])
        put_types(w, s);
    put(w, "\n");
}

/* Recursion is as deep as blocks nest, which plan_verify bounds. */
static void put_block(printer *w, uint32_t block)
{
    const plan_block *b = plan_block_at(w->p, block);
    put(w, " {\n");
    w->indent++;
    for (uint32_t i = b->first; i && w->ok; i = plan_step_at(w->p, i)->next)
        if (plan_step_at(w->p, i)->ngives != 1 || !stands_here(w, plan_step_at(w->p, i)->gives))
            put_step(w, plan_step_at(w->p, i));
    if (b->nyields) {
        put(w, "%*syield ", (int)(2 * w->indent), "");
        put_values(w, b->yields, b->nyields);
        put(w, "\n");
    }
    w->indent--;
    put(w, "%*s}", (int)(2 * w->indent), "");
}

/* ---- the whole ---- */

static void put_leaf(printer *w, const leaf *l)
{
    put(w, l->rank ? "[%s" : "%s", ir_scalar_name(l->type));
    if (l->rank > 1)
        put(w, "; %u", l->rank);
    put(w, l->rank ? "]" : "");
}

static void put_head(printer *w)
{
    const host_signature *f = &w->p->face;
    put(w, "plan @");
    put(w, "%s", text_of(w, f->entry));
    put(w, "(");
    for (uint32_t i = 0; i < f->in.len; i++) {
        put(w, i ? ", " : "");
        put_input(w, i);
        put(w, ": ");
        put_leaf(w, &f->in.at[i]);
    }
    put(w, ")");
    for (uint32_t i = 0; i < f->out.len; i++) {
        put(w, i ? ", " : " -> ");
        put_leaf(w, &f->out.at[i]);
    }
}

/* "2, 3, 5"; many of one value in a row are "0 (16384 times)". */
static void put_elements(printer *w, const plan_memory *m)
{
    const uint64_t *at = w->p->tables.at + m->list;
    for (uint32_t i = 0, n; i < m->nlist && w->ok; i += n) {
        for (n = 1; i + n < m->nlist && at[i + n] == at[i]; n++) {}
        n = n < REPEATED ? 1 : n;
        put(w, i ? ", " : "");
        w->ok = w->ok && scalar_text(w->m, (scalar)m->type, at[i], w->out);
        if (n > 1)
            put(w, " (%" PRIu32 " times)", n);
    }
}

/* " with table3: int = 2, 3, 5" */
static void put_tables(printer *w)
{
    bool first = true;
    for (uint32_t i = 1; i < w->p->memories.len && w->ok; i++) {
        const plan_memory *m = &w->p->memories.at[i];
        if (!plan_lists(m))
            continue;
        put(w, first ? " with\n  " : ";\n  ");
        put_memory(w, i);
        put(w, ": %s = ", type_name(m->type));
        put_elements(w, m);
        first = false;
    }
    put(w, first ? "" : "\n");
}

static void use_list(printer *w, uint32_t list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        w->values[w->p->pool.at[list + i]].uses++;
}

/* A launch lists memories too, which have numbers of their own; sizes of local arrays are written
 * there as well. */
static void use_launch(printer *w, const plan_step *s)
{
    const plan_kernel *k = plan_kernel_at(w->p, s->which);
    for (uint32_t i = 0; i < s->nlist; i++)
        if (!plan_takes_memory(w->p, s, i))
            w->values[plan_listed(w->p, s, i)].uses++;
    for (uint32_t i = 0; i < k->nlocals; i++)
        w->values[w->p->locals.at[k->locals + i].elements].uses++;
}

static void note_uses(printer *w)
{
    const plan *p = w->p;
    for (uint32_t i = 1; i < p->steps.len; i++) {
        const plan_step *s = &p->steps.at[i];
        if (s->op == PLAN_LAUNCH)
            use_launch(w, s);
        else
            use_list(w, s->list, s->nlist);
        for (int a = 0; a < 3; a++)
            w->values[s->args[a]].uses++;
        for (uint32_t g = 0; g < s->ngives; g++)
            w->values[s->gives + g].step = i;
    }
    for (uint32_t i = 1; i < p->blocks.len; i++)
        use_list(w, p->blocks.at[i].yields, p->blocks.at[i].nyields);
}

/* Steps stand in the order in which they were made, operands first. */
static void note_heights(printer *w)
{
    for (uint32_t i = 1; i < w->p->steps.len; i++) {
        const plan_step *s = &w->p->steps.at[i];
        for (int a = 0; a < 3 && is_expression(s); a++)
            if (s->args[a] && stands_here(w, s->args[a]) &&
                w->values[s->args[a]].height >= w->values[s->gives].height)
                w->values[s->gives].height = (uint8_t)(w->values[s->args[a]].height + 1);
    }
}

bool plan_print(const plan *p, vec_char *out)
{
    mem *m = &p->cx->mem;
    size_t size = p->values.len * sizeof(note);
    printer w = {.p = p, .m = m, .out = out, .values = mem_zeroed(m, size), .ok = true};
    w.ok = w.values && choose_names(&w);
    if (w.ok) {
        note_uses(&w);
        note_heights(&w);
        put_head(&w);
        put_tables(&w);
        put_block(&w, PLAN_WHOLE);
        put(&w, "\n");
    }
    mem_free(m, w.values, w.values ? size : 0);
    vec_free(m, &w.names);
    vec_free(m, &w.starts);
    return w.ok && !m->oom;
}
