/* Help on the terminal: see help.h. */
#include "frontends/tools/help/help.h"

enum { HELP_COLUMN = 28 };

static void row(FILE *to, const string *left, const char *what)
{
    fprintf(to, "  %-*s %s\n", HELP_COLUMN, string_str(left), what);
}

/* -o, --output=FILE   what it does */
static void option_row(FILE *to, const option_info *i)
{
    string left = {0};
    if (i->letter)
        string_addf(&left, "-%c, ", i->letter);
    string_addf(&left, "--%s", i->name);
    if (i->value)
        string_addf(&left, i->value[0] == '[' ? "%s" : "=%s", i->value);
    row(to, &left, i->help);
    string_free(&left);
}

static void limits(FILE *to)
{
    const char *summary;
    string left = {0};
    fputs("\nLimits for --limit, each at first as shown:\n", to);
    for (size_t i = 0; help_limit(i, &left, &summary); i++) {
        row(to, &left, summary);
        string_free(&left);
    }
}

static void tunables(FILE *to)
{
    string left = {0}, summary = {0};
    fputs("\nTunables for -D; a number is the usual one:\n", to);
    for (size_t i = 0; help_tunable(i, &left, &summary); i++) {
        row(to, &left, string_str(&summary));
        string_free(&left);
        string_free(&summary);
    }
}

static void commands(FILE *to, const program_about *p)
{
    const command_about *c;
    if (help_command(p, 0))
        fputs("\nCommands:\n", to);
    for (size_t i = 0; (c = help_command(p, i)); i++)
        fprintf(to, "  %-8s %-12s %s\n", c->name, c->usage, c->summary);
}

/* What tells of inputs and arguments is for commands that take some. */
void help_text(FILE *to, const program_about *p, const command_about *c)
{
    unsigned users = c ? c->use : p->users;
    if (c)
        fprintf(to, "%s %s [OPTION...] %s\n    %s\n", p->name, c->name, c->usage, c->summary);
    else
        fprintf(to, "%s %s\n    %s\n", p->name, p->usage, p->summary);
    if (!c)
        commands(to, p);
    fputs("\nOptions:\n", to);
    for (size_t i = 0; option_about(i); i++)
        if (option_about(i)->users & users)
            option_row(to, option_about(i));
    if (option_about(OPT_LIMIT)->users & users)
        limits(to);
    if (option_about(OPT_DEFINE)->users & users)
        tunables(to);
    if (option_about(OPT_LIMIT)->users & users && *p->notes)
        fprintf(to, "\n%s", p->notes);
}
