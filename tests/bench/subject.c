/* The FCL program of a case: loaded, compiled with the case's settings, run over the instance's
 * arrays. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        die("cannot read %s", path);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = xalloc(*size + 1);
    if (fread(text, 1, *size, f) != *size)
        die("cannot read %s", path);
    fclose(f);
    return text;
}

/* ---- settings ---- */

/* Puts NAME=VALUE behind the tuning that there is. */
static void add_tuning(fcl_compile_options *o, const char *name, const char *value)
{
    size_t size = (o->tuning ? strlen(o->tuning) : 0) + strlen(name) + strlen(value) + 3;
    char *all = xalloc(size);
    snprintf(all, size, "%s%s%s=%s", o->tuning ? o->tuning : "", o->tuning ? "," : "", name, value);
    o->tuning = all;
}

/* "BlockSize=256,Exchange=ptx"; the names are those of -D, whose others are tunables, of passes or of the program, which the
 * compiler knows.  text is cut up and must stay while o is used. */
static void read_settings(char *text, fcl_compile_options *o)
{
    for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
        char *value = strchr(item, '=');
        if (!value)
            die("a setting is NAME=VALUE, not %s", item);
        *value++ = 0;
        if (!fcl_compile_option_set(o, item, value))
            add_tuning(o, item, value);
    }
}

/* ---- arguments ---- */

static bool named_number(const instance *i, const char *name, double *x)
{
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"n", (double)i->e.n},       {"rows", (double)i->e.rows}, {"cols", (double)i->e.cols},
        {"limit", MANDELBROT_LIMIT}, {"left", MANDELBROT_LEFT},   {"bottom", MANDELBROT_BOTTOM},
        {"side", MANDELBROT_SIDE},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, name) == 0) {
            *x = known[k].value;
            return true;
        }
    return false;
}

static const fcl_buffer *named_input(const instance *i, const char *name)
{
    for (unsigned k = 0; k < MAX_INPUTS && i->what->in[k].rank; k++)
        if (strcmp(i->what->in[k].name, name) == 0)
            return i->buffers[k];
    return NULL;
}

static void write_scalar(fcl_scalar t, double x, uint64_t *bits)
{
    switch (t) {
    case FCL_F32: memcpy(bits, &(float){(float)x}, 4); break;
    case FCL_F64: memcpy(bits, &x, 8); break;
    default: *bits = (uint64_t)(int64_t)x; break; /* the low bytes of a little-endian machine */
    }
}

static void add_argument(subject *s, const char *entry, const char *name)
{
    fcl_leaf leaf;
    char *end;
    double x;
    fcl_argument *a = &s->args[s->nargs];
    const fcl_buffer *b = named_input(s->i, name);
    if (!fcl_kernel_leaf_in(s->module, entry, s->nargs, &leaf, sizeof leaf))
        die("%s takes %zu arguments", entry, s->nargs);
    if (b) {
        *a = (fcl_argument){.buffer = b};
    } else {
        if (!named_number(s->i, name, &x)) {
            x = strtod(name, &end);
            if (end == name || *end)
                die("%s: there is no argument %s", entry, name);
        }
        write_scalar(leaf.type, x, &s->literals[s->nargs]);
        *a = (fcl_argument){.type = leaf.type, .scalar = &s->literals[s->nargs]};
    }
    s->nargs++;
}

static void read_arguments(subject *s, const test_case *c)
{
    enum { MOST = 64 };
    char text[MAX_TEXT];
    s->args = xalloc(MOST * sizeof *s->args);
    s->literals = xalloc(MOST * sizeof *s->literals);
    strcpy(text, c->args);
    for (char *name = strtok(text, ","); name && s->nargs < MOST; name = strtok(NULL, ","))
        add_argument(s, c->entry, name);
}

/* ---- making ---- */

static bool refused(machine *m, const test_case *c)
{
    fprintf(stderr, "%s: libfcl refuses %s of %s\n", c->problem, c->entry, c->file);
    for (size_t i = 0; i < fcl_diagnostic_count(m->cx); i++)
        fputs(fcl_diagnostic_text(m->cx, i), stderr);
    fcl_diagnostics_clear(m->cx);
    return false;
}

static void load(subject *s, const test_case *c)
{
    char path[2 * MAX_TEXT];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", s->m->folder, c->file);
    char *text = read_file(path, &size);
    fcl_load_options o = {.entry = c->entry};
    s->module = fcl_module_load(s->m->cx, c->file, text, size, &o);
    free(text);
}

bool subject_open(machine *m, subject *s, const test_case *c, const instance *i)
{
    char settings[MAX_TEXT];
    fcl_compile_options compile = {0};
    fcl_run_options o = {.compile = &compile, .via = m->via, .timed = true};
    fcl_signature signature;
    *s = (subject){.m = m, .i = i};
    strcpy(settings, c->set);
    read_settings(settings, &compile);
    load(s, c);
    if (!s->module || !fcl_kernel_signature(s->module, c->entry, &signature, sizeof signature))
        return refused(m, c);
    s->nresults = signature.nleaves_out;
    if (s->nresults > MAX_OUTPUTS)
        die("%s has too many results", c->entry);
    read_arguments(s, c);
    s->program = fcl_program_create(s->module, c->entry, m->fcl, &o);
    if (!s->program || subject_run(s) < 0)
        return refused(m, c);
    return true;
}

void subject_close(subject *s)
{
    for (size_t i = 0; i < s->nresults; i++)
        fcl_buffer_destroy(s->results[i]);
    fcl_program_destroy(s->program);
    fcl_module_destroy(s->module);
    free(s->args);
    free(s->literals);
}

/* ---- running ---- */

static void give_back(subject *s)
{
    for (size_t i = 0; i < s->nresults; i++) {
        fcl_program_reuse(s->program, s->results[i]);
        s->results[i] = NULL;
    }
}

double subject_run(subject *s)
{
    uint64_t span;
    give_back(s);
    if (!fcl_program_run(s->program, s->args, s->nargs, s->results, s->nresults))
        return -1;
    fcl_program_nanoseconds(s->program, &span);
    return (double)span * 1e-6;
}

static size_t size_of(const fcl_buffer *b)
{
    fcl_array a = fcl_buffer_shape(b);
    uint64_t n = bytes_of_type(a.type);
    for (unsigned i = 0; i < a.rank; i++)
        n *= a.dims[i];
    return n;
}

/* The memory of the results, which the next run writes, holds nonsense afterwards. */
static void poison(subject *s)
{
    for (size_t i = 0; i < s->nresults; i++) {
        size_t size = size_of(s->results[i]);
        void *nonsense = xalloc(size);
        memset(nonsense, 0xa5, size);
        must_fcl(s->m, fcl_buffer_write(s->results[i], nonsense), "writing a result's memory");
        free(nonsense);
    }
}

/* Elements of each result. */
static uint64_t length_of(const instance *i)
{
    return i->what->length ? i->what->length(i) : i->what->out_count(i->e);
}

bool subject_check(subject *s, char why[MAX_TEXT])
{
    void *out[MAX_OUTPUTS] = {NULL};
    bool ok = true;
    poison(s);
    if (subject_run(s) < 0) {
        snprintf(why, MAX_TEXT, "the second run fails");
        return false;
    }
    for (size_t i = 0; ok && i < s->nresults; i++) {
        size_t size = size_of(s->results[i]);
        ok = size == length_of(s->i) * bytes_of_type(s->i->what->out[i]);
        if (!ok)
            snprintf(why, MAX_TEXT, "result %zu has the wrong size", i);
        out[i] = xalloc(size);
        must_fcl(s->m, fcl_buffer_read(s->results[i], out[i]), "reading a result");
    }
    ok = ok && s->i->what->check(s->i, out, why);
    for (size_t i = 0; i < s->nresults; i++)
        free(out[i]);
    return ok;
}
