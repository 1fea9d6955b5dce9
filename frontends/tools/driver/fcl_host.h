/* What host programs that `fclc compile --driver=c` makes have in common: kernels built for a
 * device, the memories of a run, launches, checks.  It needs OpenCL 1.2 and nothing else.
 *
 * A program may be used by one thread at a time. */
#ifndef FCL_HOST_H
#define FCL_HOST_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why something failed. */
typedef struct fcl_host_error {
    unsigned code;         /* of the diagnostic: 602 is E0602; 0: OpenCL or memory failed */
    cl_int status;         /* OpenCL's; CL_SUCCESS: it is not to blame */
    const char *file;      /* where in the source; "": nobody knows */
    unsigned line, column; /* from 1 */
    char message[1024];
} fcl_host_error;

/* A leaf of what is handed out: a scalar has rank 0.  A bool is a byte, an f16 its bits. */
typedef struct fcl_host_leaf {
    const char *type; /* "int", "double" and so on */
    size_t rank, bytes; /* of all elements; of an answer, of one */
    int64_t extents[8];
    void *data; /* row by row; goes when the call returns */
} fcl_host_leaf;

/* Takes what the program hands out while it runs, in its order; show: how people are to see it, or "".
 * False ends the run. */
typedef bool fcl_host_emit_fn(void *user, const fcl_host_leaf *leaves, size_t n, const char *show);

/* Answers what the program asks for with these leaves: the answer has its type and rank, and gets extents
 * and data from malloc, which is freed behind the call.  False ends the run. */
typedef bool fcl_host_receive_fn(void *user, const fcl_host_leaf *asked, size_t n, const char *show,
                                 fcl_host_leaf *answer);

/* Kernels for a device, by their order in the plans. */
typedef struct fcl_host_program {
    fcl_host_emit_fn *emit; /* the caller's to set; NULL: what is handed out is dropped */
    void *emit_user;        /* handed to it */
    fcl_host_receive_fn *receive; /* likewise; NULL: who asks ends the run */
    void *receive_user;
    cl_context context;
    cl_program program;
    cl_kernel *kernels;
    size_t nkernels, most_threads;
    cl_ulong local_bytes;
} fcl_host_program;

/* What the code was made of, and where. */
typedef struct fcl_host_code {
    const char *const *lines;
    size_t nlines;
    const char *options;
    const char *const *kernels;
    size_t nkernels;
} fcl_host_code;

typedef struct fcl_host_check {
    unsigned code;
    const char *message; /* %1, %2: numbers; %%: a percent sign */
    const char *file;
    unsigned line, column;
} fcl_host_check;

/* A memory of a plan; buffer NULL: it has no room. */
typedef struct fcl_host_memory {
    cl_mem buffer;
    int64_t elements;
    bool is_result;
} fcl_host_memory;

/* A run: memories by their numbers in the plan, of which 0 is none. */
typedef struct fcl_host_run {
    const fcl_host_program *program;
    cl_command_queue queue;
    fcl_host_memory *memories;
    size_t nmemories, report; /* report 0: kernels report nothing */
    const fcl_host_check *checks;
    size_t nchecks;
    cl_int status; /* of the arguments that are being set */
    fcl_host_error *error;
    fcl_host_leaf *leaves; /* of what is handed out, until the last is there */
    size_t nleaves;
} fcl_host_run;

/* ---- errors ---- */

/* Fills *error, which may be NULL.  False. */
static inline bool fcl_host_fail(fcl_host_error *error, unsigned code, cl_int status,
                                 const char *format, ...)
{
    if (!error)
        return false;
    *error = (fcl_host_error){.code = code, .status = status, .file = ""};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

/* Where it happened, for what has a code and knows no place of its own.  False. */
static inline bool fcl_host_at(fcl_host_error *error, const char *file, unsigned line,
                               unsigned column)
{
    if (!error || !error->code || *error->file)
        return false;
    error->file = file;
    error->line = line;
    error->column = column;
    return false;
}

static inline bool fcl_host_ok(fcl_host_error *error, cl_int status, const char *what)
{
    return status == CL_SUCCESS ||
           fcl_host_fail(error, 0, status, "%s failed with the status %d", what, (int)status);
}

/* ---- programs ---- */

static inline void fcl_host_close(fcl_host_program *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->kernels && i < p->nkernels; i++)
        if (p->kernels[i])
            clReleaseKernel(p->kernels[i]);
    free(p->kernels);
    if (p->program)
        clReleaseProgram(p->program);
    clReleaseContext(p->context);
    free(p);
}

/* With the beginning of what the driver's compiler says. */
static inline bool fcl_host_not_built(fcl_host_program *p, cl_device_id device, cl_int status,
                                      fcl_host_error *error)
{
    char log[900] = "";
    size_t size = 0;
    clGetProgramBuildInfo(p->program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *all = size ? calloc(size + 1, 1) : NULL;
    if (all && clGetProgramBuildInfo(p->program, device, CL_PROGRAM_BUILD_LOG, size, all, NULL) ==
                   CL_SUCCESS)
        snprintf(log, sizeof log, "%s", all);
    free(all);
    return fcl_host_fail(error, 0, status, "the driver refuses the kernels: %s", log);
}

static inline bool fcl_host_build(fcl_host_program *p, cl_device_id device, const fcl_host_code *c,
                                  fcl_host_error *error)
{
    cl_int status = CL_SUCCESS;
    /* OpenCL does not change the texts, but its type of the list does not say so. */
    const char **lines = calloc(c->nlines + 1, sizeof *lines);
    if (!lines)
        return fcl_host_fail(error, 0, CL_OUT_OF_HOST_MEMORY, "memory ran out");
    for (size_t i = 0; i < c->nlines; i++)
        lines[i] = c->lines[i];
    p->program = clCreateProgramWithSource(p->context, (cl_uint)c->nlines, lines, NULL, &status);
    free(lines);
    if (!fcl_host_ok(error, status, "clCreateProgramWithSource"))
        return false;
    status = clBuildProgram(p->program, 1, &device, c->options, NULL, NULL);
    if (status != CL_SUCCESS)
        return fcl_host_not_built(p, device, status, error);
    for (size_t i = 0; i < c->nkernels; i++) {
        p->kernels[i] = clCreateKernel(p->program, c->kernels[i], &status);
        if (!fcl_host_ok(error, status, c->kernels[i]))
            return false;
    }
    return true;
}

/* Builds the kernels for a device of a context, which is retained.  NULL with *error. */
static inline fcl_host_program *fcl_host_open(cl_context context, cl_device_id device,
                                              const fcl_host_code *c, fcl_host_error *error)
{
    fcl_host_program *p = calloc(1, sizeof *p);
    cl_kernel *kernels = calloc(c->nkernels + 1, sizeof *kernels);
    if (!p || !kernels) {
        free(p);
        free(kernels);
        fcl_host_fail(error, 0, CL_OUT_OF_HOST_MEMORY, "memory ran out");
        return NULL;
    }
    *p = (fcl_host_program){.context = context, .kernels = kernels, .nkernels = c->nkernels};
    clRetainContext(context);
    cl_int status = clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof p->most_threads,
                                    &p->most_threads, NULL);
    if (status == CL_SUCCESS)
        status = clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof p->local_bytes,
                                 &p->local_bytes, NULL);
    if (fcl_host_ok(error, status, "clGetDeviceInfo") &&
        (!c->nkernels || fcl_host_build(p, device, c, error)))
        return p;
    fcl_host_close(p);
    return NULL;
}

/* ---- arguments ---- */

enum { FCL_HOST_MOST_EXTENT = INT32_MAX - 2048 };

/* The number of elements of an argument; below 0 with *error where there are more than kernels
 * take.
 */
static inline int64_t fcl_host_count(const int64_t *extents, size_t rank, int64_t most,
                                     const char *name, fcl_host_error *error)
{
    int64_t count = 1;
    for (size_t i = 0; i < rank; i++) {
        if (extents[i] < 0 || extents[i] > FCL_HOST_MOST_EXTENT ||
            (extents[i] && count > most / extents[i])) {
            fcl_host_fail(error, 614, CL_SUCCESS, "%s has too many elements", name);
            return -1;
        }
        count *= extents[i];
    }
    return count;
}

/* ---- memories ---- */

static inline void fcl_host_free(fcl_host_run *r, size_t memory)
{
    if (r->memories[memory].buffer)
        clReleaseMemObject(r->memories[memory].buffer);
    r->memories[memory] = (fcl_host_memory){.elements = 0};
}

static inline void fcl_host_swap(fcl_host_run *r, size_t x, size_t y)
{
    fcl_host_memory was = r->memories[x];
    r->memories[x] = r->memories[y];
    r->memories[y] = was;
}

/* The caller's buffer, of so many elements. */
static inline void fcl_host_take(fcl_host_run *r, size_t memory, cl_mem buffer, int64_t elements)
{
    if (buffer)
        clRetainMemObject(buffer);
    r->memories[memory] = (fcl_host_memory){.buffer = buffer, .elements = elements};
}

/* A new buffer that holds data (NULL: anything); OpenCL has no empty ones. */
static inline cl_mem fcl_host_buffer(cl_context context, const void *data, uint64_t bytes,
                                     fcl_host_error *error)
{
    cl_int status = CL_SUCCESS;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data && bytes ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem made = clCreateBuffer(context, flags, bytes ? (size_t)bytes : 1,
                                 bytes ? (void *)(uintptr_t)data : NULL, &status);
    return fcl_host_ok(error, status, "clCreateBuffer") ? made : NULL;
}

static inline bool fcl_host_make(fcl_host_run *r, size_t memory, const void *data, int64_t elements,
                                 size_t bytes)
{
    fcl_host_free(r, memory);
    r->memories[memory].buffer =
        fcl_host_buffer(r->program->context, data, (uint64_t)elements * bytes, r->error);
    r->memories[memory].elements = elements;
    return r->memories[memory].buffer != NULL;
}

static inline bool fcl_host_allocate(fcl_host_run *r, size_t memory, int64_t elements, int64_t most,
                                     size_t bytes)
{
    if (elements < 0 || elements > most)
        return fcl_host_fail(r->error, 614, CL_SUCCESS,
                             "an array would have more than %" PRId64 " elements", most);
    return fcl_host_make(r, memory, NULL, elements, bytes);
}

/* Waits for what was launched. */
static inline bool fcl_host_read(fcl_host_run *r, size_t memory, int64_t element, size_t bytes,
                                 void *to)
{
    const fcl_host_memory *m = &r->memories[memory];
    if (element < 0 || element >= m->elements)
        return fcl_host_fail(r->error, 619, CL_SUCCESS,
                             "element %" PRId64 " is read of an array of %" PRId64 " elements",
                             element, m->elements);
    return fcl_host_ok(r->error,
                       clEnqueueReadBuffer(r->queue, m->buffer, CL_TRUE, (size_t)element * bytes,
                                           bytes, to, 0, NULL, NULL),
                       "clEnqueueReadBuffer");
}

/* ---- checks ---- */

/* The message of a check, with its numbers.  False. */
static inline bool fcl_host_failed(fcl_host_run *r, size_t check, int64_t first, int64_t second)
{
    if (!r->error || check >= r->nchecks)
        return false;
    const fcl_host_check *c = &r->checks[check];
    *r->error =
        (fcl_host_error){.code = c->code, .file = c->file, .line = c->line, .column = c->column};
    char *to = r->error->message, *end = to + sizeof r->error->message - 1;
    for (const char *s = c->message; *s && to < end; s++)
        if (s[0] == '%' && (s[1] == '1' || s[1] == '2')) {
            snprintf(to, (size_t)(end - to), "%" PRId64, *++s == '1' ? first : second);
            to += strlen(to);
        } else {
            s += s[0] == '%' && s[1] == '%';
            *to++ = *s;
        }
    return false;
}

/* Waits, and asks whether a check of a kernel has failed. */
static inline bool fcl_host_passed(fcl_host_run *r)
{
    uint32_t w[5] = {0};
    if (!r->report)
        return true;
    if (!fcl_host_ok(r->error,
                     clEnqueueReadBuffer(r->queue, r->memories[r->report].buffer, CL_TRUE, 0,
                                         sizeof w, w, 0, NULL, NULL),
                     "clEnqueueReadBuffer"))
        return false;
    return !w[0] || fcl_host_failed(r, w[0], (int64_t)((uint64_t)w[2] << 32 | w[1]),
                                    (int64_t)((uint64_t)w[4] << 32 | w[3]));
}

/* A check of the host; what a kernel has found before comes first. */
static inline bool fcl_host_check_that(fcl_host_run *r, bool condition, size_t check, int64_t first,
                                       int64_t second)
{
    return condition || (fcl_host_passed(r) && fcl_host_failed(r, check, first, second));
}

/* ---- launches ---- */

static inline void fcl_host_give(fcl_host_run *r, size_t kernel, cl_uint argument, size_t bytes,
                                 const void *value)
{
    cl_int status = clSetKernelArg(r->program->kernels[kernel], argument, bytes, value);
    r->status = r->status == CL_SUCCESS ? status : r->status;
}

/* One that was allocated in a branch that was not taken is given as any memory: the kernel does not
 * touch it. */
static inline void fcl_host_give_memory(fcl_host_run *r, size_t kernel, cl_uint argument,
                                        size_t memory)
{
    if (!r->memories[memory].buffer && !fcl_host_make(r, memory, NULL, 0, 1))
        r->status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    fcl_host_give(r, kernel, argument, sizeof(cl_mem), &r->memories[memory].buffer);
}

/* local_bytes: of a group, all together. */
static inline bool fcl_host_launch(fcl_host_run *r, size_t kernel, const char *name, int64_t groups,
                                   int64_t threads, int64_t local_bytes)
{
    if (groups > FCL_HOST_MOST_EXTENT)
        return fcl_host_fail(r->error, 614, CL_SUCCESS, "kernel %s has too many groups", name);
    if (local_bytes < 0 || (cl_ulong)local_bytes > r->program->local_bytes)
        return fcl_host_fail(r->error, 615, CL_SUCCESS,
                             "kernel %s needs %" PRId64
                             " bytes of local memory for each block; the device has %" PRIu64,
                             name, local_bytes, (uint64_t)r->program->local_bytes);
    if (threads < 1 || (uint64_t)threads > r->program->most_threads)
        return fcl_host_fail(r->error, 616, CL_SUCCESS,
                             "kernel %s has blocks of %" PRId64 " threads; the device allows %zu",
                             name, threads, r->program->most_threads);
    size_t local = (size_t)threads, global = (size_t)groups * local;
    if (r->status == CL_SUCCESS)
        r->status = clEnqueueNDRangeKernel(r->queue, r->program->kernels[kernel], 1, NULL, &global,
                                           &local, 0, NULL, NULL);
    return fcl_host_ok(r->error, r->status, name);
}

/* ---- results ---- */

/* The memory becomes *result, or a copy where it is an argument's or another result already. */
static inline bool fcl_host_output(fcl_host_run *r, size_t memory, bool copied, cl_mem *result,
                                   const int64_t *extents, size_t rank, size_t bytes)
{
    fcl_host_memory *m = &r->memories[memory];
    int64_t count = fcl_host_count(extents, rank, (int64_t)1 << 40, "a result", r->error);
    if (count < 0)
        return false;
    if (count > m->elements)
        return fcl_host_fail(r->error, 619, CL_SUCCESS,
                             "a result has %" PRId64 " elements, but its memory holds %" PRId64,
                             count, m->elements);
    if (*result)
        clReleaseMemObject(*result);
    *result = NULL;
    if (!m->buffer && !fcl_host_make(r, memory, NULL, 0, bytes))
        return false;
    if (!copied && !m->is_result) {
        m->is_result = true;
        *result = m->buffer;
        return fcl_host_ok(r->error, clRetainMemObject(m->buffer), "clRetainMemObject");
    }
    *result = fcl_host_buffer(r->program->context, NULL, (uint64_t)count * bytes, r->error);
    return *result &&
           (!count || fcl_host_ok(r->error,
                                  clEnqueueCopyBuffer(r->queue, m->buffer, *result, 0, 0,
                                                      (size_t)count * bytes, 0, NULL, NULL),
                                  "clEnqueueCopyBuffer"));
}

static inline void fcl_host_drop_leaves(fcl_host_run *r)
{
    for (size_t i = 0; i < r->nleaves; i++)
        free(r->leaves[i].data);
    free(r->leaves);
    r->leaves = NULL;
    r->nleaves = 0;
}

/* A leaf more, with room for its elements; NULL with an error. */
static inline fcl_host_leaf *fcl_host_add_leaf(fcl_host_run *r, const char *type, size_t rank,
                                               size_t bytes)
{
    fcl_host_leaf *more = realloc(r->leaves, (r->nleaves + 1) * sizeof *more);
    void *data = more ? calloc(bytes ? bytes : 1, 1) : NULL;
    r->leaves = more ? more : r->leaves;
    if (!data) {
        fcl_host_fail(r->error, 0, CL_OUT_OF_HOST_MEMORY, "memory ran out");
        return NULL;
    }
    more[r->nleaves] = (fcl_host_leaf){.type = type, .rank = rank, .bytes = bytes, .data = data};
    return &more[r->nleaves++];
}

/* Whether anybody wants leaves. */
static inline bool fcl_host_is_heard(const fcl_host_run *r)
{
    return r->program->emit || r->program->receive;
}

/* With the last leaf all of them go to the caller. */
static inline bool fcl_host_hand_out(fcl_host_run *r, size_t follow, const char *show)
{
    if (follow)
        return true;
    bool ok = !r->program->emit ||
              r->program->emit(r->program->emit_user, r->leaves, r->nleaves, show);
    fcl_host_drop_leaves(r);
    return ok || fcl_host_fail(r->error, 0, CL_SUCCESS,
                               "the run was ended by who takes what it hands out");
}

/* Elements of a memory from `first` on, as a leaf of what is handed out; `follow` more belong to it. */
static inline bool fcl_host_emit(fcl_host_run *r, size_t memory, int64_t first,
                                 const int64_t *extents, size_t rank, const char *type,
                                 size_t bytes, size_t follow, const char *show)
{
    const fcl_host_memory *m = &r->memories[memory];
    int64_t count = fcl_host_count(extents, rank, (int64_t)1 << 40, "what is handed out", r->error);
    if (count < 0 || !fcl_host_is_heard(r))
        return count >= 0;
    if (first < 0 || first > m->elements || count > m->elements - first)
        return fcl_host_fail(r->error, 619, CL_SUCCESS,
                             "%" PRId64 " elements are handed out from %" PRId64
                             " on of an array of %" PRId64,
                             count, first, m->elements);
    fcl_host_leaf *leaf = fcl_host_add_leaf(r, type, rank, (size_t)count * bytes);
    for (size_t i = 0; leaf && i < rank; i++)
        leaf->extents[i] = extents[i];
    return leaf &&
           (!count || fcl_host_ok(r->error,
                                  clEnqueueReadBuffer(r->queue, m->buffer, CL_TRUE,
                                                      (size_t)first * bytes, leaf->bytes,
                                                      leaf->data, 0, NULL, NULL),
                                  "clEnqueueReadBuffer")) &&
           fcl_host_hand_out(r, follow, show);
}

static inline bool fcl_host_emit_scalar(fcl_host_run *r, const void *value, const char *type,
                                        size_t bytes, size_t follow, const char *show)
{
    fcl_host_leaf *leaf = fcl_host_is_heard(r) ? fcl_host_add_leaf(r, type, 0, bytes) : NULL;
    if (leaf)
        memcpy(leaf->data, value, bytes);
    return !fcl_host_is_heard(r) || (leaf && fcl_host_hand_out(r, follow, show));
}

/* What is given for the leaves that were handed out becomes a memory's, with its extents; bytes: of an
 * element. */
static inline bool fcl_host_receive(fcl_host_run *r, size_t memory, const char *type, size_t rank,
                                    size_t bytes, int64_t *extents, const char *show)
{
    const fcl_host_program *p = r->program;
    fcl_host_leaf answer = {.type = type, .rank = rank, .bytes = bytes};
    bool ok = p->receive &&
              p->receive(p->receive_user, r->leaves, r->nleaves, show, &answer);
    fcl_host_drop_leaves(r);
    if (!ok)
        fcl_host_fail(r->error, 626, CL_SUCCESS,
                      "the program asks for something here, and is not given it");
    int64_t count =
        ok ? fcl_host_count(answer.extents, rank, (int64_t)1 << 40, "what is given", r->error) : -1;
    for (size_t i = 0; i < rank; i++)
        extents[i] = answer.extents[i];
    ok = count >= 0 && fcl_host_make(r, memory, count ? answer.data : NULL, count, bytes);
    free(answer.data);
    return ok;
}

/* What a buffer holds, in memory that the caller frees; NULL with *error. */
static inline void *fcl_host_fetch(cl_command_queue queue, cl_mem buffer, const int64_t *extents,
                                   size_t rank, size_t bytes, fcl_host_error *error)
{
    for (size_t i = 0; i < rank; i++)
        bytes *= (size_t)extents[i];
    void *data = calloc(bytes ? bytes : 1, 1);
    if (!data)
        fcl_host_fail(error, 0, CL_OUT_OF_HOST_MEMORY, "memory ran out");
    if (!data || !bytes ||
        fcl_host_ok(error,
                    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
                    "clEnqueueReadBuffer"))
        return data;
    free(data);
    return NULL;
}

static inline void fcl_host_release(cl_mem *buffer)
{
    if (*buffer)
        clReleaseMemObject(*buffer);
    *buffer = NULL;
}

/* ---- runs ---- */

/* The next number of a loop; none is beyond the range of 64 bits. */
static inline int64_t fcl_host_next(int64_t i, int64_t by)
{
    return i > INT64_MAX - by ? INT64_MAX : i + by;
}

static inline bool fcl_host_goes_on(fcl_host_run *r, int64_t by)
{
    return by > 0 || fcl_host_fail(r->error, 620, CL_SUCCESS,
                                   "a loop of the launch plan has the step %" PRId64, by);
}

/* Gives back what the run holds; results and arguments are the caller's. */
static inline void fcl_host_end(fcl_host_run *r)
{
    for (size_t i = 0; i < r->nmemories; i++)
        fcl_host_free(r, i);
    fcl_host_drop_leaves(r);
}

#endif
