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

/* ---- registering ---- */

/* The same text under the same name; its index, or the number of sources. */
static uint32_t known(const diag_list *l, str_id name, const char *text, size_t size)
{
    for (uint32_t i = l->sources.len; i-- > 0;) {
        const source *s = &l->sources.at[i];
        if (s->text && s->name == name && s->size == size && memcmp(s->text, text, size) == 0)
            return i;
    }
    return l->sources.len;
}

/* The first gap that the text fits into: places of a source that went.  Its index, or the number of
 * sources. */
static uint32_t gap_for(const diag_list *l, size_t size)
{
    uint32_t i = l->gaps ? 0 : l->sources.len;
    while (i < l->sources.len && (l->sources.at[i].text || l->sources.at[i].size < size))
        i++;
    return i;
}

/* A gap keeps the size that it had, so that a smaller text can give it back whole. */
static bool put(fcl_context *cx, str_id name, char *copy, size_t size, uint32_t *index)
{
    diag_list *l = &cx->diags;
    source s = {.name = name, .text = copy, .size = size, .place = next_place(l, size)};
    uint32_t gap = gap_for(l, size);
    *index = gap;
    if (gap == l->sources.len)
        return vec_push(&cx->mem, &l->sources, s);
    s.place = l->sources.at[gap].place;
    l->sources.at[gap] = s;
    l->gaps--;
    return true;
}

uint32_t source_add(fcl_context *cx, const char *name, const char *text, size_t size)
{
    diag_list *l = &cx->diags;
    str_id id = intern_cstr(&cx->strings, name);
    uint32_t index = known(l, id, text, size);
    if (index == l->sources.len) {
        char *copy =
            size < SIZE_MAX - SOURCE_PAD ? mem_resize(&cx->mem, NULL, 0, size + SOURCE_PAD) : NULL;
        if (!copy)
            return 0;
        memcpy(copy, text, size);
        memset(copy + size, 0, SOURCE_PAD);
        if (!put(cx, id, copy, size, &index)) {
            mem_free(&cx->mem, copy, size + SOURCE_PAD);
            return 0;
        }
    }
    l->sources.at[index].number = ++l->registered;
    return index + 1;
}

str_id diag_add_source(fcl_context *cx, const char *name, const char *text, size_t size)
{
    source_add(cx, name, text, size);
    return intern_cstr(&cx->strings, name);
}

bool source_is_library(const fcl_context *cx, str_id name)
{
    const source *s = diag_source(cx, name);
    return s && s->library;
}

/* ---- holding ---- */

bool source_hold(fcl_context *cx, vec_u32 *held, uint32_t index)
{
    if (!vec_push(&cx->mem, held, index))
        return false;
    cx->diags.sources.at[index].users++;
    return true;
}

bool source_hold_all(fcl_context *cx, vec_u32 *held, const vec_u32 *others)
{
    for (uint32_t i = 0; i < others->len; i++)
        if (!source_hold(cx, held, others->at[i]))
            return false;
    return true;
}

void source_free(fcl_context *cx, source *s)
{
    if (s->text)
        mem_free(&cx->mem, (void *)(uintptr_t)s->text, s->size + SOURCE_PAD);
    vec_free(&cx->mem, &s->lines);
    s->text = NULL;
}

/* Its places are a gap then, unless there are none behind them. */
static void let_go(fcl_context *cx, source *s)
{
    source_free(cx, s);
    s->name = 0;
    cx->diags.gaps++;
}

static void trim(diag_list *l)
{
    while (l->sources.len && !l->sources.at[l->sources.len - 1].text) {
        l->sources.len--;
        l->gaps--;
    }
}

void source_drop_all(fcl_context *cx, vec_u32 *held)
{
    diag_list *l = &cx->diags;
    for (uint32_t i = 0; i < held->len; i++) {
        source *s = &l->sources.at[held->at[i]];
        if (!--s->users && !l->all.len)
            let_go(cx, s);
    }
    trim(l);
    vec_free(&cx->mem, held);
}

void source_sweep(fcl_context *cx)
{
    diag_list *l = &cx->diags;
    for (uint32_t i = 0; i < l->sources.len; i++)
        if (l->sources.at[i].text && !l->sources.at[i].users)
            let_go(cx, &l->sources.at[i]);
    trim(l);
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
    if (index >= cx->diags.sources.len || !cx->diags.sources.at[index].text ||
        place - cx->diags.sources.at[index].place > cx->diags.sources.at[index].size)
        return (location){0};
    const source *s = &cx->diags.sources.at[index];
    return source_location(cx, index, place - s->place, word_length(s->text + (place - s->place)));
}
