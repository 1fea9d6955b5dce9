/* Expected diagnostics, written beside what causes them:
 *
 *   %x = add %a, %b   //! E0302 @12 text     this error on this line, in column 12,
 *                                            with text in its message
 *   //! E0302                                on its own line: on the next line that is
 *                                            no such comment
 *   //!file E0101 text                       anywhere in the part of the file
 *
 * Column and text may be left out. */
#ifndef FCL_TOOLS_EXPECT_H
#define FCL_TOOLS_EXPECT_H

#include "frontends/tools/report/report.h"

/* Compares the errors in the report's context with the expectations in the text, and clears them;
 * every difference is reported.  False when there is one. */
bool expect_verify(report *r, const char *file, const char *data, size_t size);

#endif
