/* Completion for bash and zsh: see help.h.  Both are functions of the shell that know the commands
 * and each one's options; everything else completes as file names. */
#include "frontends/tools/help/help.h"

/* A name for a function of the shell. */
static void identifier(FILE *to, const char *name)
{
    fputc('_', to);
    for (; *name; name++)
        fputc(*name == '-' ? '_' : *name, to);
}

static void command_names(FILE *to, const program_about *p, const char *between)
{
    for (size_t i = 0; help_command(p, i); i++)
        fprintf(to, "%s%s", i ? between : "", help_command(p, i)->name);
}

/* ---- bash ---- */

/* Those that need a value end with "=", so that it can be typed at once. */
static void bash_options(FILE *to, unsigned users)
{
    const option_info *o;
    for (size_t i = 0; (o = option_about(i)); i++)
        if (o->users & users)
            fprintf(to, " --%s%s", o->name, o->value && o->value[0] != '[' ? "=" : "");
}

static void bash_command(FILE *to, const program_about *p)
{
    fputs("    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        case $word in\n        ",
          to);
    command_names(to, p, " | ");
    fputs(") command=$word; break ;;\n        esac\n    done\n    case $command in\n", to);
    for (size_t i = 0; help_command(p, i); i++) {
        fprintf(to, "    %s) options=\"", help_command(p, i)->name);
        bash_options(to, help_command(p, i)->use);
        fputs("\" ;;\n", to);
    }
    fputs("    esac\n    if [[ $current != -* && ( -z $command || $command = help ) ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"",
          to);
    command_names(to, p, " ");
    fputs("\" -- \"$current\")\n        return\n    fi\n", to);
}

void help_bash(FILE *to, const program_about *p)
{
    fprintf(to, "# Completion of %s for bash.\n", p->name);
    identifier(to, p->name);
    fputs("()\n{\n    local current=${COMP_WORDS[COMP_CWORD]} command=\"\" word options=\"", to);
    bash_options(to, p->users);
    fputs("\"\n    COMPREPLY=()\n", to);
    if (help_command(p, 0))
        bash_command(to, p);
    fputs("    [[ $current == -* ]] || return\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
          "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n}\ncomplete -o default -F ",
          to);
    identifier(to, p->name);
    fprintf(to, " %s\n", p->name);
}

/* ---- zsh ---- */

/* A part of a specification between single quotes. */
static void zsh_text(FILE *to, const char *s)
{
    for (; *s; s++)
        if (*s == '\'')
            fputs("'\\''", to);
        else
            fprintf(to, *s == ':' || *s == '[' || *s == ']' || *s == '\\' ? "\\%c" : "%c", *s);
}

/* -o and --output=: the help, then what the value is; files where it is one. */
static void zsh_option(FILE *to, const option_info *o)
{
    bool optional = o->value && o->value[0] == '[';
    bool file = o->value && (optional ? o->value[2] == 'F' : o->value[0] == 'F');
    fprintf(to, " \\\n        '--%s%s[", o->name, !o->value ? "" : optional ? "=-" : "=");
    zsh_text(to, o->help);
    fputc(']', to);
    if (o->value)
        fputs(optional ? "::" : ":", to);
    if (o->value)
        fprintf(to, "value:%s", file ? "_files" : "");
    fputc('\'', to);
}

static void zsh_options(FILE *to, unsigned users)
{
    fputs("_arguments -s", to);
    for (size_t i = 0; option_about(i); i++)
        if (option_about(i)->users & users)
            zsh_option(to, option_about(i));
    fputs(" \\\n        '*:file:_files'", to);
}

static void zsh_commands(FILE *to, const program_about *p)
{
    const command_about *c;
    fputs("    local -a commands\n    commands=(", to);
    for (size_t i = 0; (c = help_command(p, i)); i++) {
        fprintf(to, "\n        '%s:", c->name);
        zsh_text(to, c->summary);
        fputc('\'', to);
    }
    fputs(")\n    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
          "        _describe command commands\n        return\n    fi\n    case $words[2] in\n",
          to);
    for (size_t i = 0; (c = help_command(p, i)); i++) {
        fprintf(to, "    %s) ", c->name);
        zsh_options(to, c->use);
        fputs(" ;;\n", to);
    }
    fputs("    esac\n", to);
}

void help_zsh(FILE *to, const program_about *p)
{
    fprintf(to, "#compdef %s\n", p->name);
    identifier(to, p->name);
    fputs("()\n{\n", to);
    if (help_command(p, 0)) {
        zsh_commands(to, p);
    } else {
        fputs("    ", to);
        zsh_options(to, p->users);
        fputc('\n', to);
    }
    fputs("}\n", to);
    identifier(to, p->name);
    fputs(" \"$@\"\n", to);
}
