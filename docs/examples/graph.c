/* An example front end that has a graph, not a program with places: each node is made once, in any
 * order, and the library finds where each is computed.  Nor does it say who computes: no operation
 * has a level, and compiling and running choose them.
 *
 *     graph [LENGTH]
 *
 * The program is the variance of an array, times its length squared: the mean of all elements is a
 * node that only the body of a map uses, and is computed once all the same; the index of the
 * element that the map is at is needed inside only, and stays there. */
#include <fcl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static fcl_module *m;
static fcl_region g; /* the graph: where every operation goes */

static fcl_value op2(const char *op, fcl_value x, fcl_value y)
{
    return fcl_op(m, g, op, (fcl_value[]){x, y}, 2);
}

static fcl_value integer(int64_t x)
{
    return fcl_const_int(m, FCL_I64, x);
}

/* map xs { (%x) ... }: the array, and its region and element. */
static fcl_value map(fcl_value xs, fcl_region *body, fcl_value *x)
{
    fcl_value ys = fcl_op_regions(m, g, "map", &xs, 1, body);
    *x = fcl_param(m, *body, "x", 0);
    return ys;
}

/* reduce 0, xs { (%x, %y) add }: the sum of all elements. */
static fcl_value sum(fcl_value xs)
{
    fcl_region body;
    fcl_value all = fcl_op_regions(m, g, "reduce", (fcl_value[]){integer(0), xs}, 2, &body);
    fcl_value x = fcl_param(m, body, "x", 0), y = fcl_param(m, body, "y", 0);
    fcl_yield(m, body, op2("add", x, y));
    return all;
}

/* kernel @variance(%xs: [i64]) -> [i64]: (n * x - total) squared, for each x, backwards. */
static void build(void)
{
    fcl_func f = fcl_function(m, "variance", true);
    fcl_value xs =
        fcl_param(m, fcl_body(m, f), "xs", fcl_type_pull(m, fcl_type_scalar(m, FCL_I64), 1));
    fcl_region body;
    fcl_value x;
    g = fcl_graph(m, f);
    fcl_value ys = map(xs, &body, &x);
    fcl_value n = fcl_op_type(m, g, "convert", fcl_type_scalar(m, FCL_I64), fcl_op(m, g, "length", &xs, 1));
    fcl_value total = sum(xs);
    fcl_value away = op2("sub", op2("mul", n, x), total);
    fcl_yield(m, body, op2("mul", away, away));
    fcl_return(m, g, fcl_call(m, g, fcl_function_named(m, "reverse"), NULL, 0, NULL, 0, &ys, 1));
}

static bool report(fcl_context *cx)
{
    size_t n = fcl_diagnostic_count(cx);
    for (size_t i = 0; i < n; i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
    return n == 0;
}

/* Runs the kernel on 0, 1, ..., n - 1, and compares with the same in C. */
static bool run(fcl_context *cx, const char *device, int64_t n)
{
    int64_t *data = calloc((size_t)n + 1, sizeof *data), total = n * (n - 1) / 2;
    for (int64_t i = 0; data && i < n; i++)
        data[i] = i;
    fcl_array result, xs = {.type = FCL_I64, .rank = 1, .dims = {(uint64_t)n}, .data = data};
    fcl_device *d = fcl_device_open(cx, device);
    bool ok = data && d && fcl_run(m, "variance", d, NULL, &xs, 1, &result, 1);
    if (ok) {
        const int64_t *out = result.data;
        ok = result.dims[0] == (uint64_t)n;
        for (int64_t i = 0; ok && i < n; i++)
            ok = out[n - 1 - i] == (n * i - total) * (n * i - total);
        printf("%s: %s\n", device, ok ? "as in C" : "wrong");
        fcl_results_free(cx, &result, 1);
    }
    fcl_device_close(d);
    free(data);
    return report(cx) && ok;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    size_t size;
    if (n < 0 || n > 10000) {
        fprintf(stderr, "usage: graph [LENGTH], at most 10000\n");
        return 2;
    }
    fcl_context *cx = fcl_context_create(NULL, NULL);
    m = cx ? fcl_module_create(cx) : NULL;
    if (!m || !fcl_import(m, "arrays", NULL)) /* functions over arrays that name no level */
        return 1;
    build();
    bool ok = fcl_built(m) && fcl_module_check(m);
    char *text = ok ? fcl_module_print(m, &size) : NULL;
    if (text) {
        fputs(text, stdout);
        fcl_free(cx, text, size);
    }
    ok = report(cx) && ok;
    for (size_t i = 0; ok && i < fcl_device_count(cx); i++)
        ok = run(cx, fcl_device_name(cx, i), n);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return ok ? 0 : 1;
}
