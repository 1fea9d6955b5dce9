/* The names that the text writer prints: those that the module has, except where they could not be
 * read back.
 *
 * A value's name must not be visible already where it is bound; passes make such clashes, and front
 * ends leave values unnamed or use characters that no name has.  Unnamed values are numbered; the
 * others get a suffix. */
#ifndef FCL_SERIALIZE_TEXT_PRINT_NAMES_H
#define FCL_SERIALIZE_TEXT_PRINT_NAMES_H

#include "serialize/text/words.h"

enum { NAMES_VALUE, NAMES_TYPE, NAMES_LEVEL };

/* The function that uses a name for a value, if it has been looked through, and the suffix to try
 * next there. */
typedef struct name_use {
    ir_func func;
    uint32_t suffix;
} name_use;

/* What is known of names, by string or by N for %N.  One byte for each tells whether it is visible;
 * the rest is only needed where names must be made up. */
typedef struct name_set {
    VEC(uint8_t) visible; /* bit for each of NAMES_... */
    VEC(name_use) uses;
} name_set;

typedef struct visible_name {
    str_id name; /* printed */
    uint32_t space;
} visible_name;

typedef struct print_names {
    ir_module *m;
    ir_func func;
    uint32_t counter; /* for unnamed values */
    uint32_t
        parameters[2]; /* the last number that a type and a level parameter got for another name */
    name_set strings, numbers;
    uint32_t numbers_end; /* larger ones are kept by string */
    vec_u32 printed;      /* by string: look_at; 0: not yet */
    VEC(visible_name) visible;
    vec_u32 chosen;      /* by value: a name; 0: none yet */
    bool looked_through; /* the names of this function's values are known */
    bool ok;             /* memory was there, and nothing nests too deep */
    word_table words;
} print_names;

/* *n is zero before.  False when memory is short; names_free is due in either case. */
bool names_init(print_names *n, ir_module *m);
void names_free(print_names *n);
/* Nothing is visible, and numbers begin at 0 again: each function is named by itself. */
void names_begin(print_names *n, ir_func f);
/* Before the operations of a region at that depth are printed; false, which is reported, when it is
 * too deep. */
bool names_enter(print_names *n, ir_region r, uint32_t depth);
/* Decides the name of a value at the place where it is bound, and returns it. */
str_id names_choose(print_names *n, ir_value v);
/* From here on, until the scope is left, the value is visible. */
void names_show(print_names *n, ir_value v);
/* Decides the name of a type or level parameter, which changes the module if need be, and makes it
 * visible. */
void names_show_tvar(print_names *n, ir_tvar v);
void names_leave(print_names *n, uint32_t mark); /* back to visible.len == mark */
/* A name of a function with what cannot be in a name replaced. */
str_id names_clean(print_names *n, str_id name);

#endif
