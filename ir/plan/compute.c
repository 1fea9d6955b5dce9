/* The host's arithmetic in a plan, by ir/scalar/scalar.c. */
#include "ir/plan/plan.h"

#include "ir/scalar/scalar.h"

static scalar type_of(const plan *p, uint32_t value)
{
    return (scalar)p->values.at[value];
}

/* The first operand of a select is its condition. */
static uint64_t computed(const plan *p, const plan_step *s, const uint64_t *values)
{
    uint64_t x[3] = {0};
    for (int i = 0; i < 3; i++)
        x[i] = s->args[i] ? values[s->args[i]] : 0;
    return scalar_eval((opcode)s->opcode, type_of(p, s->args[s->opcode == SOP_SELECT]), x);
}

uint64_t plan_compute(const plan *p, const plan_step *s, const uint64_t *values)
{
    switch (s->op) {
    case PLAN_CONST: return s->bits;
    case PLAN_COMPUTE: return computed(p, s, values);
    case PLAN_CONVERT:
        return scalar_convert(type_of(p, s->gives), type_of(p, s->args[0]), values[s->args[0]]);
    case PLAN_BITCAST: return scalar_wrap(type_of(p, s->gives), values[s->args[0]]);
    default: return 0;
    }
}
