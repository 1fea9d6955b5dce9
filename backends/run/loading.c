/* Loading drivers: see run.h and device.h. */
#include "backends/run/device.h"

#include <dlfcn.h>
#include <pthread.h>

/* A dynamic program finds its C library's functions by name.  One that is linked statically as a
 * whole does not, and what it loads would bring a second C library along, which threads and drivers
 * do not survive. */
bool run_can_load(void)
{
    void *self = dlopen(NULL, RTLD_NOW);
    return self && dlsym(self, "dlopen");
}

/* The one thing that the library has for the whole process, since drivers do: loaders and drivers
 * make their tables when they are first asked, and not all of them (PoCL 3.1, ocl-icd 2.3) bear
 * being asked by two threads then.  The lock is held while a driver makes something that lasts:
 * platforms, devices, contexts. */
static pthread_mutex_t first_use = PTHREAD_MUTEX_INITIALIZER;

void run_lock_drivers(void)
{
    pthread_mutex_lock(&first_use);
}

void run_unlock_drivers(void)
{
    pthread_mutex_unlock(&first_use);
}
