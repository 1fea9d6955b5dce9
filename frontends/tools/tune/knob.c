/* Tunables of a search: see knob.h. */
#include "frontends/tools/tune/knob.h"

#include <stdlib.h>
#include <string.h>

void knobs_add(knobs *k, const char *name, const char *domain, long usual)
{
    knob *more = tool_alloc(k->n + 1, sizeof *more);
    if (k->n)
        memcpy(more, k->at, k->n * sizeof *more);
    free(k->at);
    k->at = more;
    k->at[k->n++] = (knob){.name = tool_strndup(name, strlen(name)),
                           .domain = tool_strndup(domain, strlen(domain)),
                           .count = fcl_domain_count(domain),
                           .usual = usual};
}

knob *knobs_named(const knobs *k, const char *name, size_t n)
{
    for (size_t i = 0; i < k->n; i++)
        if (text_is(name, n, k->at[i].name))
            return &k->at[i];
    return NULL;
}

void knobs_free(knobs *k)
{
    for (size_t i = 0; i < k->n; i++) {
        free(k->at[i].name);
        free(k->at[i].domain);
    }
    free(k->at);
    *k = (knobs){0};
}

void knobs_text(const knobs *k, const uint64_t *setting, string *out)
{
    for (size_t i = 0; i < k->n; i++)
        if (setting[i] != AS_IT_IS)
            string_addf(out, "%s%s=%u", out->len ? "," : "", k->at[i].name,
                        fcl_domain_at(k->at[i].domain, setting[i]));
}

/* Whether the command line says what it is: -D NAME=N, or an option that means that. */
static bool is_given(const options *o, const char *name, size_t n)
{
    for (size_t i = 0; i < o->ngiven; i++) {
        const given_option *g = &o->given[i];
        if (g->id == OPT_DEFINE && strncmp(g->value, name, n) == 0 && g->value[n] == '=')
            return true;
        if ((g->id == OPT_BLOCK_SIZE && text_is(name, n, "BlockSize")) ||
            (g->id == OPT_GROUPS && text_is(name, n, "Groups")))
            return true;
    }
    return false;
}

/* One NAME=N: an option of lowering, else a number of `tuning`. */
static bool apply_one(const options *o, const char *s, size_t n, fcl_compile_options *to,
                      string *room)
{
    const char *equals = memchr(s, '=', n);
    if (!equals)
        return false;
    size_t name = (size_t)(equals - s);
    fcl_pass_option about;
    if (is_given(o, s, name))
        return true;
    for (size_t i = 0; option_tunable(i, &about); i++)
        if (text_is(s, name, about.name)) {
            char *value = tool_strndup(equals + 1, n - name - 1);
            bool ok = fcl_compile_option_set(to, about.name, value);
            free(value);
            return ok;
        }
    string_addf(room, "%s%.*s", room->len ? "," : "", (int)n, s);
    return true;
}

bool knobs_apply(const options *o, const char *text, fcl_compile_options *to, string *room)
{
    bool ok = true;
    *to = o->compile;
    if (o->compile.tuning)
        string_addf(room, "%s", o->compile.tuning);
    for (const char *s = text; *s && ok;) {
        size_t n = strcspn(s, ",");
        ok = apply_one(o, s, n, to, room);
        s += n + (s[n] == ',');
    }
    to->tuning = room->len ? string_str(room) : NULL;
    return ok;
}
