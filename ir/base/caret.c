/* Drawing carets: see caret.h. */
#include "ir/base/caret.h"

#include "ir/base/utf8.h"

enum { SHOWN = 160 }; /* bytes of a long line, the part around the caret */

/* A character and how it is shown. */
typedef struct glyph {
    uint32_t code;
    size_t bytes;
    unsigned cells;
    bool hidden; /* a '?' is shown in its place */
} glyph;

typedef struct code_range {
    uint32_t first, last;
    unsigned cells;
} code_range;

/* What is not one cell wide: Unicode's combining marks and what East Asian Width calls wide, by
 * blocks. */
static const code_range ranges[] = {
    {0x300, 0x36f, 0},     {0x483, 0x489, 0},     {0x591, 0x5bd, 0},   {0x610, 0x61a, 0},
    {0x64b, 0x65f, 0},     {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0}, {0x200b, 0x200d, 0},
    {0x20d0, 0x20ff, 0},   {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0}, {0x1100, 0x115f, 2},
    {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},   {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},
    {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2},
    {0x1f680, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
};

/* Controls, and marks that turn the direction of writing. */
static bool moves_cursor(uint32_t c)
{
    return c < 32 || (c >= 127 && c < 160) || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static unsigned cells_of(uint32_t c)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return ranges[i].cells;
    return 1;
}

/* The character at p; a byte that begins none is one by itself. */
static glyph glyph_at(const char *p, const char *end)
{
    size_t n = utf8_length(p, end);
    uint32_t c = (unsigned char)*p;
    if (n == 0)
        return (glyph){.code = c, .bytes = 1, .cells = 1, .hidden = true};
    if (n > 1)
        c &= 0xffu >> (n + 1);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3f);
    bool hidden = moves_cursor(c);
    return (glyph){.code = c, .bytes = n, .cells = hidden ? 1 : cells_of(c), .hidden = hidden};
}

uint32_t caret_column(const char *line, size_t size, size_t at)
{
    const char *end = line + size;
    uint32_t column = 1;
    for (const char *p = line; p < end && p < line + at; column++)
        p += glyph_at(p, end).bytes;
    return column;
}

/* The part that is shown: whole characters. */
static void choose_part(const char *line, size_t size, size_t at, const char **from,
                        const char **to)
{
    size_t first = at > SHOWN / 2 ? at - SHOWN / 2 : 0;
    size_t last = size - first < SHOWN ? size : first + SHOWN;
    while (first < at && ((unsigned char)line[first] & 0xc0) == 0x80)
        first++;
    while (last > at && last < size && ((unsigned char)line[last] & 0xc0) == 0x80)
        last--;
    *from = line + first;
    *to = line + last;
}

static bool add_repeated(mem *m, vec_char *out, const char *s, unsigned n)
{
    bool ok = true;
    while (ok && n-- > 0)
        ok = text_add(m, out, s, 1);
    return ok;
}

static bool add_glyph(mem *m, vec_char *out, const char *p, glyph g)
{
    if (*p == '\t')
        return text_add(m, out, " ", 1);
    return g.hidden ? text_add(m, out, "?", 1) : text_add(m, out, p, g.bytes);
}

bool caret_draw(mem *m, const char *line, size_t size, size_t at, size_t length, vec_char *out)
{
    const char *from, *to, *caret = line + at;
    unsigned before = 0, below = 0;
    size -= at < size && line[size - 1] == '\r'; /* of the end of the line */
    choose_part(line, size, at, &from, &to);
    bool ok = text_add(m, out, "    ", 4);
    glyph g;
    for (const char *p = from; ok && p < to; p += g.bytes) {
        g = glyph_at(p, to);
        ok = add_glyph(m, out, p, g);
        before += p + g.bytes <= caret ? g.cells : 0;
        below += p + g.bytes > caret && (size_t)(p - line) < at + length ? g.cells : 0;
    }
    return ok && text_add(m, out, "\n    ", 5) && add_repeated(m, out, " ", before) &&
           text_add(m, out, "^", 1) && add_repeated(m, out, "~", below ? below - 1 : 0) &&
           text_add(m, out, "\n", 1);
}
