/* Results as APL shows them: see apl.h.  A scalar is [](5), a vector [3](1,2,3), one of characters
 * is its text, a matrix is its rows with blank lines around; what has no such form is written in a
 * line behind its extents. */
#include "frontends/tools/values/apl.h"

#include "frontends/tools/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void put_cell(string *out, const fcl_array *leaves, uint64_t i);

static const void *cell(const fcl_array *a, uint64_t i)
{
    return (const char *)a->data + i * fcl_scalar_get(a->type)->bytes;
}

/* ---- numbers ---- */

enum { DIGITS = 12, NUMBER_ROOM = 64 };

/* The digits of a positive number without zeros at the end, and the power of ten of the first. */
static size_t digits_of(double x, char *digits, int *exponent)
{
    char text[NUMBER_ROOM];
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, x);
    size_t n = 0;
    for (const char *s = text; *s != 'e'; s++)
        if (*s != '.')
            digits[n++] = *s;
    *exponent = atoi(strchr(text, 'e') + 1);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    return n;
}

static void put_zeros(string *out, int n)
{
    for (; n > 0; n--)
        string_add(out, "0", 1);
}

/* 123.4, 0.0012: n digits, the first of them of that power of ten. */
static void put_fixed(string *out, const char *digits, size_t n, int exponent)
{
    size_t whole = exponent < 0 ? 0 : (size_t)exponent + 1;
    if (exponent < 0) {
        string_addf(out, "0.");
        put_zeros(out, -exponent - 1);
    }
    string_add(out, digits, whole < n ? whole : n);
    put_zeros(out, whole > n ? (int)(whole - n) : 0);
    if (exponent >= 0)
        string_addf(out, whole < n ? "." : ".0");
    if (whole < n)
        string_add(out, digits + whole, n - whole);
}

/* 1E3.0, 1.5E~10 */
static void put_scientific(string *out, const char *digits, size_t n, int exponent)
{
    string_add(out, digits, 1);
    if (n > 1)
        string_addf(out, ".%s", digits + 1);
    string_addf(out, "E%s%d%s", exponent < 0 ? "~" : "", abs(exponent), n > 1 ? "" : ".0");
}

/* How many characters either form has without the .0 that is added to both. */
static bool is_shorter_fixed(size_t n, int exponent)
{
    int digits = (int)n, power = exponent, size = abs(exponent);
    int number = size >= 100 ? 3 : size >= 10 ? 2 : 1;
    int scientific = digits + (digits > 1) + 1 + (power < 0) + number;
    int fixed = power < 0 ? 1 - power + digits : power + 1 >= digits ? power + 1 : digits + 1;
    return fixed <= scientific;
}

static void put_real(string *out, double x)
{
    char digits[NUMBER_ROOM];
    int exponent;
    if (isnan(x)) {
        string_addf(out, "nan.0");
        return;
    }
    if (x < 0)
        string_add(out, "-", 1);
    x = fabs(x);
    if (isinf(x)) {
        string_addf(out, "HUGE_VAL");
        return;
    }
    size_t n = digits_of(x, digits, &exponent);
    if (is_shorter_fixed(n, exponent))
        put_fixed(out, digits, n, exponent);
    else
        put_scientific(out, digits, n, exponent);
}

static void put_double(string *out, const fcl_array *leaves, uint64_t i)
{
    put_real(out, fcl_float_read(leaves->type, cell(leaves, i)));
}

static void put_complex(string *out, const fcl_array *leaves, uint64_t i)
{
    put_double(out, &leaves[0], i);
    string_add(out, "j", 1);
    put_double(out, &leaves[1], i);
}

static void put_int(string *out, const fcl_array *leaves, uint64_t i)
{
    string_addf(out, "%lld", (long long)(int64_t)fcl_bits_read(leaves->type, cell(leaves, i)));
}

/* ---- characters ---- */

static void put_control(string *out, unsigned c)
{
    static const char letters[] = "abtnvfr";
    if (c >= '\a' && c <= '\r')
        string_addf(out, "\\%c", letters[c - '\a']);
    else
        string_addf(out, "\\^%c", (char)(c + '@'));
}

static void put_char(string *out, const fcl_array *leaves, uint64_t i)
{
    unsigned c = (unsigned)fcl_bits_read(leaves->type, cell(leaves, i));
    if (c < ' ')
        put_control(out, c);
    else if (c == '"' || c == '\\')
        string_addf(out, "\\%c", (char)c);
    else if (c == 127)
        string_addf(out, "\\127");
    else if (c > 127)
        string_addf(out, "%X", c);
    else
        string_addf(out, "%c", (char)c);
}

/* ---- the table of words ---- */

typedef struct manner {
    const char *word;
    put_cell *put;
    char kind; /* of the leaves */
    size_t nleaves;
} manner;

static const manner manners[] = {{"tail.int", put_int, 'i', 1},
                                 {"tail.bool", put_int, 'b', 1},
                                 {"tail.double", put_double, 'f', 1},
                                 {"tail.complex", put_complex, 'f', 2},
                                 {"tail.char", put_char, 'u', 1}};

/* Whether the manner is one for leaves of that kind. */
static bool takes_kind(const manner *m, fcl_scalar t)
{
    return fcl_scalar_get(t)->kind == m->kind;
}

/* The manner of the word that begins there, which is left behind; NULL where there is none. */
static const manner *next_manner(const char *words, size_t size, size_t *pos)
{
    const char *word = words + *pos, *end = memchr(word, ' ', size - *pos);
    size_t n = end ? (size_t)(end - word) : size - *pos;
    *pos += n + (end != NULL);
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++)
        if (strlen(manners[i].word) == n && memcmp(manners[i].word, word, n) == 0)
            return &manners[i];
    return NULL;
}

bool apl_shows(const char *words, size_t size, const interface *out)
{
    size_t pos = 0;
    for (size_t i = 0; i < out->n; i++) {
        const shape *s = &out->shapes[i];
        const manner *m = next_manner(words, size, &pos);
        if (!m || s->nleaves != m->nleaves)
            return false;
        for (size_t k = 0; k < s->nleaves; k++)
            if (!takes_kind(m, out->leaves[s->leaf + k].type))
                return false;
    }
    return pos == size && out->n;
}

/* ---- arrays ---- */

static uint64_t cells_of(const fcl_array *a)
{
    uint64_t n = 1;
    for (unsigned k = 0; k < a->rank; k++)
        n *= a->dims[k];
    return n;
}

static void put_flat(string *out, const manner *m, const fcl_array *leaves)
{
    for (unsigned k = 0; k < leaves->rank; k++)
        string_addf(out, "%c%llu", k ? ',' : '[', (unsigned long long)leaves->dims[k]);
    string_addf(out, leaves->rank ? "](" : "[](");
    uint64_t n = cells_of(leaves);
    for (uint64_t i = 0; i < n; i++) {
        if (i && m->put != put_char)
            string_add(out, ",", 1);
        m->put(out, leaves, i);
    }
    string_addf(out, ")\n");
}

static void put_text(string *out, const fcl_array *leaves)
{
    for (uint64_t i = 0; i < leaves->dims[0]; i++)
        put_char(out, leaves, i);
    string_add(out, "\n", 1);
}

/* Cells are written twice: to find the widest, and to stand at its width. */
static void put_matrix(string *out, const manner *m, const fcl_array *leaves)
{
    uint64_t n = cells_of(leaves), columns = leaves->dims[1];
    size_t width = 0;
    for (uint64_t i = 0; i < n && m->put != put_char; i++) {
        string one = {0};
        m->put(&one, leaves, i);
        width = one.len > width ? one.len : width;
        free(one.at);
    }
    string_add(out, "\n", 1);
    for (uint64_t i = 0; i < n; i++) {
        string one = {0};
        m->put(&one, leaves, i);
        bool blank = i % columns == 0 || m->put != put_char;
        string_addf(out, "%s%*s%s", blank ? " " : "", (int)width, one.at,
                    (i + 1) % columns ? "" : "\n");
        free(one.at);
    }
    string_add(out, "\n", 1);
}

static void put_result(string *out, const manner *m, const fcl_array *leaves)
{
    if (leaves->rank == 1 && m->put == put_char)
        put_text(out, leaves);
    else if (leaves->rank == 2 && cells_of(leaves))
        put_matrix(out, m, leaves);
    else
        put_flat(out, m, leaves);
}

static void print_one(FILE *to, const manner *m, const fcl_array *leaves)
{
    string text = {0};
    put_result(&text, m, leaves);
    fwrite(text.at, 1, text.len, to);
    free(text.at);
}

void apl_print(FILE *to, const char *words, size_t size, const interface *out,
               const fcl_array *leaves)
{
    size_t pos = 0;
    for (size_t i = 0; i < out->n; i++) {
        const manner *m = next_manner(words, size, &pos);
        print_one(to, m, &leaves[out->shapes[i].leaf]);
    }
}

/* The leaves of the next word, from that one on; 0 where they are not what it says. */
static size_t fitting_leaves(const manner *m, const fcl_array *arrays, size_t n)
{
    bool fits = m && m->nleaves <= n;
    for (size_t k = 0; fits && k < m->nleaves; k++)
        fits = takes_kind(m, arrays[k].type);
    return fits ? m->nleaves : 0;
}

bool apl_print_arrays(FILE *to, const char *words, size_t size, const fcl_array *arrays, size_t n)
{
    size_t pos = 0, at = 0, k = 1;
    while (at < n && pos < size && k)
        at += k = fitting_leaves(next_manner(words, size, &pos), arrays + at, n - at);
    if (at != n || pos != size || !k)
        return false;
    for (pos = at = 0; at < n; at += k) {
        const manner *m = next_manner(words, size, &pos);
        print_one(to, m, arrays + at);
        k = m->nleaves;
    }
    return true;
}
