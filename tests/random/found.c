/* Findings: see found.h. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "tests/random/found.h"

#include "frontends/tools/values/args.h"
#include "frontends/tools/input.h"
#include "frontends/tools/values/print.h"
#include "tests/random/shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void found_setting(const run_options *o, uint64_t seed, uint32_t k, uint32_t i, setting *out)
{
    char with[600];
    snprintf(with, sizeof with, "%s", o->with ? o->with : "");
    if (!o->with || !setting_read(with, out))
        setting_draw(seed * 16 + k * 4 + i * 1000003, out);
    out->after_each = out->after_each || o->after_each;
    out->via = o->via;
    out->exchange = o->exchange;
}

/* The kernel's arguments as fclc takes them, each in quotation marks. */
static void print_args(FILE *f, fcl_context *cx, fcl_module *m, const random_kernel *k)
{
    report r;
    interface in;
    char *text = NULL;
    size_t size;
    report_begin(&r, cx, REPORT_TEXT, false);
    if (!interface_in(&r, (kernel_home){.module = m}, k->name, &in))
        return;
    FILE *lines = open_memstream(&text, &size);
    print_results(lines, &in, (const fcl_array *)k->args, true);
    fclose(lines);
    for (char *line = text; line && *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(f, " '%.*s'", (int)n, line);
        line += n + (line[n] == '\n');
    }
    free(text);
    interface_free(&in);
}

static void print_commands(FILE *f, const random_program *p, uint32_t kernel, const setting *s,
                           const char *name)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    outcome o;
    char with[600];
    fcl_module *m = case_load(cx, p->text.at, p->text.len, &o);
    const random_kernel *k = &p->kernels[kernel];
    setting_text(s, with, sizeof with);
    if (m) {
        fprintf(f, "// random: --entry=%s --with=%s --", k->name, with);
        print_args(f, cx, m, k);
        fprintf(f, "\n// fclc run %s --entry=%s", name, k->name);
        if (!s->target.tuning.most_own)
            fprintf(f, " -D BlockSize=%u", s->target.tuning.block_size);
        if (s->target.request.groups)
            fprintf(f, " -D Groups=%u", s->target.request.groups);
        print_args(f, cx, m, k);
        fprintf(f, "\n");
    }
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}

void found_write(const run_options *o, uint64_t seed, const random_program *p, uint32_t kernel,
                 const setting *s, const outcome *what)
{
    char name[300];
    printf("seed %llu %s: %s: %s\n", (unsigned long long)seed, p->kernels[kernel].name,
           verdict_text(what->verdict), what->what);
    if (!o->found)
        return;
    mkdir(o->found, 0777);
    snprintf(name, sizeof name, "%s/%llu-%u.fclir", o->found, (unsigned long long)seed, kernel);
    FILE *f = fopen(name, "w");
    if (!f)
        return;
    fprintf(f, "// seed %llu: %s: %.*s\n", (unsigned long long)seed, verdict_text(what->verdict),
            (int)strcspn(what->what, "\n"), what->what);
    print_commands(f, p, kernel, s, name);
    fwrite(p->text.at, 1, p->text.len, f);
    fclose(f);
}

void found_emit(const run_options *o, uint64_t seed, const random_program *p)
{
    char name[300];
    setting s;
    mkdir(o->emit, 0777);
    for (uint32_t k = 0; k < p->nkernels; k++) {
        snprintf(name, sizeof name, "%s/%llu-%u.fclir", o->emit, (unsigned long long)seed, k);
        FILE *f = fopen(name, "w");
        if (!f)
            return;
        found_setting(o, seed, k, 0, &s);
        print_commands(f, p, k, &s, name);
        fwrite(p->text.at, 1, p->text.len, f);
        fclose(f);
    }
}

/* ---- again ---- */

/* The smaller program, with the lines that repeat what it shows. */
static void print_smaller(const run_options *o, const char *text, host_array *args, uint32_t nargs,
                          const setting *s)
{
    shrinking w = {.entry = o->entry, .device = o->device, .args = args, .nargs = nargs, .s = *s};
    char with[600];
    bool wrong = shrink(&w, text);
    setting_text(&w.s, with, sizeof with);
    printf("// %s: %.*s\n// random: --entry=%s --with=%s --",
           wrong ? verdict_text(w.wanted.verdict) : "nothing is wrong",
           (int)strcspn(w.wanted.what, "\n"), w.wanted.what, o->entry, with);
    for (uint32_t i = 0; i < o->nargs; i++)
        printf(" '%s'", o->args[i]);
    printf("\n");
    for (uint32_t i = 0; i < w.n; i++)
        printf("%s\n", w.lines[i]);
    shrink_release(&w);
}

bool found_device(const run_options *o, fcl_context *cx, fcl_device **out)
{
    fcl_diagnostic why;
    *out = o->device ? fcl_device_open(cx, o->device) : NULL;
    if (*out || !o->device)
        return true;
    for (size_t i = 0; fcl_diagnostic_get(cx, i, &why, sizeof why); i++)
        fprintf(stderr, "random: %s\n", why.message);
    return false;
}

static int run_text(const run_options *o, fcl_context *cx, report *r, const char *text, size_t size)
{
    outcome what;
    interface in;
    setting s;
    fcl_module *m = case_load(cx, text, size, &what);
    if (!m) {
        printf("%s: %s\n", verdict_text(what.verdict), what.what);
        return 1;
    }
    host_array *args = calloc(ARGS_MOST, sizeof *args);
    found_setting(o, o->seed, 0, 0, &s);
    bool ok = interface_in(r, (kernel_home){.module = m}, o->entry, &in) &&
              in.nleaves <= ARGS_MOST &&
              args_read(r, o->entry, &in, o->args, o->nargs, (fcl_array *)args);
    report_flush(r);
    if (!ok)
        return 2;
    fcl_device *d;
    if (!found_device(o, cx, &d))
        return 2;
    if (o->shrink)
        print_smaller(o, text, args, (uint32_t)in.nleaves, &s);
    else if (d)
        case_run(m, o->entry, args, (uint32_t)in.nleaves, &s, d, &what);
    else
        case_simulate(m, o->entry, args, (uint32_t)in.nleaves, &s, &what);
    if (!o->shrink)
        printf("%s%s%s\n", verdict_text(what.verdict), what.what[0] ? ": " : "", what.what);
    fcl_device_close(d);
    args_free((fcl_array *)args, in.nleaves);
    interface_free(&in);
    fcl_module_destroy(m);
    return is_finding(what.verdict);
}

int found_again(const run_options *o)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    report r;
    input in;
    report_begin(&r, cx, REPORT_TEXT, false);
    int status = 2;
    if (input_read(&r, o->file, SIZE_MAX, &in)) {
        status = run_text(o, cx, &r, in.data, in.size);
        input_free(&in);
    }
    report_end(&r);
    fcl_context_destroy(cx);
    return status;
}
