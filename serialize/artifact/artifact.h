/* Artifacts: code for one or several targets with the launch plans that run it, as data and as a
 * file (.fcla).
 *
 * docs/artifact.md is the specification.  Records are MessagePack maps with texts as keys, so that
 * a reader takes what it knows and skips the rest. */
#ifndef FCL_SERIALIZE_ARTIFACT_H
#define FCL_SERIALIZE_ARTIFACT_H

#include "ir/plan/plan.h"

#define ARTIFACT_MAGIC "fcla"
enum { ARTIFACT_MAJOR = 0, ARTIFACT_MINOR = 4 };

/* Code, and what it asks of who builds and runs it. */
typedef struct artifact_target {
    str_id name; /* "opencl-c" */
    vec_char code;
    bool is_text;       /* else a blob */
    str_id options;     /* for the compiler of the code: "-cl-std=CL1.2" */
    str_id exchange;    /* how its lanes exchange values */
    uint32_t warp_size; /* that it relies on; 0: none */
    vec_u32 quirks;     /* names of what the code avoids, texts of the context */
    VEC(plan) entries;  /* the kernels of the module, one plan each */
} artifact_target;

typedef struct artifact {
    fcl_context *cx;
    str_id producer;
    unsigned char digest[32]; /* fcl_module_hash of what it was made from */
    bool has_digest;
    VEC(artifact_target) targets;
} artifact;

void artifact_init(artifact *a, fcl_context *cx);
void artifact_release(artifact *a);
void artifact_target_release(fcl_context *cx, artifact_target *t);

/* Whether a further target goes with the artifact's: it has no entry that the first one does not
 * have, nor one that takes or gives something else.  False after a report (E0630). */
bool artifact_fits(const artifact *a, const artifact_target *t);

/* Whether the bytes begin like an artifact. */
bool artifact_is(const char *data, size_t size);
/* Appends the file.  False when memory is short. */
bool artifact_write(const artifact *a, vec_char *out);
/* Reads and verifies one; `name` is what diagnostics call it.  *a is to be released in either case.
 * False with a report; the first mistake ends the reading.  Time and memory are proportional to the
 * bytes. */
bool artifact_read(artifact *a, const char *name, const char *data, size_t size);

#endif
