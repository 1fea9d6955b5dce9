/* fclc, the driver: checks, compiles and runs modules.  The command line is options.def and the
 * table below; a command is a function of commands/, which gets the options and its arguments and
 * returns the exit status. */
#include "frontends/tools/commands/commands.h"
#include "frontends/tools/help/help.h"
#include "frontends/tools/memory.h"

#include <string.h>

/* A command, how many arguments it takes, and what does it; NULL: dispatch does. */
typedef struct command {
    command_about about;
    size_t least, most;
    int (*run)(const options *o, const char *const *args, size_t n);
} command;

static const command commands[] = {
    {{"check", USE_CHECK, "IN", "report what is wrong with a module"}, 1, 1, cmd_check},
    {{"compile", USE_COMPILE, "IN -o OUT", "emit code, and the launch plan with --plan=FILE"},
     1,
     1,
     cmd_compile},
    {{"run", USE_RUN, "IN [ARG...]", "run a kernel and print its results"}, 1, SIZE_MAX, cmd_run},
    {{"tune", USE_TUNE, "IN [ARG...]", "look for the tunables with which a kernel is fastest on a device"},
     1,
     SIZE_MAX,
     cmd_tune},
    {{"join", USE_JOIN, "A.fcla B.fcla... -o OUT.fcla",
      "put the codes of several artifacts of one module into one"},
     2,
     SIZE_MAX,
     cmd_join},
    {{"devices", USE_DEVICES, "", "list the devices of this machine"}, 0, 0, cmd_devices},
    {{"targets", USE_DEVICES, "", "list what code can be compiled for"}, 0, 0, cmd_targets},
    {{"explain", USE_EXPLAIN, "CODE", "say what the code of a diagnostic means"},
     1,
     1,
     cmd_explain},
    {{"help", USE_HELP, "[COMMAND]", "say how a command is called, or all of them"}, 0, 1, NULL},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const char notes[] =
    "IN is a module in the text or binary form (.fclir, .fclb), FCL source (.fcl), or for compile and run a compiled\n"
    "program (.fcla); - reads standard input.\n"
    "ARG is a literal (42, -7, 1.5, 2.5f32, true, (1, 2.5), [1,2,3], [[1,2],[3,4]], [(1, 2.0)]), "
    "iota:N (0 ... N-1),\n"
    "@FILE.npy (NumPy's format; (@A.npy, @B.npy) for an array of pairs), or NAME=ARG for the "
    "parameter of that name.\n"
    "Results are printed in the same form, one on each line; a tuple's components each on a line "
    "of its own. Of arrays of more than a hundred elements --all shows everything.\n"
    "With -o FILE.npy results are written; several go to FILE.0.npy, FILE.1.npy, ...\n"
    "Exit status: 0 success, 1 refused or failed with diagnostics, 2 wrong usage.\n";

static const command *command_named(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].about.name, name) == 0)
            return &commands[i];
    return NULL;
}

static const command_about *about_command(size_t i)
{
    return i < COMMAND_COUNT ? &commands[i].about : NULL;
}

static const program_about about = {.name = "fclc",
                                    .usage = "COMMAND [OPTION...] ...",
                                    .summary = "check, compile and run FCL programs",
                                    .users = USE_ALL & ~(unsigned)USE_OPT,
                                    .command = about_command,
                                    .notes = notes};

static int help(const options *o, const command *c)
{
    return help_print(o, &about, c ? &c->about : NULL);
}

static int version(void)
{
    printf("fclc %s\n", fcl_version());
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_REFUSED;
}

/* fclc help [COMMAND] */
static int run_help(const options *o)
{
    const char *name = o->nargs > 1 ? o->args[1] : NULL;
    const command *c = name ? command_named(name) : NULL;
    return name && !c ? usage_error(o, "there is no command '%s'", name) : help(o, c);
}

/* The first argument is the command's name. */
static int run_command(const options *o, const command *c)
{
    size_t n = o->nargs - 1;
    if (!options_fit(o, c->about.use, c->about.name))
        return EXIT_USAGE;
    if (n < c->least || n > c->most)
        return usage_error(o, "usage: fclc %s %s", c->about.name, c->about.usage);
    return c->run ? c->run(o, o->args + 1, n) : run_help(o);
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
        return help(o, c);
    return c ? run_command(o, c) : usage_error(o, "a command is missing");
}

/* A command line that is wrong ends with EXIT_USAGE, before anything is read or written. */
int main(int argc, char **argv)
{
    options o;
    keep_memory();
    int status = options_parse(&o, "fclc", argc, argv);
    if (status == EXIT_OK)
        status = dispatch(&o);
    options_free(&o);
    return status;
}
