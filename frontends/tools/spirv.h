/* SPIR-V for people, by SPIRV-Tools: whether a module is valid, and its text. */
#ifndef FCL_TOOLS_SPIRV_H
#define FCL_TOOLS_SPIRV_H

#include "frontends/tools/report/report.h"

/* The text of a module that is valid for the environment that it asks for, to be freed; *length
 * bytes.  NULL with a report: no module, not valid, no memory. */
char *spirv_text(report *r, const char *code, size_t size, size_t *length);

#endif
