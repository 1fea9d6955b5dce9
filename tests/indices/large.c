/* Runs large.fclir over matrices of a given shape and compares every element.
 *
 *     large FILE DEVICE ROWS COLS [BITS] */
#include "libfcl/fcl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct world {
    fcl_context *cx;
    fcl_module *module;
    fcl_device *device;
    fcl_compile_options compile;
    fcl_run_options options;
    uint64_t rows, cols;
    uint8_t *matrix;
    int failed;
} world;

static uint8_t mixed(uint64_t i, uint64_t j)
{
    return (uint8_t)(3 * i + 5 * j);
}

static bool run(world *w, const char *entry, const fcl_array *args, size_t nargs, fcl_array *result)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    bool ok = fcl_run(w->module, entry, w->device, &w->options, args, nargs, result, 1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("  %s: %.1f s\n", entry,
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    w->failed += !ok;
    return ok;
}

static void check(world *w, const char *entry, bool ok)
{
    if (!ok)
        printf("%s: wrong results\n", entry);
    w->failed += !ok;
}

static fcl_array matrix_of(const world *w)
{
    return (fcl_array){.type = FCL_U8, .rank = 2, .dims = {w->rows, w->cols}, .data = w->matrix};
}

static void check_invert(world *w)
{
    fcl_array in = matrix_of(w), out;
    if (!run(w, "invert", &in, 1, &out))
        return;
    const uint8_t *got = out.data;
    bool ok = out.dims[0] == w->rows && out.dims[1] == w->cols;
    for (uint64_t i = 0; ok && i < w->rows * w->cols; i++)
        ok = got[i] == 255 - w->matrix[i];
    check(w, "invert", ok);
    fcl_results_free(w->cx, &out, 1);
}

static void check_transpose(world *w)
{
    fcl_array in = matrix_of(w), out;
    if (!run(w, "transposeTiles", &in, 1, &out))
        return;
    const uint8_t *got = out.data;
    bool ok = out.dims[0] == w->cols && out.dims[1] == w->rows;
    for (uint64_t j = 0; ok && j < w->cols; j++)
        for (uint64_t i = 0; ok && i < w->rows; i++)
            ok = got[j * w->rows + i] == mixed(i, j);
    check(w, "transposeTiles", ok);
    fcl_results_free(w->cx, &out, 1);
}

static void check_flip(world *w)
{
    fcl_array in = matrix_of(w), out;
    if (!run(w, "flipRows", &in, 1, &out))
        return;
    const uint8_t *got = out.data;
    bool ok = out.dims[0] == w->rows && out.dims[1] == w->cols;
    for (uint64_t i = 0; ok && i < w->rows; i++)
        ok = !memcmp(got + i * w->cols, w->matrix + (w->rows - 1 - i) * w->cols, w->cols);
    check(w, "flipRows", ok);
    fcl_results_free(w->cx, &out, 1);
}

static void check_row_blocks(world *w)
{
    fcl_array in = matrix_of(w), out;
    if (!run(w, "rowBlocks", &in, 1, &out))
        return;
    const uint8_t *got = out.data;
    bool ok = out.dims[0] == w->cols && out.dims[1] == w->rows;
    for (uint64_t j = 0; ok && j < w->cols; j++)
        for (uint64_t i = 0; ok && i < w->rows; i++)
            ok = got[j * w->rows + i] == mixed(i, w->cols - 1 - j);
    check(w, "rowBlocks", ok);
    fcl_results_free(w->cx, &out, 1);
}

static void check_sums(world *w)
{
    fcl_array in = matrix_of(w), out;
    if (!run(w, "rowSums", &in, 1, &out))
        return;
    const int32_t *got = out.data;
    bool ok = out.dims[0] == w->rows;
    for (uint64_t i = 0; ok && i < w->rows; i++) {
        int32_t sum = 0;
        for (uint64_t j = 0; j < w->cols; j++)
            sum += w->matrix[i * w->cols + j];
        ok = got[i] == sum;
    }
    check(w, "rowSums", ok);
    fcl_results_free(w->cx, &out, 1);
}

static int32_t diagonal(const world *w)
{
    uint64_t n = w->rows < w->cols ? w->rows : w->cols;
    return n < 3 ? (int32_t)n : 3;
}

/* The kernels that take extents and give n elements of the last diagonal, each plus `more`. */
static void check_diagonal(world *w, const char *entry, int32_t times, uint8_t more)
{
    int32_t rows = (int32_t)w->rows, cols = (int32_t)w->cols, n = diagonal(w);
    fcl_array args[] = {{.type = FCL_I32, .data = &times},
                        {.type = FCL_I32, .data = &rows},
                        {.type = FCL_I32, .data = &cols},
                        {.type = FCL_I32, .data = &n}};
    fcl_array out;
    bool counted = times > 0;
    if (!run(w, entry, counted ? args : args + 1, counted ? 4 : 3, &out))
        return;
    const uint8_t *got = out.data;
    bool ok = out.dims[0] == (uint64_t)n;
    for (uint64_t k = 0; ok && k < (uint64_t)n; k++)
        ok = got[k] == (uint8_t)(mixed(w->rows - 1 - k, w->cols - 1 - k) + more);
    check(w, entry, ok);
    fcl_results_free(w->cx, &out, 1);
}

static void check_all(world *w)
{
    for (uint64_t i = 0; i < w->rows; i++)
        for (uint64_t j = 0; j < w->cols; j++)
            w->matrix[i * w->cols + j] = mixed(i, j);
    check_invert(w);
    check_transpose(w);
    check_flip(w);
    check_row_blocks(w);
    check_sums(w);
    check_diagonal(w, "lastDiagonal", 0, 0);
    check_diagonal(w, "steps", 3, 3);
}

static char *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    char *text = malloc(1 << 16);
    *size = f && text ? fread(text, 1, 1 << 16, f) : 0;
    if (f)
        fclose(f);
    return text;
}

static void print_diagnostics(fcl_context *cx)
{
    for (size_t i = 0; i < fcl_diagnostic_count(cx); i++)
        printf("%s\n", fcl_diagnostic_text(cx, i));
}

int main(int argc, char **argv)
{
    size_t size;
    if (argc < 5)
        return 2;
    char *text = read_file(argv[1], &size);
    fcl_context *cx = fcl_context_create(NULL, NULL);
    world w = {.cx = cx, .rows = strtoull(argv[3], NULL, 10), .cols = strtoull(argv[4], NULL, 10)};
    w.compile.index_bits = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 0;
    w.options.compile = &w.compile;
    w.module = fcl_module_load(cx, argv[1], text, size, NULL);
    w.device = fcl_device_open(cx, argv[2]);
    w.matrix = malloc(w.rows * w.cols);
    if (w.module && w.device && w.matrix)
        check_all(&w);
    else
        w.failed = 1;
    print_diagnostics(cx);
    free(w.matrix);
    free(text);
    fcl_device_close(w.device);
    fcl_module_destroy(w.module);
    fcl_context_destroy(cx);
    printf("%llu x %llu: %s\n", (unsigned long long)w.rows, (unsigned long long)w.cols,
           w.failed ? "FAILED" : "ok");
    return w.failed != 0;
}
