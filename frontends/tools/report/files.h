/* Whole files in memory, without a word to the user: who asks reports. */
#ifndef FCL_TOOLS_REPORT_FILES_H
#define FCL_TOOLS_REPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct input {
    const char *name; /* as diagnostics call it */
    char *data;       /* size bytes and a NUL */
    size_t size;
} input;

typedef enum { READ_OK, READ_LARGE, READ_MEMORY, READ_FAILED } read_result;

/* All of a stream, of at most `limit` bytes, into *out, which input_free frees whatever the result;
 * READ_FAILED leaves errno. */
read_result input_read_all(FILE *f, size_t limit, input *out);
void input_free(input *in);
/* Reads a file that a program names (loc("front.apl":3:7)), looked for from the current folder and
 * beside the input.  Only a regular file in or below one of these two is read: a program from
 * elsewhere shall not show others.  False without a report. */
bool input_find(const char *name, const char *beside, input *out);

#endif
