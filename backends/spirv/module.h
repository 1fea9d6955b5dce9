/* A SPIR-V module while it is made: its sections as words, its ids, and what stands in it once.
 *
 * Nothing here knows the kernel IR.  Instructions are appended and never moved; the sections come
 * one after the other in the file, in the order that the specification asks for.  Types, constants,
 * capabilities and the like are asked for as often as they are used, and written once: a hash table
 * finds the instruction that is there already.  Running out of memory, or of ids, is remembered
 * (`failed`), and what follows does no harm. */
#ifndef FCL_BACKENDS_SPIRV_MODULE_H
#define FCL_BACKENDS_SPIRV_MODULE_H

#include "ir/base/mem.h"

#include <spirv/unified1/spirv.h>

typedef uint32_t sp_id; /* 0: none */

typedef enum sp_section {
    SP_CAPABILITIES,
    SP_EXTENSIONS,
    SP_IMPORTS,
    SP_MODEL,
    SP_ENTRIES,
    SP_MODES,
    SP_STRINGS,
    SP_NAMES,
    SP_DECORATIONS,
    SP_GLOBALS, /* types, constants, variables of the module */
    SP_FUNCTIONS,
    /* the kernel that is being written: what goes to the functions when it is done */
    SP_HEAD,  /* up to its variables */
    SP_ENTRY, /* what it computes once, before anything else */
    SP_BODY,
    SP_SECTIONS
} sp_section;

typedef struct sp_slot {
    uint32_t hash, at; /* of an instruction in its section, + 1; 0: free */
    sp_section section;
} sp_slot;

typedef struct sp_module {
    mem *m;
    vec_u32 sections[SP_SECTIONS];
    sp_id last; /* the last id that was given */
    sp_slot *table;
    uint32_t cap, used; /* of the table */
    uint32_t version;   /* of SPIR-V, at least */
    bool failed;
} sp_module;

enum {
    SP_MOST_WORDS = 65535,     /* of an instruction */
    SP_MOST_IDS = 0x3fffff - 1 /* that every consumer takes */
};

/* The words of an instruction's operands, as two arguments. */
#define SP_WORDS(...)                                                                              \
    (const uint32_t[]){__VA_ARGS__}, (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

void sp_module_release(sp_module *s);
sp_id sp_new_id(sp_module *s);
/* Appends an instruction without a result. */
void sp_put(sp_module *s, sp_section where, SpvOp op, const uint32_t *words, uint32_t n);
/* The same with a text between some words and others. */
void sp_put_text(sp_module *s, sp_section where, SpvOp op, const uint32_t *before, uint32_t nbefore,
                 const char *text, const uint32_t *after, uint32_t nafter);
/* Appends one with a result of a type, which is new. */
sp_id sp_make(sp_module *s, sp_section where, SpvOp op, sp_id type, const uint32_t *words,
              uint32_t n);
/* The result of such an instruction, written when it is first asked for; type 0: the operator has
 * none, as those that make types. */
sp_id sp_once(sp_module *s, sp_section where, SpvOp op, sp_id type, const uint32_t *words,
              uint32_t n);
/* An instruction without a result, written once. */
void sp_put_once(sp_module *s, sp_section where, SpvOp op, const uint32_t *words, uint32_t n);
void sp_require(sp_module *s, SpvCapability what);
bool sp_requires(const sp_module *s, SpvCapability what);
void sp_need_version(sp_module *s, uint32_t version);
/* Closes the kernel that is being written. */
void sp_close_function(sp_module *s);
/* Appends the module to a file. */
bool sp_write(sp_module *s, vec_char *out);

#endif
