/* The passes of --passes: see passes.h. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/commands/passes.h"

#include "frontends/tools/output.h"
#include "frontends/tools/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool passes_list(session *s)
{
    string list = {0};
    for (size_t i = 0; i < fcl_pass_count(); i++)
        string_addf(&list, "%-12s %s\n", fcl_pass_name(i), fcl_pass_summary(i));
    string_addf(&list, "%s", "\nOf kernel programs, after lowering (those with * always run):\n");
    for (size_t i = 0; i < fcl_kernel_pass_count(); i++)
        string_addf(&list, "%-12s%c%s\n", fcl_kernel_pass_name(i),
                    fcl_kernel_pass_is_needed(i) ? '*' : ' ', fcl_kernel_pass_summary(i));
    bool ok = output_write(&s->rep, "-", string_str(&list), list.len);
    string_free(&list);
    return ok;
}

void print_after(const char *name, const char *text, size_t size)
{
    fprintf(stderr, "// after %s\n", name);
    fwrite(text, 1, size, stderr);
    if (size && text[size - 1] != '\n')
        fputc('\n', stderr);
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void print_time(const char *name, double seconds)
{
    fprintf(stderr, "%10.3f ms  %s\n", seconds * 1e3, name);
}

/* ---- one pass ---- */

static const char *nearest_pass(const char *name)
{
    const char *best = NULL;
    size_t least = 4; /* farther than that is no misspelling */
    for (size_t i = 0; i < fcl_pass_count(); i++) {
        size_t d = edit_distance(name, fcl_pass_name(i));
        if (d < least) {
            least = d;
            best = fcl_pass_name(i);
        }
    }
    return best;
}

static bool pass_exists(const char *name)
{
    for (size_t i = 0; i < fcl_pass_count(); i++)
        if (strcmp(fcl_pass_name(i), name) == 0)
            return true;
    return false;
}

static bool unknown_pass(session *s, report_place at, const char *name)
{
    const char *near = nearest_pass(name);
    if (near)
        return report_error(&s->rep, TD_PASS_UNKNOWN, at, NULL,
                            "there is no pass '%s'; did you mean '%s'?", name, near);
    return report_error(&s->rep, TD_PASS_UNKNOWN, at, "fcl-opt --list-passes shows all",
                        "there is no pass '%s'", name);
}

static bool run_pass(session *s, fcl_module *m, const char *name)
{
    double start = seconds_now();
    bool ok = fcl_pass_run(m, name);
    if (s->o->value[OPT_TIME_PASSES])
        print_time(name, seconds_now() - start);
    if (!ok || !s->o->value[OPT_PRINT_AFTER_ALL])
        return ok;
    size_t size;
    char *printed = fcl_module_print(m, &size);
    if (printed) {
        print_after(name, printed, size);
        fcl_free(s->cx, printed, size);
    }
    return printed != NULL;
}

/* ---- the list ---- */

typedef struct pass_list {
    const char *text;
    size_t at;
} pass_list;

static report_place here(const pass_list *l, size_t offset, size_t length)
{
    return (report_place){.file = "--passes",
                          .text = l->text,
                          .size = strlen(l->text),
                          .offset = offset,
                          .length = length};
}

/* The next name, malloc'ed; NULL after a report. */
static char *take_name(session *s, pass_list *l)
{
    l->at += strspn(l->text + l->at, " ");
    size_t start = l->at, n = strcspn(l->text + start, " ,()");
    l->at += n;
    l->at += strspn(l->text + l->at, " ");
    char next = l->text[l->at];
    if (n && (next == ',' || next == 0))
        return tool_strndup(l->text + start, n);
    if (n && next == '(')
        report_error(&s->rep, TD_PASS_SYNTAX, here(l, l->at, 1), NULL,
                     "the pass '%.*s' takes no options", (int)n, l->text + start);
    else
        report_error(&s->rep, TD_PASS_SYNTAX, here(l, n ? l->at : start, 1), NULL,
                     "the name of a pass is expected here");
    return NULL;
}

static bool run_next(session *s, fcl_module *m, pass_list *l)
{
    char *name = take_name(s, l);
    if (!name)
        return false;
    size_t n = strlen(name);
    bool ok =
        pass_exists(name) ? run_pass(s, m, name) : unknown_pass(s, here(l, l->at - n, n), name);
    free(name);
    return ok;
}

bool passes_run(session *s, fcl_module *m, const char *list)
{
    pass_list l = {.text = list};
    do {
        if (!run_next(s, m, &l))
            return false;
    } while (l.text[l.at++] == ',');
    return true;
}
