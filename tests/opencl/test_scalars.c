/* Every scalar operator on a device against ir/scalar/scalar.c: integers and bool bit for bit,
 * floats within a stated tolerance.
 *
 *     test_scalars [DEVICE [SEED]]
 *
 * DEVICE: the number of an OpenCL device, cpu, or spirv, which is the first OpenCL device with code
 * in SPIR-V.
 *
 * For each type, kernels are built by hand that apply every operator, also to constants and to
 * operands known not to be negative, as the emitter writes those differently, and every conversion.
 * They go the whole way: emitted, built by the driver, run by the plan interpreter.  The seed is
 * printed.  It is a program of its own because drivers do not survive the forks of the unit tests.
 */
#include "backends/backend.h"
#include "backends/run/run.h"
#include "ir/kernel/build/build.h"
#include "ir/kernel/pass/pass.h"
#include "ir/kernel/plan/make.h"
#include "ir/scalar/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 4096, ROWS_MOST = 256, ULPS = 16 };

/* A result: what to compute from element i of the three inputs. */
typedef struct row {
    opcode op;         /* OP_CONVERT, OP_BITCAST or a scalar operator */
    scalar type;       /* of the result */
    bool has_constant; /* the second operand is this constant */
    bool halved;       /* the first operand is made non-negative */
    uint64_t constant;
} row;

typedef struct bench {
    fcl_context cx;
    ir_module module;
    run_device *device;
    const fcl_backend *backend;
    uint64_t random;
    uint32_t failures, checked;
    bool vulkan;
} bench;

static uint64_t next_random(bench *t)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return t->random;
}

/* ---- inputs ---- */

static uint64_t edge_integer(scalar t, uint64_t pick)
{
    uint64_t sign = (uint64_t)1 << (ir_scalar_bytes(t) * 8 - 1);
    const uint64_t edges[] = {0, 1,  ~(uint64_t)0, 2,  sign, sign - 1,  sign + 1,    7,
                              8, 31, 32,           63, 64,   sign >> 1, ~(uint64_t)6};
    return scalar_wrap(t, edges[pick % (sizeof edges / sizeof *edges)]);
}

static uint64_t edge_float(scalar t, uint64_t pick)
{
    const double edges[] = {0.0,   -0.0,     1.0,       -1.0, 0.5, -0.5, 2.5,   1e30,
                            -1e30, INFINITY, -INFINITY, NAN,  3e9, -3e9, 255.5, 1e-30};
    return scalar_from_double(t, edges[pick % (sizeof edges / sizeof *edges)]);
}

static uint64_t random_scalar(bench *t, scalar s)
{
    uint64_t r = next_random(t), pick = next_random(t);
    if (ir_scalar_class(s) == 'F')
        return pick % 4 == 0
                   ? edge_float(s, r)
                   : scalar_from_double(s, ldexp((double)(int64_t)r, (int)(pick % 40) - 70));
    if (pick % 4 == 0)
        return edge_integer(s, r);
    return scalar_wrap(s, pick % 4 == 1 ? r : (uint64_t)((int64_t)r >> (pick % 60)));
}

static bool fill(bench *t, host_array *a, scalar s)
{
    *a = (host_array){.type = s, .rank = 1, .dims = {ELEMENTS}};
    if (!host_alloc(&t->cx.mem, a))
        return false;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        host_set(a, i, random_scalar(t, s));
    return true;
}

/* ---- programs ---- */

static uint64_t greatest(scalar t)
{
    return ((uint64_t)1 << (ir_scalar_bytes(t) * 8 - 1)) - 1;
}

static k_id first_operand(k_builder *b, const row *r, scalar t, k_id x)
{
    return r->halved ? kb_scalar(b, SOP_AND, x, kb_const(b, t, greatest(t)), 0) : x;
}

static k_id compute(k_builder *b, const row *r, scalar t, const k_id in[3])
{
    k_id x = first_operand(b, r, t, in[0]),
         y = r->has_constant ? kb_const(b, t, r->constant) : in[1];
    uint32_t n = ir_op_info(r->op)->max_args;
    if (r->op == OP_CONVERT)
        return kb_convert(b, r->type, x);
    if (r->op == OP_BITCAST)
        return kb_bitcast(b, r->type, x);
    if (r->op == SOP_SELECT)
        return kb_scalar(b, r->op, kb_scalar(b, SOP_NE, x, y, 0), x, y);
    return kb_scalar(b, r->op, x, n > 1 ? y : 0, n > 2 ? in[2] : 0);
}

static void build(k_builder *b, const row *rows, uint32_t n, scalar t, uint32_t block)
{
    k_id in[3], out[ROWS_MOST], x[3], count = kb_dim(b, 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        in[i] = kb_buffer(b, i, t);
    for (uint32_t i = 0; i < n; i++)
        out[i] = kb_alloc(b, SPACE_GLOBAL, rows[i].type, count);
    int32_t groups = (int32_t)(ELEMENTS / block);
    kb_open_launch(b, LEVEL_GRID, kb_int(b, groups), block);
    k_id at = kb_add(b, kb_mul(b, kb_builtin(b, AT_GROUP, groups), kb_int(b, (int32_t)block)),
                     kb_builtin(b, AT_THREAD, (int64_t)block - 1));
    kb_open_if(b, kb_lt(b, at, count));
    for (uint32_t i = 0; i < 3; i++)
        x[i] = kb_load(b, in[i], at);
    for (uint32_t i = 0; i < n; i++)
        kb_store(b, out[i], at, compute(b, &rows[i], t, x));
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    for (uint32_t i = 0; i < n; i++)
        kb_output(b, i, out[i], &count, 1);
    kb_close(b, NULL, 0);
}

static bool leaves(bench *t, k_program *p, const row *rows, uint32_t n, scalar s)
{
    bool ok = true;
    for (uint32_t i = 0; i < 3; i++)
        ok = ok && vec_push(&t->cx.mem, &p->in, ((leaf){.param = i, .type = s, .rank = 1}));
    for (uint32_t i = 0; i < n; i++)
        ok = ok &&
             vec_push(&t->cx.mem, &p->out, ((leaf){.param = i, .type = rows[i].type, .rank = 1}));
    return ok;
}

static bool make(bench *t, k_program *p, const row *rows, uint32_t n, scalar s)
{
    k_builder b;
    p->target.quirks = run_device_caps(t->device).quirks;
    p->name = intern_cstr(&t->cx.strings, "scalars");
    bool ok = kb_init(&b, p);
    if (ok)
        build(&b, rows, n, s, run_device_caps(t->device).facts.serial ? 1 : 64);
    ok = ok && !b.failed && leaves(t, p, rows, n, s);
    kb_release(&b);
    return ok && k_halves(p) && k_outline(p) && k_legalise(p);
}

/* ---- checking ---- */

static double least_normal(scalar t)
{
    const scalar_info *info = ir_scalar_info(t);
    return ldexp(1, 2 - (1 << (8 * info->bytes - info->precision - 1)));
}

/* Operators on f16 that f32 computes well enough for the right f16: all that IEEE 754 defines; the
 * functions of the C library may be one unit off. */
static double tolerance(scalar t, opcode op)
{
    if (t != ST_F16)
        return ULPS;
    return ir_op_info(op)->cost == 16 && op != SOP_FDIV && op != SOP_SQRT && op != SOP_REM &&
                   op != SOP_MOD
               ? 1
               : 0;
}

static double ulps_between(scalar t, double x, double y)
{
    double ulp = ldexp(1, 1 - ir_scalar_info(t)->precision), least = least_normal(t);
    double size = fmax(fabs(x), least);
    return fabs(x - y) / (ldexp(1, ilogb(size)) * ulp);
}

/* Values below the normal range may be flushed to zero. */
static bool agree(scalar t, opcode op, uint64_t want, uint64_t got)
{
    if (ir_scalar_class(t) != 'F')
        return want == got;
    double x = scalar_as_double(t, want), y = scalar_as_double(t, got), least = least_normal(t);
    if (x == y || (isnan(x) && isnan(y)) || (t != ST_F16 && fabs(x) <= least && fabs(y) <= least))
        return true;
    return isfinite(x) && isfinite(y) && ulps_between(t, x, y) <= tolerance(t, op);
}

static uint64_t expected(const row *r, scalar t, const host_array in[3], uint32_t i)
{
    uint64_t x = host_get(&in[0], i) & (r->halved ? greatest(t) : ~(uint64_t)0);
    uint64_t y = r->has_constant ? r->constant : host_get(&in[1], i);
    uint64_t args[3] = {x, y, host_get(&in[2], i)}, choose[3] = {0, x, y};
    if (r->op == OP_CONVERT)
        return scalar_convert(r->type, t, x);
    if (r->op == OP_BITCAST)
        return scalar_wrap(r->type, x);
    choose[0] = scalar_eval(SOP_NE, t, args);
    return scalar_eval(r->op, t, r->op == SOP_SELECT ? choose : args);
}

static void report(const row *r, scalar t, const host_array in[3], uint32_t i, uint64_t want,
                   uint64_t got)
{
    printf("%s on %s: x = %llx y = %llx%s%s: %llx expected, %llx found\n", ir_op_info(r->op)->name,
           ir_scalar_name(t), (unsigned long long)host_get(&in[0], i),
           (unsigned long long)(r->has_constant ? r->constant : host_get(&in[1], i)),
           r->has_constant ? " (constant)" : "", r->halved ? " (x made non-negative)" : "",
           (unsigned long long)want, (unsigned long long)got);
}

static void check_row(bench *t, const row *r, scalar s, const host_array in[3],
                      const host_array *out)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        uint64_t want = expected(r, s, in, i), got = host_get(out, i);
        if (!agree(r->type, r->op, want, got) && bad++ < 3)
            report(r, s, in, i, want, got);
    }
    t->failures += bad != 0;
    t->checked++;
}

static void print_diagnostics(bench *t)
{
    for (uint32_t i = 0; i < t->cx.diags.all.len; i++) {
        vec_char text = {0};
        diag_format(&t->cx, &t->cx.diags.all.at[i], &text);
        printf("%s", text_cstr(&t->cx.mem, &text));
        vec_free(&t->cx.mem, &text);
    }
}

static bool run_program(bench *t, const k_program *p, const vec_char *code, const host_array *in,
                        host_array *out, uint32_t n)
{
    plan how = {0};
    run_code as = {.at = code->at,
                   .size = code->len,
                   .options = t->backend->dialects[0].options,
                   .target = t->backend->name};
    run_prepared *r = k_make_plan(p, &how) ? run_prepare(t->device, &how, &as) : NULL;
    bool ok = r && run_on_host(r, in, 3, out, n, NULL);
    run_prepared_free(r);
    plan_release(&how);
    return ok;
}

static bool run_rows(bench *t, const k_program *p, const row *rows, uint32_t n, scalar s)
{
    host_array in[3] = {{0}}, out[ROWS_MOST] = {{0}};
    vec_char code = {0};
    bool ok = fill(t, &in[0], s) && fill(t, &in[1], s) && fill(t, &in[2], s) &&
              backend_code(t->backend, &p, 1, &code) && run_program(t, p, &code, in, out, n);
    for (uint32_t i = 0; ok && i < n; i++) {
        check_row(t, &rows[i], s, in, &out[i]);
        host_free(&t->cx.mem, &out[i]);
    }
    for (uint32_t i = 0; i < 3; i++)
        host_free(&t->cx.mem, &in[i]);
    vec_free(&t->cx.mem, &code);
    return ok;
}

static void check_program(bench *t, const row *rows, uint32_t n, scalar s)
{
    k_program p;
    bool ok = k_init(&p, &t->cx) && make(t, &p, rows, n, s) && run_rows(t, &p, rows, n, s);
    k_release(&p);
    if (!ok) {
        printf("%s: the program could not be run\n", ir_scalar_name(s));
        print_diagnostics(t);
        t->failures++;
    }
}

/* Vulkan's devices see few buffers at once: each operator is a program there. */
static void check_rows(bench *t, const row *rows, uint32_t n, scalar s)
{
    uint32_t most = t->vulkan ? 1 : n;
    for (uint32_t i = 0; i < n; i += most)
        check_program(t, rows + i, most, s);
}

/* ---- what is applied to what ---- */

static bool takes(opcode op, scalar t)
{
    const op_info *info = ir_op_info(op);
    return info->name && scalar_accepts((operand_class)info->operands, t);
}

static void check_operators(bench *t, scalar s)
{
    row rows[ROWS_MOST];
    uint32_t n = 0;
    for (uint32_t op = 1; op < SOP_END; op++)
        if (takes((opcode)op, s))
            rows[n++] = (row){.op = (opcode)op, .type = ir_op_info(op)->result_bool ? ST_BOOL : s};
    check_rows(t, rows, n, s);
}

static void check_constants(bench *t, scalar s)
{
    static const opcode ops[] = {SOP_DIV, SOP_MOD,  SOP_QUOT, SOP_REM, SOP_SHL,
                                 SOP_SHR, SOP_LSHR, SOP_ROTL, SOP_MUL, SOP_SUB};
    row rows[ROWS_MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (uint32_t c = 0; c < 24; c++)
            rows[n++] = (row){.op = ops[i],
                              .type = s,
                              .has_constant = true,
                              .halved = c % 2,
                              .constant = edge_integer(s, c / 2)};
    check_rows(t, rows, n, s);
}

static void check_conversions(bench *t, scalar from)
{
    row rows[ROWS_MOST];
    uint32_t n = 0;
    for (uint32_t to = 1; to < ST_COUNT; to++) {
        if (to == from)
            continue;
        rows[n++] = (row){.op = OP_CONVERT, .type = (scalar)to};
        if (ir_scalar_bytes((scalar)to) == ir_scalar_bytes(from) && from != ST_BOOL &&
            to != ST_BOOL)
            rows[n++] = (row){.op = OP_BITCAST, .type = (scalar)to};
    }
    check_rows(t, rows, n, from);
}

static void check_all(bench *t)
{
    for (uint32_t s = 1; s < ST_COUNT; s++) {
        char c = ir_scalar_class((scalar)s);
        check_operators(t, (scalar)s);
        check_conversions(t, (scalar)s);
        if (c == 'I' || c == 'U')
            check_constants(t, (scalar)s);
    }
}

static bool is_there(bench *t, bool cpu)
{
    return cpu         ? run_cpu_is_there(&t->cx)
           : t->vulkan ? run_vulkan_count(&t->cx) > 0
                       : run_opencl_count(&t->cx) > 0;
}

int main(int argc, char **argv)
{
    bench t = {.random = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL)};
    bool cpu = argc > 1 && strcmp(argv[1], "cpu") == 0;
    bool spirv = argc > 1 && strcmp(argv[1], "spirv") == 0;
    t.vulkan = argc > 1 && strcmp(argv[1], "vulkan") == 0;
    uint32_t index = argc > 1 && !spirv ? (uint32_t)strtoul(argv[1], NULL, 0) : 0;
    printf("seed %llu\n", (unsigned long long)t.random);
    t.random = t.random * 2 + 1;
    bool ok = context_init(&t.cx, NULL, NULL) && ir_module_init(&t.module, &t.cx);
    if (ok && !is_there(&t, cpu)) {
        printf("skipped: no %s\n", cpu        ? "C compiler"
                                   : t.vulkan ? "Vulkan device"
                                              : "OpenCL device");
    } else if (ok && (t.device = cpu        ? run_cpu_open(&t.cx)
                                 : t.vulkan ? run_vulkan_open(&t.cx, 0)
                                            : run_opencl_open(&t.cx, index)) != NULL) {
        t.backend = backend_named(NULL, spirv ? "spirv-opencl" : run_device_caps(t.device).target);
        check_all(&t);
        run_close(t.device);
        printf("%u operators on types checked, %u failed\n", t.checked, t.failures);
    } else {
        print_diagnostics(&t);
        t.failures++;
    }
    ir_module_release(&t.module);
    context_release(&t.cx);
    return t.failures != 0;
}
