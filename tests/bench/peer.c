/* Hand-written kernels: built from peers/cpu or peers/gpu, and started with arguments named by
 * letters. */
#include "tests/bench/peers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

static void append_file(char **text, size_t *size, const char *folder, const char *name)
{
    char path[2 * MAX_TEXT];
    snprintf(path, sizeof path, "%s/peers/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        die("cannot read %s", path);
    size_t more = (size_t)ftell(f);
    rewind(f);
    char *grown = realloc(*text, *size + more + 1);
    if (!grown || fread(grown + *size, 1, more, f) != more)
        die("cannot read %s", path);
    fclose(f);
    *text = grown;
    *size += more;
    grown[*size] = 0;
}

static void build(peer *p, const char *text)
{
    cl_int error;
    const char *options = p->m->is_nvidia ? "-cl-std=CL1.2 -DNVIDIA" : "-cl-std=CL1.2";
    p->program = clCreateProgramWithSource(p->m->context, 1, &text, NULL, &error);
    must_cl(error, "clCreateProgramWithSource");
    if (clBuildProgram(p->program, 1, &p->m->id, options, NULL, NULL) == CL_SUCCESS)
        return;
    static char log[1 << 14];
    clGetProgramBuildInfo(p->program, p->m->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    die("the peer of %s does not build:\n%s", p->i->what->name, log);
}

static void load(peer *p, const char *kind, const char *file)
{
    char name[MAX_TEXT], *text = NULL;
    size_t size = 0;
    if (p->m->wide_peers)
        append_file(&text, &size, p->m->folder, "gpu/common.cl");
    snprintf(name, sizeof name, "%s/%s", kind, file);
    append_file(&text, &size, p->m->folder, name);
    build(p, text);
    free(text);
}

static void make_outputs(peer *p)
{
    const problem *what = p->i->what;
    uint64_t count[] = {what->out_count(p->i->e)};
    for (unsigned k = 0; k < MAX_OUTPUTS && what->out[k]; k++) {
        p->out[k] = fcl_buffer_create(p->m->fcl, what->out[k], 1, count);
        must_fcl(p->m, p->out[k], "a peer's result");
    }
}

/* The same over the memory of the arrays, by the host's clock. */
static bool open_cores(peer *p)
{
    p->cores = cores_named(p->i->what->name);
    if (p->cores)
        make_outputs(p);
    return p->cores != NULL;
}

static double run_cores(peer *p)
{
    const void *in[MAX_INPUTS] = {NULL};
    void *out[MAX_OUTPUTS] = {NULL};
    for (unsigned k = 0; k < MAX_INPUTS && p->i->buffers[k]; k++)
        in[k] = fcl_buffer_memory(p->i->buffers[k]);
    for (unsigned k = 0; k < MAX_OUTPUTS && p->out[k]; k++)
        out[k] = fcl_buffer_memory(p->out[k]);
    double start = host_milliseconds();
    p->cores(p->i->e, in, out);
    return host_milliseconds() - start;
}

bool peer_open(machine *m, peer *p, const instance *i)
{
    *p = (peer){.m = m, .i = i};
    if (m->is_cores)
        return open_cores(p);
    const peer_entry *e = peer_named(i->what->name);
    p->run = !e ? NULL : m->wide_peers ? e->gpu : e->cpu;
    if (!p->run)
        return false;
    load(p, m->wide_peers ? "gpu" : "cpu", e->file);
    make_outputs(p);
    return true;
}

void peer_close(peer *p)
{
    for (unsigned k = 0; k < MAX_KERNELS; k++)
        if (p->kernels[k].kernel)
            clReleaseKernel(p->kernels[k].kernel);
    if (p->program)
        clReleaseProgram(p->program);
    for (unsigned k = 0; k < MAX_OUTPUTS; k++)
        fcl_buffer_destroy(p->out[k]);
    for (unsigned k = 0; k < MAX_TEMPS; k++)
        fcl_buffer_destroy(p->temp[k]);
}

/* ---- starting kernels ---- */

static cl_kernel kernel_named(peer *p, const char *name)
{
    cl_int error;
    unsigned k = 0;
    while (k < MAX_KERNELS && p->kernels[k].name && strcmp(p->kernels[k].name, name) != 0)
        k++;
    if (k == MAX_KERNELS)
        die("a peer has too many kernels");
    if (!p->kernels[k].name) {
        p->kernels[k].name = name;
        p->kernels[k].kernel = clCreateKernel(p->program, name, &error);
        must_cl(error, name);
    }
    return p->kernels[k].kernel;
}

static void set(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
    must_cl(clSetKernelArg(kernel, i, size, value), "clSetKernelArg");
}

static cl_mem memory_for(const peer *p, char letter)
{
    switch (letter) {
    case 'x': return memory_of(p->i->buffers[0]);
    case 'y': return memory_of(p->i->buffers[1]);
    case 'z': return memory_of(p->i->buffers[2]);
    case 'o': return memory_of(p->out[0]);
    case 'q': return memory_of(p->out[1]);
    default: return memory_of(p->temp[0]);
    }
}

static cl_int extent_for(const peer *p, char letter)
{
    return (cl_int)(letter == 'n' ? p->i->e.n : letter == 'r' ? p->i->e.rows : p->i->e.cols);
}

static void set_arguments(peer *p, cl_kernel kernel, const char *args, va_list ap)
{
    for (cl_uint k = 0; args[k]; k++) {
        cl_mem memory;
        cl_int number;
        cl_float real;
        switch (args[k]) {
        case 'n':
        case 'r':
        case 'c': number = extent_for(p, args[k]), set(kernel, k, sizeof number, &number); break;
        case 'i': number = va_arg(ap, cl_int), set(kernel, k, sizeof number, &number); break;
        case 'f': real = (cl_float)va_arg(ap, double), set(kernel, k, sizeof real, &real); break;
        case 'm': memory = va_arg(ap, cl_mem), set(kernel, k, sizeof memory, &memory); break;
        default: memory = memory_for(p, args[k]), set(kernel, k, sizeof memory, &memory); break;
        }
    }
}

static cl_event *next_event(peer *p)
{
    if (p->nevents == MAX_EVENTS)
        die("a peer has too many launches");
    return &p->events[p->nevents++];
}

void peer_launch(peer *p, const char *name, size_t groups, size_t threads, const char *args, ...)
{
    cl_kernel kernel = kernel_named(p, name);
    size_t global = groups * threads;
    va_list ap;
    va_start(ap, args);
    set_arguments(p, kernel, args, ap);
    va_end(ap);
    must_cl(clEnqueueNDRangeKernel(p->m->queue, kernel, 1, NULL, &global, &threads, 0, NULL,
                                   next_event(p)),
            name);
}

void peer_zero(peer *p, cl_mem memory, size_t bytes)
{
    cl_int zero = 0;
    must_cl(clEnqueueFillBuffer(p->m->queue, memory, &zero, sizeof zero, 0, bytes, 0, NULL,
                                next_event(p)),
            "clEnqueueFillBuffer");
}

cl_mem peer_temp(peer *p, unsigned number, size_t bytes)
{
    uint64_t words[] = {(bytes + 3) / 4};
    fcl_buffer **temp = &p->temp[number];
    if (!*temp) {
        *temp = fcl_buffer_create(p->m->fcl, FCL_I32, 1, words);
        void *zeros = xalloc(words[0] * 4);
        must_fcl(p->m, *temp && fcl_buffer_write(*temp, zeros), "a peer's memory");
        free(zeros);
    }
    return memory_of(*temp);
}

double peer_run(peer *p)
{
    if (p->cores)
        return run_cores(p);
    p->nevents = 0;
    p->run(p);
    must_cl(clFinish(p->m->queue), "clFinish");
    return take_span(p->events, p->nevents);
}

/* ---- checking ---- */

static size_t out_bytes(const peer *p, unsigned k)
{
    return p->i->what->out_count(p->i->e) * bytes_of_type(p->i->what->out[k]);
}

bool peer_check(peer *p, char why[MAX_TEXT])
{
    void *out[MAX_OUTPUTS] = {NULL};
    for (unsigned k = 0; k < MAX_OUTPUTS && p->out[k]; k++) {
        out[k] = xalloc(out_bytes(p, k));
        memset(out[k], 0xa5, out_bytes(p, k));
        must_fcl(p->m, fcl_buffer_write(p->out[k], out[k]), "writing a peer's result");
    }
    peer_run(p);
    for (unsigned k = 0; k < MAX_OUTPUTS && p->out[k]; k++)
        must_fcl(p->m, fcl_buffer_read(p->out[k], out[k]), "reading a peer's result");
    bool ok = p->i->what->check(p->i, out, why);
    for (unsigned k = 0; k < MAX_OUTPUTS; k++)
        free(out[k]);
    return ok;
}
