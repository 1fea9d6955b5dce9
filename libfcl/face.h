/* What the files of the library's face share: the module behind fcl_module, and how a call ends.
 *
 * Every public function that can fail notes the context's error count when it starts and asks
 * face_ok at its end: that is where an allocation failure becomes a diagnostic.  Only files of this
 * folder include fcl.h. */
#ifndef FCL_LIBFCL_FACE_H
#define FCL_LIBFCL_FACE_H

#include "ir/host.h"
#include "ir/ir.h"
#include "libfcl/abi.h"
#include "libfcl/fcl.h"

/* A function's graph: operations from this one on, and their region; 0: it is none. */
typedef struct graph_start {
    ir_op op;
    ir_region pool;
} graph_start;

struct fcl_module {
    ir_module ir;
    location at;   /* fcl_at: the front end's position */
    uint32_t loc;  /* the same, as an entry of ir.locs; 0: not entered yet */
    vec_u32 named; /* by name, the first `entered` functions */
    uint32_t entered;
    VEC(graph_start) graphs; /* by function: where those that are graphs began */
    fcl_rewrite *rewrite;    /* one that is under way; NULL */
    ir_op insert;            /* where it inserts; 0: behind */
    vec_u32 taken;           /* ids that a builder call was given, as they are inside */
    uint32_t stretch;        /* tells its ids from those of other modules: ids.h */
    str_id signatures; /* of the declarations of FCL source, as text; 0: the module is not made from
                          any */
    bool leveled; /* the pass schedule has chosen its levels */
    bool broken; /* a builder call failed, or memory ran out halfway: nothing may be done with it
                    but destroying it */
};

extern const char face_producer[]; /* what files say made them: "libfcl 0.1.0" */

/* True when no error was reported since `before`; memory that ran out becomes a diagnostic here,
 * and the context can go on. */
bool face_ok(fcl_context *cx, uint32_t before);
/* The same for a call that works on a module: memory that ran out breaks the module. */
bool face_module_ok(fcl_module *m, uint32_t before);
/* A module with the same ids, positions and texts; NULL when memory is short. */
fcl_module *face_module_copy(const fcl_module *m);
/* Whether a call was given what it needs; reports (E0864) what is NULL.  And whether two contexts are
 * the same one; `what` belongs to the other. */
bool face_given(fcl_context *cx, const void *what, const char *call, const char *name);
bool face_same(fcl_context *cx, const fcl_context *other, const char *call, const char *name);
#define GIVEN(cx, what)        face_given(cx, what, __func__, #what)
#define GIVEN_ALL(cx, what, n) (!(n) || GIVEN(cx, what))
#define SAME(context, what)    face_same(context, (what)->cx, __func__, #what)
/* Whether a module can be worked on at all; reports when not. */
bool face_usable(fcl_module *m);

/* The text of an import: asks the options' function, then knows those of libfcl/prelude.
 * `user` is a fcl_load_options or NULL. */
bool face_import(void *user, const char *name, const char **text, size_t *size);

/* The kernel with that name (NULL: the only one) of a checked module; 0 with a diagnostic. */
ir_func face_kernel(fcl_module *m, const char *entry);

/* What a kernel of a checked module takes and gives; *out is freed in either case.  False when
 * memory is short. */
bool face_signature(fcl_module *m, ir_func f, host_signature *out);
/* Leaf i of one side (in: of the parameters), as callers see it; false when there is none. */
bool face_leaf(fcl_context *cx, const host_signature *s, bool in, size_t i, fcl_leaf *out);
fcl_signature face_counts(const host_signature *s);

/* Turns a buffer into a NUL-terminated block of exactly len + 1 bytes; NULL when memory is short.
 * Frees the buffer. */
char *face_take_text(fcl_context *cx, vec_char *text, size_t *size);

#endif
