/* Copies a module through fcl.h: reads it by the accessors, and builds every function anew as a
 * graph.  Prints the copy.
 *
 *     copy FILE [--all | --scalars]
 *
 * What works at a level, and calls, stay in the regions that they are in, since their place is the
 * program's choice; with --all the library chooses for them too, with --scalars for operators on
 * scalars only: for programs that overwrite arrays, whose reads have their places before that. */
#include <fcl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From ids of the module to those of its copy. */
typedef struct id_map {
    uint32_t *from, *to, size, used;
} id_map;

static fcl_module *from, *to;
static id_map values, variables, types, functions;
static bool all, scalars;
static fcl_region graph;

static uint32_t *slot(id_map *m, uint32_t id)
{
    uint32_t at = id * 2654435769u & (m->size - 1);
    while (m->from[at] && m->from[at] != id)
        at = (at + 1) & (m->size - 1);
    m->from[at] = id;
    return &m->to[at];
}

static uint32_t *entry(id_map *m, uint32_t id)
{
    if (m->used++ * 2 >= m->size) {
        id_map old = *m;
        m->size = old.size ? old.size * 2 : 1024;
        m->from = calloc(m->size, sizeof *m->from);
        m->to = calloc(m->size, sizeof *m->to);
        m->used = 0;
        for (uint32_t i = 0; i < old.size; i++)
            if (old.from[i]) {
                *slot(m, old.from[i]) = old.to[i];
                m->used++;
            }
        free(old.from);
        free(old.to);
    }
    return slot(m, id);
}

/* ---- types ---- */

/* Variables that stand for what a forall or a level function binds, innermost last. */
typedef struct binders {
    fcl_tvar levels[16], types[16];
    unsigned nlevels, ntypes;
} binders;

static fcl_level copy_level_in(fcl_level l, const binders *b)
{
    fcl_level_info x;
    fcl_level_about(from, l, &x, sizeof x);
    if (x.kind == FCL_LEVEL_CONST)
        return fcl_level_const((fcl_height)x.plus);
    fcl_level r = fcl_level_var(x.kind == FCL_LEVEL_VARIABLE ? *entry(&variables, x.variable)
                                                             : b->levels[b->nlevels - 1 - x.index]);
    for (unsigned i = 0; i < x.plus; i++)
        r = fcl_level_succ(r);
    return r;
}

static fcl_type copy_type_in(fcl_type t, const binders *b);

static fcl_type copy_tuple(fcl_type t, size_t n, const binders *b)
{
    fcl_type *items = calloc(n, sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = copy_type_in(fcl_type_part(from, t, i), b);
    fcl_type r = fcl_type_tuple(to, items, n);
    free(items);
    return r;
}

static fcl_type copy_binder(fcl_type t, const fcl_type_info *x, const binders *b)
{
    binders inner = *b;
    if (x->kind == FCL_TYPE_LEVEL_FUNCTION) {
        fcl_tvar v = inner.levels[inner.nlevels++] = fcl_level_variable(to, "l");
        return fcl_type_level_function(to, v, copy_type_in(fcl_type_part(from, t, 0), &inner));
    }
    fcl_tvar v = inner.types[inner.ntypes++] = fcl_type_variable(to, "t", x->of);
    return fcl_type_forall(to, v, copy_type_in(fcl_type_part(from, t, 0), &inner));
}

static fcl_type copy_type_in(fcl_type t, const binders *b)
{
    fcl_type_info x;
    if (!fcl_type_about(from, t, &x, sizeof x))
        return 0;
    fcl_type part = fcl_type_part(from, t, 0);
    switch (x.kind) {
    case FCL_TYPE_SCALAR: return fcl_type_scalar(to, x.scalar);
    case FCL_TYPE_VARIABLE: return fcl_type_var(to, *entry(&variables, x.variable));
    case FCL_TYPE_BOUND: return fcl_type_var(to, b->types[b->ntypes - 1 - x.index]);
    case FCL_TYPE_TUPLE: return copy_tuple(t, x.parts, b);
    case FCL_TYPE_FUNCTION:
        return fcl_type_function(to, copy_type_in(part, b),
                                 copy_type_in(fcl_type_part(from, t, 1), b));
    case FCL_TYPE_LEVEL_FUNCTION:
    case FCL_TYPE_FORALL: return copy_binder(t, &x, b);
    case FCL_TYPE_PULL: return fcl_type_pull(to, copy_type_in(part, b), x.rank);
    case FCL_TYPE_PUSH:
        return fcl_type_push(to, copy_type_in(part, b), x.rank, copy_level_in(x.level, b));
    }
    return 0;
}

static fcl_type copy_type(fcl_type t)
{
    fcl_type copy = *entry(&types, t);
    return copy ? copy : (*entry(&types, t) = copy_type_in(t, &(binders){.nlevels = 0}));
}

static fcl_level copy_level(fcl_level l)
{
    return copy_level_in(l, &(binders){.nlevels = 0});
}

/* ---- values and operations ---- */

static fcl_value copy_constant(const fcl_value_info *x)
{
    char kind = fcl_scalar_get(x->scalar)->kind;
    if (kind == 'b')
        return fcl_const_bool(to, x->bits != 0);
    if (kind == 'f')
        return fcl_const_float(to, x->scalar, fcl_float_read(x->scalar, &x->bits));
    return fcl_const_int(to, x->scalar, (int64_t)x->bits);
}

static fcl_value copy_value(fcl_value v)
{
    fcl_value_info x;
    fcl_value_about(from, v, &x, sizeof x);
    return x.kind == FCL_VALUE_CONSTANT ? copy_constant(&x) : *entry(&values, v);
}

static void copy_params(fcl_region r, size_t n, fcl_region into)
{
    fcl_value_info x;
    for (size_t i = 0; i < n; i++) {
        fcl_value v = fcl_region_param(from, r, i);
        fcl_value_about(from, v, &x, sizeof x);
        fcl_value copy = fcl_param(to, into, *x.name ? x.name : NULL, copy_type(x.type));
        *entry(&values, v) = copy;
    }
}

static fcl_value copy_call(fcl_operation o, const fcl_operation_info *x, fcl_region into, bool call,
                           const fcl_value *args)
{
    fcl_type t[64];
    fcl_level l[64];
    fcl_func f = *entry(&functions, x->function);
    for (size_t i = 0; i < x->types; i++)
        t[i] = copy_type(fcl_operation_type(from, o, i));
    for (size_t i = 0; i < x->levels; i++)
        l[i] = copy_level(fcl_operation_level(from, o, i));
    return call ? fcl_call(to, into, f, t, x->types, l, x->levels, args, x->operands)
                : fcl_func_value(to, into, f, t, x->types, l, x->levels);
}

static fcl_value copy_fn(fcl_operation o, const fcl_operation_info *x, fcl_region into,
                         fcl_region *body)
{
    fcl_tvar vars[64];
    const char *names[64];
    fcl_variable_info v;
    for (size_t i = 0; i < x->types + x->levels; i++) {
        fcl_variable_about(from, fcl_operation_variable(from, o, i), &v, sizeof v);
        names[i] = v.name;
    }
    fcl_value r = fcl_fn(to, into, x->types, names, x->levels, names + x->types, vars, body);
    for (size_t i = 0; i < x->types + x->levels; i++)
        *entry(&variables, fcl_operation_variable(from, o, i)) = vars[i];
    return r;
}

static void copy_region(fcl_region r, fcl_region into);

/* The operation itself, with its regions still empty. */
static fcl_value copy_bare(fcl_operation o, const fcl_operation_info *x, fcl_region into,
                           const fcl_value *args, fcl_region *regions)
{
    fcl_constant data;
    fcl_opcode_info op;
    fcl_value_info result;
    fcl_opcode_about(x->code, &op, sizeof op);
    fcl_value_about(from, x->result, &result, sizeof result);
    switch (x->attached) {
    case FCL_ATTACHED_LEVEL: return fcl_op_level(to, into, op.name, copy_level(x->level), args[0]);
    case FCL_ATTACHED_TYPE: return fcl_op_type(to, into, op.name, copy_type(x->type), args[0]);
    case FCL_ATTACHED_FUNCTION: return copy_call(o, x, into, op.most > 0, args);
    case FCL_ATTACHED_VARIABLES: return copy_fn(o, x, into, regions);
    case FCL_ATTACHED_DATA:
        fcl_operation_constant(from, o, &data, sizeof data);
        return fcl_op_constant(to, into, data.type, data.extents, data.rank, data.data, data.size);
    case FCL_ATTACHED_NOTHING: break;
    }
    if (strcmp(op.name, "array") == 0)
        return fcl_op_array(to, into, copy_type(fcl_type_part(from, result.type, 0)), args,
                            x->operands);
    return x->regions ? fcl_op_regions(to, into, op.name, args, x->operands, regions)
                      : fcl_op(to, into, op.name, args, x->operands);
}

/* Whether the program chose its place. */
static bool stays(fcl_opcode code)
{
    fcl_opcode_info op;
    fcl_opcode_about(code, &op, sizeof op);
    return (scalars && !op.is_scalar) ||
           (!all && (op.effect == FCL_EFFECT_WORK || op.effect == FCL_EFFECT_CALL));
}

static void copy_operation(fcl_operation o, const fcl_operation_info *x, fcl_region into)
{
    fcl_value *args = calloc(x->operands + 1, sizeof *args);
    fcl_region regions[8];
    fcl_attribute a;
    for (size_t i = 0; i < x->operands; i++)
        args[i] = copy_value(fcl_operation_operand(from, o, i));
    fcl_value r = copy_bare(o, x, stays(x->code) ? into : graph, args, regions);
    *entry(&values, x->result) = r;
    for (size_t i = 0; fcl_operation_attribute(from, o, i, &a, sizeof a); i++)
        fcl_attribute_set(to, (fcl_subject){0, r}, &a);
    for (size_t i = 0; fcl_operation_property(from, o, i, &a, sizeof a); i++)
        fcl_property_set(to, (fcl_subject){0, r}, &a);
    for (size_t i = 0; i < x->regions; i++) {
        fcl_region_info in;
        fcl_region_about(from, fcl_operation_region(from, o, i), &in, sizeof in);
        copy_params(fcl_operation_region(from, o, i), in.params, regions[i]);
    }
    for (size_t i = 0; i < x->regions; i++)
        copy_region(fcl_operation_region(from, o, i), regions[i]);
    free(args);
}

static void copy_region(fcl_region r, fcl_region into)
{
    fcl_region_info in;
    fcl_operation_info x;
    fcl_region_about(from, r, &in, sizeof in);
    for (fcl_operation o = in.first; o; o = fcl_operation_next(from, o)) {
        fcl_operation_about(from, o, &x, sizeof x);
        if (x.result)
            copy_operation(o, &x, into);
        else if (in.owner == 0)
            fcl_return(to, graph, copy_value(fcl_operation_operand(from, o, 0)));
        else
            fcl_yield(to, into, copy_value(fcl_operation_operand(from, o, 0)));
    }
}

/* ---- functions ---- */

/* What is attached to a function, or to the module. */
static void copy_attached(fcl_func f, fcl_func copy)
{
    fcl_attribute a;
    for (size_t i = 0; fcl_attribute_get(from, (fcl_subject){f, 0}, i, &a, sizeof a); i++)
        fcl_attribute_set(to, (fcl_subject){copy, 0}, &a);
    for (size_t i = 0; fcl_property_get(from, (fcl_subject){f, 0}, i, &a, sizeof a); i++)
        fcl_property_set(to, (fcl_subject){copy, 0}, &a);
}

static void copy_head(fcl_func f, const fcl_function_info *x)
{
    fcl_variable_info v;
    fcl_region_info in;
    fcl_func copy = fcl_function(to, x->name, x->kernel);
    *entry(&functions, f) = copy;
    copy_attached(f, copy);
    for (size_t i = 0; i < x->types + x->levels; i++) {
        fcl_tvar id = fcl_function_variable(from, f, i);
        fcl_variable_about(from, id, &v, sizeof v);
        fcl_tvar made = v.is_level ? fcl_level_param(to, copy, v.name)
                                   : fcl_type_param(to, copy, v.name, v.kind);
        *entry(&variables, id) = made;
    }
    fcl_region_about(from, x->body, &in, sizeof in);
    copy_params(x->body, in.params, fcl_body(to, copy));
    fcl_result_type(to, copy, copy_type(x->result));
}

static void copy_module(void)
{
    const char *import;
    bool indirect;
    fcl_function_info x;
    copy_attached(0, 0);
    for (size_t i = 0; (import = fcl_import_name(from, i, &indirect)) != NULL; i++)
        if (!indirect)
            fcl_import(to, import, NULL);
    for (fcl_func f = fcl_function_next(from, 0); f; f = fcl_function_next(from, f)) {
        fcl_function_about(from, f, &x, sizeof x);
        if (x.import) {
            fcl_func known = fcl_function_named(to, x.name);
            *entry(&functions, f) = known;
        }
    }
    for (fcl_func f = fcl_function_next(from, 0); f; f = fcl_function_next(from, f))
        if (fcl_function_about(from, f, &x, sizeof x) && !x.import)
            copy_head(f, &x);
    for (fcl_func f = fcl_function_next(from, 0); f; f = fcl_function_next(from, f))
        if (fcl_function_about(from, f, &x, sizeof x) && !x.import) {
            graph = fcl_graph(to, *entry(&functions, f));
            copy_region(x.body, fcl_body(to, *entry(&functions, f)));
        }
}

static char text[1 << 22];

int main(int argc, char **argv)
{
    size_t size = 0;
    FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
    fcl_context *cx = fcl_context_create(NULL, NULL);
    if (!in || !cx)
        return 2;
    all = argc > 2 && strcmp(argv[2], "--all") == 0;
    scalars = argc > 2 && strcmp(argv[2], "--scalars") == 0;
    size = fread(text, 1, sizeof text, in);
    fclose(in);
    from = fcl_module_load(cx, argv[1], text, size, NULL);
    to = fcl_module_create(cx);
    bool ok = from && fcl_module_check(from);
    if (ok)
        copy_module();
    ok = ok && fcl_module_check(to);
    char *printed = ok ? fcl_module_print(to, &size) : NULL;
    if (printed)
        fputs(printed, stdout);
    for (size_t i = 0; i < fcl_diagnostic_count(cx); i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
    return printed ? 0 : 1;
}
