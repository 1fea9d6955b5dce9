/* Problems at a size: inputs on the host and on the device. */
#include "tests/bench/bench.h"

#include <stdlib.h>

void instance_make(machine *m, instance *i, const problem *p, uint64_t n, uint64_t seed)
{
    *i = (instance){.what = p, .e = p->shape(n)};
    for (unsigned k = 0; k < MAX_INPUTS && p->in[k].rank; k++) {
        const array_spec *a = &p->in[k];
        uint64_t flat[] = {input_count(p, k, i->e)}, dims[] = {i->e.rows, i->e.cols, i->e.rows};
        if (a->rank == 3)
            dims[1] /= i->e.rows;
        i->in[k] = xalloc(flat[0] * bytes_of_type(a->type));
        fill_input(p, k, i->e, i->in[k], seed);
        i->buffers[k] = fcl_buffer_create(m->fcl, a->type, a->rank, a->rank == 1 ? flat : dims);
        must_fcl(m, i->buffers[k] && fcl_buffer_write(i->buffers[k], i->in[k]), "an input");
    }
}

void instance_free(instance *i)
{
    for (unsigned k = 0; k < MAX_INPUTS; k++) {
        free(i->in[k]);
        fcl_buffer_destroy(i->buffers[k]);
    }
}
