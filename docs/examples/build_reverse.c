/* An example front end: builds a program through fcl.h, without any text, checks it, prints it and
 * runs it.
 *
 *     build_reverse [LENGTH [CHUNK]]
 *
 * The program is the paper's distributed reversal (section 3.1), in FCL:
 *
 *     fun reverse arr = let n = length arr in generate n (fn i => index arr (n - i - 1))
 *     fun revDistribute chunk arr =
 *       splitUp chunk arr |> map (push <block> . reverse) |> reverse |> concat chunk
 *
 * A builder call that fails returns 0, and every later call on the module does nothing: so the code
 * below asks once. */
#include <fcl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* An operation of one or two operands. */
static fcl_value op1(fcl_module *m, fcl_region r, const char *op, fcl_value x)
{
    return fcl_op(m, r, op, &x, 1);
}

static fcl_value op2(fcl_module *m, fcl_region r, const char *op, fcl_value x, fcl_value y)
{
    return fcl_op(m, r, op, (fcl_value[]){x, y}, 2);
}

/* generate %n { (%i: int) ... }: returns the array, and the region and its index to fill in. */
static fcl_value generate(fcl_module *m, fcl_region r, fcl_value n, fcl_region *body, fcl_value *i)
{
    fcl_value array = fcl_op_regions(m, r, "generate", &n, 1, body);
    *i = fcl_param(m, *body, "i", fcl_type_scalar(m, FCL_I32));
    return array;
}

/* fun @reverse<'a>(%arr: ['a]) -> ['a]; it reverses numbers, and chunks of numbers as well. */
static fcl_func build_reverse(fcl_module *m)
{
    fcl_func f = fcl_function(m, "reverse", false);
    fcl_type array =
        fcl_type_pull(m, fcl_type_var(m, fcl_type_param(m, f, "a", FCL_KIND_INFER)), 1);
    fcl_region body = fcl_body(m, f), inner;
    fcl_value arr = fcl_param(m, body, "arr", array), i;
    fcl_result_type(m, f, array);

    fcl_value n = op1(m, body, "length", arr);
    fcl_value reversed = generate(m, body, n, &inner, &i);
    fcl_value left = op2(m, inner, "sub", n, i);
    fcl_value j = op2(m, inner, "sub", left, fcl_const_int(m, FCL_I32, 1));
    fcl_yield(m, inner, op2(m, inner, "index", arr, j));
    fcl_return(m, body, reversed);
    return f;
}

/* [[int]]: the array in chunks; the last one is shorter when the chunk does not divide the length.
 */
static fcl_value build_chunks(fcl_module *m, fcl_region r, fcl_value chunk, fcl_value arr)
{
    fcl_region outer, inner;
    fcl_value i, k;
    fcl_value n = op1(m, r, "length", arr);
    fcl_value less = op2(m, r, "sub", chunk, fcl_const_int(m, FCL_I32, 1));
    fcl_value count = op2(m, r, "div", op2(m, r, "add", n, less), chunk);
    fcl_value chunks = generate(m, r, count, &outer, &i);
    fcl_value start = op2(m, outer, "mul", i, chunk);
    fcl_value size = op2(m, outer, "min", chunk, op2(m, outer, "sub", n, start));
    fcl_value part = generate(m, outer, size, &inner, &k);
    fcl_value at = op2(m, inner, "add", start, k);
    fcl_yield(m, inner, op2(m, inner, "index", arr, at));
    fcl_yield(m, outer, part);
    return chunks;
}

/* kernel @revDistribute(%chunk: int, %arr: [int]) -> [int]<grid>: each block reverses one chunk. */
static void build_kernel(fcl_module *m, fcl_func reverse)
{
    fcl_func f = fcl_function(m, "revDistribute", true);
    fcl_type integer = fcl_type_scalar(m, FCL_I32), array = fcl_type_pull(m, integer, 1);
    fcl_region body = fcl_body(m, f), each;
    fcl_value chunk = fcl_param(m, body, "chunk", integer);
    fcl_value arr = fcl_param(m, body, "arr", array);
    fcl_result_type(m, f, fcl_type_push(m, integer, 1, fcl_level_const(FCL_GRID)));

    fcl_value chunks = build_chunks(m, body, chunk, arr);
    fcl_value blocks = fcl_op_regions(m, body, "map", &chunks, 1, &each);
    fcl_value part = fcl_param(m, each, "part", array);
    fcl_value reversed = fcl_call(m, each, reverse, NULL, 0, NULL, 0, &part, 1);
    fcl_yield(m, each, fcl_op_level(m, each, "push", fcl_level_const(FCL_BLOCK), reversed));
    fcl_value back = fcl_call(m, body, reverse, NULL, 0, NULL, 0, &blocks, 1);
    fcl_return(m, body, op2(m, body, "concat", chunk, back));
}

/* The diagnostics go to standard error; returns whether there were none. */
static bool report(fcl_context *cx)
{
    size_t n = fcl_diagnostic_count(cx);
    for (size_t i = 0; i < n; i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
    fcl_diagnostics_clear(cx);
    return n == 0;
}

static bool print(fcl_context *cx, fcl_module *m)
{
    size_t size;
    char *text = fcl_module_print(m, &size);
    if (!text)
        return report(cx);
    fputs(text, stdout);
    fcl_free(cx, text, size);
    return true;
}

/* Runs the kernel on 0, 1, ..., n - 1 and prints the first numbers of the result. */
static bool run(fcl_context *cx, fcl_module *m, const char *device, int32_t n, int32_t chunk)
{
    int32_t *data = calloc((size_t)n + 1, sizeof *data);
    for (int32_t i = 0; data && i < n; i++)
        data[i] = i;
    fcl_array result, args[] = {
                          {.type = FCL_I32, .data = &chunk},
                          {.type = FCL_I32, .rank = 1, .dims = {(uint64_t)n}, .data = data},
                      };
    fcl_device *d = fcl_device_open(cx, device);
    bool ok = data && d && fcl_run(m, "revDistribute", d, NULL, args, 2, &result, 1);
    if (ok) {
        const int32_t *out = result.data;
        printf("%s:", device);
        for (uint64_t i = 0; i < result.dims[0]; i++) {
            ok = ok && out[i] == n - 1 - (int32_t)i;
            if (i < 10)
                printf(" %d", (int)out[i]);
        }
        printf("%s\n", ok ? (n > 10 ? " ..." : "") : " (wrong)");
        fcl_results_free(cx, &result, 1);
    }
    fcl_device_close(d);
    free(data);
    return report(cx) && ok;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000,
         chunk = argc > 2 ? strtol(argv[2], NULL, 10) : 64;
    if (n < 0 || n > 1 << 28 || chunk < 1 || chunk > 1 << 28) {
        fprintf(stderr, "usage: build_reverse [LENGTH [CHUNK]]\n");
        return 2;
    }
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = cx ? fcl_module_create(cx) : NULL;
    if (!m)
        return 1;
    build_kernel(m, build_reverse(m));
    bool ok = fcl_built(m) && fcl_module_check(m) && print(cx, m);
    ok = report(cx) && ok;
    for (size_t i = 0; ok && i < fcl_device_count(cx); i++)
        ok = run(cx, m, fcl_device_name(cx, i), (int32_t)n, (int32_t)chunk);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return ok ? 0 : 1;
}
