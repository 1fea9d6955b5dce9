/* What drivers have compiled, kept on disk for the next process: docs/runtime.md says where, and what
 * programs may choose.
 *
 * A file for each program or pipeline, named by what it was made of.  Nothing here fails: what cannot
 * be read or is damaged is not there, what cannot be written is not kept, and no diagnostic says so. */
#ifndef FCL_BACKENDS_RUN_CACHE_CACHE_H
#define FCL_BACKENDS_RUN_CACHE_CACHE_H

#include "ir/base/context.h"
#include "serialize/coding/sha256.h"

enum { CACHE_KEY = 32, CACHE_BYTES_USUAL = 256 << 20 };

/* What something is made of: begin, add whatever has a part in it, end. */
typedef struct cache_key {
    sha256 h;
    unsigned char digest[CACHE_KEY];
} cache_key;
void cache_key_begin(cache_key *k, const char *kind);
void cache_key_add(cache_key *k, const void *data, size_t size); /* with its size */
void cache_key_end(cache_key *k);

/* ---- folder.c ---- */
/* The folder for a context, as an absolute path; "" where nothing is kept.  out: to be freed. */
const char *cache_folder(fcl_context *cx, vec_char *out);
uint64_t cache_most_bytes(const fcl_context *cx);
/* Makes it where it is not there.  False unless it is the user's own, and nobody else may write it:
 * what stands there is run. */
bool cache_open_folder(const char *folder, bool make);

/* ---- file.c ---- */
/* All of so many bytes, in as many steps as that takes. */
bool cache_read_all(int file, void *to, size_t size);
bool cache_write_all(int file, const void *from, size_t size);
/* Appends what was kept under the key; false: nothing. */
bool cache_take(fcl_context *cx, const cache_key *k, vec_char *out);
/* Whether something could be kept. */
bool cache_may_keep(fcl_context *cx);
void cache_keep(fcl_context *cx, const cache_key *k, const void *data, size_t size);

/* ---- evict.c ---- */
enum { CACHE_NAME = 2 * CACHE_KEY + 1 };
void cache_name(const cache_key *k, char out[CACHE_NAME]);
/* Lets those go that were used longest ago, until there are so many bytes at most. */
void cache_evict(fcl_context *cx, const char *folder, uint64_t most);

#endif
