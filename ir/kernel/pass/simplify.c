/* Copies the program through the builder, which folds, shares and places again what other passes
 * left.  It does what global value numbering, constant folding and loop-invariant code motion do
 * together, since the builder does them for every operation that it is given. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

bool k_simplify(k_program *p)
{
    return k_rebuild(p, &(rebuild){0});
}
