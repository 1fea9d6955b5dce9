/* Whether the program can load libraries: see run.h. */
#include "backends/run/run.h"

#include <dlfcn.h>

/* A dynamic program finds its C library's functions by name.  One that is linked statically as a
 * whole does not, and what it loads would bring a second C library along, which threads and drivers
 * do not survive. */
bool run_can_load(void)
{
    void *self = dlopen(NULL, RTLD_NOW);
    return self && dlsym(self, "dlopen");
}
