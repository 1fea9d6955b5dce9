/* Functions of C11 for the host's arithmetic (backends/c/function.c): all of them, compiled by the
 * system's compiler, against what the library computes, on numbers at the ends of their types. */
#define _XOPEN_SOURCE 700
#include "backends/c/function.h"
#include "ir/scalar/scalar.h"

#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *function_suite(void);

enum { MOST = 4000, NUMBERS = 12 };

/* A step, by itself in a plan. */
typedef struct arithmetic {
    uint32_t step;
    scalar takes[3], gives;
    int operands;
} arithmetic;

static fcl_context cx;
static plan p;
static arithmetic all[MOST];
static uint32_t count;
static char folder[] = "/tmp/fcl-function-XXXXXX";

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(plan_init(&p, &cx));
    count = 0;
}

static void teardown(void)
{
    plan_release(&p);
    context_release(&cx);
}

static void add(plan_step s, scalar gives, const scalar *takes, int n)
{
    arithmetic a = {.gives = gives, .operands = n};
    ck_assert_uint_lt(count, MOST);
    for (int i = 0; i < n; i++) {
        a.takes[i] = takes[i];
        s.args[i] = plan_add_value(&p, takes[i]);
    }
    s.gives = plan_add_value(&p, gives);
    s.ngives = 1;
    a.step = plan_add_step(&p, PLAN_WHOLE, &s);
    all[count++] = a;
}

static void add_operators(void)
{
    for (uint32_t op = 1; op < SOP_END; op++)
        for (uint32_t t = 1; t < ST_COUNT; t++) {
            const op_info *info = ir_op_info(op);
            scalar takes[3] = {op == SOP_SELECT ? ST_BOOL : (scalar)t, (scalar)t, (scalar)t};
            if (info->name && scalar_accepts((operand_class)info->operands, (scalar)t))
                add((plan_step){.op = PLAN_COMPUTE, .opcode = (uint16_t)op},
                    info->result_bool ? ST_BOOL : (scalar)t, takes, info->min_args);
        }
}

static void add_conversions(void)
{
    for (uint32_t from = 1; from < ST_COUNT; from++)
        for (uint32_t to = 1; to < ST_COUNT; to++) {
            scalar takes[1] = {(scalar)from};
            add((plan_step){.op = PLAN_CONVERT}, (scalar)to, takes, 1);
            if (ir_scalar_bytes((scalar)from) == ir_scalar_bytes((scalar)to) && from != ST_BOOL &&
                to != ST_BOOL)
                add((plan_step){.op = PLAN_BITCAST}, (scalar)to, takes, 1);
        }
}

/* The type of a value in C, and of the integer that has its bits. */
static void type_name(scalar t, char *out, size_t size)
{
    char class = ir_scalar_class(t);
    if (class == 'B')
        snprintf(out, size, "bool");
    else if (class == 'F' && ir_scalar_bytes(t) > 2)
        snprintf(out, size, ir_scalar_bytes(t) == 4 ? "float" : "double");
    else
        snprintf(out, size, "%sint%u_t", class == 'I' ? "" : "u", 8 * ir_scalar_bytes(t));
}

/* uint64_t call_N(const uint64_t *x), which takes and gives bits. */
static void put_call(FILE *f, uint32_t i, const arithmetic *a)
{
    char type[20];
    fprintf(f, "uint64_t call_%u(const uint64_t *x);\nuint64_t call_%u(const uint64_t *x)\n{\n", i,
            i);
    for (int k = 0; k < a->operands; k++) {
        type_name(a->takes[k], type, sizeof type);
        fprintf(f, "    %s x%d;\n    memcpy(&x%d, &x[%d], sizeof x%d);\n", type, k, k, k, k);
    }
    type_name(a->gives, type, sizeof type);
    fprintf(f, "    %s y = f%u(", type, i);
    for (int k = 0; k < a->operands; k++)
        fprintf(f, "%sx%d", k ? ", " : "", k);
    fprintf(f, ");\n");
    if (ir_scalar_is_float(a->gives) && ir_scalar_bytes(a->gives) > 2)
        fprintf(f,
                "    uint64_t bits = 0;\n    memcpy(&bits, &y, sizeof y);\n    return bits;\n}\n");
    else
        fprintf(f, "    return (uint64_t)y;\n}\n");
}

/* What the compiler says is a failure, too; a small type is what C would promote. */
static void *compile(void)
{
    char source[100], command[400], library[100];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/f.c", folder);
    snprintf(library, sizeof library, "%s/f.so", folder);
    FILE *f = fopen(source, "w");
    ck_assert_ptr_nonnull(f);
    fputs("#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n#include <tgmath.h>\n",
          f);
    for (uint32_t i = 0; i < count; i++) {
        vec_char text = {0};
        char name[20];
        snprintf(name, sizeof name, "f%u", i);
        ck_assert(c_put_function(&p, plan_step_at(&p, all[i].step), name, &text));
        fwrite(text.at, 1, text.len, f);
        vec_free(&cx.mem, &text);
        put_call(f, i, &all[i]);
    }
    fclose(f);
    snprintf(command, sizeof command,
             "${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "
             "-fsyntax-only %s",
             source);
    ck_assert_int_eq(system(command), 0);
    snprintf(command, sizeof command,
             "${CC:-cc} -std=c11 -O1  "
             "-fsanitize=undefined -fsanitize-undefined-trap-on-error -ffp-contract=off -fPIC "
             "-shared -o %s %s -lm",
             library, source);
    ck_assert_int_eq(system(command), 0);
    void *made = dlopen(library, RTLD_NOW);
    ck_assert_msg(made != NULL, "%s", dlerror());
    unlink(library);
    unlink(source);
    rmdir(folder);
    return made;
}

static uint64_t number(scalar t, unsigned i)
{
    static const double reals[NUMBERS] = {0,    -0.0,          1,     -1,  0.5,      -2.5,
                                          1e30, -3000000000.0, 65519, NAN, INFINITY, 6e-8};
    static const uint64_t bits[NUMBERS] = {0,
                                           1,
                                           UINT64_MAX,
                                           2,
                                           3,
                                           7,
                                           31,
                                           64,
                                           0x8000000080008080,
                                           0x7fffffff7fff7f7f,
                                           0x123456789abcdef0,
                                           UINT64_MAX - 6};
    return ir_scalar_is_float(t) ? scalar_from_double(t, reals[i]) : scalar_wrap(t, bits[i]);
}

static bool is_nan(scalar t, uint64_t bits)
{
    return ir_scalar_is_float(t) && isnan(scalar_as_double(t, bits));
}

static void compare(const arithmetic *a, uint64_t (*call)(const uint64_t *), const unsigned *which)
{
    const plan_step *s = plan_step_at(&p, a->step);
    uint64_t x[3] = {0}, *values = calloc(p.values.len, sizeof *values);
    for (int k = 0; k < a->operands; k++)
        values[s->args[k]] = x[k] = number(a->takes[k], which[k]);
    uint64_t want = plan_compute(&p, s, values), got = call(x);
    ck_assert_msg(want == got || (is_nan(a->gives, want) && is_nan(a->gives, got)),
                  "%s of %s to %s: %llx, %llx, %llx give %llx, not %llx",
                  s->op == PLAN_COMPUTE ? ir_op_info(s->opcode)->name : plan_op_info(s->op)->name,
                  ir_scalar_name(a->takes[0]), ir_scalar_name(a->gives), (unsigned long long)x[0],
                  (unsigned long long)x[1], (unsigned long long)x[2], (unsigned long long)got,
                  (unsigned long long)want);
    free(values);
}

START_TEST(functions_compute_what_the_library_does)
{
    add_operators();
    add_conversions();
    ck_assert_uint_gt(count, 500);
    void *library = compile();
    for (uint32_t i = 0; i < count; i++) {
        char name[20];
        uint64_t (*call)(const uint64_t *);
        snprintf(name, sizeof name, "call_%u", i);
        *(void **)&call = dlsym(library, name);
        ck_assert(call != NULL);
        unsigned turns = all[i].operands > 1 ? NUMBERS * NUMBERS : NUMBERS;
        for (unsigned k = 0; k < turns; k++)
            compare(&all[i], call,
                    (unsigned[3]){k % NUMBERS, k / NUMBERS, (k + k / NUMBERS) % NUMBERS});
    }
    dlclose(library);
}
END_TEST

START_TEST(other_steps_have_none)
{
    vec_char text = {0};
    uint32_t step = plan_add_step(&p, PLAN_WHOLE, &(plan_step){.op = PLAN_CONST, .bits = 1});
    ck_assert(c_put_function(&p, plan_step_at(&p, step), "f", &text));
    ck_assert_uint_eq(text.len, 0);
}
END_TEST

Suite *function_suite(void)
{
    Suite *s = suite_create("function");
    TCase *t = tcase_create("function");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, functions_compute_what_the_library_does);
    tcase_add_test(t, other_steps_have_none);
    suite_add_tcase(s, t);
    return s;
}
