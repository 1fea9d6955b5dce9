/* Shrinking: see shrink.h.  A program is a list of lines; candidates are made by dropping,
 * replacing and taking out lines, and whatever is not accepted by the checker, or shows no defect,
 * is thrown away.  Each is run in a process of its own. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "tests/random/shrink.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MOST = 2000, SECONDS_FOR_ONE = 10, SECONDS_FOR_ALL = 60 };

/* ---- running a candidate ---- */

static char *joined(char *const *lines, uint32_t n)
{
    size_t size = 1;
    for (uint32_t i = 0; i < n; i++)
        size += strlen(lines[i]) + 1;
    char *text = malloc(size), *at = text;
    for (uint32_t i = 0; i < n && text; i++)
        at += sprintf(at, "%s\n", lines[i]);
    if (text)
        *at = 0;
    return text;
}

static void run(const shrinking *w, const char *text, outcome *out)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = case_load(cx, text, strlen(text), out);
    fcl_device *d = w->device ? fcl_device_open(cx, w->device) : NULL;
    if (m && d)
        case_run(m, w->entry, w->args, w->nargs, &w->s, d, out);
    else if (m)
        case_simulate(m, w->entry, w->args, w->nargs, &w->s, out);
    _exit(0);
}

/* What becomes of these lines. */
static outcome tried(shrinking *w, char *const *lines, uint32_t n)
{
    outcome *o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
            r = {0};
    char *text = joined(lines, n);
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(SECONDS_FOR_ONE);
        run(w, text, o);
    }
    waitpid(pid, &status, 0);
    r = *o;
    if (WIFSIGNALED(status))
        r = (outcome){.verdict = WTERMSIG(status) == SIGALRM ? HUNG : CRASHED};
    munmap(o, sizeof *o);
    free(text);
    return r;
}

static bool still_wrong(shrinking *w, char *const *lines, uint32_t n)
{
    if (time(NULL) - w->begun > SECONDS_FOR_ALL)
        return false;
    outcome o = tried(w, lines, n);
    return is_finding(o.verdict) && same_defect(&o, &w->wanted);
}

/* Takes the candidate if it still shows the defect; frees it if not. */
static bool accept(shrinking *w, char **lines, uint32_t n)
{
    bool ok = still_wrong(w, lines, n);
    char **old = ok ? w->lines : lines;
    uint32_t count = ok ? w->n : n;
    for (uint32_t i = 0; i < count; i++)
        free(old[i]);
    free(old);
    if (ok) {
        w->lines = lines;
        w->n = n;
    }
    return ok;
}

/* ---- lines ---- */

static const char *trimmed(const char *line)
{
    return line + strspn(line, " ");
}

static bool opens(const char *line)
{
    return strchr(line, '{') && *trimmed(line) != '}';
}

static bool closes(const char *line)
{
    return strcmp(trimmed(line), "}") == 0;
}

static bool is_between(const char *line)
{
    return strncmp(trimmed(line), "} {", 3) == 0;
}

/* The last line of what begins at line i; middle: where its second region begins. */
static uint32_t last_of(const shrinking *w, uint32_t i, uint32_t *middle)
{
    uint32_t depth = 0, j = i;
    *middle = 0;
    if (!opens(w->lines[i]))
        return i;
    for (; j < w->n; j++) {
        depth += opens(w->lines[j]);
        if (is_between(w->lines[j]) && depth == 1 && !*middle)
            *middle = j;
        if (closes(w->lines[j]) && --depth == 0)
            break;
    }
    return j < w->n ? j : i;
}

/* The lines without [from, to], and with `name` replaced by another term behind them, if it is not
 * NULL. */
static char **without(const shrinking *w, uint32_t from, uint32_t to, uint32_t *n)
{
    char **lines = calloc(w->n + 1, sizeof *lines);
    *n = 0;
    for (uint32_t i = 0; i < w->n; i++)
        if (i < from || i > to)
            lines[(*n)++] = strdup(w->lines[i]);
    return lines;
}

/* One name for another, wherever it is used from a line on up to the end of the function. */
static void rename_in(char **lines, uint32_t from, uint32_t n, const char *name, const char *by)
{
    size_t len = strlen(name);
    for (uint32_t i = from; i < n && *lines[i] != '}'; i++) {
        char out[LINE_MOST];
        size_t used = 0;
        for (const char *s = lines[i]; *s && used + strlen(by) + 1 < sizeof out;) {
            bool here = strncmp(s, name, len) == 0 && !isdigit((unsigned char)s[len]);
            used += (size_t)snprintf(out + used, sizeof out - used, "%.*s",
                                     here ? (int)strlen(by) : 1, here ? by : s);
            s += here ? len : 1;
        }
        free(lines[i]);
        lines[i] = strdup(out);
    }
}

/* The name that a line gives a value; false when it gives none. */
static bool name_of(const char *line, char *name)
{
    line = trimmed(line);
    size_t n = strspn(line, "%0123456789");
    if (*line != '%' || n < 2 || n > 15 || (line[n] != ' ' && line[n] != ':'))
        return false;
    memcpy(name, line, n);
    name[n] = 0;
    return true;
}

/* ---- candidates ---- */

static bool drop_lines(shrinking *w)
{
    bool any = false;
    for (uint32_t i = w->n; i-- > 0;) {
        uint32_t middle, n, last;
        if (i >= w->n || closes(w->lines[i]) || is_between(w->lines[i]))
            continue;
        last = last_of(w, i, &middle);
        char **lines = without(w, i, last, &n);
        any = accept(w, lines, n) || any;
    }
    return any;
}

static bool replace_by(shrinking *w, uint32_t i, const char *name, const char *by)
{
    uint32_t middle, n, last = last_of(w, i, &middle);
    char **lines = without(w, i, last, &n);
    rename_in(lines, i, n, name, by);
    return accept(w, lines, n);
}

/* A value by a literal, or by one that was there before. */
static bool replace_values(shrinking *w)
{
    static const char *const literals[] = {"0",    "1",   "2",   "true", "false", "0.0",  "1i64",
                                           "1u32", "1u8", "1i8", "1i16", "1u16",  "1u64", "1.0f32"};
    bool any = false;
    for (uint32_t i = w->n; i-- > 0;) {
        char name[16], other[16];
        bool done = false;
        if (i >= w->n || !name_of(w->lines[i], name))
            continue;
        for (uint32_t k = 0; k < sizeof literals / sizeof *literals && !done; k++)
            done = replace_by(w, i, name, literals[k]);
        for (uint32_t j = 0; j < i && !done; j++)
            done = name_of(w->lines[j], other) && replace_by(w, i, name, other);
        for (int p = 1; p < 10 && !done; p++) {
            snprintf(other, sizeof other, "%%%d", p);
            done = strcmp(other, name) != 0 && replace_by(w, i, name, other);
        }
        any = any || done;
    }
    return any;
}

/* The yield that ends lines [from, to). */
static const char *yielded(const shrinking *w, uint32_t to)
{
    const char *line = trimmed(w->lines[to - 1]);
    return strncmp(line, "yield ", 6) == 0 ? line + 6 : NULL;
}

/* One branch in place of an if. */
static bool take_branch(shrinking *w, uint32_t i, bool second)
{
    uint32_t middle, last = last_of(w, i, &middle), n = 0;
    char name[16], by[64];
    if (!middle || !name_of(w->lines[i], name) || !strstr(w->lines[i], " = if "))
        return false;
    uint32_t from = second ? middle + 1 : i + 1, to = second ? last : middle;
    const char *value = yielded(w, to);
    if (!value)
        return false;
    snprintf(by, sizeof by, "%s", value);
    char **lines = calloc(w->n + 1, sizeof *lines);
    for (uint32_t k = 0; k < w->n; k++)
        if (k < i || k > last || (k >= from && k < to - 1))
            lines[n++] = strdup(w->lines[k]);
    rename_in(lines, i, n, name, by);
    return accept(w, lines, n);
}

static bool take_branches(shrinking *w)
{
    bool any = false;
    for (uint32_t i = w->n; i-- > 0;)
        any = (i < w->n && (take_branch(w, i, false) || take_branch(w, i, true))) || any;
    return any;
}

/* A smaller number in a line. */
static bool reduce_number(shrinking *w, uint32_t i, uint32_t *at)
{
    const char *line = w->lines[i];
    uint32_t k = *at;
    while (line[k] && !(isdigit((unsigned char)line[k]) &&
                        (k == 0 || line[k - 1] == ' ' || line[k - 1] == '-')))
        k++;
    if (!line[k])
        return false;
    char *end;
    unsigned long long x = strtoull(line + k, &end, 10), smaller[] = {0, 1, 2, x / 2, x - 1};
    *at = k + 1;
    for (uint32_t c = 0; c < 5 && x > 0; c++) {
        uint32_t n;
        if (smaller[c] >= x)
            continue;
        char **lines = without(w, w->n, w->n, &n), next[LINE_MOST];
        snprintf(next, sizeof next, "%.*s%llu%s", (int)k, line, smaller[c], end);
        free(lines[i]);
        lines[i] = strdup(next);
        if (accept(w, lines, n))
            break;
    }
    return true;
}

static void reduce_numbers(shrinking *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t at = 0; trimmed(w->lines[i])[0] == '%' && reduce_number(w, i, &at);) {
        }
}

/* Kernels' types of results, so that results can go. */
static void drop_result_types(shrinking *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        char *arrow = strncmp(w->lines[i], "kernel", 6) == 0 ? strstr(w->lines[i], ") -> ") : NULL;
        uint32_t n;
        if (!arrow)
            continue;
        char **lines = without(w, w->n, w->n, &n);
        strcpy(lines[i] + (arrow - w->lines[i]) + 1, " {");
        accept(w, lines, n);
    }
}

/* ---- settings ---- */

static bool keep_setting(shrinking *w, setting s)
{
    setting old = w->s;
    w->s = s;
    if (still_wrong(w, w->lines, w->n))
        return true;
    w->s = old;
    return false;
}

static void drop_passes(shrinking *w)
{
    for (uint32_t i = w->s.npasses; i-- > 0;) {
        setting s = w->s;
        if (pipeline_kernel(s.passes[i])->about.needed)
            continue;
        memmove(s.passes + i, s.passes + i + 1, s.npasses - i - 1);
        s.npasses--;
        keep_setting(w, s);
    }
}

#define TRY(field, x) (s = w->s, s.target.field = (x), (void)keep_setting(w, s))
static void simplify_setting(shrinking *w)
{
    setting s;
    drop_passes(w);
    TRY(request.groups, 0);
    TRY(facts.groups_wait, true);
    TRY(facts.launches_cost, false);
    TRY(facts.atomics64, true);
    TRY(request.index_bits, 0);
    TRY(facts.local_bytes, 0);
    TRY(tuning.unroll, 2048);
    TRY(tuning.vector_bytes, 16);
    TRY(quirks, 0);
    TRY(request.checks, CHECKS_DEFAULT);
    s = w->s;
    setting_simd(&s.target, 0);
    keep_setting(w, s);
    s = w->s;
    setting_exchange(&s.target, 0);
    keep_setting(w, s);
    TRY(tuning.most_own, 0);
    TRY(tuning.block_size, 1);
    TRY(tuning.block_size, 2);
    TRY(tuning.block_size, 32);
    TRY(tuning.block_size, 64);
}

/* ---- everything ---- */

static void split(shrinking *w, const char *text)
{
    w->lines = calloc(strlen(text) + 2, sizeof *w->lines);
    w->n = 0;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        if (n && strncmp(at, "//", 2) != 0)
            w->lines[w->n++] = strndup(at, n);
        at += n + (at[n] == '\n');
    }
}

bool shrink(shrinking *w, const char *text)
{
    split(w, text);
    w->begun = time(NULL);
    w->wanted = tried(w, w->lines, w->n);
    if (!is_finding(w->wanted.verdict))
        return false;
    drop_result_types(w);
    simplify_setting(w);
    for (bool more = true; more;) {
        more = drop_lines(w);
        more = take_branches(w) || more;
        more = replace_values(w) || more;
    }
    reduce_numbers(w);
    drop_lines(w);
    simplify_setting(w);
    return true;
}

void shrink_release(shrinking *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        free(w->lines[i]);
    free(w->lines);
}
