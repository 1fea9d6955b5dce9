/* The seal of a binary file: its last five bytes, a CRC-32 of all bytes before them as a
 * MessagePack uint 32 whatever its value is, so that what it covers does not depend on it. */
#ifndef FCL_SERIALIZE_CODING_SEAL_H
#define FCL_SERIALIZE_CODING_SEAL_H

#include "serialize/coding/cursor.h"
#include "serialize/coding/pack.h"

typedef enum { SEAL_GOOD, SEAL_MISSING, SEAL_BROKEN } seal_state;
enum { SEAL_MISTAKE = 100 };

/* Seals what was packed so far.  False when memory is short. */
bool seal_pack(packer *k);
/* Compares the seal at the cursor's end with the bytes from `start` on; the cursor ends before it
 * then, if it is there.  Unless it is good, `mistake` says in words why. */
seal_state seal_take(cursor *c, const unsigned char *start, char mistake[SEAL_MISTAKE]);

#endif
