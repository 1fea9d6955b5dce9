/* serialize/: hostile texts.  No input, however wrong, costs more than its size, and no failure of
 * the allocator more than an error. */
#include "tests/unit/text_world.h"

Suite *text_hostile_suite(void);

enum { FLOOD_SIZE = 10 << 20 };

/* head, then `unit` again and again up to 10 MB: one error with the code. */
static void flood(const char *head, const char *unit, unsigned code)
{
    size_t n = strlen(head), u = strlen(unit), size = n + FLOOD_SIZE / u * u;
    char *text = malloc(size + 1);
    world w;
    memcpy(text, head, n);
    for (size_t i = n; i < size; i += u)
        memcpy(text + i, unit, u);
    read_bytes(&w, text, size);
    ck_assert_msg(w.cx.diags.errors == 1, "%.40s%s: %u errors", head, unit, w.cx.diags.errors);
    ck_assert_msg((unsigned)w.cx.diags.all.at[0].code == code, "%.40s%s: E%04u", head, unit,
                  (unsigned)w.cx.diags.all.at[0].code);
    close_world(&w);
    free(text);
}

START_TEST(deep_nesting_is_one_error)
{
    static const char *const heads[] = {"",
                                        HEAD,
                                        HEAD "fun @f(%x: ",
                                        HEAD "fun @f(%x: int) -> int {\n",
                                        HEAD "fun @f(%x: int) -> int {\n  %y: ",
                                        HEAD "fun @f(%x: int) -> int {\n  %y = add %x, "};
    static const char *const units[] = {"(", "[", "{"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            flood(heads[i], units[k], 902);
    flood(HEAD "fun @f(%x: int) -> int {\n", "%a = if true { ", 902);
    flood(HEAD "fun @f(%x: ", "int -> ", 902);
    flood(HEAD "fun @f(%x: ", "<l> -> ", 902);
    flood(HEAD "fun @f(%x: ", "forall 'a. ", 902);
}
END_TEST

START_TEST(long_input_is_read_in_linear_time)
{
    flood(HEAD "fun @f(%x: [int]<", "1+", 109);
    flood(HEAD "fun @f(%x: (", "int, ", 109);
    flood(HEAD "fun @f(%x: int) -> int {\n  %y = array ", "%x, ", 109);
    flood(HEAD "fun @f(%x: int) -> int {\n  %y = call @f<", "int, ", 109);
    flood(HEAD "import \"", "\\n", 105);
    flood("", "\n", 102);
    flood("// ", "x", 102);
}
END_TEST

START_TEST(truncated_texts_are_refused)
{
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++) {
        size_t n = strlen(canonical[i]);
        for (size_t size = 0; size < n; size++) {
            world w;
            char *copy = malloc(size ? size : 1); /* so that reading past its end is seen */
            memcpy(copy, canonical[i], size);
            read_bytes(&w, copy, size);
            close_world(&w);
            free(copy);
        }
    }
}
END_TEST

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Samples with pieces of samples copied over them, and bytes changed; what is accepted must be a
 * fixpoint. */
static void mutate(uint32_t *seed)
{
    size_t count = sizeof canonical / sizeof *canonical;
    const char *base = canonical[next_random(seed) % count];
    size_t n = strlen(base);
    char *text = malloc(n + 1);
    memcpy(text, base, n + 1);
    for (uint32_t k = next_random(seed) % 6; k > 0; k--) {
        const char *from = canonical[next_random(seed) % count];
        size_t at = next_random(seed) % n, m = strlen(from), start = next_random(seed) % m,
               len = next_random(seed) % 12;
        len = len < n - at ? len : n - at;
        memcpy(text + at, from + start, len < m - start ? len : m - start);
    }
    if (next_random(seed) % 4 == 0)
        text[next_random(seed) % n] = (char)(next_random(seed) & 255);
    world w;
    read_bytes(&w, text, n);
    bool ok = w.ok;
    close_world(&w);
    if (ok && strlen(text) == n)
        free(round_trip(text));
    free(text);
}

START_TEST(random_texts_do_no_harm)
{
    const char *given = getenv("FCL_TEST_SEED");
    uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : 20240229, start = seed;
    for (int i = 0; i < 4000; i++) {
        uint32_t now = seed;
        mutate(&seed);
        ck_assert_msg(seed != now, "seed %u", start);
    }
    static const char common[] = " \n%@'(){}[]<>,:;=.+-01xe\"\\ab/";
    for (int i = 0; i < 300; i++) {
        char bytes[200];
        world w;
        for (size_t k = 0; k < sizeof bytes; k++) {
            uint32_t x = next_random(&seed);
            bytes[k] = i % 2 ? (char)(x & 255) : common[x % (sizeof common - 1)];
        }
        read_bytes(&w, bytes, sizeof bytes);
        close_world(&w);
    }
}
END_TEST

/* ---- memory ---- */

typedef struct failing {
    size_t calls, fail_at;
} failing;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing *f = user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return ++f->calls >= f->fail_at ? NULL : realloc(ptr, new_size);
}

/* The whole way with an allocator that fails from its k-th call on; false when it was not needed
 * that often. */
static bool fails_at(size_t k, const char *text)
{
    failing f = {.fail_at = k};
    fcl_context cx;
    ir_module m;
    vec_char out = {0};
    bool ok = context_init(&cx, failing_realloc, &f) && ir_module_init(&m, &cx);
    if (ok) {
        ok = text_read(&m, "t.fclir", text, strlen(text), find_file, NULL) && text_write(&m, &out);
        ck_assert(ok == (f.calls < k));
        ck_assert(context_ok(&cx) == ok);
        vec_free(&cx.mem, &out);
        ir_module_release(&m);
    } else if (cx.strings.strs.len && cx.strings.lens.len) {
        ir_module_release(&m);
    }
    context_release(&cx);
    return !ok;
}

START_TEST(running_out_of_memory_is_an_error)
{
    static const char good[] = HEAD
        "import \"left\"\nfun @f<'a, l>(%x: int, %y: [('a, int)]<l>) -> int {\n"
        "  %z = map %y { (%e) %g = fn<'b> { (%q: 'b) yield %q } yield %e }\n  %w = call @left(%x)\n"
        "  return %w\n}\n";
    for (size_t k = 3; fails_at(k, good); k++)
        ck_assert(k < 10000);
}
END_TEST

Suite *text_hostile_suite(void)
{
    Suite *s = suite_create("text_hostile");
    TCase *c = tcase_create("hostile");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, deep_nesting_is_one_error);
    tcase_add_test(c, long_input_is_read_in_linear_time);
    tcase_add_test(c, truncated_texts_are_refused);
    tcase_add_test(c, random_texts_do_no_harm);
    tcase_add_test(c, running_out_of_memory_is_an_error);
    suite_add_tcase(s, c);
    return s;
}
