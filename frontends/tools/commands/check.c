/* fclc check: everything that can be said about a module without running it. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/commands/session.h"

#include <stdio.h>

/* The signatures of FCL source. */
static bool print_signatures(session *s)
{
    size_t size;
    char *text = fcl_module_signatures(s->module, &size);
    if (!text)
        return true;
    bool ok = fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
    fcl_free(s->cx, text, size);
    return ok;
}

/* Exit status as for all commands: 0, or 1 after diagnostics; nothing is compiled or run. */
int cmd_check(const options *o, const char *const *args, size_t n)
{
    (void)n;
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    bool ok =
        session_load(&s, args[0]) && fcl_module_check_kernels(s.module) && print_signatures(&s);
    return session_end(&s, ok);
}
