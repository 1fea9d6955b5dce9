/* What was measured: a line for each result while it runs, a table at the end, and JSON. */
#include "tests/bench/bench.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ratios ---- */

static double best_peer(const result *r)
{
    return r->hand > 0 && (r->vendor <= 0 || r->hand < r->vendor) ? r->hand : r->vendor;
}

/* A peer's time divided by FCL's: above 1 FCL is faster.  0: not measured. */
static double ratio(const result *r, double time)
{
    return r->fcl > 0 && time > 0 ? time / r->fcl : 0;
}

static double named_ratio(const result *r, const char *name, size_t n)
{
    const struct {
        const char *name;
        double time;
    } known[] = {
        {"hand", r->hand}, {"vendor", r->vendor}, {"copy", r->copy}, {"best", best_peer(r)}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && strncmp(known[i].name, name, n) == 0)
            return ratio(r, known[i].time);
    die("a target cannot be %s", name);
}

typedef enum { TARGET_NONE, TARGET_MET, TARGET_MISSED } target_state;

/* Every part of hand>=1.0,copy>=0.9 whose peer was measured must hold. */
static target_state target_of(const result *r)
{
    target_state state = TARGET_NONE;
    for (const char *part = r->how->target; *part;
         part += part[strcspn(part, ",")] ? strcspn(part, ",") + 1 : strlen(part)) {
        const char *sign = strstr(part, ">=");
        if (!sign)
            die("a target is NAME>=RATIO, not %s", part);
        double got = named_ratio(r, part, (size_t)(sign - part));
        if (got > 0 && got < strtod(sign + 2, NULL))
            return TARGET_MISSED;
        if (got > 0)
            state = TARGET_MET;
    }
    return state;
}

/* ---- lines ---- */

static void print_ratio(double x)
{
    if (x > 0)
        printf(" %8.2f", x);
    else
        printf(" %8s", "-");
}

void report_line(const result *r)
{
    if (r->how->absent[0])
        printf("%s absent: %s\n", r->what->name, r->how->absent);
    else if (r->failure[0])
        printf("%s failed at %llu elements: %s\n", r->what->name, (unsigned long long)r->e.n,
               r->failure);
    else
        printf("%s %.2f\n", r->what->name, ratio(r, best_peer(r)));
    fflush(stdout);
}

/* In the problem's unit. */
static double rate(const result *r)
{
    double work = r->what->bytes ? r->what->bytes(r->e) * 1e-9 : r->what->operations(r->e);
    return r->fcl > 0 ? work / (r->fcl * 1e-3) : 0;
}

static void print_row(const result *r)
{
    static const char *const states[] = {"", "met", "missed"};
    printf("%-15s %10llu", r->what->name, (unsigned long long)r->e.n);
    if (r->fcl <= 0) {
        printf("  %s\n", r->how->absent[0] ? "absent" : r->failure);
        return;
    }
    printf(" %10.4f %8.*f %-8s", r->fcl, rate(r) < 100 ? 2 : 0, rate(r), r->what->unit);
    print_ratio(ratio(r, r->copy));
    print_ratio(ratio(r, r->hand));
    print_ratio(ratio(r, r->vendor));
    printf("  %-14s %-22s %s\n", r->vendor_name, r->how->target, states[target_of(r)]);
}

bool report_table(const result *r, size_t n)
{
    bool ok = true;
    printf("\nRatios are a peer's time divided by that of the FCL program: above 1, FCL is "
           "faster.\n\n");
    printf("%-15s %10s %10s %8s %-8s %8s %8s %8s  %-14s %-22s\n", "kernel", "n", "FCL ms", "rate",
           "", "copy", "hand", "vendor", "", "target");
    for (size_t i = 0; i < n; i++) {
        print_row(&r[i]);
        ok = ok && (r[i].failure[0] == 0);
    }
    return ok;
}

/* ---- JSON ---- */

static void add_time(cJSON *o, const char *name, double x)
{
    if (x > 0)
        cJSON_AddNumberToObject(o, name, x);
}

static cJSON *result_json(const result *r)
{
    static const char *const states[] = {NULL, "met", "missed"};
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", r->what->name);
    cJSON_AddNumberToObject(o, "n", (double)r->e.n);
    if (r->how->absent[0])
        cJSON_AddStringToObject(o, "absent", r->how->absent);
    if (r->failure[0])
        cJSON_AddStringToObject(o, "failure", r->failure);
    add_time(o, "fcl_ms", r->fcl);
    add_time(o, "copy_ms", r->copy);
    add_time(o, "hand_ms", r->hand);
    add_time(o, "vendor_ms", r->vendor);
    if (r->vendor > 0)
        cJSON_AddStringToObject(o, "vendor", r->vendor_name);
    add_time(o, "rate", rate(r));
    cJSON_AddStringToObject(o, "unit", r->what->unit);
    add_time(o, "copy_ratio", ratio(r, r->copy));
    add_time(o, "hand_ratio", ratio(r, r->hand));
    add_time(o, "vendor_ratio", ratio(r, r->vendor));
    cJSON_AddStringToObject(o, "tolerance", r->what->tolerance);
    if (r->fcl > 0 && states[target_of(r)]) {
        cJSON_AddStringToObject(o, "target", r->how->target);
        cJSON_AddStringToObject(o, "state", states[target_of(r)]);
    }
    return o;
}

void report_json(const char *path, const report_header *h, const result *r, size_t n)
{
    cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "results");
    cJSON_AddStringToObject(o, "device", h->device);
    cJSON_AddStringToObject(o, "command", h->command);
    cJSON_AddNumberToObject(o, "seed", (double)h->seed);
    cJSON_AddNumberToObject(o, "runs", h->runs);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, result_json(&r[i]));
    char *text = cJSON_Print(o);
    FILE *f = fopen(path, "w");
    if (!f || !text || fprintf(f, "%s\n", text) < 0 || fclose(f) != 0)
        die("cannot write %s", path);
    cJSON_free(text);
    cJSON_Delete(o);
}
