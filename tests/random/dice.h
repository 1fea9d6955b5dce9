/* Random numbers that depend on a seed alone. */
#ifndef FCL_TESTS_RANDOM_DICE_H
#define FCL_TESTS_RANDOM_DICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_bits(dice *d)
{
    uint64_t x = d->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Seeds beside one another have nothing in common. */
static inline dice dice_of(uint64_t seed)
{
    dice d = {seed};
    d.state = dice_bits(&d) ^ 0x5851f42d4c957f2du;
    d.state = dice_bits(&d);
    return d;
}

/* 0 ... below - 1 */
static inline uint32_t dice_roll(dice *d, uint32_t below)
{
    return (uint32_t)((dice_bits(d) >> 32) * below >> 32);
}

static inline bool dice_chance(dice *d, uint32_t percent)
{
    return dice_roll(d, 100) < percent;
}

#endif
