/* The built-in back ends, each once. */
#include "backends/backend.h"

#include "backends/cpu/cpu.h"
#include "backends/opencl/opencl.h"
#include "backends/spirv/spirv.h"

#include <string.h>

static const backend *const back_ends[] = {&backend_opencl, &backend_cpu, &backend_spirv_opencl};

uint32_t backend_count(void)
{
    return sizeof back_ends / sizeof back_ends[0];
}

const backend *backend_at(uint32_t i)
{
    return i < backend_count() ? back_ends[i] : NULL;
}

const backend *backend_named(const char *name)
{
    for (uint32_t i = 0; i < backend_count(); i++)
        if (strcmp(back_ends[i]->name, name) == 0)
            return back_ends[i];
    return NULL;
}
