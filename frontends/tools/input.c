/* Inputs and imports of the programs: see input.h.  Files are read whole, with a limit: what the
 * library gets is one block of bytes. */
#include "frontends/tools/input.h"

#include "frontends/tools/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reports why a file could not be read; `error` is what errno was then. */
static bool report_read(report *r, const input *in, read_result result, size_t limit, int error)
{
    report_place at = {.file = in->name};
    switch (result) {
    case READ_OK: return true;
    case READ_LARGE:
        return report_error(r, TD_FILE_LARGE, at, NULL,
                            "the file has more than %zu bytes, the most that is read", limit);
    case READ_MEMORY:
        return report_error(r, TD_NO_MEMORY, at, NULL,
                            "there is not enough memory to read the file");
    case READ_FAILED: break;
    }
    return report_error(r, TD_FILE_READ, at, NULL, "cannot read the file: %s", strerror(error));
}

/* errno is kept before anything that may change it. */
bool input_read(report *r, const char *path, size_t limit, input *out)
{
    bool standard = strcmp(path, "-") == 0;
    *out = (input){.name = standard ? "<stdin>" : path};
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f)
        return report_error(r, TD_FILE_READ, (report_place){.file = path}, NULL,
                            "cannot open the file: %s", strerror(errno));
    read_result result = input_read_all(f, limit, out);
    int error = errno;
    if (!standard)
        fclose(f);
    if (result != READ_OK)
        input_free(out);
    return report_read(r, out, result, limit, error);
}

/* ---- imports ---- */

/* Beside the importing file, unless the name is an absolute path; .fclir where it has no ending. */
static char *import_path(const importer *im, const char *name)
{
    const char *slash = strrchr(im->beside, '/');
    string path = {0};
    if (slash && name[0] != '/')
        string_add(&path, im->beside, (size_t)(slash + 1 - im->beside));
    const char *base = strrchr(name, '/');
    string_addf(&path, "%s%s", name, strchr(base ? base : name, '.') ? "" : ".fclir");
    return path.at;
}

static FILE *open_import(const importer *im, const char *name)
{
    char *path = import_path(im, name);
    FILE *f = fopen(path, "rb");
    free(path);
    return f;
}

/* Not finding the file is no error here: the library asks elsewhere, and reports.  The prelude of
 * the surface language is asked for by the name prelude.fcl: see fcl_load_options. */
bool importer_find(void *user, const char *name, const char **text, size_t *size)
{
    importer *im = user;
    bool prelude = strcmp(name, "prelude.fcl") == 0;
    if (prelude && !im->prelude)
        return false;
    FILE *f = prelude ? fopen(im->prelude, "rb") : open_import(im, name);
    if (!f)
        return false;
    input in = {0};
    bool ok = input_read_all(f, INPUT_MODULE_LIMIT, &in) == READ_OK;
    fclose(f);
    input *more = ok ? realloc(im->read, (im->count + 1) * sizeof *more) : NULL;
    if (!more) {
        input_free(&in);
        return false;
    }
    im->read = more;
    im->read[im->count++] = in;
    *text = in.data;
    *size = in.size;
    return true;
}

void importer_free(importer *im)
{
    for (size_t i = 0; i < im->count; i++)
        input_free(&im->read[i]);
    free(im->read);
    *im = (importer){0};
}

/* A prelude that cannot be read is an error, where an import is looked for elsewhere. */
static bool prelude_readable(report *r, const char *path)
{
    input in;
    if (!path)
        return true;
    if (!input_read(r, path, INPUT_MODULE_LIMIT, &in))
        return false;
    input_free(&in);
    return true;
}

/* The library tells the form of the text by itself; it copies what it needs of imports. */
fcl_module *module_load(report *r, const module_options *how, const char *path, const char *name,
                        const char *data, size_t size)
{
    importer im = {.beside = path, .prelude = how->prelude, .lang = how->lang};
    fcl_load_options options = {
        .import = importer_find, .import_user = &im, .entry = how->entry, .lang = how->lang};
    if (!prelude_readable(r, how->prelude))
        return NULL;
    fcl_module *m = fcl_module_load(r->cx, name, data, size, &options);
    importer_free(&im);
    return m;
}
