/* Reads cases: a line for each, NAME DEVICES KEY=VALUE...; braces with values by commas stand for
 * one case for each. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char to[MAX_TEXT], const char *from, size_t n)
{
    if (n >= MAX_TEXT)
        die("a text in a file of cases is too long: %.40s...", from);
    memcpy(to, from, n);
    to[n] = 0;
}

/* "65536" or "2^16" */
static uint64_t size_of(const char *text)
{
    return strncmp(text, "2^", 2) == 0 ? (uint64_t)1 << strtoul(text + 2, NULL, 10)
                                       : strtoull(text, NULL, 10);
}

static void set_field(test_case *c, const char *word)
{
    struct {
        const char *name;
        char *field;
    } fields[] = {{"file", c->file},
                  {"entry", c->entry},
                  {"args", c->args},
                  {"set", c->set},
                  {"target", c->target}};
    const char *value = strchr(word, '=');
    size_t n = value ? (size_t)(value - word) : 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (n && strlen(fields[i].name) == n && strncmp(fields[i].name, word, n) == 0) {
            copy_text(fields[i].field, value + 1, strlen(value + 1));
            return;
        }
    if (n != 1 || *word != 'n')
        die("cases: what is %s?", word);
    c->n = size_of(value + 1);
}

static void add_case(case_list *l, const test_case *c)
{
    test_case *grown = realloc(l->at, (l->count + 1) * sizeof *grown);
    if (!grown)
        die("out of memory");
    l->at = grown;
    l->at[l->count++] = *c;
}

/* A line without braces.  row and column are set already. */
/* Both kinds of a processor's cores are no GPU. */
static bool is_meant(const char *devices, const char *kind)
{
    return strcmp(devices, "any") == 0 || strcmp(devices, kind) == 0 ||
           (strcmp(devices, "cpus") == 0 && strcmp(kind, "gpu") != 0);
}

static void read_line(case_list *l, char *line, const char *kind, const test_case *start)
{
    test_case c = *start;
    char *absent = strstr(line, " absent=");
    if (absent) {
        copy_text(c.absent, absent + strlen(" absent="),
                  strcspn(absent + strlen(" absent="), "\n"));
        *absent = 0;
    }
    const char *name = strtok(line, " \t\n"), *devices = name ? strtok(NULL, " \t\n") : NULL;
    if (!devices)
        die("cases: a line begins with a problem and its devices");
    if (!problem_named(name))
        die("cases: there is no problem %s", name);
    copy_text(c.problem, name, strlen(name));
    for (char *word = strtok(NULL, " \t\n"); word; word = strtok(NULL, " \t\n"))
        set_field(&c, word);
    if (is_meant(devices, kind))
        add_case(l, &c);
}

enum { MAX_LINE = 1024 };

/* What stands for the first braces is the row, what stands for all others the column. */
static void name_case(test_case *c, const char *value, int n)
{
    size_t used = strlen(c->column);
    if (!c->row[0])
        copy_text(c->row, value, (size_t)n);
    else
        snprintf(c->column + used, MAX_TEXT - used, "%s%.*s", used ? "," : "", n, value);
}

/* Replaces the first braces of the line by each of their values. */
static void expand(case_list *l, const char *line, const char *kind, const test_case *start)
{
    char whole[MAX_LINE];
    const char *open = strchr(line, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close) {
        strcpy(whole, line);
        read_line(l, whole, kind, start);
        return;
    }
    for (const char *value = open + 1; value < close; value += strcspn(value, ",}") + 1) {
        test_case c = *start;
        int n = (int)strcspn(value, ",}");
        name_case(&c, value, n);
        snprintf(whole, sizeof whole, "%.*s%.*s%s", (int)(open - line), line, n, value, close + 1);
        expand(l, whole, kind, &c);
    }
}

case_list cases_read(const char *path, const char *kind)
{
    case_list l = {0};
    char line[MAX_LINE];
    unsigned number = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        die("cannot read %s", path);
    while (fgets(line, sizeof line, f)) {
        number++;
        const char *start = line + strspn(line, " \t\n");
        if (*start && *start != '#')
            expand(&l, start, kind, &(test_case){.line = number});
    }
    fclose(f);
    return l;
}

const test_case *case_of(const case_list *l, const char *name)
{
    const test_case *found = NULL;
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->at[i].problem, name) == 0)
            found = &l->at[i];
    return found;
}
