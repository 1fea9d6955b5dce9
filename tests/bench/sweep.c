/* One program over its parameters: a table for each line of the file, rows and columns from its braces. */
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

static void print_head(const case_list *l, size_t start, size_t columns, const instance *i)
{
    const test_case *first = &l->at[start];
    printf("\n%s by %s of %s, %llu elements, milliseconds\n%12s", first->problem, first->entry, first->file,
           (unsigned long long)i->e.n, "");
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

static void run_table(machine *m, const case_list *l, size_t start, size_t n, uint64_t size, uint64_t seed,
                      unsigned runs)
{
    instance i;
    const test_case *first = &l->at[start];
    size_t columns = row_length(l, start, n);
    instance_make(m, &i, problem_named(first->problem), first->n ? first->n : size, seed);
    print_head(l, start, columns, &i);
    for (size_t k = 0; k < n; k++) {
        if (k % columns == 0)
            printf("%12s", l->at[start + k].row);
        print_cell(m, &l->at[start + k], &i, runs);
        if (k % columns == columns - 1)
            printf("\n");
    }
    instance_free(&i);
}

void sweep(machine *m, const char *path, uint64_t n, uint64_t seed, unsigned runs)
{
    case_list l = cases_read(path, m->is_gpu);
    for (size_t i = 0; i < l.count; i += table_length(&l, i))
        run_table(m, &l, i, table_length(&l, i), n, seed, runs);
    free(l.at);
}
