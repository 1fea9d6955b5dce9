/* What the files of loop/ ask of one another: loops, and the states that they hand from round to
 * round. */
#ifndef FCL_IR_KERNEL_LOWER_LOOP_H
#define FCL_IR_KERNEL_LOWER_LOOP_H

#include "ir/kernel/lower/value.h"

/* ---- state.c ---- */

/* A while, repeat or mapaccum. */
typedef struct state_loop {
    ir_region cond, step;
    frame *env;
    k_id times;     /* repeat, mapaccum; 0: while */
    ir_type type;   /* of the state as the regions receive it, without variables */
    uint32_t level; /* at which a round ends, when something in it waits */
    const char *what;
    bool unordered;   /* what the rounds combine may be combined in any order */
    bool grows;       /* arrays of the grid may be longer behind a round */
    bool updated;     /* an update overwrites an array of the state, or of the result */
    const sv *chunks; /* mapaccum: the array that is made on the way, and where it goes */
    const writer *w;
} state_loop;

/* A state taken apart: a tree with push arrays, and its leaves in order. */
typedef struct state_parts {
    const sv *like, **arrays;
    ir_type *elems; /* of the arrays */
    k_id *scalars;
    uint32_t narrays, nscalars;
} state_parts;

/* The type of the state that a region receives as its k-th parameter. */
ir_type lower_state_type(lowering *L, const frame *f, ir_region r, uint32_t k);
/* False after a failure. */
bool lower_state_parts(lowering *L, const sv *v, ir_type t, state_parts *s);
/* A state of the same form with other leaves: arrays that can be read, and scalars. */
const sv *lower_state_with(lowering *L, const state_parts *s, const sv *const *arrays,
                           const k_id *scalars);
/* Opens the loop with what it carries. */
k_id lower_open_rounds(lowering *L, const state_loop *w, const k_id *init, uint32_t n);
/* The condition of a while, on the state of a round; 0: there is none. */
k_id lower_test_round(lowering *L, const state_loop *w, const sv *state);
/* Runs the step on it: the next state, nothing of which is written yet.  round is its number, of a
 * while anything. */
bool lower_run_round(lowering *L, const state_loop *w, k_id round, const sv *state,
                     state_parts *next);

/* ---- start.c: what the program says of the k-th array of a state ---- */
/* Whether it shows that a turn leaves all extents as they are. */
bool lower_state_keeps(const lowering *L, const state_loop *w, uint32_t k);
/* Whether the loop begins with an array as it is, and nobody else reads that. */
bool lower_gives_up(lowering *L, const state_loop *w, uint32_t k);

/* ---- loop.c: states with arrays in memory ---- */
const sv *lower_memory_loop(lowering *L, const state_loop *w, const state_parts *s);
/* In registers if the arrays are small enough or there are none, else in memory. */
const sv *lower_any_loop(lowering *L, const state_loop *w, const sv *start);

/* ---- pair.c: arrays that have two memories, which change places ---- */
/* In front of the loop: another memory like its own, for elements of that type. */
void lower_begin_pair(lowering *L, destination *own, destination *other, ir_type elem);
/* Behind a round: n arrays, of which trees has first their own memories, by number, and then the others.  where says which of
 * these has what is to be in an array's own, for each another one. */
void lower_change_places(lowering *L, const sv *const *trees, const uint32_t *where, uint32_t n);

/* ---- grown.c: those whose other memory gets more room ---- */
typedef struct growing {
    k_id first;       /* the room of both before the first round */
    k_id room, spare; /* in a round: the room of the array's own memory, and of the other */
} growing;
/* The room of memories for so many elements. */
k_id lower_first_room(lowering *L, k_id size, uint32_t rank);
/* Gives d, which has the room `spare`, room for so many elements at least: how much it has then. */
k_id lower_room_for(lowering *L, destination *d, k_id spare, const k_id *shape, uint32_t rank);

/* ---- together.c ---- */
/* Arrays and where they go, as for lower_emit_into; those with the same iteration by one loop. */
typedef struct written {
    const sv *array;
    destination *dest;
    k_id offset, limit;
} written;
void lower_emit_together(lowering *L, const written *list, uint32_t n);

/* ---- items.c ---- */
/* NULL when an array of the state is to lie in memory. */
const sv *lower_scalar_loop(lowering *L, const state_loop *w, const state_parts *s);

/* ---- lanes.c ---- */
/* lower_fits_lanes, of its size apart. */
bool lower_written_by_lanes(lowering *L, const sv *p);

/* ---- lengths.c ---- */
/* Whether extents that are at least as `least` says, the n consecutive nodes from `now` on, become
 * such again in a round, which is run where cond holds (0: always); those that do not are made 0
 * there. */
bool lower_keeps_least(const lowering *L, k_id cond, k_id now, const k_id *next, uint32_t n,
                       int64_t *least);
/* The extent of what a loop leaves, where cond, of the extent `now`, does not hold any more. */
k_id lower_extent_behind(lowering *L, k_id cond, k_id now, k_id result);

/* ---- counters.c ---- */
/* Whether a number of the state counts turns that is `first` before them, `now` in one and `next`
 * behind it. */
bool lower_is_counter(const lowering *L, const state_loop *w, k_id first, k_id now, k_id next);
/* What is known of one in a turn, and behind the loop. */
void lower_state_counter(lowering *L, const state_loop *w, k_id now);
void lower_state_counted(lowering *L, const state_loop *w, k_id result);

/* ---- unrolled.c ---- */
/* Whether all extents of a push array are constants. */
bool lower_has_constant_extents(const lowering *L, const sv *p);
/* The state after the loop that begins with s, whose arrays are in memory (a list that is
 * overwritten), when all rounds are known; NULL, and nothing built, otherwise. */
const sv *lower_unrolled_loop(lowering *L, const state_loop *w, const state_parts *s,
                              const sv **arrays);

/* ---- in_place.c ---- */
/* The two areas of an array of that level: a step reads it from offset on and writes it from
 * size - offset on; fresh: how many elements it writes, if they are not as many as it reads. */
typedef struct areas {
    uint32_t level;
    k_id offset, size, fresh;
} areas;

/* Whether the step of an open loop could as well write a tree of memories where it reads it. */
bool lower_updates_in_place(lowering *L, const sv *tree, const areas *two, k_id loop);

/* ---- room.c ---- */
/* The permute that makes the whole next state of a loop of the host, one array; or 0. */
ir_op lower_state_maker(const lowering *L, const state_loop *w);

/* ---- sequence.c ---- */
/* At the end of the body of an open loop: what a round leaves in shared memory, the next one
 * overwrites, so all threads finish a round that has barriers before the next one begins. */
void lower_end_round(lowering *L, k_id loop, uint32_t level);
/* One round of a mapaccum: writes the chunk that its region gave; the next state. */
const sv *lower_emit_chunk_of(lowering *L, const state_loop *w, k_id round, const sv *given);

#endif
