/* Barriers for drivers that get them wrong: the quirks of ir/kernel/quirks.def that are honoured
 * while code is emitted.
 *
 * A driver that runs a block's threads one after another cuts the code at its barriers, and may
 * lose what crosses the cuts, or its compiler does not end.  What helps: the turns of a loop with
 * barriers are parted by one that stands where nothing but the loop's own step follows; what they
 * hand on is volatile; and steps saturate, so that the compiler does not see a plain counter.
 * Likewise values that are computed before a barrier and used behind it: the code between two
 * barriers is a phase, and begins anew with every branch or loop that has barriers.  Such drivers
 * also make arrays out of the declarations of local memory late, after a chain of tests for
 * constants has become a table of addresses of them: the compiler must not see those tests.
 * Without quirks nothing is walked, and the answer to all of these is no. */
#ifndef FCL_BACKENDS_BARRIERS_H
#define FCL_BACKENDS_BARRIERS_H

#include "ir/kernel/kir.h"

/* Of a node. */
typedef struct crossing {
    uint32_t phase;   /* between which barriers it is computed; 0: nowhere */
    bool syncs;       /* a barrier of the block stands inside */
    bool is_volatile; /* it would be const */
} crossing;

typedef struct barriers {
    const k_program *p;
    const k_kernel *kernel;
    crossing *of; /* every node; NULL: no quirk asks for them */
    uint32_t phase;
    bool inner_syncs;  /* a barrier stands inside an if or a loop of the kernel */
    bool branch_syncs; /* a barrier stands inside an if */
} barriers;

typedef enum parting {
    PARTING_NONE,
    PARTING_BEFORE, /* a barrier begins each turn, and one follows a loop that counts */
    PARTING_BEHIND  /* a barrier ends each turn, behind the assignment of the next values */
} parting;

bool barriers_begin(barriers *b, const k_program *p); /* false: memory is short */
void barriers_end(barriers *b);
/* Looks at a kernel; what is asked below is about the last one. */
void barriers_find(barriers *b, const k_kernel *k);
parting barriers_parting(const barriers *b, k_id loop);
/* The barrier of a parted loop's body that the one above replaces; 0: none. */
k_id barriers_replaced(const barriers *b, k_id loop);
bool barriers_volatile_loop(const barriers *b, k_id loop); /* what the loop carries */
bool barriers_saturate_steps(const barriers *b);
bool barriers_volatile(const barriers *b, k_id value); /* a value, or a branch's result */
/* Whether the condition of a choice gets a name, as it is to be volatile. */
bool barriers_name_test(const k_program *p, const k_kernel *k, const k_node *n);

#endif
