/* Running programs, over buffers and over host arrays. */
#include "libfcl/run/run.h"

#include "ir/eval/eval.h"

#include <string.h>
#include <time.h>

/* A public array is a host array; they are copied field by field through memcpy, never aliased. */
#define SAME_PLACE(field)                                                                          \
    _Static_assert(offsetof(fcl_array, field) == offsetof(host_array, field), #field)
SAME_PLACE(type);
SAME_PLACE(rank);
SAME_PLACE(dims);
SAME_PLACE(data);
_Static_assert(sizeof(fcl_array) == sizeof(host_array), "fcl_array is host_array");


/* As face_module_ok for what belongs to a module. */
bool program_ended_well(const fcl_program *p, uint32_t before)
{
    return p->m ? face_module_ok(p->m, before) : face_ok(p->cx, before);
}

/* ---- what runs take and give ---- */

bool program_given(const fcl_program *p, const void *args, size_t nargs, const void *results,
                   size_t nresults)
{
    static const char call[] = "a run of a program";
    return (!nargs || face_given(p->cx, args, call, "args")) &&
           (!nresults || face_given(p->cx, results, call, "results"));
}

static bool check_results(const fcl_program *p, size_t nresults)
{
    return nresults == p->face.out.len ||
           diag_error(p->cx, DIAG_ARGUMENTS, (location){0}, "kernel %s has %u results, not %zu",
                      intern_str(&p->cx->strings, p->face.entry), p->face.out.len, nresults);
}

/* Room for n arrays. */
static bool make_room(const fcl_program *p, vec_host *v, size_t n)
{
    v->len = 0;
    if (!vec_reserve(&p->cx->mem, v, n + 1))
        return false;
    memset(v->at, 0, (n + 1) * sizeof *v->at);
    v->len = (uint32_t)n;
    return true;
}

static fcl_output output_of(const fcl_program *p, const host_array *arrays, uint32_t n, str_id show,
                            location where)
{
    const intern *texts = &p->cx->strings;
    const void *same = arrays;
    return (fcl_output){.arrays = same,
                        .n = n,
                        .show = show ? intern_str(texts, show) : NULL,
                        .show_size = show ? intern_len(texts, show) : 0,
                        .file = intern_str(texts, where.file),
                        .line = where.line,
                        .column = where.col};
}

bool program_hand_out(void *user, const host_array *arrays, uint32_t n, str_id show, location where)
{
    const fcl_program *p = user;
    fcl_output out = output_of(p, arrays, n, show, where);
    return p->output(p->output_user, &out);
}

bool program_take_in(void *user, const host_array *asked, uint32_t n, str_id show, location where,
                     host_array *answer)
{
    const fcl_program *p = user;
    fcl_output out = output_of(p, asked, n, show, where);
    fcl_answer a = {.cx = p->cx, .to = answer, .at = where};
    bool ok = p->input(p->input_user, &out, &a);
    if (ok && answer->data)
        return true;
    if (answer->data)
        host_free(&p->cx->mem, answer);
    if (a.failed)
        return false;
    if (ok)
        return diag_error(p->cx, DIAG_RUN_ASKED, where,
                          "the program asks for something here, and is given nothing");
    atomic_store_explicit(&p->cx->cancelled, 1, memory_order_relaxed);
    return context_stopped(p->cx, where);
}

static str_id shown_as(const fcl_program *p, ir_op at)
{
    return ir_attr_text(&p->m->ir.attrs, &p->cx->strings, (subject){ON_OP, at}, "show");
}

/* What the evaluator hands out. */
static bool hand_out(void *user, ir_op at, const host_array *arrays, uint32_t n)
{
    const fcl_program *p = user;
    return program_hand_out(user, arrays, n, shown_as(p, at), ir_op_loc(&p->m->ir, at));
}

static bool take_in(void *user, ir_op at, const host_array *asked, uint32_t n, host_array *answer)
{
    const fcl_program *p = user;
    return program_take_in(user, asked, n, shown_as(p, at), ir_op_loc(&p->m->ir, at), answer);
}

static bool evaluate(fcl_program *p, const vec_host *args, const vec_host *results)
{
    eval_options eo = {
        .block_size = p->compile.block_size,
        .warp_size = p->compile.warp_size,
        .local_size =
            (uint32_t)(p->compile.local_limit < INT32_MAX ? p->compile.local_limit : INT32_MAX),
        .overflow = p->overflow,
        .tuned = p->compile.tuning,
        .emit = p->output ? hand_out : NULL,
        .emit_user = p,
        .receive = p->input ? take_in : NULL,
        .receive_user = p};
    uint64_t start = run_clock();
    bool ok = ir_eval(&p->m->ir, p->f, &eo, args->at, args->len, results->at, results->len);
    uint64_t took = run_clock() - start;
    if (p->timed)
        p->time = (run_time){.kernels = took, .span = took};
    return ok;
}

/* ---- runs over buffers ---- */

static bool wrong_device(const fcl_program *p, size_t i)
{
    return diag_error(p->cx, DIAG_ARGUMENTS, (location){0},
                      "argument %zu is a buffer of another device", i);
}

static bool take_arguments(const fcl_program *p, const fcl_argument *args, size_t nargs,
                           vec_array *out)
{
    out->len = 0;
    if (!vec_reserve(&p->cx->mem, out, nargs + 1))
        return false;
    for (size_t i = 0; i < nargs; i++) {
        const fcl_buffer *b = args[i].buffer;
        run_array scalar_arg = {.shape = {.type = (scalar)args[i].type}};
        scalar_arg.shape.data = (void *)(uintptr_t)args[i].scalar; /* only read */
        if (b && b->device != p->device)
            return wrong_device(p, i);
        out->at[out->len++] = b ? b->array : scalar_arg;
    }
    return true;
}

static bool execute(fcl_program *p, const vec_array *args, vec_array *results, fcl_job *j)
{
    if (j)
        return run_start(p->prepared, args->at, args->len, results->at, results->len, &j->flight);
    return run_execute(p->prepared, args->at, args->len, results->at, results->len,
                       p->timed ? &p->time : NULL);
}

static bool run_arrays(fcl_program *p, program_room *room, fcl_job *j)
{
    const vec_array *args = &room->args;
    vec_array *results = &room->results;
    vec_host *in = &room->in, *out = &room->out;
    bool ok = make_room(p, in, args->len) && (p->prepared || make_room(p, out, results->len));
    for (uint32_t i = 0; ok && i < args->len; i++)
        in->at[i] = args->at[i].shape;
    ok = ok && program_check_args(p, in->at, in->len, p->prepared != NULL);
    if (ok && p->prepared)
        ok = execute(p, args, results, j);
    else
        ok = ok && evaluate(p, in, out);
    for (uint32_t i = 0; ok && !p->prepared && i < results->len; i++)
        results->at[i] = (run_array){.shape = out->at[i]};
    return ok;
}

/* An array that is where the caller wants it: the buffer has its extents now. */
static void keep_given(fcl_buffer *given, const run_array *a)
{
    given->array.shape = a->shape;
}

/* On the evaluator the elements move to the caller's buffer. */
static bool move_given(const fcl_program *p, fcl_buffer *given, run_array *a, uint32_t i)
{
    uint64_t bytes = host_count(&a->shape) * ir_scalar_bytes(a->shape.type);
    void *data = given->array.shape.data;
    bool fits = given->array.bytes >= bytes && given->array.shape.type == a->shape.type;
    if (fits && bytes)
        memcpy(data, a->shape.data, (size_t)bytes);
    if (fits) {
        keep_given(given, a);
        given->array.shape.data = data;
    }
    return fits || diag_error(p->cx, DIAG_RUN_ROOM, p->face.at,
                              "result %u takes %llu bytes of %s, which its buffer does not have", i,
                              (unsigned long long)bytes, ir_scalar_name(a->shape.type));
}

static bool settle_given(const fcl_program *p, fcl_buffer *given, run_array *a, uint32_t i)
{
    bool ok = true;
    if (p->prepared)
        keep_given(given, a);
    else
        ok = move_given(p, given, a, i);
    if (!p->prepared)
        host_free(&p->cx->mem, &a->shape);
    return ok;
}

/* A new buffer for a result, or NULL where the result has overwritten an argument. */
static bool settle_new(fcl_program *p, run_array *a, fcl_buffer **made)
{
    *made = a->over ? NULL : buffer_of_array(p->device, a);
    return *made || a->over;
}

/* All arrays without a buffer become one, or none stays. */
static bool make_buffers(fcl_program *p, program_room *r, fcl_buffer **results)
{
    const vec_array *arrays = &r->results;
    r->made.len = 0;
    bool room = vec_reserve(&p->cx->mem, &r->made, arrays->len + 1u), ok = room;
    for (uint32_t i = 0; i < arrays->len; i++) {
        fcl_buffer *b = NULL;
        bool done = results[i] ? settle_given(p, results[i], &arrays->at[i], i)
                               : settle_new(p, &arrays->at[i], &b);
        ok = ok && done;
        if (room)
            r->made.at[r->made.len++] = b;
        else
            fcl_buffer_destroy(b);
    }
    for (uint32_t i = 0; i < r->made.len; i++) {
        if (ok && !results[i])
            results[i] = r->made.at[i];
        else
            fcl_buffer_destroy(r->made.at[i]);
    }
    return ok;
}

/* Whether the interpreter writes result i where nothing else is, as a device asks (backends/run/into.c). */
static bool is_alone(const fcl_program *p, const fcl_argument *args, size_t nargs, fcl_buffer *const *given, uint32_t i)
{
    for (size_t k = 0; k < nargs; k++)
        if (args[k].buffer == given[i])
            return diag_error(p->cx, DIAG_RUN_ROOM, p->face.at, "the buffer for result %u is argument %zu as well", i, k);
    for (uint32_t k = 0; k < i; k++)
        if (given[k] == given[i])
            return diag_error(p->cx, DIAG_RUN_ROOM, p->face.at, "the buffer for result %u is that of result %u as well", i, k);
    return true;
}

/* Where results are to go, for the run. */
static bool take_given(const fcl_program *p, const fcl_argument *args, size_t nargs, fcl_buffer *const *given, vec_array *out)
{
    for (uint32_t i = 0; i < out->len; i++) {
        const fcl_buffer *b = given[i];
        if (b && b->device != p->device)
            return diag_error(p->cx, DIAG_ARGUMENTS, (location){0},
                              "the buffer for result %u is of another device", i);
        if (b && p->prepared)
            out->at[i] = b->array;
        else if (b && !is_alone(p, args, nargs, given, i))
            return false;
    }
    return true;
}

/* Arguments that are being made: a run waits for them, a job takes them as they come, unless it hands
 * out what may be made of them.  Before the errors of the call are counted, since what is reported may
 * be about other jobs. */
void program_settle(const fcl_program *p, const fcl_argument *args, size_t nargs, bool is_job)
{
    if (is_job && !run_emits(p->prepared))
        return;
    for (size_t i = 0; i < nargs; i++)
        if (args[i].buffer)
            job_settle(args[i].buffer->job);
}

static bool are_there(const fcl_argument *args, size_t nargs)
{
    for (size_t i = 0; i < nargs; i++) {
        const fcl_buffer *b = args[i].buffer;
        bool later = b && b->job && b->job->state == JOB_RUNS;
        if (b && !later && !job_has_made(b))
            return false;
    }
    return true;
}

/* Who makes what the run has changed: arguments that were overwritten as well. */
static void note_makers(const fcl_argument *args, const vec_array *out, fcl_buffer **results,
                        fcl_job *j)
{
    for (uint32_t i = 0; i < out->len; i++) {
        const fcl_buffer *over = out->at[i].over ? args[out->at[i].over - 1].buffer : NULL;
        if (over)
            job_makes(j, (fcl_buffer *)(uintptr_t)over);
        if (results[i])
            job_makes(j, results[i]);
    }
}

void program_room_free(mem *m, program_room *room)
{
    vec_free(m, &room->in);
    vec_free(m, &room->out);
    vec_free(m, &room->args);
    vec_free(m, &room->results);
    vec_free(m, &room->made);
}

static bool run_in(fcl_program *p, program_room *room, const fcl_argument *args, size_t nargs, fcl_buffer **results,
                   size_t nresults, fcl_job *j)
{
    vec_array *out = &room->results;
    out->len = 0;
    bool ok = (!p->m || face_usable(p->m)) && check_results(p, nresults) &&
              are_there(args, nargs) && take_arguments(p, args, nargs, &room->args) &&
              vec_reserve(&p->cx->mem, out, nresults + 1);
    if (!ok)
        return false;
    memset(out->at, 0, (nresults + 1) * sizeof *out->at);
    out->len = (uint32_t)nresults;
    ok = take_given(p, args, nargs, results, out) && run_arrays(p, room, j) && make_buffers(p, room, results);
    if (ok)
        note_makers(args, out, results, j);
    return ok;
}

bool program_run(fcl_program *p, const fcl_argument *args, size_t nargs, fcl_buffer **results,
                 size_t nresults, fcl_job *j)
{
    program_room room = p->room;
    p->room = (program_room){0};
    bool ok = run_in(p, &room, args, nargs, results, nresults, j);
    program_room_free(&p->cx->mem, &p->room);
    p->room = room;
    return ok;
}

bool fcl_program_run_into(fcl_program *p, const fcl_argument *args, size_t nargs,
                          fcl_buffer **results, size_t nresults)
{
    if (!p)
        return false;
    if (!program_given(p, args, nargs, results, nresults))
        return false;
    program_settle(p, args, nargs, false);
    uint32_t before = p->cx->diags.errors;
    bool ok = program_run(p, args, nargs, results, nresults, NULL);
    return program_ended_well(p, before) && ok;
}

/* What stands in results does not count. */
bool fcl_program_run(fcl_program *p, const fcl_argument *args, size_t nargs, fcl_buffer **results,
                     size_t nresults)
{
    if (!p)
        return false;
    if (!program_given(p, args, nargs, results, nresults))
        return false;
    program_settle(p, args, nargs, false);
    uint32_t before = p->cx->diags.errors;
    VEC(fcl_buffer *) made = {0};
    bool ok = vec_reserve(&p->cx->mem, &made, (uint32_t)(p->face.out.len + 1));
    for (size_t i = 0; ok && i <= p->face.out.len; i++)
        made.at[i] = NULL;
    ok = ok && check_results(p, nresults) && program_run(p, args, nargs, made.at, nresults, NULL);
    if (ok && nresults)
        memcpy(results, made.at, nresults * sizeof *results);
    vec_free(&p->cx->mem, &made);
    return program_ended_well(p, before) && ok;
}

void fcl_program_reuse(fcl_program *p, fcl_buffer *b)
{
    if (b && p->prepared && b->device == p->device)
        run_give_back(p->prepared, &b->array);
    fcl_buffer_destroy(b);
}

uint64_t fcl_program_transfers(const fcl_program *p)
{
    if (!p)
        return 0;
    return p->time.transfers;
}

uint64_t fcl_program_peak(const fcl_program *p)
{
    if (!p)
        return 0;
    return p->prepared ? run_peak(p->prepared) : 0;
}

uint64_t fcl_program_nanoseconds(const fcl_program *p, uint64_t *span)
{
    if (!p)
        return 0;
    if (span)
        *span = p->time.span;
    return p->time.kernels;
}

/* ---- runs over host arrays ---- */

/* Builds the program when the arguments fit. */
static bool run_once(fcl_program *p, const fcl_array *args, size_t nargs, fcl_array *results,
                     size_t nresults)
{
    mem *mm = &p->cx->mem;
    vec_host in = {0}, out = {0};
    bool ok =
        check_results(p, nresults) && make_room(p, &in, nargs) && make_room(p, &out, nresults);
    if (ok && nargs)
        memcpy(in.at, args, nargs * sizeof *args);
    ok = ok && program_check_args(p, in.at, in.len, false) && (p->prepared || program_build(p));
    if (ok && p->prepared)
        ok = run_on_host(p->prepared, in.at, in.len, out.at, out.len, p->timed ? &p->time : NULL);
    else
        ok = ok && evaluate(p, &in, &out);
    if (ok && nresults)
        memcpy(results, out.at, nresults * sizeof *results);
    vec_free(mm, &in);
    vec_free(mm, &out);
    return ok;
}

bool fcl_run(fcl_module *m, const char *entry, fcl_device *d, const fcl_run_options *options,
             const fcl_array *args, size_t nargs, fcl_array *results, size_t nresults)
{
    if (!m || !d)
        return false;
    fcl_context *cx = m->ir.cx;
    if (!SAME(cx, d) || !GIVEN_ALL(cx, args, nargs) || !GIVEN_ALL(cx, results, nresults))
        return false;
    uint32_t before = cx->diags.errors;
    fcl_program *p = program_new(m, entry, d, options);
    bool ok = p && run_once(p, args, nargs, results, nresults);
    fcl_program_destroy(p);
    return face_module_ok(m, before) && ok;
}

bool fcl_program_run_host(fcl_program *p, const fcl_array *args, size_t nargs, fcl_array *results,
                          size_t nresults)
{
    if (!p)
        return false;
    if (!program_given(p, args, nargs, results, nresults))
        return false;
    uint32_t before = p->cx->diags.errors;
    bool ok = (!p->m || face_usable(p->m)) && run_once(p, args, nargs, results, nresults);
    return program_ended_well(p, before) && ok;
}

void fcl_results_free(fcl_context *cx, fcl_array *results, size_t n)
{
    if (!cx || !results)
        return;
    for (size_t i = 0; i < n; i++) {
        host_array a;
        memcpy(&a, &results[i], sizeof a);
        host_free(&cx->mem, &a);
        results[i].data = NULL;
    }
}
