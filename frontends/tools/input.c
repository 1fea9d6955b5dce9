/* Whole files in memory: see input.h. */
#define _XOPEN_SOURCE 700
#include "frontends/tools/input.h"

#include "frontends/tools/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is known of a file's size before reading; 0 for pipes and terminals. */
static size_t expected_size(FILE *f)
{
    struct stat st;
    return fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size
                                                                               : 0;
}

typedef enum { READ_OK, READ_LARGE, READ_MEMORY, READ_FAILED } read_result;

static read_result grow(char **data, size_t *cap, size_t limit)
{
    if (*cap > limit)
        return READ_LARGE;
    size_t next = *cap < limit / 2 ? *cap * 2 : limit + 1;
    char *bigger = realloc(*data, next + 1);
    if (!bigger)
        return READ_MEMORY;
    *data = bigger;
    *cap = next;
    return READ_OK;
}

static read_result read_all(FILE *f, size_t limit, input *out)
{
    size_t expected = expected_size(f), cap = expected ? expected + 1 : 1 << 16;
    if (expected > limit)
        return READ_LARGE;
    if (!(out->data = malloc(cap + 1)))
        return READ_MEMORY;
    for (;;) {
        out->size += fread(out->data + out->size, 1, cap - out->size, f);
        if (ferror(f))
            return READ_FAILED;
        if (out->size < cap)
            break;
        read_result grown = grow(&out->data, &cap, limit);
        if (grown != READ_OK)
            return grown;
    }
    out->data[out->size] = 0;
    return out->size > limit ? READ_LARGE : READ_OK;
}

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

bool input_read(report *r, const char *path, size_t limit, input *out)
{
    bool standard = strcmp(path, "-") == 0;
    *out = (input){.name = standard ? "<stdin>" : path};
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f)
        return report_error(r, TD_FILE_READ, (report_place){.file = path}, NULL,
                            "cannot open the file: %s", strerror(errno));
    read_result result = read_all(f, limit, out);
    int error = errno;
    if (!standard)
        fclose(f);
    if (result != READ_OK)
        input_free(out);
    return report_read(r, out, result, limit, error);
}

void input_free(input *in)
{
    free(in->data);
    in->data = NULL;
    in->size = 0;
}

/* ---- sources ---- */

enum { SOURCE_LIMIT = 1 << 24 };

/* The folder of a path. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? tool_strndup(path, slash == path ? 1 : (size_t)(slash - path))
                 : tool_strndup(".", 1);
}

/* A path as it is, or from a folder when it is relative. */
static char *path_from(const char *folder, const char *name)
{
    string path = {0};
    if (name[0] != '/')
        string_addf(&path, "%s/", folder);
    string_addf(&path, "%s", name);
    return path.at;
}

static bool ka_is_below(const char *path, const char *folder)
{
    char *real = realpath(path, NULL), *top = realpath(folder, NULL);
    size_t n = top ? strlen(top) : 0;
    bool below = real && top && strncmp(real, top, n) == 0 && (top[n - 1] == '/' || real[n] == '/');
    free(real);
    free(top);
    return below;
}

static bool read_below(const char *name, const char *folder, input *out)
{
    char *path = path_from(folder, name);
    struct stat st;
    FILE *f = ka_is_below(path, folder) && stat(path, &st) == 0 && S_ISREG(st.st_mode)
                  ? fopen(path, "rb")
                  : NULL;
    *out = (input){.name = name};
    bool ok = f && read_all(f, SOURCE_LIMIT, out) == READ_OK;
    if (f)
        fclose(f);
    if (!ok)
        input_free(out);
    free(path);
    return ok;
}

bool input_find(const char *name, const char *beside, input *out)
{
    char *folder = folder_of(beside ? beside : "");
    bool ok = read_below(name, ".", out) || read_below(name, folder, out);
    free(folder);
    return ok;
}

/* ---- imports ---- */

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

/* Not finding the file is no error here: the library asks elsewhere, and reports. */
bool importer_find(void *user, const char *name, const char **text, size_t *size)
{
    importer *im = user;
    bool prelude = strcmp(name, "prelude.fcl") == 0;
    if (prelude && !im->prelude)
        return false;
    char *path = prelude ? tool_strndup(im->prelude, strlen(im->prelude)) : import_path(im, name);
    FILE *f = fopen(path, "rb");
    free(path);
    if (!f)
        return false;
    input in = {0};
    bool ok = read_all(f, INPUT_MODULE_LIMIT, &in) == READ_OK;
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

fcl_module *module_load(report *r, const module_options *how, const char *path, const char *name,
                        const char *data, size_t size)
{
    importer im = {.beside = path, .prelude = how->prelude};
    fcl_load_options options = {.import = importer_find, .import_user = &im, .entry = how->entry};
    if (!prelude_readable(r, how->prelude))
        return NULL;
    fcl_module *m = fcl_module_load(r->cx, name, data, size, &options);
    importer_free(&im);
    return m;
}
