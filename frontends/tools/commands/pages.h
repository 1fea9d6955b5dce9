/* What docs/diagnostics.md, which the programs carry inside, says about a code. */
#ifndef FCL_TOOLS_EXPLAIN_H
#define FCL_TOOLS_EXPLAIN_H

#include <stddef.h>

/* The section's text in Markdown, without its heading and blank lines around it; NULL when there is
 * none.  Static. */
const char *explain_section(unsigned code, size_t *size);
/* The first paragraph of it. */
const char *explain_paragraph(unsigned code, size_t *size);

#endif
