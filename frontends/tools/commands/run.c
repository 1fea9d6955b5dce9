/* fclc run: a kernel, its arguments from the command line, a device; the results as literals or
 * .npy files. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/values/answer.h"
#include "frontends/tools/values/apl.h"
#include "frontends/tools/values/args.h"
#include "frontends/tools/values/npy.h"
#include "frontends/tools/interrupt.h"
#include "frontends/tools/output.h"
#include "frontends/tools/values/print.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/commands/timing.h"
#include "frontends/tools/text.h"
#include "frontends/tools/tune/knob.h"
#include "frontends/tools/tune/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is released at the end, whatever has been made of it by then. */
typedef struct run {
    session s;
    const char *entry;
    interface in, out;
    fcl_array *args, *results;
    answering answers;
} run;

/* ---- results ---- */

/* The kernel's attribute "show", where it says how to show its results; false where there is none.
 */
static bool find_manner(const run *r, fcl_attribute *a)
{
    fcl_subject of = {.function = r->s.module ? fcl_function_named(r->s.module, r->entry) : 0};
    for (size_t i = 0; of.function && fcl_attribute_get(r->s.module, of, i, a, sizeof *a); i++)
        if (a->text && strcmp(a->key, "show") == 0)
            return apl_shows(a->text, a->size, &r->out);
    return false;
}

static bool print_literals(run *r)
{
    output out;
    fcl_attribute manner;
    if (!output_open(&r->s.rep, "-", &out))
        return false;
    if (find_manner(r, &manner))
        apl_print(out.file, manner.text, manner.size, &r->out, r->results);
    else
        print_results(out.file, &r->out, r->results, r->s.o->value[OPT_ALL] != NULL);
    return output_close(&r->s.rep, &out);
}

/* What an emit hands out, as soon as it does. */
static bool print_output(void *user, const fcl_output *given)
{
    run *r = user;
    output out;
    if (!output_open(&r->s.rep, "-", &out))
        return false;
    if (!given->show ||
        !apl_print_arrays(out.file, given->show, given->show_size, given->arrays, given->n))
        print_arrays(out.file, given->arrays, given->n, r->s.o->value[OPT_ALL] != NULL);
    return output_close(&r->s.rep, &out);
}

/* FILE.npy for the only leaf; FILE.0.npy, FILE.1.npy, ... for several. */
static char *npy_path(const char *path, size_t i, size_t n)
{
    static const char ending[] = ".npy";
    size_t len = strlen(path), end = sizeof ending - 1;
    if (n == 1 || strcmp(path, "-") == 0)
        return tool_strndup(path, len);
    if (len > end && strcmp(path + len - end, ending) == 0)
        len -= end;
    string name = {0};
    string_addf(&name, "%.*s.%zu%s", (int)len, path, i, ending);
    return name.at;
}

static bool write_leaf(run *r, const fcl_array *leaf, const char *path, output *out)
{
    if (!output_open(&r->s.rep, path, out))
        return false;
    npy_write(out->file, leaf);
    return output_close(&r->s.rep, out);
}

/* All files are written before the first takes its place. */
static bool write_npy(run *r, const char *path)
{
    size_t n = r->out.nleaves;
    output *outs = tool_alloc(n, sizeof *outs);
    char **paths = tool_alloc(n, sizeof *paths);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        paths[i] = npy_path(path, i, n);
        ok = write_leaf(r, &r->results[i], paths[i], &outs[i]);
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = output_commit(&r->s.rep, &outs[i]);
    for (size_t i = 0; i < n; i++) {
        output_discard(&outs[i]);
        free(paths[i]);
    }
    free(paths);
    free(outs);
    return ok;
}

/* With -o as .npy files, else as text. */
static bool deliver(run *r)
{
    const char *path = r->s.o->value[OPT_OUTPUT];
    return path ? write_npy(r, path) : print_literals(r);
}

/* ---- running ---- */

/* Everything about the arguments is checked before a device is opened. */
static bool prepare(run *r, const char *const *args, size_t n)
{
    session *s = &r->s;
    if (!session_load_runnable(s, args[0]) || (s->module && !fcl_module_check(s->module)) ||
        !(r->entry = session_kernel(s)))
        return false;
    kernel_home of = {.module = s->module, .artifact = s->artifact};
    if (!interface_in(&s->rep, of, r->entry, &r->in) ||
        !interface_out(&s->rep, of, r->entry, &r->out))
        return false;
    r->args = tool_alloc(r->in.nleaves, sizeof *r->args);
    r->results = tool_alloc(r->out.nleaves, sizeof *r->results);
    return args_read(&s->rep, r->entry, &r->in, args + 1, n - 1, r->args);
}

/* What an artifact is run by, and everything with --time or --peak. */
static bool run_program(run *r, fcl_device *d, fcl_run_options *how)
{
    timing t;
    bool timed = r->s.o->value[OPT_TIME];
    if (timed)
        timing_begin(&t, how);
    fcl_program *p = r->s.module ? fcl_program_create(r->s.module, r->entry, d, how)
                                 : fcl_program_from_artifact(r->s.artifact, r->entry, d, how);
    if (timed)
        timing_built(&t, r->s.cx);
    bool ok = p && fcl_program_run_host(p, r->args, r->in.nleaves, r->results, r->out.nleaves);
    if (ok && timed)
        timing_print(&t, p, r->s.cx);
    if (ok && r->s.o->value[OPT_PEAK])
        fprintf(stderr, "%12llu bytes  of device memory at most\n",
                (unsigned long long)fcl_program_peak(p));
    fcl_program_destroy(p);
    return ok;
}

/* Arguments are looked at before anything is built. */
static bool run_module(run *r, fcl_device *d, const fcl_run_options *how)
{
    return fcl_run(r->s.module, r->entry, d, how, r->args, r->in.nleaves, r->results,
                   r->out.nleaves);
}

static bool takes_artifact(const fcl_device *d, const fcl_artifact *a)
{
    fcl_target t;
    const char *own = fcl_device_target(d);
    for (size_t i = 0; own && fcl_artifact_target(a, i, &t, sizeof t); i++)
        if (strcmp(t.name, own) == 0)
            return true;
    return false;
}

/* The best device, or where the artifact has no code for that, the first that it has some for. */
static fcl_device *open_for_artifact(fcl_context *cx, const fcl_artifact *a)
{
    const char *name = "auto";
    for (size_t i = 0; name; i++) {
        fcl_device *d = fcl_device_open(cx, name);
        if (d && takes_artifact(d, a))
            return d;
        fcl_device_close(d);
        name = fcl_device_name(cx, i);
    }
    return fcl_device_open(cx, "auto");
}

/* Without --device the reference evaluator runs the kernel, which needs no driver; an artifact
 * needs a device that takes its code. */
static fcl_device *open_device(const run *r)
{
    const char *name = r->s.o->value[OPT_DEVICE];
    if (r->s.artifact && !name)
        return open_for_artifact(r->s.cx, r->s.artifact);
    return fcl_device_open(r->s.cx, name);
}

/* What fclc tune has kept beside the program for the device comes before the usual numbers, and behind what the command line
 * says.  `room` holds what *to borrows. */
static bool use_tuned(run *r, const fcl_device *d, fcl_compile_options *to, string *room)
{
    const options *o = r->s.o;
    record_key key;
    char *tuning = NULL;
    char *path = r->s.module && !o->value[OPT_NO_TUNED] ? record_path(o->args[1]) : NULL;
    bool ok = !path || !record_is_there(path) ||
              (record_key_of(r->s.module, r->entry, d, &key) &&
               record_find(&r->s.rep, path, &key, &tuning));
    *to = o->compile;
    if (ok && tuning)
        ok = knobs_apply(o, tuning, to, room);
    if (tuning && o->value[OPT_TIME])
        fprintf(stderr, "tuned: %s\n", *tuning ? tuning : "the usual numbers");
    free(tuning);
    free(path);
    return ok;
}

static bool execute(run *r)
{
    const options *o = r->s.o;
    fcl_compile_options compile;
    string room = {0};
    fcl_device *d = !o->value[OPT_NO_CACHE] || fcl_cache_set(r->s.cx, "", 0) ? open_device(r) : NULL;
    if (!d || !use_tuned(r, d, &compile, &room)) {
        fcl_device_close(d);
        return false;
    }
    fcl_run_options how = {.size = sizeof how,
                           .compile = &compile,
                           .via = o->value[OPT_VIA],
                           .memory = o->memory,
                           .output = print_output,
                           .output_user = r,
                           .input = answer_asked,
                           .input_user = &r->answers};
    interrupt_begin(r->s.cx);
    bool whole = r->s.module && !o->value[OPT_TIME] && !o->value[OPT_PEAK];
    bool ok = whole ? run_module(r, d, &how) : run_program(r, d, &how);
    interrupt_end();
    if (ok)
        ok = deliver(r);
    fcl_results_free(r->s.cx, r->results, r->out.nleaves);
    fcl_device_close(d);
    string_free(&room);
    return ok;
}

/* The arrays of arguments are the program's; those of results are the library's, freed in execute.
 */
int cmd_run(const options *o, const char *const *args, size_t n)
{
    run r = {.answers = answer_begin(args[0])};
    if (!session_begin(&r.s, o))
        return EXIT_REFUSED;
    bool ok = prepare(&r, args, n) && execute(&r);
    args_free(r.args, r.in.nleaves);
    free(r.results);
    interface_free(&r.in);
    interface_free(&r.out);
    return session_end(&r.s, ok);
}
