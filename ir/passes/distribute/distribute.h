/* Distributing work, before it is scheduled: rules by which work that has the shape of loops, states and
 * nests becomes work of one shape, on which the grid is put (docs/rooms/arrays.md).  What comes out names no
 * level yet. */
#ifndef FCL_IR_PASSES_DISTRIBUTE_DISTRIBUTE_H
#define FCL_IR_PASSES_DISTRIBUTE_DISTRIBUTE_H

#include "ir/passes/schedule/schedule.h"

/* All rules that are not off, in a region that the grid works on and those within. */
void sched_distribute(scheduler *s, ir_region r);

/* ---- axes.c ---- */
/* Lets work of an element that depends on some of its indices alone be an array over those, or a scan or sort of the rows of one: what
 * stands for its result; 0: it does not.  Where it may fail, nothing is done for a matrix of no elements. */
ir_value sched_axes(scheduler *s, ir_op o, bool fails);

/* ---- wanted.c ---- */
/* Whether elements of what an operation describes, if there are any, are asked for whenever it runs; loops, sorts and filters go through
 * what they have. */
bool sched_is_wanted(scheduler *s, ir_op o);

/* ---- alike.c ---- */
/* Lets work that is the same for all elements or turns, and may fail, be done in front of them where there are some; it leaves as many
 * regions as `levels` says, at most.  What stands for its result; 0: it stays, as it is not seen to be asked for whenever there are some. */
ir_value sched_alike(scheduler *s, ir_op o, uint32_t levels);

/* ---- chunks.c ---- */
/* Lets a stream be a reduction of chunks, as many as its hint or the skeletons say, where that is not one. */
void sched_chunks(scheduler *s, ir_op o);

/* ---- start.c ---- */
/* Lets a reduction or scan that is a sum or product of scalars begin with its neutral element, and combines what it began with, if that is another, with what it
 * is; `any`: whatever known function it is. */
void sched_start(scheduler *s, ir_op o, bool any);

/* ---- irwim.c ---- */
/* Lets a reduction of arrays whose function combines them element by element be an array of reductions. */
void sched_irwim(scheduler *s, ir_op o);

/* ---- keys.c ---- */
/* Lets elements of an array of the host that reduce what has their number as its key be cells into which all of it is
 * accumulated: whether they are. */
bool sched_keys(scheduler *s, ir_op o);

/* ---- cells.c ---- */
/* Lets a loop, or a stream, whose turns combine into elements of one array be an `accumulate` into these, where any order gives the
 * same: whether it is. */
bool sched_cells(scheduler *s, ir_op o);

/* ---- few.c ---- */
/* Lets a loop whose turns reduce short arrays, and do little besides, be the work of one thread where these are short. */
void sched_few(scheduler *s, ir_op o);

/* ---- written.c ---- */
/* Lets elements of an array that are arrays, of extents that the host knows, be written by a thread each: whether they are. */
bool sched_write_rows(scheduler *s, ir_op make);

/* ---- lift.c, interchange.c: the work of elements, as operations of the host ---- */
/* An element of a generate, in front of which that is put; of all its numbers, or of some, as bits, that alone matter. */
typedef struct sched_element {
    ir_op make;
    ir_region body;
    ir_value dims[MAX_RANK], own[MAX_RANK]; /* extents, and the element's numbers */
    uint32_t rank, axes;
    bool ragged; /* arrays of lengths of their own may be laid behind one another, for which skeletons are called */
} sched_element;
sched_element sched_element_of(const scheduler *s, ir_op make);
sched_element sched_element_along(const scheduler *s, ir_op make, uint32_t axes);
/* A value of the element, computed at another place for other numbers. */
ir_value sched_copy_at(scheduler *s, const sched_element *x, ir_value v, ir_region in, const ir_value *ix);

/* What all elements have of it, as it is, in front of the generate; *in: where each is computed. */
ir_value sched_array_over(scheduler *s, const sched_element *x, ir_value v, place *in);

/* Extents that the host knows; rank 0 of what is no array. */
typedef struct sched_shape {
    ir_value extents[MAX_RANK];
    uint32_t rank;
} sched_shape;
/* False: it does not know all of a value of the element, or that is no array of scalars. */
bool sched_shape_of(scheduler *s, const sched_element *x, ir_value v, sched_shape *h);

/* Of a value of the element, or a component of it, what all elements have, as one array of the host; and what one element
 * has of such an array, at a place in it.  0 after a failure, or where work that was not lifted would be done for each. */
enum { SCHED_WHOLE = -1 };
ir_value sched_all_of(scheduler *s, const sched_element *x, ir_value v, int which, const sched_shape *h);
ir_value sched_own_of(scheduler *s, const sched_element *x, place at, ir_value all, const sched_shape *h);

/* ---- laid.c ---- */
/* Arrays of all elements, one behind the other. */
typedef struct sched_laid {
    ir_value total;      /* of all */
    ir_value length;     /* of each; 0: */
    ir_value ends, rows; /* where the elements of each end, and whose each is */
} sched_laid;
/* As many as the array of an element has, which an operation of it goes through; false: that is not seen. */
bool sched_lay(scheduler *s, const sched_element *x, ir_op o, ir_value xs, sched_laid *l);
/* All of such an array; 0: work that is not lifted would be done for each of its elements. */
ir_value sched_laid_of(scheduler *s, const sched_element *x, ir_value xs, const sched_laid *l);
/* Whose number p of all is; where lengths are their own, where those of one begin; where the element's own do. */
ir_value sched_laid_row(scheduler *s, place at, const sched_laid *l, ir_value p);
ir_value sched_laid_first(scheduler *s, place at, const sched_laid *l, ir_value row);
ir_value sched_laid_start(scheduler *s, place at, const sched_element *x, const sched_laid *l);
/* An array of n elements of all, or of one component of these, from start on. */
ir_value sched_laid_own(scheduler *s, place at, ir_value all, int which, ir_value start, ir_value n);
/* What the first region of an operation of the element gives for each of the elements of an array, as one in front of it. */
ir_value sched_own_of_each(scheduler *s, ir_op o, ir_value xs);

/* What an operation of an element is. */
typedef enum sched_work {
    WORK_SHORT,     /* no collective, or one of few elements */
    WORK_REDUCTION, /* of an array of rank 1 */
    WORK_ROWS,      /* a collective along the last axis */
    WORK_SORT,      /* a sort */
    WORK_FILTER,    /* a filter */
    WORK_TABLE,     /* an accumulate */
    WORK_INNER,     /* a description of an array whose elements have collectives */
    WORK_LOOP,      /* a repeat */
    WORK_CLOSED     /* what is not lifted */
} sched_work;
sched_work sched_work_of(const scheduler *s, ir_op o);
/* Whether an operation of a region, all but one, is more than short work. */
bool sched_has_work(const scheduler *s, ir_region r, ir_op but);

/* Whether an operation of a region gives a number, or a few, from a loop that takes some turns. */
bool sched_has_numbers(const scheduler *s, ir_region r);
/* The numbers that an element has from loops, each as an array over all elements; how many. */
uint32_t sched_lift_numbers(scheduler *s, ir_op make);
/* The arrays that an element describes, likewise; how many. */
uint32_t sched_lift_described(scheduler *s, ir_op make, uint32_t *left);
/* Lets work of the elements of a generate be the grid's, `left` loops and arrays of arrays at most; a reduction that is the
 * last of it may stay, as a nest is the grid's, or the description of an array, as that is asked for by elements.  How many operations
 * were lifted. */
typedef enum sched_keeping { KEEP_NONE, KEEP_LAST, KEEP_LAST_ARRAY } sched_keeping;
uint32_t sched_lift(scheduler *s, ir_op make, sched_keeping keep, uint32_t *left);
/* A collective along the last axis (lift.c), a sort or a filter (items.c), as that of what all elements have: what stands for its result;
 * 0: it cannot be, as what it goes through has no extents of the host. */
ir_value sched_lift_rows(scheduler *s, const sched_element *x, ir_op o);
ir_value sched_lift_sort(scheduler *s, const sched_element *x, ir_op o);
ir_value sched_lift_filter(scheduler *s, const sched_element *x, ir_op o);
/* An accumulate into a table whose size the host knows (tables.c). */
ir_value sched_lift_table(scheduler *s, const sched_element *x, ir_op o);
/* A scan of an array of rank 1 whose length data may say (segments.c). */
ir_value sched_lift_scan(scheduler *s, const sched_element *x, ir_op o);
/* The same of one loop of the element: whether it was. */
bool sched_interchange(scheduler *s, const sched_element *x, ir_op o, uint32_t *left);

/* ---- bounds.c ---- */
/* Arrays that elements of an array of the grid have in memory, and whose lengths come from data, get a bound that the host knows. */
void sched_bound_arrays(scheduler *s, ir_op make);
/* The same of operand k of an operation of such an element: whether the host knows a bound. */
bool sched_bound(scheduler *s, ir_op make, ir_op o, uint32_t k);

/* ---- guarded.c ---- */
/* Lets a reduction behind a condition of an element's numbers be that of all elements, where these share what they reduce: the generate
 * that is there then. */
ir_op sched_guarded(scheduler *s, ir_op o);

/* ---- kept.c: before arrays of the host are written ---- */
/* Whether an element has arrays that would be computed, or written down, again and again. */
bool sched_repeats_arrays(scheduler *s, ir_op make);
/* Arrays of an element that threads would compute again and again are kept in memory. */
void sched_keep_arrays(scheduler *s, ir_op make);

/* ---- fails.c ---- */
/* Whether an operation by itself may end a run: not what it is given, nor what is in its regions. */
bool sched_may_fail(const ir_module *m, ir_op o);
/* Whether an operation's first region runs for each element of its last operand, an array without levels. */
bool sched_goes_through(const ir_module *m, ir_op o);
/* Whether what a call does may, with what it is given; `failing`: by function, whether something in it may whatever that is. */
bool sched_call_may_fail(const ir_module *m, ir_op call, const uint32_t *failing);

/* ---- fission.c ---- */
/* Lets elements of an array of the host that have more than one reduction be several operations of the host. */
void sched_fission(scheduler *s, ir_op o);
/* The same of an array of arrays, as each of which is asked for many times. */
void sched_fission_arrays(scheduler *s, ir_op o);
/* Of what is left there: the rows are written by threads, of which the levels are named. */
void sched_write_arrays(scheduler *s, ir_op o);

#endif
