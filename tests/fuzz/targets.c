/* The targets of targets.def: see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory for reading: a fixed part (arenas, an imported prelude) and so much for each byte of
 * input. */
enum { READ_FIXED = 8 << 20, READ_FACTOR = 256 };
/* Memory and kernel nodes for what may grow beyond its input, such as types, and functions called
 * many times. */
enum { WORK_MEMORY = 128 << 20, KERNEL_NODES = 20000, CALL_DEPTH = 300 };

/* ---- what all targets ask ---- */

/* A failure has its reason, and each reason can be shown; success has none, but warnings. */
static void expect_reason(fcl_context *cx, bool ok)
{
    size_t n = fcl_diagnostic_count(cx), errors = 0;
    fcl_diagnostic d;
    for (size_t i = 0; i < n; i++)
        errors += fcl_diagnostic_get(cx, i, &d, sizeof d) && d.severity == FCL_ERROR;
    fuzz_must(ok == (errors == 0),
              ok ? "success with diagnostics" : "failure without a diagnostic");
    for (size_t i = 0; i < n; i++) {
        fuzz_must(fcl_diagnostic_get(cx, i, &d, sizeof d) && *d.message &&
                      fcl_diagnostic_explain(d.code),
                  "a diagnostic without a message or with an unknown code");
        fuzz_must(d.code != 507, "the library calls it a defect of its own (E0507)");
        fuzz_must(*fcl_diagnostic_text(cx, i) != 0, "a diagnostic that cannot be shown");
    }
}

static fcl_module *load(fuzz_world *w, const char *name, const void *data, size_t size)
{
    fcl_module *m = fcl_module_load(w->cx, name, data, size, NULL);
    expect_reason(w->cx, m != NULL);
    return m;
}

typedef struct text {
    char *at;
    size_t size;
} text;

static text print(fuzz_world *w, fcl_module *m)
{
    text t;
    t.at = fcl_module_print(m, &t.size);
    fuzz_must(t.at != NULL && t.size == strlen(t.at), "a module cannot be printed");
    expect_reason(w->cx, true);
    return t;
}

static bool is_same(text x, text y)
{
    return x.size == y.size && memcmp(x.at, y.at, x.size) == 0;
}

/* What surrounds the first difference. */
static void show_difference(text x, text y)
{
    size_t at = 0, before;
    while (at < x.size && at < y.size && x.at[at] == y.at[at])
        at++;
    before = at < 60 ? at : 60;
    fprintf(stderr, "fuzz: byte %zu of %zu and %zu:\n%.120s\n--- and ---\n%.120s\n", at, x.size,
            y.size, x.at + at - before, y.at + at - before);
}

static void expect_same(fuzz_world *w, text x, text y)
{
    if (!is_same(x, y))
        show_difference(x, y);
    fuzz_must(is_same(x, y), "what is written changes when it is read and written");
    fcl_free(w->cx, y.at, y.size);
}

/* The binary form; its `at` is NULL for a module whose structure is refused, as reading a text
 * alone does not. */
static text write(fuzz_world *w, fcl_module *m, bool checked)
{
    text t = {.size = 0};
    t.at = fcl_module_write(m, 0, &t.size);
    expect_reason(w->cx, t.at != NULL);
    fuzz_must(!checked || t.at, "a checked module cannot be written");
    fcl_diagnostics_clear(w->cx);
    return t;
}

static fcl_module *load_again(fuzz_world *w, const char *name, text t, bool checked)
{
    fcl_module *again = load(w, name, t.at, t.size);
    if (!again)
        fputs(fcl_diagnostic_text(w->cx, 0), stderr);
    fuzz_must(again != NULL, "what is written cannot be read");
    fuzz_must(!checked || fcl_module_check(again), "what is written is not accepted");
    return again;
}

static void expect_same_meaning(fcl_module *x, fcl_module *y)
{
    unsigned char hx[32], hy[32];
    fuzz_must(fcl_module_hash(x, hx) && fcl_module_hash(y, hy), "what is written has no hash");
    fuzz_must(memcmp(hx, hy, sizeof hx) == 0,
              "what is written means something else when it is read");
}

/* The text is read again and printed the same.  Names that clash or that no text can hold are
 * others in it, so the bytes may differ; the meaning does not, in a module whose names all mean
 * something. */
static void expect_back_from_text(fuzz_world *w, fcl_module *m, text printed, bool checked)
{
    fcl_module *again = load_again(w, "again.fclir", printed, checked);
    expect_same(w, printed, print(w, again));
    if (checked)
        expect_same_meaning(m, again);
    fcl_module_destroy(again);
}

/* The bytes are read again and written the same, and give the same text. */
static void expect_back_from_bytes(fuzz_world *w, fcl_module *m, text printed, text written,
                                   bool checked)
{
    fcl_module *again = load_again(w, "again.fclb", written, checked);
    expect_same_meaning(m, again);
    expect_same(w, written, write(w, again, true));
    expect_same(w, printed, print(w, again));
    fcl_module_destroy(again);
}

/* The module comes back from both forms; from the text where all is `visible` that it names: what
 * is not checked may use type variables of other functions, which no text can say.  `checked`: the
 * type checker takes it as it took m. */
static void expect_fixpoint(fuzz_world *w, fcl_module *m, bool visible, bool checked)
{
    fuzz_relax(w);
    text written = write(w, m, checked), printed = print(w, m);
    if (visible)
        expect_back_from_text(w, m, printed, checked);
    if (written.at) {
        expect_back_from_bytes(w, m, printed, written, checked);
        fcl_free(w->cx, written.at, written.size);
    }
    fcl_free(w->cx, printed.at, printed.size);
}

static void read_module(const char *name, const uint8_t *data, size_t size, bool visible)
{
    fuzz_world w;
    fuzz_open(&w, READ_FIXED + READ_FACTOR * size);
    fcl_module *m = load(&w, name, data, size);
    if (m)
        expect_fixpoint(&w, m, visible, false);
    fcl_module_destroy(m);
    fuzz_close(&w);
}

/* A refusal is as good as an acceptance; its reasons are forgotten. */
static bool check(fuzz_world *w, fcl_module *m)
{
    bool ok = fcl_module_check(m);
    expect_reason(w->cx, ok);
    fcl_diagnostics_clear(w->cx);
    return ok;
}

static void open_for_work(fuzz_world *w)
{
    fuzz_open(w, WORK_MEMORY + (1 << 20)); /* some more for showing diagnostics */
    fcl_limit_set(w->cx, FCL_LIMIT_MEMORY, WORK_MEMORY);
    fcl_limit_set(w->cx, FCL_LIMIT_KERNEL_NODES, KERNEL_NODES);
    fcl_limit_set(w->cx, FCL_LIMIT_CALL_DEPTH, CALL_DEPTH);
}

/* ---- the targets ---- */

static void run_text(const uint8_t *data, size_t size)
{
    read_module("fuzz.fclir", data, size, true);
}

static void check_module(const char *name, const uint8_t *data, size_t size)
{
    fuzz_world w;
    open_for_work(&w);
    fcl_module *m = load(&w, name, data, size);
    if (m && check(&w, m))
        expect_fixpoint(&w, m, true, true);
    fcl_module_destroy(m);
    fuzz_close(&w);
}

static void run_binary(const uint8_t *data, size_t size)
{
    read_module("fuzz.fclb", data, size, false);
    check_module("fuzz.fclb", data, size);
}

static void run_fcl(const uint8_t *data, size_t size)
{
    check_module("fuzz.fcl", data, size);
}

static void run_verify(const uint8_t *data, size_t size)
{
    fuzz_world w;
    open_for_work(&w);
    fcl_module *m = fcl_module_create(w.cx);
    fuzz_build(w.cx, m, data, size);
    bool built = fcl_built(m);
    expect_reason(w.cx, built);
    fcl_diagnostics_clear(w.cx);
    if (check(&w, m))
        expect_fixpoint(&w, m, true, true);
    fcl_module_destroy(m);
    fuzz_close(&w);
}

static void run_check(const uint8_t *data, size_t size)
{
    check_module("fuzz.fclir", data, size);
}

/* Options that depend on the input alone. */
static fcl_compile_options options_for(const uint8_t *data, size_t size)
{
    static const char *const exchanges[] = {"local", "ptx", "subgroups", NULL};
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * 16777619u;
    return (fcl_compile_options){.exchange = exchanges[h & 3],
                                 .groups = h >> 2 & 3,
                                 .block_size = (h >> 4 & 1) ? 64 : 0,
                                 .vector_bytes = (h >> 5 & 1) ? 1 : 0,
                                 .unroll = (h >> 6 & 1) ? 64 : 0,
                                 .atomic_bits = (h >> 7 & 1) ? 32 : 0,
                                 .in_phases = h >> 8 & 1,
                                 .fast_math = h >> 9 & 1};
}

static void run_lower(const uint8_t *data, size_t size)
{
    fuzz_world w;
    open_for_work(&w);
    fcl_module *m = load(&w, "fuzz.fclir", data, size);
    if (m && check(&w, m)) {
        fcl_compile_options o = options_for(data, size);
        fcl_artifact *a = fcl_compile(m, &o);
        size_t n = 0;
        expect_reason(w.cx, a != NULL);
        fuzz_must(!a || strlen(fcl_artifact_code(a, &n)) == n, "emitted code has a NUL in it");
        fcl_artifact_destroy(a);
    }
    fcl_module_destroy(m);
    fuzz_close(&w);
}

/* What is written of an artifact depends on what it holds alone; its signatures can be asked for,
 * and its plans printed. */
static void run_artifact(const uint8_t *data, size_t size)
{
    fuzz_world w;
    fuzz_open(&w, READ_FIXED + READ_FACTOR * size);
    fcl_artifact *a = fcl_artifact_load(w.cx, "fuzz.fcla", data, size);
    expect_reason(w.cx, a != NULL);
    if (a) {
        text one = {0}, two = {0};
        fcl_leaf leaf;
        one.at = fcl_artifact_save(a, &one.size);
        fcl_artifact *again = fcl_artifact_load(w.cx, "again.fcla", one.at, one.size);
        fuzz_must(again != NULL, "what is written of an artifact cannot be read");
        two.at = fcl_artifact_save(again, &two.size);
        expect_same(&w, one, two);
        fcl_free(w.cx, one.at, one.size);
        for (size_t i = 0; i < 3 && fcl_artifact_entry(a, i); i++)
            fuzz_must(fcl_artifact_leaf_out(a, fcl_artifact_entry(a, i), 0, &leaf, sizeof leaf) ||
                          true,
                      "a signature cannot be read");
        size_t shown;
        fuzz_must(fcl_artifact_plan(a, &shown) && (shown || !fcl_artifact_entry(a, 0)),
                  "a plan that was read cannot be printed");
        fcl_artifact_destroy(again);
    }
    fcl_artifact_destroy(a);
    fuzz_close(&w);
}

/* ---- kernel IR ---- */

static fcl_kernels *load_kernels(fuzz_world *w, const void *data, size_t size)
{
    fcl_kernels *k = fcl_kernels_load(w->cx, "fuzz.kir", data, size);
    expect_reason(w->cx, k != NULL);
    return k;
}

static text print_kernels(fuzz_world *w, const fcl_kernels *k)
{
    text t;
    t.at = fcl_kernels_print(k, &t.size);
    fuzz_must(t.at != NULL && t.size == strlen(t.at), "kernel IR cannot be printed");
    expect_reason(w->cx, true);
    return t;
}

/* What is printed is read again, verified and printed the same. */
static fcl_kernels *expect_kernels_back(fuzz_world *w, const fcl_kernels *k)
{
    text printed = print_kernels(w, k);
    fcl_kernels *again = load_kernels(w, printed.at, printed.size);
    if (!again)
        fputs(fcl_diagnostic_text(w->cx, 0), stderr);
    fuzz_must(again != NULL, "what is printed of kernel IR cannot be read");
    fuzz_must(fcl_kernels_verify(again), "what is printed of kernel IR is not verified");
    expect_same(w, printed, print_kernels(w, again));
    fcl_free(w->cx, printed.at, printed.size);
    return again;
}

/* Emitted or refused; k is gone. */
static void emit_kernels(fuzz_world *w, fcl_kernels *k, const fcl_compile_options *o)
{
    size_t n = 0;
    fcl_artifact *a = fcl_kernels_emit(k, o);
    expect_reason(w->cx, a != NULL);
    fuzz_must(!a || strlen(fcl_artifact_code(a, &n)) == n, "emitted code has a NUL in it");
    fcl_artifact_destroy(a);
    fcl_diagnostics_clear(w->cx);
}

/* The kernel passes of the usual way, each on what the last one left, as long as none refuses. */
static bool run_kernel_passes(fuzz_world *w, fcl_kernels **k, const fcl_compile_options *o)
{
    bool lowered = false, ok = true;
    const char *name;
    for (size_t i = 0; ok && (name = fcl_pipeline_step(i, NULL)) != NULL; i++) {
        if (lowered && strcmp(name, "emit") != 0)
            ok = fcl_passes_run(NULL, k, name, o);
        lowered = lowered || strcmp(name, "lower") == 0;
    }
    expect_reason(w->cx, ok);
    for (size_t i = 0; i < fcl_diagnostic_count(w->cx); i++) {
        fcl_diagnostic d;
        if (fcl_diagnostic_get(w->cx, i, &d, sizeof d) && d.code == 520)
            fputs(fcl_diagnostic_text(w->cx, i), stderr);
        fuzz_must(d.code != 520, "a pass breaks a rule of kernel IR (E0520)");
    }
    fcl_diagnostics_clear(w->cx);
    return ok;
}

static void run_kernel(const uint8_t *data, size_t size)
{
    fuzz_world w;
    open_for_work(&w);
    fcl_compile_options o = options_for(data, size);
    fcl_kernels *k = load_kernels(&w, data, size);
    fcl_diagnostics_clear(w.cx);
    if (k) {
        emit_kernels(&w, expect_kernels_back(&w, k), &o);
        if (run_kernel_passes(&w, &k, &o))
            emit_kernels(&w, expect_kernels_back(&w, k), &o);
        fcl_kernels_destroy(k);
    }
    fuzz_close(&w);
}

/* ---- the table ---- */

static const fuzz_target targets[] = {
#define TARGET(name, extension, summary) {#name, extension, summary, run_##name},
#include "tests/fuzz/targets.def"
#undef TARGET
};

const fuzz_target *fuzz_target_at(size_t i)
{
    return i < sizeof targets / sizeof *targets ? &targets[i] : NULL;
}

const fuzz_target *fuzz_target_named(const char *name)
{
    for (size_t i = 0; fuzz_target_at(i); i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}
