/* The front end of the FCL surface language, as the library's loader sees it.
 *
 * It reads `.fcl` source in both dialects (docs/language.md), infers types and levels, and builds
 * the program in the FCL core through fcl.h.  It knows nothing of the core's insides. */
#ifndef FCL_FRONTENDS_FCL_SURFACE_H
#define FCL_FRONTENDS_FCL_SURFACE_H

#include "ir/base/context.h"
#include "libfcl/fcl.h"

/* What reading a program takes.  `files` finds other texts by name: "prelude.fcl", and those that
 * the program reads. */
typedef struct fcl_surface {
    const char *name; /* what diagnostics call the text */
    const char *text;
    size_t size;
    const char *entry; /* the declaration that becomes the kernel; NULL: main, else the last one */
    fcl_import_fn *files;
    void *files_user;
    vec_u32 *sources; /* the texts that were read are held there */
} fcl_surface;

/* Whether a text is one of the surface language: by its name, unless it begins like a text of the
 * core. */
bool fcl_surface_is(const char *name, const char *text, size_t size);

/* Builds the program into the empty module m.  *signatures gets the inferred signatures of its
 * declarations, a line each.  False with diagnostics: one for each declaration that has an error.
 * Nothing of *in is needed afterwards. */
bool fcl_surface_read(fcl_context *cx, fcl_module *m, const fcl_surface *in, vec_char *signatures);

#endif
