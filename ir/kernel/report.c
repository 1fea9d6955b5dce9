/* The report on a program: for every kernel what it is launched with, its arguments and where its
 * memory lies.
 *
 * Written as tables: cells are put into a row after one another, and columns are as wide as their
 * widest cell. */
#include "ir/kernel/verdicts.h"

#include "ir/kernel/analysis/local.h"

#include <string.h>

typedef struct kernel_report {
    const k_program *p;
    mem *m;
    vec_char *out, cells; /* cells end with a tab, rows with a newline */
    VEC(k_id) outputs;    /* the plan's K_OUTPUT statements */
    bool ok;
} kernel_report;

/* ---- tables ---- */

enum { COLUMNS_MOST = 8, GAP = 2 };

#define PUT(r, ...) ((r)->ok = text_addf((r)->m, (r)->out, __VA_ARGS__) && (r)->ok)
#define CELL(r, ...)                                                                               \
    ((r)->ok = text_addf((r)->m, &(r)->cells, __VA_ARGS__) &&                                      \
               text_add((r)->m, &(r)->cells, "\t", 1) && (r)->ok)

/* Cells hold neither tabs nor newlines of their own, so these can separate them. */
static void end_row(kernel_report *r)
{
    r->ok = text_add(r->m, &r->cells, "\n", 1) && r->ok;
}

static void value_cell(kernel_report *r, k_id v)
{
    r->ok = k_print_value(r->p, v, &r->cells) && text_add(r->m, &r->cells, "\t", 1) && r->ok;
}

/* The greatest width of each column, in bytes. */
static void measure(const vec_char *cells, uint32_t *widths)
{
    for (uint32_t i = 0, column = 0, start = 0; i < cells->len; i++) {
        if (cells->at[i] == '\n')
            column = 0;
        else if (cells->at[i] == '\t' && column < COLUMNS_MOST) {
            widths[column] = i - start > widths[column] ? i - start : widths[column];
            column++;
        } else {
            continue;
        }
        start = i + 1;
    }
}

/* Empties the cells. */
static void put_table(kernel_report *r, uint32_t indent)
{
    uint32_t widths[COLUMNS_MOST] = {0};
    measure(&r->cells, widths);
    for (uint32_t i = 0, column = 0, start = 0; i < r->cells.len; i++) {
        char c = r->cells.at[i];
        bool last = i + 1 < r->cells.len && r->cells.at[i + 1] == '\n';
        if (c == '\t' && column < COLUMNS_MOST) {
            PUT(r, "%*s%.*s", column ? 0 : (int)indent, "", (int)(i - start), r->cells.at + start);
            if (!last)
                PUT(r, "%*s", (int)(widths[column] + GAP - (i - start)), "");
            column++;
        } else if (c == '\n') {
            PUT(r, "\n");
            column = 0;
        }
        if (c == '\t' || c == '\n')
            start = i + 1;
    }
    r->cells.len = 0;
}

/* ---- names ---- */

static const char *type_of(const k_node *n)
{
    return ir_scalar_name((scalar)n->type);
}

/* FILE:LINE:COLUMN */
static void place_cell(kernel_report *r, const k_node *n)
{
    location at = k_loc_at(r->p, n->loc);
    CELL(r, "%s:%u:%u", intern_str(&r->p->cx->strings, at.file), at.line, at.col);
}

/* The number of the result that a memory is, or -1. */
static int64_t result_of(const kernel_report *r, k_id memory)
{
    for (uint32_t i = 0; i < r->outputs.len; i++)
        if (k_at(r->p, r->outputs.at[i])->args[0] == memory)
            return k_at(r->p, r->outputs.at[i])->leaf;
    return -1;
}

static void find_outputs(kernel_report *r)
{
    for (k_id id = k_block_at(r->p, r->p->host)->first; id; id = k_at(r->p, id)->next)
        if (k_at(r->p, id)->op == K_OUTPUT)
            r->ok = vec_push(r->m, &r->outputs, id) && r->ok;
}

/* ---- arguments ---- */

typedef struct accesses {
    bool load, store;
} accesses;

static void find_accesses(const k_program *p, k_block b, k_id memory, accesses *a)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool here = n->args[0] == memory;
        a->load =
            a->load || (here && (n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC));
        a->store =
            a->store || (here && (n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC));
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_accesses(p, n->blocks[i], memory, a);
    }
}

static void put_global(kernel_report *r, const k_kernel *k, k_id v)
{
    const k_node *n = k_at(r->p, v);
    accesses a = {0};
    int64_t result = result_of(r, v);
    find_accesses(r->p, k_at(r->p, k->launch)->blocks[0], v, &a);
    value_cell(r, v);
    CELL(r, "array of %s", type_of(n));
    CELL(r, "%s", a.load && a.store ? "read and written" : a.store ? "written" : "read");
    if (result >= 0)
        CELL(r, "result %lld", (long long)result);
    end_row(r);
}

static void put_arguments(kernel_report *r, const k_kernel *k)
{
    PUT(r, k->nscalars + k->nglobals ? "  arguments\n" : "  no arguments\n");
    for (uint32_t i = 0; i < k->nscalars; i++) {
        k_id v = r->p->pool.at[k->scalars + i];
        value_cell(r, v);
        CELL(r, "%s", type_of(k_at(r->p, v)));
        end_row(r);
    }
    for (uint32_t i = 0; i < k->nglobals; i++)
        put_global(r, k, r->p->pool.at[k->globals + i]);
    put_table(r, 4);
}

/* ---- local memory ---- */

static void bytes_cell(kernel_report *r, k_id alloc)
{
    int64_t count;
    if (k_local_count(r->p, alloc, &count))
        CELL(r, "%llu", (unsigned long long)k_local_bytes(r->p, alloc, (k_sizes){0}));
    else
        CELL(r, "%u each", ir_scalar_bytes((scalar)k_at(r->p, alloc)->type));
}

static void put_local(kernel_report *r, const k_kernel *k, const k_local *l)
{
    const k_node *a = k_at(r->p, l->alloc);
    uint32_t first, n = k_area_locals(r->p, k, l->area, &first);
    CELL(r, "tile%u", l->alloc);
    value_cell(r, a->args[1] ? a->args[1] : a->args[0]);
    CELL(r, "%s", type_of(a));
    bytes_cell(r, l->alloc);
    CELL(r, "%llu",
         (unsigned long long)(k_local_padding(r->p, l->alloc) * ir_scalar_bytes((scalar)a->type)));
    if (n > 1)
        CELL(r, "%llu of area%u", (unsigned long long)l->offset, k_local_at(r->p, k, first)->alloc);
    else
        CELL(r, "alone");
    if (l->to)
        CELL(r, "%u to %u", l->from, l->to);
    else
        CELL(r, "all");
    place_cell(r, a);
    end_row(r);
}

/* Whether the launch must be asked how much it is. */
static bool depends(const k_program *p, const k_kernel *k)
{
    int64_t count;
    for (uint32_t i = 0; i < k->nlocals; i++)
        if (!k_local_count(p, k_local_at(p, k, i)->alloc, &count))
            return true;
    return false;
}

static void put_peak(kernel_report *r, const k_kernel *k)
{
    unsigned long long sum = 0, bytes = k_map_bytes(r->p, k, (k_sizes){0});
    for (uint32_t i = 0; i < k->nlocals; i++)
        sum += k_local_bytes(r->p, k_local_at(r->p, k, i)->alloc, (k_sizes){0});
    PUT(r, "  local memory: ");
    if (bytes || !depends(r->p, k))
        PUT(r, "%llu bytes", bytes);
    if (sum != bytes)
        PUT(r, ", where the arrays have %llu", sum);
    if (depends(r->p, k))
        PUT(r, "%slaunch decides", bytes ? " and what the " : "the ");
    else if (k->phases)
        PUT(r, ", fullest in phase %u of %u", k_map_fullest(r->p, k, (k_sizes){0}), k->phases);
    PUT(r, "\n");
}

static void put_locals(kernel_report *r, const k_kernel *k)
{
    static const char *const heads[] = {"array",   "elements", "type",   "bytes",
                                        "padding", "at",       "phases", "forced at"};
    if (!k->nlocals) {
        PUT(r, "  no local memory\n");
        return;
    }
    put_peak(r, k);
    for (uint32_t i = 0; i < sizeof heads / sizeof *heads; i++)
        CELL(r, "%s", heads[i]);
    end_row(r);
    for (uint32_t i = 0; i < k->nlocals; i++)
        put_local(r, k, k_local_at(r->p, k, i));
    put_table(r, 4);
}

/* ---- private memory ---- */

static void put_privates(kernel_report *r, const k_kernel *k)
{
    if (k->nprivates)
        PUT(r, "  private memory of each thread\n");
    for (uint32_t i = 0; i < k->nprivates; i++) {
        k_id v = r->p->pool.at[k->privates + i];
        CELL(r, "own%u", v);
        value_cell(r, k_at(r->p, v)->args[0]);
        CELL(r, "%s", type_of(k_at(r->p, v)));
        bytes_cell(r, v);
        place_cell(r, k_at(r->p, v));
        end_row(r);
    }
    put_table(r, 4);
}

/* ---- a program ---- */

static void put_kernel(kernel_report *r, const k_kernel *k)
{
    const k_node *launch = k_at(r->p, k->launch);
    PUT(r, "kernel %s\n", intern_str(&r->p->cx->strings, k->name));
    for (int i = 0; i < 2; i++) {
        CELL(r, i ? "threads" : "groups");
        value_cell(r, launch->args[i]);
        end_row(r);
    }
    put_table(r, 2);
    put_arguments(r, k);
    put_locals(r, k);
    put_privates(r, k);
}

/* The memories that the launch plan makes. */
static void list_allocs(kernel_report *r, k_block b)
{
    for (k_id id = k_block_at(r->p, b)->first; id; id = k_at(r->p, id)->next) {
        const k_node *n = k_at(r->p, id);
        if (n->op == K_ALLOC) {
            int64_t result = result_of(r, id);
            value_cell(r, id);
            value_cell(r, n->args[0]);
            CELL(r, "%s", type_of(n));
            CELL(r, result < 0 ? "between launches" : "result %lld", (long long)result);
            end_row(r);
        }
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && n->op != K_LAUNCH)
                list_allocs(r, n->blocks[i]);
    }
}

/* ---- decisions ---- */

static void put_place(kernel_report *r, uint32_t loc)
{
    location at = k_loc_at(r->p, loc);
    if (at.line)
        PUT(r, "%s:%u:%u: ", intern_str(&r->p->cx->strings, at.file), at.line, at.col);
}

/* What tuning numbers kept passes from. */
static void put_decisions(kernel_report *r)
{
    for (uint32_t i = 0; i < r->p->decisions.len; i++) {
        const k_decision *d = &r->p->decisions.at[i];
        const k_tunable *row = k_tunable_at(d->by);
        k_tuning t = r->p->target.tuning;
        PUT(r, i ? "  " : "left as it was, by tuning\n  ");
        put_place(r, d->loc);
        PUT(r, "%s: %llu > %s=%u (%s)\n", row->pass, (unsigned long long)d->wanted, row->name,
            *k_tuned(&t, row), row->meaning);
    }
}

bool k_report(const k_program *p, vec_char *out)
{
    kernel_report r = {.p = p, .m = &p->cx->mem, .out = out, .ok = true};
    PUT(&r, "entry %s: %u kernel%s (values %%N: see its kernel IR)\n",
        intern_str(&p->cx->strings, p->name), p->kernels.len, p->kernels.len == 1 ? "" : "s");
    find_outputs(&r);
    list_allocs(&r, p->host);
    if (r.cells.len)
        PUT(&r, "  global memory\n");
    put_table(&r, 4);
    for (uint32_t i = 0; i < p->kernels.len && r.ok; i++)
        put_kernel(&r, &p->kernels.at[i]);
    put_decisions(&r);
    r.ok = r.ok && k_report_verdicts(p, out);
    vec_free(r.m, &r.cells);
    vec_free(r.m, &r.outputs);
    return r.ok;
}
