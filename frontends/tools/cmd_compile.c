/* fclc compile: from a module to code, and its launch plan beside it; either both files change or none. */
#include "frontends/tools/commands.h"

#include "frontends/tools/output.h"
#include "frontends/tools/session.h"

#include <string.h>

typedef struct piece {
    const char *path, *data;
    size_t size;
    output out;
} piece;

static bool write_pieces(session *s, piece *p, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = output_open(&s->rep, p[i].path, &p[i].out);
        if (ok) {
            fwrite(p[i].data, 1, p[i].size, p[i].out.file);
            ok = output_close(&s->rep, &p[i].out);
        }
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = output_commit(&s->rep, &p[i].out);
    for (size_t i = 0; i < n; i++)
        output_discard(&p[i].out);
    return ok;
}

static bool write_artifact(session *s, const fcl_artifact *a)
{
    const char *plan = s->o->value[OPT_PLAN], *code = s->o->value[OPT_OUTPUT];
    piece p[2] = {{.path = code ? code : "-"}, {.path = plan}};
    p[0].data = fcl_artifact_code(a, &p[0].size);
    p[1].data = fcl_artifact_plan(a, &p[1].size);
    return write_pieces(s, p, plan ? 2 : 1);
}

int cmd_compile(const options *o, const char *const *args, size_t n)
{
    (void)n;
    session s;
    const char *plan = o->value[OPT_PLAN], *code = o->value[OPT_OUTPUT];
    if (plan && code && strcmp(plan, code) == 0)
        return usage_error(o, "-o and --plan name the same file");
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    bool ok = session_load(&s, args[0]) && session_check_entry(&s);
    fcl_artifact *a = ok ? fcl_compile(s.module, &o->compile) : NULL;
    ok = a && write_artifact(&s, a);
    if (a)
        fcl_artifact_destroy(a);
    return session_end(&s, ok);
}
