/* The line that a message is about, and a caret below what is meant.
 *
 * Positions are bytes; what a terminal shows is cells: a character of several bytes has one, or two
 * where it is wide, or none where it joins the one before it. */
#ifndef FCL_BASE_CARET_H
#define FCL_BASE_CARET_H

#include "ir/base/mem.h"

/* Adds two lines, indented: the line (`size` bytes, without its end), and ^~~~ below the `length`
 * bytes from offset `at` on, at <= size.  Of a long line the part around the caret is shown; tabs
 * become blanks, and what is no text, or would move the cursor, becomes '?'. */
bool caret_draw(mem *m, const char *line, size_t size, size_t at, size_t length, vec_char *out);
/* The column, from 1, of that offset, in characters. */
uint32_t caret_column(const char *line, size_t size, size_t at);

#endif
