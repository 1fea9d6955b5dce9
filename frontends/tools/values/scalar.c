/* The scalar types: see scalar.h. */
#include "frontends/tools/values/scalar.h"

#include "frontends/tools/text.h"

static const scalar_info table[SCALAR_COUNT] = {
    [FCL_BOOL] = {"bool", "bool", 'b', 1}, [FCL_I8] = {"i8", "i8", 'i', 1},
    [FCL_I16] = {"i16", "i16", 'i', 2},    [FCL_I32] = {"int", "i32", 'i', 4},
    [FCL_I64] = {"i64", "i64", 'i', 8},    [FCL_U8] = {"u8", "u8", 'u', 1},
    [FCL_U16] = {"u16", "u16", 'u', 2},    [FCL_U32] = {"u32", "u32", 'u', 4},
    [FCL_U64] = {"u64", "u64", 'u', 8},    [FCL_F32] = {"f32", "f32", 'f', 4},
    [FCL_F64] = {"double", "f64", 'f', 8},
};

const scalar_info *scalar_info_of(fcl_scalar s)
{
    return &table[s];
}

fcl_scalar scalar_of_numpy(char kind, unsigned bytes)
{
    for (unsigned s = FCL_BOOL; s < SCALAR_COUNT; s++)
        if (table[s].kind == kind && table[s].bytes == bytes)
            return (fcl_scalar)s;
    return (fcl_scalar)0;
}

fcl_scalar scalar_named(const char *s, size_t n)
{
    for (unsigned i = FCL_BOOL; i < SCALAR_COUNT; i++)
        if (text_is(s, n, table[i].name) || text_is(s, n, table[i].suffix))
            return (fcl_scalar)i;
    return (fcl_scalar)0;
}

uint64_t array_count(const fcl_array *a)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < a->rank; i++)
        n *= a->dims[i];
    return n;
}
