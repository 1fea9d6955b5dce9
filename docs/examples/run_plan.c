/* Runs a kernel of an artifact (.fcla) on OpenCL by its launch plan: what a runtime of one's own
 * does.
 *
 *     run_plan FILE.fcla ENTRY OUTPUT ARGUMENT...
 *
 * An argument is a number, or EXTENTS:FILE such as 3x4:matrix.bin for the elements as they lie in
 * memory, for each leaf of the parameters.  Leaf i of the result goes to OUTPUT.i in that form.
 * What the entry hands out while it runs goes to OUTPUT.emit0, OUTPUT.emit1 and so on, a leaf to a file;
 * what it asks for is in OUTPUT.give0, OUTPUT.give1 and so on: an element, or those of an array of one axis.
 *
 * The library reads the plan and does the host's arithmetic; everything else happens here.  The
 * steps and their meaning are in docs/artifact.md.  Whatever goes wrong ends the program. */
#include "libfcl/fcl.h"

#ifdef DEVICE_CALLS /* those of OpenCL that are made here, over something else: cuda/calls.h */
#include DEVICE_CALLS
#else
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#define TARGET                "opencl-c"
#define TAKES(name, exchange) (strcmp(name, TARGET) == 0 && !(exchange)[0])
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scalar, or an array in host memory. */
typedef struct array {
    uint64_t bits;
    uint64_t extents[FCL_MAX_RANK];
    void *data;
    size_t bytes;
} array;

/* A run.  Values, memories and kernels by their numbers, from 1. */
typedef struct run {
    const fcl_plan *plan;
    fcl_plan_info info;
    cl_context context;
    cl_command_queue queue;
    cl_kernel *kernels;
    cl_mem *memories;
    uint64_t *values, *moved; /* bits */
    array *arguments, *results;
    uint32_t report; /* the memory; 0: there is none */
    const char *output;
    unsigned emitted, given; /* leaves so far */
} run;

static void ensure(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "run_plan: %s\n", what);
    exit(1);
}

static void *make(size_t n, size_t size)
{
    void *made = calloc(n + 1, size);
    ensure(made != NULL, "not enough memory");
    return made;
}

static size_t bytes_of(fcl_scalar type)
{
    return fcl_scalar_get(type)->bytes;
}

static void *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    ensure(f && fseek(f, 0, SEEK_END) == 0, name);
    *size = (size_t)ftell(f);
    void *data = make(*size, 1);
    ensure(fseek(f, 0, SEEK_SET) == 0 && fread(data, 1, *size, f) == *size, name);
    fclose(f);
    return data;
}

/* The elements go to a file; a line says what they are. */
static void write_array(const char *name, fcl_scalar type, size_t rank, const array *a)
{
    FILE *f = fopen(name, "wb");
    ensure(f && fwrite(a->data, 1, a->bytes, f) == a->bytes && fclose(f) == 0, name);
    printf("%s: %s", name, fcl_scalar_get(type)->name);
    for (size_t k = 0; k < rank; k++)
        printf(" %" PRIu64, a->extents[k]);
    printf("\n");
}

/* ---- memories ---- */

/* OpenCL has no empty buffers. */
static void allocate(run *r, uint32_t memory, size_t bytes, void *data)
{
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data && bytes ? CL_MEM_COPY_HOST_PTR : 0);
    if (r->memories[memory])
        clReleaseMemObject(r->memories[memory]);
    r->memories[memory] =
        clCreateBuffer(r->context, flags, bytes ? bytes : 1, bytes ? data : NULL, NULL);
    ensure(r->memories[memory] != NULL, "the device has not enough memory");
}

static void swap(run *r, uint32_t x, uint32_t y)
{
    cl_mem was = r->memories[x];
    r->memories[x] = r->memories[y];
    r->memories[y] = was;
}

static void download(run *r, uint32_t memory, size_t offset, size_t bytes, void *to)
{
    ensure(!bytes || clEnqueueReadBuffer(r->queue, r->memories[memory], CL_TRUE, offset, bytes, to,
                                         0, NULL, NULL) == CL_SUCCESS,
           "reading from the device failed");
}

/* What is there before the first step. */
static void begin(run *r)
{
    fcl_memory m;
    for (uint32_t i = 1; fcl_plan_memory(r->plan, i, &m, sizeof m); i++)
        if (m.kind == FCL_MEMORY_ARGUMENT) {
            allocate(r, i, r->arguments[m.argument].bytes, r->arguments[m.argument].data);
        } else if (m.kind == FCL_MEMORY_REPORT) {
            allocate(r, i, 5 * sizeof(uint32_t), (uint32_t[5]){0});
            r->report = i;
        } else if (m.kind == FCL_MEMORY_TABLE || m.kind == FCL_MEMORY_KEPT) {
            char *table = make(m.nelements, bytes_of(m.type));
            for (uint32_t k = 0; k < m.nelements; k++)
                fcl_bits_write(m.type, m.elements[k], table + k * bytes_of(m.type));
            allocate(r, i, m.nelements * bytes_of(m.type), table);
            free(table);
        }
}

/* ---- checks ---- */

static void fail(const run *r, uint32_t check, int64_t first, int64_t second)
{
    fcl_check c;
    fcl_plan_check(r->plan, check, &c, sizeof c);
    fprintf(stderr, "%s:%u:%u: error[E%04u]: ", c.at.file, c.at.line, c.at.column, c.code);
    for (const char *s = c.message; *s; s++)
        if (s[0] == '%' && (s[1] == '1' || s[1] == '2'))
            fprintf(stderr, "%" PRId64, *++s == '1' ? first : second);
        else
            fputc(*(s += s[0] == '%' && s[1] == '%'), stderr);
    fputc('\n', stderr);
    exit(1);
}

static void passed(run *r)
{
    uint32_t w[5] = {0};
    if (r->report)
        download(r, r->report, 0, sizeof w, w);
    if (w[0])
        fail(r, w[0], (int64_t)((uint64_t)w[2] << 32 | w[1]),
             (int64_t)((uint64_t)w[4] << 32 | w[3]));
}

/* ---- steps ---- */

static int64_t number(const run *r, uint32_t value)
{
    return (int64_t)r->values[value];
}

static void launch(run *r, const fcl_step *s)
{
    fcl_kernel_argument a;
    cl_kernel k = r->kernels[s->which];
    cl_int error = CL_SUCCESS;
    size_t threads = (size_t)number(r, s->operands[1]),
           all = threads * (size_t)number(r, s->operands[0]);
    if (number(r, s->operands[0]) <= 0)
        return;
    for (uint32_t i = 0; fcl_plan_argument(r->plan, s->which, i, &a, sizeof a); i++) {
        uint32_t given = s->list[i];
        unsigned char scalar[8];
        if (a.takes == FCL_TAKES_MEMORY) {
            if (!r->memories[given]) /* of a branch that was not taken: the kernel does not touch it
                                      */
                allocate(r, given, 0, NULL);
            error |= clSetKernelArg(k, i, sizeof(cl_mem), &r->memories[given]);
        } else if (a.takes == FCL_TAKES_LOCAL) {
            error |= clSetKernelArg(k, i, (size_t)number(r, given), NULL);
        } else {
            fcl_bits_write(a.type, r->values[given], scalar);
            error |= clSetKernelArg(k, i, bytes_of(a.type), scalar);
        }
    }
    error |= clEnqueueNDRangeKernel(r->queue, k, 1, NULL, &all, &threads, 0, NULL, NULL);
    ensure(error == CL_SUCCESS, "a launch failed");
}

static void output(run *r, const fcl_step *s)
{
    fcl_memory m;
    array *to = &r->results[s->which];
    fcl_plan_memory(r->plan, s->memory, &m, sizeof m);
    to->bytes = bytes_of(m.type);
    for (uint32_t i = 0; i < s->nlist; i++)
        to->bytes *= (size_t)(to->extents[i] = r->values[s->list[i]]);
    free(to->data);
    to->data = make(to->bytes, 1);
    download(r, s->memory, 0, to->bytes, to->data);
}

/* A leaf of what is handed out.  Who wants all leaves of an operand together waits for the one that no
 * other follows (s->which is 0). */
static void emit(run *r, const fcl_step *s)
{
    fcl_memory m = {.type = fcl_plan_value(r->plan, s->operands[0])};
    array a = {.data = NULL};
    char name[1024];
    if (s->kind == FCL_STEP_EMIT)
        fcl_plan_memory(r->plan, s->memory, &m, sizeof m);
    a.bytes = bytes_of(m.type);
    size_t first = (size_t)number(r, s->operands[0]) * a.bytes;
    for (uint32_t i = 0; i < s->nlist; i++)
        a.bytes *= (size_t)(a.extents[i] = r->values[s->list[i]]);
    a.data = make(a.bytes, 1);
    if (s->kind == FCL_STEP_EMIT)
        download(r, s->memory, first, a.bytes, a.data);
    else
        fcl_bits_write(m.type, r->values[s->operands[0]], a.data);
    snprintf(name, sizeof name, "%s.emit%u", r->output, r->emitted++);
    write_array(name, m.type, s->nlist, &a);
    free(a.data);
}

static void receive(run *r, const fcl_step *s)
{
    fcl_memory m = {.type = FCL_BOOL};
    char name[1024];
    size_t bytes;
    fcl_plan_memory(r->plan, s->memory, &m, sizeof m);
    snprintf(name, sizeof name, "%s.give%u", r->output, r->given++);
    ensure(s->ngives < 2, "an answer has more than one axis");
    void *data = read_file(name, &bytes);
    allocate(r, s->memory, bytes, data);
    if (s->ngives)
        r->values[s->gives] = bytes / bytes_of(m.type);
    free(data);
}

static void read_element(run *r, const fcl_step *s)
{
    size_t bytes = bytes_of(fcl_plan_value(r->plan, s->gives));
    unsigned char element[8];
    download(r, s->memory, (size_t)number(r, s->operands[0]) * bytes, bytes, element);
    r->values[s->gives] = fcl_bits_read(fcl_plan_value(r->plan, s->gives), element);
}

/* Listed values become n others, all at once. */
static void move(run *r, uint32_t to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        r->moved[i] = r->values[from[i]];
    memcpy(&r->values[to], r->moved, n * sizeof *r->values);
}

static fcl_block do_block(run *r, uint32_t block);

static void do_for(run *r, const fcl_step *s)
{
    fcl_block body;
    fcl_plan_block(r->plan, s->blocks[0], &body, sizeof body);
    int64_t to = number(r, s->operands[1]), by = number(r, s->operands[2]);
    ensure(by > 0, "a loop goes backwards");
    move(r, body.params + 1, s->list, s->nlist);
    for (int64_t i = number(r, s->operands[0]); i<to; i = i> INT64_MAX - by ? to : i + by) {
        r->values[body.params] = (uint64_t)i;
        do_block(r, s->blocks[0]);
        move(r, body.params + 1, body.yields, body.nyields);
    }
    memcpy(&r->values[s->gives], &r->values[body.params + 1], s->ngives * sizeof *r->values);
}

static void do_while(run *r, const fcl_step *s)
{
    fcl_block condition, body;
    fcl_plan_block(r->plan, s->blocks[0], &condition, sizeof condition);
    move(r, condition.params, s->list, s->nlist);
    while (do_block(r, s->blocks[0]), r->values[condition.yields[0]]) {
        body = do_block(r, s->blocks[1]);
        move(r, condition.params, body.yields, body.nyields);
    }
    memcpy(&r->values[s->gives], &r->values[condition.params], s->ngives * sizeof *r->values);
}

static void do_if(run *r, const fcl_step *s)
{
    fcl_block taken = do_block(r, s->blocks[r->values[s->operands[0]] ? 0 : 1]);
    move(r, s->gives, taken.yields, taken.nyields);
}

static void do_step(run *r, uint32_t number_of_step, const fcl_step *s)
{
    fcl_memory m = {.type = FCL_BOOL};
    fcl_plan_memory(r->plan, s->memory, &m, sizeof m);
    switch (s->kind) {
    case FCL_STEP_SCALAR: r->values[s->gives] = r->arguments[s->which].bits; break;
    case FCL_STEP_EXTENT: r->values[s->gives] = r->arguments[s->which].extents[s->axis]; break;
    case FCL_STEP_ALLOCATE:
        allocate(r, s->memory, (size_t)number(r, s->operands[0]) * bytes_of(m.type), NULL);
        break;
    case FCL_STEP_FREE: break; /* a runner that is short of memory releases it here */
    case FCL_STEP_SWAP: swap(r, s->memory, s->which); break;
    case FCL_STEP_READ: read_element(r, s); break;
    case FCL_STEP_LAUNCH: launch(r, s); break;
    case FCL_STEP_OUTPUT: output(r, s); break;
    case FCL_STEP_EMIT:
    case FCL_STEP_EMITSCALAR: emit(r, s); break;
    case FCL_STEP_RECEIVE: receive(r, s); break;
    case FCL_STEP_PASSED: passed(r); break;
    case FCL_STEP_CHECK:
        if (!r->values[s->operands[0]]) {
            passed(r); /* what a kernel has found before comes first */
            fail(r, s->which, number(r, s->operands[1]), number(r, s->operands[2]));
        }
        break;
    case FCL_STEP_IF: do_if(r, s); break;
    case FCL_STEP_FOR: do_for(r, s); break;
    case FCL_STEP_WHILE: do_while(r, s); break;
    default: r->values[s->gives] = fcl_plan_compute(r->plan, number_of_step, r->values); break;
    }
}

static fcl_block do_block(run *r, uint32_t block)
{
    fcl_block b;
    fcl_step s;
    fcl_plan_block(r->plan, block, &b, sizeof b);
    for (uint32_t i = b.first; fcl_plan_step(r->plan, i, &s, sizeof s); i = s.next)
        do_step(r, i, &s);
    return b;
}

/* ---- the program ---- */

static array argument(const fcl_leaf *leaf, char *text)
{
    array a = {0};
    char kind = fcl_scalar_get(leaf->type)->kind, number_as_float[8];
    uint64_t count = bytes_of(leaf->type);
    for (size_t i = 0; i < leaf->rank; i++, text++)
        count *= a.extents[i] = strtoull(text, &text, 10);
    if (leaf->rank) {
        a.data = read_file(text, &a.bytes);
        ensure(a.bytes == count, "a file is not as large as its extents say");
    } else if (kind == 'f') {
        fcl_float_write(leaf->type, strtod(text, NULL), number_as_float);
        a.bits = fcl_bits_read(leaf->type, number_as_float);
    } else {
        a.bits = kind == 'i' ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
    }
    return a;
}

/* The first target that every device takes. */
static size_t choose(const fcl_artifact *a, fcl_target *t)
{
    size_t i = 0;
    while (fcl_artifact_target(a, i, t, sizeof *t) && !TAKES(t->name, t->exchange))
        i++;
    ensure(fcl_artifact_target(a, i, t, sizeof *t), "the artifact has no code for " TARGET);
    return i;
}

static void build(run *r, const fcl_target *t)
{
    cl_platform_id platform;
    cl_device_id device = NULL;
    fcl_kernel k;
    ensure(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS &&
               clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS,
           "there is no OpenCL device");
    r->context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    r->queue = clCreateCommandQueue(r->context, device, 0, NULL);
    const char *code = t->code;
    cl_program program = clCreateProgramWithSource(r->context, 1, &code, &t->code_size, NULL);
    ensure(clBuildProgram(program, 1, &device, t->options, NULL, NULL) == CL_SUCCESS,
           "the driver refuses the code");
    for (uint32_t i = 1; fcl_plan_kernel(r->plan, i, &k, sizeof k); i++)
        ensure((r->kernels[i] = clCreateKernel(program, k.name, NULL)) != NULL, k.name);
    clReleaseProgram(program);
}

static void write_results(const run *r)
{
    char name[1024];
    fcl_leaf leaf;
    for (size_t i = 0; fcl_plan_leaf_out(r->plan, i, &leaf, sizeof leaf); i++) {
        snprintf(name, sizeof name, "%s.%zu", r->output, i);
        write_array(name, leaf.type, leaf.rank, &r->results[i]);
    }
}

/* Releasing a queue sends off what stands in it without waiting, and a driver may still be compiling
 * a kernel when the program ends. */
static void end(run *r)
{
    ensure(clFinish(r->queue) == CL_SUCCESS, "clFinish");
    for (size_t i = 0; i < r->info.nleaves_in; i++)
        free(r->arguments[i].data);
    for (size_t i = 0; i < r->info.nleaves_out; i++)
        free(r->results[i].data);
    for (uint32_t i = 1; i <= r->info.memories; i++)
        if (r->memories[i])
            clReleaseMemObject(r->memories[i]);
    for (uint32_t i = 1; i <= r->info.kernels; i++)
        clReleaseKernel(r->kernels[i]);
    clReleaseCommandQueue(r->queue);
    clReleaseContext(r->context);
    void *all[] = {r->kernels, r->memories, r->values, r->moved, r->arguments, r->results};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

int main(int argc, char **argv)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_target target;
    fcl_leaf leaf;
    size_t size;
    ensure(cx && argc > 3, "usage: run_plan FILE.fcla ENTRY OUTPUT ARGUMENT...");
    void *file = read_file(argv[1], &size);
    fcl_artifact *a = fcl_artifact_load(cx, argv[1], file, size);
    ensure(a != NULL, fcl_diagnostic_text(cx, 0));
    run r = {.plan = fcl_plan_named(a, choose(a, &target), argv[2]), .output = argv[3]};
    ensure(r.plan != NULL, fcl_diagnostic_text(cx, 0));
    fcl_plan_about(r.plan, &r.info, sizeof r.info);
    ensure((size_t)argc == 4 + r.info.nleaves_in,
           "as many arguments as the parameters have leaves");
    r.kernels = make(r.info.kernels + 1u, sizeof *r.kernels);
    r.memories = make(r.info.memories + 1u, sizeof *r.memories);
    r.values = make(r.info.values + 1u, sizeof *r.values);
    r.moved = make(r.info.values + 1u, sizeof *r.moved);
    r.arguments = make(r.info.nleaves_in, sizeof *r.arguments);
    r.results = make(r.info.nleaves_out, sizeof *r.results);
    for (size_t i = 0; fcl_plan_leaf_in(r.plan, i, &leaf, sizeof leaf); i++)
        r.arguments[i] = argument(&leaf, argv[4 + i]);
    build(&r, &target);
    begin(&r);
    do_block(&r, r.info.block);
    write_results(&r);
    end(&r);
    fcl_artifact_destroy(a);
    fcl_context_destroy(cx);
    free(file);
    return 0;
}
