/* A program while it is read: its texts, its declarations, and what their names mean. */
#ifndef FCL_FRONTENDS_FCL_PARSE_PROGRAM_H
#define FCL_FRONTENDS_FCL_PARSE_PROGRAM_H

#include "frontends/fcl/parse/ast.h"
#include "frontends/fcl/surface.h"
#include "frontends/fcl/infer/types.h"

/* What an identifier means: the innermost local binder, else the user's declaration, else what is
 * imported, else the prelude's, else an operator of the language. */
typedef struct name_entry {
    binder *local;
    decl *user, *imported, *prelude;
    const struct builtin *builtin;
} name_entry;

typedef VEC(decl *) decl_list;

/* Where a text comes from. */
typedef enum { TEXT_USER, TEXT_PRELUDE, TEXT_IMPORT } text_kind;

/* What tells the dialect of a text: the first word of 2017's, and the first `warp`, which only the
 * paper's has.  A word of 0: none. */
typedef struct dialect_mark {
    str_id word;
    location loc;
} dialect_mark;

/* What all stages share.  Names are looked up by their interned number, without hashing. */
typedef struct program {
    fcl_context *cx;
    fcl_module *m;
    const fcl_surface *in;
    arena mem;
    bool old; /* the dialect of 2017: `block` is 1+thread, force and its like give programs */
    bool old_prelude;               /* the prelude is of that dialect too */
    bool imports;                   /* "arrays" */
    dialect_mark of_2017, of_paper; /* in the user's text */
    types types;
    VEC(name_entry) names; /* by str_id */
    decl_list prelude, user;
    struct builtin *builtins;
    struct infer *infer;
    max_align_t
        spare[1024]; /* nodes are made here when memory is short, until everything has stopped */
    size_t spare_used;
} program;

/* A zeroed node in the program's arena; never NULL: when memory is short it is one that will be
 * used again. */
void *program_node(program *p, size_t size);
#define NODE(p, T) ((T *)program_node((p), sizeof(T)))
/* A copy of n elements in the arena; *n becomes 0 when memory is short.  NULL for none. */
void *program_copy(program *p, const void *from, size_t size, uint32_t *n);
/* What a name means so far; never NULL, and good until the next name is looked up. */
name_entry *program_name_at(program *p, str_id name);
/* An interned string; it lives as long as the context. */
const char *program_text_of(const program *p, str_id s);

/* parse.c: reads a text into declarations.  False when it has errors. */
bool parse_text(program *p, str_id file, const token_list *tokens, text_kind kind, decl_list *out);
/* parse/type.c: the type of a built-in, as text. */
texpr *parse_type_text(program *p, const char *text);

#endif
