/* Packing MessagePack into a growing buffer, in the shortest form of every value.
 *
 * The encodings are those of msgpack-c's template, which is headers only: nothing is linked.  Room
 * is made once for several values (pack_room), and packing itself is a few stores. */
#ifndef FCL_SERIALIZE_BINARY_PACK_H
#define FCL_SERIALIZE_BINARY_PACK_H

#include "ir/base/mem.h"

#include <string.h>

#include <msgpack/pack_define.h>
#include <msgpack/timestamp.h>

typedef struct packer {
    mem *mm;
    char *start, *p, *end;
} packer;

#define msgpack_pack_inline_func(name) static inline void pack##name
#define msgpack_pack_user              packer *
#define msgpack_pack_append_buffer(user, buf, len)                                                 \
    (memcpy((user)->p, (buf), (len)), (user)->p += (len))
#include <msgpack/pack_template.h>

enum { PACKED_MAX = 9 }; /* bytes of a number or of the head of an array, text or block */

/* Bytes packed so far. */
static inline size_t pack_size(const packer *k)
{
    return (size_t)(k->p - k->start);
}

/* pack_room where there is too little: at least doubles the buffer, so that growing costs a
 * constant for each byte. */
bool bin_pack_grow(packer *k, size_t bytes);

/* Makes room for so many bytes; false when memory is short. */
static inline bool pack_room(packer *k, size_t bytes)
{
    return (size_t)(k->end - k->p) >= bytes || bin_pack_grow(k, bytes);
}

/* Bytes as they are. */
bool bin_pack_bytes(packer *k, const void *data, size_t size);
/* `str` where the bytes are UTF-8, else `bin`. */
bool bin_pack_text(packer *k, const char *s, size_t n);
/* Turns what was packed since `at` into the elements of an array of n. */
bool bin_pack_close_array(packer *k, size_t at, size_t n);
/* Bytes of the head of an array of n. */
static inline size_t pack_array_head(size_t n)
{
    return n < 16 ? 1 : n < 65536 ? 3 : 5;
}

/* The same where `gap` bytes were left free at `at` for the head: when they are what it takes,
 * nothing is moved. */
bool bin_pack_close_gap(packer *k, size_t at, size_t gap, size_t n);
void bin_pack_free(packer *k);

#endif
