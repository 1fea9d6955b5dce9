/* Figures of the vendor's libraries, measured by another program on the same machine: lines of
 * JSON. */
#include "tests/bench/bench.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct figure {
    char name[MAX_TEXT], by[MAX_TEXT];
    uint64_t n;
    double ms;
} figure;

static struct {
    figure *at;
    size_t count;
} figures;

static void add_figure(const cJSON *line)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(line, "name"));
    const char *by = cJSON_GetStringValue(cJSON_GetObjectItem(line, "by"));
    const cJSON *n = cJSON_GetObjectItem(line, "n"), *ms = cJSON_GetObjectItem(line, "ms");
    if (!name || !by || !cJSON_IsNumber(n) || !cJSON_IsNumber(ms))
        die("a line of the vendor's figures lacks name, by, n or ms");
    figure *grown = realloc(figures.at, (figures.count + 1) * sizeof *grown);
    if (!grown)
        die("out of memory");
    figures.at = grown;
    figure *f = &figures.at[figures.count++];
    *f = (figure){.n = (uint64_t)n->valuedouble, .ms = ms->valuedouble};
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->by, sizeof f->by, "%s", by);
}

void vendor_read(const char *path)
{
    char line[1024];
    FILE *f = path ? fopen(path, "r") : NULL;
    if (path && !f)
        die("cannot read %s", path);
    while (f && fgets(line, sizeof line, f)) {
        if (line[0] != '{')
            continue;
        cJSON *json = cJSON_Parse(line);
        if (!json)
            die("%s: not JSON: %s", path, line);
        add_figure(json);
        cJSON_Delete(json);
    }
    if (f)
        fclose(f);
}

void vendor_find(result *r)
{
    for (size_t i = 0; i < figures.count; i++) {
        const figure *f = &figures.at[i];
        if (f->n != r->e.n || strcmp(f->name, r->what->name) != 0 ||
            (r->vendor > 0 && r->vendor <= f->ms))
            continue;
        r->vendor = f->ms;
        strcpy(r->vendor_name, f->by);
    }
}
