/* The preludes: the one in the core that every module may import, and the one of the surface language, which every program
 * has.  Their texts, prelude.fclir and prelude.fcl, are built in. */
#include "libfcl/face.h"

#include <string.h>

static const unsigned char prelude_text[] = {
#include "prelude.inc"
}, surface_text[] = {
#include "prelude_fcl.inc"
};

bool face_import(void *user, const char *name, const char **text, size_t *size)
{
    const fcl_load_options *options = user;
    if (options && options->import && options->import(options->import_user, name, text, size))
        return true;
    bool core = strcmp(name, "prelude") == 0;
    if (!core && strcmp(name, "prelude.fcl") != 0)
        return false;
    *text = (const char *)(core ? prelude_text : surface_text);
    *size = core ? sizeof prelude_text : sizeof surface_text;
    return true;
}
