/* What codes and severities are called. */
#include "frontends/tools/report/report.h"

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
    return s == FCL_ERROR ? "error" : s == FCL_WARNING ? "warning" : "note";
}
