/* The passes as the library has them: one table (passes.def), the way through it (pipeline.def),
 * lists of steps, and the manager that runs them.
 *
 * A program on its way has properties; a pass requires some, establishes some and breaks some.  The
 * manager refuses a pass whose requirements do not hold, and lets the verifier see what `lower` and
 * every kernel pass have made. */
#ifndef FCL_LIBFCL_PASSES_H
#define FCL_LIBFCL_PASSES_H

#include "backends/backend.h"
#include "backends/run/run.h"
#include "ir/kernel/verify.h"
#include "libfcl/face.h"

/* Bits of what holds. */
enum {
#define PROPERTY(id, name, meaning) id##_NUMBER,
#include "libfcl/passes/passes.def"
#undef PROPERTY
    PROPERTY_COUNT
};
enum {
#define PROPERTY(id, name, meaning) id = 1u << id##_NUMBER,
#include "libfcl/passes/passes.def"
#undef PROPERTY
};

typedef struct pass_info {
    fcl_pass about;
    union { /* by about.kind; the manager itself lowers and emits */
        bool (*CORE)(fcl_module *m, const fcl_compile_options *o);
        bool (*KERNEL)(k_program *p);
        bool (*LOWERING)(void), (*EMISSION)(void);
    } run;
    const fcl_kernel_pass *plugin; /* a kernel pass of a user, which runs in place of that; NULL */
    const fcl_core_pass *core;     /* a core pass of a user, likewise */
    const fcl_pass_option *options; /* of a pass of a user: so many, each of that size */
    size_t noptions, option_size;
} pass_info;

/* The pass of that name which works on a program of that kind (CORE: or lowers one); NULL when
 * there is none.  n: how many characters the name has. */
const pass_info *pass_named(const fcl_context *cx, const char *name, size_t n, fcl_pass_kind kind);
/* Pass i: of the table, and behind that those that users have registered with the context (NULL:
 * none); NULL beyond. */
const pass_info *pass_at(const fcl_context *cx, size_t i);
/* Kernel pass i of the way from a module to code; NULL beyond; and how many there are. */
const pass_info *pipeline_kernel(size_t i);
uint32_t pipeline_kernel_count(void);

/* A step of a list: a pass with what its options say, nothing elsewhere. */
typedef struct pass_step {
    const pass_info *pass;
    fcl_compile_options options;
    str_id own;              /* what is given to a pass of a user: NAME=VALUE,...; 0: nothing */
    str_id text;             /* the pass with its options, as written */
    uint32_t offset, length; /* of its name, in the list */
} pass_step;

/* Option k of a pass; false beyond the last. */
bool pass_option_at(const pass_info *pass, size_t k, fcl_pass_option *out);
/* Whether the numbers of the options lie where passes.def says; reports the first that does not. */
bool pass_options_fit(fcl_context *cx, const fcl_compile_options *o);
/* Sets the option of that name of a step's pass; false when there is none, or (*known) its value is
 * bad. */
bool pass_option_set(fcl_context *cx, pass_step *step, const char *name, const char *value,
                     bool *known);

typedef struct pass_list {
    VEC(pass_step) steps;
    const char *text; /* what was read; NULL: the default pipeline */
} pass_list;

/* Reads a list that begins with a module (or, from_kernel, with kernel programs).  False with
 * diagnostics; out->steps is freed by the caller either way. */
bool pass_list_read(fcl_context *cx, const char *text, bool from_kernel, pass_list *out);
/* Whether there are the kernel passes that the options name; reports one that is not. */
bool pass_list_known(fcl_context *cx, const fcl_compile_options *o);
/* The steps of the default pipeline, without the optional ones that the options do not want.  False
 * with diagnostics. */
bool pass_list_default(fcl_context *cx, const fcl_compile_options *o, pass_list *out);
/* Whether each step may follow those before it, given what holds before the first; reports. */
bool pass_list_allowed(fcl_context *cx, const pass_list *list, unsigned holds);
/* Whether what the pass requires is among what holds; reports, at the place given. */
bool pass_allowed(fcl_context *cx, const fcl_pass *pass, unsigned holds, location at);
/* What holds after a pass. */
unsigned pass_holds(const fcl_pass *pass, unsigned holds);

/* What one call that runs passes goes by. */
typedef struct manager {
    fcl_context *cx;
    const fcl_compile_options *o; /* never NULL */
    const run_caps *device;       /* what code is for; NULL: no device */
    uint32_t most_block;          /* threads in a block, where o leaves that open; 0: any number */
    unsigned number;              /* runs of passes so far */
} manager;

/* Kernel programs, all with the same properties. */
struct fcl_kernels {
    fcl_context *cx;
    VEC(k_program) programs;
    unsigned holds;
};

fcl_kernels *kernels_new(fcl_context *cx); /* empty; NULL when memory is short */
/* The stage of a program of which that holds. */
k_stage kernels_stage(unsigned holds);

/* The properties that hold of a module. */
unsigned manager_holds(const fcl_module *m);
bool manager_run_core(manager *g, fcl_module *m, const pass_step *step);
/* Makes *p, which must be released either way, from kernel f and the options of the step. */
bool manager_lower(manager *g, fcl_module *m, ir_func f, const pass_step *step, k_program *p);
/* Runs those steps of the list that are kernel passes.  *holds changes with each. */
bool manager_run_kernel(manager *g, k_program *p, const pass_list *list, unsigned *holds);
/* Lowers kernel f and runs the kernel passes of a list that lowers; *p must be released either way.
 */
bool manager_entry(manager *g, fcl_module *m, ir_func f, const pass_list *list, unsigned *holds,
                   k_program *p);
/* Runs a list that begins with a module.  *kernels, NULL before, gets what it makes. */
bool manager_run(manager *g, fcl_module *m, const pass_list *list, fcl_kernels **kernels);
/* Emits what is legalised, and refuses the rest; what does not fit the target is refused too. */
bool manager_emit(manager *g, const fcl_backend *b, const fcl_kernels *k, fcl_emission *out);

/* ---- schedule.c ---- */
/* The decisions that the options say are not made, as bits; o NULL: none.  False, reporting a name that is not known. */
bool pass_decisions(fcl_context *cx, const fcl_compile_options *o, unsigned *without);
/* The pass of that name; o NULL: as usual. */
bool run_schedule(fcl_module *m, const fcl_compile_options *o);
/* A rule of it, or two, each a pass of that name: the module stays without levels. */
bool run_fuse(fcl_module *m, const fcl_compile_options *o);
bool run_irwim(fcl_module *m, const fcl_compile_options *o);
bool run_keys(fcl_module *m, const fcl_compile_options *o);
bool run_fission(fcl_module *m, const fcl_compile_options *o);
bool run_interchange(fcl_module *m, const fcl_compile_options *o);
/* Whether the pass schedule has chosen the levels, now or before the module was printed: it imports the skeletons then. */
bool module_has_skeletons(const fcl_module *m);
/* The module that is lowered in the place of m: m itself, or a copy that has gone through the pass
 * schedule, where m has kernels without a schedule and the options do not say no.  NULL, with
 * diagnostics, when m is refused; else module_lowered follows. */
fcl_module *module_to_lower(fcl_module *m, const fcl_compile_options *o);
void module_lowered(fcl_module *m, fcl_module *made);

#endif
