/* fclc explain E0203: what the code of a diagnostic means, an example, what to do. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/commands/pages.h"
#include "frontends/tools/output.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

#include <string.h>

/* The title comes from the library's table and the page from docs/diagnostics.md; a code without a
 * section prints its title alone. */
int cmd_explain(const options *o, const char *const *args, size_t n)
{
    (void)n;
    unsigned long long code;
    const char *digits = args[0] + (args[0][0] && strchr("EeWwRr", args[0][0]));
    if (!parse_number(digits, 0, 9999, &code))
        return usage_error(o, "a code is a letter and four digits, such as E0203, not '%s'", args[0]);
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    const char *title = report_explain((unsigned)code);
    bool ok = title || report_error(&s.rep, TD_CODE_UNKNOWN, (report_place){0}, NULL,
                                    "no diagnostic has the code %s", args[0]);
    if (ok) {
        string line = {0};
        size_t n_section;
        const char *section = explain_section((unsigned)code, &n_section);
        string_addf(&line, "%c%04llu: %s\n", fcl_diagnostic_letter((unsigned)code), code, title);
        if (section)
            string_addf(&line, "\n%.*s\n", (int)n_section, section);
        ok = output_write(&s.rep, "-", string_str(&line), line.len);
        string_free(&line);
    }
    return session_end(&s, ok);
}
