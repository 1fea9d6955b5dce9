/* Characters into a growing buffer: what the text writer prints through.
 *
 * The place to write at is a pointer into room that is there already, so that a piece costs a
 * comparison and a copy of constant length.  Failure is sticky: when memory is short nothing more
 * is written, and `ok` says so. */
#ifndef FCL_SERIALIZE_TEXT_OUT_H
#define FCL_SERIALIZE_TEXT_OUT_H

#include "ir/base/mem.h"

#include <string.h>

typedef struct text_out {
    mem *mm;
    vec_char *buffer; /* its length is right after out_flush only */
    char *p, *end;
    bool ok;
} text_out;

/* Writes behind what the buffer holds.  Until out_flush the buffer belongs to `o`: its length is
 * old, and it may move. */
void out_begin(text_out *o, mem *mm, vec_char *buffer);
/* Makes room for n more characters; false when memory is short. */
bool out_grow(text_out *o, size_t n);
/* Hands the buffer to somebody who appends to it directly; out_resume takes it back. */
void out_flush(text_out *o);
void out_resume(text_out *o);
/* In decimal. */
void out_number(text_out *o, uint64_t x);

static inline bool out_room(text_out *o, size_t n)
{
    return (size_t)(o->end - o->p) >= n || out_grow(o, n);
}

static inline void out_n(text_out *o, const char *s, size_t n)
{
    if (!out_room(o, n))
        return;
    memcpy(o->p, s, n);
    o->p += n;
}

/* For literals: their length is a constant then. */
static inline void out_text(text_out *o, const char *s)
{
    out_n(o, s, strlen(s));
}

static inline void out_char(text_out *o, char c)
{
    if (out_room(o, 1))
        *o->p++ = c;
}

#endif
