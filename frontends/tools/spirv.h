/* SPIR-V for people: its text, by SPIRV-Tools. */
#ifndef FCL_TOOLS_SPIRV_H
#define FCL_TOOLS_SPIRV_H

#include "frontends/tools/report/report.h"

/* The text of a module, to be freed; *length bytes.  NULL with a report: no module, no memory. */
char *spirv_text(report *r, const char *code, size_t size, size_t *length);

#endif
