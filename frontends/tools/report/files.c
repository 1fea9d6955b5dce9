/* Whole files in memory: see files.h. */
#define _XOPEN_SOURCE 700
#include "frontends/tools/report/files.h"

#include "frontends/tools/text.h"

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

/* Doubles the buffer, up to one byte more than may be read: so that a larger file shows. */
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

/* A regular file is read at once: its size is known, and one byte more finds its end. */
read_result input_read_all(FILE *f, size_t limit, input *out)
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

void input_free(input *in)
{
    free(in->data);
    in->data = NULL;
    in->size = 0;
}

/* ---- sources ---- */

/* Bytes of a source that is read to show a line of it. */
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

/* With links followed, so that none leads out of the folder. */
static bool is_below(const char *path, const char *folder)
{
    char *real = realpath(path, NULL), *top = realpath(folder, NULL);
    size_t n = top ? strlen(top) : 0;
    bool below = real && top && strncmp(real, top, n) == 0 && (top[n - 1] == '/' || real[n] == '/');
    free(real);
    free(top);
    return below;
}

/* Reads the file, if it is a regular one in or below the folder. */
static bool read_below(const char *name, const char *folder, input *out)
{
    char *path = path_from(folder, name);
    struct stat st;
    FILE *f = is_below(path, folder) && stat(path, &st) == 0 && S_ISREG(st.st_mode)
                  ? fopen(path, "rb")
                  : NULL;
    *out = (input){.name = name};
    bool ok = f && input_read_all(f, SOURCE_LIMIT, out) == READ_OK;
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
