/* Runs targets without a fuzzer:
 *
 *     files TARGET FILE...                 each file as it is
 *     files -m COUNT -s SEED TARGET FILE...   COUNT mutated inputs made from the files
 *     files -l                             the targets: name and extension
 *
 * Ends at the first input that crashes; a mutated one is left in the file `crash` of the current
 * folder, which -k KEEP names otherwise. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

static fuzz_random bytes_random = {.state = 1};

/* What libFuzzer does otherwise: bytes are changed, added and dropped. */
size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t room)
{
    fuzz_random *r = &bytes_random;
    size_t at = fuzz_below(r, size);
    switch (fuzz_below(r, 4)) {
    case 0:
        if (size < room) {
            memmove(data + at + 1, data + at, size - at);
            data[at] = (uint8_t)fuzz_next(r);
            return size + 1;
        }
        return size;
    case 1:
        if (size)
            memmove(data + at, data + at + 1, size - at - 1);
        return size ? size - 1 : 0;
    case 2: return at;
    default:
        if (size)
            data[at] = (uint8_t)fuzz_next(r);
        return size;
    }
}

typedef struct input {
    uint8_t *data; /* of ROOM bytes at least */
    size_t size;
} input;

static input read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    input in = {.data = NULL};
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0 || !(in.data = malloc((size_t)size + ROOM))) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    in.size = fread(in.data, 1, (size_t)size, f);
    fclose(f);
    return in;
}

/* From a block of exactly that size, so that reading behind it is seen. */
static void run_exactly(const fuzz_target *t, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(2);
    if (size)
        memcpy(copy, data, size);
    t->run(copy, size);
    free(copy);
}

/* ---- keeping what crashes ---- */

static struct {
    const char *path;
    const uint8_t *data;
    size_t size;
} running;

static void keep(void)
{
    int fd = open(running.path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && write(fd, running.data, running.size) >= 0)
        close(fd);
}

static void keep_and_die(int number)
{
    keep();
    signal(number, SIG_DFL);
    raise(number);
}

/* The sanitizers end a program in their own way. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch(const char *path)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM};
    running.path = path;
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], keep_and_die);
}

/* ---- running ---- */

static void run_mutated(const fuzz_target *t, char **paths, size_t n, unsigned long count,
                        uint32_t seed)
{
    fuzz_random r = {.state = seed ? seed : 1};
    bytes_random = r;
    uint8_t *data = malloc(ROOM);
    for (unsigned long i = 0; data && i < count; i++) {
        input in = read_file(paths[fuzz_below(&r, n)]);
        size_t size = in.size < ROOM ? in.size : ROOM;
        memcpy(data, in.data, size);
        for (size_t k = 1 + fuzz_below(&r, 3); k > 0; k--)
            size = fuzz_mutate(t->extension, data, size, ROOM, fuzz_next(&r));
        free(in.data);
        running.data = data;
        running.size = size;
        run_exactly(t, data, size);
    }
    free(data);
}

static int list(void)
{
    for (size_t i = 0; fuzz_target_at(i); i++)
        printf("%s %s\n", fuzz_target_at(i)->name, fuzz_target_at(i)->extension);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    uint32_t seed = 1;
    const char *kept = "crash";
    for (int c; (c = getopt(argc, argv, "lm:s:k:")) != -1;)
        switch (c) {
        case 'l': return list();
        case 'm': count = strtoul(optarg, NULL, 10); break;
        case 's': seed = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'k': kept = optarg; break;
        default: return 2;
        }
    const fuzz_target *t = optind < argc ? fuzz_target_named(argv[optind]) : NULL;
    if (!t) {
        fprintf(stderr, "usage: files [-m COUNT] [-s SEED] [-k FILE] TARGET FILE... | -l\n");
        return 2;
    }
    char **paths = argv + optind + 1;
    size_t n = (size_t)(argc - optind - 1);
    if (count && n) {
        watch(kept);
        run_mutated(t, paths, n, count, seed);
    }
    for (size_t i = 0; !count && i < n; i++) {
        input in = read_file(paths[i]);
        fprintf(stderr, "%s\n", paths[i]);
        run_exactly(t, in.data, in.size);
        free(in.data);
    }
    fprintf(stderr, "%s: %zu files, %lu mutations; at most %zu bytes allocated\n", t->name, n,
            count, fuzz_peak());
    return 0;
}
