/* CRC-32 by sixteen tables, so that sixteen bytes cost sixteen loads that do not wait for one
 * another: see crc32.h.
 *
 * The polynomial is 0xedb88320, bits reversed.  The tables, 16 KiB, are made on the stack of each
 * call and cost 4 microseconds: nothing is global, and small inputs go without all but the first.
 */
#include "serialize/coding/crc32.h"

#include <string.h>

enum { TABLES = 16, SMALL = 4096 };

/* table[i]: what the eight steps of the division, bit by bit, make of the byte i. */
static void make_first(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (0xedb88320u & (0 - (x & 1)));
        table[i] = x;
    }
}

/* table[t][i]: the same with t zero bytes behind it ("slicing by 16"). */
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

/* What four bytes do that have so many others behind them in a step. */
static inline uint32_t four(uint32_t table[TABLES][256], uint32_t x, int behind)
{
    return table[behind + 3][x & 255] ^ table[behind + 2][x >> 8 & 255] ^
           table[behind + 1][x >> 16 & 255] ^ table[behind][x >> 24];
}

/* A large input goes in steps of TABLES bytes down to its tail, which goes byte by byte as all of a
 * small one does: then only table[0] is made. */
uint32_t crc32_of(const void *data, size_t size)
{
    uint32_t table[TABLES][256], crc = UINT32_MAX;
    const unsigned char *p = data;
    make_first(table[0]);
    if (size >= SMALL)
        make_others(table);
    for (; size >= SMALL || (p != data && size >= TABLES); p += TABLES, size -= TABLES)
        crc = four(table, crc ^ load32(p), 12) ^ four(table, load32(p + 4), 8) ^
              four(table, load32(p + 8), 4) ^ four(table, load32(p + 12), 0);
    while (size--)
        crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
    return ~crc;
}
