/* The operators that the language itself offers, with their types: builtins.def and the core's
 * scalar operators. */
#ifndef FCL_FRONTENDS_FCL_BUILTINS_H
#define FCL_FRONTENDS_FCL_BUILTINS_H

#include "frontends/fcl/parse/program.h"

/* How an operator is built; one function each in emit/builtin.c. */
typedef enum builtin_form {
    BF_PLAIN,
    BF_PROJ0,
    BF_PROJ1,
    BF_SHAPE,
    BF_DIM,
    BF_INDEX,
    BF_GENERATE,
    BF_MAP,
    BF_MAPINDEX,
    BF_PUSH,
    BF_FORCE,
    BF_WHILE,
    BF_POWER,
    BF_SEQFOR,
    BF_MAPACCUM,
    BF_ACCUMULATE,
    BF_REDUCE,
    BF_STREAM,
    BF_TUNABLE,
    BF_CHAIN,
    BF_PLACE,
    BF_UPDATE,
    BF_WITH,
    BF_PERMUTE,
    BF_CONCAT,
    BF_INTERLEAVE,
    BF_SCATTER,
    BF_RETURN,
    BF_BIND,
    BF_CSV,
    BF_PRINT,
    BF_BENCHMARK,
    BF_CONVERT,
    BF_COUNT
} builtin_form;

/* Which of a scheme's variables is the index type of which rank variable. */
typedef struct builtin_shape {
    ty type;
    rank rank;
} builtin_shape;

enum { BUILTIN_RANKS = 3 };

/* A row of builtins.def, or (type_text NULL) a scalar operator of the core. */
typedef struct builtin {
    str_id name;
    builtin_form form;
    unsigned arity;
    const char *core;
    const char *type_text; /* NULL: a scalar operator, with the type that these say */
    char operands;
    bool gives_bool;
    scheme *scheme; /* made when it is first used */
    builtin_shape shapes[BUILTIN_RANKS];
    str_id rank_names[BUILTIN_RANKS];
    rank ranks[BUILTIN_RANKS];
    uint32_t nshapes, nranks;
    ty state, forced; /* of a loop: what it hands on, and what its functions receive */
    bool raises;      /* its result is one level above its parameter */
} builtin;

/* Makes the operators known by name.  Before anything is inferred; false when memory is short. */
bool infer_builtins_init(program *p);
/* The scheme of a built-in. */
const scheme *infer_builtin_scheme(program *p, builtin *b);

#endif
