/* The functions of an entry: over cl_mem, where the plan's steps are, over arrays of the host, and
 * the one of main.c that reads its arguments. */
#include "frontends/tools/driver/driver.h"

#include <string.h>

/* ---- declarations ---- */

static void put_name(driver *d)
{
    string_addf(d->out, "%s_", d->name);
    driver_put_plain(d->out, d->info.entry);
}

static unsigned room(const fcl_leaf *l)
{
    return l->rank ? l->rank : 1;
}

/* struct NAME_ENTRY_results or _buffers: what it gives. */
static void put_structure(driver *d, const char *what, bool on_device)
{
    fcl_leaf l;
    string_addf(d->out, "typedef struct ");
    put_name(d);
    string_addf(d->out, "_%s {\n", what);
    for (size_t i = 0; fcl_plan_leaf_out(d->p, i, &l, sizeof l); i++)
        string_addf(d->out, "    %s %sout%zu;\n    int64_t extents%zu[%u];\n",
                    on_device ? "cl_mem" : driver_stored(l.type), on_device ? "" : "*", i, i,
                    room(&l));
    string_addf(d->out, "} ");
    put_name(d);
    string_addf(d->out, "_%s;\n", what);
}

/* ", const int32_t *in0_xs, int64_t len0_xs": scalars, and arrays with their extents from the
 * outermost on; an array of tuples is an array for each component. */
static void put_parameter(driver *d, size_t i, const fcl_leaf *l, bool on_device)
{
    const char *type = l->rank ? driver_stored(l->type) : driver_type(l->type);
    string_addf(d->out, ",\n    ");
    if (l->rank && on_device)
        string_addf(d->out, "cl_mem ");
    else
        string_addf(d->out, l->rank ? "const %s *" : "%s ", type);
    driver_put_leaf(d, l->rank ? "in" : "arg", i);
    for (unsigned k = 0; k < l->rank && !l->back; k++) {
        string_addf(d->out, ", int64_t ");
        driver_put_extent(d, i, k);
    }
}

static void put_signature(driver *d, bool on_device)
{
    fcl_leaf l;
    string_addf(d->out, "bool ");
    put_name(d);
    string_addf(d->out, "%s(fcl_host_program *program, cl_command_queue queue",
                on_device ? "_on_device" : "");
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++)
        put_parameter(d, i, &l, on_device);
    string_addf(d->out, ",\n    ");
    put_name(d);
    string_addf(d->out, "_%s *results, fcl_host_error *error)", on_device ? "buffers" : "results");
}

/* "@sum(%xs: [int]) -> [int]" */
static void put_types(driver *d)
{
    fcl_leaf l;
    size_t last = SIZE_MAX;
    string_addf(d->out, "@%s(", d->info.entry);
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); last = l.param, i++)
        if (l.param != last)
            string_addf(d->out, "%s%%%s: %s", i ? ", " : "", l.name, l.type_text);
    string_addf(d->out, ") ->");
    last = SIZE_MAX;
    for (size_t i = 0; fcl_plan_leaf_out(d->p, i, &l, sizeof l); last = l.param, i++)
        if (l.param != last)
            string_addf(d->out, "%s %s", i ? "," : "", l.type_text);
}

void driver_put_declarations(driver *d)
{
    string_addf(d->out, "\n/* ");
    put_types(d);
    string_addf(d->out, " */\n");
    put_structure(d, "results", false);
    put_structure(d, "buffers", true);
    put_signature(d, false);
    string_addf(d->out, ";\n");
    put_signature(d, true);
    string_addf(d->out, ";\n");
}

/* ---- on the device ---- */

static void put_checks(driver *d)
{
    fcl_check c;
    if (!d->info.checks)
        return;
    driver_line(d, "static const fcl_host_check checks[] = {");
    driver_line(d, "    {0, \"\", \"\", 0, 0},");
    for (uint32_t i = 1; fcl_plan_check(d->p, i, &c, sizeof c); i++) {
        string_addf(d->out, "        {%u, ", c.code);
        driver_put_string(d->out, c.message, strlen(c.message));
        string_addf(d->out, ",\n         ");
        driver_put_string(d->out, c.at.file, strlen(c.at.file));
        string_addf(d->out, ", %u, %u},\n", c.at.line, c.at.column);
    }
    driver_line(d, "};");
}

static uint32_t report_of(const driver *d)
{
    fcl_memory m;
    for (uint32_t i = 1; fcl_plan_memory(d->p, i, &m, sizeof m); i++)
        if (m.kind == FCL_MEMORY_REPORT)
            return i;
    return 0;
}

static void put_run(driver *d)
{
    driver_line(d, "fcl_host_memory memories[%u] = {{.buffer = NULL}};", d->info.memories + 1);
    driver_line(d, "fcl_host_run run = {.program = program,");
    driver_line(d, "                    .queue = queue,");
    driver_line(d, "                    .memories = memories,");
    driver_line(d, "                    .nmemories = %u,", d->info.memories + 1);
    driver_line(d, "                    .report = %u,", report_of(d));
    driver_line(d, "                    .checks = %s,", d->info.checks ? "checks" : "NULL");
    driver_line(d, "                    .nchecks = %u,", d->info.checks ? d->info.checks + 1 : 0);
    driver_line(d, "                    .error = error};");
    driver_line(d, "bool done = false;");
    string_addf(d->out, "    *results = (");
    put_name(d);
    string_addf(d->out, "_buffers){.out0 = NULL};\n");
}

/* The extents of an array, and how many elements it has. */
static void put_count(driver *d, size_t i, const fcl_leaf *l, const char *failed)
{
    string_addf(d->out, "    const int64_t extents%zu[] = {", i);
    for (unsigned k = 0; k < l->rank; k++) {
        string_addf(d->out, k ? ", " : "");
        driver_put_extent(d, i, k);
    }
    string_addf(d->out,
                "};\n    const int64_t count%zu = fcl_host_count(extents%zu, %u, INT64_C(%llu), ",
                i, i, l->rank, (unsigned long long)d->info.most_elements);
    driver_put_string(d->out, l->name, strlen(l->name));
    string_addf(d->out, ", error);\n");
    string_addf(d->out, "    if (count%zu < 0", i);
    driver_put_place(d, "error", &d->info.at);
    string_addf(d->out, ")\n        %s;\n", failed);
}

/* The first leaf of the array of tuples counts for all of its arrays. */
static void put_counts(driver *d, const char *failed)
{
    fcl_leaf l;
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++)
        if (l.rank && !l.back)
            put_count(d, i, &l, failed);
}

/* Arguments that no step looks at. */
static void put_unused(driver *d)
{
    fcl_leaf l;
    fcl_memory m;
    fcl_step s;
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        bool seen = false;
        for (uint32_t k = 1; l.rank && fcl_plan_memory(d->p, k, &m, sizeof m); k++)
            seen = seen || (m.kind == FCL_MEMORY_ARGUMENT && m.argument == i);
        for (uint32_t k = 1; !l.rank && fcl_plan_step(d->p, k, &s, sizeof s); k++)
            seen = seen || (s.kind == FCL_STEP_SCALAR && s.which == i && d->used[s.gives]);
        if (seen)
            continue;
        string_addf(d->out, "    (void)");
        driver_put_leaf(d, l.rank ? "in" : "arg", i);
        string_addf(d->out, ";\n");
    }
}

/* A memory that is overwritten is no other argument's. */
static void put_alone(driver *d, uint32_t argument)
{
    fcl_leaf l;
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        if (i == argument || !l.rank)
            continue;
        string_addf(d->out, "    if (");
        driver_put_leaf(d, "in", argument);
        string_addf(d->out, " == ");
        driver_put_leaf(d, "in", i);
        string_addf(d->out,
                    " && !fcl_host_fail(error, 618, CL_SUCCESS, \"argument %u is to be "
                    "overwritten, but is argument %zu as well\")",
                    argument, i);
        driver_put_place(d, "error", &d->info.at);
        string_addf(d->out, ")\n        goto end;\n");
    }
}

static void put_table(driver *d, uint32_t memory, const fcl_memory *m)
{
    uint32_t written = m->nelements; /* C fills what remains with zeros */
    while (written > 1 && !m->elements[written - 1])
        written--;
    string_addf(d->out, "    static const %s table%u[%u] = {", driver_stored(m->type), memory,
                m->nelements ? m->nelements : 1);
    for (uint32_t i = 0; i < written; i++) {
        string_addf(d->out, i % 8 ? ", " : i ? ",\n        " : "\n        ");
        driver_put_constant(d->out, m->type, m->elements[i]);
    }
    string_addf(d->out, "%s};\n", written ? "" : "0");
    driver_line(d, "if (!fcl_host_make(&run, %u, table%u, %u, sizeof(%s)))", memory, memory,
                m->nelements, driver_stored(m->type));
    driver_line(d, "    goto end;");
}

static void put_taken(driver *d, uint32_t memory, const fcl_memory *m)
{
    fcl_leaf l;
    fcl_plan_leaf_in(d->p, m->argument, &l, sizeof l);
    if (m->overwritten)
        put_alone(d, m->argument);
    string_addf(d->out, "    fcl_host_take(&run, %u, ", memory);
    driver_put_leaf(d, "in", m->argument);
    string_addf(d->out, ", count%zu);\n", m->argument - l.back);
}

/* What is there before the first step. */
static void put_memories(driver *d)
{
    fcl_memory m;
    for (uint32_t i = 1; fcl_plan_memory(d->p, i, &m, sizeof m); i++)
        if (m.kind == FCL_MEMORY_ARGUMENT) {
            put_taken(d, i, &m);
        } else if (m.kind == FCL_MEMORY_TABLE || m.kind == FCL_MEMORY_KEPT) {
            put_table(d, i, &m);
        } else if (m.kind == FCL_MEMORY_REPORT) {
            driver_line(d, "if (!fcl_host_make(&run, %u, (const uint32_t[5]){0}, 5, 4))", i);
            driver_line(d, "    goto end;");
        }
}

static void put_release(driver *d, const char *indent)
{
    for (size_t i = 0; i < d->info.nleaves_out; i++)
        string_addf(d->out, "%sfcl_host_release(&%s.out%zu);\n", indent, "buffers", i);
}

static void put_on_device(driver *d)
{
    string_addf(d->out, "\n");
    put_signature(d, true);
    string_addf(d->out, "\n{\n");
    d->indent = 1;
    put_checks(d);
    put_run(d);
    put_unused(d);
    put_counts(d, "goto end");
    put_memories(d);
    driver_put_block(d, d->info.block);
    driver_line(d, "done = true;");
    string_addf(d->out, "end:\n");
    driver_line(d, "fcl_host_end(&run);");
    for (size_t i = 0; i < d->info.nleaves_out; i++) {
        driver_line(d, "if (!done)");
        driver_line(d, "    fcl_host_release(&results->out%zu);", i);
    }
    string_addf(d->out, "    return done;\n}\n");
}

/* ---- on the host ---- */

static void put_uploads(driver *d)
{
    fcl_leaf l;
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        if (!l.rank)
            continue;
        string_addf(d->out, "    buffer%zu = fcl_host_buffer(program->context, ", i);
        driver_put_leaf(d, "in", i);
        string_addf(d->out, ", (uint64_t)count%zu * sizeof(%s), error);\n", i - l.back,
                    driver_stored(l.type));
        driver_line(d, "if (!buffer%zu)", i);
        driver_line(d, "    goto end;");
    }
}

static void put_call(driver *d)
{
    fcl_leaf l;
    string_addf(d->out, "    done = ");
    put_name(d);
    string_addf(d->out, "_on_device(program, queue");
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        string_addf(d->out, l.rank ? ", buffer%zu" : ", ", i);
        if (!l.rank)
            driver_put_leaf(d, "arg", i);
        for (unsigned k = 0; k < l.rank && !l.back; k++) {
            string_addf(d->out, ", ");
            driver_put_extent(d, i, k);
        }
    }
    string_addf(d->out, ", &buffers, error);\n");
}

static void put_downloads(driver *d)
{
    fcl_leaf l;
    for (size_t i = 0; fcl_plan_leaf_out(d->p, i, &l, sizeof l); i++) {
        driver_line(d, "if (done) {");
        driver_line(
            d, "    memcpy(results->extents%zu, buffers.extents%zu, sizeof results->extents%zu);",
            i, i, i);
        driver_line(d,
                    "    results->out%zu = fcl_host_fetch(queue, buffers.out%zu, "
                    "buffers.extents%zu, %u, sizeof(%s), error);",
                    i, i, i, l.rank, driver_stored(l.type));
        driver_line(d, "    done = results->out%zu != NULL;", i);
        driver_line(d, "}");
    }
    for (size_t i = 0; fcl_plan_leaf_out(d->p, i, &l, sizeof l); i++) {
        driver_line(d, "if (!done) {");
        driver_line(d, "    free(results->out%zu);", i);
        driver_line(d, "    results->out%zu = NULL;", i);
        driver_line(d, "}");
    }
}

static void put_on_host(driver *d)
{
    fcl_leaf l;
    string_addf(d->out, "\n");
    put_signature(d, false);
    string_addf(d->out, "\n{\n    ");
    put_name(d);
    string_addf(d->out, "_buffers buffers = {.out0 = NULL};\n");
    d->indent = 1;
    driver_line(d, "bool done = false;");
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++)
        if (l.rank)
            driver_line(d, "cl_mem buffer%zu = NULL;", i);
    string_addf(d->out, "    *results = (");
    put_name(d);
    string_addf(d->out, "_results){.out0 = NULL};\n");
    put_counts(d, "goto end");
    put_uploads(d);
    put_call(d);
    put_downloads(d);
    put_release(d, "    ");
    for (size_t i = 0, any = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        if (l.rank && !any++)
            string_addf(d->out, "end:\n");
        if (l.rank)
            driver_line(d, "fcl_host_release(&buffer%zu);", i);
    }
    string_addf(d->out, "    return done;\n}\n");
}

void driver_put_functions(driver *d)
{
    put_on_device(d);
    put_on_host(d);
}

/* ---- main.c ---- */

static void put_scalar_word(driver *d, size_t i, const fcl_leaf *l)
{
    const fcl_scalar_facts *f = fcl_scalar_get(l->type);
    if (l->type == FCL_BOOL)
        string_addf(d->out, ", fcl_host_unsigned(m, %zu) != 0", i);
    else
        string_addf(d->out, ", (%s)fcl_host_%s(m, %zu)", driver_type(l->type),
                    f->kind == 'f'   ? (f->bytes == 2 ? "half" : "real")
                    : f->kind == 'i' ? "signed"
                                     : "unsigned",
                    i);
}

static void put_reads(driver *d)
{
    fcl_leaf l;
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        if (!l.rank)
            continue;
        driver_line(d, "int64_t extents%zu[%zu];", i, (size_t)l.rank);
        driver_line(d, "in%zu = fcl_host_array(m, %zu, extents%zu, %u, sizeof(%s));", i, i, i,
                    l.rank, driver_stored(l.type));
        driver_line(d, "if (!in%zu)", i);
        driver_line(d, "    goto end;");
        if (!l.back)
            continue;
        driver_line(d, "if (memcmp(extents%zu, extents%zu, sizeof extents%zu) != 0 &&", i,
                    i - l.back, i);
        driver_line(d,
                    "    !fcl_host_fail(&m->error, 618, CL_SUCCESS, \"argument %zu has not the "
                    "extents of argument %zu\"))",
                    i, i - l.back);
        driver_line(d, "    goto end;");
    }
}

static void put_main_call(driver *d)
{
    fcl_leaf l;
    string_addf(d->out, "    done = ");
    put_name(d);
    string_addf(d->out, "(m->program, m->queue");
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        if (l.rank)
            string_addf(d->out, ", in%zu", i);
        else
            put_scalar_word(d, i, &l);
        for (unsigned k = 0; k < l.rank && !l.back; k++)
            string_addf(d->out, ", extents%zu[%u]", i, k);
    }
    string_addf(d->out, ", &results, &m->error);\n");
}

void driver_put_program(driver *d)
{
    fcl_leaf l;
    bool arrays = false;
    string_addf(d->out, "\nstatic bool run_");
    driver_put_plain(d->out, d->info.entry);
    string_addf(d->out, "(fcl_host_main *m)\n{\n    ");
    put_name(d);
    string_addf(d->out, "_results results = {.out0 = NULL};\n");
    d->indent = 1;
    driver_line(d, "bool done = false;");
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++)
        if (l.rank)
            driver_line(d, "void *in%zu = NULL;", i);
    put_reads(d);
    put_main_call(d);
    for (size_t i = 0; fcl_plan_leaf_out(d->p, i, &l, sizeof l); i++)
        driver_line(d,
                    "done = done && fcl_host_write(m, %zu, \"%s\", results.out%zu, "
                    "results.extents%zu, %u, sizeof(%s));",
                    i, fcl_scalar_get(l.type)->name, i, i, l.rank, driver_stored(l.type));
    for (size_t i = 0; i < d->info.nleaves_out; i++)
        driver_line(d, "free(results.out%zu);", i);
    for (size_t i = 0; fcl_plan_leaf_in(d->p, i, &l, sizeof l); i++) {
        if (l.rank && !arrays)
            string_addf(d->out, "end:\n");
        arrays = arrays || l.rank;
        if (l.rank)
            driver_line(d, "free(in%zu);", i);
    }
    string_addf(d->out, "    return done;\n}\n");
}
