/* Which form of help, and what all have in common: see help.h. */
#include "frontends/tools/help/help.h"

#include <string.h>

const command_about *help_command(const program_about *p, size_t i)
{
    return p->command ? p->command(i) : NULL;
}

bool help_limit(size_t i, string *left, const char **summary)
{
    fcl_limit_info info;
    if (!fcl_limit_about(i, &info, sizeof info))
        return false;
    if (info.initial == SIZE_MAX)
        string_addf(left, "%s=(none)", info.name);
    else
        string_addf(left, "%s=%zu", info.name, info.initial);
    *summary = info.summary;
    return true;
}

/* Those of lowering come first. */
bool help_tunable(size_t i, string *left, string *summary)
{
    fcl_pass_option about;
    fcl_tuning_info info;
    size_t n = 0;
    if (option_tunable(i, &about)) {
        string_addf(left, "%s=N", about.name);
        string_addf(summary, "%s", about.summary);
        return true;
    }
    while (option_tunable(n, &about))
        n++;
    if (!fcl_tuning_about(i - n, &info, sizeof info))
        return false;
    string_addf(left, "%s=%u", info.name, info.usual);
    string_addf(summary, "%s: %s", info.pass, info.summary);
    return true;
}

static const struct form {
    const char *name;
    void (*print)(FILE *to, const program_about *p);
} forms[] = {{"man", help_manual}, {"bash", help_bash}, {"zsh", help_zsh}};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

int help_print(const options *o, const program_about *p, const command_about *c)
{
    const char *as = o->value[OPT_AS];
    size_t i = 0;
    while (as && i < FORM_COUNT && strcmp(forms[i].name, as) != 0)
        i++;
    if (!as || strcmp(as, "text") == 0)
        help_text(stdout, p, c);
    else if (i < FORM_COUNT)
        forms[i].print(stdout, p);
    else
        return usage_error(o, "--as takes text, man, bash or zsh, not '%s'", as);
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_REFUSED;
}
