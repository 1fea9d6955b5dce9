/* Base 64 (RFC 4648, with padding): how the text form carries the bytes of sections that it does
 * not know. */
#ifndef FCL_SERIALIZE_CODING_BASE64_H
#define FCL_SERIALIZE_CODING_BASE64_H

#include "ir/base/mem.h"

/* Appends the digits, without line breaks.  False when memory is short. */
bool base64_encode(mem *m, const char *data, size_t size, vec_char *out);
/* False when the text is not base 64 or memory is short.  Only what base64_encode writes is
 * accepted: nothing else would come back as it was. */
bool base64_decode(mem *m, const char *text, size_t size, vec_char *out);

#endif
