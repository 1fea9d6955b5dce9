/* What is built in: the functions of the core that every module may import, "prelude" and
 * "prelude.scan", "prelude.compact", "prelude.segments", "prelude.shares", "prelude.skeletons" and
 * "prelude.cores", "arrays", and the prelude of the surface language, which every program has, with
 * what its programs may import. */
#include "libfcl/face.h"

#include <string.h>

static const unsigned char prelude_text[] =
    {
#include "prelude.inc"
},
                           scan_text[] =
                               {
#include "scan.inc"
},
                           compact_text[] =
                               {
#include "compact.inc"
},
                           segments_text[] =
                               {
#include "segments.inc"
},
                           shares_text[] =
                               {
#include "shares.inc"
},
                           skeletons_text[] =
                               {
#include "skeletons.inc"
},
                           cores_text[] =
                               {
#include "cores.inc"
},
                           surface_text[] =
                               {
#include "prelude_fcl.inc"
},
                           arrays_text[] =
                               {
#include "arrays.inc"
},
                           arrays_fcl_text[] = {
#include "arrays_fcl.inc"
};

static const struct {
    const char *name;
    const unsigned char *text;
    size_t size;
} built_in[] = {
    {"prelude", prelude_text, sizeof prelude_text},
    {"prelude.scan", scan_text, sizeof scan_text},
    {"prelude.compact", compact_text, sizeof compact_text},
    {"prelude.segments", segments_text, sizeof segments_text},
    {"prelude.shares", shares_text, sizeof shares_text},
    {"prelude.skeletons", skeletons_text, sizeof skeletons_text},
    {"prelude.cores", cores_text, sizeof cores_text},
    {"prelude.fcl", surface_text, sizeof surface_text},
    {"arrays", arrays_text, sizeof arrays_text},
    {"arrays.fcl", arrays_fcl_text, sizeof arrays_fcl_text},
};

bool face_import(void *user, const char *name, const char **text, size_t *size)
{
    const fcl_load_options *options = user;
    if (options && options->import && options->import(options->import_user, name, text, size))
        return true;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        if (strcmp(name, built_in[i].name) != 0)
            continue;
        *text = (const char *)built_in[i].text;
        *size = built_in[i].size;
        return true;
    }
    return false;
}
