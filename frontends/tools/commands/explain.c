/* fclc explain E0203: what the code of a diagnostic means, an example, what to do. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/commands/pages.h"
#include "frontends/tools/output.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

#include <string.h>

/* Of a diagnostic of a front end, which has a name in place of a code; NULL: none is called that. */
static const char *front_end_title(const char *name)
{
    static const struct {
        const char *name, *title;
    } all[] = {
#define TAIL_ERROR(ENUM, number, name, title) {name, title},
#include "frontends/tail/errors.def"
#undef TAIL_ERROR
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].title;
    return NULL;
}

static bool print_title(session *s, const char *name, const char *title)
{
    string line = {0};
    string_addf(&line, "%s: %s\n", name, title);
    bool ok = output_write(&s->rep, "-", string_str(&line), line.len);
    string_free(&line);
    return ok;
}

/* The title comes from the library's table and the page from docs/diagnostics.md; a code without a
 * section prints its title alone. */
int cmd_explain(const options *o, const char *const *args, size_t n)
{
    (void)n;
    unsigned long long code;
    const char *front_end = front_end_title(args[0]);
    const char *digits = args[0] + (args[0][0] && strchr("EeWwRr", args[0][0]));
    if (!front_end && !parse_number(digits, 0, 9999, &code))
        return usage_error(o, "a code is a letter and four digits, such as E0203, not '%s'", args[0]);
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    if (front_end)
        return session_end(&s, print_title(&s, args[0], front_end));
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
