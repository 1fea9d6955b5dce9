/* How many bytes the files of the cache have together: see cache.h.  Other processes may do the same
 * at the same time, so a file that is gone already is none that matters. */
#define _GNU_SOURCE
#include "backends/run/cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABANDONED = 3600 }; /* seconds after which nobody writes a file any more */

typedef struct entry {
    char name[CACHE_NAME];
    struct timespec used;
    uint64_t bytes;
} entry;
typedef VEC(entry) vec_entry;

static const char digits[] = "0123456789abcdef";

void cache_name(const cache_key *k, char out[CACHE_NAME])
{
    for (size_t i = 0; i < CACHE_KEY; i++) {
        out[2 * i] = digits[k->digest[i] >> 4];
        out[2 * i + 1] = digits[k->digest[i] & 15];
    }
    out[2 * CACHE_KEY] = 0;
}

/* Whether it is a file of the cache; one that was begun long ago and never became one is removed. */
static bool look_at(int folder, const char *name, entry *e)
{
    struct stat s;
    bool whole = strlen(name) == CACHE_NAME - 1 && strspn(name, digits) == CACHE_NAME - 1;
    if ((!whole && strncmp(name, "new-", 4) != 0) ||
        fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode))
        return false;
    if (!whole) {
        if (s.st_mtim.tv_sec + ABANDONED < time(NULL))
            unlinkat(folder, name, 0);
        return false;
    }
    *e = (entry){.used = s.st_mtim, .bytes = (uint64_t)s.st_size};
    memcpy(e->name, name, sizeof e->name);
    return true;
}

static uint64_t list(fcl_context *cx, DIR *folder, vec_entry *out)
{
    uint64_t bytes = 0;
    entry e;
    for (struct dirent *d; (d = readdir(folder)) != NULL;)
        if (look_at(dirfd(folder), d->d_name, &e) && vec_push(&cx->mem, out, e))
            bytes += e.bytes;
    return bytes;
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void cache_evict(fcl_context *cx, const char *folder, uint64_t most)
{
    vec_entry all = {0};
    DIR *d = opendir(folder);
    if (!d)
        return;
    uint64_t bytes = list(cx, d, &all);
    if (bytes > most)
        qsort(all.at, all.len, sizeof *all.at, by_use);
    for (uint32_t i = 0; i < all.len && bytes > most; i++) {
        unlinkat(dirfd(d), all.at[i].name, 0);
        bytes -= all.at[i].bytes;
    }
    closedir(d);
    vec_free(&cx->mem, &all);
}
