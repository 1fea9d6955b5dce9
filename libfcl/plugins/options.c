/* Options of users' passes: declared with the pass, given in lists as those of the library's passes
 * are, and asked for while it runs.
 *
 * A step keeps what its list gives as one text, NAME=VALUE with commas between them, which is short
 * and lives as long as the context. */
#include "libfcl/plugins/plugins.h"

#include "libfcl/passes/passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool own_option(const pass_info *pass, size_t k, fcl_pass_option *out)
{
    size_t stride = pass->option_size ? pass->option_size : ABI_FIRST(fcl_pass_option, most);
    if (k >= pass->noptions)
        return false;
    const char *at = (const char *)pass->options + k * stride;
    *out = (fcl_pass_option){0};
    memcpy(out, at, stride < sizeof *out ? stride : sizeof *out);
    return true;
}

static bool option_named(const pass_info *pass, const char *name, fcl_pass_option *out)
{
    for (size_t k = 0; own_option(pass, k, out); k++)
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}

/* A decimal number in the option's range. */
bool option_number(const fcl_pass_option *about, const char *value, size_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    *out = (size_t)n;
    return value[0] >= '0' && value[0] <= '9' && !*end && !errno && n >= about->least &&
           n <= about->most;
}

/* Whether a list of words with commas between them has this one. */
static bool is_choice(const char *choices, const char *word)
{
    size_t n = strlen(word), len;
    for (const char *at = choices; *at; at += len + (at[len] == ',')) {
        len = strcspn(at, ",");
        if (len == n && memcmp(at, word, n) == 0)
            return true;
    }
    return false;
}

static bool is_good(const fcl_pass_option *about, const char *value)
{
    size_t number;
    if (about->is_number)
        return option_number(about, value, &number);
    return *value && (!about->choices || is_choice(about->choices, value));
}

/* ---- declaring ---- */

static bool default_is_good(const fcl_pass_option *o)
{
    if (!o->is_number)
        return !o->word || is_good(o, o->word);
    return o->least <= o->most && (!o->initial || (o->initial >= o->least && o->initial <= o->most));
}

const char *own_options_fault(const pass_info *pass)
{
    fcl_pass_option o, other;
    if (pass->noptions && !pass->options)
        return "lacks its options";
    for (size_t k = 0; own_option(pass, k, &o); k++) {
        if (!plugin_is_word(o.name) || !o.summary)
            return "has an option without a name or a summary";
        if (!default_is_good(&o))
            return "has an option whose default is not among its values";
        for (size_t i = 0; i < k && own_option(pass, i, &other); i++)
            if (strcmp(o.name, other.name) == 0)
                return "has two options of one name";
    }
    return NULL;
}

/* ---- giving ---- */

bool own_option_set(fcl_context *cx, const pass_info *pass, str_id *given, const char *name,
                    const char *value, bool *known)
{
    fcl_pass_option o;
    vec_char text = {0};
    *known = option_named(pass, name, &o);
    if (!*known || !is_good(&o, value))
        return false;
    text_addf(&cx->mem, &text, "%s%s%s=%s", intern_str(&cx->strings, *given), *given ? "," : "",
              name, value);
    str_id all = text.len ? intern_add(&cx->strings, text.at, text.len) : 0;
    vec_free(&cx->mem, &text);
    *given = all ? all : *given;
    return all != 0;
}

/* ---- asking ---- */

/* The value that the running step gives an option, `n` characters; NULL: none.  The last counts. */
static const char *given_value(const fcl_context *cx, const pass_step *step, const char *name,
                               size_t *n)
{
    const char *found = NULL;
    size_t len, own = strlen(name);
    for (const char *at = intern_str(&cx->strings, step->own); *at; at += len + (at[len] == ',')) {
        len = strcspn(at, ",");
        if (len > own && at[own] == '=' && memcmp(at, name, own) == 0) {
            found = at + own + 1;
            *n = len - own - 1;
        }
    }
    return found;
}

static const pass_step *running(const fcl_context *cx, const char *name, bool is_number,
                                fcl_pass_option *about)
{
    const pass_step *step = cx ? cx->registry.running : NULL;
    return step && name && option_named(step->pass, name, about) && about->is_number == is_number
               ? step
               : NULL;
}

size_t fcl_pass_number(const fcl_context *cx, const char *option)
{
    fcl_pass_option o;
    size_t n;
    const pass_step *step = running(cx, option, true, &o);
    const char *value = step ? given_value(cx, step, option, &n) : NULL;
    return value ? (size_t)strtoull(value, NULL, 10) : step ? o.initial : 0;
}

const char *fcl_pass_word(fcl_context *cx, const char *option)
{
    fcl_pass_option o;
    size_t n;
    const pass_step *step = running(cx, option, false, &o);
    const char *value = step ? given_value(cx, step, option, &n) : NULL;
    if (!value)
        return step ? o.word : NULL;
    str_id word = intern_add(&cx->strings, value, n);
    return word ? intern_str(&cx->strings, word) : NULL;
}
