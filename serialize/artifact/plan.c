/* The records of a plan: what it takes and gives, values, memories, kernels and checks. */
#include "serialize/artifact/record.h"

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

/* A list of records in a vector of the plan whose entry 0 is the none (first 1), or that has none
 * (first 0). */
#define PUT_ALL(w, vec, first, put_one)                                                            \
    do {                                                                                           \
        put_list(w, (vec).len - (first));                                                          \
        for (uint32_t i_ = (first); i_ < (vec).len && (w)->ok; i_++)                               \
            put_one(w, &(vec).at[i_]);                                                             \
    } while (0)

/* ---- parameters and leaves ---- */

static const field whole_fields[] = {
#define PARAM_FIELD(key, kind, member, presence, ...)                                              \
    FIELD_OF(host_whole, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef PARAM_FIELD
};

static void put_whole(artifact_writer *w, const host_whole *x)
{
    record_put(w, whole_fields, COUNT(whole_fields), x);
}

static bool take_wholes(artifact_reader *r, vec_whole *out)
{
    uint32_t n;
    if (!take_list(r, &n, "a list of parameters"))
        return false;
    while (n--) {
        host_whole x = {0};
        if (!record_take(r, whole_fields, COUNT(whole_fields), &x) ||
            !vec_push(&r->cx->mem, out, x))
            return false;
    }
    return true;
}

static void put_leaf_type(artifact_writer *w, const void *x)
{
    put_name(w, ir_scalar_name(((const leaf *)x)->type));
}

static bool take_leaf_type(artifact_reader *r, void *x)
{
    uint8_t t;
    if (!take_type(r, &t))
        return false;
    ((leaf *)x)->type = (scalar)t;
    return true;
}

static const field leaf_fields[] = {
#define LEAF_FIELD(key, kind, member, presence, ...) FIELD_OF(leaf, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef LEAF_FIELD
};

static void put_leaf(artifact_writer *w, const leaf *x)
{
    record_put(w, leaf_fields, COUNT(leaf_fields), x);
}

static bool take_leaves(artifact_reader *r, vec_leaf *out, const vec_whole *of)
{
    uint32_t n;
    if (!take_list(r, &n, "a list of leaves"))
        return false;
    while (n--) {
        leaf x = {0};
        if (!record_take(r, leaf_fields, COUNT(leaf_fields), &x))
            return false;
        if (x.param >= of->len || (out->len && x.param < out->at[out->len - 1].param) ||
            x.back > out->len)
            return artifact_refuse(r, DIAG_BINARY_RANGE, "a leaf belongs to no parameter");
        if (!vec_push(&r->cx->mem, out, x))
            return false;
    }
    return true;
}

/* ---- values and memories ---- */

static void put_memory_kind(artifact_writer *w, const void *x)
{
    put_name(w, plan_memory_name(((const plan_memory *)x)->kind));
}

/* The number of a word in a list that ends before `end`. */
static bool take_word(artifact_reader *r, const char *(*name)(uint32_t), uint32_t end, uint8_t *out,
                      const char *what)
{
    const char *s;
    uint32_t n;
    if (!take_chars(r, &s, &n, what))
        return false;
    for (uint32_t i = 0; i < end; i++)
        if (name(i) && chars_are(s, n, name(i))) {
            *out = (uint8_t)i;
            return true;
        }
    return artifact_refuse(r, DIAG_BINARY_UNKNOWN, "%s \"%.*s\" is not known to this library", what,
                           (int)(n < 40 ? n : 40), s);
}

static bool take_memory_kind(artifact_reader *r, void *x)
{
    return take_word(r, plan_memory_name, PLAN_MEMORY_END, &((plan_memory *)x)->kind,
                     "the kind of a memory");
}

static bool has_elements(const artifact_writer *w, const void *x)
{
    (void)w;
    return plan_lists(x);
}

static void put_elements(artifact_writer *w, const void *x)
{
    const plan_memory *m = x;
    put_list(w, m->nlist);
    for (uint32_t i = 0; i < m->nlist && w->ok; i++)
        put_scalar(w, (scalar)m->type, w->p->tables.at[m->list + i]);
}

/* Their type has been read: it stands before. */
static bool take_elements(artifact_reader *r, void *x)
{
    plan_memory *m = x;
    uint64_t bits;
    m->list = r->p->tables.len;
    if (!m->type)
        return artifact_refuse(r, DIAG_BINARY_SYNTAX,
                               "the key \"type\" stands before \"elements\"");
    if (!take_list(r, &m->nlist, "the elements of a table"))
        return false;
    for (uint32_t i = 0; i < m->nlist; i++)
        if (!take_scalar(r, (scalar)m->type, &bits) || !vec_push(&r->cx->mem, &r->p->tables, bits))
            return false;
    return true;
}

static const field memory_fields[] = {
#define MEMORY_FIELD(key, kind, member, presence, ...)                                             \
    FIELD_OF(plan_memory, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef MEMORY_FIELD
};

static void put_memory(artifact_writer *w, const plan_memory *m)
{
    record_put(w, memory_fields, COUNT(memory_fields), m);
}

static bool take_memories(artifact_reader *r, void *x)
{
    plan *p = x;
    uint32_t n;
    if (!take_list(r, &n, "the list of memories"))
        return false;
    while (n--) {
        plan_memory m = {0};
        if (!record_take(r, memory_fields, COUNT(memory_fields), &m) ||
            !vec_push(&r->cx->mem, &p->memories, m))
            return false;
    }
    return true;
}

static void put_values(artifact_writer *w, const void *x)
{
    const plan *p = x;
    put_list(w, p->values.len - 1);
    for (uint32_t i = 1; i < p->values.len && w->ok; i++)
        put_name(w, ir_scalar_name((scalar)p->values.at[i]));
}

static bool take_values(artifact_reader *r, void *x)
{
    plan *p = x;
    uint32_t n;
    uint8_t t;
    if (!take_list(r, &n, "the types of the values"))
        return false;
    while (n--)
        if (!take_type(r, &t) || !vec_push(&r->cx->mem, &p->values, t))
            return false;
    return true;
}

/* ---- kernels ---- */

static void put_takes(artifact_writer *w, const void *x)
{
    put_name(w, plan_takes_name(((const plan_argument *)x)->takes));
}

static bool take_takes(artifact_reader *r, void *x)
{
    return take_word(r, plan_takes_name, PLAN_TAKES_END, &((plan_argument *)x)->takes,
                     "the kind of an argument");
}

static const field argument_fields[] = {
#define ARGUMENT_FIELD(key, kind, member, presence, ...)                                           \
    FIELD_OF(plan_argument, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef ARGUMENT_FIELD
};

static void put_arguments(artifact_writer *w, const void *x)
{
    const plan_kernel *k = x;
    put_list(w, k->narguments);
    for (uint32_t i = 0; i < k->narguments && w->ok; i++)
        record_put(w, argument_fields, COUNT(argument_fields),
                   &w->p->arguments.at[k->arguments + i]);
}

static bool take_arguments(artifact_reader *r, void *x)
{
    plan_kernel *k = x;
    k->arguments = r->p->arguments.len;
    if (!take_list(r, &k->narguments, "the arguments of a kernel"))
        return false;
    for (uint32_t i = 0; i < k->narguments; i++) {
        plan_argument a = {0};
        if (!record_take(r, argument_fields, COUNT(argument_fields), &a) ||
            !vec_push(&r->cx->mem, &r->p->arguments, a))
            return false;
    }
    return true;
}

static const field local_fields[] = {
#define LOCAL_FIELD(key, kind, member, presence, ...)                                              \
    FIELD_OF(plan_local, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef LOCAL_FIELD
};

static bool has_locals(const artifact_writer *w, const void *x)
{
    (void)w;
    return ((const plan_kernel *)x)->nlocals > 0;
}

static void put_locals(artifact_writer *w, const void *x)
{
    const plan_kernel *k = x;
    put_list(w, k->nlocals);
    for (uint32_t i = 0; i < k->nlocals && w->ok; i++)
        record_put(w, local_fields, COUNT(local_fields), &w->p->locals.at[k->locals + i]);
}

static bool take_locals(artifact_reader *r, void *x)
{
    plan_kernel *k = x;
    k->locals = r->p->locals.len;
    if (!take_list(r, &k->nlocals, "the local arrays of a kernel"))
        return false;
    for (uint32_t i = 0; i < k->nlocals; i++) {
        plan_local l = {0};
        if (!record_take(r, local_fields, COUNT(local_fields), &l) ||
            !vec_push(&r->cx->mem, &r->p->locals, l))
            return false;
    }
    return true;
}

static bool has_needs(const artifact_writer *w, const void *x)
{
    (void)w;
    return ((const plan_kernel *)x)->needs != 0;
}

static void put_needs(artifact_writer *w, const void *x)
{
    uint32_t needs = ((const plan_kernel *)x)->needs, n = 0;
    for (uint32_t i = 0; plan_need_name(i); i++)
        n += needs >> i & 1;
    put_list(w, n);
    for (uint32_t i = 0; plan_need_name(i); i++)
        if (needs >> i & 1)
            put_name(w, plan_need_name(i));
}

static bool take_needs(artifact_reader *r, void *x)
{
    uint32_t n;
    uint8_t bit;
    if (!take_list(r, &n, "what a kernel needs"))
        return false;
    while (n--) {
        if (!take_word(r, plan_need_name, 32, &bit, "the need of a kernel"))
            return false;
        ((plan_kernel *)x)->needs |= 1u << bit;
    }
    return true;
}

static const field kernel_fields[] = {
#define KERNEL_FIELD(key, kind, member, presence, ...)                                             \
    FIELD_OF(plan_kernel, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef KERNEL_FIELD
};

static void put_kernel(artifact_writer *w, const plan_kernel *k)
{
    record_put(w, kernel_fields, COUNT(kernel_fields), k);
}

static bool take_kernels(artifact_reader *r, void *x)
{
    plan *p = x;
    uint32_t n;
    if (!take_list(r, &n, "the list of kernels"))
        return false;
    while (n--) {
        plan_kernel k = {0};
        if (!record_take(r, kernel_fields, COUNT(kernel_fields), &k) ||
            !vec_push(&r->cx->mem, &p->kernels, k))
            return false;
    }
    return true;
}

/* ---- checks ---- */

static const field check_fields[] = {
#define CHECK_FIELD(key, kind, member, presence, ...)                                              \
    FIELD_OF(plan_check, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef CHECK_FIELD
};

static void put_check(artifact_writer *w, const plan_check *c)
{
    record_put(w, check_fields, COUNT(check_fields), c);
}

static bool take_checks(artifact_reader *r, void *x)
{
    plan *p = x;
    uint32_t n;
    if (!take_list(r, &n, "the list of checks"))
        return false;
    while (n--) {
        plan_check c = {0};
        if (!record_take(r, check_fields, COUNT(check_fields), &c) ||
            !vec_push(&r->cx->mem, &p->checks, c))
            return false;
    }
    return true;
}

/* ---- the plan ---- */

static void put_params(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->face.params, 0, put_whole);
}

static bool take_params(artifact_reader *r, void *x)
{
    return take_wholes(r, &((plan *)x)->face.params);
}

static void put_results(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->face.results, 0, put_whole);
}

static bool take_results(artifact_reader *r, void *x)
{
    return take_wholes(r, &((plan *)x)->face.results);
}

static void put_inputs(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->face.in, 0, put_leaf);
}

static bool take_inputs(artifact_reader *r, void *x)
{
    return take_leaves(r, &((plan *)x)->face.in, &((plan *)x)->face.params);
}

static void put_outputs(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->face.out, 0, put_leaf);
}

static bool take_outputs(artifact_reader *r, void *x)
{
    return take_leaves(r, &((plan *)x)->face.out, &((plan *)x)->face.results);
}

static void put_memories(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->memories, 1, put_memory);
}

static void put_kernels(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->kernels, 1, put_kernel);
}

static void put_checks(artifact_writer *w, const void *x)
{
    const plan *p = x;
    PUT_ALL(w, p->checks, 1, put_check);
}

static void put_steps(artifact_writer *w, const void *x)
{
    (void)x;
    put_block(w, PLAN_WHOLE);
}

static bool take_steps(artifact_reader *r, void *x)
{
    (void)x;
    return take_block(r, PLAN_WHOLE);
}

static const field plan_fields[] = {
#define PLAN_FIELD(key, kind, member, presence, ...) FIELD_OF(plan, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef PLAN_FIELD
};

void put_plan(artifact_writer *w, const plan *p)
{
    w->p = p;
    record_put(w, plan_fields, COUNT(plan_fields), p);
}

/* Parameters stand before leaves, values before steps: a constant's type tells how it is written.
 */
bool take_plan(artifact_reader *r, plan *p)
{
    r->p = p;
    r->depth = 0;
    if (!record_take(r, plan_fields, COUNT(plan_fields), p))
        return false;
    if (p->most_elements > (uint64_t)MAX_ELEMENTS)
        p->most_elements = (uint64_t)MAX_ELEMENTS;
    return plan_verify(p);
}
