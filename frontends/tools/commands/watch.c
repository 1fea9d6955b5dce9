/* The observer of passes: see watch.h. */
#include "frontends/tools/commands/watch.h"

#include "frontends/tools/commands/renumber.h"
#include "frontends/tools/commands/reproduce.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool given(const watch *w, option_id id)
{
    return w->s->o->value[id] != NULL;
}

/* ---- printing ---- */

/* To standard error, since standard output may be the program's result. */
static void print_program(const char *when, const fcl_pass_event *e, const char *text, size_t size)
{
    fprintf(stderr, "// %s %s", when, e->step);
    if (*e->entry)
        fprintf(stderr, " of @%s", e->entry);
    fputc('\n', stderr);
    fwrite(text, 1, size, stderr);
    if (size && text[size - 1] != '\n')
        fputc('\n', stderr);
}

/* Nothing is added when the program cannot be printed. */
static void add_program(const watch *w, const fcl_pass_event *e, string *out)
{
    size_t size;
    char *text = fcl_pass_event_print(e, &size);
    if (!text)
        return;
    string_add(out, text, size);
    fcl_free(w->s->cx, text, size);
}

static bool is_named(const watch *w, option_id id, const fcl_pass_event *e)
{
    return given(w, id) && strcmp(w->s->o->value[id], e->pass->name) == 0;
}

/* ---- before ---- */

/* Whether the pass is among the first `limit` of those that may be left out. */
static bool bisect(watch *w, const fcl_pass_event *e)
{
    if (!given(w, OPT_BISECT_LIMIT) || e->pass->needed)
        return true;
    w->bisected++;
    bool runs = w->limit < 0 || w->bisected <= (unsigned long long)w->limit;
    fprintf(stderr, "BISECT: %srunning pass (%u) %s on %s%s\n", runs ? "" : "NOT ", w->bisected,
            e->step, *e->entry ? "@" : "module", e->entry);
    return runs;
}

/* The text of the program before the pass is kept only for options that need it. */
static bool before(void *user, const fcl_pass_event *e)
{
    watch *w = user;
    if (!bisect(w, e))
        return false;
    bool print = given(w, OPT_PRINT_BEFORE_ALL) || is_named(w, OPT_PRINT_BEFORE, e);
    string_free(&w->before);
    if (print || given(w, OPT_PRINT_CHANGED) || given(w, OPT_REPRODUCER))
        add_program(w, e, &w->before);
    if (print)
        print_program("before", e, string_str(&w->before), w->before.len);
    return true;
}

/* ---- after ---- */

/* A pass that runs several times has one sum. There are as many rows as passes and one for verify.
 */
static void add_time(watch *w, const char *name, uint64_t nanoseconds)
{
    size_t i = 0;
    while (i < w->ntimes && strcmp(w->times[i].name, name) != 0)
        i++;
    if (i == w->ntimes)
        w->times[w->ntimes++].name = name;
    w->times[i].nanoseconds += nanoseconds;
}

/* A pass that only gives values other numbers has changed nothing. */
static void print_after(watch *w, const fcl_pass_event *e)
{
    bool changes = given(w, OPT_PRINT_CHANGED);
    bool print = given(w, OPT_PRINT_AFTER_ALL) || is_named(w, OPT_PRINT_AFTER, e);
    string text = {0};
    if (print || changes)
        add_program(w, e, &text);
    bool same = changes && same_but_numbers(&text, &w->before);
    if (print || (changes && !same))
        print_program("after", e, string_str(&text), text.len);
    else if (changes)
        fprintf(stderr, "// %s%s%s changed nothing\n", e->step, *e->entry ? " of @" : "", e->entry);
    string_free(&text);
}

/* After a failure the program may be broken, so what is written is the one before. */
static void after(void *user, const fcl_pass_event *e)
{
    watch *w = user;
    add_time(w, e->pass->name, e->nanoseconds);
    if (e->verified)
        add_time(w, "verify", e->verified);
    if (e->ok)
        print_after(w, e);
    else if (given(w, OPT_REPRODUCER))
        reproduce_write(w->s, e, string_str(&w->before), w->before.len);
}

/* ---- the whole ---- */

static bool pass_exists(const char *name)
{
    fcl_pass p;
    for (size_t i = 0; fcl_pass_get(i, &p, sizeof p); i++)
        if (strcmp(p.name, name) == 0)
            return true;
    return false;
}

/* The value of --bisect-limit; -1 stands for all. */
static bool read_limit(const char *text, long long *out)
{
    unsigned long long n = 0;
    *out = -1;
    if (!text || strcmp(text, "-1") == 0)
        return true;
    bool ok = parse_number(text, 0, INT_MAX, &n);
    *out = (long long)n;
    return ok;
}

/* Called before a session exists: errors in options are told by usage alone.  Which passes plug-ins
 * have is not known yet. */
int watch_check(const options *o)
{
    static const option_id named[] = {OPT_PRINT_BEFORE, OPT_PRINT_AFTER};
    const char *limit = o->value[OPT_BISECT_LIMIT];
    long long ignored;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (o->value[named[i]] && !o->value[OPT_PLUGIN] && !pass_exists(o->value[named[i]]))
            return usage_error(o, "--%s: there is no pass '%s'", option_name(named[i]),
                               o->value[named[i]]);
    if (!read_limit(limit, &ignored))
        return usage_error(o, "--bisect-limit takes a whole number or -1, not '%s'", limit);
    return EXIT_OK;
}

static size_t pass_count(const session *s)
{
    fcl_pass p;
    size_t n = 0;
    while (fcl_pass_about(s->cx, n, &p, sizeof p))
        n++;
    return n;
}

/* The options have been checked by watch_check. */
void watch_begin(watch *w, session *s)
{
    *w = (watch){.s = s, .observer = {.before = before, .after = after}};
    w->observer.user = w;
    w->times = tool_alloc(pass_count(s) + 1, sizeof *w->times);
    read_limit(s->o->value[OPT_BISECT_LIMIT], &w->limit);
}

/* Without such an option no observer is set, and passes run without clock or printing. */
bool watch_needed(const watch *w)
{
    static const option_id watching[] = {
        OPT_PRINT_BEFORE,  OPT_PRINT_AFTER, OPT_PRINT_BEFORE_ALL, OPT_PRINT_AFTER_ALL,
        OPT_PRINT_CHANGED, OPT_TIME_PASSES, OPT_BISECT_LIMIT,     OPT_REPRODUCER};
    for (size_t i = 0; i < sizeof watching / sizeof *watching; i++)
        if (given(w, watching[i]))
            return true;
    return false;
}

void watch_end(watch *w)
{
    uint64_t all = 0;
    for (size_t i = 0; i < w->ntimes; i++)
        all += w->times[i].nanoseconds;
    for (size_t i = 0; given(w, OPT_TIME_PASSES) && i < w->ntimes; i++)
        fprintf(stderr, "%10.3f ms %5.1f%%  %s\n", (double)w->times[i].nanoseconds * 1e-6,
                all ? 100.0 * (double)w->times[i].nanoseconds / (double)all : 0, w->times[i].name);
    if (given(w, OPT_TIME_PASSES))
        fprintf(stderr, "%10.3f ms 100.0%%  all\n", (double)all * 1e-6);
    string_free(&w->before);
    free(w->times);
    w->times = NULL;
    w->ntimes = 0;
}
