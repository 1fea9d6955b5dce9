/* What a setting costs: the program made with it, run, and its results compared with the first. */
#ifndef FCL_TOOLS_TUNE_MEASURE_H
#define FCL_TOOLS_TUNE_MEASURE_H

#include "frontends/tools/tune/show.h"
#include "frontends/tools/values/shape.h"

typedef struct meter {
    const options *o;
    fcl_context *cx;
    fcl_module *module;
    const char *entry;
    fcl_device *device;
    const interface *in;
    const fcl_array *args;
    fcl_argument *given; /* the same for the device, made for the first setting */
    fcl_buffer **copies; /* NULL: a scalar */
    size_t nargs, nresults;
    unsigned repeat;  /* runs of a setting, of which the fastest counts */
    bool peak;        /* bytes of device memory count, not time */
    double tolerance; /* of floats: compare.h */
    fcl_array *first; /* the results of the first setting that ran; NULL: none has */
    const search *search;
    const subject *of;
} meter;

/* A try_fn; user: a meter. */
bool meter_try(void *user, const knobs *k, point *p);
void meter_free(meter *m);

#endif
