/* The entry points of libFuzzer: one target for each program, chosen by -DFUZZ_TARGET=name. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room); /* libFuzzer's */

static const fuzz_target *target;

static void print_peak(void)
{
    fprintf(stderr, "stat::peak_allocation_bytes:    %zu\n", fuzz_peak());
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    target = fuzz_target_named(NAME_OF(FUZZ_TARGET));
    atexit(print_peak);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz_mutate(target->extension, data, size, room, seed);
}

size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t room)
{
    return LLVMFuzzerMutate(data, size, room);
}
