/* A plug-in with two passes over the core:
 *
 *   count    notes in attributes of each function how many operations of each operator it has, of
 *            those that it has at least `Least` of
 *   double   makes x + x of x * 2
 *
 *     cc -shared -fPIC double.c $(pkg-config --cflags --libs libfcl) -o double.so
 *     fcl-opt --plugin=./double.so --passes='double,count(Least=2),dce' FILE
 *
 * A pass reads the module through fcl.h, and changes it by a rewriting: builder calls then insert
 * before the operation that it names.  The library checks what a pass leaves. */
#include <fcl_backend.h>

#include <stdio.h>
#include <stdlib.h>

/* ---- count ---- */

enum { OPCODES = 1024 };

static void count_region(const fcl_module *m, fcl_region r, int64_t *counts)
{
    fcl_region_info in;
    fcl_operation_info x;
    fcl_region_about(m, r, &in, sizeof in);
    for (fcl_operation o = in.first; o; o = fcl_operation_next(m, o)) {
        fcl_operation_about(m, o, &x, sizeof x);
        if (x.code < OPCODES)
            counts[x.code]++;
        for (size_t i = 0; i < x.regions; i++)
            count_region(m, fcl_operation_region(m, o, i), counts);
    }
}

static const fcl_pass_option count_options[] = {{.name = "Least",
                                                 .summary = "do not note fewer",
                                                 .is_number = true,
                                                 .initial = 1,
                                                 .least = 1,
                                                 .most = 1000000}};

static bool run_count(void *user, fcl_module *m)
{
    int64_t least = (int64_t)fcl_pass_number(fcl_module_context(m), "Least");
    fcl_function_info f;
    fcl_opcode_info op;
    (void)user;
    for (fcl_func id = fcl_function_next(m, 0); id; id = fcl_function_next(m, id)) {
        int64_t counts[OPCODES] = {0};
        if (!fcl_function_about(m, id, &f, sizeof f) || f.import)
            continue;
        count_region(m, f.body, counts);
        for (fcl_opcode c = fcl_opcode_next(0); c; c = fcl_opcode_next(c)) {
            if (c >= OPCODES || counts[c] < least || !fcl_opcode_about(c, &op, sizeof op))
                continue;
            fcl_attribute a = {.key = op.name, .number = counts[c]};
            fcl_attribute_set(m, (fcl_subject){id, 0}, &a);
        }
    }
    return true;
}

/* ---- double ---- */

/* Whether the operand is an integer of 2. */
static bool is_two(const fcl_module *m, fcl_value v)
{
    fcl_value_info x;
    return fcl_value_about(m, v, &x, sizeof x) && x.kind == FCL_VALUE_CONSTANT &&
           x.literal == FCL_LITERAL_TYPED && x.bits == 2 && fcl_scalar_get(x.scalar)->kind != 'f';
}

/* The sum stands where the product was, and whatever used that uses the sum. */
static void double_operation(fcl_module *m, fcl_rewrite *w, fcl_operation o,
                             const fcl_operation_info *x)
{
    fcl_value_info product;
    fcl_value left = fcl_operation_operand(m, o, 0), right = fcl_operation_operand(m, o, 1);
    if (!is_two(m, right) && !is_two(m, left))
        return;
    fcl_value of = is_two(m, right) ? left : right;
    fcl_rewrite_before(w, o);
    fcl_value_about(m, x->result, &product, sizeof product);
    fcl_value sum = fcl_op(m, x->region, "add", (fcl_value[]){of, of}, 2);
    if (*product.name)
        fcl_value_name(m, sum, product.name);
    if (fcl_rewrite_replace(w, x->result, sum))
        fcl_rewrite_erase(w, o);
}

static void double_region(fcl_module *m, fcl_rewrite *w, fcl_region r)
{
    fcl_region_info in;
    fcl_operation_info x;
    fcl_region_about(m, r, &in, sizeof in);
    for (fcl_operation o = in.first, next; o; o = next) {
        next = fcl_operation_next(m, o); /* o may go */
        fcl_operation_about(m, o, &x, sizeof x);
        for (size_t i = 0; i < x.regions; i++)
            double_region(m, w, fcl_operation_region(m, o, i));
        if (x.code == fcl_opcode_named("mul"))
            double_operation(m, w, o, &x);
    }
}

static bool run_double(void *user, fcl_module *m)
{
    fcl_function_info f;
    fcl_rewrite *w = fcl_rewrite_begin(m);
    (void)user;
    for (fcl_func id = fcl_function_next(m, 0); w && id; id = fcl_function_next(m, id))
        if (fcl_function_about(m, id, &f, sizeof f) && !f.import)
            double_region(m, w, f.body);
    return w && fcl_rewrite_end(w);
}

static bool load(fcl_context *cx)
{
    const fcl_core_pass count = {.size = sizeof count,
                                 .name = "count",
                                 .summary = "note how many operations functions have",
                                 .run = run_count,
                                 .options = count_options,
                                 .noptions = 1,
                                 .option_size = sizeof *count_options},
                        doubling = {.size = sizeof doubling,
                                    .name = "double",
                                    .summary = "x + x for x * 2",
                                    .checked = true,
                                    .run = run_double};
    return fcl_core_pass_register(cx, &count) && fcl_core_pass_register(cx, &doubling);
}

FCL_PLUGIN("double", load);
