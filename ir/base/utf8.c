/* Looking at UTF-8: see utf8.h. */
#include "ir/base/utf8.h"

#include <stdint.h>

/* The first byte gives the length and the upper bits.  0x80 to 0xc1 begin nothing: continuations,
 * and sequences of two for what needs one byte; above 0xf4 all would be beyond U+10FFFF. */
size_t utf8_length(const char *p, const char *end)
{
    unsigned char c = (unsigned char)*p;
    if (c < 128)
        return 1;
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    uint32_t code = c & (0xffu >> (n + 1));
    if (c < 0xc2 || c > 0xf4 || (size_t)(end - p) < n)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)p[i] & 0x3f);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

bool utf8_is_valid(const char *s, size_t n)
{
    for (const char *p = s, *end = s + n; p < end;) {
        size_t k = utf8_length(p, end);
        if (!k)
            return false;
        p += k;
    }
    return true;
}
