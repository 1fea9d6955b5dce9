/* The sections of docs/diagnostics.md: see commands/pages.h.  A section begins with a line "###
 * E0203" and ends before the next heading; a search goes through the page once. */
#define _GNU_SOURCE
#include "frontends/tools/commands/pages.h"

#include "libfcl/fcl.h"

#include <stdio.h>
#include <string.h>

/* The page as built in, without a 0 at its end: searches stay within its size. */
static const char page[] = {
#include "diagnostics.inc"
};

/* The first place of `what` from there on, or NULL. */
static const char *find(const char *from, const char *what)
{
    return memmem(from, (size_t)(page + sizeof page - from), what, strlen(what));
}

const char *explain_section(unsigned code, size_t *size)
{
    char heading[24];
    snprintf(heading, sizeof heading, "\n### %c%04u\n", fcl_diagnostic_letter(code), code);
    const char *start = find(page, heading), *end = page + sizeof page;
    if (!start)
        return NULL;
    start += strlen(heading);
    const char *next = find(start, "\n##");
    end = next ? next : end;
    while (end > start && end[-1] == '\n')
        end--;
    *size = (size_t)(end - start);
    return start;
}

/* Up to the first blank line, which is the section's summary. */
const char *explain_paragraph(unsigned code, size_t *size)
{
    const char *text = explain_section(code, size),
               *blank = text ? memmem(text, *size, "\n\n", 2) : NULL;
    if (blank)
        *size = (size_t)(blank - text);
    return text;
}
