/* UTF-8 as Unicode defines it: no surrogates, no longer form than needed, nothing above U+10FFFF.
 */
#ifndef FCL_BASE_UTF8_H
#define FCL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the sequence at p, 1 to 4; 0 when it is none.  p < end.  Nothing from `end` on is
 * read. */
size_t utf8_length(const char *p, const char *end);
bool utf8_is_valid(const char *s, size_t n);

#endif
