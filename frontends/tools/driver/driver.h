/* Host programs in C: what a launch plan says, written out as functions over OpenCL.
 *
 * NAME.h has two functions for each entry, NAME_ENTRY over arrays in host memory and
 * NAME_ENTRY_on_device over cl_mem; NAME.c has their code and that of the kernels; NAME.cl the
 * kernels to be read; main.c a program around them; fcl_host.h and fcl_host_main.h what all such
 * programs have in common, which are files of this folder.
 *
 * The value v of a plan is the variable vN, with N its number; memory N is entry N of a list.  So
 * the text of the plan and its code can be read side by side. */
#ifndef FCL_TOOLS_DRIVER_H
#define FCL_TOOLS_DRIVER_H

#include "frontends/tools/text.h"
#include "libfcl/fcl.h"

/* The files, each a text. */
typedef struct driver_files {
    string header, source, program;
} driver_files;

/* An identifier of C made of a file's name: its last part, without its ending. */
void driver_name(const char *path, string *out);
/* The number of the target that they are made for: OpenCL C, for every device where there is one.
 * False when there is none. */
bool driver_choose(const fcl_artifact *a, size_t *target);
/* False where memory is short, with a diagnostic in the context. */
bool driver_make(fcl_context *cx, const fcl_artifact *a, size_t target, const char *name,
                 driver_files *out);
void driver_free(driver_files *files);
/* The texts of fcl_host.h and fcl_host_main.h. */
const char *driver_host_text(size_t *size);
const char *driver_main_text(size_t *size);

/* ---- of this folder's files ---- */

/* An entry while it is written. */
typedef struct driver {
    fcl_context *cx;
    const fcl_plan *p;
    fcl_plan_info info;
    const char *name; /* of the program */
    string *out;
    string *functions; /* of the host's arithmetic, each once */
    string *known;     /* their names, each with a blank before and behind */
    unsigned indent;
    size_t kernels; /* of the entries before */
    bool *used;     /* values, by number */
    bool ok;
} driver;

/* names.c: what things are called in C. */
const char *driver_type(fcl_scalar t);   /* of a value */
const char *driver_stored(fcl_scalar t); /* of an element: a bool is a byte */
/* The identifier of a parameter's leaf: "in0_xs", with the prefix "in". */
void driver_put_leaf(driver *d, const char *prefix, size_t leaf);
/* The extent of an axis of an array argument: that of the first of its array of tuples. */
void driver_put_extent(driver *d, size_t leaf, unsigned axis);
void driver_put_constant(string *out, fcl_scalar t, uint64_t bits);
/* A text as a literal of C, on one line. */
void driver_put_string(string *out, const char *s, size_t n);
/* The letters, digits and _ of a name, and _ for others. */
void driver_put_plain(string *out, const char *name);

/* uses.c: fills d->used: the values that what is done depends on. */
void driver_find_uses(driver *d);

/* steps.c: the steps of a block, one statement or more for each. */
void driver_put_block(driver *d, uint32_t block);
void driver_line(driver *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "if (!CALL) goto end;", with the place that a failure has which knows none of its own. */
void driver_unless(driver *d, const fcl_place *at, const char *call, ...)
    __attribute__((format(printf, 3, 4)));
/* " && !fcl_host_at(ERROR, FILE, LINE, COLUMN)", behind what fails; nothing where nobody knows. */
void driver_put_place(driver *d, const char *error, const fcl_place *at);

/* entry.c: an entry's declarations for NAME.h, its functions for NAME.c, and its part of main.c. */
void driver_put_declarations(driver *d);
void driver_put_functions(driver *d);
void driver_put_program(driver *d);

#endif
