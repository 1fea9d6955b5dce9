/* Output files that are whole or not there.
 *
 * What is written goes to a temporary file in the same directory, which takes the place of the
 * named file when everything succeeded; until then the named file is untouched.  Devices and pipes,
 * and "-" for standard output, are written directly. */
#ifndef FCL_TOOLS_OUTPUT_H
#define FCL_TOOLS_OUTPUT_H

#include "frontends/tools/report/report.h"

#include <stdio.h>

typedef struct output {
    const char *path; /* as the user wrote it */
    char *target; /* what the temporary file is renamed to: path with links followed; NULL: written
                     directly */
    char *temporary;
    FILE *file;
} output;

/* False after a report; out may be discarded all the same.  Then write to out->file, close, and
 * commit; discard ends all of it, at any point. */
bool output_open(report *r, const char *path, output *out);
/* Ends the writing, and reports whether every byte arrived. */
bool output_close(report *r, output *out);
/* Puts a closed output in its place. */
bool output_commit(report *r, output *out);
/* Removes what is left of an output; nothing after output_commit. */
void output_discard(output *out);

/* All of the above for n bytes. */
bool output_write(report *r, const char *path, const void *data, size_t n);

#endif
