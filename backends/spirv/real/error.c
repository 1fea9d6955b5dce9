/* The error function: a polynomial up to 1, and beyond 1 - e^(-x^2) P(1 / (x + 2)). */
#include "backends/spirv/real/real.h"

sp_id sr_erf(const sr_function *f)
{
    sp_id one = sr_number(f, 1), all = sr_1(f, SOP_ABS, f->x);
    sp_id a = sr_clamp(f, all, sr_number(f, 0), sr_number(f, 6)), z = sr_mul(f, a, a);
    sp_id small = sr_add(f, a, sr_mul(f, a, sr_polynomial_of(f, SR_ERF, z)));
    sp_id t = sr_div(f, one, sr_add(f, a, sr_number(f, 2)));
    sp_id rest =
        sr_mul(f, sr_exponential(f, sr_1(f, SOP_NEG, z), 0), sr_polynomial_of(f, SR_ERFC, t));
    sp_id r = sr_choose(f, sr_less(f, one, a), sr_sub(f, one, rest), small);
    return sr_with_sign(f, r, f->x);
}
