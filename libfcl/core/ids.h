/* The ids that callers see.
 *
 * Inside, ids count from 1 in each module and kind, so one of another module, or of another kind,
 * would be taken for what has its number here.  Outside, each module and each kind has a stretch of
 * its own of the 32 bits: it begins where multiples of the golden ratio fall, which keeps any
 * number of stretches as far apart as they can be.  An id of another stretch is none of this
 * module, and is refused.  0 is none on both sides. */
#ifndef FCL_LIBFCL_CORE_IDS_H
#define FCL_LIBFCL_CORE_IDS_H

#include <stdint.h>

typedef enum { ID_TYPE, ID_VALUE, ID_FUNC, ID_REGION, ID_TVAR, ID_OP, ID_KINDS } id_kind;

/* Variables are parts of levels, which have 20 bits for them. */
#define ID_MOST(kind) ((kind) == ID_TVAR ? (1u << 20) - 1 : UINT32_MAX)

/* `stretch` tells a module from all others. */
static inline uint32_t id_base(uint32_t stretch, id_kind of)
{
    return (stretch * (uint32_t)ID_KINDS + (uint32_t)of) * 2654435769u % ID_MOST(of);
}

static inline uint32_t id_outside(uint32_t stretch, id_kind of, uint32_t id)
{
    return id ? (uint32_t)(((uint64_t)id - 1 + id_base(stretch, of)) % ID_MOST(of)) + 1 : 0;
}

/* What is not of this stretch is a number that nothing here has, if not in the rarest of cases. */
static inline uint32_t id_inside(uint32_t stretch, id_kind of, uint32_t id)
{
    uint64_t most = ID_MOST(of);
    return id && id <= most
               ? (uint32_t)(((uint64_t)id - 1 + most - id_base(stretch, of)) % most) + 1
               : 0;
}

#endif
