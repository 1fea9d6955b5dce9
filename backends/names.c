/* Names of parameters: see names.h. */
#include "backends/names.h"

#include <string.h>

void backend_param_name(const k_program *p, uint32_t leaf_no, char out[BACKEND_PARAM_NAME])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *s = k_leaf_name(p, leaf_no);
    size_t n = 0;
    if (*s)
        out[n++] = '_';
    for (; *s && n < BACKEND_PARAM_NAME - 1; s++)
        out[n++] = strchr(plain, *s) ? *s : '_';
    out[n] = 0;
}
