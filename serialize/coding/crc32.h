/* CRC-32 as in zlib, PNG and IEEE 802.3: the checksum of binary files. */
#ifndef FCL_SERIALIZE_CODING_CRC32_H
#define FCL_SERIALIZE_CODING_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The sum of so many bytes, initial value and final inversion included; 0 for none. */
uint32_t crc32_of(const void *data, size_t size);

#endif
