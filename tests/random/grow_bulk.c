/* Arrays whose elements are bytes: constants of every scalar type and up to three dimensions. */
#include "tests/random/grow.h"

#include "serialize/coding/base64.h"

#include <string.h>

enum { BULK_MOST = 300 };

/* The elements, each with its lowest byte first, as base 64. */
static void put_elements(gen *g, scalar s, uint32_t n, vec_char *out)
{
    char bytes[BULK_MOST * 8];
    uint32_t size = ir_scalar_bytes(s);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = literal_bits(g, s);
        for (uint32_t k = 0; k < size; k++)
            bytes[i * size + k] = (char)(bits >> 8 * k & 255);
    }
    base64_encode(g->m, bytes, (size_t)n * size, out);
}

value bulk(gen *g, scalar s, uint32_t rank, const extent *want)
{
    vec_char data = {0}, extents = {0};
    uint32_t n = 1;
    for (uint32_t k = 0; k < rank; k++) {
        n *= (uint32_t)want[k].hi;
        text_addf(g->m, &extents, k ? ", %d" : "%d", (int)want[k].hi);
    }
    put_elements(g, s, n, &data);
    uint32_t id = say(g, "constant<%s; %s> \"%s\"", ir_scalar_name(s), text_cstr(g->m, &extents),
                      data.len ? text_cstr(g->m, &data) : "");
    vec_free(g->m, &data);
    vec_free(g->m, &extents);
    value v = {.type = pull_of(g, type_of(g, s), rank), .id = id, .cost = 1, .code = 1};
    memcpy(v.ext, want, rank * sizeof *want);
    return *keep(g, v);
}

bool can_be_bulk(const gen *g, type_id elem, uint32_t rank, const extent *want)
{
    int64_t n = 1;
    for (uint32_t k = 0; k < rank; k++) {
        if (want[k].lo != want[k].hi || want[k].hi < 0 || want[k].hi > BULK_MOST)
            return false;
        n *= want[k].hi;
    }
    return n <= BULK_MOST && shape_of(g, elem).form == FORM_SCALAR;
}

value some_bulk(gen *g)
{
    extent want[RANK_MOST];
    uint32_t rank = 1 + some(g, chance(g, 60) ? 1 : RANK_MOST);
    uint32_t most = rank == 1 ? (chance(g, 20) ? BULK_MOST : 40) : 6;
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t n = some(g, 30) ? 1 + some(g, most) : 0;
        want[k] = (extent){termf("%u", n), n, n};
    }
    return bulk(g, some_scalar(g), rank, want);
}
