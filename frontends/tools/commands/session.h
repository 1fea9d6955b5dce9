/* What one run of a program holds: the context, the report, and the module it works on. */
#ifndef FCL_TOOLS_SESSION_H
#define FCL_TOOLS_SESSION_H

#include "frontends/tools/input.h"
#include "frontends/tools/options.h"
#include "frontends/tools/report/report.h"

typedef struct session {
    const options *o;
    fcl_context *cx;
    report rep;
    input in;
    fcl_module *module;
    fcl_artifact *artifact;      /* of fclc run: what is run when there is no module */
    fcl_kernels *kernels;        /* of fcl-opt: what the module has become */
    fcl_compile_options compile; /* of fcl-opt: those of o, and the observer */
} session;

/* False after a message when there is no memory for a context. */
bool session_begin(session *s, const options *o);
/* How the options want FCL source to be read. */
module_options session_source(const session *s);
/* Reads a file and its module. */
bool session_load(session *s, const char *path);
/* Reads a file and its module, or its artifact. */
bool session_load_runnable(session *s, const char *path);
bool session_refuse_artifact(session *s); /* reports that a module is wanted; false */
/* False, after saying that the artifact has its code already, whatever this option wants. */
bool session_refuse_option(session *s, option_id id);
/* The kernel that the options choose, one must be: --entry, main, or the only one; NULL after a
 * report. */
const char *session_kernel(session *s);
/* Whether --entry, when given, names a kernel. */
bool session_check_entry(session *s);
/* Reports what there is to report and frees everything; the program's exit status. */
int session_end(session *s, bool ok);

#endif
