/* Registering sources and finding positions in them: see source.h. */
#include "ir/base/source.h"

#include "ir/base/context.h"

#include <string.h>

/* Where the next source begins in the space of places. */
static uint32_t next_place(const diag_list *l, size_t size)
{
    uint64_t at = 0;
    if (l->sources.len) {
        const source *last = &l->sources.at[l->sources.len - 1];
        at = last->place == NO_PLACE ? UINT32_MAX : (uint64_t)last->place + last->size + 1;
    }
    return at + size < INT32_MAX ? (uint32_t)at : NO_PLACE;
}

str_id diag_add_source(fcl_context *cx, const char *name, const char *text, size_t size)
{
    str_id id = intern_cstr(&cx->strings, name);
    char *copy =
        size < SIZE_MAX - SOURCE_PAD ? mem_resize(&cx->mem, NULL, 0, size + SOURCE_PAD) : NULL;
    if (!copy)
        return id;
    memcpy(copy, text, size);
    memset(copy + size, 0, SOURCE_PAD);
    source s = {.name = id, .text = copy, .size = size, .place = next_place(&cx->diags, size)};
    if (!vec_push(&cx->mem, &cx->diags.sources, s))
        mem_free(&cx->mem, copy, size + SOURCE_PAD);
    return id;
}

void source_free(fcl_context *cx, source *s)
{
    mem_free(&cx->mem, (void *)(uintptr_t)s->text, s->size + SOURCE_PAD);
    vec_free(&cx->mem, &s->lines);
}

/* ---- lines ---- */

/* Once for each source; when memory is short, the table ends early and positions name its last
 * line. */
static void count_lines(fcl_context *cx, source *s)
{
    const char *end = s->text + s->size, *p = s->text;
    p += s->size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3
                                                           : 0; /* a byte order mark is no column */
    while (vec_push(&cx->mem, &s->lines, (uint32_t)(p - s->text)) &&
           (p = memchr(p, '\n', (size_t)(end - p))) != NULL)
        p++;
}

/* The last line that begins at or before an offset. */
static uint32_t line_of(const source *s, size_t offset)
{
    uint32_t low = 0, high = s->lines.len;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->lines.at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

location source_location(fcl_context *cx, uint32_t index, size_t offset, uint32_t len)
{
    if (index >= cx->diags.sources.len)
        return (location){0};
    source *s = &cx->diags.sources.at[index];
    if (!s->lines.len)
        count_lines(cx, s);
    if (!s->lines.len) /* memory is short, which is reported instead */
        return (location){.file = s->name};
    uint32_t line = line_of(s, offset), start = s->lines.at[line];
    return (location){s->name, line + 1, (uint32_t)(offset > start ? offset - start : 0) + 1, len};
}

/* ---- places ---- */

uint32_t source_of_place(const fcl_context *cx, uint32_t place)
{
    uint32_t low = 0, high = cx->diags.sources.len;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (cx->diags.sources.at[middle].place <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool source_is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == '\'' || c == '#';
}

/* The name at p, its sigil included; a name without one does not end in a dot. */
static uint32_t word_length(const char *p)
{
    const char *q = p + 1;
    while (source_is_name_char(*q))
        q++;
    while (source_is_name_char(*p) && q > p + 1 && q[-1] == '.')
        q--;
    return (uint32_t)(q - p);
}

location source_place_location(fcl_context *cx, uint32_t place)
{
    uint32_t index = source_of_place(cx, place);
    if (index >= cx->diags.sources.len ||
        place - cx->diags.sources.at[index].place > cx->diags.sources.at[index].size)
        return (location){0};
    const source *s = &cx->diags.sources.at[index];
    return source_location(cx, index, place - s->place, word_length(s->text + (place - s->place)));
}
