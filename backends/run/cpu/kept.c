/* Libraries that the C compiler has made, kept on disk: by the code, the call and the compiler, and by
 * the processor, as they are made for this very machine.  What that is can be told of x86 alone; elsewhere
 * nothing is kept. */
#define _GNU_SOURCE
#include "backends/run/cpu/code.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>

/* What its instructions are: all but what differs between cores of one processor. */
static bool add_machine(cache_key *k)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    bool known = false;
    static const unsigned leaves[] = {0, 1, 7, 0x80000001};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        bool there = __get_cpuid_count(leaves[i], 0, &a, &b, &c, &d);
        const unsigned of[] = {there ? a : 0, there && leaves[i] != 1 ? b : 0, there ? c : 0, there ? d : 0};
        cache_key_add(k, of, sizeof of);
        known = known || (there && leaves[i] == 1);
    }
    return known;
}
#else
static bool add_machine(cache_key *k)
{
    (void)k;
    return false;
}
#endif

/* A compiler that has been replaced is another file. */
static bool add_compiler(cache_key *k, const char *file)
{
    struct stat s;
    if (stat(file, &s) != 0)
        return false;
    const int64_t of[] = {(int64_t)s.st_size, (int64_t)s.st_mtim.tv_sec, (int64_t)s.st_mtim.tv_nsec,
                          (int64_t)s.st_ino};
    cache_key_add(k, of, sizeof of);
    return true;
}

bool cpu_name_library(const run_code *code, const vec_char *call, const char *compiler, cache_key *k)
{
    cache_key_begin(k, "cpu");
    bool ok = add_machine(k) && add_compiler(k, compiler);
    cache_key_add(k, call->at, call->len);
    cache_key_add(k, code->at, code->size);
    cache_key_end(k);
    return ok;
}

bool cpu_take_library(fcl_context *cx, const cache_key *k, const char *path)
{
    vec_char bytes = {0};
    int file = cache_take(cx, k, &bytes) ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700) : -1;
    bool ok = file >= 0 && cache_write_all(file, bytes.at, bytes.len);
    if (file >= 0)
        ok = close(file) == 0 && ok;
    if (!ok)
        unlink(path);
    vec_free(&cx->mem, &bytes);
    return ok;
}

void cpu_keep_library(fcl_context *cx, const cache_key *k, const char *path)
{
    const bool oom = cx->mem.oom;
    struct stat s;
    vec_char bytes = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = file >= 0 && fstat(file, &s) == 0 && s.st_size > 0 && s.st_size <= INT32_MAX &&
              vec_reserve(&cx->mem, &bytes, (size_t)s.st_size) &&
              cache_read_all(file, bytes.at, (size_t)s.st_size);
    if (file >= 0)
        close(file);
    if (ok)
        cache_keep(cx, k, bytes.at, (size_t)s.st_size);
    vec_free(&cx->mem, &bytes);
    cx->mem.oom = oom; /* what is not kept is compiled again */
}
