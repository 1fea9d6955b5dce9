/* The cores of this machine as a device: kernels in C, compiled by the system's compiler.
 *
 * A launch has ended when its call returns; memory is the host's own. */
#define _POSIX_C_SOURCE 200809L
#include "backends/run/cpu/code.h"
#include "backends/run/cpu/team.h"
#include "backends/run/device.h"
#include "backends/run/kept.h"

#include "backends/cpu/cpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A program that was compiled. */
typedef struct cpu_program {
    kept kept;
    void *library;
} cpu_program;

typedef struct cpu_device {
    run_device base;
    kept_list programs;
    VEC(void *) args; /* of a launch */
    cpu_team *team;   /* NULL: until a launch needs it */
    bool timed;
    run_time time;
    uint64_t first; /* launch since timing started; 0: none yet */
} cpu_device;

static cpu_device *self(run_device *d)
{
    return (cpu_device *)d; /* base is its first member */
}

/* ---- memory ---- */

enum { ALIGNMENT = 64 }; /* a cache line, and the widest vector */

static void *new_buffer(run_device *d, uint64_t bytes, const void *init)
{
    void *memory = NULL;
    if (bytes < SIZE_MAX - ALIGNMENT)
        memory = aligned_alloc(ALIGNMENT, ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT);
    if (memory && init)
        memcpy(memory, init, (size_t)bytes);
    if (!memory)
        diag_error(d->cx, DIAG_CPU_MEMORY, (location){0},
                   "there is no memory for a buffer of %llu bytes", (unsigned long long)bytes);
    return memory;
}

static void release_buffer(run_device *d, void *memory)
{
    (void)d;
    free(memory);
}

static bool read_buffer(run_device *d, void *memory, uint64_t offset, uint64_t bytes, void *to)
{
    (void)d;
    memcpy(to, (const char *)memory + offset, (size_t)bytes);
    return true;
}

static bool write_buffer(run_device *d, void *memory, uint64_t bytes, const void *from)
{
    (void)d;
    memcpy(memory, from, (size_t)bytes);
    return true;
}

static bool copy_buffer(run_device *d, void *from, void *to, uint64_t bytes)
{
    (void)d;
    memmove(to, from, (size_t)bytes);
    return true;
}

static bool clear_buffer(run_device *d, void *memory, uint64_t bytes)
{
    (void)d;
    memset(memory, 0, (size_t)bytes);
    return true;
}

static bool finish(run_device *d)
{
    (void)d;
    return true;
}

/* ---- marks ---- */

/* What was started is done, so that every mark is reached. */
static bool read_at_once(run_device *d, void *memory, uint64_t bytes, void *to)
{
    return read_buffer(d, memory, 0, bytes, to);
}

static void *mark(run_device *d)
{
    return d;
}

static bool is_reached(run_device *d, void *mark)
{
    (void)d;
    return mark != NULL;
}

static void forget(run_device *d, void *mark)
{
    (void)d;
    (void)mark;
}

/* ---- time ---- */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool start_timing(run_device *d)
{
    self(d)->timed = true;
    self(d)->time = (run_time){0};
    self(d)->first = 0;
    return true;
}

static bool stop_timing(run_device *d, run_time *t)
{
    self(d)->timed = false;
    if (t)
        *t = self(d)->time;
    return true;
}

static void add_time(cpu_device *c, uint64_t start, uint64_t end)
{
    c->first = c->first ? c->first : start;
    c->time.kernels += end - start;
    c->time.span = end - c->first;
}

/* ---- programs ---- */

static void drop_program(run_device *d, void *program)
{
    cpu_program *p = program;
    if (p->library)
        dlclose(p->library);
    mem_free(&d->cx->mem, p, sizeof *p);
}

static void *new_program(run_device *d, const run_code *code, const kept *like)
{
    cpu_program *p = mem_resize(&d->cx->mem, NULL, 0, sizeof *p);
    if (!p)
        return NULL;
    *p = (cpu_program){.kept = *like, .library = cpu_load(d->cx, code)};
    if (p->library)
        return p;
    drop_program(d, p);
    return NULL;
}

static const kept_kind way = {.make = new_program, .drop = drop_program};

static void *find_program(run_device *d, const run_code *code)
{
    return kept_program(&self(d)->programs, &way, d, code);
}

static void leave_program(run_device *d, void *program)
{
    kept_end_use(&self(d)->programs, &way, d, program);
}

/* ---- launches ---- */

typedef void entry(int32_t groups, void *const *args);

/* A function of the code by its name and what is added to that; NULL: there is none.  ISO C has no
 * conversion from object to function pointers; POSIX promises that the representation is the same:
 * the pointer is copied to *function. */
static bool find_function(cpu_device *c, const cpu_program *p, const char *name, const char *added,
                          void *function)
{
    vec_char full = {0};
    bool ok = text_addf(&c->base.cx->mem, &full, "%s%s", name, added);
    void *found = ok ? dlsym(p->library, text_cstr(&c->base.cx->mem, &full)) : NULL;
    vec_free(&c->base.cx->mem, &full);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* By the threads of the device, or without memory for them by the caller; code that was emitted
 * before it had such a function has only one that brings threads of its own.  False: it has neither.
 */
static bool call(cpu_device *c, const cpu_program *p, const run_launch *l)
{
    cpu_range *range;
    entry *all;
    if (find_function(c, p, l->kernel, "_some", &range)) {
        if (!c->team)
            c->team = cpu_team_start(c->base.cx);
        if (c->team)
            cpu_team_run(c->team, range, (int32_t)l->groups, c->args.at);
        else
            range(0, (int32_t)l->groups, (int32_t)l->groups, c->args.at);
        return true;
    }
    if (!find_function(c, p, l->kernel, "", &all))
        return false;
    all((int32_t)l->groups, c->args.at);
    return true;
}

/* Memory is handed over as it is, scalars and the bytes of local memory by where they are. */
static bool collect(cpu_device *c, const run_launch *l)
{
    c->args.len = 0;
    for (uint32_t i = 0; i < l->nargs; i++) {
        const run_arg *a = &l->args[i];
        const void *at = a->kind == RUN_MEMORY   ? a->memory
                         : a->kind == RUN_SCALAR ? (const void *)a->bits
                                                 : &a->bytes;
        void *given = (void *)(uintptr_t)at; /* only read */
        if (!vec_push(&c->base.cx->mem, &c->args, given))
            return false;
    }
    return vec_push(&c->base.cx->mem, &c->args, NULL);
}

static bool launch(run_device *d, void *program, const run_launch *l)
{
    cpu_device *c = self(d);
    if (!collect(c, l))
        return false;
    uint64_t start = c->timed ? now() : 0;
    if (!call(c, program, l))
        return diag_error(d->cx, DIAG_CPU_BUILD, (location){0},
                          "the compiled code has no kernel %s", l->kernel);
    if (c->timed)
        add_time(c, start, now());
    return true;
}

/* ---- opening and closing ---- */

static void close_device(run_device *d)
{
    cpu_device *c = self(d);
    kept_drop_all(&c->programs, &way, d);
    cpu_team_end(d->cx, c->team);
    vec_free(&d->cx->mem, &c->args);
    mem_free(&d->cx->mem, c, sizeof *c);
}

static run_handles handles(const run_device *d)
{
    (void)d;
    return (run_handles){0};
}

static const run_ops cpu_ops = {
    .program = find_program,
    .leave = leave_program,
    .buffer = new_buffer,
    .release = release_buffer,
    .read = read_buffer,
    .write = write_buffer,
    .clear = clear_buffer,
    .copy = copy_buffer,
    .launch = launch,
    .finish = finish,
    .read_later = read_at_once,
    .mark = mark,
    .flush = finish,
    .is_reached = is_reached,
    .await = is_reached,
    .forget = forget,
    .start_timing = start_timing,
    .stop_timing = stop_timing,
    .handles = handles,
    .close = close_device,
};

bool run_cpu_is_there(fcl_context *cx)
{
    return run_can_load() && cpu_has_compiler(cx);
}

bool run_cpu_describe(fcl_context *cx, vec_char *out)
{
    return text_addf(&cx->mem, out, "%ld cores of this machine, kernels compiled by ",
                     sysconf(_SC_NPROCESSORS_ONLN)) &&
           cpu_compiler_name(cx, out);
}

/* Whether there is a compiler is found out when there is something to compile. */
run_device *run_cpu_open(fcl_context *cx)
{
    if (!run_can_load()) {
        diag_error(cx, DIAG_CPU_STATIC, (location){0},
                   "a program that is linked statically as a whole cannot load compiled kernels");
        diag_hint(cx, "link the C library dynamically, or use the device interp");
        return NULL;
    }
    cpu_device *c = mem_resize(&cx->mem, NULL, 0, sizeof *c);
    if (!c)
        return NULL;
    *c = (cpu_device){.base = {.ops = &cpu_ops,
                               .cx = cx,
                               .caps = {.target = backend_cpu.name,
                                        .facts = backend_facts(&backend_cpu),
                                        .ways = {.can = 1}}}};
    return &c->base;
}
