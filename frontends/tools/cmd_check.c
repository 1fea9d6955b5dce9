/* fclc check: everything that can be said about a module without running it. */
#include "frontends/tools/commands.h"

#include "frontends/tools/session.h"

int cmd_check(const options *o, const char *const *args, size_t n)
{
    (void)n;
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    bool ok = session_load(&s, args[0]) && fcl_module_check_kernels(s.module);
    return session_end(&s, ok);
}
