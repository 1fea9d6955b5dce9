/* Whether what a plan says of its parameters and results for people fits their leaves: a file may
 * say anything, and who prints results goes by both. */
#include "ir/plan/plan.h"

#include <string.h>

enum { NESTING = 100 };

typedef struct face_reader {
    const char *at;
    const vec_leaf *leaves;
    uint32_t next, param; /* the leaf that is due, and whose it is to be */
    uint32_t rank, first; /* of the array that is being read; rank 0: none */
    uint32_t depth;
} face_reader;

static bool take(face_reader *r, char c)
{
    r->at += strspn(r->at, " ");
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_type(face_reader *r);

static bool take_tuple(face_reader *r)
{
    if (take(r, ')'))
        return true;
    do {
        if (!take_type(r))
            return false;
    } while (take(r, ','));
    return take(r, ')');
}

/* A level behind it does not concern the host. */
static bool take_level(face_reader *r)
{
    if (!take(r, '<'))
        return true;
    r->at += strcspn(r->at, ">");
    return take(r, '>');
}

/* The rank stands behind the element: the leaves tell it, and the text is compared. */
static bool take_array(face_reader *r)
{
    uint32_t rank = r->next < r->leaves->len ? r->leaves->at[r->next].rank : 0;
    if (r->rank || !rank)
        return false;
    r->rank = rank;
    r->first = r->next;
    bool ok = take_type(r);
    r->rank = 0;
    if (ok && take(r, ';')) {
        r->at += strspn(r->at, " ");
        ok = *r->at == (char)('0' + rank);
        r->at += ok;
    } else {
        ok = ok && rank == 1;
    }
    return ok && take(r, ']') && take_level(r);
}

static bool take_scalar(face_reader *r)
{
    size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789");
    const leaf *l = r->next < r->leaves->len ? &r->leaves->at[r->next] : NULL;
    if (!n || !l || l->param != r->param || l->type != ir_scalar_named(r->at, n) ||
        l->rank != r->rank || l->back != (r->rank ? r->next - r->first : 0))
        return false;
    r->at += n;
    r->next++;
    return true;
}

/* Recursion is bounded by the nesting. */
static bool take_type(face_reader *r)
{
    if (++r->depth > NESTING)
        return false;
    bool ok = take(r, '(') ? take_tuple(r) : take(r, '[') ? take_array(r) : take_scalar(r);
    r->depth--;
    return ok;
}

bool plan_face_fits(const plan *p, const vec_whole *wholes, const vec_leaf *leaves)
{
    face_reader r = {.leaves = leaves};
    for (uint32_t i = 0; i < wholes->len; i++) {
        const intern *strings = &p->cx->strings;
        r.at = intern_str(strings, wholes->at[i].type);
        r.param = i;
        if (!take_type(&r) || *r.at ||
            strlen(intern_str(strings, wholes->at[i].type)) !=
                intern_len(strings, wholes->at[i].type))
            return false;
    }
    return r.next == leaves->len;
}
