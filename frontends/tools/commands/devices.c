/* fclc devices: what --device accepts on this machine. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/output.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

int cmd_devices(const options *o, const char *const *args, size_t n)
{
    (void)args, (void)n;
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    string list = {0};
    for (size_t i = 0, n_devices = fcl_device_count(s.cx); i < n_devices; i++) {
        const char *name = fcl_device_name(s.cx, i);
        string_addf(&list, "%-10s ", name ? name : "");
        const char *description = fcl_device_description(s.cx, i);
        string_addf(&list, "%s\n", description ? description : "");
    }
    bool ok = output_write(&s.rep, "-", string_str(&list), list.len);
    string_free(&list);
    return session_end(&s, ok);
}
