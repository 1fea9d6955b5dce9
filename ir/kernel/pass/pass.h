/* The passes over kernel programs: each reads a program and leaves it equivalent.  False when
 * memory ran out or a diagnostic says why not; the program may then only be released.  What each
 * requires, keeps and breaks, and the order in which they run, are tables of libfcl/passes/. */
#ifndef FCL_IR_KERNEL_PASS_H
#define FCL_IR_KERNEL_PASS_H

#include "ir/kernel/kir.h"

/* Computes in f32 what is f16, where the target lacks it. */
bool k_halves(k_program *p);
/* Copies the program through the builder: folds, shares and places again what other passes left. */
bool k_simplify(k_program *p);
/* Lets a result change places with what would be copied to it, see places.c. */
bool k_places(k_program *p);
/* Lets inner loops of the host work in the memory of the state around them, see lend.c. */
bool k_lend(k_program *p);
/* Lets one thread take the turns of loops of the host that do little, see inward.c. */
bool k_inward(k_program *p);
/* Leaves out stores of what is there already, see silence.c. */
bool k_silence(k_program *p);
/* Lets launches that go through the same elements be one, see together.c. */
bool k_together(k_program *p);
/* Lets groups go by rows where elements take their number apart, see rows.c. */
bool k_rows(k_program *p);
/* Lets the host answer checks for all threads of a launch, see precheck.c. */
bool k_precheck(k_program *p);
/* Keeps in local memory what is made of its elements, see conversions.c. */
bool k_conversions(k_program *p);
/* Lets workers of parallel loops take several neighbouring elements at once, see widen.c. */
bool k_widen(k_program *p);
/* Lets workers of a grid take many neighbouring elements in a loop, see strips.c. */
bool k_strips(k_program *p);
/* Spreads PAR over real threads, see virtualise.c.  Rewrites *p. */
bool k_virtualise(k_program *p);
/* Lets the last group of a launch do what one group is to do behind it, see join.c. */
bool k_join(k_program *p);
/* Reads where it came from what a block's array has of neighbours, see reread.c. */
bool k_reread(k_program *p);
/* Replaces loops by copies of their bodies, see unroll.c. */
bool k_unroll(k_program *p);
/* Makes arrays of blocks private whose elements each belong to one thread, see registers.c.
 */
bool k_registers(k_program *p);
/* Turns private arrays with constant indices into values. */
bool k_promote(k_program *p);
/* Removes dead code, then barriers between which and the next no threads hand values to one
 * another. */
bool k_barriers(k_program *p);
/* Makes accesses to neighbouring elements wide ones, and loads a repeated element once, see
 * merge.c. */
bool k_merge(k_program *p);
/* Spreads rows of local arrays over the banks, so that the threads of a warp do not wait for one
 * another. */
bool k_pad(k_program *p);
/* Parts the turns at the ends of loops from those between, see ends.c. */
bool k_ends(k_program *p);
/* The same of loops that clamp their variable, see clamps.c. */
bool k_clamps(k_program *p);
/* Lets the elements of a row take the turns of their loops side by side, see expand.c. */
bool k_expand(k_program *p);
/* Lets loops note that a check has failed, and ask afterwards which one, see sticky.c. */
bool k_sticky(k_program *p);
/* Carries quotients and remainders of loop variables from turn to turn, see strength.c. */
bool k_reduce_strength(k_program *p);
/* Divides by values that the host knows by multiplication, see reciprocals.c. */
bool k_reciprocals(k_program *p);
/* Leaves to the host, and to outer blocks, what threads need not compute, see outward.c. */
bool k_outward(k_program *p);
/* Makes loads of which every turn of a loop has the same in front of it, see invariants.c. */
bool k_invariants(k_program *p);
/* Hands on what the next turn of a loop would compute again, see commoning.c. */
bool k_commoning(k_program *p);
/* Unlinks statements whose results nobody uses.  Of those with barriers one barrier stays once
 * k_barriers has run. */
bool k_dce(k_program *p);
/* Lets a result overwrite the parameter that the target names, or refuses (reported).  Relies on
 * programs that store each element of a result once. */
bool k_inplace(k_program *p);
/* Fills p->kernels, and p->locals with an area for each array. */
bool k_outline(k_program *p);
/* Gives local arrays that are never in use together the same bytes. */
bool k_localmap(k_program *p);
/* Gives every scalar operator its form: see legalise.c.  The second takes it back, for passes that
 * change the program after it. */
bool k_legalise(k_program *p);
void k_forget_forms(k_program *p);

#endif
