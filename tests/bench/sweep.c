/* One program over its parameters: a table for each line of the file, rows and columns from its
 * braces. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many cases came from one line. */
static size_t table_length(const case_list *l, size_t start)
{
    size_t i = start + 1;
    while (i < l->count && l->at[i].line == l->at[start].line)
        i++;
    return i - start;
}

static size_t row_length(const case_list *l, size_t start, size_t n)
{
    size_t i = 1;
    while (i < n && strcmp(l->at[start + i].row, l->at[start].row) == 0)
        i++;
    return i;
}

static void print_head(const case_list *l, size_t start, size_t columns)
{
    const test_case *first = &l->at[start];
    printf("\n%s by %s of %s, milliseconds\n%12s", first->problem, first->entry, first->file, "");
    for (size_t c = 0; c < columns; c++)
        printf(" %10s", l->at[start + c].column);
    printf("\n");
}

static void print_cell(machine *m, const test_case *c, const instance *i, unsigned runs)
{
    char why[MAX_TEXT] = "";
    double ms = measure_alone(m, c, i, runs, why);
    if (ms > 0)
        printf(" %10.4f", ms);
    else
        printf(" %10s", "-");
    if (why[0])
        fprintf(stderr, "%s with %s %s: %s\n", c->entry, c->row, c->column, why);
    fflush(stdout);
}

typedef struct sweeping {
    machine *m;
    uint64_t n, seed; /* n: where the line says none */
    unsigned runs;
    instance i; /* what: NULL: there is none yet */
} sweeping;

/* The data of a case: the last one's, when it is of the same size. */
static void prepare(sweeping *s, const test_case *c)
{
    const problem *p = problem_named(c->problem);
    extents e = p->shape(c->n ? c->n : s->n);
    if (s->i.what == p && s->i.e.n == e.n)
        return;
    if (s->i.what)
        instance_free(&s->i);
    instance_make(s->m, &s->i, p, e.n, s->seed);
}

static void run_table(sweeping *s, const case_list *l, size_t start, size_t n)
{
    size_t columns = row_length(l, start, n);
    print_head(l, start, columns);
    for (size_t k = 0; k < n; k++) {
        const test_case *c = &l->at[start + k];
        if (k % columns == 0)
            printf("%12s", c->row);
        prepare(s, c);
        print_cell(s->m, c, &s->i, s->runs);
        if (k % columns == columns - 1)
            printf("\n");
    }
}

void sweep(machine *m, const char *path, uint64_t n, uint64_t seed, unsigned runs)
{
    case_list l = cases_read(path, m->kind);
    sweeping s = {.m = m, .n = n, .seed = seed, .runs = runs};
    for (size_t i = 0; i < l.count; i += table_length(&l, i))
        run_table(&s, &l, i, table_length(&l, i));
    if (s.i.what)
        instance_free(&s.i);
    free(l.at);
}
