/* Starting kernels: geometry and arguments from the plan's values, checked against what the device
 * has. */
#include "backends/run/prepared.h"

#include <string.h>

static const char *name_of(const run_prepared *r, const plan_kernel *k)
{
    return intern_str(&r->p->cx->strings, k->name);
}

/* ---- local memory ---- */

static uint64_t elements_of(const run_prepared *r, const plan_local *l)
{
    int64_t n = l->elements ? run_number(r, l->elements) : (int64_t)l->count;
    return n < 1 ? 1 : (uint64_t)n;
}

static uint64_t bytes_of(const run_prepared *r, const plan_local *l)
{
    return elements_of(r, l) * ir_scalar_bytes((scalar)l->type);
}

static bool is_in_use(const plan_local *l, uint32_t phase)
{
    return !l->to || (l->from <= phase && phase <= l->to);
}

static uint64_t bytes_in(const run_prepared *r, const plan_kernel *k, uint32_t phase)
{
    const plan_local *all = &r->p->locals.at[k->locals];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->nlocals; i++)
        sum += is_in_use(&all[i], phase) ? bytes_of(r, &all[i]) : 0;
    return sum;
}

/* The phase in which most bytes are in use: one in which some array begins to be. */
static uint32_t fullest(const run_prepared *r, const plan_kernel *k)
{
    uint32_t phase = 1;
    for (uint32_t i = 0; i < k->nlocals; i++) {
        uint32_t other = r->p->locals.at[k->locals + i].from;
        phase = bytes_in(r, k, other) > bytes_in(r, k, phase) ? other : phase;
    }
    return phase;
}

/* The notes tell which arrays take how much, as the plan's sizes are now. */
static bool refuse_local(run_prepared *r, const plan_kernel *k, uint64_t bytes)
{
    uint32_t phase = fullest(r, k);
    run_error(r, DIAG_RUN_LOCAL, k->at,
              "kernel %s needs %llu bytes of local memory for each block; the device has %llu",
              name_of(r, k), (unsigned long long)bytes,
              (unsigned long long)r->d->caps.facts.local_bytes);
    for (uint32_t i = 0; i < k->nlocals; i++) {
        const plan_local *l = &r->p->locals.at[k->locals + i];
        if (is_in_use(l, phase))
            diag_note_add(r->cx, l->at, "%s: %llu elements of type %s, %llu bytes",
                          intern_str(&r->p->cx->strings, l->name),
                          (unsigned long long)elements_of(r, l), ir_scalar_name((scalar)l->type),
                          (unsigned long long)bytes_of(r, l));
    }
    diag_hint(r->cx, "let each block work on a smaller chunk");
    return false;
}

/* ---- arguments ---- */

/* In the form in which memory has it: a bool as a byte. */
static run_arg scalar_arg(const run_prepared *r, scalar type, uint32_t value)
{
    run_arg a = {.kind = RUN_SCALAR, .bytes = ir_scalar_bytes(type)};
    host_array one = {.type = type, .data = a.bits};
    host_set(&one, 0, r->values[value]);
    return a;
}

static bool add_argument(run_prepared *r, const plan_argument *a, uint32_t given)
{
    run_arg x = {0};
    if (a->takes == PLAN_TAKES_VALUE)
        x = scalar_arg(r, (scalar)a->type, given);
    else if (a->takes == PLAN_TAKES_MEMORY)
        x = (run_arg){
            .kind = RUN_MEMORY, .memory = run_memory_of(r, given), .written = a->written};
    else
        x = (run_arg){.kind = RUN_LOCAL, .bytes = (uint64_t)run_number(r, given)};
    if (x.kind == RUN_MEMORY && !x.memory)
        return false;
    return vec_push(&r->cx->mem, &r->launch_args, x);
}

static bool collect(run_prepared *r, const plan_kernel *k, const plan_step *s)
{
    r->launch_args.len = 0;
    for (uint32_t i = 0; i < k->narguments; i++)
        if (!add_argument(r, &r->p->arguments.at[k->arguments + i], plan_listed(r->p, s, i)))
            return false;
    return true;
}

static uint64_t local_bytes(const run_prepared *r, const plan_kernel *k)
{
    uint64_t bytes = k->local_bytes;
    for (uint32_t i = 0; i < r->launch_args.len; i++)
        if (r->launch_args.at[i].kind == RUN_LOCAL)
            bytes += r->launch_args.at[i].bytes;
    return bytes;
}

/* ---- the launch ---- */

/* Drivers answer such launches with numbers; here people get the kernel's name and what to change.
 */
static bool check_limits(run_prepared *r, const plan_kernel *k, int64_t groups, int64_t threads)
{
    uint64_t bytes = local_bytes(r, k);
    if (groups > MAX_EXTENT)
        return run_error(r, DIAG_RUN_SIZE, k->at, "kernel %s has more than %lld groups",
                         name_of(r, k), (long long)MAX_EXTENT);
    if (bytes > r->d->caps.facts.local_bytes)
        return refuse_local(r, k, bytes);
    if (threads > 0 && threads <= r->d->caps.facts.max_block)
        return true;
    run_error(r, DIAG_RUN_BLOCK, k->at,
              "kernel %s has blocks of %lld threads; the device allows %u", name_of(r, k),
              (long long)threads, r->d->caps.facts.max_block);
    diag_hint(r->cx, "choose a smaller block size");
    return false;
}

/* Whoever watches the run may end it. */
static bool goes_on(run_prepared *r, const plan_step *s)
{
    r->launches++;
    if (!r->bounds.progress || r->bounds.progress(r->bounds.user, r->launches))
        return true;
    atomic_store(&r->cx->cancelled, 1);
    return context_stopped(r->cx, s->at);
}

/* No groups, no launch: OpenCL 1.2 refuses an empty range. */
bool run_launch_step(run_prepared *r, const plan_step *s)
{
    const plan_kernel *k = plan_kernel_at(r->p, s->which);
    int64_t groups = run_number(r, s->args[0]), threads = run_number(r, s->args[1]);
    if (groups <= 0)
        return true;
    if (!collect(r, k, s) || !check_limits(r, k, groups, threads))
        return false;
    run_launch l = {.kernel = name_of(r, k),
                    .groups = (uint64_t)groups,
                    .threads = (uint64_t)threads,
                    .args = r->launch_args.at,
                    .nargs = r->launch_args.len};
    return r->d->ops->launch(r->d, r->program, &l) && goes_on(r, s);
}
