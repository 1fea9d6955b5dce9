/* CRC-32 by eight tables, so that eight bytes cost eight loads that do not wait for one another: see crc32.h.
 *
 * The polynomial is 0xedb88320, bits reversed.  The tables, 8 KiB, are made on the stack of each call and cost 2
 * microseconds: nothing is global, and small inputs go without all but the first. */
#include "serialize/crc32.h"

#include <string.h>

enum { TABLES = 8, SMALL = 4096 };

static void make_first(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (0xedb88320u & (0 - (x & 1)));
        table[i] = x;
    }
}

static void make_others(uint32_t table[TABLES][256])
{
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < TABLES; t++)
            table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 255];
}

static uint32_t load32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t crc32_of(const void *data, size_t size)
{
    uint32_t table[TABLES][256], crc = UINT32_MAX;
    const unsigned char *p = data;
    make_first(table[0]);
    if (size >= SMALL)
        make_others(table);
    for (; size >= SMALL || (p != data && size >= 8); p += 8, size -= 8) {
        uint32_t a = crc ^ load32(p), b = load32(p + 4);
        crc = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^ table[4][a >> 24] ^
              table[3][b & 255] ^ table[2][b >> 8 & 255] ^ table[1][b >> 16 & 255] ^ table[0][b >> 24];
    }
    while (size--)
        crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
    return ~crc;
}
