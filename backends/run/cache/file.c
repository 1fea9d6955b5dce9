/* One file of the cache: a header that says what follows, and its digest, by which damage is seen.  A
 * file gets its name once it is whole, so that two processes never see a part of one. */
#define _GNU_SOURCE
#include "backends/run/cache/cache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the same machine and library: numbers stand as they are in memory. */
typedef struct header {
    char magic[8];
    unsigned char key[CACHE_KEY], digest[CACHE_KEY];
    uint64_t size; /* of what follows */
} header;

static const char magic[8] = "fclkept1";

/* ---- keys ---- */

void cache_key_begin(cache_key *k, const char *kind)
{
    sha256_init(&k->h);
    cache_key_add(k, kind, strlen(kind));
}

void cache_key_add(cache_key *k, const void *data, size_t size)
{
    uint64_t bytes = size;
    sha256_add(&k->h, &bytes, sizeof bytes);
    sha256_add(&k->h, data, size);
}

void cache_key_end(cache_key *k)
{
    sha256_end(&k->h, k->digest);
}

static header header_of(const cache_key *k, const void *data, size_t size)
{
    header h = {.size = size};
    sha256 s;
    memcpy(h.magic, magic, sizeof h.magic);
    memcpy(h.key, k->digest, sizeof h.key);
    sha256_init(&s);
    sha256_add(&s, data, size);
    sha256_end(&s, h.digest);
    return h;
}

/* ---- reading ---- */

bool cache_read_all(int file, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, (char *)to + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* How much follows the header of a file that is the user's own and not larger than all may be
 * together; 0: it is none. */
static size_t contents_of(int file, uint64_t most)
{
    struct stat s;
    bool is = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
              (s.st_mode & (S_IWGRP | S_IWOTH)) == 0 && (uint64_t)s.st_size > sizeof(header) &&
              (uint64_t)s.st_size <= most && s.st_size <= INT_MAX;
    return is ? (size_t)s.st_size - sizeof(header) : 0;
}

static bool read_file(fcl_context *cx, int file, const cache_key *k, vec_char *out)
{
    header found;
    size_t size = contents_of(file, cache_most_bytes(cx));
    if (!size || !cache_read_all(file, &found, sizeof found) || found.size != size ||
        !vec_reserve(&cx->mem, out, size) || !cache_read_all(file, out->at + out->len, size))
        return false;
    header right = header_of(k, out->at + out->len, size);
    if (memcmp(&found, &right, sizeof right) != 0)
        return false;
    out->len += (uint32_t)size;
    return true;
}

/* A pipe or a device in the place of a file does not hold anybody up.  When it was used last is the
 * file's time. */
static bool take(fcl_context *cx, const char *path, const cache_key *k, vec_char *out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    bool ok = file >= 0 && read_file(cx, file, k, out);
    if (ok)
        futimens(file, NULL);
    if (file >= 0)
        close(file);
    return ok;
}

/* ---- writing ---- */

bool cache_write_all(int file, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file, (const char *)from + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* A process that writes more than it may is ended by a signal. */
static bool may_write(size_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= size;
}

static void keep(char *fresh, const char *path, const header *h, const void *data)
{
    int file = mkostemp(fresh, O_CLOEXEC);
    if (file < 0)
        return;
    bool ok = cache_write_all(file, h, sizeof *h) && cache_write_all(file, data, h->size);
    ok = close(file) == 0 && ok;
    if (!ok || rename(fresh, path) != 0)
        unlink(fresh);
}

/* ---- by key ---- */

/* The path of a key's file; false: nothing is kept. */
static bool path_of(fcl_context *cx, const cache_key *k, bool make, vec_char *folder,
                    vec_char *path)
{
    char name[CACHE_NAME];
    const char *in = cache_folder(cx, folder);
    cache_name(k, name);
    return cache_open_folder(in, make) && text_addf(&cx->mem, path, "%s/%s", in, name) &&
           *text_cstr(&cx->mem, path);
}

bool cache_take(fcl_context *cx, const cache_key *k, vec_char *out)
{
    const bool oom = cx->mem.oom;
    vec_char folder = {0}, path = {0};
    bool ok = path_of(cx, k, false, &folder, &path) && take(cx, path.at, k, out);
    vec_free(&cx->mem, &folder);
    vec_free(&cx->mem, &path);
    cx->mem.oom = oom; /* what is not there for want of memory is not there */
    return ok;
}

bool cache_may_keep(fcl_context *cx)
{
    const bool oom = cx->mem.oom;
    vec_char folder = {0};
    const char *in = cache_folder(cx, &folder);
    bool may = cache_open_folder(in, true) && access(in, W_OK | X_OK) == 0;
    vec_free(&cx->mem, &folder);
    cx->mem.oom = oom;
    return may;
}

void cache_keep(fcl_context *cx, const cache_key *k, const void *data, size_t size)
{
    const bool oom = cx->mem.oom;
    const uint64_t most = cache_most_bytes(cx), all = (uint64_t)size + sizeof(header);
    vec_char folder = {0}, path = {0}, fresh = {0};
    if (size && all <= most && may_write((size_t)all) && path_of(cx, k, true, &folder, &path) &&
        text_addf(&cx->mem, &fresh, "%s/new-XXXXXX", folder.at) && *text_cstr(&cx->mem, &fresh)) {
        const header h = header_of(k, data, size);
        keep(fresh.at, path.at, &h, data);
        cache_evict(cx, folder.at, most);
    }
    vec_free(&cx->mem, &folder);
    vec_free(&cx->mem, &path);
    vec_free(&cx->mem, &fresh);
    cx->mem.oom = oom;
}
