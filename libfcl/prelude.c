/* The prelude: FCL code that every program may import.  Its text, prelude.fclir, is built in. */
#include "libfcl/face.h"

#include <string.h>

static const unsigned char prelude_text[] = {
#include "prelude.inc"
};

bool face_import(void *user, const char *name, const char **text, size_t *size)
{
    const fcl_load_options *options = user;
    if (options && options->import && options->import(options->import_user, name, text, size))
        return true;
    if (strcmp(name, "prelude") != 0)
        return false;
    *text = (const char *)prelude_text;
    *size = sizeof prelude_text;
    return true;
}
