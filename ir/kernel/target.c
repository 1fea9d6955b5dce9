/* The table of tuning numbers: see target.h. */
#include "ir/kernel/target.h"

#include <stddef.h>

static const k_tunable rows[] = {
#define TUNING(field, name, usual, least, most, pass, meaning)                                     \
    {name, pass, meaning, usual, least, most, offsetof(k_tuning, field)},
#include "ir/kernel/tuning.def"
#undef TUNING
};

const k_tunable *k_tunable_at(uint32_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

k_tuning k_usual_tuning(void)
{
    return (k_tuning){
        .block_size = 256,
#define TUNING(field, name, usual, least, most, pass, meaning) .field = (usual),
#include "ir/kernel/tuning.def"
#undef TUNING
    };
}

uint32_t *k_tuned(k_tuning *t, const k_tunable *row)
{
    return (uint32_t *)(void *)((char *)t + row->offset);
}
