/* Functions while evaluating: making closures, giving them levels and arguments, and calling.
 *
 * A closure runs once it has all its levels and arguments; a function without parameters is its
 * value.
 *
 * Rules 26 to 29 at run time: functions are curried, and a closure is a body, a frame and what
 * was given so far.  Giving more makes a new closure, since the old one may be used again. */
#include "ir/eval/value.h"

#include "ir/tunable.h"

#include <string.h>

/* ---- calling ---- */

/* The link is on the C stack, for the notes of diagnostics; anonymous functions have no name to
 * note. */
static bool run_body(machine *M, const eval_closure *k, ir_op op, eval_frame *f, mark start,
                     value *out)
{
    const call_link *outer = M->calls;
    call_link link = {.outer = outer, .func = k->func, .op = op};
    if (k->func)
        M->calls = &link;
    bool ok = eval_region_run(M, k->body, f, start, out);
    M->calls = outer;
    return ok;
}

/* Runs a closure that has everything.  Memory is released down to `start` if the result is a
 * scalar. */
static bool run_closure(machine *M, const eval_closure *k, ir_op op, mark start, value *out)
{
    const code *c = k->body;
    if (k->looked)
        return eval_chain_look(M, k->looked, op, k->given, out);
    eval_frame *f = eval_frame_new(M, c, k->env);
    if (!f)
        return false;
    if (k->func && !c->block)
        f->block = k->block;
    if (c->library)
        f->by = M->running && M->running->by ? M->running->by : op;
    if (c->nlevels)
        memcpy(&f->slots[c->level_slot], k->given, c->nlevels * sizeof k->given[0]);
    for (uint32_t j = 0; j < c->nparams; j++)
        f->slots[c->params[j]] = k->given[k->nlevels + j];
    return run_body(M, k, op, f, start, out);
}

/* The closure as a value, or what it yields when nothing is missing. */
static bool settle(machine *M, const eval_closure *k, ir_op op, mark start, value *out)
{
    if (k->nlevels == k->body->nlevels && k->nargs == k->body->nparams)
        return run_closure(M, k, op, start, out);
    *out = (value){.tag = VAL_FUN, .fun = k};
    return true;
}

/* With room for all that can be given, so that giving needs no second allocation. */
static eval_closure *closure_new(machine *M, const code *body, const eval_frame *env, ir_func func)
{
    size_t room = body ? (size_t)body->nlevels + body->nparams : 0;
    eval_closure *k = body ? stack_alloc(M, sizeof *k + room * sizeof k->given[0]) : NULL;
    if (k)
        *k = (eval_closure){.body = body, .env = env, .func = func};
    return k;
}

/* On top of the stack, where more can be given to it. */
static eval_closure *closure_copy(machine *M, const eval_closure *from)
{
    eval_closure *k = closure_new(M, from->body, from->env, from->func);
    if (!k)
        return NULL;
    k->looked = from->looked;
    k->block = from->block;
    k->nlevels = from->nlevels;
    k->nargs = from->nargs;
    memcpy(k->given, from->given, ((size_t)k->nlevels + k->nargs) * sizeof k->given[0]);
    return k;
}

static value level_value(uint32_t height)
{
    return (value){.tag = VAL_LEVEL, .bits = height};
}

/* The function that a call or func names, with the levels of its instance.  Values carry their
 * scalar types, so only types that have a bound are passed, as levels are: a conversion may name
 * them. */
static eval_closure *named_closure(machine *M, const code *c, const eval_frame *f, const inst *i)
{
    eval_closure *k =
        closure_new(M, code_of(M, ir_func_at(M->m, i->call.func)->body), NULL, i->call.func);
    if (k)
        k->block = f->block;
    for (uint32_t j = 0; k && j < i->call.nlevels && j < k->body->nlevels; j++)
        k->given[k->nlevels++] = level_value(eval_level_height(c, f, &i->call.levels[j]));
    return k;
}

/* Whether it is a tunable of which something else is said than what its body gives. */
static bool is_tuned(const machine *M, ir_func f, value *out)
{
    int32_t n;
    if (!M->tuned || !ir_tuned(M->m, f, M->tuned, &n))
        return false;
    *out = int_value(n);
    return true;
}

/* The complete application, which needs no function value. */
bool eval_CALL(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    mark start = stack_mark(M);
    if (is_tuned(M, i->call.func, out))
        return true;
    eval_closure *k = named_closure(M, c, f, i);
    if (!k)
        return false;
    if (k->nlevels != k->body->nlevels || i->nargs != k->body->nparams)
        return eval_fail(M, DIAG_EVAL_STUCK, i->op,
                         "this call does not give all levels and arguments");
    for (; k->nargs < i->nargs; k->nargs++)
        k->given[k->nlevels + k->nargs] = *operand_value(c, f, i->args[k->nargs]);
    return run_closure(M, k, i->op, start, out);
}

/* ---- function values ---- */

/* A function without parameters is its value at once: there is nothing to wait for. */
bool eval_FUNC(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    mark start = stack_mark(M);
    if (is_tuned(M, i->call.func, out))
        return true;
    eval_closure *k = named_closure(M, c, f, i);
    return k && settle(M, k, i->op, start, out);
}

/* Captures the frame by pointer: the frame is older, so it is still there when the closure runs. */
bool eval_FN(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)c;
    mark start = stack_mark(M);
    eval_closure *k = closure_new(M, code_of(M, i->regions), f, 0);
    return k && settle(M, k, i->op, start, out);
}

/* Rule 27; levels come before arguments. */
bool eval_LAPPLY(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    mark start = stack_mark(M);
    const value *v = operand_value(c, f, i->a);
    if (v->tag != VAL_FUN || v->fun->nlevels >= v->fun->body->nlevels || v->fun->nargs)
        return eval_stuck(M, i->op, v, "a function of a level");
    eval_closure *k = closure_copy(M, v->fun);
    if (!k)
        return false;
    k->given[k->nlevels++] = level_value(eval_level_height(c, f, &i->level));
    return settle(M, k, i->op, start, out);
}

/* Applies to the arguments from *next on, as many as the function takes. */
static bool apply_some(machine *M, const code *c, eval_frame *f, const inst *i, uint32_t *next,
                       value *v)
{
    mark start = stack_mark(M);
    if (v->tag != VAL_FUN || v->fun->nlevels != v->fun->body->nlevels ||
        v->fun->nargs == v->fun->body->nparams)
        return eval_stuck(M, i->op, v, "a function");
    eval_closure *k = closure_copy(M, v->fun);
    if (!k)
        return false;
    while (k->nargs < k->body->nparams && *next < i->nargs)
        k->given[k->nlevels + k->nargs++] = *operand_value(c, f, i->args[(*next)++]);
    return settle(M, k, i->op, start, v);
}

/* More arguments than the function takes go to the function that it returns. */
bool eval_APPLY(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    value v = *operand_value(c, f, i->a);
    uint32_t next = 1;
    while (next < i->nargs)
        if (!apply_some(M, c, f, i, &next, &v))
            return false;
    *out = v;
    return true;
}
