/* What codes and severities are called. */
#include "frontends/tools/report/form.h"

#include <stdio.h>

const char *report_explain(unsigned code)
{
    switch (code) {
#define DIAG(code, number, title)                                                                  \
    case number:                                                                                   \
        return title;
#include "frontends/tools/report/diag.def"
#undef DIAG
    default: return fcl_diagnostic_explain(code);
    }
}

const char *report_severity(fcl_severity s)
{
    static const char *const names[] = {[FCL_ERROR] = "error",
                                        [FCL_WARNING] = "warning",
                                        [FCL_NOTE] = "note",
                                        [FCL_REMARK] = "remark"};
    return names[s];
}

const char *report_code(const fcl_diagnostic *d, char out[REPORT_CODE])
{
    if (d->name && *d->name)
        snprintf(out, REPORT_CODE, "%s", d->name);
    else
        snprintf(out, REPORT_CODE, "%c%04u", fcl_diagnostic_letter(d->code), d->code);
    return out;
}
