/* The arguments of a kernel: see args.h.  Named ones find their parameter by name; the others fill,
 * in order, the parameters that no name was given for. */
#include "frontends/tools/values/args.h"

#include "frontends/tools/values/literal.h"
#include "frontends/tools/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arg {
    const char *text;
    char file[32]; /* what diagnostics call it */
    size_t value;  /* where the value starts */
    size_t param;  /* SIZE_MAX: none */
} arg;

static const size_t no_param = SIZE_MAX;
static const char name_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$'#";

/* A place at the beginning of an argument. */
static report_place whole(const arg *a, size_t length)
{
    return (report_place){
        .file = a->file, .text = a->text, .size = strlen(a->text), .length = length};
}

/* The length of NAME in NAME=VALUE; 0 when there is none. */
static size_t name_length(const char *s)
{
    size_t n = strspn(s, name_characters);
    return s[n] == '=' ? n : 0;
}

/* The parameter of that name; no_param when there is none. */
static size_t param_named(const interface *in, const char *s, size_t n)
{
    for (size_t i = 0; i < in->n; i++)
        if (text_is(s, n, interface_leaf(in, i)->name))
            return i;
    return no_param;
}

/* NAME=VALUE: to the parameter of that name, once. */
static bool assign_named(report *r, const char *entry, const interface *in, arg *a, size_t n,
                         bool *given)
{
    a->value = n + 1;
    a->param = param_named(in, a->text, n);
    if (a->param == no_param)
        return report_error(r, TD_ARG_NAME, whole(a, n), NULL, "@%s has no parameter %%%.*s", entry,
                            (int)n, a->text);
    if (given[a->param]) {
        a->param = no_param;
        return report_error(r, TD_ARG_TWICE, whole(a, n), NULL, "%%%.*s was given before", (int)n,
                            a->text);
    }
    given[a->param] = true;
    return true;
}

/* VALUE: to the first parameter that has none yet. */
static bool assign_next(report *r, const char *entry, const interface *in, arg *a, bool *given)
{
    size_t i = 0;
    while (i < in->n && given[i])
        i++;
    if (i == in->n)
        return report_error(r, TD_ARG_COUNT, whole(a, strlen(a->text)), NULL,
                            "@%s takes %zu argument%s, and this is one more", entry, in->n,
                            in->n == 1 ? "" : "s");
    a->param = i;
    given[i] = true;
    return true;
}

/* A report for each parameter without an argument. */
static bool report_missing(report *r, const char *entry, const interface *in, const bool *given)
{
    bool ok = true;
    for (size_t i = 0; i < in->n; i++) {
        const fcl_leaf *leaf = interface_leaf(in, i);
        if (!given[i])
            ok = report_error(r, TD_ARG_COUNT, (report_place){0}, NULL,
                              "@%s has no argument for %%%s: %s", entry, leaf->name,
                              leaf->type_text);
    }
    return ok;
}

/* Gives each argument its parameter, the named ones first: so their places among the others mean
 * nothing. */
static bool assign(report *r, const char *entry, const interface *in, arg *args, size_t n,
                   bool *given)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        size_t name = name_length(args[i].text);
        if (name)
            ok = assign_named(r, entry, in, &args[i], name, given) && ok;
    }
    for (size_t i = 0; i < n; i++)
        if (!name_length(args[i].text))
            ok = assign_next(r, entry, in, &args[i], given) && ok;
    return report_missing(r, entry, in, given) && ok;
}

/* The value of an argument, as its parameter's type says. */
static bool read_arg(report *r, const interface *in, const arg *a, fcl_array *out)
{
    const fcl_leaf *leaf = interface_leaf(in, a->param);
    literal_source from = {.rep = r,
                           .file = a->file,
                           .text = a->text,
                           .start = a->value,
                           .name = leaf->name,
                           .type = leaf->type_text};
    return literal_read(&from, &in->shapes[a->param], out);
}

bool args_read(report *r, const char *entry, const interface *in, const char *const *texts,
               size_t n, fcl_array *out)
{
    arg *args = tool_alloc(n, sizeof *args);
    bool *given = tool_alloc(in->n, sizeof *given);
    for (size_t i = 0; i < n; i++) {
        args[i] = (arg){.text = texts[i], .param = no_param};
        snprintf(args[i].file, sizeof args[i].file, "argument %zu", i + 1);
    }
    bool ok = assign(r, entry, in, args, n, given);
    for (size_t i = 0; i < n; i++)
        if (args[i].param != no_param)
            ok = read_arg(r, in, &args[i], out) && ok;
    free(given);
    free(args);
    return ok;
}

void args_free(fcl_array *arrays, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(arrays[i].data);
    free(arrays);
}
