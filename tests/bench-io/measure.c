/* measure FILE RUNS: how fast the library reads, checks and writes the module in FILE, as JSON on
 * standard output.
 *
 * Each phase runs RUNS times, and all times are given in seconds of processor time; the driver
 * takes the medians.  Memory is what the allocator has handed out after reading, less what it held
 * before: of the module, and of the context (the copy of the text, and the strings).  It is counted
 * in a run of its own, without the library's own allocator.  Linked with the library's objects,
 * since structure alone is verified by an internal function. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "ir/check/check.h"
#include "ir/ir.h"
#include "libfcl/face.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct text {
    char *at;
    size_t size;
} text;

static size_t live; /* bytes that the library holds */

static void *counted(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    void *p = NULL;
    if (new_size == 0)
        free(ptr);
    else if (!(p = realloc(ptr, new_size)))
        return NULL;
    live += new_size - (ptr ? old_size : 0);
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "measure: %s\n", what);
    exit(EXIT_FAILURE);
}

static text read_file(const char *name)
{
    text t = {0};
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        die("cannot read the file");
    t.size = (size_t)ftell(f);
    rewind(f);
    t.at = malloc(t.size + 1);
    if (!t.at || fread(t.at, 1, t.size, f) != t.size)
        die("cannot read the file");
    fclose(f);
    return t;
}

/* ---- phases ---- */

typedef struct figures {
    cJSON *times; /* by phase: a list; NULL: not now */
    size_t module_bytes, context_bytes, ops;
} figures;

static void note(figures *f, const char *phase, double start)
{
    double seconds = now() - start;
    if (!f->times)
        return;
    cJSON *list = cJSON_GetObjectItem(f->times, phase);
    if (!list)
        list = cJSON_AddArrayToObject(f->times, phase);
    cJSON_AddItemToArray(list, cJSON_CreateNumber(seconds));
}

static size_t bytes_of_module(const ir_module *m)
{
#define BYTES(v) ((size_t)m->v.cap * sizeof *m->v.at)
    return BYTES(types) + BYTES(type_items) + BYTES(values) + BYTES(ops) + BYTES(regions) +
           BYTES(funcs) + BYTES(tvars) + BYTES(locs) + BYTES(long_locs) + BYTES(pool) +
           m->type_table_cap * sizeof *m->type_table;
#undef BYTES
}

static void count(figures *f, const ir_module *m, size_t bytes)
{
    f->module_bytes = bytes_of_module(m);
    f->context_bytes = bytes - f->module_bytes;
    f->ops = m->ops.len - 1;
}

static void fail(fcl_context *cx)
{
    die(fcl_diagnostic_text(cx, 0));
}

static void print(figures *f, fcl_context *cx, fcl_module *m)
{
    size_t size;
    double start = now();
    char *copy = fcl_module_print(m, &size);
    note(f, "print", start);
    if (!copy)
        fail(cx);
    fcl_free(cx, copy, size);
}

/* The binary form, of the module with its types, and read again with every check of the reader. */
static void write_and_read(figures *f, fcl_context *cx, fcl_module *m)
{
    size_t size;
    double start = now();
    char *bytes = fcl_module_write(m, 0, &size);
    note(f, "write", start);
    if (!bytes)
        fail(cx);
    start = now();
    fcl_module *again = fcl_module_load(cx, "again", bytes, size, NULL);
    note(f, "read", start);
    if (!again)
        fail(cx);
    fcl_module_destroy(again);
    fcl_free(cx, bytes, size);
}

static void run(figures *f, const char *name, text t, bool lower)
{
    fcl_context *cx = fcl_context_create(f->times ? NULL : counted, NULL);
    size_t before = live;
    double start = now();
    fcl_module *m = fcl_module_load(cx, name, t.at, t.size, NULL);
    note(f, "parse", start);
    if (!m)
        fail(cx);
    if (!f->times)
        count(f, &m->ir, live - before);
    start = now();
    bool ok = ir_verify(&m->ir);
    note(f, "structure", start);
    start = now();
    ok = fcl_module_check(m) && ok;
    note(f, "check", start);
    print(f, cx, m);
    write_and_read(f, cx, m);
    start = now();
    if (lower)
        ok = fcl_module_check_kernels(m) && ok;
    if (lower)
        note(f, "lower", start);
    if (!ok)
        fail(cx);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("FILE RUNS [lower]");
    text t = read_file(argv[1]);
    figures f = {0};
    run(&f, argv[1], t, false);
    f.times = cJSON_CreateObject();
    for (int i = atoi(argv[2]); i > 0; i--)
        run(&f, argv[1], t, argc > 3);
    cJSON *out = cJSON_CreateObject();
    cJSON_AddItemToObject(out, "seconds", f.times);
    cJSON_AddNumberToObject(out, "ops", (double)f.ops);
    cJSON_AddNumberToObject(out, "bytes", (double)t.size);
    cJSON_AddNumberToObject(out, "module_bytes", (double)f.module_bytes);
    cJSON_AddNumberToObject(out, "context_bytes", (double)f.context_bytes);
    puts(cJSON_PrintUnformatted(out));
    cJSON_Delete(out);
    free(t.at);
    return EXIT_SUCCESS;
}
