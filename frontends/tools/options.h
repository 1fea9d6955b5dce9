/* The command line of both programs, driven by options.def.  Options may stand before, between and
 * after arguments; a word such as -7, -.5 or -inf is an argument, and so is everything after --. */
#ifndef FCL_TOOLS_OPTIONS_H
#define FCL_TOOLS_OPTIONS_H

#include "frontends/tools/text.h"
#include "frontends/tools/report/report.h"
#include "libfcl/fcl.h"

#include <stdio.h>

/* Who takes an option: the commands of fclc, and fcl-opt. */
enum {
    USE_CHECK = 1,
    USE_COMPILE = 2,
    USE_RUN = 4,
    USE_DEVICES = 8,
    USE_EXPLAIN = 16,
    USE_OPT = 32,
    USE_HELP = 64,
    USE_JOIN = 128,
    USE_TUNE = 512,
    USE_ALL = 767,
    FOR_MODULES = 256 /* not a user: it says how code is made, and an artifact has its code */
};

typedef enum option_id {
#define OPT(id, short, long, value, users, help) OPT_##id,
#include "frontends/tools/options.def"
#undef OPT
    OPTION_COUNT
} option_id;

/* A row of the table. */
typedef struct option_info {
    char letter; /* 0: none */
    const char *name, *value;
    unsigned users;
    const char *help;
} option_info;

/* An option that was given, in order. */
typedef struct given_option {
    option_id id;
    const char *value;
} given_option;

typedef struct options {
    const char *program;
    given_option *given;
    size_t ngiven;
    const char *value[OPTION_COUNT]; /* NULL: not given; "" when it takes no value */
    const char **args;               /* what is not an option */
    size_t nargs;
    fcl_compile_options compile;
    unsigned emit_version; /* major * 100 + minor; 0: the newest */
    string tuning;         /* compile.tuning */
    string targets;        /* compile.target */
    uint64_t memory;       /* bytes of device memory for a run; 0: any */
    size_t *limits;        /* for each fcl_limit, 0: as it is */
    fcl_warnings warnings;
    bool werror;
} options;

/* The exit status of the programs: done; refused or failed, with diagnostics; called in a wrong
 * way. */
enum { EXIT_OK = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* EXIT_OK, or EXIT_USAGE after a message. */
int options_parse(options *o, const char *program, int argc, char **argv);
void options_free(options *o);
/* Whether all given options are for this user; prints a message when not. */
bool options_fit(const options *o, unsigned user, const char *name);
/* Prints the message and where to find help; returns EXIT_USAGE. */
int usage_error(const options *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void options_set_limits(const options *o, fcl_context *cx);
void options_set_warnings(const options *o, fcl_context *cx);
/* Whether --from says that the input is a kernel program. */
bool options_from_kernel(const options *o);
/* What the table says of option i; NULL beyond the last. */
const option_info *option_about(size_t i);
/* Tunable k of -D: an option of the pass `lower` that is a number; false beyond the last. */
bool option_tunable(size_t k, fcl_pass_option *out);
/* The long name of an option. */
const char *option_name(option_id id);
/* How diagnostics are reported: text unless --diagnostics says otherwise. */
report_form options_form(const options *o);
/* Whether diagnostics have colours. */
bool options_color(const options *o);
fcl_lang options_lang(const options *o);

#endif
