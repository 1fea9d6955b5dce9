/* Settings: drawn, printed, read. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "tests/random/case.h"

#include "backends/backend.h"
#include "ir/passes/decisions.h"
#include "libfcl/target.h"
#include "tests/random/dice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t of(dice *d, const uint32_t *values, uint32_t n)
{
    return values[dice_roll(d, n)];
}

void setting_exchange(k_target *t, uint32_t i)
{
    const fcl_backend *b = backend_at(NULL, 0);
    const fcl_dialect *d = &b->dialects[i < b->ndialects ? i : b->ndialects - 1];
    t->request.dialect = (uint32_t)(d - b->dialects);
    t->facts.lanes = d->lanes == FCL_LANES_OF_WARP ? t->facts.warp_size : d->lanes;
    t->facts.warps_wait = d->warps_wait;
}

void setting_simd(k_target *t, uint32_t bytes)
{
    t->facts.simd = bytes;
    t->facts.serial = bytes != 0;
}

static k_target usual_target(void)
{
    k_target t = {.facts = backend_facts(backend_at(NULL, 0)), .tuning = k_usual_tuning()};
    t.tuning.block_size = 64;
    return t;
}

static void draw_target(dice *d, k_target *t)
{
    static const uint32_t blocks[] = {1, 2, 7, 16, 32, 33, 64, 96, 100, 128, 256},
                          whole[] = {32, 64, 128, 256}, groups[] = {0, 0, 1, 2, 3},
                          bytes[] = {1, 4, 8, 16, 16}, unroll[] = {1, 16, 100, 2048, 2048},
                          bits[] = {0, 0, 32, 64};
    *t = usual_target();
    t->request.groups = of(d, groups, 5);
    t->tuning.vector_bytes = of(d, bytes, 5);
    t->facts.local_bytes = dice_chance(d, 60) ? 48 << 10 : 0;
    t->tuning.unroll = of(d, unroll, 5);
    t->request.index_bits = of(d, bits, 4);
    t->facts.atomics64 = dice_chance(d, 70);
    t->facts.groups_wait = !dice_chance(d, 25);
    t->facts.launches_cost = dice_chance(d, 35);
    bool lanes = dice_chance(d, 45);
    t->tuning.block_size = lanes                ? of(d, whole, 4)
                           : dice_chance(d, 80) ? of(d, blocks, 11)
                                                : 1 + dice_roll(d, 256);
    if (lanes)
        setting_exchange(t, dice_roll(d, 3));
    if (dice_chance(d, 30)) {
        t->tuning.block_size = 256;
        t->tuning.most_own = 1024;
    }
    if (dice_chance(d, 25))
        t->quirks = QUIRK_OPEN_BRANCHES;
    static const uint32_t checks[] = {CHECKS_DEFAULT, CHECKS_DEFAULT, CHECKS_NONE, CHECKS_ALL};
    t->request.checks = (k_checks)of(d, checks, 4);
}

static uint32_t find_pass(const char *name)
{
    uint32_t i = 0;
    while (i < pipeline_kernel_count() && strcmp(pipeline_kernel(i)->about.name, name) != 0)
        i++;
    return i;
}

/* Those between spreading the work and removing what is unused may run in any order. */
static void shuffle(dice *d, setting *s)
{
    uint32_t from = 0, to = 0;
    for (uint32_t i = 0; i < s->npasses; i++) {
        if (s->passes[i] == find_pass("virtualise"))
            from = i + 1;
        if (s->passes[i] == find_pass("dce"))
            to = i;
    }
    for (uint32_t i = from; i + 1 < to; i++) {
        uint32_t j = i + dice_roll(d, to - i);
        uint8_t x = s->passes[i];
        s->passes[i] = s->passes[j];
        s->passes[j] = x;
    }
}

void setting_draw(uint64_t seed, setting *out)
{
    dice d = dice_of(~seed);
    *out = (setting){0};
    draw_target(&d, &out->target);
    bool all = dice_chance(&d, 50);
    uint32_t percent = 30 + dice_roll(&d, 60);
    for (uint32_t i = 0; i < pipeline_kernel_count(); i++)
        if (pipeline_kernel(i)->about.needed || all || dice_chance(&d, percent))
            out->passes[out->npasses++] = (uint8_t)i;
    if (!all && dice_chance(&d, 50))
        shuffle(&d, out);
    if (dice_chance(&d, 40))
        out->without = dice_roll(&d, 1u << DECISIONS);
    if (dice_chance(&d, 70))
        out->tunables = 1 + dice_roll(&d, 1000000);
    static const uint32_t simd[] = {0, 0, 16, 32, 64};
    if (!out->target.facts.lanes)
        setting_simd(&out->target, of(&d, simd, 5));
}

const char *setting_without(const setting *s, char out[WITHOUT_MOST])
{
    const char *name;
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; (name = fcl_decision_get(i, NULL)) != NULL && n < WITHOUT_MOST; i++)
        if (s->without >> i & 1)
            n += (size_t)snprintf(out + n, WITHOUT_MOST - n, "%s%s", n ? "," : "", name);
    return out;
}

void setting_text(const setting *s, char *out, size_t size)
{
    const k_target *t = &s->target;
    int n = snprintf(out, size,
                     "block=%u,own=%u,groups=%u,exchange=%s,vector=%u,copies=%u,bits=%u,local=%u,atomics=%"
                     "u,phases=%u,join=%u,quirks=%u,without=%u,tunables=%u,simd=%u,checks=%s",
                     t->tuning.block_size, t->tuning.most_own, t->request.groups,
                     backend_at(NULL, 0)->dialects[t->request.dialect].name, t->tuning.vector_bytes,
                     t->tuning.unroll, t->request.index_bits, t->facts.local_bytes,
                     t->facts.atomics64 ? 64u : 32u, !t->facts.groups_wait,
                     t->facts.launches_cost, t->quirks, s->without, s->tunables, t->facts.simd,
                     target_checks_name(t->request.checks));
    for (uint32_t i = 0; i < s->npasses && n > 0 && (size_t)n < size; i++)
        n += snprintf(out + n, size - (size_t)n, ",%s", pipeline_kernel(s->passes[i])->about.name);
    if (s->after_each && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ",each");
}

static uint32_t exchange_named(const char *name)
{
    const fcl_backend *b = backend_at(NULL, 0);
    uint32_t i = 0;
    while (i + 1 < b->ndialects && strcmp(b->dialects[i].name, name) != 0)
        i++;
    return i;
}

/* What a setting can name, in the order of their names; passes stand behind. */
enum {
    BLOCK,
    OWN,
    GROUPS,
    EXCHANGE,
    VECTOR,
    COPIES,
    BITS,
    LOCAL,
    ATOMICS,
    PHASES,
    JOIN,
    QUIRKS,
    WITHOUT,
    TUNABLES,
    SIMD,
    CHECKS,
    EACH,
    PASSES
};

/* False: there is no such thing, or no room. */
static bool read_item(int i, const char *value, setting *out)
{
    k_target *t = &out->target;
    uint32_t x = i >= 0 && value ? (uint32_t)strtoul(value, NULL, 10) : 0;
    switch (i) {
    case -1: return false;
    case BLOCK: t->tuning.block_size = x; break;
    case OWN: t->tuning.most_own = x; break;
    case GROUPS: t->request.groups = x; break;
    case EXCHANGE: setting_exchange(t, exchange_named(value)); break;
    case VECTOR: t->tuning.vector_bytes = x; break;
    case COPIES: t->tuning.unroll = x; break;
    case BITS: t->request.index_bits = x; break;
    case LOCAL: t->facts.local_bytes = x; break;
    case ATOMICS: t->facts.atomics64 = x != 32; break;
    case PHASES: t->facts.groups_wait = x == 0; break;
    case JOIN: t->facts.launches_cost = x != 0; break;
    case QUIRKS: t->quirks = x; break;
    case WITHOUT: out->without = x; break;
    case TUNABLES: out->tunables = x; break;
    case SIMD: setting_simd(t, x); break;
    case CHECKS:
        if (!target_find_checks(value ? value : "", &t->request.checks))
            return false;
        break;
    case EACH: out->after_each = true; break;
    default:
        if (out->npasses == PASSES_MOST)
            return false;
        out->passes[out->npasses++] = (uint8_t)(i - PASSES);
    }
    return true;
}

bool setting_read(char *text, setting *out)
{
    char *names[PASSES + PASSES_MOST + 1] = {"block", "own", "groups",  "exchange", "vector", "copies", "bits",
                                         "local", "atomics", "phases", "join", "quirks", "without", "tunables", "simd", "checks", "each"};
    char *value;
    for (uint32_t i = 0; i < pipeline_kernel_count(); i++)
        names[PASSES + i] = (char *)(uintptr_t)pipeline_kernel(i)->about.name;
    *out = (setting){.target = usual_target()};
    while (*text) {
        int i = getsubopt(&text, names, &value);
        if (!read_item(i, value, out))
            return false;
    }
    return true;
}
