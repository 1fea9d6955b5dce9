/* What to compile for: the back end and the k_target that options and a device give. */
#ifndef FCL_LIBFCL_TARGET_H
#define FCL_LIBFCL_TARGET_H

#include "backends/backend.h"
#include "backends/run/run.h"
#include "libfcl/face.h"

/* The back end that the options name; NULL with a diagnostic. */
const fcl_backend *target_backend(fcl_context *cx, const fcl_compile_options *o);
/* Whether it is one of the library, and no plug-in's. */
bool target_is_own(const fcl_backend *b);
/* What the options say of module m, and for what they leave open the device, or where that is NULL
 * the back end's defaults.  False with a diagnostic when they ask for what there is not. */
bool target_make(const fcl_module *m, const fcl_backend *b, const fcl_compile_options *o,
                 const run_caps *device, k_target *t);
/* Whether what the options name is there, for a device that needs none of it: a target, checks, quirks, decisions, passes. */
bool target_names_known(fcl_context *cx, const fcl_compile_options *o);
/* Blocks have no more threads than `most`, those of a size of their own included. */
void target_limit_block(k_target *t, uint32_t most);
/* Takes over what the options of a kernel pass say. */
void target_override(fcl_context *cx, const fcl_compile_options *o, k_target *t);
/* What `from` says takes the place of what o says; tuning numbers come behind those of o. */
bool options_merge(fcl_context *cx, fcl_compile_options *o, const fcl_compile_options *from);
/* Adds NAME=N to the options' tuning; the text lives as long as the context.  False when there is
 * no such number of that pass ("lower" has all), or the value is none of its; *known tells. */
bool options_tune(fcl_context *cx, fcl_compile_options *o, const char *pass, const char *name,
                  const char *value, bool *known);
/* Whether the back end has the dialect that the program is for; one that was read may say any. */
bool target_is_of(const fcl_backend *b, const k_program *p);
/* Whether the kernels of an outlined program fit the local memory of its target; sizes that only
 * the launch knows are checked there. */
bool target_fits_memory(const k_program *p);
/* The threads of a block half as large, where they do not fit and the options leave the size of
 * blocks open; 0: they fit, or it cannot be smaller. */
uint32_t target_smaller_block(const fcl_compile_options *o, const k_program *p);

/* Whether it is a list of NAME=N that targets may have as their usual numbers; NULL: of none. */
bool target_tuning_is_good(const char *list);
/* Whether all that a list says, as fcl_compile_options.tuning, is of the library or of a tunable of the module, which is
 * scheduled, and may be; reports what is not. */
bool target_tuned(const fcl_module *m, const char *list);
/* Whether a list names tunables of the library and of the module alone, none that only its schedule has. */
bool target_tunes_own(const fcl_module *m, const char *list);

/* What the option --checks says for those; NULL beyond the last.  The other way around: false, and *which stays, where none
 * is called that. */
const char *target_checks_name(k_checks which);
bool target_find_checks(const char *name, k_checks *which);

#endif
