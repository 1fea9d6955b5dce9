/* fclc and fcl-opt for the tests, any number of commands in one process: what they cost is then
 * their work, and neither starting a process nor, with OpenCL, reading the driver's library of
 * built-in functions again, which is most of the time that PoCL takes for a small kernel.
 *
 * A request on standard input is a sequence of words, each ended by a NUL: the number of words
 * behind it, the folder to run in, files for standard input, output and error, the program's name,
 * its arguments.  Output is appended.  The answer on standard output is the exit status and a
 * newline, written when the command's output is complete.
 *
 * The commands are the programs' own main functions, under other names (see the Makefile), and
 * share nothing but the OpenCL context (context.c).  A crash ends the process without an answer:
 * driver.sh and driver.py, which speak to it, take the command for failed and start another one.
 * They also limit a command's time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fclc_main(int argc, char **argv);
int fcl_opt_main(int argc, char **argv);
void context_load(void);
void context_release_kept(void);

enum { FOLDER, INPUT, OUTPUT, ERROR, PROGRAM, LEAST_WORDS };
enum { STATUS_CANNOT_RUN = 126 };

static FILE *requests, *answers, *complaints;

typedef struct request {
    size_t n;
    char **words; /* and NULL, as main expects */
} request;

/* Speaks to a terminal or a log: standard error belongs to the commands. */
static void die(const char *what)
{
    fprintf(complaints ? complaints : stderr, "driver: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- requests ---- */

/* The next word, to be freed; NULL at the end. */
static char *next_word(void)
{
    char *word = NULL;
    size_t cap = 0;
    if (getdelim(&word, &cap, 0, requests) >= 0)
        return word;
    free(word);
    return NULL;
}

static bool next_request(request *r)
{
    char *count = next_word();
    *r = (request){.n = count ? strtoul(count, NULL, 10) : 0};
    free(count);
    if (r->n < LEAST_WORDS && !feof(requests))
        die("what was read is no request");
    if (feof(requests))
        return false;
    r->words = calloc(r->n + 1, sizeof *r->words);
    for (size_t i = 0; r->words && i < r->n; i++)
        if (!(r->words[i] = next_word()))
            die("a request is cut off");
    return r->words != NULL;
}

static void request_free(request *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->words[i]);
    free(r->words);
}

/* ---- commands ---- */

static bool redirect(const char *path, int flags, int fd)
{
    int file = open(path, flags, 0666);
    bool ok = file >= 0 && dup2(file, fd) == fd;
    if (file >= 0)
        close(file);
    return ok;
}

static bool redirect_all(const request *r)
{
    return chdir(r->words[FOLDER]) == 0 && redirect(r->words[INPUT], O_RDONLY, STDIN_FILENO) &&
           redirect(r->words[OUTPUT], O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO) &&
           redirect(r->words[ERROR], O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
}

/* The standard streams as a program finds them; nothing is held open whose end is waited for. */
static void leave_streams(void)
{
    fflush(stdout);
    fflush(stderr);
    fflush(stdin); /* forgets what was read ahead */
    clearerr(stdin);
    clearerr(stdout);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        redirect("/dev/null", O_RDWR, fd);
}

/* getopt begins anew, wherever the last command line made it stop. */
static void forget_options(void)
{
    static char *nothing[] = {"driver", NULL};
    optind = 0;
    getopt(1, nothing, "");
}

static int run(const request *r)
{
    char **argv = r->words + PROGRAM;
    int argc = (int)(r->n - PROGRAM), status = STATUS_CANNOT_RUN;
    if (!redirect_all(r))
        return status;
    forget_options();
    if (strcmp(argv[0], "fclc") == 0)
        status = fclc_main(argc, argv);
    else if (strcmp(argv[0], "fcl-opt") == 0)
        status = fcl_opt_main(argc, argv);
    return status;
}

/* A copy of a descriptor that programs started from here do not get. */
static FILE *kept_stream(int fd, const char *mode)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    FILE *f = copy < 0 ? NULL : fdopen(copy, mode);
    if (!f)
        die("there are no standard streams");
    return f;
}

int main(void)
{
    request r;
    requests = kept_stream(STDIN_FILENO, "r");
    answers = kept_stream(STDOUT_FILENO, "w");
    complaints = kept_stream(STDERR_FILENO, "a");
    context_load();
    while (next_request(&r)) {
        int status = run(&r);
        leave_streams();
        fprintf(answers, "%d\n", status);
        if (fflush(answers) != 0)
            break;
        request_free(&r);
    }
    context_release_kept();
    return EXIT_SUCCESS;
}
