/* The steps of a plan as statements of C.  Whatever fails goes to the end of the function.
 *
 * Recursion is as deep as blocks nest, which the library bounds. */
#include "frontends/tools/driver/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

static void begin(driver *d)
{
    string_addf(d->out, "%*s", (int)(4 * d->indent), "");
}

void driver_line(driver *d, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    begin(d);
    string_addf(d->out, "%s\n", text);
}

void driver_put_place(driver *d, const char *error, const fcl_place *at)
{
    if (!*at->file)
        return;
    string_addf(d->out, " &&\n%*s!fcl_host_at(%s, ", (int)(4 * d->indent + 4), "", error);
    driver_put_string(d->out, at->file, strlen(at->file));
    string_addf(d->out, ", %u, %u)", at->line, at->column);
}

void driver_unless(driver *d, const fcl_place *at, const char *call, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, call);
    vsnprintf(text, sizeof text, call, ap);
    va_end(ap);
    begin(d);
    string_addf(d->out, "if (!%s", text);
    driver_put_place(d, "error", at);
    string_addf(d->out, ")\n");
    driver_line(d, "    goto end;");
}

static const char *type_of(const driver *d, uint32_t value)
{
    return driver_type(fcl_plan_value(d->p, value));
}

static const char *name_of(fcl_scalar t)
{
    return fcl_scalar_get(t)->name;
}

/* ---- values ---- */

/* "    const int32_t v7 = ", of a value that is used. */
static bool begin_value(driver *d, const fcl_step *s)
{
    if (!d->used[s->gives])
        return false;
    begin(d);
    string_addf(d->out, "const %s v%u = ", type_of(d, s->gives), s->gives);
    return true;
}

static void put_const(driver *d, const fcl_step *s)
{
    if (!begin_value(d, s))
        return;
    driver_put_constant(d->out, fcl_plan_value(d->p, s->gives), s->bits);
    string_addf(d->out, ";\n");
}

static void put_argument(driver *d, const fcl_step *s)
{
    if (!begin_value(d, s))
        return;
    if (s->kind == FCL_STEP_SCALAR) {
        driver_put_leaf(d, "arg", s->which);
    } else {
        string_addf(d->out, "(%s)", type_of(d, s->gives));
        driver_put_extent(d, s->which, s->axis);
    }
    string_addf(d->out, ";\n");
}

/* " fcl_add_int ": one function for each operator and type. */
static void name_function(driver *d, const fcl_step *s, string *name)
{
    fcl_scalar from = fcl_plan_value(d->p, s->operands[0]), to = fcl_plan_value(d->p, s->gives);
    if (s->kind == FCL_STEP_COMPUTE && s->operands[2]) /* a select's first operand is a bool */
        from = fcl_plan_value(d->p, s->operands[1]);
    if (s->kind == FCL_STEP_COMPUTE)
        string_addf(name, " fcl_%s_%s ", s->op, name_of(from));
    else
        string_addf(name, " fcl_%s_%s_%s ", s->kind == FCL_STEP_CONVERT ? "convert" : "bitcast",
                    name_of(to), name_of(from));
}

/* Defines the function where it has not been used yet. */
static void define(driver *d, uint32_t step, const string *name)
{
    if (strstr(string_str(d->known), name->at))
        return;
    size_t size;
    char *plain = tool_strndup(name->at + 1, name->len - 2);
    char *text = fcl_plan_function(d->p, step, plain, &size);
    string_add(d->known, name->at, name->len);
    if (text) {
        string_addf(d->functions, "\n");
        string_add(d->functions, text, size);
        fcl_free(d->cx, text, size);
    }
    d->ok = d->ok && text;
    free(plain);
}

static void put_computed(driver *d, uint32_t number, const fcl_step *s)
{
    string name = {0};
    if (!begin_value(d, s))
        return;
    name_function(d, s, &name);
    define(d, number, &name);
    string_add(d->out, name.at + 1, name.len - 2);
    for (int i = 0; i < 3 && s->operands[i]; i++)
        string_addf(d->out, "%sv%u", i ? ", " : "(", s->operands[i]);
    string_addf(d->out, ");\n");
    string_free(&name);
}

/* ---- memories ---- */

static const char *element_of(const driver *d, uint32_t memory)
{
    fcl_memory m = {.type = FCL_BOOL};
    fcl_plan_memory(d->p, memory, &m, sizeof m);
    return driver_stored(m.type);
}

static void put_allocate(driver *d, const fcl_step *s)
{
    bool wide = fcl_plan_value(d->p, s->operands[0]) == FCL_I64;
    driver_unless(d, &s->at, "fcl_host_allocate(&run, %u, v%u, %s, sizeof(%s))", s->memory,
                  s->operands[0], wide ? "INT64_C(1) << 40" : "FCL_HOST_MOST_EXTENT",
                  element_of(d, s->memory));
}

/* A bool is read as the byte that it is in memory. */
static void put_read(driver *d, const fcl_step *s)
{
    bool is_bool = fcl_plan_value(d->p, s->gives) == FCL_BOOL;
    const char *prefix = is_bool ? "b" : "v";
    driver_line(d, "%s %s%u;", element_of(d, s->memory), prefix, s->gives);
    driver_unless(d, &s->at, "fcl_host_read(&run, %u, v%u, sizeof %s%u, &%s%u)", s->memory,
                  s->operands[0], prefix, s->gives, prefix, s->gives);
    if (is_bool && d->used[s->gives])
        driver_line(d, "const bool v%u = b%u != 0;", s->gives, s->gives);
}

static void put_output(driver *d, const fcl_step *s)
{
    fcl_memory m = {.type = FCL_BOOL};
    fcl_plan_memory(d->p, s->memory, &m, sizeof m);
    bool copied = m.kind != FCL_MEMORY_ALLOCATED && !m.overwritten;
    for (uint32_t i = 0; i < s->nlist; i++)
        driver_line(d, "results->extents%u[%u] = v%u;", s->which, i, s->list[i]);
    driver_unless(
        d, &s->at,
        "fcl_host_output(&run, %u, %s, &results->out%u, results->extents%u, %u, sizeof(%s))",
        s->memory, copied ? "true" : "false", s->which, s->which, s->nlist, driver_stored(m.type));
}

/* ", COUNT, \"SHOW\")": how many leaves follow, and how people are to see it. */
static void end_emit(driver *d, const fcl_step *s)
{
    string_addf(d->out, ", %u, ", s->which);
    driver_put_string(d->out, s->show, strlen(s->show));
    string_addf(d->out, ")");
    driver_put_place(d, "error", &s->at);
    string_addf(d->out, ")\n");
    driver_line(d, "    goto end;");
}

static void put_emit(driver *d, const fcl_step *s)
{
    fcl_memory m = {.type = FCL_BOOL};
    fcl_plan_memory(d->p, s->memory, &m, sizeof m);
    begin(d);
    string_addf(d->out, "if (!fcl_host_emit(&run, %u, v%u, (const int64_t[]){", s->memory,
                s->operands[0]);
    for (uint32_t i = 0; i < s->nlist; i++)
        string_addf(d->out, "%sv%u", i ? ", " : "", s->list[i]);
    string_addf(d->out, "}, %u, \"%s\", sizeof(%s)", s->nlist, name_of(m.type),
                driver_stored(m.type));
    end_emit(d, s);
}

static void put_emit_scalar(driver *d, const fcl_step *s)
{
    fcl_scalar t = fcl_plan_value(d->p, s->operands[0]);
    begin(d);
    string_addf(d->out, "if (!fcl_host_emit_scalar(&run, &(const %s){v%u}, \"%s\", sizeof(%s)",
                driver_stored(t), s->operands[0], name_of(t), driver_stored(t));
    end_emit(d, s);
}

/* Its extents are values where anybody wants them. */
static void put_receive(driver *d, const fcl_step *s)
{
    fcl_memory m = {.type = FCL_BOOL};
    fcl_plan_memory(d->p, s->memory, &m, sizeof m);
    for (uint32_t i = 0; i < s->ngives; i++)
        driver_line(d, "int32_t v%u;", s->gives + i);
    driver_line(d, "{");
    d->indent++;
    driver_line(d, "int64_t extents[8];");
    begin(d);
    string_addf(d->out, "if (!fcl_host_receive(&run, %u, \"%s\", %u, sizeof(%s), extents, ", s->memory,
                name_of(m.type), s->ngives, driver_stored(m.type));
    driver_put_string(d->out, s->show, strlen(s->show));
    string_addf(d->out, ")");
    driver_put_place(d, "error", &s->at);
    string_addf(d->out, ")\n");
    driver_line(d, "    goto end;");
    for (uint32_t i = 0; i < s->ngives; i++)
        driver_line(d, "v%u = (int32_t)extents[%u];", s->gives + i, i);
    d->indent--;
    driver_line(d, "}");
    for (uint32_t i = 0; i < s->ngives; i++)
        if (!d->used[s->gives + i])
            driver_line(d, "(void)v%u;", s->gives + i);
}

/* ---- launches and checks ---- */

/* The local memory of a group, of the code's own arrays and of arguments. */
static void put_local_bytes(driver *d, const fcl_step *s, const fcl_kernel *k)
{
    fcl_kernel_argument a;
    string_addf(d->out, "%llu", (unsigned long long)k->local_bytes);
    for (uint32_t i = 0; fcl_plan_argument(d->p, s->which, i, &a, sizeof a); i++)
        if (a.takes == FCL_TAKES_LOCAL)
            string_addf(d->out, " + (int64_t)v%u", s->list[i]);
}

static void put_given(driver *d, size_t kernel, uint32_t i, const fcl_kernel_argument *a,
                      uint32_t given)
{
    if (a->takes == FCL_TAKES_MEMORY)
        driver_line(d, "fcl_host_give_memory(&run, %zu, %u, %u);", kernel, i, given);
    else if (a->takes == FCL_TAKES_LOCAL)
        driver_line(d, "fcl_host_give(&run, %zu, %u, (size_t)v%u, NULL);", kernel, i, given);
    else
        driver_line(d, "fcl_host_give(&run, %zu, %u, sizeof(%s), &(%s){v%u});", kernel, i,
                    driver_stored(a->type), driver_stored(a->type), given);
}

static void put_launch(driver *d, const fcl_step *s)
{
    fcl_kernel k = {.name = ""};
    fcl_kernel_argument a;
    size_t kernel = d->kernels + s->which - 1;
    fcl_plan_kernel(d->p, s->which, &k, sizeof k);
    driver_line(d, "if (v%u > 0) {", s->operands[0]);
    d->indent++;
    for (uint32_t i = 0; fcl_plan_argument(d->p, s->which, i, &a, sizeof a); i++)
        put_given(d, kernel, i, &a, s->list[i]);
    begin(d);
    string_addf(d->out, "if (!fcl_host_launch(&run, %zu, \"%s\", v%u, v%u, ", kernel, k.name,
                s->operands[0], s->operands[1]);
    put_local_bytes(d, s, &k);
    string_addf(d->out, ")");
    driver_put_place(d, "error", &k.at);
    string_addf(d->out, ")\n");
    driver_line(d, "    goto end;");
    d->indent--;
    driver_line(d, "}");
}

static void put_check(driver *d, const fcl_step *s)
{
    static const fcl_place nowhere = {.file = ""}; /* the check has its own */
    driver_unless(d, &nowhere, "fcl_host_check_that(&run, v%u, %u, (int64_t)v%u, (int64_t)v%u)",
                  s->operands[0], s->which, s->operands[1], s->operands[2]);
}

/* ---- branches and loops ---- */

static void put_inner(driver *d, uint32_t block)
{
    d->indent++;
    driver_put_block(d, block);
    d->indent--;
}

static void put_branch(driver *d, const fcl_step *s, uint32_t block)
{
    fcl_block b;
    fcl_plan_block(d->p, block, &b, sizeof b);
    put_inner(d, block);
    for (uint32_t i = 0; i < s->ngives; i++)
        if (d->used[s->gives + i])
            driver_line(d, "    v%u = v%u;", s->gives + i, b.yields[i]);
}

static void put_if(driver *d, const fcl_step *s)
{
    for (uint32_t i = 0; i < s->ngives; i++)
        if (d->used[s->gives + i])
            driver_line(d, "%s v%u;", type_of(d, s->gives + i), s->gives + i);
    driver_line(d, "if (v%u) {", s->operands[0]);
    put_branch(d, s, s->blocks[0]);
    driver_line(d, "} else {");
    put_branch(d, s, s->blocks[1]);
    driver_line(d, "}");
}

/* What a loop hands on is a variable around it: the parameters from `first` on. */
static void put_carried(driver *d, const fcl_step *s, uint32_t first)
{
    for (uint32_t i = 0; i < s->nlist; i++)
        if (d->used[first + i])
            driver_line(d, "%s v%u = v%u;", type_of(d, first + i), first + i, s->list[i]);
}

/* All at once: a yield may be another parameter. */
static void put_next(driver *d, const fcl_step *s, uint32_t first, const fcl_block *body)
{
    d->indent++;
    for (uint32_t i = 0; i < s->nlist; i++)
        if (d->used[first + i])
            driver_line(d, "const %s next%u = v%u;", type_of(d, first + i), first + i,
                        body->yields[i]);
    for (uint32_t i = 0; i < s->nlist; i++)
        if (d->used[first + i])
            driver_line(d, "v%u = next%u;", first + i, first + i);
    d->indent--;
}

static void put_results(driver *d, const fcl_step *s, uint32_t first)
{
    for (uint32_t i = 0; i < s->ngives; i++)
        if (d->used[s->gives + i])
            driver_line(d, "const %s v%u = v%u;", type_of(d, s->gives + i), s->gives + i,
                        first + i);
}

static void put_for(driver *d, const fcl_step *s)
{
    fcl_block body;
    fcl_plan_block(d->p, s->blocks[0], &body, sizeof body);
    uint32_t index = body.params;
    driver_unless(d, &s->at, "fcl_host_goes_on(&run, v%u)", s->operands[2]);
    put_carried(d, s, index + 1);
    driver_line(d, "for (int64_t i%u = v%u; i%u < v%u; i%u = fcl_host_next(i%u, v%u)) {", index,
                s->operands[0], index, s->operands[1], index, index, s->operands[2]);
    if (d->used[index])
        driver_line(d, "    const %s v%u = (%s)i%u;", type_of(d, index), index, type_of(d, index),
                    index);
    put_inner(d, s->blocks[0]);
    put_next(d, s, index + 1, &body);
    driver_line(d, "}");
    put_results(d, s, index + 1);
}

static void put_while(driver *d, const fcl_step *s)
{
    fcl_block condition, body;
    fcl_plan_block(d->p, s->blocks[0], &condition, sizeof condition);
    fcl_plan_block(d->p, s->blocks[1], &body, sizeof body);
    put_carried(d, s, condition.params);
    driver_line(d, "for (;;) {");
    put_inner(d, s->blocks[0]);
    driver_line(d, "    if (!v%u)", condition.yields[0]);
    driver_line(d, "        break;");
    put_inner(d, s->blocks[1]);
    put_next(d, s, condition.params, &body);
    driver_line(d, "}");
    put_results(d, s, condition.params);
}

/* ---- all ---- */

static void put_step(driver *d, uint32_t number, const fcl_step *s)
{
    switch (s->kind) {
    case FCL_STEP_CONST: put_const(d, s); break;
    case FCL_STEP_SCALAR:
    case FCL_STEP_EXTENT: put_argument(d, s); break;
    case FCL_STEP_COMPUTE:
    case FCL_STEP_CONVERT:
    case FCL_STEP_BITCAST: put_computed(d, number, s); break;
    case FCL_STEP_ALLOCATE: put_allocate(d, s); break;
    case FCL_STEP_FREE: driver_line(d, "fcl_host_free(&run, %u);", s->memory); break;
    case FCL_STEP_SWAP:
        driver_line(d, "fcl_host_swap(&run, %u, %u);", s->memory, s->which);
        break;
    case FCL_STEP_READ: put_read(d, s); break;
    case FCL_STEP_LAUNCH: put_launch(d, s); break;
    case FCL_STEP_OUTPUT: put_output(d, s); break;
    case FCL_STEP_EMIT: put_emit(d, s); break;
    case FCL_STEP_EMITSCALAR: put_emit_scalar(d, s); break;
    case FCL_STEP_RECEIVE: put_receive(d, s); break;
    case FCL_STEP_CHECK: put_check(d, s); break;
    case FCL_STEP_PASSED:
        driver_line(d, "if (!fcl_host_passed(&run))");
        driver_line(d, "    goto end;");
        break;
    case FCL_STEP_IF: put_if(d, s); break;
    case FCL_STEP_FOR: put_for(d, s); break;
    case FCL_STEP_WHILE: put_while(d, s); break;
    }
}

void driver_put_block(driver *d, uint32_t block)
{
    fcl_block b;
    fcl_step s;
    fcl_plan_block(d->p, block, &b, sizeof b);
    for (uint32_t i = b.first; fcl_plan_step(d->p, i, &s, sizeof s); i = s.next)
        put_step(d, i, &s);
}
