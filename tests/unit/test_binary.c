/* serialize/: the binary form.  What is written is read back as it was, in the same bytes; what is
 * damaged is refused, with a code, in time and memory that fit its size. */
#include "ir/check/check.h"
#include "serialize/binary/binary.h"
#include "serialize/coding/base64.h"
#include "serialize/coding/pack.h"
#include "serialize/coding/crc32.h"
#include "serialize/coding/sha256.h"
#include "tests/unit/text_world.h"

Suite *binary_suite(void);

typedef struct bytes {
    char *at;
    size_t n;
} bytes;

/* The module's file; freed by the caller. */
static bytes file_of(world *w)
{
    vec_char out = {0};
    bool ok = binary_write(&w->m, FORMAT_VERSION, "test", &out);
    show_diags(w);
    ck_assert(ok);
    bytes b = {.at = malloc(out.len), .n = out.len};
    memcpy(b.at, out.at, out.len);
    vec_free(&w->cx.mem, &out);
    return b;
}

static void read_file(world *w, bytes b)
{
    open_world(w);
    w->ok = binary_read(&w->m, "t.fclb", b.at, b.n, find_file, NULL);
    ck_assert(w->ok == (w->cx.diags.errors == 0));
}

static bytes file_of_text(const char *text)
{
    world w;
    read_text(&w, text);
    show_diags(&w);
    ck_assert(w.ok);
    bytes b = file_of(&w);
    close_world(&w);
    return b;
}

static void expect_same_bytes(bytes x, bytes y)
{
    ck_assert_uint_eq(x.n, y.n);
    ck_assert_mem_eq(x.at, y.at, x.n);
}

/* ---- what is right ---- */

/* Everything that the sections hold at once. */
static const char everything[] =
    HEAD "\nimport \"lib\"\n"
         "\nmodule attr(\"made by\" = \"a test\", \"n\" = -1)\n"
         "\nfun @g<'a: BT, 'b, l>(%f: <l1> -> 'b -> ('a, [int;2]<1+l>), %x: 'a) -> forall 't: GT. "
         "'t -> 'a "
         "loc(\"a\":1:2) attr(\"k\" = 1) {\n"
         "  %h = fn<'c, m> { (%y: 'c)\n    %z: ['c]<m> = call @g<'c, 'a, m>(%y, %x) "
         "loc(\"a\":70000:8)\n    yield %z\n "
         " } loc(\"b\":3:4)\n"
         "  %i = call @inc(1)\n  %q = func @inc\n  %l = lapply<1+grid> %f\n"
         "  %c = array 1i64, 255u8, -128i8, 0.1f32, nanf32, 18446744073709551615u64, true, 1.5, "
         "-7, 1.5, -7\n"
         "  %t = convert<double> %i attr(\"t\" = \"\")\n"
         "  %w = if true {\n    yield 0\n  } {\n    %x1 = neg 0.5\n    yield %x1\n  }\n"
         "  return %w loc(\"a\":3:0) attr(\"a\" = 9223372036854775807, \"b\" = "
         "-9223372036854775808)\n}\n"
         "\nsection \"x\" \"AAEC\"\nsection \"x\" \"\"\n";

static void expect_round_trip(const char *text)
{
    world w;
    bytes once = file_of_text(text);
    read_file(&w, once);
    show_diags(&w);
    ck_assert(w.ok);
    char *back = written(&w);
    ck_assert_str_eq(back, text);
    bytes twice = file_of(&w), thrice = file_of_text(back);
    expect_same_bytes(once, twice);
    expect_same_bytes(once, thrice);
    free(once.at);
    free(twice.at);
    free(thrice.at);
    free(back);
    close_world(&w);
}

START_TEST(canonical_text_comes_back)
{
    expect_round_trip(canonical[_i]);
}
END_TEST

START_TEST(everything_comes_back)
{
    expect_round_trip(everything);
}
END_TEST

static bool has_section(bytes b, const char *name)
{
    for (size_t i = 0; i + strlen(name) < b.n; i++)
        if (memcmp(b.at + i, name, strlen(name)) == 0)
            return true;
    return false;
}

START_TEST(numbers_are_no_names)
{
    expect_round_trip(BODY("  %0 = neg %x\n  %1 = neg %0\n  return %1\n"));
    expect_round_trip(BODY("  %1 = neg %x\n  %0 = neg %1\n  return %0\n"));
    expect_round_trip(BODY("  %0 = neg %x\n  %2 = neg %0\n  return %2\n"));
    bytes named = file_of_text(HEAD "fun @f(%x: int) -> int { %y = neg %x return %y }");
    bytes numbered = file_of_text(HEAD "fun @f(%0: int) -> int { %1 = neg %0 return %1 }");
    bytes unnamed = file_of_text(HEAD "fun @f(%0: int) -> int { neg %0 return 1 }");
    ck_assert(has_section(named, "names"));
    ck_assert(!has_section(numbered, "names"));
    ck_assert(!has_section(unnamed, "names"));
    free(named.at);
    free(numbered.at);
    free(unnamed.at);
}
END_TEST

/* A front end may use a name twice; the text form then changes the second. */
START_TEST(clashing_names_are_those_of_the_text)
{
    world w, again;
    read_text(&w, BODY("  %y = neg %x\n  %z = neg %y\n  return %z\n"));
    ir_value_at(&w.m, ir_op_at(&w.m, 2)->result)->name =
        ir_value_at(&w.m, ir_op_at(&w.m, 1)->result)->name;
    bytes b = file_of(&w);
    char *text = written(&w);
    ck_assert_ptr_nonnull(strstr(text, "%y.1 = neg %y"));
    read_text(&again, text);
    bytes b2 = file_of(&again);
    expect_same_bytes(b, b2);
    free(b.at);
    free(b2.at);
    free(text);
    close_world(&w);
    close_world(&again);
}
END_TEST

static void hash_of(const char *text, unsigned char digest[32])
{
    world w;
    read_text(&w, text);
    ck_assert(binary_hash(&w.m, digest));
    close_world(&w);
}

START_TEST(a_hash_is_of_the_meaning)
{
    unsigned char x[32], same[32], other[32];
    hash_of(BODY("  %y = neg %x\n  return %y\n"), x);
    hash_of(HEAD "module attr(\"a\" = 1) fun @f(%0: int, %1: [int]) -> int attr(\"b\" = \"c\") {\n"
                 "%q = neg %0 loc(\"z\":1:1)\n return %q } section \"s\" \"\"",
            same);
    hash_of(BODY("  %y = abs %x\n  return %y\n"), other);
    ck_assert_mem_eq(x, same, 32);
    ck_assert_mem_ne(x, other, 32);
}
END_TEST

static bool one_more(void *user, const char *name, const char **text, size_t *size)
{
    (void)name;
    *text = user;
    *size = strlen(user);
    return true;
}

static void hash_with(const char *library, const char *uses, unsigned char digest[32])
{
    char text[200];
    fcl_context cx;
    ir_module m;
    int n =
        snprintf(text, sizeof text,
                 "fcl 0.1 import \"lib\" fun @f(%%x: int) -> int { %%y = %s return %%y }", uses);
    ck_assert(context_init(&cx, NULL, NULL) && ir_module_init(&m, &cx));
    ck_assert(text_read(&m, "t.fclir", text, (size_t)n, one_more, (void *)(uintptr_t)library));
    ck_assert(binary_hash(&m, digest));
    ir_module_release(&m);
    context_release(&cx);
}

#define LIBRARY(inner, other)                                                                      \
    "fcl 0.1 fun @g(%x: int) -> int { %y = call @h(%x) return %y } "                               \
    "fun @h(%x: int) -> int { %y = " inner " %x return %y } "                                      \
    "fun @unused(%x: int) -> int { %y = " other " %x return %y }"

/* What is called, however far away, and nothing else. */
START_TEST(a_hash_takes_in_what_imports_mean)
{
    unsigned char x[32], same[32], inner[32], none[32], nothing[32];
    hash_with(LIBRARY("neg", "neg"), "call @g(%x)", x);
    hash_with(LIBRARY("neg", "abs"), "call @g(%x)", same);
    hash_with(LIBRARY("abs", "neg"), "call @g(%x)", inner);
    ck_assert_mem_eq(x, same, 32);
    ck_assert_mem_ne(x, inner, 32);
    hash_with(LIBRARY("neg", "neg"), "neg %x", none);
    hash_of("fcl 0.1 fun @f(%x: int) -> int { %y = neg %x return %y }", nothing);
    ck_assert_mem_eq(none, nothing, 32);
}
END_TEST

START_TEST(known_sums)
{
    unsigned char digest[32];
    sha256 h;
    ck_assert_uint_eq(crc32_of("123456789", 9), 0xcbf43926u);
    char long_text[10007];
    for (size_t i = 0; i < sizeof long_text; i++)
        long_text[i] = (char)(i * 31 + i / 7);
    uint32_t crc = UINT32_MAX; /* bit by bit */
    for (size_t i = 0; i < sizeof long_text; i++) {
        crc ^= (unsigned char)long_text[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    ck_assert_uint_eq(crc32_of(long_text, sizeof long_text), ~crc);
    sha256_init(&h);
    sha256_add(&h, "abc", 3);
    sha256_end(&h, digest);
    ck_assert_mem_eq(digest,
                     "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23\xb0\x03\x61"
                     "\xa3\x96\x17\x7a\x9c"
                     "\xb4\x10\xff\x61\xf2\x00\x15\xad",
                     32);
    sha256_init(&h);
    sha256_add(&h, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    sha256_end(&h, digest);
    ck_assert_mem_eq(digest,
                     "\x24\x8d\x6a\x61\xd2\x06\x38\xb8\xe5\xc0\x26\x93\x0c\x3e\x60\x39\xa3\x3c\xe4"
                     "\x59\x64\xff\x21\x67"
                     "\xf6\xec\xed\xd4\x19\xdb\x06\xc1",
                     32);
}
END_TEST

START_TEST(base_64)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    static const char *const pairs[][2] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe\xfd\xfc", "//79/A=="}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        vec_char code = {0}, back = {0};
        ck_assert(base64_encode(&cx.mem, pairs[i][0], strlen(pairs[i][0]), &code));
        ck_assert_str_eq(text_cstr(&cx.mem, &code), pairs[i][1]);
        ck_assert(base64_decode(&cx.mem, code.at, code.len, &back));
        ck_assert_str_eq(text_cstr(&cx.mem, &back), pairs[i][0]);
        vec_free(&cx.mem, &code);
        vec_free(&cx.mem, &back);
    }
    static const char *const wrong[] = {
        "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Z g=", "Zm9v!", "Zm9\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vec_char back = {0};
        ck_assert(!base64_decode(&cx.mem, wrong[i], strlen(wrong[i]), &back));
        vec_free(&cx.mem, &back);
    }
    context_release(&cx);
}
END_TEST

/* ---- what is damaged ---- */

static void put_checksum(bytes b)
{
    uint32_t crc = crc32_of(b.at, b.n - 5);
    for (int i = 0; i < 4; i++)
        b.at[b.n - 4 + (size_t)i] = (char)(crc >> (24 - 8 * i));
}

/* The code of the only error that a file has; 0: none. */
static unsigned code_of(bytes b)
{
    world w;
    read_file(&w, b);
    unsigned code = w.ok ? 0 : (unsigned)w.cx.diags.all.at[0].code;
    ck_assert(w.ok || w.cx.diags.errors >= 1);
    close_world(&w);
    return code;
}

/* Whatever is made of a damaged file can be written in both forms, or is refused. */
static bool survive(bytes b)
{
    world w;
    vec_char out = {0};
    read_file(&w, b);
    bool ok = w.ok;
    if (ok) {
        bool writable = binary_write(&w.m, FORMAT_VERSION, "test", &out);
        show_diags(&w);
        ck_assert(writable);
        free(written(&w));
    }
    vec_free(&w.cx.mem, &out);
    close_world(&w);
    return ok;
}

START_TEST(a_file_is_cut_at_every_byte)
{
    bytes b = file_of_text(everything);
    for (size_t n = 0; n < b.n; n++) {
        char *copy = malloc(n + 1); /* so that reading beyond the end is seen */
        memcpy(copy, b.at, n);
        unsigned code = code_of((bytes){copy, n});
        ck_assert_uint_ge(code, 120);
        ck_assert_uint_le(code, 122);
        free(copy);
    }
    free(b.at);
}
END_TEST

START_TEST(every_changed_byte_is_noticed)
{
    bytes b = file_of_text(everything);
    for (size_t i = 0; i < b.n; i++) {
        b.at[i] = (char)(b.at[i] ^ (1 << i % 8));
        ck_assert_uint_ne(code_of(b), 0);
        b.at[i] = (char)(b.at[i] ^ (1 << i % 8));
    }
    ck_assert_uint_eq(code_of(b), 0);
    free(b.at);
}
END_TEST

/* The same, with a checksum that fits: each byte becomes every other one. */
START_TEST(every_byte_may_be_anything)
{
    bytes b = file_of_text(everything);
    size_t step = _i ? 1 : 17;
    for (size_t i = 0; i + 5 < b.n; i++) {
        char was = b.at[i];
        for (size_t x = 0; x < 256; x += step) {
            b.at[i] = (char)x;
            put_checksum(b);
            survive(b);
        }
        b.at[i] = was;
    }
    free(b.at);
}
END_TEST

static uint32_t next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

/* Changes, removes or repeats a few bytes. */
static bytes mutate(bytes b, uint32_t *seed)
{
    bytes m = {.at = malloc(b.n + 64), .n = b.n};
    memcpy(m.at, b.at, b.n);
    for (uint32_t k = next_random(seed) % 4 + 1; k--;) {
        size_t body = m.n - 5, at = next_random(seed) % body, len = next_random(seed) % 16;
        switch (next_random(seed) % 4) {
        case 0: m.at[at] = (char)next_random(seed); break;
        case 1: m.at[at] = (char)(m.at[at] + 1 - (int)(next_random(seed) % 3)); break;
        case 2:
            if (at + len < body && m.n > 100) {
                memmove(m.at + at, m.at + at + len, m.n - at - len);
                m.n -= len;
            }
            break;
        default:
            if (at + len < body && m.n + len < b.n + 64) {
                memmove(m.at + at + len, m.at + at, m.n - at);
                m.n += len;
            }
        }
    }
    put_checksum(m);
    return m;
}

START_TEST(mutated_files_are_refused_or_read)
{
    bytes b = file_of_text(everything);
    uint32_t seed = 2463534242u, read = 0;
    for (int i = 0; i < 5000; i++) {
        bytes m = mutate(b, &seed);
        read += survive(m);
        free(m.at);
    }
    ck_assert_uint_gt(read, 0); /* the mutations are small enough to come through at times */
    free(b.at);
}
END_TEST

/* ---- what is wrong, made by hand ---- */

typedef struct parts {
    packer k;
    size_t body; /* where the section being written begins */
} parts;

static const char *const names[] = {"strings", "types",     "constants",  "functions", "code",
                                    "names",   "locations", "attributes", "properties"};

/* A file whose sections are the given ones, texts of MessagePack bytes; NULL: left out. */
static bytes file_with(mem *mm, const char *const *bodies, const size_t *sizes, size_t n,
                       const char *feature, uint32_t minor)
{
    packer k = {.mm = mm};
    size_t present = 0;
    for (size_t i = 0; i < n; i++)
        present += bodies[i] != NULL;
    ck_assert(pack_room(&k, 200));
    pack_array(&k, 7);
    bin_pack_text(&k, "fclb", 4);
    pack_uint32(&k, 0);
    pack_uint32(&k, minor);
    bin_pack_text(&k, "hand", 4);
    pack_array(&k, feature ? 1 : 0);
    if (feature)
        bin_pack_text(&k, feature, strlen(feature));
    pack_array(&k, present);
    for (size_t i = 0; i < n; i++) {
        if (!bodies[i])
            continue;
        ck_assert(pack_room(&k, sizes[i] + 100));
        pack_array(&k, 3);
        bin_pack_text(&k, names[i], strlen(names[i]));
        pack_uint32(&k, i < 5);
        pack_bin(&k, sizes[i]);
        bin_pack_bytes(&k, bodies[i], sizes[i]);
    }
    ck_assert(bin_pack_bytes(&k, "\xce\0\0\0\0", 5));
    bytes b = {.at = malloc(pack_size(&k)), .n = pack_size(&k)};
    memcpy(b.at, k.start, b.n);
    bin_pack_free(&k);
    put_checksum(b);
    return b;
}

/* fun @f(%x: int) -> int { %y = add %x, 1  return %y } */
#define STRINGS                                                                                    \
    "\x91\xa1"                                                                                     \
    "f"
#define TYPES     "\x92\x90\x91\x92\x01\x04"
#define CONSTANTS "\x92\x10\x01"
#define FUNCTIONS "\x93\x90\x90\x91\x96\x00\x00\x00\x00\x91\x01\x01"
#define CODE      "\x91\x96\x01\x01\xff\x01\xcc\xfb\x01"

/* That program with one section replaced; a section of size 0 is left out. */
static unsigned code_with(size_t which, const char *body, size_t size, uint32_t minor)
{
    fcl_context cx;
    const char *bodies[] = {STRINGS, TYPES, CONSTANTS, FUNCTIONS, CODE, NULL, NULL, NULL, NULL};
    size_t sizes[] = {sizeof STRINGS - 1,
                      sizeof TYPES - 1,
                      sizeof CONSTANTS - 1,
                      sizeof FUNCTIONS - 1,
                      sizeof CODE - 1,
                      0,
                      0,
                      0,
                      0};
    ck_assert(context_init(&cx, NULL, NULL));
    if (which < 9) {
        bodies[which] = size ? body : NULL;
        sizes[which] = size;
    }
    bytes b = file_with(&cx.mem, bodies, sizes, 9, NULL, minor);
    unsigned code = code_of(b);
    free(b.at);
    context_release(&cx);
    return code;
}

START_TEST(sections_made_by_hand)
{
    enum { STR, TYP, CON, FUN, COD, NAM, LOC, ATT, PRO, NONE };
    static const struct {
        size_t section;
        const char *body;
        size_t size;
        unsigned code;
    } cases[] = {
#define CASE(s, text, c) {s, text, sizeof text - 1, c}
        {NONE, NULL, 0, 0},
        {STR, NULL, 0, 124},
        {COD, NULL, 0, 124},
        CASE(STR, "\x91\xa1\xff", 126), /* bad UTF-8 */
        CASE(STR,
             "\x91\xc4\x01"
             "f",
             0),                                    /* bytes that happen to be a text */
        CASE(STR, "\x91\xa1 ", 126),                /* no name */
        CASE(STR, "\x90", 125),                     /* which is used */
        CASE(STR, "\xdd\xff\xff\xff\xff", 120),     /* 2^32 - 1 strings in five bytes */
        CASE(STR, "\x91\xdb\xff\xff\xff\xff", 120), /* a string as long */
        CASE(STR,
             "\x91\xa1"
             "f\x00",
             121), /* more than the section holds */
        CASE(STR, "\x91\x01", 121),
        CASE(TYP, "\x92\xdd\xff\xff\xff\xff\x90", 120),
        CASE(TYP, "\x92\x90\xdd\xff\xff\xff\xff", 120),
        CASE(TYP, "\x92\x90\x91\x92\x01\x0d", 123), /* no such scalar */
        CASE(TYP, "\x92\x90\x91\x92\x01\x00", 123),
        CASE(TYP, "\x92\x90\x92\x93\x08\x02\x01\x92\x01\x04", 125), /* an array of a later type */
        CASE(TYP, "\x92\x90\x91\x93\x08\x01\x01", 125),             /* of itself */
        CASE(TYP, "\x92\x90\x92\x92\x01\x04\x93\x08\x01\x09", 125), /* of 9 dimensions */
        CASE(TYP, "\x92\x90\x91\x92\x63\x04", 123),                 /* no such form */
        CASE(TYP, "\x92\x90\x91\x92\x03\x00", 125), /* a bound type outside of its binder */
        CASE(TYP, "\x92\x90\x91\x93\x01\x04\x04", 121),
        CASE(TYP, "\x92\x91\x00\x91\x92\x01\x04", 125), /* a parameter that nobody binds */
        CASE(TYP, "\x92\x91\x05\x91\x92\x01\x04", 125),
        CASE(CON, "\x93\x10\x01\x01", 121),
        CASE(CON, "\x92\x02\xcd\x01\x00", 125), /* 256 as i8 */
        CASE(CON, "\x92\x01\x02", 125),         /* 2 as bool */
        CASE(CON, "\x92\x10\xff", 121),         /* a negative magnitude */
        CASE(CON, "\x92\x63\x01", 123),
        CASE(CON, "\x92\x12\x01", 121),                                 /* an integer for a float */
        CASE(CON, "\x92\x0a\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", 125), /* 0.1 as f32 */
        CASE(CON, "\x92\x0a\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00", 0),   /* 0.5 as f32 */
        CASE(CON, "\x92\x10\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 0),
        CASE(CON, "\x90", 125),                 /* which is used */
        CASE(FUN, "\x93\x91\x00\x90\x90", 216), /* import "f" */
        CASE(FUN, "\x93\x90\x91\x00\x91\x96\x00\x00\x00\x00\x91\x01\x01", 209),
        CASE(FUN, "\x93\x90\x90\x92\x96\x00\x00\x00\x00\x90\x01\x96\x00\x00\x00\x00\x90\x01", 204),
        CASE(FUN, "\x93\x90\x90\x91\x96\x00\x00\x00\x00\x91\x00\x01",
             125), /* a parameter without a type */
        CASE(FUN, "\x93\x90\x90\x91\x96\x00\x02\x00\x00\x91\x01\x01", 123), /* unknown flags */
        CASE(FUN, "\x93\x90\x90\x91\x96\x00\x00\x01\x00\x91\x01\x01",
             125), /* a type parameter that does not exist */
        CASE(COD, "\x90", 121),
        CASE(COD, "\x91\xdd\xff\xff\xff\xff", 120),
        CASE(COD, "\x91\x96\x63\x01\xff\x01\xcc\xfb\x01", 123), /* no such operator */
        CASE(COD, "\x91\x96\x01\x00\xff\x01\xcc\xfb\x01", 125), /* an operand that is no value */
        CASE(COD, "\x91\x96\x01\x02\xff\x01\xcc\xfb\x01", 125), /* before the first */
        CASE(COD, "\x91\x96\x01\x01\xfe\x01\xcc\xfb\x01", 125), /* a constant that does not exist */
        CASE(COD, "\x91\x96\x01\x01\xff\x02\xcc\xfb\x01", 125), /* a type */
        CASE(COD, "\x91\x96\x01\x01\xff\x01\xcc\xfa\x01", 252), /* yield at the end of a function */
        CASE(COD, "\x91\x97\x01\x01\xff\x01\xcc\xfb\x01", 121), /* more numbers than there are */
        CASE(COD, "\x91\x97\x01\x01\xff\x01\xcc\xfb\x01\x01", 121),
        CASE(COD, "\x91\x94\x01\x01\xff\x01", 120),             /* no end */
        CASE(COD, "\x91\x96\x01\x01\xa0\x01\xcc\xfb\x01", 121), /* a text for an operand */
        CASE(COD, "\x91\x94\xcc\xd4\xce\xff\xff\xff\xff", 254), /* 2^32 - 1 operands */
        CASE(NAM,
             "\x93\x92\xa1"
             "x\xa1"
             "y\x90\x91\x92\x01\x02",
             0),
        CASE(NAM,
             "\x93\x92\xa1"
             "x\xa1"
             "y\x90\x91\x93\x01\x02\x00",
             121),
        CASE(NAM,
             "\x93\x92\xa1"
             "x\xa1"
             "y\x90\x91\x91\x01",
             121),
        CASE(NAM,
             "\x93\x92\xa1"
             "x\xa1"
             "y\x90\x90",
             121),
        CASE(NAM,
             "\x93\x92\xa1"
             "x\xa1"
             "y\x91\x01\x91\x92\x01\x02",
             121), /* a parameter that does not exist */
        CASE(NAM,
             "\x93\x92\xa1"
             "x\xa1"
             "y\x90\x91\x92\x01\x03",
             125),
        CASE(NAM, "\x93\x91\xa1 \x90\x91\x92\x01\x00", 126),
        CASE(NAM, "\x93\x90\x90\x91\x92\xff\xf0", 0), /* %0 and %15 */
        CASE(NAM, "\x93\x90\x90\x91\x92\xff\xd2\x80\x00\x00\x00", 125),
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x91\x98\x00\x00\x01\x01\x02\x00\x05\x06",
             0),
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x90",
             121),
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x91\x94\x03\x00\x01\x01",
             125), /* no such operation */
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x91\x94\x00\x01\x01\x01",
             125), /* no such file */
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x91\x94\x00\x00\x00\x01",
             125), /* no line */
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x91\x93\x01\x00\x00",
             121),
        CASE(LOC,
             "\x92\x91\xa1"
             "a\x91\x98\x02\x00\x01\x01\xce\xff\xff\xff\xff\x00\x05\x06",
             125),
        CASE(ATT,
             "\x93\x91\xa1"
             "k\x92\x00\x01\x91\x96\x01\x00\xa1"
             "v\x01\x00\xff",
             0),
        CASE(ATT,
             "\x93\x91\xa1"
             "k\x94\x00\x01\x00\x02\x91\x90",
             125), /* a key twice */
        CASE(ATT,
             "\x93\x91\xa1"
             "k\x90\x91\x96\x01\x00\x01\x00\x00\x02",
             125),
        CASE(ATT,
             "\x93\x91\xa1"
             "k\x92\x00\xc0\x91\x90",
             121), /* neither integer nor text */
        CASE(ATT,
             "\x93\x91\xa1"
             "k\x91\x00\x91\x90",
             121),
        CASE(ATT, "\x93\x91\xa0\x92\x00\x01\x91\x90", 125), /* an empty key */
        CASE(CON, "\x94\x10\x01\x13\xc4\x01\x00", 0),
        CASE(CON, "\x92\x13\xc4\x01\x00", 125), /* bytes as an operand */
        CASE(CON, "\x92\x13\x00", 121),
        CASE(COD, "\x91\x9a\xcc\xd6\x01\x01\x04\x00\x00\xcc\xfb\x01", 125), /* an int as bytes */
        CASE(PRO, "\x93\x91\xa3x.y\x93\x00\x00\x05\x91\x94\x01\x00\x00\xa1t", 0),
        CASE(PRO, "\x93\x91\xa6inline\x90\x91\x94\x00\x00\x00\x01", 0),
        CASE(PRO, "\x93\x91\xa6inline\x90\x91\x94\x00\x00\x00\xa1t", 125), /* a text */
        CASE(PRO, "\x93\x91\xa6inline\x90\x91\x94\x01\x00\x00\x01", 125),  /* of an operation */
        CASE(PRO, "\x93\x91\xa6inline\x90\x91\x94\x00\x00\x01\x01", 125),  /* as required */
        CASE(PRO, "\x93\x91\xa1x\x90\x91\x94\x00\x00\x01\x01", 123),       /* unknown, required */
        CASE(PRO, "\x93\x91\xa1x\x90\x91\x94\x00\x00\x02\x01", 123),       /* an unknown flag */
        CASE(PRO, "\x93\x91\xa1x\x90\x91\x93\x00\x00\x00", 121),
        CASE(PRO, "\x93\x91\xa1x\x92\x00\x00\x91\x90", 121),
        CASE(PRO, "\x93\x91\xa1x\x96\x00\x00\x01\x00\x00\x01\x91\x90", 125), /* twice */
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(code_with(cases[i].section, cases[i].body, cases[i].size, 4) == cases[i].code,
                      "case %zu: E%04u, not E%04u", i,
                      code_with(cases[i].section, cases[i].body, cases[i].size, 4), cases[i].code);
    /* An older library did not know the section, and kept it: whatever is in it. */
    ck_assert_uint_eq(code_with(PRO, "\x01", 1, 3), 0);
    ck_assert_uint_eq(code_with(PRO, "\x01", 1, 4), 121);
}
END_TEST

/* Everything that is unknown is named, in one run. */
START_TEST(a_newer_file_says_what_it_needs)
{
    world w;
    vec_char text = {0};
    const char *bodies[] = {STRINGS, TYPES, CONSTANTS, FUNCTIONS, CODE};
    const size_t sizes[] = {sizeof STRINGS - 1, sizeof TYPES - 1, sizeof CONSTANTS - 1,
                            sizeof FUNCTIONS - 1, sizeof CODE - 1};
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    bytes newer = file_with(&cx.mem, bodies, sizes, 5, NULL, 7),
          needs = file_with(&cx.mem, bodies, sizes, 5, "time travel", 7);
    ck_assert_uint_eq(code_of(newer), 0);
    read_file(&w, needs);
    ck_assert(!w.ok);
    for (uint32_t i = 0; i < w.cx.diags.all.len; i++)
        diag_format(&w.cx, &w.cx.diags.all.at[i], &text);
    ck_assert_ptr_nonnull(strstr(
        text_cstr(&w.cx.mem, &text),
        "error[E0123]: there is no feature \"time travel\": the file has version 0.7, and this "
        "library reads up to 0.5"));
    vec_free(&w.cx.mem, &text);
    close_world(&w);
    free(newer.at);
    free(needs.at);
    context_release(&cx);
}
END_TEST

enum { DEEP = 1000000 };

/* Writes the piece so often; returns where it ends. */
static char *repeat(char *p, const char *piece, size_t n)
{
    for (int i = 0; i < DEEP; i++, p += n)
        memcpy(p, piece, n);
    return p;
}

/* A million regions, each inside the one before: fn, no types, no levels, type 0, no parameters. */
START_TEST(deep_regions_are_refused)
{
    char *code = malloc(DEEP * 6 + 16);
    memcpy(code, "\x91\xdd\x00\x4c\x4b\x40", 6); /* five million numbers */
    size_t n = (size_t)(repeat(code + 6, "\xcc\xdc\0\0\0\0", 6) - code);
    ck_assert_uint_eq(code_with(4, code, n, 4), 902);
    free(code);
}
END_TEST

/* A million types, each an array of the one before. */
START_TEST(deep_types_are_refused)
{
    char *types = malloc(DEEP * 8 + 16), *p = types + 10;
    memcpy(types, "\x92\x90\xdd\x00\x0f\x42\x41\x92\x01\x04", 10);
    for (uint32_t i = 1; i <= DEEP; i++, p += 8) {
        const char entry[] = {'\x93',         8,       '\xce', (char)(i >> 24), (char)(i >> 16),
                              (char)(i >> 8), (char)i, 1};
        memcpy(p, entry, sizeof entry);
    }
    ck_assert_uint_eq(code_with(1, types, (size_t)(p - types), 4), 902);
    free(types);
}
END_TEST

/* ---- versions ---- */

START_TEST(older_versions_are_refused_by_construct)
{
    world w;
    read_text(&w, BODY("  %y = add %x, 1\n  return %y\n"));
    ck_assert(version_fits(&w.m, 1));
    ck_assert(!version_fits(&w.m, 0));
    const diag *d = &w.cx.diags.all.at[0];
    ck_assert_uint_eq(d->code, 127);
    ck_assert_uint_eq(d->loc.line, 4);
    ck_assert_uint_eq(d->loc.col, 8);
    ck_assert_ptr_nonnull(strstr(ir_str(&w.m, d->text), "the operator add came with version 0.1"));
    diag_clear(&w.cx);
    vec_char out = {0};
    ck_assert(!binary_write(&w.m, FORMAT_VERSION + 1, "test", &out));
    ck_assert_uint_eq(w.cx.diags.all.at[0].code, 128);
    close_world(&w);
}
END_TEST

static uint32_t steps_run;

static bool step_two(ir_module *m)
{
    (void)m;
    steps_run = steps_run * 10 + 2;
    return true;
}

static bool step_three(ir_module *m)
{
    (void)m;
    steps_run = steps_run * 10 + 3;
    return true;
}

static bool step_fails(ir_module *m)
{
    (void)m;
    return false;
}

/* Whether a module needs a version depends on what its loops hand on. */
START_TEST(states_ask_for_the_version_that_has_them)
{
    static const struct {
        const char *start;
        uint32_t needed;
    } cases[] = {{"%s = push<block> %xs %r = repeat 2, %s { (%i, %a) yield %s }", 1},
                 {"%r = repeat 2, %xs { (%i, %a) yield %xs }", 5},
                 {"%r = scatter %xs, %xs { (%x) %t = tuple %x, %x yield %t }", 5},
                 {"%s = push<block> %xs %r = update %xs, 0, %s", 3},
                 {"%r = update %xs, 0, %xs", 5},
                 {"%r = permute 2, %xs { (%x) %t = tuple %x, %x yield %t }", 5},
                 {"%r = repeat 2, 1 { (%i, %a) yield %a }", 3},
                 {"%s = tuple %xs, 1 %r = while %s { (%a) yield true } { (%a) yield %s }", 5},
                 {"%p = push<block> %xs %s = tuple %p, 1 %r = while %s { (%a) yield true } { (%a) "
                  "yield %s }",
                  3},
                 {"%s = tuple 1, 2 %r = mapaccum 2, 1, %s { (%i, %a) yield %a }", 1},
                 {"%s = push<block> %xs %r = mapaccum 2, 1, %s { (%i, %a) yield %a }", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        world w;
        snprintf(text, sizeof text, "fcl 0.5 fun @f(%%xs: [int]) { %s return %%r }",
                 cases[i].start);
        read_text(&w, text);
        ck_assert(w.ok);
        ir_check(&w.m);
        diag_clear(&w.cx);
        ck_assert_uint_eq(version_needed(&w.m), cases[i].needed);
        ck_assert_uint_eq(version_fits(&w.m, 2), cases[i].needed == 1);
        close_world(&w);
    }
}
END_TEST

START_TEST(upgrades_run_from_the_files_version_on)
{
    static const upgrade steps[] = {{2, step_two}, {3, step_three}, {4, step_fails}};
    world w;
    open_world(&w);
    steps_run = 0;
    ck_assert(version_upgrade_by(&w.m, 1, steps, 2));
    ck_assert_uint_eq(steps_run, 23);
    ck_assert(version_upgrade_by(&w.m, 2, steps, 2));
    ck_assert_uint_eq(steps_run, 233);
    ck_assert(!version_upgrade_by(&w.m, 3, steps, 3));
    ck_assert(version_upgrade_by(&w.m, 4, steps, 3));
    ck_assert(version_upgrade_module(&w.m, 1));
    ck_assert_uint_eq(steps_run, 233);
    close_world(&w);
}
END_TEST

/* ---- short memory ---- */

typedef struct counting {
    long left;
} counting;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counting *c = user;
    (void)old_size;
    if (!new_size) {
        free(ptr);
        return NULL;
    }
    return c->left-- > 0 ? realloc(ptr, new_size) : NULL;
}

/* Reads and writes with the k-th allocation failing, for every k: an error each time, no leak, and
 * in the end success.
 */
START_TEST(every_allocation_may_fail)
{
    bytes b = file_of_text(everything);
    bool done = false;
    for (long k = 0; !done; k++) {
        counting c = {.left = k};
        fcl_context cx;
        ir_module m;
        vec_char out = {0};
        unsigned char digest[32];
        bool ok = context_init(&cx, failing_realloc, &c);
        if (ok) {
            ok = ir_module_init(&m, &cx) && binary_read(&m, "t.fclb", b.at, b.n, find_file, NULL) &&
                 binary_write(&m, FORMAT_VERSION, "test", &out) && binary_hash(&m, digest);
            ck_assert(ok || cx.mem.oom);
            done = ok && !cx.mem.oom;
            vec_free(&cx.mem, &out);
            ir_module_release(&m);
        }
        context_release(&cx);
        ck_assert_int_lt(k, 5000);
    }
    free(b.at);
}
END_TEST

Suite *binary_suite(void)
{
    Suite *s = suite_create("binary");
    TCase *t = tcase_create("binary");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, canonical_text_comes_back, 0, sizeof canonical / sizeof *canonical);
    tcase_add_test(t, everything_comes_back);
    tcase_add_test(t, numbers_are_no_names);
    tcase_add_test(t, clashing_names_are_those_of_the_text);
    tcase_add_test(t, a_hash_is_of_the_meaning);
    tcase_add_test(t, known_sums);
    tcase_add_test(t, base_64);
    tcase_add_test(t, a_file_is_cut_at_every_byte);
    tcase_add_test(t, every_changed_byte_is_noticed);
    tcase_add_loop_test(t, every_byte_may_be_anything, 0, 1);
    tcase_add_test(t, mutated_files_are_refused_or_read);
    tcase_add_test(t, a_hash_takes_in_what_imports_mean);
    tcase_add_test(t, sections_made_by_hand);
    tcase_add_test(t, a_newer_file_says_what_it_needs);
    tcase_add_test(t, deep_regions_are_refused);
    tcase_add_test(t, deep_types_are_refused);
    tcase_add_test(t, older_versions_are_refused_by_construct);
    tcase_add_test(t, states_ask_for_the_version_that_has_them);
    tcase_add_test(t, upgrades_run_from_the_files_version_on);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
