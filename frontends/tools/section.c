/* The parts of an input file: see section.h. */
#include "frontends/tools/section.h"

#include "frontends/tools/text.h"

#include <string.h>

const char section_separator[] = "// -----\n";

/* The length of the line at s, its newline included. */
static size_t line_length(const char *s, size_t size)
{
    const char *newline = memchr(s, '\n', size);
    return newline ? (size_t)(newline + 1 - s) : size;
}

/* The separator, perhaps with blanks behind it, as a whole line. */
static bool is_separator(const char *s, size_t n)
{
    size_t word = sizeof section_separator - 2;
    if (n < word || memcmp(s, section_separator, word) != 0)
        return false;
    for (size_t i = word; i < n; i++)
        if (!strchr(" \t\r\n", s[i]))
            return false;
    return true;
}

/* An offset behind the end says that the last part was given: the end itself may be an empty
 * part. */
bool section_next(const char *data, size_t size, size_t *offset, size_t *line, section *out)
{
    if (*offset > size)
        return false;
    *out = (section){.data = data + *offset, .line = *line};
    while (*offset < size) {
        size_t n = line_length(data + *offset, size - *offset);
        bool separator = is_separator(data + *offset, n);
        *offset += n;
        ++*line;
        if (separator)
            return true;
        out->size += n;
    }
    *offset = size + 1;
    return true;
}

/* So that diagnostics of a part name the lines of the file. */
char *section_padded(const section *s, size_t *size)
{
    *size = s->line + s->size;
    char *copy = tool_alloc(*size + 1, 1);
    memset(copy, '\n', s->line);
    memcpy(copy + s->line, s->data, s->size);
    return copy;
}
