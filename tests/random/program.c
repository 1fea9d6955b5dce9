/* A whole module: functions, then kernels with their arguments. */
#include "tests/random/grow.h"

#include <stdio.h>
#include <string.h>

/* ---- arguments ---- */

static uint64_t some_length(gen *g, uint64_t most)
{
    static const uint32_t usual[] = {0,  1,  2,  3,  5,   7,   8,   15,  16,  31, 32,
                                     33, 63, 64, 97, 100, 127, 128, 129, 257, 300};
    uint64_t n = chance(g, 85) ? usual[1 + some(g, 20)] : usual[0];
    while (n > most)
        n = usual[some(g, 12)];
    return n;
}

static uint64_t some_argument(gen *g, scalar s)
{
    if (s == ST_BOOL)
        return some(g, 2);
    if (ir_scalar_is_float(s))
        return scalar_from_double(s, ((double)some(g, 400) - 200) / 4);
    if (chance(g, 10))
        return scalar_wrap(s, dice_bits(&g->d));
    return scalar_wrap(s, (uint64_t)((int64_t)some(g, 40) - (chance(g, 50) ? 20 : 0)));
}

static void add_leaf(gen *g, random_kernel *k, type_id t, uint32_t rank, const uint64_t *dims)
{
    shape s = shape_of(g, t);
    for (uint32_t i = 0; s.form == FORM_TUPLE && i < s.n; i++)
        add_leaf(g, k, s.items[i], rank, dims);
    if (s.form == FORM_TUPLE)
        return;
    host_array *a = &k->args[k->nargs++];
    *a = (host_array){.type = s.scalar, .rank = rank};
    if (rank)
        memcpy(a->dims, dims, rank * sizeof *dims);
    if (!host_alloc(g->m, a))
        return;
    for (uint64_t i = 0; i < host_count(a); i++)
        host_set(a, i, some_argument(g, s.scalar));
}

value param_of(gen *g, random_kernel *k, type_id elem, uint32_t rank, const uint64_t *dims)
{
    value v = named(g, rank ? pull_of(g, elem, rank) : elem);
    add_leaf(g, k, elem, rank, dims);
    return v;
}

static value array_param(gen *g, random_kernel *k, type_id elem, uint32_t rank)
{
    static const uint64_t most[] = {0, 300, 33, 9};
    uint64_t dims[RANK_MOST];
    value v = named(g, pull_of(g, elem, rank));
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = some_length(g, most[rank]);
        bool known = chance(g, 60);
        v.ext[i] = (extent){.lo = known ? (int64_t)dims[i] : 0, .hi = (int64_t)dims[i]};
    }
    v.cost = v.code = 1;
    add_leaf(g, k, elem, rank, dims);
    return v;
}

static value size_param(gen *g, random_kernel *k)
{
    value v = named(g, type_of(g, ST_I32));
    uint64_t n = some_length(g, 128);
    k->args[k->nargs] = (host_array){.type = ST_I32};
    if (host_alloc(g->m, &k->args[k->nargs]))
        host_set(&k->args[k->nargs], 0, n);
    k->nargs++;
    v.is_size = true;
    v.size = (extent){term_of(v.id), (int64_t)n, (int64_t)n};
    return v;
}

static value some_param(gen *g, random_kernel *k)
{
    uint32_t pick = some(g, 100);
    if (pick < 25)
        return size_param(g, k);
    if (pick < 70)
        return array_param(g, k, some_base(g), chance(g, 70) ? 1 : 2 + some(g, 2));
    value v = named(g, some_base(g));
    add_leaf(g, k, v.type, 0, NULL);
    return v;
}

/* ---- functions of the module ---- */

static void add_text(gen *g, vec_char *out, const char *head)
{
    text_addf(g->m, out, "%s {\n%s}\n\n", head, text_cstr(g->m, &g->body));
    g->body.len = 0;
}

/* Some functions and kernels have blocks of a size of their own. */
static void add_with_block(gen *g, vec_char *out, const char *head)
{
    vec_char line = {0};
    text_addf(g->m, &line, "%s", head);
    if (chance(g, 25))
        text_addf(g->m, &line, " hint(\"block\" = %u)", 1u << some(g, 9));
    add_text(g, out, text_cstr(g->m, &line));
    vec_free(g->m, &line);
}

static void begin_function(gen *g, uint32_t level, int32_t ops, double limit)
{
    g->env.len = 0;
    g->body.len = 0;
    g->indent = 1;
    g->next_id = 0;
    g->ops = ops;
    g->depth = 0;
    g->level = level;
    g->cost = g->code = 0;
    g->limit = limit;
}

static void say_return(gen *g, term t)
{
    text_addf(g->m, &g->body, "  return %s\n", t.s);
}

static void scalar_function(gen *g, vec_char *out, uint32_t number)
{
    function f = {.nparams = 1 + some(g, 2)};
    char head[600];
    snprintf(f.name, sizeof f.name, "s%u", number);
    begin_function(g, 0, 10, 300);
    f.result = some_base(g);
    f.params[0] = some_base(g);
    f.params[1] = some_base(g);
    for (uint32_t i = 0; i < f.nparams; i++)
        keep(g, named(g, f.params[i]));
    term r = some_value(g, f.result);
    say_return(g, r);
    int n = snprintf(head, sizeof head, "fun @%s(%%1: %s", f.name, type_term(g, f.params[0]).s);
    if (f.nparams > 1)
        n += snprintf(head + n, sizeof head - (size_t)n, ", %%2: %s", type_term(g, f.params[1]).s);
    snprintf(head + n, sizeof head - (size_t)n, ") -> %s", type_term(g, f.result).s);
    f.cost = g->cost;
    f.code = g->code;
    add_with_block(g, out, head);
    vec_push(g->m, &g->functions, f);
}

/* From an array to one of the same length, at any level. */
static void level_function(gen *g, vec_char *out, uint32_t number)
{
    function f = {.nparams = 1, .leveled = true, .raised = chance(g, 40)};
    uint32_t level = f.raised ? 2 : 1;
    char head[600];
    snprintf(f.name, sizeof f.name, "p%u", number);
    begin_function(g, level, 14, 4000);
    g->named_level = true;
    f.params[0] = some_base(g);
    f.result = some_base(g);
    value x = named(g, pull_of(g, f.params[0], 1));
    x.ext[0] = (extent){.lo = 0, .hi = 40};
    x.cost = x.code = 1;
    x.ext[0] = axis(g, &x, 0);
    keep(g, x);
    value p = some_push(g, f.result, 1, level, &x.ext[0]);
    say_return(g, term_of(p.id));
    snprintf(head, sizeof head, "fun @%s<l>(%%1: %s) -> %s", f.name, type_term(g, x.type).s,
             type_term(g, p.type).s);
    f.cost = g->cost / 10 + p.cost;
    f.code = g->code + p.code;
    g->named_level = false;
    add_with_block(g, out, head);
    vec_push(g->m, &g->functions, f);
}

/* ---- kernels ---- */

static value scalar_result(gen *g, type_id t)
{
    term x = chance(g, 70) ? reduced(g, t) : some_value(g, t);
    uint32_t pair = say(g, "tuple %s, %s", x.s, x.s); /* a literal has no name */
    return *keep(g, (value){.type = t, .id = say(g, "proj %%%u, 0", pair)});
}

static value some_result(gen *g, uint32_t level)
{
    type_id elem = some_base(g);
    uint32_t rank = chance(g, 70) ? 1 : 2 + some(g, 2);
    if (g->unscheduled && chance(g, 25))
        return scalar_result(g, elem);
    extent want[RANK_MOST];
    int64_t most = rank == 1 ? 300 : rank == 2 ? 40 : 9;
    for (uint32_t k = 0; k < rank; k++)
        want[k] = some_size(g, most, false);
    if (rank == 1 && chance(g, 15)) { /* of a length that the kernel finds out */
        value a = some_pull_of_any_length(g, elem, &want[0]);
        if (g->unscheduled)
            return a;
        value p = named(g, push_to(g, elem, 1, level));
        g->next_id--;
        p.id = say_push(g, a.id, level);
        p.cost = a.cost;
        p.ext[0] = a.ext[0];
        return *keep(g, p);
    }
    return g->unscheduled && chance(g, 60) ? collected(g, elem, rank, want)
                                           : some_push(g, elem, rank, level, want);
}

static void write_shaped(gen *g, vec_char *out, random_kernel *k, uint32_t (*body)(gen *, random_kernel *, nest_text *))
{
    char head[400];
    nest_text t;
    begin_function(g, 3, 0, g->o.work);
    say_return(g, term_of(body(g, k, &t)));
    int n = snprintf(head, sizeof head, "kernel @%s(", k->name);
    for (uint32_t i = 0; i < t.nparams; i++)
        n += snprintf(head + n, sizeof head - (size_t)n, "%s%%%u: %s", i ? ", " : "", i + 1, t.params[i]);
    snprintf(head + n, sizeof head - (size_t)n, ") -> %s", t.result);
    add_with_block(g, out, head);
}

static void write_mixed(gen *g, vec_char *out, random_kernel *k)
{
    char head[1400], type[600], result[700] = "";
    uint32_t level = chance(g, 65) ? 3 : some(g, 4), nparams = 1 + some(g, 4),
             nresults = chance(g, 80) ? 1 : 2 + some(g, 2);
    term results[3];
    begin_function(g, level, (int32_t)(g->o.size / 2 + some(g, g->o.size)), g->o.work);
    int n = snprintf(head, sizeof head, "kernel @%s(", k->name);
    for (uint32_t i = 0; i < nparams; i++) {
        value v = *keep(g, some_param(g, k));
        print_type(g, v.type, type, sizeof type);
        n += snprintf(head + n, sizeof head - (size_t)n, "%s%%%u: %s", i ? ", " : "", v.id, type);
    }
    for (uint32_t i = 0, bulks = chance(g, 30) ? 1 + some(g, 2) : 0; i < bulks; i++)
        some_bulk(g);
    uint32_t top = some(g, nresults);
    for (uint32_t i = 0; i < nresults; i++) {
        value r = some_result(g, i == top ? level : some(g, level + 1));
        spend(g, r.cost * count_most(r.ext, shape_of(g, r.type).rank), r.code);
        results[i] = term_of(r.id);
        print_type(g, r.type, type, sizeof type);
        size_t used = strlen(result);
        snprintf(result + used, sizeof result - used, "%s%s", i ? ", " : "", type);
    }
    if (nresults > 1)
        results[0] = term_of(
            nresults == 2 ? say(g, "tuple %s, %s", results[0].s, results[1].s)
                          : say(g, "tuple %s, %s, %s", results[0].s, results[1].s, results[2].s));
    say_return(g, results[0]);
    snprintf(head + n, sizeof head - (size_t)n, nresults > 1 ? ") -> (%s)" : ") -> %s", result);
    add_with_block(g, out, head);
}

static void write_kernel(gen *g, vec_char *out, random_kernel *k, uint32_t number)
{
    snprintf(k->name, sizeof k->name, "k%u", number);
    if (g->unscheduled && chance(g, 30))
        write_shaped(g, out, k, chance(g, 60) ? nest_of : rows_of);
    else
        write_mixed(g, out, k);
}

void generate(uint64_t seed, const generate_options *o, random_program *out)
{
    memset(out, 0, sizeof *out);
    mem_init(&out->m, NULL, NULL);
    gen g;
    memset(&g, 0, sizeof g);
    g.m = &out->m;
    g.d = dice_of(seed);
    g.o = *o;
    g.unscheduled =
        o->levels == UNSCHEDULED || (o->levels == MIXED && (seed % 7 == 3 || seed % 7 == 6));
    g.o.size = o->size ? o->size : 20 + some(&g, some(&g, 4) ? 40 : 200);
    g.o.work = o->work ? o->work : 5000 + some(&g, 40000);
    vec_push(g.m, &g.types, (shape){.form = FORM_SCALAR});
    text_addf(
        g.m, &out->text,
        "fcl 0.5\nimport \"prelude\"\nimport \"prelude.scan\"\nimport \"prelude.compact\"\n\n");
    for (uint32_t i = 0, n = some(&g, 3); i < n; i++)
        scalar_function(&g, &out->text, i);
    for (uint32_t i = 0, n = g.unscheduled ? 0 : some(&g, 3); i < n; i++)
        level_function(&g, &out->text, i);
    out->nkernels = chance(&g, 75) ? 1 : 2 + some(&g, 2);
    for (uint32_t i = 0; i < out->nkernels; i++)
        write_kernel(&g, &out->text, &out->kernels[i], i);
    text_cstr(g.m, &out->text);
    vec_free(g.m, &g.body);
    vec_free(g.m, &g.types);
    vec_free(g.m, &g.env);
    vec_free(g.m, &g.functions);
}

void random_program_release(random_program *p)
{
    for (uint32_t i = 0; i < p->nkernels; i++)
        for (uint32_t j = 0; j < p->kernels[i].nargs; j++)
            host_free(&p->m, &p->kernels[i].args[j]);
    vec_free(&p->m, &p->text);
}
