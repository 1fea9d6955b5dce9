/* A program around the functions of a NAME.h that `fclc compile --driver=c` makes:
 *
 *     NAME ENTRY OUTPUT ARGUMENT...
 *
 * on the first OpenCL device.  An argument is a number, or EXTENTS:FILE such as 3x4:matrix.bin for
 * the elements as they lie in memory, for each leaf of the parameters.  Leaf i of the result goes
 * to OUTPUT.i in that form.  What the entry hands out while it runs is printed at once, a line for each
 * leaf: "emit: TYPE EXTENTS = ELEMENTS". */
#ifndef FCL_HOST_MAIN_H
#define FCL_HOST_MAIN_H

#include "fcl_host.h"

#include <math.h>

typedef struct fcl_host_main {
    cl_context context;
    cl_command_queue queue;
    fcl_host_program *program;
    const char *output;
    unsigned given; /* answers so far */
    char **arguments;
    size_t narguments;
    fcl_host_error error;
} fcl_host_main;

typedef struct fcl_host_entry {
    const char *name;
    size_t arguments;
    bool (*run)(fcl_host_main *m);
} fcl_host_entry;

/* ---- arguments ---- */

static inline int64_t fcl_host_signed(const fcl_host_main *m, size_t i)
{
    return strtoll(m->arguments[i], NULL, 10);
}

static inline uint64_t fcl_host_unsigned(const fcl_host_main *m, size_t i)
{
    return strtoull(m->arguments[i], NULL, 10);
}

static inline double fcl_host_real(const fcl_host_main *m, size_t i)
{
    return strtod(m->arguments[i], NULL);
}

/* The bits of the f16 nearest to it, of two equally near ones the even one. */
static inline uint16_t fcl_host_half(const fcl_host_main *m, size_t i)
{
    double x = fcl_host_real(m, i);
    int exponent = 0;
    unsigned sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return 0x7e00;
    if (fabs(x) >= 65520)
        return (uint16_t)(sign | 0x7c00);
    frexp(x, &exponent);
    int quantum = x == 0 || exponent < -13 ? -24 : exponent - 11;
    unsigned units = (unsigned)rint(ldexp(fabs(x), -quantum));
    return (uint16_t)(sign | ((unsigned)(quantum + 24) * 1024 + units));
}

/* The elements, which the caller frees, with their extents; NULL with an error. */
static inline void *fcl_host_array(fcl_host_main *m, size_t i, int64_t *extents, size_t rank,
                                   size_t bytes)
{
    char *text = m->arguments[i];
    for (size_t k = 0; k < rank; k++, text += *text != 0) {
        extents[k] = strtoll(text, &text, 10);
        if (extents[k] < 0 || extents[k] > FCL_HOST_MOST_EXTENT)
            break;
        bytes *= (size_t)extents[k];
    }
    FILE *f = fopen(text, "rb");
    void *data = f ? calloc(bytes ? bytes : 1, 1) : NULL;
    bool ok = data && fread(data, 1, bytes, f) == bytes;
    if (f)
        fclose(f);
    if (ok)
        return data;
    free(data);
    fcl_host_fail(&m->error, 0, CL_SUCCESS, "argument %zu is no EXTENTS:FILE with its elements: %s",
                  i, m->arguments[i]);
    return NULL;
}

/* Writes a result and says what it is. */
static inline bool fcl_host_write(fcl_host_main *m, size_t i, const char *type, const void *data,
                                  const int64_t *extents, size_t rank, size_t bytes)
{
    char name[1024];
    snprintf(name, sizeof name, "%s.%zu", m->output, i);
    printf("%s: %s", name, type);
    for (size_t k = 0; k < rank; k++) {
        printf(" %" PRId64, extents[k]);
        bytes *= (size_t)extents[k];
    }
    printf("\n");
    FILE *f = fopen(name, "wb");
    bool ok = f && fwrite(data, 1, bytes, f) == bytes;
    ok = f && fclose(f) == 0 && ok;
    return ok || fcl_host_fail(&m->error, 0, CL_SUCCESS, "cannot write %s", name);
}

/* ---- what is handed out ---- */

/* The bits of an element, filled up with its sign where it has one. */
static inline int64_t fcl_host_bits(const char *type, size_t bytes, const void *at)
{
    uint64_t bits = 0;
    uint32_t four = 0;
    uint16_t two = 0;
    unsigned char one = 0;
    switch (bytes) {
    case 8: memcpy(&bits, at, 8); break;
    case 4: memcpy(&four, at, 4), bits = four; break;
    case 2: memcpy(&two, at, 2), bits = two; break;
    default: memcpy(&one, at, 1), bits = one; break;
    }
    uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return (int64_t)(*type == 'i' ? (bits ^ sign) - sign : bits);
}

static inline void fcl_host_print_element(const char *type, size_t bytes, const void *at)
{
    double d = 0;
    float f = 0;
    if (strcmp(type, "double") == 0) {
        memcpy(&d, at, sizeof d);
        printf(" %.17g", d);
    } else if (strcmp(type, "f32") == 0) {
        memcpy(&f, at, sizeof f);
        printf(" %.9g", (double)f);
    } else if (*type == 'i') {
        printf(" %" PRId64, fcl_host_bits(type, bytes, at));
    } else {
        printf(" %" PRIu64, (uint64_t)fcl_host_bits(type, bytes, at));
    }
}

static inline bool fcl_host_print(void *user, const fcl_host_leaf *leaves, size_t n,
                                  const char *show)
{
    (void)user;
    (void)show;
    for (size_t i = 0; i < n; i++) {
        size_t count = 1;
        printf("emit: %s", leaves[i].type);
        for (size_t k = 0; k < leaves[i].rank; k++) {
            printf(" %" PRId64, leaves[i].extents[k]);
            count *= (size_t)leaves[i].extents[k];
        }
        printf(" =");
        for (size_t k = 0; k < count; k++)
            fcl_host_print_element(leaves[i].type, leaves[i].bytes / count,
                                   (const char *)leaves[i].data + k * (leaves[i].bytes / count));
        printf("\n");
    }
    return fflush(stdout) == 0;
}

/* ---- what is asked for ---- */

/* Answer number i is in the file OUTPUT.give[i]: one element, or those of an array of one axis. */
static inline bool fcl_host_answer(void *user, const fcl_host_leaf *asked, size_t n, const char *show,
                                   fcl_host_leaf *answer)
{
    fcl_host_main *m = user;
    char name[1024];
    (void)asked, (void)n, (void)show;
    snprintf(name, sizeof name, "%s.give%u", m->output, m->given++);
    FILE *f = answer->rank > 1 ? NULL : fopen(name, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    answer->data = size >= 0 ? calloc((size_t)size + 8, 1) : NULL;
    bool ok = answer->data && fseek(f, 0, SEEK_SET) == 0 &&
              fread(answer->data, 1, (size_t)size, f) == (size_t)size;
    answer->extents[0] = size / (long)answer->bytes;
    if (f)
        fclose(f);
    return ok;
}

/* ---- the program ---- */

typedef fcl_host_program *fcl_host_opener(cl_context context, cl_device_id device,
                                          fcl_host_error *error);

static inline bool fcl_host_start(fcl_host_main *m, fcl_host_opener *open)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int status = clGetPlatformIDs(1, &platform, NULL);
    if (status == CL_SUCCESS)
        status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (status == CL_SUCCESS)
        m->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (status == CL_SUCCESS)
        m->queue = clCreateCommandQueue(m->context, device, 0, &status);
    if (!fcl_host_ok(&m->error, status, "opening an OpenCL device"))
        return false;
    m->program = open(m->context, device, &m->error);
    if (m->program) {
        m->program->emit = fcl_host_print;
        m->program->receive = fcl_host_answer;
        m->program->receive_user = m;
    }
    return m->program != NULL;
}

static inline void fcl_host_stop(fcl_host_main *m)
{
    fcl_host_close(m->program);
    if (m->queue) {
        clFinish(m->queue); /* releasing it does not wait for launches whose results nobody read */
        clReleaseCommandQueue(m->queue);
    }
    if (m->context)
        clReleaseContext(m->context);
}

static inline int fcl_host_main_of(int argc, char **argv, fcl_host_opener *open,
                                   const fcl_host_entry *entries, size_t n)
{
    fcl_host_main m = {.output = argc > 2 ? argv[2] : ""};
    size_t i = 0;
    while (i < n && (argc < 3 || strcmp(argv[1], entries[i].name) != 0))
        i++;
    if (i == n || (size_t)argc != 3 + entries[i].arguments) {
        fprintf(stderr, "usage: %s ENTRY OUTPUT ARGUMENT...\n", argv[0]);
        for (i = 0; i < n; i++)
            fprintf(stderr, "  %s takes %zu arguments\n", entries[i].name, entries[i].arguments);
        return 2;
    }
    m.arguments = argv + 3;
    m.narguments = entries[i].arguments;
    bool ok = fcl_host_start(&m, open) && entries[i].run(&m);
    if (!ok && m.error.code && *m.error.file)
        fprintf(stderr, "%s:%u:%u: ", m.error.file, m.error.line, m.error.column);
    if (!ok && m.error.code)
        fprintf(stderr, "error[E%04u]: %s\n", m.error.code, m.error.message);
    else if (!ok)
        fprintf(stderr, "error: %s\n", m.error.message);
    fcl_host_stop(&m);
    return ok ? 0 : 1;
}

#endif
