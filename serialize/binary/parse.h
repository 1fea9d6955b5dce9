/* The inside of the binary reader: what its files share.
 *
 * binary/read.c reads the file around the sections; binary/parse.c single values and reports;
 * binary/read_tables.c strings, types, constants and function heads; binary/read_code.c the code;
 * binary/read_extra.c the optional sections.
 *
 * A function that reads something returns false after it has reported why it could not; the first
 * such mistake ends the reading. Nothing is allocated for a claim before its bytes are seen to be
 * there. */
#ifndef FCL_SERIALIZE_BINARY_PARSE_H
#define FCL_SERIALIZE_BINARY_PARSE_H

#include "serialize/binary/binary.h"
#include "serialize/coding/cursor.h"
#include "serialize/binary/tables.h"

/* What must be around a type or level: binders of levels and of types, and how many parameters must
 * have been bound. */
typedef struct needs {
    uint32_t parameters;
    uint16_t levels, types;
} needs;

/* A type of the file. */
typedef struct known_type {
    ir_type type;
    needs needs;
} known_type;

/* A constant of the file.  It becomes a value of the module at each use: see `constant` in
 * binary/read_code.c. */
typedef struct known_constant {
    uint64_t bits;           /* of bytes: a str_id */
    uint8_t literal, scalar; /* literal_kind, and the type of a typed one */
    bool is_bytes;           /* of a `constant`: no operand */
} known_constant;

/* A region that is being read: one entry of the stack that takes the place of recursion. */
typedef struct inner_region {
    ir_region region;
    ir_op owner;   /* 0: a function's body */
    uint32_t left; /* regions of the owner after this one */
    uint32_t mark; /* visible values outside */
} inner_region;

/* Where the operations and values of an own function begin; its parameters are known from its body.
 */
typedef struct func_extent {
    ir_op ops;
    ir_value values;
    uint32_t constants; /* values before these that are constants */
} func_extent;

/* The bytes of a section, in the file. */
typedef struct body {
    const unsigned char *p;
    uint32_t size;
    bool present;
} body;

/* One reading of a file.  The sections fill it in their order, and each relies on those before
 * it. */
typedef struct binary {
    ir_module *m;
    mem *mm;
    fcl_context *cx;
    str_id file;
    text_import_fn *import;
    void *user;
    const unsigned char *data;
    cursor c;
    const char *section;            /* being read; NULL: outside of them */
    ir_func func;                   /* being read; 0: none */
    uint32_t major, minor, version; /* major * 100 + minor */
    body bodies[SECTION_COUNT];
    vec_u32 strings;
    VEC(known_type) types; /* entry 0: the unknown one */
    VEC(known_constant) constants;
    ir_tvar tvars; /* the first */
    uint32_t ntvars, bound;
    vec_u32 funcs; /* by number: own ones, then those of imports */
    uint32_t own;
    VEC(func_extent) extents; /* of the own functions, and of what comes behind */
    vec_u32 visible, lists, names;
    VEC(inner_region) open;
    uint32_t nconstants; /* values that were made for operands */
} binary;

/* Whether nothing is needed but parameters that were bound. */
static inline bool needs_are_met(const binary *b, const needs *x)
{
    return !(x->levels | x->types) && x->parameters <= b->bound;
}

/* Reports a mistake at the cursor; returns false.  It says at which byte, in which section and
 * function; bytes are all the positions that a binary file has. */
bool bin_refuse(binary *b, diag_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for another value than the one that should stand at the cursor. */
bool bin_expected(binary *b, const char *what);

/* Reports what the tables have no row for, at a byte of the file (NULL: where the cursor is), with
 * the versions where the file is newer than the library; returns false. */
bool bin_unknown(binary *b, const unsigned char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Values, in words for the report. */
bool bin_number(binary *b, uint32_t *x, const char *what);
/* A number less than limit.  After a report the cursor is at the number that was too large. */
bool bin_index(binary *b, uint32_t *x, uint64_t limit, const char *what);
/* The same for a number that tables give: `what` goes on "there is no". */
bool bin_row(binary *b, uint32_t *x, uint64_t limit, const char *what);
bool bin_array(binary *b, uint32_t *n, const char *what);
/* An array of that many elements. */
bool bin_array_of(binary *b, uint32_t n, const char *what);
/* A text or a block of bytes, interned; 0 for an empty one. */
bool bin_text(binary *b, str_id *s, const char *what);
/* An array of texts, appended to *out. */
bool bin_texts(binary *b, vec_u32 *out);
/* Whether the grammar of the text form takes a string for a name. */
bool bin_is_name(const binary *b, str_id s);

/* A type that stands by itself: all its binders are in it. */
bool bin_type(binary *b, ir_type *t);
bool bin_level(binary *b, ir_level *l);
/* Binds the next parameters of types and levels; *first is the first of them. */
bool bin_bind(binary *b, uint32_t ntypes, uint32_t nlevels, ir_func f, ir_tvar *first);

/* The sections, one function each, by the names that binary.def has: the cursor is at the beginning
 * of the section's contents, and read.c sees to it that they end where the function ends. */
bool bin_strings(binary *b);
bool bin_types(binary *b);
bool bin_constants(binary *b);
bool bin_functions(binary *b);
bool bin_code(binary *b);
bool bin_names(binary *b);
bool bin_locations(binary *b);
bool bin_attributes(binary *b);
bool bin_properties(binary *b);
bool bin_operators(binary *b);

#endif
