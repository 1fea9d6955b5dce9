/* libfcl: from programs in the FCL core to GPU kernels, launch plans and results.
 *
 * The way through: make a context; load a module from text, or build one; check it; compile an
 * entry point for a target and read the artifact, or run it on a device.  Every failure is a
 * diagnostic in the context: the library never prints, exits or aborts, and running out of memory
 * is a failure like any other.  No global state: two contexts may work in two threads at once; one
 * context may not.
 *
 * Ownership: create, load, open, compile and print return objects that the caller destroys; `get`
 * functions and accessors return borrowed pointers that live as long as the object they were asked
 * of, and borrowed texts of modules, diagnostics and devices live as long as the context, or until
 * fcl_context_forget.  Objects are destroyed before their context.
 *
 * NULL: destroying it does nothing, and any other call on an object that is NULL fails without a
 * diagnostic, since the call that did not make the object had one.  A text, an array that has
 * elements, or room for what is given back may be NULL only where it says so; else the call fails,
 * with a diagnostic (E0850 where it builds, E0864 elsewhere) unless it is one that reports nothing.
 * Objects of two contexts do not go together: E0864.
 *
 * Ids (fcl_type, fcl_value, ...) belong to one module, which refuses those of another one and of
 * another kind; 0 means none, and is what a failed builder call returns: builder errors are sticky,
 * so a caller may build on and ask once at the end.
 *
 * Structures grow from version to version, at their ends.  One that callers fill begins with its
 * `size`, sizeof as the caller knows it; 0 stands for the fields of its first version.  Functions
 * that fill one take its size behind it.  What one side does not know is 0.  Elements of arrays
 * (fcl_array, fcl_argument), and fcl_subject, never change.
 *
 * "The paper" is M. Dybdal, M. Elsman, B. J. Svensson, M. Sheeran: Low-Level Functional GPU
 * Programming for Parallel Algorithms, FHPC 2016; rule numbers are its own. */
#ifndef FCL_H
#define FCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* FCL_DEPRECATED(what to call instead) stands before what a later major version will not have. */
#if defined(__GNUC__)
#define FCL_API                   __attribute__((visibility("default")))
#define FCL_DEPRECATED(otherwise) __attribute__((deprecated(otherwise)))
#else
#define FCL_API
#define FCL_DEPRECATED(otherwise)
#endif

#define FCL_VERSION_MAJOR 0
#define FCL_VERSION_MINOR 1
#define FCL_VERSION_PATCH 0

/* The library's version, "0.1.0": of the library that runs, where the macros tell of the header. */
FCL_API const char *fcl_version(void);

typedef struct fcl_context fcl_context;
typedef struct fcl_module fcl_module;
typedef struct fcl_artifact fcl_artifact;
typedef struct fcl_device fcl_device;
typedef struct fcl_program fcl_program;
typedef struct fcl_buffer fcl_buffer;
typedef struct fcl_job fcl_job;

/* ---- contexts ---- */

/* One function allocates (ptr NULL), resizes and frees (new_size 0; returns NULL).  Sizes are
 * bytes; old_size is what ptr was given.  NULL when memory is short: ptr is still valid then. */
typedef void *fcl_realloc_fn(void *user, void *ptr, size_t old_size, size_t new_size);

/* A context, which owns strings, sources and diagnostics, and through whose allocator all memory
 * comes.  alloc NULL stands for the C library's; `user` is handed to it.  NULL when memory is
 * short. */
FCL_API fcl_context *fcl_context_create(fcl_realloc_fn *alloc, void *user);
/* Modules, artifacts, devices, programs, buffers and results of the context are gone before. */
FCL_API void fcl_context_destroy(fcl_context *cx);
/* Forgets what was: all diagnostics, what fcl_source_add gave, and every name and text that the
 * context has read or made, so that borrowed texts of the context, those of its devices as well,
 * are void.  Devices, buffers, jobs, limits and settings stay.  False, and nothing changes, while
 * the context has a module, kernel programs, an artifact or a program, whose names are such texts.
 * What is destroyed gives back its memory anyway, names and texts of diagnostics apart: who works on
 * inputs of strangers without end calls this now and then, so that these do not add up.  Who keeps
 * programs meanwhile reads those inputs in another context. */
FCL_API bool fcl_context_forget(fcl_context *cx);
/* Ends what runs in the context, soon and with the diagnostic E0910: on "interp" before the next
 * element or turn of a loop, on a device before the next launch of the plan, in compiling between
 * two passes.  Where nothing runs, what runs next ends at once, unless fcl_cancel_clear comes
 * before.  Both may be called from any thread while the context is there, and from signal
 * handlers. */
FCL_API void fcl_cancel(fcl_context *cx);
FCL_API void fcl_cancel_clear(fcl_context *cx);

/* ---- limits ---- */

/* What an input may ask for at most, so that no input costs more than its caller is willing to pay:
 * to exceed one is a diagnostic (E0901 for memory, E0902 for depths, E0903 for kernel nodes,
 * E0904 for copies, E0911 for steps). */
typedef enum fcl_limit {
    FCL_LIMIT_REGION_DEPTH, /* nesting of regions, in a text or through the builder */
    FCL_LIMIT_TYPE_DEPTH,   /* nesting of types */
    FCL_LIMIT_CALL_DEPTH,   /* nesting of calls and of deferred elements, while evaluating or
                               compiling */
    FCL_LIMIT_KERNEL_NODES, /* nodes of kernel IR that compiling one kernel may create */
    FCL_LIMIT_ERRORS,       /* diagnostics kept; later ones are only counted */
    FCL_LIMIT_MEMORY, /* bytes that the context and all that belongs to it may hold at the same
                         time; memory of devices and of their drivers is not counted */
    FCL_LIMIT_STEPS,  /* regions that one run on "interp" may evaluate: elements, turns of loops,
                         calls; on a device, steps of the launch plan */
    FCL_LIMIT_COPIES, /* times that one function or element is copied while one kernel is
                         compiled */
    FCL_LIMIT_REMARKS /* remarks kept; later ones are left out */
} fcl_limit;

/* About one limit; static texts. */
typedef struct fcl_limit_info {
    const char *name,
        *summary; /* "region-depth", as the programs' option --limit knows it; a line about it */
    size_t initial, most; /* its value in a new context; the largest it can be set to */
} fcl_limit_info;

/* Limit i, counted as in fcl_limit; false beyond the last. */
FCL_API bool fcl_limit_about(size_t i, fcl_limit_info *out, size_t size);
FCL_API size_t fcl_limit_get(const fcl_context *cx, fcl_limit limit);
/* For what the context does from now on.  False, and nothing changes, for 0, for more than the
 * limit's `most` and for an unknown limit; no diagnostic. */
FCL_API bool fcl_limit_set(fcl_context *cx, fcl_limit limit, size_t value);

/* ---- diagnostics ---- */

typedef enum { FCL_ERROR = 1, FCL_WARNING, FCL_NOTE, FCL_REMARK } fcl_severity;

/* A diagnostic.  Its texts are borrowed from the context. */
typedef struct fcl_diagnostic {
    fcl_severity severity;
    unsigned code; /* E0203 is 203, W1101 is 1101; a number means the same in every version */
    const char
        *file; /* as given to load, fcl_at or a loc(...) in the text; "" where there is none */
    unsigned line, column, length; /* from 1, in bytes; 0 where there is none; length: what the
                                      caret covers. Texts, and SARIF, count characters */
    const char *message;
    const char *hint; /* what to do; "" when the message says it */
    size_t notes;     /* how many fcl_diagnostic_note gives */
    const char *name; /* the code that a front end gave by name, "APL012"; "": users see letter and
                         number, E0203 */
} fcl_diagnostic;

/* Which warnings are reported: those that are surely mistakes, all, or none. */
typedef enum fcl_warnings {
    FCL_WARNINGS_DEFAULT,
    FCL_WARNINGS_ALL,
    FCL_WARNINGS_NONE
} fcl_warnings;

/* For what the context does from now on: warnings are about FCL source and about artifacts that run
 * on a driver with faults.  With `errors`
 * they are errors, and what they are about is refused. */
FCL_API void fcl_warnings_set(fcl_context *cx, fcl_warnings which, bool errors);
/* Whether passes tell from now on what they decide, and why: for each decision a diagnostic of
 * FCL_REMARK, at the operation that it is about, among the others.  Nothing is refused by one.  Off
 * at first: whoever compiles wants none. */
FCL_API void fcl_remarks_set(fcl_context *cx, bool wanted);
/* How users write a code: E before the number, W before that of a warning (1100 to 1199, and 2500
 * to 2999 of front ends), R before that of a remark (1200 to 1299). */
FCL_API char fcl_diagnostic_letter(unsigned code);

/* Diagnostics since the context was made or cleared, in the order in which they were reported.  The
 * first FCL_LIMIT_ERRORS errors, as many warnings and FCL_LIMIT_REMARKS remarks are kept. */
FCL_API size_t fcl_diagnostic_count(const fcl_context *cx);
/* How many errors were only counted, because the limit on errors was reached. */
FCL_API size_t fcl_diagnostics_beyond(const fcl_context *cx);
/* Diagnostic i; false when there is none. */
FCL_API bool fcl_diagnostic_get(const fcl_context *cx, size_t i, fcl_diagnostic *out, size_t size);
/* Note k of diagnostic i, such as where something was declared; false when there is none. */
FCL_API bool fcl_diagnostic_note(const fcl_context *cx, size_t i, size_t k, fcl_diagnostic *out,
                                 size_t size);
/* Diagnostic i as a user reads it: FILE:LINE:COL: error[E0203]: message, the source line with a
 * caret, notes and hint, each line ended.  Borrowed; "" when there is none. */
FCL_API const char *fcl_diagnostic_text(fcl_context *cx, size_t i);
/* The `size` bytes of a line as fcl_diagnostic_text shows them, with a caret below the `length`
 * bytes from offset `at` on, like a text of fcl_module_print; *column: its column in characters,
 * from 1.  NULL when memory is short. */
FCL_API char *fcl_caret(fcl_context *cx, const char *line, size_t size, size_t at, size_t length,
                        unsigned *column, size_t *text_size);
/* Forgets all diagnostics; texts that were got from them stay valid until fcl_context_forget. */
FCL_API void fcl_diagnostics_clear(fcl_context *cx);
/* Gives the text of a file (`size` bytes, copied) that positions name, such as a front end's
 * source, so that diagnostics show the line with a caret.  False, and no diagnostic, when memory is
 * short. */
FCL_API bool fcl_source_add(fcl_context *cx, const char *name, const char *text, size_t size);
/* Whether the text of that file is there: given, or loaded. */
FCL_API bool fcl_source_known(const fcl_context *cx, const char *name);
/* What a code means, in a sentence; NULL for an unknown one.  Static. */
FCL_API const char *fcl_diagnostic_explain(unsigned code);

/* A note behind a diagnostic of a front end; file NULL, or line 0: nowhere. */
typedef struct fcl_finding_note {
    const char *message;
    const char *file;
    unsigned line, column, length;
} fcl_finding_note;

/* What a front end, a pass or another tool has to say of its own. */
typedef struct fcl_finding {
    size_t size;           /* of the structure */
    fcl_severity severity; /* FCL_ERROR or FCL_WARNING */
    unsigned code;    /* of errors 2000 to 2499, of warnings 2500 to 2999, those from 2750 on only
                         when all are wanted; 0: 2000 or 2500 */
    const char *name; /* what users see in place of E2000: letters, digits and - _ . of ASCII, 31 at
                         most; NULL: letter and number */
    const char
        *file; /* NULL or "": nowhere; the text of the file (fcl_source_add) gives the caret */
    unsigned line, column, length; /* as in fcl_diagnostic; 0 where it is not known */
    const char *message;
    const char *hint; /* what to do; NULL: none */
    const fcl_finding_note *notes;
    size_t nnotes;
} fcl_finding;

/* Reports it as the library's own diagnostics are: into the same list, under the same limits and
 * rules for warnings, for the same accessors.  All texts are copied; each is cut after 1023 bytes.
 * False, and nothing is reported, when the structure is not as described here; false with a
 * diagnostic when memory is short. */
FCL_API bool fcl_report(fcl_context *cx, const fcl_finding *f);

/* ---- modules ---- */

/* Finds the text of an imported module; returns false when there is none.  *text (*size bytes)
 * stays valid until the load returns. */
typedef bool fcl_import_fn(void *user, const char *name, const char **text, size_t *size);

/* What a text is, where its name does not tell.  Binary files are known by how they begin. */
typedef enum {
    FCL_LANG_BY_NAME, /* FCL source if the name ends in ".fcl" and it does not begin with `fcl 0.1`,
                         TAIL if it ends in ".tail", else the core */
    FCL_LANG_FCL,     /* FCL source */
    FCL_LANG_CORE,    /* the text form of the core */
    FCL_LANG_TAIL     /* TAIL, docs/tail.md */
} fcl_lang;

typedef struct fcl_load_options {
    size_t size;           /* of the structure */
    fcl_import_fn *import; /* asked first; NULL, or where it returns false: only "prelude" and
                              "prelude.scan", "prelude.compact", "prelude.segments"
                              are known */
    void *import_user;     /* handed to it */
    const char *entry; /* FCL source: the declaration that becomes the kernel; NULL: main, else the
                          last one */
    fcl_lang lang;     /* of the text */
} fcl_load_options;

/* An empty module to build into; NULL when memory is short. */
FCL_API fcl_module *fcl_module_create(fcl_context *cx);
/* Reads a module (`size` bytes, copied).  `name` is what diagnostics call it; unless the options
 * say it, where the name ends in ".fcl" and the text does not begin with `fcl 0.1`, the text is FCL
 * source; where it ends in ".tail" it is TAIL, whose files the import function finds by the names
 * that the program has; else the text form of the core; what begins like a binary file is one, whatever its name.
 * FCL source asks the import
 * function for "prelude.fcl", which replaces the built-in one, and for the files that the program
 * reads.  The result is not checked yet.  NULL when it has errors: all that reading can find are
 * reported.  `options` may be NULL. */
FCL_API fcl_module *fcl_module_load(fcl_context *cx, const char *name, const void *data,
                                    size_t size, const fcl_load_options *options);
FCL_API void fcl_module_destroy(fcl_module *m);
/* The context that it belongs to. */
FCL_API fcl_context *fcl_module_context(const fcl_module *m);

/* Structure, kinds, types and levels (section 5.1 of the paper, rules 1 to 30), with every error of
 * the module reported. Fills in what was left to inference.  True when there is no error; checking
 * an unchanged module again costs nothing. */
FCL_API bool fcl_module_check(fcl_module *m);
/* The whole of `fclc check`: fcl_module_check, and a trial lowering of every kernel that hands
 * nothing out, which finds what depends on how functions are composed: a while that grows, a size that
 * no launch can know, a force in divergent code. */
FCL_API bool fcl_module_check_kernels(fcl_module *m);

/* The module in the text form, without its imported functions: NUL-terminated, *size bytes without
 * the NUL, freed with fcl_free.  Reading it gives the same module.  Types are written out once the
 * module is checked.  NULL when memory is short or the module is broken (see fcl_built). */
FCL_API char *fcl_module_print(fcl_module *m, size_t *size);
/* The same as a text of a version of the format (major * 100 + minor; 0: the oldest that has all of
 * it), which it states in its first line.  NULL with diagnostics where the module does not fit that
 * version. */
FCL_API char *fcl_module_print_as(fcl_module *m, unsigned version, size_t *size);
/* The module in the binary form, *size bytes, freed with fcl_free.  Reading it gives the same
 * module, names and places of fcl_at or loc(...) included, and the same module gives the same
 * bytes.  version: that of the format, as major * 100 + minor; 0: the oldest that has all of it.
 * NULL with diagnostics where the module does not fit that version, is not valid (what
 * fcl_module_check finds first), or memory is short. */
FCL_API char *fcl_module_write(fcl_module *m, unsigned version, size_t *size);
/* Whether everything in the module came with that version of the format or before; reports what did
 * not, each at its place.  0: the newest, which has everything. */
FCL_API bool fcl_module_fits(fcl_module *m, unsigned version);
/* SHA-256 of what the module means: of its functions and those of its imports that they call,
 * with types, code and what must be understood of them.  So the same hash means the same code,
 * also where a later library has other functions in its prelude.  Names of values, positions,
 * attributes, hints and unknown sections have no part in it; types that were left to inference do
 * once the module is checked.  docs/format.md, "Hash", says what is hashed, and what was before
 * version 0.4 of the format. */
FCL_API bool fcl_module_hash(fcl_module *m, unsigned char digest[32]);
/* The signatures that were inferred for the declarations of FCL source, a line `sig NAME : TYPE`
 * each, like a text of fcl_module_print; NULL for other modules. */
FCL_API char *fcl_module_signatures(fcl_module *m, size_t *size);
/* Frees such a text; size is what came with it. */
FCL_API void fcl_free(fcl_context *cx, char *text, size_t size);
/* Memory that counts as the context's, for front ends and passes: `size` bytes, undefined.  NULL
 * for 0 bytes, and with a diagnostic when memory is short or FCL_LIMIT_MEMORY exceeded.  fcl_deallocate takes it
 * back, with the same size, before the context is destroyed; NULL is nothing to it. */
FCL_API void *fcl_allocate(fcl_context *cx, size_t size);
FCL_API void fcl_deallocate(fcl_context *cx, void *at, size_t size);

/* Kernels (entry points) in file order, imported ones left out.  The name is without @; NULL when
 * there is no kernel i.
 */
FCL_API size_t fcl_kernel_count(const fcl_module *m);
FCL_API const char *fcl_kernel_name(const fcl_module *m, size_t i);

/* ---- passes ---- */

/* What a pass works on. */
typedef enum fcl_pass_kind {
    FCL_PASS_CORE,     /* a module */
    FCL_PASS_LOWERING, /* `lower` alone: from a module to kernel programs, one for each entry */
    FCL_PASS_KERNEL,   /* a kernel program */
    FCL_PASS_EMISSION  /* `emit` alone: from kernel programs to an artifact; not for lists */
} fcl_pass_kind;

/* The field `requires` of fcl_pass: a word of C++ since 2020, and called requires_ there. */
#if defined(__cpp_concepts)
#define FCL_REQUIRES requires_
#else
#define FCL_REQUIRES requires
#endif

/* About one pass; static texts.  A core pass and a kernel pass may have one name. */
typedef struct fcl_pass {
    const char *name, *summary;
    fcl_pass_kind kind;
    bool needed;          /* no way to code may leave it out */
    unsigned FCL_REQUIRES; /* bit i: property i must hold before it, or it is refused (E0861) */
    unsigned establishes; /* property i holds after it */
    unsigned breaks;      /* property i need not hold after it; all others are kept */
} fcl_pass;

/* About one option of a pass; static texts. */
typedef struct fcl_pass_option {
    const char *name, *summary;
    bool is_number; /* else a word, for which the three below mean nothing */
    size_t initial; /* what stands for leaving it out; 0: nothing, or as the program needs */
    size_t least, most;
    const char *word;    /* of a word: what stands for leaving it out; NULL: nothing */
    const char *choices; /* of a word: what it may be, with commas between them; NULL: any word */
} fcl_pass_option;

/* Pass i of all there are; false beyond the last. */
FCL_API bool fcl_pass_get(size_t i, fcl_pass *out, size_t size);
/* Option k of pass i; false when there is none. */
FCL_API bool fcl_pass_option_get(size_t i, size_t k, fcl_pass_option *out, size_t size);
/* The name of property i, what it means (NULL is allowed); NULL beyond the last. */
FCL_API const char *fcl_pass_property(size_t i, const char **meaning);
/* Step i of the way from a module to code that fcl_compile goes, and why it stands there (NULL is
 * allowed); NULL beyond the last. */
FCL_API const char *fcl_pipeline_step(size_t i, const char **why);

/* One pass about to run, or done, over one program.  Texts live as long as the call to which the
 * event is handed. */
typedef struct fcl_pass_event {
    const fcl_pass *pass;
    const char *step;     /* the pass with its options, as in a list: "unroll(Unroll=64)" */
    const char *entry;    /* of a kernel program: the kernel it is made from; else "" */
    unsigned number;      /* counts the runs of passes of one call, from 1 */
    bool ok;              /* after: it succeeded, and the verifier too */
    uint64_t nanoseconds; /* after: what the pass took */
    uint64_t verified;    /* after: what verifying its result took, in nanoseconds */
    const void *program;  /* for fcl_pass_event_print */
} fcl_pass_event;

/* Called around every pass that runs: those whose program is found on disk (fcl_cache_set) do not, unless there is a
 * `before`.  They may read the event and print its program; nothing else may be
 * done with module, kernel programs and context meanwhile.  Either may be NULL. */
typedef struct fcl_pass_observer {
    size_t size;                                         /* of the structure */
    bool (*before)(void *user, const fcl_pass_event *e); /* false: leave it out, unless needed */
    void (*after)(void *user, const fcl_pass_event *e);
    void *user;
} fcl_pass_observer;

/* The program of an event as text: of the core, or of the kernel IR.  Made when asked for;
 * NUL-terminated, *size bytes without the NUL, freed with fcl_free.  NULL when memory is short, and
 * before the run of `lower` or after one that failed where there is no kernel program. */
FCL_API char *fcl_pass_event_print(const fcl_pass_event *e, size_t *size);

/* ---- building ----
 *
 * Calls that make something return its id, and 0 when they fail.  The first failing call reports a
 * diagnostic at the position given with fcl_at and breaks the module; every later call fails
 * silently, and so does everything else that is asked of the module.  What calls check is that ids
 * exist, that operators get as many operands as they take, and that regions are filled in order;
 * scopes, types and levels are checked by fcl_module_check.  Names are made of letters, digits and
 * _ . $ ' #, and are copied. */

typedef uint32_t fcl_type, fcl_level, fcl_value, fcl_func, fcl_region, fcl_tvar;

/* Wire numbers of the scalar types.  In the text FCL_I32 is int and FCL_F64 is double. */
typedef enum fcl_scalar {
    FCL_BOOL = 1,
    FCL_I8,
    FCL_I16,
    FCL_I32,
    FCL_I64,
    FCL_U8,
    FCL_U16,
    FCL_U32,
    FCL_U64,
    FCL_F32,
    FCL_F64,
    FCL_F16,       /* since version 0.2 of the formats */
    FCL_SCALAR_END /* one more than the greatest number; it grows */
} fcl_scalar;

typedef struct fcl_scalar_facts {
    const char *name, *alias; /* in types and after literals; alias "": none */
    char kind;                /* as NumPy names it: b bool, i and u integers, f floats */
    unsigned bytes;
    unsigned precision; /* of floats: bits of the significand, the hidden one included */
} fcl_scalar_facts;

/* NULL when there is no such type. */
FCL_API const fcl_scalar_facts *fcl_scalar_get(fcl_scalar s);
/* By name or alias; 0 when there is none. */
FCL_API fcl_scalar fcl_scalar_named(const char *name, size_t n);
/* A float in memory, of any of the float types, and the nearest one to a number: C may have no name
 * for the type. */
FCL_API double fcl_float_read(fcl_scalar s, const void *at);
FCL_API void fcl_float_write(fcl_scalar s, double x, void *at);
/* The float of that type nearest to a decimal such as 12 or 1.5e-3 (n characters, no sign), in any
 * locale and rounded once, which by way of a double would be twice.  False where it lies beyond the
 * type's range, or is no decimal. */
FCL_API bool fcl_float_parse(fcl_scalar s, const char *text, size_t n, void *at);

/* The levels of the hierarchy, from a single thread up: Z, 1+Z, 1+1+Z, 1+1+1+Z. */
typedef enum { FCL_THREAD, FCL_WARP, FCL_BLOCK, FCL_GRID } fcl_height;
/* Kinds of type variables (rules 1 to 11): scalars and tuples of them, no functions inside,
 * anything.  FCL_KIND_INFER: the weakest that the function's body allows.
 * Those from FCL_BOUND_SCALAR on are bounds: the scalar types of a class, whose operators work on a
 * variable of that kind.  They stand with type parameters of functions only. */
typedef enum {
    FCL_KIND_INFER = 0,
    FCL_BT,
    FCL_GT,
    FCL_TYP,
    FCL_BOUND_SCALAR = 5, /* eq, ne, select, convert */
    FCL_BOUND_ORD,        /* and lt, le, gt, ge, min, max */
    FCL_BOUND_NUM,        /* and add, sub, mul, divide, mod, rem, neg, abs, sign, pow */
    FCL_BOUND_INT,        /* and those of integers */
    FCL_BOUND_FLOAT,      /* those of num, and those of floats */
    FCL_BOUND_BITS        /* integers and bool: and, or, xor, not */
} fcl_kind;

/* Types.  Equal types have equal ids. */
FCL_API fcl_type fcl_type_scalar(fcl_module *m, fcl_scalar s);
FCL_API fcl_type fcl_type_var(fcl_module *m, fcl_tvar v);
FCL_API fcl_type fcl_type_tuple(fcl_module *m, const fcl_type *items, size_t n); /* 2 or more */
FCL_API fcl_type fcl_type_function(fcl_module *m, fcl_type from, fcl_type to);
/* <v> -> body and forall v. body, where body mentions the variable v; v is free to be used again
 * afterwards. */
FCL_API fcl_type fcl_type_level_function(fcl_module *m, fcl_tvar v, fcl_type body);
FCL_API fcl_type fcl_type_forall(fcl_module *m, fcl_tvar v, fcl_type body);
/* [elem; rank] and [elem; rank]<l>; the rank is from 1 to FCL_MAX_RANK. */
FCL_API fcl_type fcl_type_pull(fcl_module *m, fcl_type elem, unsigned rank);
FCL_API fcl_type fcl_type_push(fcl_module *m, fcl_type elem, unsigned rank, fcl_level l);
/* A variable for fcl_type_forall and fcl_type_level_function to bind. */
FCL_API fcl_tvar fcl_type_variable(fcl_module *m, const char *name, fcl_kind k);
FCL_API fcl_tvar fcl_level_variable(fcl_module *m, const char *name);

/* Levels (rules 12, 13): a constant, a variable, 1+l.  0 for what is none; a push type or operation
 * refuses it. */
FCL_API fcl_level fcl_level_const(fcl_height h);
FCL_API fcl_level fcl_level_var(fcl_tvar v);
FCL_API fcl_level fcl_level_succ(fcl_level l);

/* A new function or kernel; name without @, which no other function of the module has.  It hides an
 * imported function of that name, which then cannot be called.  Its type parameters are added
 * before its level parameters, those before its parameters, and all before the first operation of
 * its body. */
FCL_API fcl_func fcl_function(fcl_module *m, const char *name, bool kernel);
FCL_API fcl_tvar fcl_type_param(fcl_module *m, fcl_func f, const char *name, fcl_kind k);
FCL_API fcl_tvar fcl_level_param(fcl_module *m, fcl_func f, const char *name);
/* Fixes the result type, which is inferred otherwise. */
FCL_API void fcl_result_type(fcl_module *m, fcl_func f, fcl_type t);
FCL_API fcl_region fcl_body(fcl_module *m, fcl_func f);
/* The function of that name, own or imported; 0, and no error, when there is none. */
FCL_API fcl_func fcl_function_named(fcl_module *m, const char *name);
/* Makes the functions of an import ("prelude", "prelude.scan", ...) known to the module.  `options`
 * as for fcl_module_load.  False with diagnostics; the module is broken then. */
FCL_API bool fcl_import(fcl_module *m, const char *name, const fcl_load_options *options);

/* A parameter of a function's body or of a region.  type 0: inferred, where the operator tells it
 * (not for bodies and fn regions).  The parameters of a region are added one after the other, with
 * no other value made in between, before its first operation.  name (without %) NULL: numbered when
 * printed. */
FCL_API fcl_value fcl_param(fcl_module *m, fcl_region r, const char *name, fcl_type t);
/* Constants; they belong to the module, not to a region.  Integers must fit the type; FCL_U64 takes
 * the bits of x. */
FCL_API fcl_value fcl_const_int(fcl_module *m, fcl_scalar s, int64_t x);
FCL_API fcl_value fcl_const_float(fcl_module *m, fcl_scalar s, double x); /* rounded for FCL_F32 */
FCL_API fcl_value fcl_const_bool(fcl_module *m, bool x);

/* Operations are appended to a region; each returns its result.  The operators are those of the
 * text form, by name.
 *
 * Any operator that has neither regions nor attributes: add, select, tuple, proj, index, length,
 * dim, force, concat, apply, blocksize, warpsize, ...; proj and dim take their number as a
 * constant. */
FCL_API fcl_value fcl_op(fcl_module *m, fcl_region r, const char *op, const fcl_value *args,
                         size_t n);
/* push<l> (gives a pull array its iteration scheme) and lapply<l> (rule 27). */
FCL_API fcl_value fcl_op_level(fcl_module *m, fcl_region r, const char *op, fcl_level l,
                               fcl_value arg);
/* convert<t> and bitcast<t>. */
FCL_API fcl_value fcl_op_type(fcl_module *m, fcl_region r, const char *op, fcl_type t,
                              fcl_value arg);
/* array (rule 20); elem, the type of its elements, may be 0 unless n is 0. */
FCL_API fcl_value fcl_op_array(fcl_module *m, fcl_region r, fcl_type elem, const fcl_value *args,
                               size_t n);
/* constant: a pull array of so many elements in each dimension, 1 to 8 of them, whose bytes are
 * copied: one element after the other, the last index varying fastest, each with its lowest byte
 * first, bools 0 or 1. */
FCL_API fcl_value fcl_op_constant(fcl_module *m, fcl_region r, fcl_scalar s, const size_t *extents,
                                  size_t rank, const void *data, size_t size);
/* An operator with regions: generate, map and interleave have one, if and while two.  regions[]
 * receives them, empty: the caller adds their parameters and operations and ends each with
 * fcl_yield. */
FCL_API fcl_value fcl_op_regions(fcl_module *m, fcl_region r, const char *op, const fcl_value *args,
                                 size_t n, fcl_region *regions);
/* fn (rules 28, 29): a function as a value, whose region *body is to be filled in like those above;
 * all its parameters have types.  It may bind type and level variables: vars[] receives their ids,
 * types first; NULL when there are none.
 */
FCL_API fcl_value fcl_fn(fcl_module *m, fcl_region r, size_t ntypes, const char *const *type_names,
                         size_t nlevels, const char *const *level_names, fcl_tvar *vars,
                         fcl_region *body);
/* call @f<types, levels>(args): all parameters of f (rule 24).  Types and levels may be left to
 * inference (both n = 0).
 */
FCL_API fcl_value fcl_call(fcl_module *m, fcl_region r, fcl_func f, const fcl_type *types,
                           size_t ntypes, const fcl_level *levels, size_t nlevels,
                           const fcl_value *args, size_t n);
/* func @f<types, levels>: f as a value, to be applied or handed on. */
FCL_API fcl_value fcl_func_value(fcl_module *m, fcl_region r, fcl_func f, const fcl_type *types,
                                 size_t ntypes, const fcl_level *levels, size_t nlevels);
/* End a region, or a function's body. */
FCL_API void fcl_yield(fcl_module *m, fcl_region r, fcl_value v);
FCL_API void fcl_return(fcl_module *m, fcl_region r, fcl_value v);
/* Makes f, whose body has no operations yet, a graph, and returns a region for what has no place:
 * every operation is appended to it once, also what belongs into the region of another one, and may
 * use any value of the function.  Regions get parameters and are ended by fcl_yield as always; what
 * computes their values is appended to the graph.  fcl_return on the graph ends it and finds the
 * places.  An operation is computed in the innermost region that holds everything that uses it;
 * from there it goes outwards, as far as its operands allow, out of regions that run many times:
 * those that have parameters.  So nothing is computed more often than it must be.  It does not
 * leave the branch of an `if` or the region of an `assert`, where it may not be needed, and one
 * that may fail when it is run (FCL_EFFECT_FAIL; a reduction or sort where what it goes through may)
 * does not go outwards at all.  What hands out or receives (FCL_EFFECT_EMIT) is done once for what it
 * depends on.  What is appended to another region, such as fcl_body, stays there; so should what
 * reads an array before `update` overwrites it.  In a region operations keep the order in which they
 * were made.  What else no result needs is dropped.  Takes time by the number of operations and operands.  The module breaks when
 * an operation needs its own result (E0263). */
FCL_API fcl_region fcl_graph(fcl_module *m, fcl_func f);
/* The name that a value is printed with, without %; NULL: numbered.  Constants are printed as they
 * are. */
FCL_API void fcl_value_name(fcl_module *m, fcl_value v, const char *name);
/* States the type of an operation's result, which the checker then compares with what it finds. */
FCL_API void fcl_value_type(fcl_module *m, fcl_value v, fcl_type t);
/* Position in the front end's source for what is built from now on: diagnostics name it.  file
 * NULL or "", or line 0: none. */
FCL_API void fcl_at(fcl_module *m, const char *file, unsigned line, unsigned column);
/* What carries attributes: the operation whose result is `value`, else the function `function`,
 * else, both 0, the module. */
typedef struct fcl_subject {
    fcl_func function;
    fcl_value value;
} fcl_subject;

/* Something that a front end or tool attaches to a subject: an integer, or (text not NULL) a text.
 * Borrowed. */
typedef struct fcl_attribute {
    const char *key;
    const char *text;
    size_t size; /* of the text, which may hold anything */
    int64_t number;
} fcl_attribute;

/* Sets an attribute, or replaces the one with that key, which is not empty; all is copied.  The
 * library gives them no meaning: files keep them, in both forms, and passes keep them with what
 * they belong to. */
FCL_API void fcl_attribute_set(fcl_module *m, fcl_subject of, const fcl_attribute *a);
/* Attribute i of a subject, in the order in which they were set; false when there is none. */
FCL_API bool fcl_attribute_get(const fcl_module *m, fcl_subject of, size_t i, fcl_attribute *out,
                               size_t size);

/* Sets a property, or replaces the one with that key: what the library understands
 * (docs/format.md lists the keys, what has them, and their values), or a hint of any other key that
 * has a dot in it, for tools of the caller.  Passes keep properties with what they belong to. */
FCL_API void fcl_property_set(fcl_module *m, fcl_subject of, const fcl_attribute *a);
/* Property i of a subject, as fcl_attribute_get. */
FCL_API bool fcl_property_get(const fcl_module *m, fcl_subject of, size_t i, fcl_attribute *out,
                              size_t size);

/* Adds a section to the module's files, at their end: any bytes, copied, under a name that is not
 * empty and is none of the library's own (docs/format.md). */
FCL_API void fcl_section_add(fcl_module *m, const char *name, const void *data, size_t size);
/* Section i of those that the library does not know, read or added; borrowed; false when there is
 * none. */
FCL_API bool fcl_section_get(const fcl_module *m, size_t i, const char **name, const void **data,
                             size_t *size);

/* True when every builder call so far succeeded. */
FCL_API bool fcl_built(const fcl_module *m);

/* A scalar operator: what fcl_op takes beside the operators on arrays, tuples and functions. */
typedef struct fcl_operator {
    const char *name;
    unsigned arity;
    char operands;   /* all of one type: A any scalar, O what has an order,
                        N numbers, I integers, F floats, B integers and
                        bool, L bool; S: a bool, then two of any scalar type */
    bool gives_bool; /* else the operands' type */
    const char *formula;
} fcl_operator;

/* Scalar operator i; false beyond the last. */
FCL_API bool fcl_operator_get(size_t i, fcl_operator *out, size_t size);

/* ---- reading modules ----
 *
 * All that a module holds, in the order of its text: functions have regions, regions have
 * parameters and operations, operations have operands, results and regions of their own.  Modules
 * that were loaded, built and checked are read alike; what is left to inference is filled in once
 * the module is checked.  Reading changes nothing and fails for nothing but ids that the module
 * does not have: false, 0 or NULL then, and no diagnostic.  What a pass has dropped keeps its id,
 * but is reached from nowhere.  Texts are borrowed from the context, as are those of the whole
 * section. */

typedef uint32_t fcl_operation, fcl_opcode;

/* What stands in <...> behind an operator, or in front of its operands. */
typedef enum fcl_attached {
    FCL_ATTACHED_NOTHING,
    FCL_ATTACHED_LEVEL,     /* push<l>, lapply<l> */
    FCL_ATTACHED_TYPE,      /* convert<t>, bitcast<t> */
    FCL_ATTACHED_FUNCTION,  /* call @f<types, levels>, func @f<types, levels> */
    FCL_ATTACHED_VARIABLES, /* fn<'a, l>: what its region binds */
    FCL_ATTACHED_DATA       /* constant<t; n1, ..., nr> bytes */
} fcl_attached;

/* What may be done with an operation, by its operator. */
typedef enum fcl_effect {
    FCL_EFFECT_NONE, /* may be dropped, moved, repeated, merged with an equal one */
    FCL_EFFECT_FAIL, /* may fail when run: not moved to where it would not have been run */
    FCL_EFFECT_CALL, /* does what a function does: may be dropped */
    FCL_EFFECT_WORK, /* works at a level where it stands: may be dropped */
    FCL_EFFECT_END,  /* ends its region */
    FCL_EFFECT_EMIT  /* hands something out: neither dropped nor repeated nor merged, and stays in
                        its place among others that do */
} fcl_effect;

/* An operator, of scalars or of the core; static texts. */
typedef struct fcl_opcode_info {
    const char *name;
    size_t least, most; /* operands; most SIZE_MAX: any number */
    size_t regions;
    fcl_attached attached;
    bool has_result; /* else it ends a region: yield, return */
    bool is_scalar;  /* an operator of fcl_operator_get */
    unsigned since;  /* version of the formats that came with it, major * 100 + minor */
    fcl_effect effect;
    const char *formula;
} fcl_opcode_info;

/* Operators have the numbers of the binary form.  By name; 0 when there is none. */
FCL_API fcl_opcode fcl_opcode_named(const char *name);
/* The one after another, the first after 0; 0 after the last. */
FCL_API fcl_opcode fcl_opcode_next(fcl_opcode after);
FCL_API bool fcl_opcode_about(fcl_opcode code, fcl_opcode_info *out, size_t size);

/* Where something stands. */
typedef struct fcl_position {
    const char *file;
    unsigned line, column, length; /* as in fcl_diagnostic */
    bool given; /* by fcl_at or loc(...); else it is where the text that was loaded has it */
} fcl_position;

/* The oldest version of the formats that has everything in the module, major * 100 + minor. */
FCL_API unsigned fcl_module_version(fcl_module *m);
/* Import i, in order; *indirect (NULL is allowed): it came by another import, and the module's text
 * does not name it.  NULL beyond the last. */
FCL_API const char *fcl_import_name(const fcl_module *m, size_t i, bool *indirect);

typedef struct fcl_function_info {
    const char *name; /* without @ */
    bool kernel;
    const char *import;   /* where it came from; NULL: the module's own */
    size_t types, levels; /* type and level parameters: fcl_function_variable */
    fcl_region body;      /* whose parameters are those of the function */
    fcl_type result;      /* 0: not known yet */
} fcl_function_info;

/* The function after another in file order, imported ones included; the first after 0; 0 after the
 * last. */
FCL_API fcl_func fcl_function_next(const fcl_module *m, fcl_func after);
FCL_API bool fcl_function_about(const fcl_module *m, fcl_func f, fcl_function_info *out,
                                size_t size);
/* Variable i that it binds: its type parameters, then its level parameters. */
FCL_API fcl_tvar fcl_function_variable(const fcl_module *m, fcl_func f, size_t i);
/* False where it has no position, as in the two below. */
FCL_API bool fcl_function_position(const fcl_module *m, fcl_func f, fcl_position *out, size_t size);

typedef struct fcl_region_info {
    fcl_func function;
    fcl_operation owner;       /* the operation whose region it is; 0: the body of a function */
    size_t params;             /* fcl_region_param */
    fcl_operation first, last; /* 0: nothing in it yet */
} fcl_region_info;

FCL_API bool fcl_region_about(const fcl_module *m, fcl_region r, fcl_region_info *out, size_t size);
FCL_API fcl_value fcl_region_param(const fcl_module *m, fcl_region r, size_t i);

typedef struct fcl_operation_info {
    fcl_opcode code;
    fcl_region region; /* in which it stands */
    fcl_value result;  /* 0 for yield and return */
    size_t operands, regions;
    fcl_attached attached;
    fcl_level level;      /* that is attached, else 0 */
    fcl_type type;        /* likewise */
    fcl_func function;    /* likewise */
    size_t types, levels; /* of the instance of `function`, or variables that an fn binds */
} fcl_operation_info;

/* The operation behind another in its region; 0 behind the last. */
FCL_API fcl_operation fcl_operation_next(const fcl_module *m, fcl_operation o);
FCL_API bool fcl_operation_about(const fcl_module *m, fcl_operation o, fcl_operation_info *out,
                                 size_t size);
FCL_API fcl_value fcl_operation_operand(const fcl_module *m, fcl_operation o, size_t i);
FCL_API fcl_region fcl_operation_region(const fcl_module *m, fcl_operation o, size_t i);
/* Type i and level i of an instance; 0 where it is left to inference.  Once the module is checked,
 * a call has as many as its function has parameters. */
FCL_API fcl_type fcl_operation_type(const fcl_module *m, fcl_operation o, size_t i);
FCL_API fcl_level fcl_operation_level(const fcl_module *m, fcl_operation o, size_t i);
/* Variable i that an fn binds: types first. */
FCL_API fcl_tvar fcl_operation_variable(const fcl_module *m, fcl_operation o, size_t i);
FCL_API bool fcl_operation_position(const fcl_module *m, fcl_operation o, fcl_position *out,
                                    size_t size);
/* As fcl_attribute_get; for operations without a result, too. */
FCL_API bool fcl_operation_attribute(const fcl_module *m, fcl_operation o, size_t i,
                                     fcl_attribute *out, size_t size);
/* As fcl_property_get; likewise. */
FCL_API bool fcl_operation_property(const fcl_module *m, fcl_operation o, size_t i,
                                    fcl_attribute *out, size_t size);

/* Whether a reader must know what a property of that key means; the others are hints. */
FCL_API bool fcl_property_required(const char *key);

/* What a `constant` holds, as fcl_op_constant takes it. */
typedef struct fcl_constant {
    fcl_scalar type;
    size_t rank, extents[8];
    const void *data;
    size_t size;
} fcl_constant;

/* False for other operations. */
FCL_API bool fcl_operation_constant(const fcl_module *m, fcl_operation o, fcl_constant *out,
                                    size_t size);

typedef enum fcl_value_kind {
    FCL_VALUE_RESULT = 1,
    FCL_VALUE_PARAM,
    FCL_VALUE_CONSTANT
} fcl_value_kind;

/* Whether a constant has its type: in a module that is not checked, a literal's may depend on where
 * it stands. */
typedef enum fcl_literal {
    FCL_LITERAL_TYPED,
    FCL_LITERAL_INT,      /* an integer, of which `bits` is the magnitude */
    FCL_LITERAL_NEGATIVE, /* a negative one, likewise */
    FCL_LITERAL_FLOAT     /* `bits` are those of a double */
} fcl_literal;

typedef struct fcl_value_info {
    fcl_value_kind kind;
    fcl_type type;           /* 0: not known yet */
    bool stated;             /* the type was written, not found by the checker */
    const char *name;        /* without %; "": none */
    fcl_operation operation; /* of which it is the result, else 0 */
    fcl_region region;       /* in which it is visible: that of its operation, or whose parameter it
                                is; 0 for constants, which are visible everywhere */
    size_t number;           /* of a parameter: which one of its region */
    fcl_literal literal;     /* of a constant, as is what follows */
    fcl_scalar scalar;       /* 0 unless FCL_LITERAL_TYPED */
    uint64_t bits; /* integers in 64 bits, signed ones as int64_t; floats as their type has
                      them in memory; bool 0 or 1 */
} fcl_value_info;

FCL_API bool fcl_value_about(const fcl_module *m, fcl_value v, fcl_value_info *out, size_t size);

typedef struct fcl_variable_info {
    const char *name;
    bool is_level;
    fcl_kind kind;     /* of a type variable; FCL_KIND_INFER: not known yet */
    bool stated;       /* the kind was written */
    fcl_func function; /* in which it is bound; 0: made by fcl_type_variable */
} fcl_variable_info;

FCL_API bool fcl_variable_about(const fcl_module *m, fcl_tvar v, fcl_variable_info *out,
                                size_t size);
/* "BT", "GT", ..., as the text form writes it; "?" for what is none.  Static. */
FCL_API const char *fcl_kind_name(fcl_kind k);

typedef enum fcl_type_kind {
    FCL_TYPE_SCALAR = 1,
    FCL_TYPE_VARIABLE, /* bound by a function or an fn */
    FCL_TYPE_BOUND,    /* bound by a forall around it: `index` counts these, 0 the innermost */
    FCL_TYPE_TUPLE,    /* its parts are the components */
    FCL_TYPE_FUNCTION, /* its parts are parameter and result */
    FCL_TYPE_LEVEL_FUNCTION, /* <l> -> part 0 */
    FCL_TYPE_FORALL,         /* forall 'a. part 0 */
    FCL_TYPE_PULL,           /* part 0 is the element's type, as of FCL_TYPE_PUSH */
    FCL_TYPE_PUSH
} fcl_type_kind;

typedef struct fcl_type_info {
    fcl_type_kind kind;
    size_t parts; /* fcl_type_part */
    fcl_scalar scalar;
    fcl_tvar variable;
    unsigned index;
    unsigned rank;   /* of arrays */
    fcl_level level; /* of push arrays */
    fcl_kind of;     /* FCL_TYPE_FORALL: the variable's kind; FCL_KIND_INFER: not known */
} fcl_type_info;

FCL_API bool fcl_type_about(const fcl_module *m, fcl_type t, fcl_type_info *out, size_t size);
FCL_API fcl_type fcl_type_part(const fcl_module *m, fcl_type t, size_t i);
/* As the text form has it; "?" for 0.  NULL when memory is short. */
FCL_API const char *fcl_type_text(fcl_module *m, fcl_type t);

typedef enum fcl_level_kind {
    FCL_LEVEL_CONST = 1, /* `plus` is its height: fcl_height */
    FCL_LEVEL_VARIABLE,  /* plus + variable */
    FCL_LEVEL_BOUND      /* plus + what the <l> -> around it binds, counted as for FCL_TYPE_BOUND */
} fcl_level_kind;

typedef struct fcl_level_info {
    fcl_level_kind kind;
    unsigned plus;
    fcl_tvar variable;
    unsigned index;
} fcl_level_info;

FCL_API bool fcl_level_about(const fcl_module *m, fcl_level l, fcl_level_info *out, size_t size);
FCL_API const char *fcl_level_text(fcl_module *m, fcl_level l);

/* ---- changing modules ----
 *
 * A rewriting changes a module in place: what values are used for, and which operations there are.
 * While one is there, calls of the builder insert before the operation that fcl_rewrite_before
 * names, in its region, and append elsewhere; what they insert has its position, unless fcl_at
 * gives one. Graphs, imports and passes wait until it has ended.  Ids stay; what is dropped is in
 * no region any more.  The module counts as unchecked from the first change on. */

typedef struct fcl_rewrite fcl_rewrite;
typedef uint32_t fcl_use; /* of a rewriting; 0: none */

/* Begins one, with a walk over the module, which is valid: NULL with diagnostics where it is not.
 * Another one of the module is not there yet.  Ends with fcl_rewrite_end, which takes w in any
 * case, at the latest when the module is destroyed: false when the module is broken. */
FCL_API fcl_rewrite *fcl_rewrite_begin(fcl_module *m);
FCL_API bool fcl_rewrite_end(fcl_rewrite *w);
/* The uses of a value, in no certain order, and what uses it, as which operand (NULL is allowed).
 * Changes make other uses of the values that they name. */
FCL_API fcl_use fcl_use_first(const fcl_rewrite *w, fcl_value v);
FCL_API fcl_use fcl_use_next(const fcl_rewrite *w, fcl_use u);
FCL_API fcl_operation fcl_use_operation(const fcl_rewrite *w, fcl_use u, size_t *operand);
/* Where operations are inserted from now on; 0: nowhere, they are appended.  False when o is not in
 * the module any more. */
FCL_API bool fcl_rewrite_before(fcl_rewrite *w, fcl_operation o);
/* Operand i of an operation becomes v; whatever used v uses `by`; removes an operation with all
 * that is in it; moves one, with all that is in it, before another one of the same function. False,
 * and nothing happens, where types that are known differ, a value would not be visible where it is
 * used, the result of what is removed is used, or an operation ends its region or is not in the
 * module any more. */
FCL_API bool fcl_rewrite_operand(fcl_rewrite *w, fcl_operation o, size_t i, fcl_value v);
FCL_API bool fcl_rewrite_replace(fcl_rewrite *w, fcl_value v, fcl_value by);
FCL_API bool fcl_rewrite_erase(fcl_rewrite *w, fcl_operation o);
FCL_API bool fcl_rewrite_move(fcl_rewrite *w, fcl_operation o, fcl_operation before);

/* A pass over modules, for lists of passes, where its name stands as those of the library's do.
 * Those over kernel programs are in fcl_backend.h. */
typedef struct fcl_core_pass {
    size_t size; /* of the structure */
    const char *name, *summary;
    bool checked;                           /* it needs types: the module is checked before it */
    bool (*run)(void *user, fcl_module *m); /* false when it cannot go on, with a diagnostic
                                               (fcl_report); a rewriting that it begins it ends */
    void *user;                             /* handed to it */
    const fcl_pass_option *options; /* what lists may give it, NAME(OPTION=VALUE); NULL: nothing */
    size_t noptions, option_size;   /* how many; sizeof(fcl_pass_option) as the caller knows it */
} fcl_core_pass;

/* In a pass of a caller's own that runs: the value of its option in the list that runs it, else what
 * stands for leaving it out.  A word lives as long as the context.  0 and NULL where no pass runs,
 * or it has no such option of that kind. */
FCL_API size_t fcl_pass_number(const fcl_context *cx, const char *option);
FCL_API const char *fcl_pass_word(fcl_context *cx, const char *option);

/* Makes a pass known to the context: fcl_passes_run takes its name from then on, and fcl_pass_about
 * lists it.  A checked module that it has changed is checked again behind it.  The structure is
 * copied; its texts stay where they are as long as the context.  False with a diagnostic (E0863)
 * where its name is taken or something is missing. */
FCL_API bool fcl_core_pass_register(fcl_context *cx, const fcl_core_pass *pass);

/* ---- compiling ---- */

/* Where emitted code says which line of a source it comes from, so that its compiler and debuggers
 * name that source.  Auto: where an operator's position is in a front end's source, given with
 * fcl_at or loc(...), and not in the file that was loaded. */
typedef enum { FCL_LINES_AUTO, FCL_LINES_ALWAYS, FCL_LINES_NEVER } fcl_debug_lines;

/* Zero and NULL stand for the defaults. */
typedef struct fcl_compile_options {
    size_t size;         /* of the structure */
    const char *target;  /* "opencl-c", "cpu-c", or several with commas between them, whose code
                            goes into one artifact; NULL: "opencl-c" */
    const char *entry;   /* kernel; NULL: every kernel of the module */
    unsigned block_size; /* threads in a block, what `blocksize` yields; 0: 256, or in functions with
                            the property `block` what that says */
    unsigned groups;     /* physical work-groups; 0: as many as the work needs */
    unsigned warp_size;  /* threads in a warp, what `warpsize` yields; 0: 32 */
    size_t local_limit;  /* bytes of local memory that a block may use; 0: not known when compiling,
                            the device's when  running */
    const char
        *exchange; /* how the lanes of a warp exchange values: "local" memory, "ptx", "subgroups";
                      NULL: local when compiling, what the device has when running */
    unsigned vector_bytes; /* widest access of a thread; 0: 16; 1: one element at a time */
    unsigned unroll;      /* loops with a constant number of turns are unrolled to at most this many
                             statements; 0: 2048 */
    unsigned atomic_bits; /* widest atomic steps on global memory; 0: 64 when compiling, what the
                             device has when running */
    unsigned native_half; /* 1: f16 is computed as such; 0: in f32, each result rounded, unless a
                             device that runs it can */
    unsigned in_phases;   /* 1: groups may not wait for one another, chained work runs as several
                             launches */
    unsigned index_bits; /* of positions in global memory: 32, 64; 0: 64 for launches over arrays of
                            rank 2 and more that turn out to need it, 32 otherwise */
    unsigned fast_math;  /* 1: f32 functions and division at the device's own precision, x * y + z
                            rounded once or twice */
    fcl_debug_lines debug_lines; /* #line directives in the emitted code */
    const char *in_place; /* an array parameter that a result is to overwrite: refused where that is
                             not seen to be safe; NULL: each result has memory of its own */
    const char *
        kernel_passes; /* optional kernel passes to run, separated by commas; NULL: all; "": none */
    const char *tuning; /* numbers that passes decide by, "NAME=N,NAME=N": see fcl_tuning_about;
                           NULL: the usual ones */
    const char *checks; /* which accesses, results and assertions are checked at run time:
                           "default", those that are not seen to be right, and NULL means the same;
                           "all"; "none": what is wrong then has any effect; "overflow": on the device
                           interp alone, a signed integer that does not fit its type ends the run,
                           too (E0718) */
    const char *quirks; /* what drivers get wrong and code is to avoid, separated by commas: names
                           of drivers ("pocl-3.1") or quirks, "none"; "auto" or NULL: nothing when
                           compiling, what the device's driver needs when running */
    bool verify_each;   /* check the module anew after every core pass, and verify kernel programs after
                           every kernel pass, as is done for an observer; else they are verified when
                           they are lowered, behind passes of plug-ins, and when all passes have run */
    const fcl_pass_observer *observer; /* sees every pass; NULL: nobody */
    bool no_schedule; /* kernels without a schedule are refused (E0513); false: a copy of the module
                         goes through the pass `schedule` first, where a kernel has none */
    unsigned join_launches; /* 1: what one group is to do behind a launch is done by that launch's
                               last group, as for devices whose launches cost (GPUs, when running);
                               0: as the device likes */
    const char *without; /* decisions about arrays without levels that are not made, with commas
                            between them: see fcl_decision_get; NULL: all are made */
    unsigned simd; /* bytes of a CPU's vectors, in which OpenCL C of kernels without a schedule computes
                      elements side by side, a block being one thread; 1: blocks have threads; 0: when
                      running, as the device has them, and else 1 */
} fcl_compile_options;

/* Decision i of those that the library makes about arrays without levels, by name, and what it is;
 * NULL beyond the last.  Each tells what came of it (fcl_remarks_set); fcl_compile_options.without
 * turns it off for a whole program, hints (fcl_property_set) for one operation. */
FCL_API const char *fcl_decision_get(size_t i, const char **summary);

/* A number for fcl_compile_options.tuning.  They change speed and size of code, never its meaning.
 */
typedef struct fcl_tuning_info {
    const char *name, *pass, *summary;
    unsigned usual, least, most;
} fcl_tuning_info;
/* Number i of the table; false beyond the last. */
FCL_API bool fcl_tuning_about(size_t i, fcl_tuning_info *out, size_t size);

/* A tunable of a program: a number that it, or a function that stands for one of its collectives, leaves open.
 * fcl_compile_options.tuning sets it under its name.  Texts live as long as the context. */
typedef struct fcl_tunable {
    const char *name;
    const char *domain;         /* what it may be: fcl_domain_count */
    int usual;                  /* unless somebody says otherwise; -1: that is not known before a run */
    const char *file;           /* where it is declared; NULL: nobody knows */
    unsigned line, column;      /* from 1; 0: nobody knows */
} fcl_tunable;
typedef void fcl_tunable_fn(void *user, const fcl_tunable *t);

/* Calls `each` with every tunable that the module has when it is compiled with the options (NULL: the usual ones), in the
 * order of its functions.  A module without a schedule is scheduled for it; it stays as it is.  False with diagnostics. */
FCL_API bool fcl_tunables(fcl_module *m, const fcl_compile_options *o, fcl_tunable_fn *each,
                          void *user);

/* A domain is a text that lists whole numbers from 0 to 2147483647: numbers and ranges with commas between them; a range is
 * A..B, A..B+STEP or A..B*FACTOR.  How many it lists; 0: the text is no domain. */
FCL_API uint64_t fcl_domain_count(const char *domain);
/* Number i of them, in their order; 0 where there is none. */
FCL_API unsigned fcl_domain_at(const char *domain, uint64_t i);
FCL_API bool fcl_domain_has(const char *domain, unsigned number);

/* Sets the option of `lower` that has that name, to a value as in a list of passes; a word is
 * borrowed.  False, and nothing changes, when there is none or the value is out of its range. */
FCL_API bool fcl_compile_option_set(fcl_compile_options *o, const char *name, const char *value);

/* Names of the library's own targets for fcl_compile_options.target; NULL beyond the last. */
FCL_API size_t fcl_target_count(void);
FCL_API const char *fcl_target_name(size_t i);

/* Loads a shared object that registers targets and passes with the context (fcl_backend.h), which
 * keeps it until it is destroyed.  `file` is a path, or a name that the system's loader looks for.
 * False with a diagnostic (E0863) where it cannot be loaded, is no plug-in, or is one for another
 * version of that header. */
FCL_API bool fcl_plugin_load(fcl_context *cx, const char *file);

/* About a target; texts live as long as the context. */
typedef struct fcl_target_info {
    const char *name, *summary;
} fcl_target_info;
/* Target i of those that the context knows: the library's, and then those that were registered.
 * False beyond the last. */
FCL_API bool fcl_target_about(const fcl_context *cx, size_t i, fcl_target_info *out, size_t size);
/* Pass i, as fcl_pass_get, and behind the library's those that were registered with the context. */
FCL_API bool fcl_pass_about(const fcl_context *cx, size_t i, fcl_pass *out, size_t size);
/* Option k of that pass, as fcl_pass_option_get. */
FCL_API bool fcl_pass_option_about(const fcl_context *cx, size_t i, size_t k, fcl_pass_option *out,
                                   size_t size);

/* Goes the whole way of fcl_pipeline_step.  NULL with diagnostics when refused.  `options` may be
 * NULL. */
FCL_API fcl_artifact *fcl_compile(fcl_module *m, const fcl_compile_options *options);
FCL_API void fcl_artifact_destroy(fcl_artifact *a);
/* Texts of an artifact, of its first target: borrowed, NUL-terminated, *size (NULL is allowed)
 * bytes without the NUL.
 * The emitted code of all entries; their launch plans; reports for people on what each kernel is
 * launched with and where its memory lies; their kernel IR as the back end got it.  All but the
 * code are made when first asked for: "" with a diagnostic when memory is short.  What was read
 * from a file has code and plans only. */
FCL_API const char *fcl_artifact_code(fcl_artifact *a, size_t *size);
FCL_API const char *fcl_artifact_plan(fcl_artifact *a, size_t *size);
FCL_API const char *fcl_artifact_report(fcl_artifact *a, size_t *size);
FCL_API const char *fcl_artifact_kernel_ir(fcl_artifact *a, size_t *size);

/* ---- artifacts as files ---- */

/* An artifact holds the code of one or several targets, the launch plans of its entries, and what
 * they ask of a device: docs/artifact.md.  It runs without the module that it was made from, and
 * without a compiler of cores. */

/* The artifact as a file (.fcla), *size bytes, freed with fcl_free; equal artifacts give equal
 * bytes.  NULL with a diagnostic when memory is short. */
FCL_API char *fcl_artifact_save(fcl_artifact *a, size_t *size);
/* Reads such a file; `name` is what diagnostics call it.  NULL with diagnostics: what it holds is
 * verified, so that any bytes are safe.  It has no reports and no kernel IR. */
FCL_API fcl_artifact *fcl_artifact_load(fcl_context *cx, const char *name, const void *data,
                                        size_t size);
/* Puts the targets of `more` behind those of a: both were made from the same module, and a has all
 * entries of `more`, with the same types (E0631, E0630).  A target that is there already, equal in
 * everything, is not put there twice.  Takes `more` over, also when it fails:
 * false with diagnostics, and a is as it was, also where `more` is a itself.  Both are of one
 * context. */
FCL_API bool fcl_artifact_join(fcl_artifact *a, fcl_artifact *more);
/* Whether the bytes begin like such a file. */
FCL_API bool fcl_artifact_is(const void *data, size_t size);
/* The fcl_module_hash of what it was made from; false where nobody knows. */
FCL_API bool fcl_artifact_hash(const fcl_artifact *a, unsigned char digest[32]);
/* The name of entry i; NULL beyond the last. */
FCL_API const char *fcl_artifact_entry(const fcl_artifact *a, size_t i);

/* What stands in an artifact's file, for programs that write it in another form: one value after
 * the other, a map followed by its pairs, a list by its elements. */
typedef enum fcl_item_kind {
    FCL_ITEM_MAP = 1,  /* n pairs follow: a text, which is the key, and what stands under it */
    FCL_ITEM_LIST,     /* n values follow */
    FCL_ITEM_TEXT,     /* n bytes of UTF-8 at `data` */
    FCL_ITEM_BYTES,    /* n bytes at `data` */
    FCL_ITEM_BOOL,     /* number: 0 or 1 */
    FCL_ITEM_UNSIGNED, /* number */
    FCL_ITEM_SIGNED,   /* number, below 0: its bits as an int64_t */
    FCL_ITEM_FLOAT     /* real */
} fcl_item_kind;

/* Lives as long as the call that it is handed to. */
typedef struct fcl_item {
    fcl_item_kind kind;
    size_t n;
    const char *data;
    uint64_t number;
    double real;
} fcl_item;

/* Called for each value of the file that fcl_artifact_save makes, the outermost first; false ends
 * it. True when it was called for all of them; false with a diagnostic when memory is short. */
typedef bool fcl_item_fn(void *user, const fcl_item *item);
FCL_API bool fcl_artifact_items(fcl_artifact *a, fcl_item_fn *see, void *user);

/* ---- kernel programs, and passes one by one ---- */

/* Programs of the kernel IR on their way to code, one for each entry: docs/kernel.md. */
typedef struct fcl_kernels fcl_kernels;

/* Runs a list of passes: "link, dce, lower(BlockSize=64), virtualise".  m: the module that core
 * passes and `lower` work on, NULL when there is none.  *kernels: the programs that kernel passes
 * work on, NULL when there are none yet; then `lower` puts there what it makes, and nothing when
 * the call fails.  A list whose first kernel pass has no `lower` before it stands, where there are
 * no kernel programs yet, for the same list with "check, lower" in front of that pass.  Before
 * anything runs, the list is read, and what every pass requires is compared with what those before
 * it establish and break.  Passes go by `options` where the list does not say otherwise.
 * A core pass keeps the meaning of kernels, types and positions; "link" renumbers functions, so
 * fcl_func ids from before are void.  False with diagnostics, which point into the list as a file
 * called "--passes"; kernel programs that were there before a pass failed may only be destroyed.
 * `kernels` may be NULL where the list ends in the core, `options` always. */
FCL_API bool fcl_passes_run(fcl_module *m, fcl_kernels **kernels, const char *list,
                            const fcl_compile_options *options);
/* Reads a kernel program in the form that fcl_kernels_print gives (`size` bytes, copied), and
 * verifies it.  NULL with diagnostics. */
FCL_API fcl_kernels *fcl_kernels_load(fcl_context *cx, const char *name, const void *text,
                                      size_t size);
FCL_API void fcl_kernels_destroy(fcl_kernels *k);
/* The programs one after the other; as fcl_pass_event_print. */
FCL_API char *fcl_kernels_print(const fcl_kernels *k, size_t *size);
/* The rules of the kernel IR, with every breach reported; after each pass this is done anyway. */
FCL_API bool fcl_kernels_verify(const fcl_kernels *k);
/* Emits code for options->target.  Takes k over, also when it fails: NULL with diagnostics.  The
 * programs must be legalised. */
FCL_API fcl_artifact *fcl_kernels_emit(fcl_kernels *k, const fcl_compile_options *options);

/* ---- running ---- */

enum { FCL_MAX_RANK = 8 };

/* A scalar (rank 0) or a dense row-major array in host memory: dims[0] is the outermost extent.
 * bool elements are one byte, 0 or 1.  data may be NULL when there are no elements. */
typedef struct fcl_array {
    fcl_scalar type;
    unsigned rank;
    uint64_t dims[FCL_MAX_RANK];
    void *data;
} fcl_array;

/* A kernel as its caller sees it.  A leaf is a scalar or an array of scalars: tuples, and arrays of
 * tuples, are flattened to one leaf for each component, in order. */
typedef struct fcl_signature {
    size_t nparams, nresults; /* parameters; components when the result is a tuple, else 1 */
    size_t nleaves_in, nleaves_out;
} fcl_signature;

typedef struct fcl_leaf {
    size_t param; /* which parameter, or component of the result, it belongs to */
    fcl_scalar type;
    unsigned rank;         /* 0: scalar */
    const char *name;      /* of the parameter; "" for results */
    const char *type_text; /* of the whole parameter or result: a tuple groups its leaves, [(int,
                              double)] has two */
    size_t back; /* so many leaves before it is the first of its array of tuples, whose extents it
                    has; 0: it is that one, or alone */
} fcl_leaf;

/* These check the module if need be; false with diagnostics when it is refused or has no such
 * kernel, false without when there is no leaf i.  entry NULL: the module's only kernel. */
FCL_API bool fcl_kernel_signature(fcl_module *m, const char *entry, fcl_signature *out,
                                  size_t size);
FCL_API bool fcl_kernel_leaf_in(fcl_module *m, const char *entry, size_t i, fcl_leaf *out,
                                size_t size);
FCL_API bool fcl_kernel_leaf_out(fcl_module *m, const char *entry, size_t i, fcl_leaf *out,
                                 size_t size);

/* The same of an entry of an artifact; entry NULL: its only one. */
FCL_API bool fcl_artifact_signature(const fcl_artifact *a, const char *entry, fcl_signature *out,
                                    size_t size);
FCL_API bool fcl_artifact_leaf_in(const fcl_artifact *a, const char *entry, size_t i, fcl_leaf *out,
                                  size_t size);
FCL_API bool fcl_artifact_leaf_out(const fcl_artifact *a, const char *entry, size_t i,
                                   fcl_leaf *out, size_t size);

/* ---- launch plans ----
 *
 * What a host does to run an entry, step by step, for programs that do so themselves:
 * docs/artifact.md says what each part means and what happens when, docs/runtime.md how a plan is
 * run, docs/examples/run_plan.c does it over these functions.
 *
 * Values, memories, kernels, checks, blocks and steps have numbers from 1; 0 stands for none.
 * Parameters, leaves and what belongs to one kernel are counted from 0.  Where there is no such
 * number a function returns false, and reports nothing.  What a plan says is verified when it is
 * made or read: whoever follows it meets no number out of range.
 *
 * Bits are a scalar in 64 bits: signed integers extended with their sign, unsigned ones and bool (0
 * or 1) with zeros, floats as the pattern of their type, extended with zeros. */

/* One code for all entries, and the plans that go with it. */
typedef struct fcl_target {
    const char *name;     /* what the code is for: "opencl-c" */
    const char *options;  /* for its compiler: "-cl-std=CL1.2"; "": none */
    const char *exchange; /* the extension by which lanes exchange values; "": local memory */
    unsigned warp_size;   /* lanes of a warp, which the code relies on; 0: on no number */
    bool is_text;         /* the code is source; else bytes for a driver */
    const void *code;     /* of all kernels; a text is NUL-terminated */
    size_t code_size;     /* in bytes, without the NUL */
    size_t entries;       /* how many plans fcl_plan_at gives */
} fcl_target;

/* Target i of an artifact, of which the first has all entries; false beyond the last. */
FCL_API bool fcl_artifact_target(const fcl_artifact *a, size_t i, fcl_target *out, size_t size);

/* Quirk i that the code of a target avoids, as --quirks names it; NULL beyond the last. */
FCL_API const char *fcl_artifact_quirk(const fcl_artifact *a, size_t target, size_t i);

/* A plan, as long as its artifact. */
typedef struct fcl_plan fcl_plan;

/* Entry i of a target; NULL where there is none. */
FCL_API const fcl_plan *fcl_plan_at(const fcl_artifact *a, size_t target, size_t i);
/* The entry of that name, NULL: the target's only one.  NULL with a diagnostic. */
FCL_API const fcl_plan *fcl_plan_named(const fcl_artifact *a, size_t target, const char *entry);

/* Where something stands in the source.  Never changes. */
typedef struct fcl_place {
    const char *file;              /* "": nobody knows */
    unsigned line, column, length; /* as in fcl_diagnostic */
} fcl_place;

typedef struct fcl_plan_info {
    const char *entry;
    size_t nparams, nresults;                          /* as in fcl_signature, also below */
    size_t nleaves_in, nleaves_out;                    /* what fcl_plan_leaf_in and _out give */
    uint32_t values, memories, kernels, checks, steps; /* the greatest numbers */
    uint32_t block;                                    /* what is done: the outermost block */
    uint64_t most_elements;                            /* no argument may have more */
    fcl_place at;                                      /* of the entry */
} fcl_plan_info;

FCL_API bool fcl_plan_about(const fcl_plan *p, fcl_plan_info *out, size_t size);
/* Leaf i of the parameters and of the result, as of fcl_artifact_leaf_in; false beyond the last. */
FCL_API bool fcl_plan_leaf_in(const fcl_plan *p, size_t i, fcl_leaf *out, size_t size);
FCL_API bool fcl_plan_leaf_out(const fcl_plan *p, size_t i, fcl_leaf *out, size_t size);
/* The type of a value; 0 for no value. */
FCL_API fcl_scalar fcl_plan_value(const fcl_plan *p, uint32_t value);

typedef enum fcl_memory_kind {
    FCL_MEMORY_ARGUMENT = 1, /* of an array argument */
    FCL_MEMORY_ALLOCATED,    /* what FCL_STEP_ALLOCATE makes */
    FCL_MEMORY_TABLE,        /* constants, there before the first step */
    FCL_MEMORY_REPORT,       /* where kernels report failed checks: five words of 32 bits, 0 before
                                the first step */
    FCL_MEMORY_KEPT          /* constants before the first step of the first run, and of the next
                                after one that failed; otherwise what the run before has left */
} fcl_memory_kind;

typedef struct fcl_memory {
    fcl_memory_kind kind;
    fcl_scalar type;          /* of its elements */
    uint32_t argument;        /* ARGUMENT: which leaf of the parameters */
    bool overwritten;         /* ARGUMENT: a result takes its place; else kernels only read it */
    uint32_t nelements;       /* TABLE */
    const uint64_t *elements; /* TABLE: their bits */
} fcl_memory;

FCL_API bool fcl_plan_memory(const fcl_plan *p, uint32_t memory, fcl_memory *out, size_t size);

/* What a device must have to run a kernel: bits of fcl_kernel.needs. */
typedef enum fcl_need {
    FCL_NEEDS_F64 = 1,        /* arithmetic on doubles */
    FCL_NEEDS_F16 = 2,        /* arithmetic on f16 */
    FCL_NEEDS_ATOMICS64 = 4,  /* atomic steps on 64 bits of global memory */
    FCL_NEEDS_GROUPS_WAIT = 8 /* a group may wait for another one that has started */
} fcl_need;

typedef struct fcl_kernel {
    const char *name;     /* in the code */
    uint32_t arguments;   /* how many it takes: fcl_plan_argument */
    uint32_t locals;      /* fcl_plan_local */
    uint64_t local_bytes; /* of local memory that its code declares, beside arguments */
    unsigned needs;       /* fcl_need */
    fcl_place at;
} fcl_kernel;

FCL_API bool fcl_plan_kernel(const fcl_plan *p, uint32_t kernel, fcl_kernel *out, size_t size);

typedef enum fcl_takes {
    FCL_TAKES_VALUE = 1, /* a scalar: launches list a value */
    FCL_TAKES_MEMORY,    /* global memory: launches list a memory */
    FCL_TAKES_LOCAL      /* local memory of a group: launches list a value, its bytes */
} fcl_takes;

typedef struct fcl_kernel_argument {
    fcl_takes takes;
    fcl_scalar type; /* of the value, or of the memory's elements; 0 for LOCAL */
    bool written;    /* MEMORY: the kernel writes it, or may */
} fcl_kernel_argument;

/* Argument i of a kernel, in the order of its code. */
FCL_API bool fcl_plan_argument(const fcl_plan *p, uint32_t kernel, uint32_t i,
                               fcl_kernel_argument *out, size_t size);

/* An array in a kernel's local memory, for messages about what takes the room. */
typedef struct fcl_local {
    const char *name;  /* in the code */
    fcl_scalar type;   /* of its elements */
    uint32_t elements; /* the value that is their number; 0: it is `count` */
    uint64_t count;
    uint32_t from, to; /* the phases of the kernel that use it; to 0: all of them */
    fcl_place at;
    const char *area; /* in the code: local memory that it shares with others; "": none */
    uint64_t offset;  /* in the area, in bytes */
} fcl_local;

FCL_API bool fcl_plan_local(const fcl_plan *p, uint32_t kernel, uint32_t i, fcl_local *out,
                            size_t size);

typedef struct fcl_check {
    unsigned code;       /* of the diagnostic: 602 is E0602 */
    const char *message; /* %1 and %2 stand for the two numbers, %% for a percent sign */
    fcl_place at;
} fcl_check;

FCL_API bool fcl_plan_check(const fcl_plan *p, uint32_t check, fcl_check *out, size_t size);

/* What steps do.  In brackets their operands, then what else they have. */
typedef enum fcl_step_kind {
    FCL_STEP_CONST = 1,     /* gives `bits` */
    FCL_STEP_SCALAR,        /* gives a scalar argument; which: the leaf */
    FCL_STEP_EXTENT,        /* gives the extent of `axis` of an array argument; which: the leaf */
    FCL_STEP_COMPUTE,       /* [a, b, c] gives `op` of them; as many as it takes */
    FCL_STEP_CONVERT,       /* [a] gives it as a value of another type */
    FCL_STEP_BITCAST,       /* [a] gives its bits as a value of another type */
    FCL_STEP_ALLOCATE = 10, /* [elements] gives `memory` room */
    FCL_STEP_FREE,          /* nothing uses `memory` any more */
    FCL_STEP_READ,    /* [element] waits for all launches, and gives that element of `memory` */
    FCL_STEP_LAUNCH,  /* [groups, threads] which: the kernel; list: its arguments, values and
                         memories */
    FCL_STEP_OUTPUT,  /* result `which` is `memory`; list: its extents, values */
    FCL_STEP_CHECK,   /* [condition, first, second] unless the condition holds, the run ends with
                         check `which` */
    FCL_STEP_PASSED,  /* waits for all launches, and ends the run where `memory`, the report, has a
                         failed check */
    FCL_STEP_EMIT,       /* [first] waits for all launches: elements of `memory` from `first` on are a
                            leaf of what is handed out, `which` more follow; list: its extents,
                            values; show.  Once no other follows, all go to whoever takes the output */
    FCL_STEP_EMITSCALAR, /* [a] the same of a scalar */
    FCL_STEP_SWAP,       /* `memory` and memory `which` change places: each has the other's room and
                            what is in it */
    FCL_STEP_IF = 20, /* [condition] blocks: then, else; gives what the one that runs yields */
    FCL_STEP_FOR,     /* [from, to, by] list: what the first turn gets; blocks: the body */
    FCL_STEP_WHILE,   /* list: as before; blocks: the condition, the body */
    FCL_STEP_RECEIVE  /* what is given for the leaves handed out before it, the last of which says that one
                         follows, is `memory`'s, which gets room for it; gives its extents; show */
} fcl_step_kind;

typedef struct fcl_step {
    fcl_step_kind kind;
    uint32_t next;          /* the step behind it in its block; 0: it is the last one */
    uint32_t gives, ngives; /* the values that it defines: `ngives` numbers from `gives` on */
    uint32_t operands[3];   /* values; 0: none */
    uint32_t memory, which;
    uint32_t nlist;
    const uint32_t *list;
    uint32_t blocks[2];
    unsigned axis;
    const char *op; /* the name of a scalar operator; NULL: none */
    uint64_t bits;
    fcl_place at;     /* in the source */
    const char *show; /* EMIT, EMITSCALAR, RECEIVE: the attribute "show"; "": none */
} fcl_step;

/* false for 0 as well: a block is walked from its first step on by `next`. */
FCL_API bool fcl_plan_step(const fcl_plan *p, uint32_t step, fcl_step *out, size_t size);

typedef struct fcl_block {
    uint32_t first;           /* its first step; 0: it has none */
    uint32_t params, nparams; /* values that the loop sets before it: numbers from `params` on */
    uint32_t nyields;
    const uint32_t *yields; /* values that it leaves at its end */
} fcl_block;

FCL_API bool fcl_plan_block(const fcl_plan *p, uint32_t block, fcl_block *out, size_t size);

/* The bits of what a step of kind CONST, COMPUTE, CONVERT or BITCAST gives, exactly as the library
 * computes it: integers wrap, and division by 0 gives what docs/artifact.md says.  values[v]: the
 * bits of value v, of those that are its operands.  0 for other steps. */
FCL_API uint64_t fcl_plan_compute(const fcl_plan *p, uint32_t step, const uint64_t *values);
/* The same as a function of C11 of that name, `static inline int32_t NAME(int32_t x, int32_t y)`, for
 * programs that write host code: what a step of kind COMPUTE, CONVERT or BITCAST gives of its
 * operands.  Steps whose operator and types are equal have equal functions.  They need tgmath.h,
 * stdbool.h, stdint.h and string.h, and a compiler that contracts nothing (-ffp-contract=off, as
 * -std=c11 has it in GCC); an f16 is its bits, a uint16_t.  Like a text of fcl_module_print; empty
 * for other steps. */
FCL_API char *fcl_plan_function(const fcl_plan *p, uint32_t step, const char *name, size_t *size);
/* The bits of a scalar in memory, as arrays have it, and back: a bool is a byte. */
FCL_API uint64_t fcl_bits_read(fcl_scalar t, const void *at);
FCL_API void fcl_bits_write(fcl_scalar t, uint64_t bits, void *at);

/* ---- devices ---- */

/* Opens "interp" (the reference evaluator, section 5.2 of the paper; always there), "opencl" (the
 * first device), "opencl:N", "vulkan", "vulkan:N", "cpu" (the cores of this machine: C compiled by
 * the system's compiler) or "auto" (an OpenCL device if there is one, else a GPU of Vulkan, else
 * cpu where there is a compiler, else interp); NULL is "interp".  NULL with a diagnostic when it cannot. */
FCL_API fcl_device *fcl_device_open(fcl_context *cx, const char *name);
/* A device that works in the caller's cl_context, on its cl_device_id, by its cl_command_queue,
 * which does commands in order (another one is refused, E0621).  They are retained until the device
 * is closed.  One context may serve several devices of the library.  What the library does stands
 * in the queue between what the caller puts there before and after; runs of programs that measure
 * time (`timed`) use a queue of their own, after all that was in this one is done, unless this one
 * has CL_QUEUE_PROFILING_ENABLE: then they stand in it, and wait for nothing before. */
FCL_API fcl_device *fcl_device_adopt(fcl_context *cx, void *context, void *device, void *queue);
FCL_API void fcl_device_close(fcl_device *d);
/* The target whose code the device takes; NULL for interp.  Static. */
FCL_API const char *fcl_device_target(const fcl_device *d);
/* The devices of this machine: names for fcl_device_open, and a line about each; NULL beyond the
 * last. */
FCL_API size_t fcl_device_count(fcl_context *cx);
FCL_API const char *fcl_device_name(fcl_context *cx, size_t i);
FCL_API const char *fcl_device_description(fcl_context *cx, size_t i);
/* The line about an open device, with its driver: what was measured on one holds on another of the same line.  NULL for a
 * device that was adopted. */
FCL_API const char *fcl_device_about(const fcl_device *d);

/* What is compiled for a device is kept on disk, so that the next process need not wait for it: code and plan that
 * fcl_program_create makes, built programs of OpenCL, pipelines of Vulkan, libraries of the device cpu.  `folder`: an absolute path; "": nothing is kept;
 * NULL, as in a new context: where the environment says (FCL_CACHE, or else libfcl in XDG_CACHE_HOME
 * or in .cache of HOME).  It is made when something is kept, and has no effect unless it belongs to
 * the user and nobody else may write it.  `bytes`: of all files together, beyond which those go that
 * were used longest ago; 0: 256 MiB.  For what is built from now on.  Damaged files are as none, and a
 * folder that cannot be written is no error.  False when memory is short, with a diagnostic; nothing
 * changes then. */
FCL_API bool fcl_cache_set(fcl_context *cx, const char *folder, uint64_t bytes);

typedef struct fcl_cache_info {
    uint64_t compiled; /* how often drivers have compiled since the context was made, */
    uint64_t found;    /* and how often what was kept was used in place of that */
    uint64_t bytes;    /* of files, at most */
    uint64_t nanoseconds; /* that drivers and the C compiler took to compile, and to take what was kept */
} fcl_cache_info;

/* False when out is NULL. */
FCL_API bool fcl_cache_get(const fcl_context *cx, fcl_cache_info *out, size_t size);

/* What an `emit` of the program hands out.  Lives as long as the call that it is handed to. */
typedef struct fcl_output {
    const fcl_array *arrays; /* one for each leaf of its operand, as results of kernels have them */
    size_t n;
    const char *show; /* its attribute "show", where that is a text; NULL: it has none */
    size_t show_size;
    const char *file; /* where the emit stands; "" where it is not known */
    unsigned line, column;
} fcl_output;

/* Called for each `emit` that a run comes to, in the order of the program and before anything that
 * stands behind it is done, in the thread of the call that runs it; also by a run that fails later.
 * It calls nothing of the library but fcl_cancel and what reads arrays; false ends the run as
 * fcl_cancel does.  A run that hands something out waits inside for what it hands out, also one of
 * fcl_program_start. */
typedef bool fcl_output_fn(void *user, const fcl_output *output);

/* What a caller gives a `receive`, while it is asked. */
typedef struct fcl_answer fcl_answer;

/* Called for each `receive` that a run comes to, where an fcl_output_fn would be, with what was handed
 * out for it, and that operation's attribute "show".  It gives the answer by fcl_answer_give, or says why
 * there is none by fcl_answer_refuse, and calls nothing else of the library that an fcl_output_fn may
 * not.  false ends the run: as fcl_cancel does, or with what was said. */
typedef bool fcl_input_fn(void *user, const fcl_output *asked, fcl_answer *answer);

/* What is wanted: the type of a scalar or of the elements of an array; rank 0: a scalar. */
FCL_API fcl_scalar fcl_answer_type(const fcl_answer *a);
FCL_API unsigned fcl_answer_rank(const fcl_answer *a);
/* Gives it, of that type and rank; copied.  The last one given counts.  False, with a diagnostic
 * (E0626), where it does not fit, or memory is short. */
FCL_API bool fcl_answer_give(fcl_answer *a, const fcl_array *x);
/* Ends the run with E0626 at the place of the operation, and that message.  Gives false. */
FCL_API bool fcl_answer_refuse(fcl_answer *a, const char *why);

typedef struct fcl_run_options {
    size_t size;                        /* of the structure */
    const fcl_compile_options *compile; /* target and entry are not read here; NULL: the usual */
    const char *via; /* the target to compile for, or "spirv"; NULL: what the device takes first */
    bool timed;      /* runs of a program are measured: see fcl_program_nanoseconds */
    uint64_t memory; /* bytes of device memory that a run of a program may hold at the same time, as
                        fcl_program_peak counts them: E0624 before more are taken; 0: any */
    bool (*progress)(void *user, uint64_t launches); /* called after each launch of a run on a
                                                        device, with how many there were; false ends
                                                        the run as fcl_cancel does; NULL: not */
    void *user;                                      /* handed to it */
    fcl_output_fn *output; /* takes what `emit` hands out; NULL: it is dropped */
    void *output_user;     /* handed to it */
    fcl_input_fn *input;   /* answers what `receive` asks; NULL: a run that comes to one ends (E0626) */
    void *input_user;      /* handed to it */
} fcl_run_options;

/* Runs a kernel of the device's context.  entry NULL: the module's only kernel.  args: one for each
 * leaf of the parameters, only read.  results: room for one for each leaf of the result; their data
 * is allocated here and freed with fcl_results_free.  False with diagnostics when refused or
 * failed; results are untouched then.  `options` may be NULL. */
FCL_API bool fcl_run(fcl_module *m, const char *entry, fcl_device *d,
                     const fcl_run_options *options, const fcl_array *args, size_t nargs,
                     fcl_array *results, size_t nresults);
/* Frees the data of n results. */
FCL_API void fcl_results_free(fcl_context *cx, fcl_array *results, size_t n);

/* ---- running again and again, over arrays that stay on the device ---- */

/* An array of `rank` dimensions (0 to FCL_MAX_RANK) in the device's memory, with undefined
 * contents.  Rank 0, without dimensions, is one element: the place of a result that is a scalar;
 * arguments that are scalars are none. */
FCL_API fcl_buffer *fcl_buffer_create(fcl_device *d, fcl_scalar type, unsigned rank,
                                      const uint64_t *dims);
/* The array is in the caller's cl_mem, a buffer of the device's context, and begins where that
 * does. It is retained until the buffer is destroyed; E0621 where it is smaller than the array. */
FCL_API fcl_buffer *fcl_buffer_wrap(fcl_device *d, void *memory, fcl_scalar type, unsigned rank,
                                    const uint64_t *dims);
/* Before its device is closed. */
FCL_API void fcl_buffer_destroy(fcl_buffer *b);
/* Type, rank and extents; data is NULL. */
FCL_API fcl_array fcl_buffer_shape(const fcl_buffer *b);
/* All elements, in the order of fcl_array, from and to host memory. */
FCL_API bool fcl_buffer_write(fcl_buffer *b, const void *data);
FCL_API bool fcl_buffer_read(const fcl_buffer *b, void *data);
/* Where the elements are: a cl_mem of the device's context, on the devices interp and cpu host
 * memory.
 * Borrowed. */
FCL_API void *fcl_buffer_memory(const fcl_buffer *b);

/* The handles of an OpenCL device, for programs that share its memory: of types cl_platform_id,
 * cl_device_id, cl_context and cl_command_queue (in order; without profiling, unless it was adopted
 * with it).  Borrowed. */
typedef struct fcl_opencl {
    void *platform, *device, *context, *queue;
} fcl_opencl;

/* False, and no diagnostic, for the devices interp and cpu. */
FCL_API bool fcl_device_opencl(const fcl_device *d, fcl_opencl *out, size_t size);

/* An argument: an array on the program's device, or (buffer NULL) a scalar of that type. */
typedef struct fcl_argument {
    const fcl_buffer *buffer;
    fcl_scalar type;
    const void *scalar; /* read during the run only */
} fcl_argument;

/* Makes a kernel ready for a device of the module's context: checks, lowers, emits and builds it
 * once; kernels of OpenCL C, if there are several, and those for Vulkan when they are first launched:
 * what a driver refuses ends that run.  entry NULL: the module's only kernel.  The module stays unchanged, and module and device
 * stay, until the program is destroyed. `options` may be NULL; its texts are read only here. */
FCL_API fcl_program *fcl_program_create(fcl_module *m, const char *entry, fcl_device *d,
                                        const fcl_run_options *options);
/* The same for an entry of an artifact, which stays until the program is destroyed: its code is
 * built for the device, and neither checked nor lowered again.  Of several targets it is the first
 * that the device can build, has everything for that its kernels need, and that avoids what the
 * device's driver gets wrong; where only the last does not hold, a warning says so (W1104).  Of the
 * options `via`, which names the target, `timed`, `memory`, `progress` and `user` are read. */
FCL_API fcl_program *fcl_program_from_artifact(fcl_artifact *a, const char *entry, fcl_device *d,
                                               const fcl_run_options *options);
FCL_API void fcl_program_destroy(fcl_program *p);
/* Runs it, and waits for the end.  args: one for each leaf of the parameters.  results: room for
 * one new buffer for each leaf of the result; untouched when the run is refused or fails.  No
 * elements move between host and device, except those that the launch plan itself decides by.  With
 * `in_place` the argument's buffer then holds the result, whose place in results becomes NULL; the
 * device interp leaves arguments alone and makes a new buffer. */
FCL_API bool fcl_program_run(fcl_program *p, const fcl_argument *args, size_t nargs,
                             fcl_buffer **results, size_t nresults);
/* The same with results[i] NULL for a new buffer, or a buffer of the program's device that the
 * result is written to: of the result's scalar type, with memory for all its elements, and neither
 * an argument (unless `in_place` names that) nor the buffer of another result.  It has the result's
 * rank and extents afterwards (fcl_buffer_shape), and may be given again for all that its memory
 * holds. A result that does not fit is refused (E0622): before anything runs where arguments tell
 * its extents, else when they are known.  When a run fails, given buffers hold anything. */
FCL_API bool fcl_program_run_into(fcl_program *p, const fcl_argument *args, size_t nargs,
                                  fcl_buffer **results, size_t nresults);
/* As fcl_program_run_into, but does not wait for the end: on an OpenCL device the launches stand in
 * its queue when the call returns, and what is started next comes behind them.  Results are buffers
 * at once, with their extents, and may be arguments of other runs on that device, given to
 * fcl_program_reuse or destroyed; so a chain of programs waits once.  Memory is used again without
 * waiting, as the queue keeps its order.  A plan that decides by elements that kernels have made
 * waits for these inside of the call; on the device interp the whole run is done in it.  Times are
 * not measured.  The run is ended by fcl_job_wait of this or of a later job of the device, by
 * reading a result, by fcl_program_run with a result as argument, and by destroying its program or
 * closing its device: that is when a failed check becomes a diagnostic.  Its results hold nothing
 * then, nor do those of runs that took them: E0623 where they are used.  Jobs that nobody waits for
 * take some memory each.  NULL with diagnostics when it is refused; scalars are read during the
 * call only. */
FCL_API fcl_job *fcl_program_start(fcl_program *p, const fcl_argument *args, size_t nargs,
                                   fcl_buffer **results, size_t nresults);
/* Waits for its end, and for that of all jobs started before on its device.  False when it failed
 * or took what a failed one was to make; each diagnostic is reported once. */
FCL_API bool fcl_job_wait(fcl_job *j);
/* Whether it has ended, without waiting; fcl_job_wait tells how. */
FCL_API bool fcl_job_done(fcl_job *j);
/* The cl_event of its end, for the caller's own commands and clSetEventCallback; NULL on the device
 * interp.  Borrowed: clRetainEvent keeps it longer than the job.  A callback comes in a thread of
 * the driver, where of this library only fcl_cancel may be called. */
FCL_API void *fcl_job_event(fcl_job *j);
/* Forgets the job, which goes on if it runs.  Before its device is closed. */
FCL_API void fcl_job_destroy(fcl_job *j);
/* The bytes of device memory that the program held at most at the same time in its last run:
 * intermediate arrays and new results, as large as they lie in its pool, but neither arguments nor
 * given buffers. 0 on the device interp. */
FCL_API uint64_t fcl_program_peak(const fcl_program *p);
/* The same over arrays in host memory, which are copied; results as of fcl_run. */
FCL_API bool fcl_program_run_host(fcl_program *p, const fcl_array *args, size_t nargs,
                                  fcl_array *results, size_t nresults);
/* Destroys a buffer, but keeps its memory for the results and intermediate arrays of p's next run:
 * runs whose results are given back allocate nothing on the device. */
FCL_API void fcl_program_reuse(fcl_program *p, fcl_buffer *b);
/* How long copying arguments to the device and results back took in the last fcl_program_run_host,
 * in nanoseconds by the host's clock; 0 on the device interp, and unless the program was made with
 * `timed`. */
FCL_API uint64_t fcl_program_transfers(const fcl_program *p);
/* How long the kernels of the last run took by the device's clock, added up; *span (NULL is
 * allowed): from the start of the first to the end of the last.  On the device interp both are the
 * time of the run.  0 unless the program was made with `timed`. */
FCL_API uint64_t fcl_program_nanoseconds(const fcl_program *p, uint64_t *span);

#ifdef __cplusplus
}
#endif

#endif
