/* SHA-256: see sha256.h.  Written from FIPS 180-4, whose names it keeps. */
#include "serialize/coding/sha256.h"

#include <string.h>

/* The constants of section 4.2.2: the first 32 bits of the fractions of the cube roots of the first
 * 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* The initial hash value of section 5.3.3. */
void sha256_init(sha256 *h)
{
    static const uint32_t H0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, H0, sizeof H0);
    h->size = 0;
}

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The message schedule: step 1 of section 6.2.2.  Words are big-endian. */
static void schedule(uint32_t W[64], const unsigned char *p)
{
    for (int t = 0; t < 16; t++, p += 4)
        W[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = W[t - 16] + s0 + W[t - 7] + s1;
    }
}

/* Steps 2 to 4 of section 6.2.2; v is a, b, ..., h, moved on by one letter in each round. */
static void add_block(uint32_t H[8], const unsigned char *block)
{
    uint32_t W[64], v[8];
    schedule(W, block);
    memcpy(v, H, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t S1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25),
                 S0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
        uint32_t T1 = v[7] + S1 + ((e & v[5]) ^ (~e & v[6])) + K[t] + W[t];
        uint32_t T2 = S0 + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += T1;
        v[0] = T1 + T2;
    }
    for (int i = 0; i < 8; i++)
        H[i] += v[i];
}

/* Fills the block, whose used part follows from the size so far, and adds it whenever it is
 * full. */
void sha256_add(sha256 *h, const void *data, size_t size)
{
    const unsigned char *p = data;
    while (size) {
        size_t used = h->size % 64, n = 64 - used < size ? 64 - used : size;
        memcpy(h->block + used, p, n);
        h->size += n;
        if (used + n == 64)
            add_block(h->state, h->block);
        p += n;
        size -= n;
    }
}

/* Padding, section 5.1.1: a one bit, zeros up to 8 bytes before the end of a block, then the number
 * of bits of the message, big-endian, which is taken before the padding is added. */
void sha256_end(sha256 *h, unsigned char digest[32])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(h->size * 8 >> (56 - 8 * i));
    sha256_add(h, padding, 1 + (119 - h->size % 64) % 64);
    sha256_add(h, bits, sizeof bits);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}
