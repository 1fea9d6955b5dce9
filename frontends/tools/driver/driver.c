/* The files of a host program: see driver.h. */
#include "frontends/tools/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts that all programs share ---- */

static const unsigned char host_text[] = {
#include "fcl_host.inc"
};

static const unsigned char main_text[] = {
#include "fcl_host_main.inc"
};

const char *driver_host_text(size_t *size)
{
    *size = sizeof host_text;
    return (const char *)host_text;
}

const char *driver_main_text(size_t *size)
{
    *size = sizeof main_text;
    return (const char *)main_text;
}

/* ---- names ---- */

void driver_name(const char *path, string *out)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *stem = tool_strndup(base, strcspn(base, "."));
    bool letter = (*stem >= 'a' && *stem <= 'z') || (*stem >= 'A' && *stem <= 'Z');
    string_addf(out, letter ? "" : "p_");
    driver_put_plain(out, stem);
    free(stem);
}

/* ---- the kernels ---- */

/* A literal for each line, as C promises no more than 4095 characters of one. */
static void put_code(string *out, const fcl_target *t)
{
    enum { MOST = 1000 };
    const char *s = t->code, *end = s + t->code_size;
    string_addf(out, "\nstatic const char *const lines[] = {\n");
    while (s < end) {
        const char *next = memchr(s, '\n', (size_t)(end - s));
        size_t n = (size_t)((next ? next + 1 : end) - s);
        n = n > MOST ? MOST : n;
        string_addf(out, "    ");
        driver_put_string(out, s, n);
        string_addf(out, ",\n");
        s += n;
    }
    string_addf(out, "};\n");
}

static void put_kernels(string *out, const fcl_artifact *a, size_t target, const fcl_target *t)
{
    const fcl_plan *p;
    fcl_kernel k;
    size_t count = 0;
    string_addf(out, "\nstatic const char *const kernels[] = {\n");
    for (size_t i = 0; (p = fcl_plan_at(a, target, i)); i++)
        for (uint32_t n = 1; fcl_plan_kernel(p, n, &k, sizeof k); n++, count++)
            string_addf(out, "    \"%s\",\n", k.name);
    string_addf(out, "    NULL,\n};\n\nstatic const fcl_host_code code = {lines, sizeof lines / "
                     "sizeof *lines, ");
    driver_put_string(out, t->options, strlen(t->options));
    string_addf(out, ", kernels, %zu};\n", count);
}

static void put_opening(string *out, const char *name)
{
    string_addf(out,
                "\nfcl_host_program *%s_open(cl_context context, cl_device_id device, "
                "fcl_host_error *error)\n{\n    return fcl_host_open(context, device, &code, "
                "error);\n}\n",
                name);
}

/* ---- heads ---- */

static void put_guard(string *out, const char *name, const char *format)
{
    string upper = {0};
    for (const char *c = name; *c; c++)
        string_addf(&upper, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    string_addf(out, format, upper.at, upper.at);
    string_free(&upper);
}

static const char about[] =
    "/* Host functions for OpenCL 1.2, made by `fclc compile --driver=c` of libfcl %s.\n"
    " *\n"
    " *     cc -std=c11 -c %s.c          with fcl_host.h beside it; link with -lOpenCL -lm\n"
    " *     cc -std=c11 -o %s main.c %s.c -lOpenCL -lm\n"
    " *\n"
    " * %s_open builds the kernels for a device, fcl_host_close drops them.  A function of an "
    "entry\n"
    " * takes arrays in host memory, row by row and with their extents; its results are allocated\n"
    " * and freed with free().  The one that ends with _on_device works on buffers: it returns "
    "when\n"
    " * its commands stand in the queue, which does them in order, and its results are released "
    "with\n"
    " * fcl_host_release().  A bool in an array is a byte, an f16 its bits.  False with *error, "
    "which\n"
    " * may be NULL; then there are no results. */\n";

static void put_header_begin(driver_files *f, const char *name)
{
    string_addf(&f->header, about, fcl_version(), name, name, name, name);
    put_guard(&f->header, name, "#ifndef %s_H\n#define %s_H\n");
    string_addf(&f->header,
                "\n#include \"fcl_host.h\"\n\nfcl_host_program *%s_open(cl_context context, "
                "cl_device_id device,\n    fcl_host_error *error);\n",
                name);
}

static void put_source_begin(driver_files *f, const char *name)
{
    string_addf(&f->source,
                "/* Made by `fclc compile --driver=c`: see %s.h.  vN is the value N of the launch "
                "plan. */\n#include \"%s.h\"\n\n#include <tgmath.h>\n",
                name, name);
}

static void put_program_begin(driver_files *f, const char *name)
{
    string_addf(&f->program,
                "/* A program around the functions of %s.h, and how they are called.\n *\n *     "
                "%s ENTRY OUTPUT ARGUMENT...        as fcl_host_main.h says */\n#include "
                "\"%s.h\"\n\n#include \"fcl_host_main.h\"\n",
                name, name, name);
}

static void put_program_end(driver_files *f, const fcl_artifact *a, size_t target, const char *name)
{
    const fcl_plan *p;
    fcl_plan_info info;
    string *out = &f->program;
    string_addf(out, "\nint main(int argc, char **argv)\n{\n    static const fcl_host_entry "
                     "entries[] = {\n");
    for (size_t i = 0; (p = fcl_plan_at(a, target, i)); i++) {
        fcl_plan_about(p, &info, sizeof info);
        string_addf(out, "        {\"%s\", %zu, run_", info.entry, info.nleaves_in);
        driver_put_plain(out, info.entry);
        string_addf(out, "},\n");
    }
    string_addf(out,
                "    };\n    return fcl_host_main_of(argc, argv, %s_open, entries, sizeof entries "
                "/ sizeof *entries);\n}\n",
                name);
}

/* ---- all ---- */

bool driver_choose(const fcl_artifact *a, size_t *target)
{
    fcl_target t;
    bool found = false;
    for (size_t i = 0; fcl_artifact_target(a, i, &t, sizeof t); i++) {
        bool is_right = t.is_text && strcmp(t.name, "opencl-c") == 0;
        if (is_right && (!found || !*t.exchange))
            *target = i;
        found = found || is_right;
    }
    return found;
}

/* The functions of the host's arithmetic stand before those of the entries, which need them. */
bool driver_make(fcl_context *cx, const fcl_artifact *a, size_t target, const char *name,
                 driver_files *out)
{
    fcl_target t;
    string entries = {0}, functions = {0}, known = {0};
    driver d = {.cx = cx, .name = name, .functions = &functions, .known = &known, .ok = true};
    fcl_artifact_target(a, target, &t, sizeof t);
    put_header_begin(out, name);
    put_source_begin(out, name);
    put_program_begin(out, name);
    put_code(&out->source, &t);
    put_kernels(&out->source, a, target, &t);
    for (size_t i = 0; (d.p = fcl_plan_at(a, target, i)); i++) {
        fcl_plan_about(d.p, &d.info, sizeof d.info);
        d.used = tool_alloc((size_t)d.info.values + 1, sizeof *d.used);
        driver_find_uses(&d);
        d.out = &out->header;
        driver_put_declarations(&d);
        d.out = &entries;
        driver_put_functions(&d);
        d.out = &out->program;
        driver_put_program(&d);
        d.kernels += d.info.kernels;
        free(d.used);
    }
    string_add(&out->source, string_str(&functions), functions.len);
    put_opening(&out->source, name);
    string_add(&out->source, string_str(&entries), entries.len);
    string_addf(&out->header, "\n#endif\n");
    put_program_end(out, a, target, name);
    string_free(&entries);
    string_free(&functions);
    string_free(&known);
    return d.ok;
}

void driver_free(driver_files *files)
{
    string_free(&files->header);
    string_free(&files->source);
    string_free(&files->program);
}
