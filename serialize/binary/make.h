/* The inside of the binary writer: what its files share.
 *
 * binary/write.c makes the file from its sections; binary/write_code.c walks the functions, which
 * fills the sections in order of first use; binary/write_tables.c has the tables of strings, types,
 * parameters and constants that this fills; binary/write_extra.c the optional sections. */
#ifndef FCL_SERIALIZE_BINARY_MAKE_H
#define FCL_SERIALIZE_BINARY_MAKE_H

#include "serialize/binary/binary.h"
#include "serialize/coding/pack.h"
#include "serialize/binary/tables.h"

/* Strings in order of first use: each has a number once it was asked for. */
typedef struct string_table {
    vec_u32 number; /* by str_id: 1 + its number */
    uint32_t count;
    packer texts;
} string_table;

typedef struct constant_slot {
    uint64_t bits;
    uint32_t form, number; /* 1 + its number; 0: free */
} constant_slot;

/* An optional section: for each function an array of entries, which say how many items lie between
 * them. */
typedef struct item_table {
    packer entries;
    size_t at;      /* where the entries of this function begin */
    uint32_t count; /* of their elements */
    uint32_t last;  /* item of the last one */
    bool used;      /* some function or the module has an entry */
    string_table strings;
} item_table;

typedef struct open_region {
    ir_region region;
    ir_op next;    /* to be written */
    ir_op owner;   /* 0: a function's body */
    uint32_t left; /* regions of the owner after this one */
    uint32_t mark; /* visible values outside */
} open_region;

typedef struct maker {
    ir_module *m;
    mem *mm;
    bool valid; /* false: the module is not: what is written makes no sense */
    packer body[SECTION_COUNT];
    string_table strings; /* of functions and imports */
    vec_u32 type_number;  /* by ir_type: its number; types are counted from 1 */
    uint32_t ntypes;
    vec_u32 tvar_number; /* by ir_tvar: 1 + its number */
    vec_u32 tvar_names;  /* in order of their numbers */
    packer parameters;
    vec_u32 integers; /* by magnitude, small ones: 1 + the number of the literal */
    constant_slot *constants;
    uint32_t nconstants, nhashed, constant_cap;
    vec_u32 func_number; /* by ir_func: 1 + its number */
    vec_u32 externals;   /* imported functions that are called */
    bool linked;         /* imported functions that are reached are written as own ones */
    vec_u32 written;     /* the functions that are written, in their order */
    uint32_t nfuncs;     /* of these */
    vec_u32 place;       /* by ir_value: 1 + its place among the visible ones, 0 elsewhere */
    vec_u32 visible;
    VEC(open_region) open;
    vec_u32 values;      /* in the order in which they are written; then their names */
    vec_u32 func_values; /* by function: where its values begin in `values` */
    vec_u32
        shown; /* by str_id, then by number: 1 + the place of the visible value that has the name */
    uint32_t first_number;       /* where numbers begin in `shown` */
    uint32_t first_loc, end_loc; /* places in the text that the module was read from */
    bool clash;    /* a name is visible already where it is bound: the text form changes it */
    uint32_t item; /* 0: the function; then each of its operations, as they are written */
    packer module_attributes, module_properties;
    uint32_t nmodule_attributes, nmodule_properties;
    item_table locations, attributes, properties;
    bool must;           /* some property must be understood */
    bool shaped[OP_END]; /* operators of the code whose shapes are written */
} maker;

/* ---- tables (binary/write_tables.c) ---- */

/* A vector of n zeros. */
bool bin_zeroed_numbers(mem *mm, vec_u32 *v, uint32_t n);
/* The number of a string; UINT32_MAX when memory is short. */
uint32_t bin_string_number(maker *w, string_table *t, str_id s);
void bin_string_table_free(mem *mm, string_table *t);
/* The number of a type, 0 for the unknown one.  Packs it and what it is made of where it is new. */
uint32_t bin_new_type_number(maker *w, ir_type t);
static inline uint32_t type_number(maker *w, ir_type t)
{
    uint32_t number = t < w->type_number.len ? w->type_number.at[t] : 0;
    return number ? number : bin_new_type_number(w, t);
}
/* A level as a number; 0 when it is none. */
uint64_t bin_level_number(maker *w, ir_level l);
/* Gives the next number to a type or level parameter that is bound here.  False, and the module is
 * not valid, when it was bound before. */
bool bin_bind_parameter(maker *w, ir_tvar v);
/* The number of a constant; UINT32_MAX when memory is short. */
uint32_t bin_constant_number(maker *w, ir_value v);
/* The same for the bytes of an operation `constant`. */
uint32_t bin_bytes_number(maker *w, str_id bytes);

/* ---- functions and code (binary/write_code.c) ---- */

/* Fills the sections `functions` and `code`, and on the way all tables; false when memory is short
 * or the module is not valid. */
bool bin_write_functions(maker *w);

/* ---- optional sections (binary/write_extra.c) ---- */

/* Around the functions' code, and of the function and each operation: notes what the item w->item
 * has. */
void bin_begin_items(maker *w);
bool bin_end_items(maker *w);
bool bin_note_location(maker *w, uint32_t loc);
bool bin_note_attributes(maker *w, subject of);
bool bin_note_properties(maker *w, subject of);
bool bin_note_module(maker *w);
/* The shapes of the operators in the code that came after version 0.4. */
bool bin_write_operators(maker *w);
bool bin_write_names(maker *w);
bool bin_write_items(maker *w);

#endif
