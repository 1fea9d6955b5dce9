/* The parts of an input file that lines `// -----` separate. */
#ifndef FCL_TOOLS_SECTION_H
#define FCL_TOOLS_SECTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct section {
    const char *data;
    size_t size, line; /* line: how many lines of the file come before it */
} section;

extern const char section_separator[]; /* with its newline */

/* The next part from *offset on, which is moved behind it; false at the end.  An empty file is one
 * empty part. */
bool section_next(const char *data, size_t size, size_t *offset, size_t *line, section *out);
/* A copy in which the part stands at its own line: newlines, then the part.  malloc'ed; *size is
 * its length. */
char *section_padded(const section *s, size_t *size);

#endif
