/* fclc, the driver: checks, compiles and runs modules.  The command line is options.def and the
 * table below; a command is a function of commands/, which gets the options and its arguments and
 * returns the exit status. */
#include "frontends/tools/commands/commands.h"

#include <string.h>

/* A command: its bit in the column "users" of options.def, how many arguments it takes, and how it
 * is called. */
typedef struct command {
    const char *name;
    unsigned use;
    size_t least, most; /* arguments */
    int (*run)(const options *o, const char *const *args, size_t n);
    const char *usage, *summary;
} command;

static const command commands[] = {
    {"check", USE_CHECK, 1, 1, cmd_check, "IN", "report what is wrong with a module"},
    {"compile", USE_COMPILE, 1, 1, cmd_compile, "IN -o OUT",
     "emit code, and the launch plan with --plan=FILE"},
    {"run", USE_RUN, 1, SIZE_MAX, cmd_run, "IN [ARG...]", "run a kernel and print its results"},
    {"devices", USE_DEVICES, 0, 0, cmd_devices, "", "list the devices of this machine"},
    {"explain", USE_EXPLAIN, 1, 1, cmd_explain, "CODE", "say what the code of a diagnostic means"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const char notes[] =
    "\nIN is a module in the text form (.fclir); - reads standard input.\n"
    "ARG is a literal (42, -7, 1.5, 2.5f32, true, (1, 2.5), [1,2,3], [[1,2],[3,4]], [(1, 2.0)]), "
    "iota:N (0 ... N-1),\n"
    "@FILE.npy (NumPy's format; (@A.npy, @B.npy) for an array of pairs), or NAME=ARG for the "
    "parameter of that name.\n"
    "Results are printed in the same form, one on each line; a tuple's components each on a line "
    "of its own.\n"
    "With -o FILE.npy results are written; several go to FILE.0.npy, FILE.1.npy, ...\n"
    "Exit status: 0 success, 1 refused or failed with diagnostics, 2 wrong usage.\n";

static const command *command_named(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Help for one command, or (NULL) for all.  Output that cannot be written is a failure. */
static int help(const command *c)
{
    if (c)
        printf("fclc %s [OPTION...] %s\n    %s\n", c->name, c->usage, c->summary);
    else
        puts("fclc COMMAND [OPTION...] ...\n\nCommands:");
    for (size_t i = 0; !c && i < COMMAND_COUNT; i++)
        printf("  %-8s %-12s %s\n", commands[i].name, commands[i].usage, commands[i].summary);
    options_help(c ? c->use : USE_ALL & ~(unsigned)USE_OPT, stdout);
    if (!c || c->use != USE_DEVICES)
        fputs(notes, stdout);
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_REFUSED;
}

static int version(void)
{
    printf("fclc %s\n", fcl_version());
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_REFUSED;
}

/* The first argument is the command's name. */
static int run_command(const options *o, const command *c)
{
    size_t n = o->nargs - 1;
    if (!options_fit(o, c->use, c->name))
        return EXIT_USAGE;
    if (n < c->least || n > c->most)
        return usage_error(o, "usage: fclc %s %s", c->name, c->usage);
    return c->run(o, o->args + 1, n);
}

/* --version and --help go before everything that could be wrong with the rest, but not before a
 * command that does not exist. */
static int dispatch(const options *o)
{
    const command *c = o->nargs ? command_named(o->args[0]) : NULL;
    if (o->value[OPT_VERSION])
        return version();
    if (o->nargs && !c)
        return usage_error(o, "there is no command '%s'", o->args[0]);
    if (o->value[OPT_HELP])
        return help(c);
    return c ? run_command(o, c) : usage_error(o, "a command is missing");
}

/* A command line that is wrong ends with EXIT_USAGE, before anything is read or written. */
int main(int argc, char **argv)
{
    options o;
    int status = options_parse(&o, "fclc", argc, argv);
    if (status == EXIT_OK)
        status = dispatch(&o);
    options_free(&o);
    return status;
}
