/* The command line: see options.h. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/options.h"

#include "frontends/tools/text.h"

#include "frontends/tools/report/color.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const option_info table[OPTION_COUNT] = {
#define OPT(id, short, long, value, users, help) {short, long, value, users, help},
#include "frontends/tools/options.def"
#undef OPT
};

/* The end of every message about the command line. */
static int suggest_help(const options *o)
{
    fprintf(stderr, "try %s --help\n", o->program);
    return EXIT_USAGE;
}

int usage_error(const options *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "%s: ", o->program);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return suggest_help(o);
}

/* ---- tunables ---- */

static int out_of_range(const options *o, const char *name, const char *value,
                        unsigned long long min, unsigned long long max)
{
    return usage_error(o, "%s must be a whole number from %llu to %llu, not '%s'", name, min, max,
                       value);
}

/* Whether it is one of the numbers that passes decide by, which are listed by themselves. */
static bool is_tuning(const char *name)
{
    fcl_tuning_info info;
    for (size_t i = 0; fcl_tuning_about(i, &info, sizeof info); i++)
        if (strcmp(info.name, name) == 0)
            return true;
    return false;
}

bool option_tunable(size_t k, fcl_pass_option *out)
{
    fcl_pass p;
    size_t lower = 0;
    while (fcl_pass_get(lower, &p, sizeof p) && p.kind != FCL_PASS_LOWERING)
        lower++;
    for (size_t i = 0; fcl_pass_option_get(lower, i, out, sizeof *out); i++)
        if (out->is_number && !is_tuning(out->name) && k-- == 0)
            return true;
    return false;
}

static int unknown_tunable(const options *o, const char *name, size_t n)
{
    string list = {0};
    fcl_pass_option about;
    for (size_t i = 0; option_tunable(i, &about); i++)
        string_addf(&list, " %s", about.name);
    fcl_tuning_info info;
    for (size_t i = 0; fcl_tuning_about(i, &info, sizeof info); i++)
        string_addf(&list, " %s", info.name);
    int status =
        usage_error(o, "there is no tunable '%.*s'; there are:%s", (int)n, name, string_str(&list));
    string_free(&list);
    return status;
}

/* Gathered as text, NAME=N,..., which is how the library takes them. */
static int add_tuning(options *o, const fcl_tuning_info *info, const char *value)
{
    unsigned long long number;
    if (!parse_number(value, info->least, info->most, &number))
        return out_of_range(o, info->name, value, info->least, info->most);
    string_addf(&o->tuning, "%s%s=%llu", o->compile.tuning ? "," : "", info->name, number);
    o->compile.tuning = string_str(&o->tuning);
    return EXIT_OK;
}

/* A tunable of the program, by its name: a module says which there are.  Those of the library begin with a capital letter, so
 * that a slip in one of them is reported at once. */
static int set_own(options *o, const char *name, size_t n, const char *value)
{
    unsigned long long number;
    if (n == 0 || (name[0] >= 'A' && name[0] <= 'Z') || memchr(name, ',', n))
        return unknown_tunable(o, name, n);
    if (!parse_number(value, 0, INT_MAX, &number))
        return usage_error(o, "%.*s must be a whole number from 0 to %d, not '%s'", (int)n, name,
                           INT_MAX, value);
    string_addf(&o->tuning, "%s%.*s=%llu", o->compile.tuning ? "," : "", (int)n, name, number);
    o->compile.tuning = string_str(&o->tuning);
    return EXIT_OK;
}

/* A number that some pass decides by. */
static int set_tuning(options *o, const char *name, size_t n, const char *value)
{
    fcl_tuning_info info;
    for (size_t i = 0; fcl_tuning_about(i, &info, sizeof info); i++)
        if (text_is(name, n, info.name))
            return add_tuning(o, &info, value);
    return set_own(o, name, n, value);
}

/* A tunable that is an option of lowering, else one that passes decide by. */
static int set_tunable(options *o, const char *name, size_t n, const char *value)
{
    fcl_pass_option about;
    size_t i = 0;
    while (option_tunable(i, &about) && !text_is(name, n, about.name))
        i++;
    if (!option_tunable(i, &about))
        return set_tuning(o, name, n, value);
    if (!fcl_compile_option_set(&o->compile, about.name, value))
        return out_of_range(o, about.name, value, about.least, about.most);
    return EXIT_OK;
}

/* -D NAME=N */
static int define_tunable(options *o, const char *definition)
{
    const char *equals = strchr(definition, '=');
    if (!equals)
        return usage_error(o, "-D takes NAME=N, not '%s'", definition);
    return set_tunable(o, definition, (size_t)(equals - definition), equals + 1);
}

/* Gathered as a list, which is how the library takes them. */
static int add_target(options *o, const char *names)
{
    string_addf(&o->targets, "%s%s", o->compile.target ? "," : "", names);
    o->compile.target = string_str(&o->targets);
    return EXIT_OK;
}

/* ---- versions ---- */

/* MAJOR.MINOR as major * 100 + minor. */
static int set_version(options *o, const char *value)
{
    const char *dot = strchr(value, '.');
    unsigned long long major, minor;
    char first[8] = "";
    if (dot && (size_t)(dot - value) < sizeof first)
        memcpy(first, value, (size_t)(dot - value));
    if (!dot || !parse_number(first, 0, 999, &major) || !parse_number(dot + 1, 0, 99, &minor) ||
        major + minor == 0)
        return usage_error(o, "--emit-version takes a version of the format such as 0.1, not '%s'",
                           value);
    o->emit_version = (unsigned)(major * 100 + minor);
    return EXIT_OK;
}

/* ---- limits ---- */

/* Limits are the library's (ir/base/limits.def): it tells their names, and what they may be. */
static size_t limit_count(void)
{
    fcl_limit_info info;
    size_t n = 0;
    while (fcl_limit_about(n, &info, sizeof info))
        n++;
    return n;
}

/* With all names there are. */
static int unknown_limit(const options *o, const char *name, size_t n)
{
    string list = {0};
    fcl_limit_info info;
    for (size_t i = 0; fcl_limit_about(i, &info, sizeof info); i++)
        string_addf(&list, " %s", info.name);
    int status =
        usage_error(o, "there is no limit '%.*s'; there are:%s", (int)n, name, string_str(&list));
    string_free(&list);
    return status;
}

/* NAME=N, kept until there is a context to set it in. */
static int define_limit(options *o, const char *definition)
{
    const char *equals = strchr(definition, '=');
    if (!equals)
        return usage_error(o, "--limit takes NAME=N, not '%s'", definition);
    fcl_limit_info info;
    unsigned long long number;
    size_t i = 0, n = (size_t)(equals - definition);
    while (fcl_limit_about(i, &info, sizeof info) && !text_is(definition, n, info.name))
        i++;
    if (i == limit_count())
        return unknown_limit(o, definition, n);
    if (!parse_number(equals + 1, 1, info.most, &number))
        return out_of_range(o, info.name, equals + 1, 1, info.most);
    if (!o->limits)
        o->limits = tool_alloc(limit_count(), sizeof *o->limits);
    o->limits[i] = (size_t)number;
    return EXIT_OK;
}

void options_set_limits(const options *o, fcl_context *cx)
{
    for (size_t i = 0; o->limits && i < limit_count(); i++)
        if (o->limits[i])
            fcl_limit_set(cx, (fcl_limit)i, o->limits[i]);
}

static int set_memory(options *o, const char *value)
{
    unsigned long long number;
    if (!parse_number(value, 1, UINT64_MAX, &number))
        return out_of_range(o, "--memory", value, 1, UINT64_MAX);
    o->memory = number;
    return EXIT_OK;
}

/* ---- warnings ---- */

static int set_warnings(options *o, const char *which)
{
    static const char *const names[] = {[FCL_WARNINGS_DEFAULT] = "default",
                                        [FCL_WARNINGS_ALL] = "all",
                                        [FCL_WARNINGS_NONE] = "none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], which) == 0) {
            o->warnings = (fcl_warnings)i;
            return EXIT_OK;
        }
    if (strcmp(which, "error") != 0)
        return usage_error(o, "--warn takes default, all, none or error, not '%s'", which);
    o->werror = true;
    return EXIT_OK;
}

void options_set_warnings(const options *o, fcl_context *cx)
{
    fcl_warnings_set(cx, o->warnings, o->werror);
    fcl_remarks_set(cx, o->value[OPT_REMARKS] != NULL);
}

/* ---- #line directives ---- */

/* The option alone asks for them. */
static int set_debug_lines(options *o, const char *when)
{
    static const char *const names[] = {
        [FCL_LINES_AUTO] = "auto", [FCL_LINES_ALWAYS] = "always", [FCL_LINES_NEVER] = "never"};
    if (!*when)
        when = names[FCL_LINES_ALWAYS];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], when) == 0) {
            o->compile.debug_lines = (fcl_debug_lines)i;
            return EXIT_OK;
        }
    return usage_error(o, "--debug-lines takes auto, always or never, not '%s'", when);
}

/* ---- forms of diagnostics ---- */

/* Names of report_form. */
static const char *const form_names[] = {"text", "json", "sarif"};
enum { FORM_COUNT = sizeof form_names / sizeof *form_names };

/* FORM_COUNT for an unknown one. */
static size_t form_named(const char *name)
{
    size_t i = 0;
    while (i < FORM_COUNT && strcmp(form_names[i], name) != 0)
        i++;
    return i;
}

report_form options_form(const options *o)
{
    const char *name = o->value[OPT_DIAGNOSTICS];
    size_t i = name ? form_named(name) : REPORT_TEXT;
    return i < FORM_COUNT ? (report_form)i : REPORT_TEXT;
}

/* ---- colours ---- */

static const char *const color_names[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
enum { COLOR_COUNT = sizeof color_names / sizeof *color_names };

/* COLOR_COUNT for an unknown one. */
static size_t color_named(const char *name)
{
    size_t i = 0;
    while (i < COLOR_COUNT && strcmp(color_names[i], name) != 0)
        i++;
    return i;
}

bool options_color(const options *o)
{
    const char *name = o->value[OPT_COLOR];
    return color_wanted(name ? (color_when)color_named(name) : COLOR_AUTO, stderr);
}

/* ---- languages ---- */

static const char *const lang_names[] = {
    [FCL_LANG_FCL] = "fcl", [FCL_LANG_CORE] = "core", [FCL_LANG_TAIL] = "tail"};

static bool lang_named(const char *name, fcl_lang *lang)
{
    for (size_t i = FCL_LANG_FCL; i < sizeof lang_names / sizeof *lang_names; i++)
        if (strcmp(lang_names[i], name) == 0) {
            *lang = (fcl_lang)i;
            return true;
        }
    return false;
}

fcl_lang options_lang(const options *o)
{
    fcl_lang lang = FCL_LANG_BY_NAME;
    if (o->value[OPT_LANG])
        lang_named(o->value[OPT_LANG], &lang);
    return lang;
}

/* ---- parsing ---- */

enum {
    LONG_BASE = 256
}; /* getopt's value of long option k is LONG_BASE + k; letters stand for themselves */

static int take_option(options *o, int id)
{
    const char *value = optarg ? optarg : "";
    o->value[id] = value;
    o->given[o->ngiven++] = (given_option){(option_id)id, value};
    switch (id) {
    case OPT_DEFINE: return define_tunable(o, value);
    case OPT_EMIT_VERSION: return set_version(o, value);
    case OPT_LIMIT: return define_limit(o, value);
    case OPT_MEMORY: return set_memory(o, value);
    case OPT_BLOCK_SIZE: return set_tunable(o, "BlockSize", strlen("BlockSize"), value);
    case OPT_GROUPS: return set_tunable(o, "Groups", strlen("Groups"), value);
    case OPT_ENTRY: o->compile.entry = value; return EXIT_OK;
    case OPT_EXCHANGE: o->compile.exchange = value; return EXIT_OK;
    case OPT_CHECKS: o->compile.checks = value; return EXIT_OK;
    case OPT_QUIRKS: o->compile.quirks = value; return EXIT_OK;
    case OPT_KERNEL_PASSES:
        o->compile.kernel_passes = strcmp(value, "none") == 0 ? "" : value;
        return EXIT_OK;
    case OPT_NO_SCHEDULE: o->compile.no_schedule = true; return EXIT_OK;
    case OPT_WITHOUT: o->compile.without = value; return EXIT_OK;
    case OPT_IN_PLACE: o->compile.in_place = value; return EXIT_OK;
    case OPT_FROM:
        if (strcmp(value, "core") != 0 && strcmp(value, "kernel") != 0)
            return usage_error(o, "--from takes core or kernel, not '%s'", value);
        return EXIT_OK;
    case OPT_LANG:
        if (!lang_named(value, &(fcl_lang){FCL_LANG_BY_NAME}))
            return usage_error(o, "--lang takes fcl, core or tail, not '%s'", value);
        return EXIT_OK;
    case OPT_NO_WARNINGS: o->warnings = FCL_WARNINGS_NONE; return EXIT_OK;
    case OPT_WERROR: o->werror = true; return EXIT_OK;
    case OPT_WARN: return set_warnings(o, value);
    case OPT_VERIFY_EACH: o->compile.verify_each = true; return EXIT_OK;
    case OPT_TARGET: return add_target(o, value);
    case OPT_DEBUG_LINES: return set_debug_lines(o, value);
    case OPT_COLOR:
        if (color_named(value) == COLOR_COUNT)
            return usage_error(o, "--color takes auto, always or never, not '%s'", value);
        return EXIT_OK;
    case OPT_DIAGNOSTICS:
        if (form_named(value) == FORM_COUNT)
            return usage_error(o, "--diagnostics takes text, json or sarif, not '%s'", value);
        return EXIT_OK;
    default: return EXIT_OK;
    }
}

/* The option that getopt found; -1 for none, which it has reported. */
static int id_of(int got)
{
    if (got >= LONG_BASE)
        return got - LONG_BASE;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (table[i].letter && table[i].letter == got)
            return i;
    return -1;
}

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Anything that is not an option: negative numbers, and "-" for standard input, begin like one. */
static bool is_argument(const char *s)
{
    return s[0] != '-' || s[1] == 0 || (s[1] >= '0' && s[1] <= '9') || s[1] == '.' ||
           starts(s, "-inf") || starts(s, "-nan");
}

/* How getopt calls what the table says of an option's value. */
static int value_of(const option_info *i)
{
    return !i->value ? no_argument : i->value[0] == '[' ? optional_argument : required_argument;
}

/* getopt's two descriptions of the table; "+" keeps it from reordering arguments. */
static void describe(char *letters, struct option *names)
{
    *letters++ = '+';
    for (int i = 0; i < OPTION_COUNT; i++) {
        names[i] = (struct option){table[i].name, value_of(&table[i]), NULL, LONG_BASE + i};
        if (!table[i].letter)
            continue;
        *letters++ = table[i].letter;
        if (table[i].value)
            *letters++ = ':';
    }
    *letters = 0;
    names[OPTION_COUNT] = (struct option){0};
}

/* getopt is called for one word at a time, so that what is an argument is decided here. */
int options_parse(options *o, const char *program, int argc, char **argv)
{
    char letters[2 * OPTION_COUNT + 2];
    struct option names[OPTION_COUNT + 1];
    describe(letters, names);
    *o = (options){.program = program,
                   .compile = {.size = sizeof o->compile},
                   .args = tool_alloc((size_t)argc + 1, sizeof *o->args),
                   .given = tool_alloc((size_t)argc + 1, sizeof *o->given)};
    bool all_arguments = false;
    while (optind < argc) {
        char *word = argv[optind];
        if (!all_arguments && strcmp(word, "--") == 0) {
            all_arguments = true;
            optind++;
        } else if (all_arguments || is_argument(word)) {
            o->args[o->nargs++] = word;
            optind++;
        } else {
            int id = id_of(getopt_long(argc, argv, letters, names, NULL));
            int status = id < 0 ? suggest_help(o) : take_option(o, id);
            if (status != EXIT_OK)
                return status;
        }
    }
    return EXIT_OK;
}

void options_free(options *o)
{
    free(o->args);
    free(o->given);
    free(o->limits);
    string_free(&o->tuning);
    string_free(&o->targets);
    o->args = NULL;
    o->limits = NULL;
}

bool options_from_kernel(const options *o)
{
    return o->value[OPT_FROM] && strcmp(o->value[OPT_FROM], "kernel") == 0;
}

const option_info *option_about(size_t i)
{
    return i < OPTION_COUNT ? &table[i] : NULL;
}

const char *option_name(option_id id)
{
    return table[id].name;
}

bool options_fit(const options *o, unsigned user, const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (o->value[i] && !(table[i].users & user)) {
            usage_error(o, "%s takes no --%s", name, table[i].name);
            return false;
        }
    return true;
}
