/* Base 64: see base64.h.  Three bytes are four digits; the last group is filled up with '='. */
#include "serialize/coding/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool base64_encode(mem *m, const char *data, size_t size, vec_char *out)
{
    const unsigned char *p = (const unsigned char *)data;
    if (!vec_reserve(m, out, (uint64_t)size / 3 * 4 + 4))
        return false;
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        uint32_t bits =
            (uint32_t)p[i] << 16 | (n > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (n > 2 ? p[i + 2] : 0u);
        for (size_t k = 0; k < 4; k++)
            out->at[out->len++] = k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return true;
}

/* The bits of four digits, of which `pad` are '='; UINT32_MAX when they are no such group.  The
 * bits that padding leaves over must be zero, or the same bytes would have several texts. */
static uint32_t group_bits(const char *p, size_t pad)
{
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; k++) {
        const char *at = p[k] && k < 4 - pad ? strchr(digits, p[k]) : NULL;
        if (!at && (k < 4 - pad || p[k] != '='))
            return UINT32_MAX;
        bits = bits << 6 | (at ? (uint32_t)(at - digits) : 0);
    }
    return bits & ((1u << 8 * pad) - 1) ? UINT32_MAX : bits;
}

/* Padding is looked for in the last group only: a `=` before that is no digit, which group_bits
 * says. */
bool base64_decode(mem *m, const char *text, size_t size, vec_char *out)
{
    if (size % 4 || !vec_reserve(m, out, size / 4 * 3))
        return false;
    for (const char *p = text, *end = text + size; p < end; p += 4) {
        size_t pad = end - p > 4 ? 0 : (p[3] == '=') + (size_t)(p[3] == '=' && p[2] == '=');
        uint32_t bits = group_bits(p, pad);
        if (bits == UINT32_MAX)
            return false;
        for (size_t k = 0; k < 3 - pad; k++)
            out->at[out->len++] = (char)(bits >> (16 - 8 * k) & 255);
    }
    return true;
}
