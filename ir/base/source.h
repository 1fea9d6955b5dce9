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

typedef struct source {
    str_id name;
    const char *text; /* owned copy */
    size_t size;
    uint32_t place; /* of its first byte, or NO_PLACE */
    vec_u32 lines;  /* offsets at which lines begin; empty: not counted yet */
} source;

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
