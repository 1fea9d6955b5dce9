/* Where a context keeps what was compiled: see cache.h. */
#define _GNU_SOURCE
#include "backends/run/cache/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL where the environment does not name an absolute path.  A program with more rights than who
 * started it does not run what that one has put somewhere. */
static const char *absolute(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value == '/' ? value : NULL;
}

static const char *add(fcl_context *cx, vec_char *out, const char *parent, const char *rest)
{
    bool ok = parent && text_addf(&cx->mem, out, "%s%s", parent, rest);
    return ok ? text_cstr(&cx->mem, out) : "";
}

const char *cache_folder(fcl_context *cx, vec_char *out)
{
    const cache_choice *c = &cx->cache;
    if (c->folder)
        return add(cx, out, *c->folder == '/' ? c->folder : NULL, "");
    if (secure_getenv("FCL_CACHE"))
        return add(cx, out, absolute("FCL_CACHE"), "");
    const char *home = absolute("XDG_CACHE_HOME");
    return home ? add(cx, out, home, "/libfcl") : add(cx, out, absolute("HOME"), "/.cache/libfcl");
}

uint64_t cache_most_bytes(const fcl_context *cx)
{
    return cx->cache.most_bytes ? cx->cache.most_bytes : CACHE_BYTES_USUAL;
}

static bool is_own(const char *folder)
{
    struct stat s;
    return stat(folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The folder and those around it, from the outermost on. */
static void make_folders(char *path)
{
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(path, S_IRWXU);
            *at = '/';
        }
    mkdir(path, S_IRWXU);
}

bool cache_open_folder(const char *folder, bool make)
{
    if (!*folder)
        return false;
    if (make && access(folder, F_OK) != 0) {
        char *path = strdup(folder);
        if (path)
            make_folders(path);
        free(path);
    }
    return is_own(folder);
}
