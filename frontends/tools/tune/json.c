/* All points of a search as JSON: see show.h. */
#include "frontends/tools/tune/show.h"

#include "frontends/tools/output.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static const char *const states[] = {
    [POINT_OK] = "ok", [POINT_FAILED] = "failed", [POINT_DIFFERS] = "differs"};

/* What is as it is has null. */
static void add_values(cJSON *to, const knobs *k, const uint64_t *setting)
{
    cJSON *values = cJSON_AddObjectToObject(to, "values");
    for (size_t i = 0; i < k->n; i++) {
        if (setting[i] == AS_IT_IS)
            cJSON_AddNullToObject(values, k->at[i].name);
        else
            cJSON_AddNumberToObject(values, k->at[i].name,
                                    fcl_domain_at(k->at[i].domain, setting[i]));
    }
}

static cJSON *point_of(const search *s, const point *p)
{
    cJSON *made = cJSON_CreateObject();
    add_values(made, &s->knobs, p->setting);
    cJSON_AddStringToObject(made, "state", states[p->state]);
    if (p->state != POINT_FAILED)
        cJSON_AddNumberToObject(made, "cost", p->cost);
    if (p->why)
        cJSON_AddStringToObject(made, "why", p->why);
    return made;
}

static void add_knobs(cJSON *to, const knobs *k)
{
    cJSON *list = cJSON_AddArrayToObject(to, "tunables");
    for (size_t i = 0; i < k->n; i++) {
        cJSON *made = cJSON_CreateObject();
        cJSON_AddStringToObject(made, "name", k->at[i].name);
        cJSON_AddStringToObject(made, "domain", k->at[i].domain);
        if (k->at[i].usual >= 0)
            cJSON_AddNumberToObject(made, "usual", (double)k->at[i].usual);
        cJSON_AddItemToArray(list, made);
    }
}

bool show_json(report *r, const char *path, const search *s, const subject *of)
{
    cJSON *all = cJSON_CreateObject();
    cJSON_AddStringToObject(all, "program", of->key.program);
    cJSON_AddStringToObject(all, "entry", of->key.entry);
    cJSON_AddStringToObject(all, "device", of->key.device);
    cJSON_AddStringToObject(all, "measure", of->measure);
    cJSON_AddStringToObject(all, "unit", of->unit);
    add_knobs(all, &s->knobs);
    cJSON *points = cJSON_AddArrayToObject(all, "points");
    for (size_t i = 0; i < s->npoints; i++)
        cJSON_AddItemToArray(points, point_of(s, &s->points[i]));
    if (s->best < s->npoints)
        cJSON_AddNumberToObject(all, "best", (double)s->best);
    char *text = cJSON_Print(all);
    string line = {0};
    string_addf(&line, "%s\n", text ? text : "");
    bool ok = text && output_write(r, path, line.at, line.len);
    string_free(&line);
    free(text);
    cJSON_Delete(all);
    return ok;
}
