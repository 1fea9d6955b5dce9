/* What values, arguments and constants of a plan are called in C. */
#include "frontends/tools/driver/driver.h"

#include "frontends/tools/values/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* f16 has no name in C: its bits. */
const char *driver_type(fcl_scalar t)
{
    static const char *const is_signed[] = {"int8_t", "int16_t", "int32_t", "int64_t"};
    static const char *const is_unsigned[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    const fcl_scalar_facts *f = fcl_scalar_get(t);
    unsigned log = f->bytes == 1 ? 0 : f->bytes == 2 ? 1 : f->bytes == 4 ? 2 : 3;
    if (f->kind == 'b')
        return "bool";
    if (f->kind == 'f' && f->bytes > 2)
        return f->bytes == 4 ? "float" : "double";
    return f->kind == 'i' ? is_signed[log] : is_unsigned[log];
}

const char *driver_stored(fcl_scalar t)
{
    return t == FCL_BOOL ? "uint8_t" : driver_type(t);
}

void driver_put_plain(string *out, const char *name)
{
    for (; *name; name++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9');
        string_addf(out, "%c", plain ? *name : '_');
    }
}

/* The number comes first, so that no two names can meet and none is a word of C. */
void driver_put_leaf(driver *d, const char *prefix, size_t leaf)
{
    fcl_leaf l;
    fcl_plan_leaf_in(d->p, leaf, &l, sizeof l);
    string_addf(d->out, "%s%zu%s", prefix, leaf, *l.name ? "_" : "");
    driver_put_plain(d->out, l.name);
}

void driver_put_extent(driver *d, size_t leaf, unsigned axis)
{
    fcl_leaf l;
    fcl_plan_leaf_in(d->p, leaf, &l, sizeof l);
    driver_put_leaf(d, l.rank == 1 ? "len" : "dim", leaf - l.back);
    if (l.rank > 1)
        string_addf(d->out, "_axis%u", axis);
}

static void put_float(string *out, fcl_scalar t, uint64_t bits)
{
    char element[8], digits[DECIMAL_ROOM];
    fcl_bits_write(t, bits, element);
    double x = fcl_float_read(t, element);
    if (isfinite(x))
        string_add(out, digits, decimal_float(x, t, digits));
    else
        string_addf(out, "%s", isnan(x) ? "NAN" : x > 0 ? "INFINITY" : "-INFINITY");
    if (isfinite(x) && t == FCL_F32)
        string_addf(out, "f");
}

static void put_signed(string *out, unsigned bytes, int64_t x)
{
    if (bytes == 8 && x == INT64_MIN)
        string_addf(out, "INT64_MIN");
    else if (bytes == 4 && x == INT32_MIN)
        string_addf(out, "INT32_MIN");
    else
        string_addf(out, bytes == 8 ? "INT64_C(%" PRId64 ")" : "%" PRId64, x);
}

void driver_put_constant(string *out, fcl_scalar t, uint64_t bits)
{
    const fcl_scalar_facts *f = fcl_scalar_get(t);
    if (t == FCL_BOOL)
        string_addf(out, "%s", bits ? "true" : "false");
    else if (f->kind == 'f' && f->bytes > 2)
        put_float(out, t, bits);
    else if (f->kind == 'i')
        put_signed(out, f->bytes, (int64_t)bits);
    else
        string_addf(out, f->bytes == 8 ? "UINT64_C(%" PRIu64 ")" : "%" PRIu64 "u", bits);
}

/* Octal escapes have three digits, whatever comes behind; ?? could begin a trigraph. */
void driver_put_string(string *out, const char *s, size_t n)
{
    string_addf(out, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '\n')
            string_addf(out, "\\n");
        else if (c == '"' || c == '\\' || c == '?')
            string_addf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            string_addf(out, "\\%03o", c);
        else
            string_addf(out, "%c", c);
    }
    string_addf(out, "\"");
}
