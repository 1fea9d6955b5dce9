/* What the programs say of themselves, in four forms: help on the terminal, a manual page, and
 * completion for bash and zsh.  All are made of the table of options, the tables of commands and
 * what the library says of limits and tunables; nothing is said twice. */
#ifndef FCL_TOOLS_HELP_H
#define FCL_TOOLS_HELP_H

#include "frontends/tools/options.h"

/* A command of a program. */
typedef struct command_about {
    const char *name;
    unsigned use; /* its bit in the column "users" of options.def */
    const char *usage, *summary;
} command_about;

typedef struct program_about {
    const char *name, *usage, *summary;
    unsigned users;                            /* the bits of all its commands */
    const command_about *(*command)(size_t i); /* NULL beyond the last; NULL: it has none */
    const char *notes;                         /* paragraphs at the end, a line each; "" */
} program_about;

/* Prints the help in the form of --as, about one command where that is given (for text alone); the
 * exit status.  Output that cannot be written is a failure. */
int help_print(const options *o, const program_about *p, const command_about *c);

/* A form each: help/text.c, manual.c, completion.c. */
void help_text(FILE *to, const program_about *p, const command_about *c);
void help_manual(FILE *to, const program_about *p);
void help_bash(FILE *to, const program_about *p);
void help_zsh(FILE *to, const program_about *p);

/* Command i of a program, NULL beyond the last. */
const command_about *help_command(const program_about *p, size_t i);
/* "errors=100", with "(none)" for no limit; tells how it is written and what it is for. */
bool help_limit(size_t i, string *left, const char **summary);
/* "BlockSize=N", or with its usual value one of those that passes decide by; likewise. */
bool help_tunable(size_t i, string *left, string *summary);

#endif
