/* fclc targets: what --target accepts, with the plug-ins that are given. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/output.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

int cmd_targets(const options *o, const char *const *args, size_t n)
{
    (void)args, (void)n;
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    string list = {0};
    fcl_target_info t;
    for (size_t i = 0; fcl_target_about(s.cx, i, &t, sizeof t); i++)
        string_addf(&list, "%-12s %s\n", t.name, t.summary);
    bool ok = output_write(&s.rep, "-", string_str(&list), list.len);
    string_free(&list);
    return session_end(&s, ok);
}
