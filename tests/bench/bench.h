/* The benchmark: each kernel that libfcl makes, beside its peers in the same process, on the same
 * arrays.
 *
 * problems.c says what is computed and checks it; cases.txt says which FCL program with which
 * settings computes it; subject.c runs that, peers.c the hand-written kernels, measure.c takes both
 * in turns; report.c prints.  The program ends with a message when anything fails: nothing here
 * goes on with half of the figures. */
#ifndef FCL_TESTS_BENCH_H
#define FCL_TESTS_BENCH_H

#include "tests/bench/cores.h"
#include "tests/bench/problem.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

/* ---- the device ---- */

typedef struct machine {
    fcl_context *cx;
    fcl_device *fcl;
    cl_context context;
    cl_device_id id;
    cl_command_queue queue; /* of all: in order, profiled */
    const char *kind;       /* in cases.txt: cpu, gpu, cores */
    const char *via;        /* the target to compile for; NULL: what the device takes first */
    bool is_gpu, is_nvidia;
    bool is_cores;   /* the device cpu: there is no OpenCL, times are the host's */
    bool wide_peers; /* the hand-written kernels are those for GPUs */
    size_t units, max_block;
    char name[MAX_TEXT];
    fcl_buffer *scratch; /* written between runs, so that nothing lies in a GPU's cache; NULL: not
                            on CPUs */
    const char *folder;  /* of the benchmark's files */
} machine;

void machine_open(machine *m, const char *device, const char *folder);
void machine_close(machine *m);
void must_cl(cl_int error, const char *call);
void must_fcl(machine *m, bool ok, const char *what); /* prints libfcl's diagnostics */
cl_mem memory_of(const fcl_buffer *b);

/* Inputs, on the host and on the device. */
void instance_make(machine *m, instance *i, const problem *p, uint64_t n, uint64_t seed);
void instance_free(instance *i);

/* ---- cases: which FCL program for a problem ---- */

typedef struct test_case {
    char problem[MAX_TEXT], file[MAX_TEXT], entry[MAX_TEXT];
    char args[MAX_TEXT],
        set[MAX_TEXT]; /* names of inputs and literals; names of settings with values: by commas */
    char target[MAX_TEXT]; /* hand>=1.0 and the like, by commas */
    char absent[MAX_TEXT]; /* why there is no program; "": there is one */
    uint64_t n;            /* 0: the size is the run's */
    char row[MAX_TEXT],
        column[MAX_TEXT]; /* of a sweep's table: what stands for the first and the second braces */
    unsigned line;        /* of the file */
} test_case;

typedef struct case_list {
    test_case *at;
    size_t count;
} case_list;

/* Reads a file of cases; those of other kinds of device are left out. */
case_list cases_read(const char *path, const char *kind);
/* The case of a problem, the last one that fits; NULL: there is none. */
const test_case *case_of(const case_list *l, const char *name);

/* ---- what is measured ---- */

/* An FCL program with its arguments. */
typedef struct subject {
    machine *m;
    const instance *i;
    fcl_module *module;
    fcl_program *program;
    fcl_argument *args;
    uint64_t *literals;
    size_t nargs, nresults;
    fcl_buffer *results[MAX_OUTPUTS];
} subject;

/* False with the reason printed when libfcl refuses it. */
bool subject_open(machine *m, subject *s, const test_case *c, const instance *i);
/* One run; milliseconds, from the start of its first kernel to the end of its last.  Negative:
 * failed, and printed. */
double subject_run(subject *s);
/* Checks the results of a run into memory that held other values before. */
bool subject_check(subject *s, char why[MAX_TEXT]);
void subject_close(subject *s);

enum { MAX_EVENTS = 64, MAX_KERNELS = 4, MAX_TEMPS = 2 };

/* A hand-written program of peers/: its state over runs. */
typedef struct peer {
    machine *m;
    const instance *i;
    cl_program program;
    struct {
        const char *name;
        cl_kernel kernel;
    } kernels[MAX_KERNELS];
    fcl_buffer *out[MAX_OUTPUTS], *temp[MAX_TEMPS];
    void (*run)(struct peer *p);
    cores_kernel *cores; /* instead, on the device cpu */
    cl_event events[MAX_EVENTS];
    unsigned nevents;
} peer;

/* The hand-written kernel for this kind of device; false when there is none. */
bool peer_open(machine *m, peer *p, const instance *i);
double peer_run(peer *p);
bool peer_check(peer *p, char why[MAX_TEXT]);
void peer_close(peer *p);

/* clEnqueueCopyBuffer, or a copy by all cores, of the given traffic (half read, half written). */
typedef struct copier {
    machine *m;
    fcl_buffer *from, *to;
    size_t bytes;
} copier;

void copier_open(machine *m, copier *c, double traffic);
double copier_run(copier *c);
void copier_close(copier *c);

/* Milliseconds from the start of the first event to the end of the last; releases them. */
double take_span(cl_event *events, unsigned n);
double host_milliseconds(void);
/* Overwrites what a cache may hold. */
void flush_cache(machine *m);

/* ---- results ---- */

typedef struct result {
    const problem *what;
    const test_case *how;
    extents e;
    double fcl, hand, copy, vendor; /* milliseconds, medians; 0: not measured */
    char vendor_name[MAX_TEXT];
    char failure[MAX_TEXT]; /* "": checked and right */
} result;

/* Takes all contenders in turns. */
void measure(machine *m, result *r, const test_case *c, uint64_t n, uint64_t seed, unsigned runs);
/* Milliseconds of the FCL program alone; 0 when it is refused or wrong, with the reason in why. */
double measure_alone(machine *m, const test_case *c, const instance *i, unsigned runs,
                     char why[MAX_TEXT]);

/* Figures of other programs (lines of JSON: "name", "n", "ms", "by"); NULL path: none. */
void vendor_read(const char *path);
void vendor_find(result *r);

typedef struct report_header {
    const char *device;
    uint64_t seed;
    unsigned runs;
    const char *command;
} report_header;

void report_line(const result *r);
bool report_table(const result *r, size_t n); /* false: a result was wrong */
void report_json(const char *path, const report_header *h, const result *r, size_t n);

/* Runs every line of a file of cases with braces, and prints a table for each. */
void sweep(machine *m, const char *path, uint64_t n, uint64_t seed, unsigned runs);

#endif
