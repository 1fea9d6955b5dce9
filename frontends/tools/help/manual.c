/* Manual pages, in the macros of man(7): see help.h. */
#include "frontends/tools/help/help.h"

#include <ctype.h>
#include <string.h>

/* Text as it is meant: hyphens are those that users type, and no line begins like a request. */
static void text(FILE *to, const char *s)
{
    bool starts = true;
    for (; *s; s++) {
        if (starts && (*s == '.' || *s == '\''))
            fputs("\\&", to);
        if (*s == '-')
            fputs("\\-", to);
        else if (*s == '\\')
            fputs("\\e", to);
        else
            fputc(*s, to);
        starts = *s == '\n';
    }
}

static void bold(FILE *to, const char *s)
{
    fputs("\\fB", to);
    text(to, s);
    fputs("\\fR", to);
}

static void italic(FILE *to, const char *s)
{
    fputs("\\fI", to);
    text(to, s);
    fputs("\\fR", to);
}

/* What is said of a tag, below it. */
static void below(FILE *to, const char *what)
{
    fputc('\n', to);
    text(to, what);
    fputc('\n', to);
}

static void entry(FILE *to, const char *left, const char *what)
{
    fputs(".TP\n", to);
    bold(to, left);
    below(to, what);
}

static void commands(FILE *to, const program_about *p)
{
    const command_about *c;
    if (help_command(p, 0))
        fputs(".SH COMMANDS\n", to);
    for (size_t i = 0; (c = help_command(p, i)); i++) {
        fputs(".TP\n", to);
        bold(to, c->name);
        fputc(' ', to);
        italic(to, c->usage);
        below(to, c->summary);
    }
}

/* Which commands take it, where not all do. */
static void takers(FILE *to, const program_about *p, const option_info *o)
{
    const command_about *c;
    const char *before = "(";
    if (!help_command(p, 0) || (o->users & p->users) == p->users)
        return;
    for (size_t i = 0; (c = help_command(p, i)); i++)
        if (o->users & c->use) {
            fputs(before, to);
            text(to, c->name);
            before = ", ";
        }
    fputs(")\n", to);
}

static void option(FILE *to, const program_about *p, const option_info *o)
{
    fputs(".TP\n", to);
    if (o->letter)
        fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", to);
    text(to, o->name);
    fputs("\\fR", to);
    if (o->value && o->value[0] != '[')
        fputc('=', to);
    if (o->value)
        italic(to, o->value);
    below(to, o->help);
    takers(to, p, o);
}

static void tables(FILE *to)
{
    const char *summary;
    string left = {0}, about = {0};
    fputs(".SH LIMITS\nFor \\fB\\-\\-limit\\fR, each at first as shown.\n", to);
    for (size_t i = 0; help_limit(i, &left, &summary); i++) {
        entry(to, string_str(&left), summary);
        string_free(&left);
    }
    fputs(".SH TUNABLES\nFor \\fB\\-D\\fR; a number is the usual one.\n", to);
    for (size_t i = 0; help_tunable(i, &left, &about); i++) {
        entry(to, string_str(&left), string_str(&about));
        string_free(&left);
        string_free(&about);
    }
}

static void title(FILE *to, const program_about *p)
{
    fputs(".TH ", to);
    for (const char *s = p->name; *s; s++)
        fputc(toupper((unsigned char)*s), to);
    fprintf(to, " 1 \"\" \"libfcl %s\" \"User Commands\"\n.SH NAME\n", fcl_version());
    text(to, p->name);
    fputs(" \\- ", to);
    text(to, p->summary);
    fputs("\n.SH SYNOPSIS\n", to);
    bold(to, p->name);
    fputc(' ', to);
    text(to, p->usage);
    fputc('\n', to);
}

/* Each note a paragraph: one ends with a period at the end of a line. */
static void notes(FILE *to, const char *s)
{
    for (const char *end; *s; s = end) {
        end = strstr(s, ".\n");
        end = end ? end + 2 : s + strlen(s);
        string note = {0};
        string_add(&note, s, (size_t)(end - s));
        fputs(".PP\n", to);
        text(to, string_str(&note));
        string_free(&note);
    }
}

void help_manual(FILE *to, const program_about *p)
{
    title(to, p);
    commands(to, p);
    fputs(".SH OPTIONS\n", to);
    for (size_t i = 0; option_about(i); i++)
        if (option_about(i)->users & p->users)
            option(to, p, option_about(i));
    tables(to);
    if (*p->notes)
        fputs(".SH NOTES\n", to);
    notes(to, p->notes);
}
