/* Host arrays and the flattening of types into leaves: see host.h.
 *
 * Leaves are the flattening that is called structure of arrays elsewhere: a tuple, or an array
 * of tuples, becomes one argument for each scalar component, in order. */
#include "ir/host.h"

#include <string.h>

uint64_t host_count(const host_array *a)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < a->rank; i++)
        n *= a->dims[i];
    return n;
}

uint64_t host_get(const host_array *a, uint64_t i)
{
    uint32_t bytes = ir_scalar_bytes(a->type);
    const char *p = (const char *)a->data + i * bytes;
    bool is_signed = ir_scalar_class(a->type) == 'I';
    switch (bytes) {
    case 1: return is_signed ? (uint64_t)(int64_t)(int8_t)*p : (uint8_t)*p;
    case 2: {
        uint16_t x;
        memcpy(&x, p, sizeof x);
        return is_signed ? (uint64_t)(int64_t)(int16_t)x : x;
    }
    case 4: {
        uint32_t x;
        memcpy(&x, p, sizeof x);
        return is_signed ? (uint64_t)(int64_t)(int32_t)x : x;
    }
    default: {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    }
}

void host_set(const host_array *a, uint64_t i, uint64_t bits)
{
    uint32_t bytes = ir_scalar_bytes(a->type);
    char *p = (char *)a->data + i * bytes;
    switch (bytes) {
    case 1: *p = (char)(uint8_t)bits; break;
    case 2: memcpy(p, &(uint16_t){(uint16_t)bits}, 2); break;
    case 4: memcpy(p, &(uint32_t){(uint32_t)bits}, 4); break;
    default: memcpy(p, &bits, 8); break;
    }
}

/* Bytes of the data; 0 when they cannot be counted. */
static uint64_t host_bytes(const host_array *a)
{
    uint64_t n = ir_scalar_bytes(a->type);
    for (unsigned i = 0; i < a->rank; i++) {
        if (a->dims[i] && n > (uint64_t)INT64_MAX / a->dims[i])
            return 0;
        n *= a->dims[i];
    }
    return n ? n : 1;
}

bool host_alloc(mem *m, host_array *a)
{
    uint64_t n = host_bytes(a);
    a->data = n && n <= SIZE_MAX / 2 ? mem_resize(m, NULL, 0, (size_t)n) : NULL;
    if (!a->data) {
        m->oom = true;
        return false;
    }
    memset(a->data, 0, (size_t)n);
    return true;
}

void host_free(mem *m, host_array *a)
{
    mem_free(m, a->data, (size_t)host_bytes(a));
    a->data = NULL;
}

/* like: parameter and rank; 0: outside any array, else the first leaf of the array.  An array's
 * tuple components each become an array of that rank. */
static bool leaves_under(ir_module *m, ir_type t, leaf like, uint32_t first, vec_leaf *out)
{
    const type_node n = *ir_type_at(m, t);
    switch ((type_kind)n.kind) {
    case TY_SCALAR:
        like.type = (scalar)n.a;
        like.back = like.rank ? out->len - first : 0;
        return vec_push(&m->cx->mem, out, like);
    case TY_TUPLE:
        for (uint32_t i = 0; i < n.n; i++)
            if (!leaves_under(m, type_item(m, t, i), like, first, out))
                return false;
        return true;
    case TY_PULL:
    case TY_PUSH:
        if (like.rank)
            return false;
        like.rank = n.n;
        return leaves_under(m, n.a, like, out->len, out);
    default: return false;
    }
}

void host_signature_free(mem *m, host_signature *s)
{
    vec_free(m, &s->params);
    vec_free(m, &s->results);
    vec_free(m, &s->in);
    vec_free(m, &s->out);
}

bool host_leaves_of(ir_module *m, ir_type t, uint32_t param, vec_leaf *out)
{
    return leaves_under(m, t, (leaf){.param = param}, 0, out);
}

bool host_leaves_in(ir_module *m, ir_func f, vec_leaf *out)
{
    region_node body = *ir_region_at(m, ir_func_at(m, f)->body);
    for (uint32_t i = 0; i < body.nparams; i++)
        if (!host_leaves_of(m, ir_value_at(m, body.params + i)->type, i, out))
            return false;
    return true;
}

/* Components of a tuple result are numbered like parameters, so that results can be named one by
 * one. */
bool host_leaves_out(ir_module *m, ir_func f, vec_leaf *out)
{
    ir_type t = ir_func_at(m, f)->result;
    const type_node n = *ir_type_at(m, t);
    if (n.kind != TY_TUPLE)
        return host_leaves_of(m, t, 0, out);
    for (uint32_t i = 0; i < n.n; i++)
        if (!host_leaves_of(m, type_item(m, t, i), i, out))
            return false;
    return true;
}
