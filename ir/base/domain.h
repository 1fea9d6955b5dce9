/* Domains of tunables: a finite set of whole numbers, as text, in the order in which it is tried.
 *
 *   domain = item { "," item }
 *   item   = A | A ".." B | A ".." B "+" STEP | A ".." B "*" FACTOR
 *
 * A range has A, then as often as it stays at most B the number STEP more (1 where none is written) or FACTOR times as much.
 * Numbers are at most DOMAIN_MOST; A is at most B, STEP at least 1, FACTOR at least 2, and A at least 1 before it. */
#ifndef FCL_IR_BASE_DOMAIN_H
#define FCL_IR_BASE_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#define DOMAIN_MOST 2147483647u

/* How many numbers it lists; 0: the text is no domain.  Takes time in the length of the text. */
uint64_t domain_count(const char *text);
/* Number i, which is less than the count; 0 of what is no domain. */
uint32_t domain_at(const char *text, uint64_t i);
bool domain_has(const char *text, uint32_t n);
/* Reads digits of a number up to DOMAIN_MOST, and leaves *s behind them; false, and *s as it was, when there is none. */
bool domain_number(const char **s, uint32_t *out);

#endif
