/* Sealing binary files, and looking at the seal: see seal.h. */
#include "serialize/coding/seal.h"

#include "serialize/coding/crc32.h"

#include <stdio.h>

enum { SEAL_FIRST = 0xce, SEAL_SIZE = 5 };

bool seal_pack(packer *k)
{
    if (!pack_room(k, SEAL_SIZE))
        return false;
    uint32_t crc = crc32_of(k->start, pack_size(k));
    const unsigned char bytes[SEAL_SIZE] = {SEAL_FIRST, (unsigned char)(crc >> 24),
                                            (unsigned char)(crc >> 16), (unsigned char)(crc >> 8),
                                            (unsigned char)crc};
    return bin_pack_bytes(k, bytes, sizeof bytes);
}

seal_state seal_take(cursor *c, const unsigned char *start, char mistake[SEAL_MISTAKE])
{
    cursor last = {.p = c->end - SEAL_SIZE, .end = c->end};
    uint32_t stored;
    if (c->end - c->p < SEAL_SIZE || *last.p != SEAL_FIRST || !cursor_u32(&last, &stored)) {
        snprintf(mistake, SEAL_MISTAKE,
                 "the file does not end with a checksum: it was cut off or damaged");
        return SEAL_MISSING;
    }
    c->end -= SEAL_SIZE;
    uint32_t sum = crc32_of(start, (size_t)(c->end - start));
    if (stored == sum)
        return SEAL_GOOD;
    snprintf(mistake, SEAL_MISTAKE, "the checksum is %08x, but the bytes have %08x", stored, sum);
    return SEAL_BROKEN;
}
