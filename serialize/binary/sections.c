/* The names of the library's own sections.  The text form asks too: a `section` there must not have
 * one of them. */
#include "serialize/binary/binary.h"

#include <string.h>

bool binary_knows_section(const char *name)
{
    static const char *const own[] = {
#define SECTION(e, name, required, since, contents) #name,
#include "serialize/binary/binary.def"
#undef SECTION
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}
