/* Sources and the places in them.
 *
 * A place is a position in 31 bits: all sources of a context lie one after the other in one space,
 * and a place is an offset there.  Line and column are counted when somebody asks, so that a
 * position costs a reader nothing.  They are found by bisection in a table of the source's lines,
 * which is made at the first question. */
#ifndef FCL_BASE_SOURCE_H
#define FCL_BASE_SOURCE_H

#include "ir/base/diag.h"

enum { SOURCE_PAD = 8 }; /* NULs behind a text, so that a reader may look at 8 bytes at once */

#define NO_PLACE UINT32_MAX /* of a source that came when the space was full */

/* Modules and kernel programs hold the sources that their positions are in, and drop them at their
 * end.  What nobody holds goes then, or with the diagnostics if there are any, since these show its
 * lines.  A text that is there already under its name is not kept twice: a context that loads the
 * same module again and again does not grow. */
typedef struct source {
    str_id name;
    const char *text; /* owned copy; NULL: it went, and its places may be another's */
    size_t size;
    uint32_t place;  /* of its first byte, or NO_PLACE */
    uint32_t users;  /* that hold it */
    bool library;    /* a prelude's: set by who registers it */
    uint64_t number; /* greater than those of what was registered before */
    vec_u32 lines;   /* offsets at which lines begin; empty: not counted yet */
} source;

/* Registers a text, which is copied; 1 + its index, or 0 when memory is short. */
uint32_t source_add(struct fcl_context *cx, const char *name, const char *text, size_t size);
/* Whether the text registered last under the name is a library's. */
bool source_is_library(const struct fcl_context *cx, str_id name);
/* Holds it for the owner of the list, which must be empty at first; false when memory is short. */
bool source_hold(struct fcl_context *cx, vec_u32 *held, uint32_t index);
/* Holds all that another list does as well. */
bool source_hold_all(struct fcl_context *cx, vec_u32 *held, const vec_u32 *others);
/* Drops all, and frees the list. */
void source_drop_all(struct fcl_context *cx, vec_u32 *held);
/* Frees what nobody holds: when there is no diagnostic. */
void source_sweep(struct fcl_context *cx);
void source_free(struct fcl_context *cx, source *s);
/* Line and column of an offset in source number `index`. */
location source_location(struct fcl_context *cx, uint32_t index, size_t offset, uint32_t len);
/* The number of the source in which a place is. */
uint32_t source_of_place(const struct fcl_context *cx, uint32_t place);
/* The position of the word that begins there. */
location source_place_location(struct fcl_context *cx, uint32_t place);

/* Letters, digits and _ . $ ' #: what names are made of. */
bool source_is_name_char(char c);

#endif
