/* The buffers of what is packed: see coding/pack.h.  An array's head stands before its elements
 * and depends on their number: it is inserted when they are packed, which moves them, unless a gap
 * of the right size was left for it. */
#include "serialize/coding/pack.h"

#include "ir/base/utf8.h"

/* A size beyond what can be had is short memory like any other. */
bool bin_pack_grow(packer *k, size_t bytes)
{
    size_t size = pack_size(k), cap = (size_t)(k->end - k->start), want = cap * 2;
    if (bytes > SIZE_MAX / 4 - size) {
        k->mm->oom = true;
        return false;
    }
    if (want < size + bytes)
        want = size + bytes + 64;
    char *start = mem_resize(k->mm, k->start, cap, want);
    if (!start)
        return false;
    k->start = start;
    k->p = start + size;
    k->end = start + want;
    return true;
}

bool bin_pack_bytes(packer *k, const void *data, size_t size)
{
    if (!pack_room(k, size))
        return false;
    if (size)
        memcpy(k->p, data, size);
    k->p += size;
    return true;
}

/* docs/format.md: a text that is not UTF-8 is a `bin`, so that it comes back as it was. */
bool bin_pack_text(packer *k, const char *s, size_t n)
{
    if (!pack_room(k, n + PACKED_MAX))
        return false;
    if (utf8_is_valid(s, n))
        pack_str(k, n);
    else
        pack_bin(k, n);
    return bin_pack_bytes(k, s, n);
}

bool bin_pack_close_gap(packer *k, size_t at, size_t gap, size_t n)
{
    size_t body = pack_size(k) - at - gap, head = pack_array_head(n);
    if (n > UINT32_MAX || !pack_room(k, PACKED_MAX))
        return false;
    if (head != gap)
        memmove(k->start + at + head, k->start + at + gap, body);
    k->p = k->start + at;
    pack_array(k, n);
    k->p += body;
    return true;
}

bool bin_pack_close_array(packer *k, size_t at, size_t n)
{
    return bin_pack_close_gap(k, at, 0, n);
}

/* The packer is empty then, and may be used again. */
void bin_pack_free(packer *k)
{
    mem_free(k->mm, k->start, (size_t)(k->end - k->start));
    *k = (packer){.mm = k->mm};
}
