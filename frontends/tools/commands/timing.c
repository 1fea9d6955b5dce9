/* The clock of `fclc run --time`: see timing.h.  Passes tell the library's observer what they took;
 * the rest of making a program is emission and the driver's compiler, which some drivers are asked
 * for when a kernel is first launched. */
#include "frontends/tools/commands/timing.h"

#include <stdio.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void after(void *user, const fcl_pass_event *e)
{
    timing *t = user;
    t->passes += e->nanoseconds + e->verified;
}

void timing_begin(timing *t, fcl_run_options *how)
{
    *t = (timing){.observer = {.size = sizeof t->observer, .after = after},
                  .compile = *how->compile,
                  .begun = now()};
    t->observer.user = t;
    t->compile.observer = &t->observer;
    how->timed = true;
    how->compile = &t->compile;
}

static uint64_t of_driver(fcl_context *cx)
{
    fcl_cache_info i = {0};
    return fcl_cache_get(cx, &i, sizeof i) ? i.nanoseconds : 0;
}

void timing_built(timing *t, fcl_context *cx)
{
    t->built = now();
    t->driver = of_driver(cx);
}

static void row(uint64_t nanoseconds, const char *what)
{
    fprintf(stderr, "%12.3f ms  %s\n", (double)nanoseconds * 1e-6, what);
}

/* What is kept in the process, or needs no driver, is neither. */
static void print_cache(fcl_context *cx)
{
    fcl_cache_info i;
    if (fcl_cache_get(cx, &i, sizeof i) && i.compiled + i.found > 0)
        fprintf(stderr, "%12llu     compiled by the driver, %llu found on disk\n",
                (unsigned long long)i.compiled, (unsigned long long)i.found);
}

void timing_print(const timing *t, const fcl_program *p, fcl_context *cx)
{
    uint64_t end = now(), making = t->built - t->begun, late = of_driver(cx) - t->driver;
    row(t->passes, "compile: passes");
    row((making > t->passes ? making - t->passes : 0) + late,
        "build: emission, and the driver's compiler");
    row(end - t->built - late, "run, of which");
    row(fcl_program_nanoseconds(p, NULL), "  kernels, by the device's clock");
    row(fcl_program_transfers(p), "  transfers of arguments and results");
    print_cache(cx);
}
