/* fclc join: artifacts of one module, compiled in different ways, as one file whose codes stand in
 * the order of the arguments. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/commands/session.h"
#include "frontends/tools/output.h"

static fcl_artifact *load(session *s, const char *path)
{
    input in;
    fcl_artifact *a = NULL;
    if (input_read(&s->rep, path, INPUT_MODULE_LIMIT, &in))
        a = fcl_artifact_load(s->cx, in.name, in.data, in.size);
    input_free(&in);
    return a;
}

static bool write_joined(session *s)
{
    const char *path = s->o->value[OPT_OUTPUT];
    size_t size;
    char *file = fcl_artifact_save(s->artifact, &size);
    bool ok = file && output_write(&s->rep, path ? path : "-", file, size);
    if (file)
        fcl_free(s->cx, file, size);
    return ok;
}

int cmd_join(const options *o, const char *const *args, size_t n)
{
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    bool ok = (s.artifact = load(&s, args[0])) != NULL;
    for (size_t i = 1; ok && i < n; i++) {
        fcl_artifact *more = load(&s, args[i]);
        ok = more && fcl_artifact_join(s.artifact, more);
    }
    return session_end(&s, ok && write_joined(&s));
}
