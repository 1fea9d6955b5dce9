/* Records of an artifact: a table of fields says what is written of a structure and read into it,
 * so that both go by one list. */
#ifndef FCL_SERIALIZE_ARTIFACT_RECORD_H
#define FCL_SERIALIZE_ARTIFACT_RECORD_H

#include "serialize/artifact/artifact.h"
#include "serialize/coding/cursor.h"
#include "serialize/coding/pack.h"

/* Writing; `ok` falls when memory runs out, and what follows is lost. */
typedef struct artifact_writer {
    packer out;
    fcl_context *cx;
    const plan *p; /* being written */
    bool ok;
} artifact_writer;

/* Reading; each function returns false after a report. */
typedef struct artifact_reader {
    cursor c;
    const unsigned char *start;
    fcl_context *cx;
    str_id file;
    artifact *a;
    plan *p; /* being read */
    uint32_t depth;
    uint32_t major, minor;
} artifact_reader;

typedef enum field_kind {
    FIELD_U32,
    FIELD_U64,
    FIELD_BOOL,
    FIELD_TEXT,   /* a str_id */
    FIELD_SCALAR, /* of a type, in 8 bits */
    FIELD_PLACE,  /* a location */
    FIELD_OWN     /* by functions of its own */
} field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    size_t offset; /* in the structure; OWN: 0 */
    bool optional; /* left out when it is 0, or has no elements */
    bool (*is_there)(const artifact_writer *w, const void *x); /* OWN and optional */
    void (*put)(artifact_writer *w, const void *x);            /* OWN */
    bool (*take)(artifact_reader *r, void *x);                 /* OWN */
} field;

/* A row of artifact.def as a field of a structure; OWN has put_MEMBER and take_MEMBER, and
 * has_MEMBER where the field may be left out. */
#define FIELD_OF(structure, name, kind, member, presence)                                          \
    {                                                                                              \
        .key = name, FIELD_IS_##kind(structure, member) FIELD_IS_##presence(member)                \
    }
#define FIELD_IN(structure, member, of)    .kind = of, .offset = offsetof(structure, member),
#define FIELD_IS_TEXT(structure, member)   FIELD_IN(structure, member, FIELD_TEXT)
#define FIELD_IS_U32(structure, member)    FIELD_IN(structure, member, FIELD_U32)
#define FIELD_IS_U64(structure, member)    FIELD_IN(structure, member, FIELD_U64)
#define FIELD_IS_BOOL(structure, member)   FIELD_IN(structure, member, FIELD_BOOL)
#define FIELD_IS_SCALAR(structure, member) FIELD_IN(structure, member, FIELD_SCALAR)
#define FIELD_IS_PLACE(structure, member)  FIELD_IN(structure, member, FIELD_PLACE)
#define FIELD_IS_OWN(structure, member)                                                            \
    .kind = FIELD_OWN, .put = put_##member, .take = take_##member,
#define FIELD_IS_ALWAYS(member)  .optional = false
#define FIELD_IS_NONZERO(member) .optional = true
#define FIELD_IS_PRESENT(member) .optional = true, .is_there = has_##member

/* A structure as a map of the fields that it has. */
void record_put(artifact_writer *w, const field *fields, size_t n, const void *x);
/* Every field that is not optional must be there, none twice; what is unknown is skipped. */
bool record_take(artifact_reader *r, const field *fields, size_t n, void *x);

/* ---- single values ---- */

void put_number(artifact_writer *w, uint64_t x);
void put_text(artifact_writer *w, str_id s);
void put_name(artifact_writer *w, const char *s);
void put_list(artifact_writer *w, uint32_t n); /* its elements follow */
void put_place(artifact_writer *w, location at);
/* A value of a scalar type: an integer, a float or a boolean. */
void put_scalar(artifact_writer *w, scalar t, uint64_t bits);

bool take_number(artifact_reader *r, uint64_t most, uint64_t *x, const char *what);
bool take_u32(artifact_reader *r, uint32_t *x, const char *what);
bool take_text(artifact_reader *r, str_id *s, const char *what);
/* The text itself, which stays where it is. */
bool take_chars(artifact_reader *r, const char **s, uint32_t *n, const char *what);
bool take_list(artifact_reader *r, uint32_t *n, const char *what);
bool take_place(artifact_reader *r, location *at);
bool take_scalar(artifact_reader *r, scalar t, uint64_t *bits);
bool take_type(artifact_reader *r, uint8_t *t);
/* Reports a mistake at the cursor; false. */
bool artifact_refuse(artifact_reader *r, diag_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool artifact_expected(artifact_reader *r, const char *what);
static inline bool chars_are(const char *s, uint32_t n, const char *word)
{
    return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* ---- the records ---- */

/* Of plan: entry, parameters, values, memories, kernels, checks and steps.  plan.c */
void put_plan(artifact_writer *w, const plan *p);
bool take_plan(artifact_reader *r, plan *p);
/* The block with that number, made by the reader before.  steps.c */
void put_block(artifact_writer *w, uint32_t block);
bool take_block(artifact_reader *r, uint32_t block);

#endif
