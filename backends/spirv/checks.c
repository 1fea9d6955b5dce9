/* Checks, and the report of the first one that fails: its number and two numbers that tell why, in
 * a memory that the host looks at.
 *
 * A report is an atomic step, a branch and four stores.  lavapipe makes a loop over lanes of each
 * access to memory, and its compiler takes time by the square of the branches: for some hundred
 * checks minutes. With the quirk late-reports a thread keeps in variables what failed first,
 * without a branch, and reports it where the kernel ends. */
#include "backends/spirv/emit.h"

/* ---- reports ---- */

static void store_number(sp_emitter *e, uint32_t at, sp_id number)
{
    sp_id word = sp_scalar(e, ST_U32), half = sp_const(e, ST_U64, 32);
    sp_id high = sp_2(e, SpvOpShiftRightLogical, sp_scalar(e, ST_U64), number, half);
    sp_put(e->s, e->where, SpvOpStore,
           SP_WORDS(e->environment->word(e, at), sp_1(e, SpvOpUConvert, word, number),
                    SpvMemoryAccessAlignedMask, 4));
    sp_put(e->s, e->where, SpvOpStore,
           SP_WORDS(e->environment->word(e, at + 1), sp_1(e, SpvOpUConvert, word, high),
                    SpvMemoryAccessAlignedMask, 4));
}

/* The first check that fails is the one that is reported. */
static void report(sp_emitter *e, sp_id check, sp_id first, sp_id second)
{
    sp_id scope = sp_u32(e, SpvScopeDevice), none = sp_u32(e, 0);
    sp_id then = sp_new_id(e->s), end = sp_new_id(e->s);
    sp_id before =
        sp_make(e->s, e->where, SpvOpAtomicCompareExchange, sp_scalar(e, ST_U32),
                SP_WORDS(e->environment->word(e, K_REPORT_CHECK), scope, none, none, check, none));
    sp_id is_first = sp_relate(e, SpvOpIEqual, before, none);
    sp_merge(e, end);
    sp_branch_by(e, is_first, then, end);
    sp_label(e, then);
    store_number(e, K_REPORT_FIRST, first);
    store_number(e, K_REPORT_SECOND, second);
    sp_branch(e, end);
    sp_label(e, end);
}

/* ---- what is reported at the end ---- */

enum { LATE_CHECK, LATE_FIRST, LATE_SECOND }; /* of e->late */

static bool is_late(const sp_emitter *e)
{
    return e->p->target.quirks & QUIRK_LATE_REPORTS;
}

static scalar late_type(uint32_t which)
{
    return which == LATE_CHECK ? ST_U32 : ST_I64;
}

static sp_id read_late(sp_emitter *e, uint32_t which)
{
    return sp_make(e->s, e->where, SpvOpLoad, sp_scalar(e, late_type(which)),
                   SP_WORDS(e->late[which]));
}

static void keep_late(sp_emitter *e, uint32_t which, sp_id test, sp_id x)
{
    sp_id before = read_late(e, which);
    x = sp_3(e, SpvOpSelect, sp_scalar(e, late_type(which)), test, x, before);
    sp_put(e->s, e->where, SpvOpStore, SP_WORDS(e->late[which], x));
}

/* At the head of the kernel: nothing has failed. */
static void make_late(sp_emitter *e)
{
    for (uint32_t i = 0; i < SP_LATE && !e->late[i]; i++) {
        scalar t = late_type(i);
        e->late[i] = sp_make(e->s, SP_HEAD, SpvOpVariable,
                             sp_pointer(e, SpvStorageClassFunction, sp_scalar(e, t)),
                             SP_WORDS(SpvStorageClassFunction, sp_zero(e, t)));
    }
}

static sp_id nothing_late(sp_emitter *e)
{
    return sp_relate(e, SpvOpIEqual, read_late(e, LATE_CHECK), sp_u32(e, 0));
}

/* `test` is 0 where it is known not to hold. */
static void check_late(sp_emitter *e, sp_id test, sp_id check, sp_id first, sp_id second)
{
    make_late(e);
    sp_id is_first = nothing_late(e), flag = sp_scalar(e, ST_BOOL);
    if (test)
        is_first = sp_2(e, SpvOpLogicalAnd, flag, is_first, sp_1(e, SpvOpLogicalNot, flag, test));
    keep_late(e, LATE_CHECK, is_first, check);
    keep_late(e, LATE_FIRST, is_first, first);
    keep_late(e, LATE_SECOND, is_first, second);
}

void sp_report_late(sp_emitter *e)
{
    if (!e->late[LATE_CHECK])
        return;
    sp_id then = sp_new_id(e->s), end = sp_new_id(e->s);
    sp_id well = nothing_late(e);
    sp_merge(e, end);
    sp_branch_by(e, well, end, then);
    sp_label(e, then);
    report(e, read_late(e, LATE_CHECK), read_late(e, LATE_FIRST), read_late(e, LATE_SECOND));
    sp_branch(e, end);
    sp_label(e, end);
}

/* ---- statements ---- */

static sp_id as_long(sp_emitter *e, k_id v)
{
    return sp_resize(e, ST_I64, (scalar)k_at(e->p, v)->type, sp_value(e, v));
}

static void check_now(sp_emitter *e, sp_id test, const k_node *n, sp_id check)
{
    sp_id failed = sp_new_id(e->s), end = sp_new_id(e->s);
    if (test) {
        sp_merge(e, end);
        sp_branch_by(e, test, end, failed);
        sp_label(e, failed);
    }
    report(e, check, as_long(e, n->args[1]), as_long(e, n->args[2]));
    if (test) {
        sp_branch(e, end);
        sp_label(e, end);
    }
}

/* Where the condition is known not to hold, only the report is left. */
void sp_check(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    bool known = k_at(e->p, n->args[0])->op == K_CONST;
    sp_id test = known ? 0 : sp_value(e, n->args[0]), check = sp_u32(e, e->ids[id]);
    if (is_late(e))
        check_late(e, test, check, as_long(e, n->args[1]), as_long(e, n->args[2]));
    else
        check_now(e, test, n, check);
}

/* Another thread may just have failed, so that the memory is read each time.  Of the thread's own
 * checks those count as well that stand behind it, in the loop around both. */
void sp_failed(sp_emitter *e, k_id id)
{
    sp_id v = sp_make(e->s, e->where, SpvOpLoad, sp_scalar(e, ST_U32),
                      SP_WORDS(e->environment->word(e, K_REPORT_CHECK),
                               SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask, 4));
    if (is_late(e)) {
        make_late(e);
        v = sp_2(e, SpvOpBitwiseOr, sp_scalar(e, ST_U32), v, read_late(e, LATE_CHECK));
    }
    e->ids[id] = sp_relate(e, SpvOpINotEqual, v, sp_u32(e, 0));
}
