/* Building the operators of builtins.def, one function for each form, called form_X for BF_X.
 * Functional arguments become regions.
 *
 * Arguments are built before the place is set (emit_at_loc), since building them sets places
 * too. */
#include "frontends/fcl/emit/emit.h"

/* ---- help ---- */

/* Argument k as a value of the core. */
static fcl_value arg_value(emitter *x, fcl_region r, const sval *call, uint32_t k)
{
    return emit_value_of(x, r, call->items[k]);
}

/* The pattern of parameter k of a function that is written out; NULL for others. */
static const pattern *pattern_of(const sval *f, uint32_t k)
{
    return f->kind == SV_LAMBDA && !f->fn->nlevels && k < f->fn->nparams ? f->fn->params[k] : NULL;
}

/* The parameters of an index function of this rank, as what the function is applied to: i, or (i,
 * j, ...). */
static sval *index_params(emitter *x, fcl_region body, const sval *f, uint32_t dims, location loc)
{
    const pattern *q = pattern_of(f, 0);
    sval *items[FCL_MAX_RANK];
    fcl_type t = fcl_type_scalar(x->m, FCL_I32);
    fcl_value params[FCL_MAX_RANK];
    for (uint32_t i = 0; i < dims; i++)
        params[i] = emit_param_of(x, body, dims == 1 ? q : q && i < q->n ? q->items[i] : NULL, t);
    for (uint32_t i = 0; i < dims; i++)
        items[i] = emit_sval_core(x, params[i], loc);
    return dims == 1 ? items[0] : emit_sval_list(x, SV_TUPLE, loc, items, dims);
}

/* The components of an index or extent. */
static void index_values(emitter *x, fcl_region r, sval *s, uint32_t dims, fcl_value *out)
{
    for (uint32_t i = 0; i < dims; i++)
        out[i] = emit_value_of(x, r, dims == 1 ? s : emit_component(x, r, s, i));
}

/* ---- the forms ---- */

/* An operator of the core with values only: at most three. */
static sval *form_PLAIN(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[3] = {0};
    for (uint32_t i = 0; i < call->n && i < 3; i++)
        args[i] = arg_value(x, r, call, i);
    emit_at_loc(x, call->loc);
    return emit_sval_op(x, emit_core_op(x, r, call->builtin->core, args, call->n), call->loc);
}

/* fst, snd */
static sval *form_PROJ0(emitter *x, fcl_region r, sval *call)
{
    return emit_component(x, r, call->items[0], 0);
}

static sval *form_PROJ1(emitter *x, fcl_region r, sval *call)
{
    return emit_component(x, r, call->items[0], 1);
}

/* The extent of axis k. */
static sval *dim_of(emitter *x, fcl_region r, fcl_value xs, uint32_t k, location loc)
{
    fcl_value args[2] = {xs, emit_core_int(x, k)};
    emit_at_loc(x, loc);
    return emit_sval_op(x, emit_core_op(x, r, "dim", args, 2), loc);
}

/* All extents: one, or a tuple. */
static sval *form_SHAPE(emitter *x, fcl_region r, sval *call)
{
    fcl_value xs = arg_value(x, r, call, 0);
    sval *dims[FCL_MAX_RANK];
    uint32_t n = call->inst.widths[0];
    for (uint32_t i = 0; i < n; i++)
        dims[i] = dim_of(x, r, xs, i, call->loc);
    return n == 1 ? dims[0] : emit_sval_list(x, SV_TUPLE, call->loc, dims, n);
}

/* dim xs, k */
static sval *form_DIM(emitter *x, fcl_region r, sval *call)
{
    const sval *k = call->items[1];
    if (!k->literal || k->number >= FCL_MAX_RANK) {
        emit_refuse(x, DIAG_FCL_DIM, call->loc,
                    "the number of a dimension is written as a literal: 0, 1, ...");
        return emit_sval_new(x, SV_UNIT, call->loc);
    }
    return dim_of(x, r, arg_value(x, r, call, 0), (uint32_t)k->number, call->loc);
}

/* index xs, i, j, ... */
static sval *form_INDEX(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[1 + FCL_MAX_RANK] = {arg_value(x, r, call, 0)};
    uint32_t dims = call->inst.widths[0];
    index_values(x, r, call->items[1], dims, args + 1);
    emit_at_loc(x, call->loc);
    return emit_sval_op(x, emit_core_op(x, r, "index", args, 1 + dims), call->loc);
}

/* generate n1, ..., nr { (i1, ..., ir) f (i1, ..., ir) } */
static sval *form_GENERATE(emitter *x, fcl_region r, sval *call)
{
    fcl_value extents[FCL_MAX_RANK];
    fcl_region body = 0;
    uint32_t dims = call->inst.widths[0];
    index_values(x, r, call->items[0], dims, extents);
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, "generate", extents, dims, &body);
    sval *at = index_params(x, body, call->items[1], dims, call->loc);
    fcl_yield(x->m, body, emit_value_of(x, body, emit_apply1(x, body, call->items[1], at)));
    return emit_sval_op(x, v, call->loc);
}

/* A region with one parameter, which yields what f gives for it. */
static void fill_region(emitter *x, fcl_region body, sval *f, location loc)
{
    sval *param = emit_sval_core(x, emit_param_of(x, body, pattern_of(f, 0), 0), loc);
    fcl_yield(x->m, body, emit_value_of(x, body, emit_apply1(x, body, f, param)));
}

/* map xs { (x) f x }, filter, sort */
static sval *form_MAP(emitter *x, fcl_region r, sval *call)
{
    fcl_value xs = arg_value(x, r, call, 1);
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, &xs, 1, &body);
    fill_region(x, body, call->items[0], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* push<l> (generate (length xs) { (i) f i xs[i] }), where xs is the array in memory: the index is
 * that of the element, whatever the order of writing. */
static sval *form_MAPINDEX(emitter *x, fcl_region r, sval *call)
{
    fcl_value p = arg_value(x, r, call, 1);
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value xs = emit_core_op(x, r, "force", &p, 1), n = emit_core_op(x, r, "length", &xs, 1);
    fcl_value v = fcl_op_regions(x->m, r, "generate", &n, 1, &body);
    fcl_value at[2] = {xs, fcl_param(x->m, body, NULL, 0)};
    sval *args[2] = {emit_sval_core(x, at[1], call->loc),
                     emit_sval_core(x, emit_core_op(x, body, "index", at, 2), call->loc)};
    sval *y = emit_apply_value(x, body, call->items[0], args, 2, call->loc);
    fcl_yield(x->m, body, emit_value_of(x, body, y));
    fcl_level l = call->inst.nlevels ? emit_lv_core(x, call->inst.levels[0]) : 0;
    return emit_sval_op(x, x->failed ? 0 : fcl_op_level(x->m, r, "push", l, v), call->loc);
}

/* push<l> xs */
static sval *form_PUSH(emitter *x, fcl_region r, sval *call)
{
    fcl_value xs = arg_value(x, r, call, 0);
    fcl_level l = call->inst.nlevels ? emit_lv_core(x, call->inst.levels[0]) : 0;
    emit_at_loc(x, call->loc);
    return emit_sval_op(x, x->failed ? 0 : fcl_op_level(x->m, r, "push", l, xs), call->loc);
}

static sval *form_FORCE(emitter *x, fcl_region r, sval *call)
{
    return form_PLAIN(x, r, call);
}

/* while init { (xs) condition xs } { (xs) step xs } */
static sval *form_WHILE(emitter *x, fcl_region r, sval *call)
{
    fcl_value init = arg_value(x, r, call, 2);
    fcl_region regions[2] = {0};
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, "while", &init, 1, regions);
    fill_region(x, regions[0], call->items[0], call->loc);
    fill_region(x, regions[1], call->items[1], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* A region with n parameters, 3 at most, which yields what f gives for them. */
static void fill_region_of(emitter *x, fcl_region body, sval *f, uint32_t n, location loc)
{
    fcl_value values[3] = {0};
    sval *params[3];
    for (uint32_t i = 0; i < n; i++)
        values[i] = emit_param_of(x, body, pattern_of(f, i), 0);
    for (uint32_t i = 0; i < n; i++)
        params[i] = emit_sval_core(x, values[i], loc);
    fcl_yield(x->m, body, emit_value_of(x, body, emit_apply_value(x, body, f, params, n, loc)));
}

static void fill_region2(emitter *x, fcl_region body, sval *f, location loc)
{
    fill_region_of(x, body, f, 2, loc);
}

/* repeat n, init { (i, xs) f i xs } */
static sval *form_POWER(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[2] = {arg_value(x, r, call, 0), arg_value(x, r, call, 2)};
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, "repeat", args, 2, &body);
    fill_region2(x, body, call->items[1], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* reduce z, xs { (x, y) f x y }, scan, scanex */
static sval *form_REDUCE(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[2] = {arg_value(x, r, call, 1), arg_value(x, r, call, 2)};
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, 2, &body);
    fill_region2(x, body, call->items[0], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* streamred z, n { (start, count) g start count } { (x, y) f x y }; streammap has n and g alone */
static sval *form_STREAM(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[2] = {0};
    fcl_region regions[2] = {0};
    uint32_t n = call->n / 2, first = call->n - 1 - n;
    for (uint32_t i = 0; i < n; i++)
        args[i] = arg_value(x, r, call, first + i);
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, n, regions);
    fill_region2(x, regions[0], call->items[call->n - 1], call->loc);
    if (first)
        fill_region2(x, regions[1], call->items[0], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* mapaccum n, c, z { (i, s) f i s } */
static sval *form_MAPACCUM(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[3] = {arg_value(x, r, call, 0), arg_value(x, r, call, 1),
                         arg_value(x, r, call, 2)};
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, "mapaccum", args, 3, &body);
    fill_region2(x, body, call->items[3], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* accumulate init, p { (x) f x } { (old, new) g old new }, or fetch */
static sval *form_ACCUMULATE(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[2] = {arg_value(x, r, call, 0), arg_value(x, r, call, 1)};
    fcl_region regions[2] = {0};
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, 2, regions);
    fill_region(x, regions[0], call->items[2], call->loc);
    fill_region2(x, regions[1], call->items[3], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* chain n, c, z { (k) own k } { (a, b) both a b } { (k, look) back k look } { (k, a, r) f k a r },
 * or compact */
static sval *form_CHAIN(emitter *x, fcl_region r, sval *call)
{
    static const uint32_t params[4] = {1, 2, 2, 3};
    fcl_value args[3];
    fcl_region regions[4] = {0};
    for (uint32_t i = 0; i < 3; i++)
        args[i] = arg_value(x, r, call, i);
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, 3, regions);
    for (uint32_t i = 0; i < 4; i++)
        fill_region_of(x, regions[i], call->items[3 + i], params[i], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* scatter init, p { (x) f x }, with any winner */
static sval *form_PLACE(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[2] = {arg_value(x, r, call, 0), arg_value(x, r, call, 1)};
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, 2, &body);
    fill_region(x, body, call->items[2], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* permute n1, ..., nr, p { (x) f x } */
static sval *form_PERMUTE(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[FCL_MAX_RANK + 1];
    uint32_t n = call->inst.widths[0];
    fcl_region body = 0;
    index_values(x, r, call->items[0], n, args);
    args[n] = arg_value(x, r, call, 1);
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, n + 1, &body);
    fill_region(x, body, call->items[2], call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* The function that reads the array xs, which holds elements of type elem. */
static sval *reader(emitter *x, fcl_value xs, ty elem, location loc)
{
    str_id index = intern_find(&x->p->cx->strings, "index", 5);
    sval *array = emit_sval_core(x, xs, loc);
    sval *f = emit_sval_list(x, SV_BUILTIN, loc, &array, 1);
    f->builtin = program_name_at(x->p, index)->builtin;
    f->type = ty_fun(x->t, x->t->scalar[FCL_I32], elem);
    f->inst.widths[0] = 1;
    return f;
}

/* seqfor n, k { (xs, i) f (index xs) i } */
static sval *form_SEQFOR(emitter *x, fcl_region r, sval *call)
{
    fcl_value args[2] = {arg_value(x, r, call, 0), arg_value(x, r, call, 1)};
    ty elem = ty_at(x->t, ty_inside(x->t, call->type))->a;
    fcl_type t = emit_core_type(x, elem);
    fcl_region body = 0;
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, "seqfor", args, 2, &body);
    fcl_value_type(x->m, v, fcl_type_push(x->m, t, 1, fcl_level_const(FCL_THREAD)));
    fcl_type array = fcl_type_pull(x->m, t, 1);
    fcl_value xs = emit_param_of(x, body, pattern_of(call->items[2], 0), array);
    fcl_value i = emit_param_of(x, body, pattern_of(call->items[2], 1), 0);
    sval *params[2] = {reader(x, xs, elem, call->loc), emit_sval_core(x, i, call->loc)};
    fcl_yield(
        x->m, body,
        emit_value_of(x, body, emit_apply_value(x, body, call->items[2], params, 2, call->loc)));
    return emit_sval_op(x, v, call->loc);
}

static sval *form_CONCAT(emitter *x, fcl_region r, sval *call)
{
    return emit_concat(x, r, call);
}

static sval *form_INTERLEAVE(emitter *x, fcl_region r, sval *call)
{
    return emit_interleave(x, r, call);
}

/* interleave n1, ..., nr, xss { (i..., j...) f i j }, or interleaveseq */
static sval *form_SCATTER(emitter *x, fcl_region r, sval *call)
{
    const uint8_t *w = call->inst.widths;
    fcl_value args[FCL_MAX_RANK + 1], out[FCL_MAX_RANK];
    fcl_region body = 0;
    index_values(x, r, call->items[0], w[0], args);
    args[w[0]] = arg_value(x, r, call, 2);
    emit_at_loc(x, call->loc);
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, w[0] + 1u, &body);
    fcl_value params[2 * FCL_MAX_RANK];
    for (uint32_t i = 0; i < w[1] + (uint32_t)w[2]; i++)
        params[i] = fcl_param(x->m, body, NULL, 0);
    sval *items[2 * FCL_MAX_RANK], *at[2];
    for (uint32_t i = 0; i < w[1] + (uint32_t)w[2]; i++)
        items[i] = emit_sval_core(x, params[i], call->loc);
    at[0] = w[1] == 1 ? items[0] : emit_sval_list(x, SV_TUPLE, call->loc, items, w[1]);
    at[1] = w[2] == 1 ? items[w[1]] : emit_sval_list(x, SV_TUPLE, call->loc, items + w[1], w[2]);
    index_values(x, body, emit_apply_value(x, body, call->items[1], at, 2, call->loc), w[0], out);
    fcl_yield(x->m, body, w[0] == 1 ? out[0] : emit_core_op(x, body, "tuple", out, w[0]));
    return emit_sval_op(x, v, call->loc);
}

/* update a, i1, ..., ir, p */
static sval *update_of(emitter *x, fcl_region r, sval *call, fcl_value p)
{
    fcl_value args[2 + FCL_MAX_RANK] = {arg_value(x, r, call, 0)};
    uint32_t dims = call->inst.widths[0];
    index_values(x, r, call->items[1], dims, args + 1);
    args[1 + dims] = p;
    emit_at_loc(x, call->loc);
    return emit_sval_op(x, emit_core_op(x, r, "update", args, 2 + dims), call->loc);
}

static sval *form_UPDATE(emitter *x, fcl_region r, sval *call)
{
    return update_of(x, r, call, arg_value(x, r, call, 2));
}

/* push<l> (generate 1, ..., 1 { v }); where no level is named, the array itself */
static fcl_value one_element(emitter *x, fcl_region r, sval *call, fcl_value v)
{
    fcl_value ones[FCL_MAX_RANK], a;
    fcl_region body = 0;
    uint32_t dims = call->inst.widths[0];
    fcl_level l = call->inst.nlevels ? emit_lv_core(x, call->inst.levels[0]) : 0;
    emit_at_loc(x, call->loc);
    for (uint32_t i = 0; i < dims; i++)
        ones[i] = emit_core_int(x, 1);
    if (dims == 1) {
        a = emit_core_op(x, r, "array", &v, 1);
    } else {
        a = fcl_op_regions(x->m, r, "generate", ones, dims, &body);
        for (uint32_t i = 0; i < dims; i++)
            fcl_param(x->m, body, NULL, fcl_type_scalar(x->m, FCL_I32));
        fcl_yield(x->m, body, v);
    }
    if (x->failed || !call->inst.nlevels)
        return x->failed ? 0 : a;
    return fcl_op_level(x->m, r, "push", l, a);
}

static sval *form_WITH(emitter *x, fcl_region r, sval *call)
{
    return update_of(x, r, call, one_element(x, r, call, arg_value(x, r, call, 2)));
}

/* Programs are transparent: what return gives is its argument, and bind applies a function. */
static sval *form_RETURN(emitter *x, fcl_region r, sval *call)
{
    (void)x;
    (void)r;
    return call->items[0];
}

static sval *form_BIND(emitter *x, fcl_region r, sval *call)
{
    return emit_apply1(x, r, call->items[1], call->items[0]);
}

static sval *form_CSV(emitter *x, fcl_region r, sval *call)
{
    return emit_csv(x, r, call);
}

static sval *form_PRINT(emitter *x, fcl_region r, sval *call)
{
    return emit_print(x, r, call);
}

/* The program is run when its value is needed; a benchmark's is not. */
static sval *form_BENCHMARK(emitter *x, fcl_region r, sval *call)
{
    (void)r;
    return emit_sval_new(x, SV_UNIT, call->loc);
}

/* convert<t> x, to the type of the result. */
static sval *form_CONVERT(emitter *x, fcl_region r, sval *call)
{
    fcl_value v = arg_value(x, r, call, 0);
    emit_at_loc(x, call->loc);
    return emit_sval_op(
        x, fcl_op_type(x->m, r, call->builtin->core, emit_core_type(x, call->type), v), call->loc);
}

/* Where it is a value of its own, emit_tunable builds it. */
static sval *form_TUNABLE(emitter *x, fcl_region r, sval *call)
{
    (void)r;
    emit_refuse(x, DIAG_FCL_TUNABLE, call->loc,
                "a tunable is a value of its own, whose name is that of the tunable");
    return emit_sval_new(x, SV_UNIT, call->loc);
}

typedef sval *form_fn(emitter *x, fcl_region r, sval *call);

static form_fn *const forms[BF_COUNT] = {
#define FORM(e) [BF_##e] = form_##e
    FORM(PLAIN),    FORM(PROJ0),  FORM(PROJ1),     FORM(SHAPE),      FORM(DIM),    FORM(INDEX),
    FORM(GENERATE), FORM(MAP),    FORM(MAPINDEX),  FORM(PUSH),       FORM(FORCE),  FORM(WHILE),
    FORM(POWER),    FORM(SEQFOR), FORM(MAPACCUM),  FORM(ACCUMULATE), FORM(CONCAT), FORM(INTERLEAVE),
    FORM(SCATTER),  FORM(CHAIN),  FORM(PLACE),     FORM(PERMUTE),    FORM(RETURN), FORM(BIND),
    FORM(CSV),      FORM(PRINT),  FORM(BENCHMARK), FORM(CONVERT),    FORM(UPDATE), FORM(WITH),
    FORM(REDUCE),   FORM(STREAM), FORM(TUNABLE),
#undef FORM
};

sval *emit_builtin(emitter *x, fcl_region r, sval *call)
{
    return forms[call->builtin->form](x, r, call);
}
