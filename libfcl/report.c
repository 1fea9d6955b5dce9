/* Diagnostics of front ends, passes and tools: what callers say goes the way of the library's own.
 */
#include "libfcl/face.h"

#include <string.h>

enum { NAME_MOST = 31 };

/* Ends in a bracket when it is shown, so it has none, and no blanks. */
static bool good_name(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    size_t n = strlen(name);
    return n > 0 && n <= NAME_MOST && strspn(name, letters) == n;
}

/* The code, 0 when there is none of that number and severity. */
static unsigned code_of(const fcl_finding *f)
{
    bool warning = f->severity == FCL_WARNING;
    unsigned first = warning ? DIAG_OTHERS_WARN : DIAG_OTHERS,
             end = warning ? DIAG_OTHERS_END : DIAG_OTHERS_WARN, code = f->code ? f->code : first;
    return code >= first && code < end ? code : 0;
}

static bool good(const fcl_finding *f)
{
    bool ok = (f->severity == FCL_ERROR || f->severity == FCL_WARNING) && code_of(f) &&
              f->message && (!f->name || good_name(f->name)) && (f->notes || !f->nnotes);
    for (size_t i = 0; ok && i < f->nnotes; i++)
        ok = f->notes[i].message != NULL;
    return ok;
}

static location place(fcl_context *cx, const char *file, unsigned line, unsigned column,
                      unsigned length)
{
    if (!file || !*file)
        return (location){0};
    location l = {.file = intern_cstr(&cx->strings, file)};
    if (ir_line_is_valid(line)) {
        l.line = line;
        l.col = column;
        l.len = length;
    }
    return l;
}

bool fcl_report(fcl_context *cx, const fcl_finding *given)
{
    if (!cx)
        return false;
    fcl_finding f = abi_finding(given);
    if (!good(&f))
        return false;
    location at = place(cx, f.file, f.line, f.column, f.length);
    if (f.severity == FCL_WARNING)
        diag_warning(cx, (diag_code)code_of(&f), at, "%s", f.message);
    else
        diag_error(cx, (diag_code)code_of(&f), at, "%s", f.message);
    if (f.name)
        diag_call(cx, f.name);
    for (size_t i = 0; i < f.nnotes; i++) {
        const fcl_finding_note *n = &f.notes[i];
        diag_note_add(cx, place(cx, n->file, n->line, n->column, n->length), "%s", n->message);
    }
    if (f.hint)
        diag_hint(cx, "%s", f.hint);
    bool ok = !cx->mem.oom;
    face_ok(cx, cx->diags.errors);
    return ok;
}
