/* Answers to what a run asks for: fcl_answer. */
#include "libfcl/run/run.h"

#include <string.h>

fcl_scalar fcl_answer_type(const fcl_answer *a)
{
    return a ? (fcl_scalar)a->to->type : FCL_BOOL;
}

unsigned fcl_answer_rank(const fcl_answer *a)
{
    return a ? a->to->rank : 0;
}

static bool refuse(fcl_answer *a, const char *why)
{
    a->failed = true;
    return diag_error(a->cx, DIAG_RUN_ASKED, a->at, "%s", why);
}

/* Each extent is one, and no index overflows. */
static bool extents_fit(const fcl_array *x)
{
    uint64_t n = 1;
    for (unsigned k = 0; k < x->rank; k++) {
        if (x->dims[k] > MAX_EXTENT || (x->dims[k] && n > (uint64_t)MAX_ELEMENTS / x->dims[k]))
            return false;
        n *= x->dims[k];
    }
    return true;
}

bool fcl_answer_give(fcl_answer *a, const fcl_array *x)
{
    if (!a)
        return false;
    if (!face_given(a->cx, x, "fcl_answer_give", "x"))
        return !(a->failed = true);
    if ((scalar)x->type != a->to->type || x->rank != a->to->rank)
        return refuse(a, "what the program is given here is of another type or rank");
    if (!extents_fit(x))
        return refuse(a, "what the program is given here has too many elements");
    if (a->to->data)
        host_free(&a->cx->mem, a->to);
    memcpy(a->to->dims, x->dims, x->rank * sizeof *x->dims);
    if (!host_alloc(&a->cx->mem, a->to))
        return !(a->failed = true);
    uint64_t bytes = host_count(a->to) * ir_scalar_bytes(a->to->type);
    if (bytes && x->data)
        memcpy(a->to->data, x->data, (size_t)bytes);
    return true;
}

bool fcl_answer_refuse(fcl_answer *a, const char *why)
{
    return a ? refuse(a, why ? why : "nothing is given for what the program asks here") : false;
}
