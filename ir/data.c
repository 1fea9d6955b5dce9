/* Constant arrays: see data.h.  Each question costs constant time, but that of bools a look at each
 * byte. */
#include "ir/data.h"

#include "ir/scalar/scalar.h"

#include <string.h>

uint32_t ir_add_data(ir_module *m, const uint32_t *extents, uint32_t rank, str_id bytes)
{
    uint32_t list[1 + MAX_RANK] = {bytes};
    if (rank > MAX_RANK)
        return 0;
    memcpy(list + 1, extents, rank * sizeof *extents);
    return ir_add_inst(m, list, 1 + rank, NULL, 0);
}

/* The number of elements, as far as bytes can be there for them; false where there are more. */
static bool count_of(const uint32_t *extents, uint32_t rank, uint64_t most, uint64_t *count)
{
    bool none = false;
    *count = 1;
    for (uint32_t i = 0; i < rank; i++)
        none |= extents[i] == 0;
    for (uint32_t i = 0; i < rank && !none; i++) {
        if (*count > most / extents[i])
            return false;
        *count *= extents[i];
    }
    *count = none ? 0 : *count;
    return *count <= most;
}

static bool are_bools(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)bytes[i] > 1)
            return false;
    return true;
}

static const char *size_wrong(const ir_module *m, scalar s, const uint32_t *extents, uint32_t rank,
                              str_id bytes)
{
    uint64_t size = intern_len(&m->cx->strings, bytes), width = ir_scalar_bytes(s), count;
    if (!width)
        return "is not of scalars";
    if (rank < 1 || rank > MAX_RANK)
        return "does not have 1 to 8 dimensions";
    for (uint32_t i = 0; i < rank; i++)
        if (extents[i] > INT32_MAX)
            return "has an extent that no int holds";
    if (!count_of(extents, rank, size / width, &count) || count * width != size)
        return "has another number of bytes than its extents and its type say";
    return count > INT32_MAX ? "has more elements than an int counts" : NULL;
}

const char *ir_data_wrong(const ir_module *m, ir_type t, const uint32_t *extents, uint32_t rank,
                          str_id bytes)
{
    scalar s = type_as_scalar(m, t);
    const char *why = size_wrong(m, s, extents, rank, bytes);
    if (why || s != ST_BOOL || are_bools(ir_str(m, bytes), intern_len(&m->cx->strings, bytes)))
        return why;
    return "has a bool that is neither 0 nor 1";
}

ir_data ir_op_data(const ir_module *m, ir_op o)
{
    const op_node *n = &m->ops.at[o < m->ops.len ? o : 0];
    uint32_t at = n->inst, len = m->pool.len;
    ir_data d = {0};
    if (!at || at + 3 > len || m->pool.at[at] < 2 || m->pool.at[at] > len - at - 2)
        return d;
    const uint32_t *list = m->pool.at + at + 2, rank = m->pool.at[at] - 1;
    if (rank > MAX_RANK || size_wrong(m, type_as_scalar(m, n->attr), list + 1, rank, list[0]))
        return d;
    d = (ir_data){
        .type = type_as_scalar(m, n->attr), .rank = rank, .extents = list + 1, .bytes = list[0]};
    d.count = intern_len(&m->cx->strings, d.bytes) / ir_scalar_bytes(d.type);
    return d;
}

uint64_t ir_data_element(const ir_module *m, const ir_data *d, uint64_t i)
{
    uint32_t width = ir_scalar_bytes(d->type);
    const unsigned char *p = (const unsigned char *)ir_str(m, d->bytes) + i * width;
    uint64_t bits = 0;
    for (uint32_t k = width; k-- > 0;)
        bits = bits << 8 | p[k];
    if (!ir_scalar_is_float(d->type))
        return scalar_wrap(d->type, bits);
    double x = scalar_as_double(d->type, bits);
    return x == x ? bits : scalar_nan(d->type);
}
