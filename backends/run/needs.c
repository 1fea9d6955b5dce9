/* What the kernels of a plan need of a device: abilities, and the local memory that their code
 * declares. */
#include "backends/run/run.h"

#include <stdio.h>
#include <string.h>

/* LACKS_x: the fact that a need is about, the code of the diagnostic, what the kernel does, and
 * what to do about it. */
#define LACKS_F64                                                                                  \
    offsetof(k_device_facts, f64), DIAG_RUN_F64, "computes with doubles", "use f32 in the program"
#define LACKS_F16                                                                                  \
    offsetof(k_device_facts, f16), DIAG_RUN_NEEDS, "computes with f16",                            \
        "compile without -D NativeHalf=1: f16 is computed in f32 then"
#define LACKS_ATOMICS64                                                                            \
    offsetof(k_device_facts, atomics64), DIAG_RUN_NEEDS, "takes atomic steps on 64 bits",          \
        "compile with -D AtomicBits=32"
#define LACKS_GROUPS_WAIT                                                                          \
    offsetof(k_device_facts, groups_wait), DIAG_RUN_NEEDS, "lets groups wait for one another",     \
        "compile with -D InPhases=1"

static const struct {
    plan_need need;
    size_t fact;
    diag_code code;
    const char *does, *hint, *name;
} needs[] = {
#define PNEED(e, bit, since, name, meaning) {PLAN_NEEDS_##e, LACKS_##e, name},
#include "ir/plan/plan.def"
#undef PNEED
};

static bool has(const k_device_facts *facts, size_t fact)
{
    return *(const bool *)((const char *)facts + fact);
}

bool run_list_targets(mem *m, vec_char *out, const run_caps *caps)
{
    const char *spirv = caps->spirv && caps->spirv != caps->target ? caps->spirv : NULL;
    return text_addf(m, out, "%s%s%s%s%s", caps->target, spirv ? " and " : "", spirv ? spirv : "",
                     caps->addresses ? " and " : "", caps->addresses ? caps->addresses : "");
}

/* The needs are called as in plans. */
bool run_describe_caps(mem *m, vec_char *out, const run_caps *caps)
{
    bool ok = text_addf(m, out, "; takes ") && run_list_targets(m, out, caps);
    for (size_t i = 0; ok && i < sizeof needs / sizeof *needs; i++)
        if (has(&caps->facts, needs[i].fact))
            ok = text_addf(m, out, ", %s", needs[i].name);
    return ok;
}

static bool lacks(const run_caps *caps, const plan *p, const plan_kernel *k, run_lack *out)
{
    const char *name = intern_str(&p->cx->strings, k->name);
    out->at = k->at;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if ((k->needs & needs[i].need) && !has(&caps->facts, needs[i].fact)) {
            out->code = needs[i].code;
            out->hint = needs[i].hint;
            snprintf(out->what, sizeof out->what, "kernel %.80s %s, which the device does not have",
                     name, needs[i].does);
            return true;
        }
    out->code = DIAG_RUN_LOCAL;
    out->hint = "let each block work on a smaller chunk";
    snprintf(out->what, sizeof out->what,
             "kernel %.80s needs %llu bytes of local memory for each block; the device has %u",
             name, (unsigned long long)k->local_bytes, caps->facts.local_bytes);
    return caps->facts.local_bytes && k->local_bytes > caps->facts.local_bytes;
}

bool run_refuse(fcl_context *cx, const run_lack *l)
{
    diag_error(cx, l->code, l->at, "%s", l->what);
    diag_hint(cx, "%s", l->hint);
    return false;
}

/* Where a kernel has the local memory of all others in its program (the quirk summed-locals). */
static bool lacks_together(const run_caps *caps, const plan *p, run_lack *out)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < p->kernels.len; i++)
        sum += p->kernels.at[i].local_bytes;
    if (!caps->facts.local_bytes || sum <= caps->facts.local_bytes)
        return false;
    *out = (run_lack){.code = DIAG_RUN_LOCAL, .hint = "let each block work on a smaller chunk, or give the device OpenCL C"};
    out->at = p->kernels.at[1].at;
    snprintf(out->what, sizeof out->what, "the kernels need %llu bytes of local memory together, as this driver has them in SPIR-V; the device has %u",
             (unsigned long long)sum, caps->facts.local_bytes);
    return true;
}

bool run_lacks(const run_caps *caps, const char *target, const plan *p, run_lack *out)
{
    for (uint32_t i = 1; i < p->kernels.len; i++)
        if (lacks(caps, p, &p->kernels.at[i], out))
            return true;
    bool together = caps->quirks & QUIRK_SUMMED_LOCALS && caps->spirv && strcmp(target, caps->spirv) == 0;
    return together && lacks_together(caps, p, out);
}
