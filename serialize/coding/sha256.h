/* SHA-256 (FIPS 180-4): the content hash of modules. */
#ifndef FCL_SERIALIZE_CODING_SHA256_H
#define FCL_SERIALIZE_CODING_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
} sha256;

/* Begin; add any number of bytes, any number of times; end, after which h is used up.  Nothing is
 * allocated and nothing can fail. */
void sha256_init(sha256 *h);
void sha256_add(sha256 *h, const void *data, size_t size);
void sha256_end(sha256 *h, unsigned char digest[32]);

#endif
