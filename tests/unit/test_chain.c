/* Compiling chains: every way of keeping records, with memory that runs out. */
#include "libfcl/fcl.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Sums and products beside one another, of the type that T stands for. */
static const char pairs[] = "fcl 0.1\n"
                            "kernel @main(%xs: [T]) -> [(T, T)]<grid> {\n"
                            "  %n = length %xs\n"
                            "  %zero = convert<T> 0\n"
                            "  %one = convert<T> 1\n"
                            "  %z = tuple %zero, %one\n"
                            "  %p = chain %n, 8, %z { (%k)\n"
                            "    %at = mul %k, 8\n"
                            "    %left = sub %n, %at\n"
                            "    %size = min 8, %left\n"
                            "    %x = index %xs, %at\n"
                            "    %s = tuple %x, %x\n"
                            "    %own = tuple %s, %size\n"
                            "    yield %own\n"
                            "  } { (%x, %y)\n"
                            "    %x0 = proj %x, 0\n"
                            "    %x1 = proj %x, 1\n"
                            "    %y0 = proj %y, 0\n"
                            "    %y1 = proj %y, 1\n"
                            "    %s = add %x0, %y0\n"
                            "    %t = mul %x1, %y1\n"
                            "    %both = tuple %s, %t\n"
                            "    yield %both\n"
                            "  } { (%k, %look)\n"
                            "    %j = sub %k, 1\n"
                            "    %r = apply %look, %j\n"
                            "    %x = proj %r, 1\n"
                            "    yield %x\n"
                            "  } { (%k, %before, %size)\n"
                            "    %ys = generate %size { (%i)\n"
                            "      yield %before\n"
                            "    }\n"
                            "    %q = push<block> %ys\n"
                            "    yield %q\n"
                            "  }\n"
                            "  return %p\n"
                            "}\n";

/* Arrays of two sums: a record for each place. */
static const char places[] = "fcl 0.5\n"
                             "kernel @main(%xs: [T]) -> [T]<grid> {\n"
                             "  %n = length %xs\n"
                             "  %zero = convert<T> 0\n"
                             "  %zs = generate 2 { (%i)\n"
                             "    yield %zero\n"
                             "  }\n"
                             "  %p = chain %n, 8, %zs { (%k)\n"
                             "    %at = mul %k, 8\n"
                             "    %left = sub %n, %at\n"
                             "    %size = min 8, %left\n"
                             "    %x = index %xs, %at\n"
                             "    %own = generate 2 { (%i)\n"
                             "      yield %x\n"
                             "    }\n"
                             "    %both = tuple %own, %size\n"
                             "    yield %both\n"
                             "  } { (%x, %y)\n"
                             "    %s = add %x, %y\n"
                             "    yield %s\n"
                             "  } { (%k, %look)\n"
                             "    %j = sub %k, 1\n"
                             "    %part = apply %look, %j\n"
                             "    %sums = generate 2 { (%i)\n"
                             "      %r = apply %part, %i\n"
                             "      %x = proj %r, 1\n"
                             "      yield %x\n"
                             "    }\n"
                             "    %q = push<block> %sums\n"
                             "    %before = force %q\n"
                             "    yield %before\n"
                             "  } { (%k, %before, %size)\n"
                             "    %ys = generate %size { (%i)\n"
                             "      %place = mod %i, 2\n"
                             "      %y = index %before, %place\n"
                             "      yield %y\n"
                             "    }\n"
                             "    %q = push<block> %ys\n"
                             "    yield %q\n"
                             "  }\n"
                             "  return %p\n"
                             "}\n";

typedef struct counting {
    size_t bytes, calls, fail_at; /* fail_at 0: never */
} counting;

static void *allocate(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counting *c = user;
    if (new_size && ++c->calls == c->fail_at)
        return NULL;
    void *fresh = new_size ? realloc(ptr, new_size) : NULL;
    if (!new_size)
        free(ptr);
    c->bytes += new_size - old_size;
    return fresh;
}

/* The text with the type in place of T. */
static fcl_module *load(fcl_context *cx, const char *text, const char *type)
{
    char program[4096];
    size_t n = 0;
    for (const char *s = text; *s; s++) {
        bool hole = *s == 'T';
        memcpy(program + n, hole ? type : s, hole ? strlen(type) : 1);
        n += hole ? strlen(type) : 1;
    }
    fcl_module *m = fcl_module_load(cx, "test", program, n, NULL);
    ck_assert(m && fcl_module_check(m));
    return m;
}

/* The code for a type, to be freed. */
static char *code_of(const char *text, const char *type, const fcl_compile_options *o)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = load(cx, text, type);
    fcl_artifact *a = fcl_compile(m, o);
    size_t size;
    ck_assert(a);
    const char *code = fcl_artifact_code(a, &size);
    char *copy = calloc(size + 1, 1);
    memcpy(copy, code, size);
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return copy;
}

static uint32_t occurrences(const char *code, const char *what)
{
    uint32_t n = 0;
    for (; (code = strstr(code, what)); code++)
        n++;
    return n;
}

/* A definition of the helper, and a call for each word of both summaries of the pair. */
static void stores(const char *type, const fcl_compile_options *o, uint32_t words)
{
    char *code = code_of(pairs, type, o);
    ck_assert_uint_eq(occurrences(code, "fcl_store32("), words ? 1 + 2 * words : 0);
    ck_assert_uint_eq(occurrences(code, "fcl_release32("), words ? 3 : 0);
    ck_assert_uint_eq(occurrences(code, "fcl_load32("), words ? 1 + 2 * words : 0);
    free(code);
}

START_TEST(words_of_every_width)
{
    fcl_compile_options o = {0}, phases = {.in_phases = 1};
    stores("i8", &o, 2);
    stores("u16", &o, 2);
    stores("int", &o, 2);
    stores("f32", &o, 2);
    stores("i64", &o, 4);
    stores("u64", &o, 4);
    stores("double", &o, 4);
    stores("double", &phases, 0);
}
END_TEST

static void survives(const char *text, fcl_compile_options o)
{
    bool done = false;
    for (size_t k = 1; !done; k++) {
        counting c = {0};
        fcl_context *cx = fcl_context_create(allocate, &c);
        fcl_module *m = load(cx, text, "double");
        c.fail_at = c.calls + k;
        fcl_artifact *a = fcl_compile(m, &o);
        done = a && c.calls < c.fail_at;
        c.fail_at = 0;
        ck_assert(done || fcl_diagnostic_count(cx) > 0);
        fcl_artifact_destroy(a);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
        ck_assert_uint_eq(c.bytes, 0);
        ck_assert_uint_lt(k, 10000);
    }
}

/* A record of one word each, of which an int needs half; one of words each. */
START_TEST(records_of_places)
{
    fcl_compile_options o = {0}, phases = {.in_phases = 1};
    char *whole = code_of(places, "int", &o), *words = code_of(places, "i64", &o),
         *launches = code_of(places, "int", &phases);
    ck_assert_uint_eq(occurrences(whole, "fcl_store64("), 3);
    ck_assert_uint_eq(occurrences(whole, "fcl_load64("), 2);
    ck_assert_uint_eq(occurrences(words, "fcl_store32("), 5);
    ck_assert_uint_eq(occurrences(words, "fcl_release32("), 3);
    ck_assert_uint_eq(occurrences(launches, "fcl_store64("), 0);
    free(whole);
    free(words);
    free(launches);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    survives(pairs, (fcl_compile_options){0});
    survives(pairs, (fcl_compile_options){.in_phases = 1});
    survives(pairs, (fcl_compile_options){.groups = 3});
    survives(places, (fcl_compile_options){0});
    survives(places, (fcl_compile_options){.in_phases = 1});
}
END_TEST

Suite *chain_suite(void);
Suite *chain_suite(void)
{
    Suite *s = suite_create("chain");
    TCase *t = tcase_create("chain");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, words_of_every_width);
    tcase_add_test(t, records_of_places);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
