/* The pass schedule, inside: from collectives to functions that name levels (docs/rooms/arrays.md).
 *
 * Two workers are known: the grid, for what stands in a kernel, in functions that it calls and in
 * the branches and loops of both; and a thread, for what stands inside of elements. */
#ifndef FCL_IR_PASSES_SCHEDULE_SCHEDULE_H
#define FCL_IR_PASSES_SCHEDULE_SCHEDULE_H

#include "ir/extents.h"
#include "ir/passes/decisions.h"
#include "ir/properties.h"
#include "ir/rewrite/edit.h"

typedef enum worker { BY_GRID, BY_THREAD, WORKERS } worker;

/* A function, and who does its work. */
typedef struct job {
    ir_func func, copy; /* copy: the function that is gone through */
    worker by;
    bool works; /* the grid does something in it, as far as one knows */
} job;
typedef VEC(job) vec_job;

/* What arrays cost, in one of two measures: in time, where loops count so many turns and of two branches the dearer one, or in text,
 * where all counts that is written down. */
typedef struct measure {
    vec_u32 steps;  /* by value: of an element of the array; 0: a load */
    vec_u32 asked;  /* by parameter of a function: 1 + how often that asks; 0: unknown */
    vec_u32 called; /* by function: 1 + its steps; 0: unknown */
} measure;
typedef enum measured { BY_TIME, BY_TEXT, MEASURES } measured;

/* What is measured, and now: cost.c. */
typedef struct costs {
    measure by[MEASURES];
    measured now;
    vec_u32 streams; /* by value: the arrays in memory that it is computed from */
    vec_u32 seen;    /* by value: the mark of who has read it last */
    uint32_t mark, read, depth, left; /* left: what is still looked at: operations of functions, arrays of arrays */
} costs;

typedef struct scheduler {
    ir_editor e;
    ir_module *m;
    vec_u32 reaches;          /* by function: 1 where it reaches a collective */
    vec_u32 describes;        /* by function: 1 where it reaches arrays that are described and not given */
    vec_u32 version[WORKERS]; /* by function: 1 + its job; 0: none */
    vec_job jobs;
    vec_u32 order; /* of jobs */
    costs cost;
    vec_u32 levels;           /* by value: of the code of an element of the array: levels.c */
    vec_u32 masks; /* reads.c: by value, what it depends on */
    vec_u32 known; /* known.c: by value, another one that it is here, or 0 */
    unsigned without; /* bits of the decisions that are off */
    bool worked; /* in what was gone through last, the grid does something */
    bool failed;
} scheduler;

/* A place to insert at: in front of an operation of a region, 0: at its end. */
typedef struct place {
    ir_region region;
    ir_op before;
    uint32_t loc;
} place;

/* ---- functions.c: which functions are gone through ---- */
/* Lists the functions that kernels without a schedule reach and in which there is a collective,
 * with who does the work.  Before the editor is made, as functions that two workers have are
 * copied. */
bool sched_find_jobs(scheduler *s);
/* The same, but that a function that two workers have is there once. */
bool sched_list_jobs(scheduler *s);
void sched_release(scheduler *s);
/* By function: 1 where an operation for which that holds is in it, or in what it calls. */
typedef bool sched_op_test(const ir_module *m, ir_op o);
bool sched_find_reaching(scheduler *s, vec_u32 *marks, sched_op_test *is);
/* Who does what stands in region k of an operation. */
worker sched_region_worker(ir_module *m, ir_op o, uint32_t k, worker by);
/* The function to call in the place of f. */
ir_func sched_version(const scheduler *s, ir_func f, worker by);
/* Whether the grid does something in a function that it calls. */
bool sched_works(const scheduler *s, ir_func f);

/* ---- generic.c ---- */
/* Functions are inlined in which it is not to be seen what suits a collective: it goes by a type that
 * the function has as a parameter, or by a function that it is given. */
bool sched_open_generic(scheduler *s);
/* Likewise of fns that are applied where they are seen, and of calls that describe arrays of arrays. */
bool sched_open_seen(scheduler *s);
/* Calls in an element show what they do: those that reach a collective, or give an array, as that has extents. */
void sched_open_calls(scheduler *s, ir_region r);

/* ---- alone.c ---- */
/* Decides where arrays are computed, in a region that the grid works on and those within. */
void sched_fuse(scheduler *s, ir_region r);
/* Such a step alone, over all functions that kernels without a schedule reach. */
typedef void sched_step(scheduler *s, ir_region r);
bool sched_alone(ir_module *m, unsigned without, sched_step *step);

/* ---- region.c: going through code ---- */
void sched_region(scheduler *s, ir_region r, worker by);
/* Looks at each operation that the grid works on, those within it first.  What is made meanwhile is not looked at, and nor is what is
 * erased. */
void sched_each(scheduler *s, ir_region r, void look(scheduler *, ir_op));
void sched_op(scheduler *s, ir_op o, worker by);

/* ---- reading the module ---- */
/* Whether a table by value has an entry for one, 0 where it had none; false after a failure. */
bool sched_has_entry(scheduler *s, vec_u32 *v, uint32_t i);
static inline ir_type type_of(const scheduler *s, ir_value v)
{
    return ir_value_at(s->m, v)->type;
}
/* Of the elements of an array. */
static inline ir_type elem_of(const scheduler *s, ir_value xs)
{
    return ir_type_at(s->m, type_of(s, xs))->a;
}

/* ---- make.c: new operations; each gives 0 after a failure ---- */
place sched_before(const scheduler *s, ir_op o);
/* Whether a value is there in front of an operation. */
bool sched_sees(const scheduler *s, ir_value v, ir_op o);
ir_value sched_make(scheduler *s, place at, opcode code, const ir_value *args, uint32_t n,
                    ir_type t);
/* The same of two operands, the second of which may be 0, with the type of the first. */
ir_value sched_make2(scheduler *s, place at, opcode code, ir_value x, ir_value y);
/* x where cond holds, else y; of tuples component by component, as `select` is of scalars. */
ir_value sched_select(scheduler *s, place at, ir_value cond, ir_value x, ir_value y);
/* Of an array of n extents: how many elements it has, and the number in all of the one at ix. */
ir_value sched_product(scheduler *s, place at, const ir_value *extents, uint32_t n);
ir_value sched_number_of(scheduler *s, place at, const ir_value *extents, const ir_value *ix, uint32_t n);
/* convert or bitcast. */
ir_value sched_cast(scheduler *s, place at, opcode code, ir_value v, scalar to);
ir_value sched_int(scheduler *s, int64_t x);
/* An array of no elements. */
ir_value sched_empty(scheduler *s, place at, ir_type t);
/* Whether a function is a skeleton of that worker, as these calls name them. */
bool sched_is_skeleton(const ir_module *m, ir_func f, worker by);
/* Zeros, of a scalar or a tuple of such. */
ir_value sched_zero(scheduler *s, place at, ir_type t);
ir_value sched_dim(scheduler *s, place at, ir_value xs, uint32_t axis);
/* A number of elements as an extent is, of which a negative one ends the run. */
ir_value sched_as_extent(scheduler *s, place at, ir_value n);
ir_value sched_call(scheduler *s, place at, const char *name, worker by, const ir_value *args,
                    uint32_t n, ir_type t);
/* The same, with the bytes of an element in front where the function takes one parameter more. */
ir_value sched_call_sized(scheduler *s, place at, const char *name, worker by, uint32_t bytes,
                          const ir_value *args, uint32_t n, ir_type t);
/* The same by the whole name of the function. */
ir_value sched_plain_call(scheduler *s, place at, const char *name, const ir_value *args, uint32_t n,
                          ir_type t);
/* A generate over n extents: where its elements are computed; *ix: its parameters. */
ir_value sched_generate(scheduler *s, place at, const ir_value *extents, uint32_t n, ir_type elem,
                        place *inside, ir_value *ix);
void sched_yield(scheduler *s, place inside, ir_value v);
/* Operations of a region, and of those within, that nobody uses and that have no effect are gone. */
void sched_erase_unused(scheduler *s, ir_region r);
ir_value sched_index(scheduler *s, place at, ir_value xs, const ir_value *ix, uint32_t n);
/* Component k of a tuple. */
ir_value sched_item(scheduler *s, place at, ir_value tuple, uint32_t k);
/* A map, filter or sort, which gives that type: where its region is, which is still to be written, and *x, the region's parameter. */
ir_value sched_open_each(scheduler *s, place at, opcode code, ir_value xs, ir_type t, place *in, ir_value *x);
/* map xs { v }, in front of an operation: v is a value of its first region, which runs for each element of xs, its last operand. */
ir_value sched_map_of(scheduler *s, ir_op o, ir_value v);
/* A copy of an operation, with all that is in it, at the end of a region. */
ir_op sched_copy_op(scheduler *s, ir_op o, ir_region r);
/* What an if with empty branches, in front of an operation, gives: in its first branch `first`, in the second what the operation
 * does, which goes there.  Whatever used that uses the choice. */
void sched_or_else(scheduler *s, ir_value choice, ir_value first, ir_op o);
/* The reduction or scan of an array of rank 1 by a scalar operator. */
ir_value sched_fold(scheduler *s, place at, opcode code, ir_value z, ir_value xs, opcode by);
/* Pull arrays, in tuples too, pushed by those; then written to memory as well. */
ir_value sched_pushed(scheduler *s, place at, ir_value v, worker by);
ir_value sched_forced(scheduler *s, place at, ir_value v, worker by);
/* What an operation gives is written to memory behind it, for all who use it: the push; 0 after a failure.  And that undone. */
ir_op sched_write_by(scheduler *s, ir_op o, worker by);
void sched_unwrite(scheduler *s, ir_op push);
/* The same type with such push arrays. */
ir_type sched_pushed_type(ir_module *m, ir_type t, worker by);
/* The only use of a value, where that is an operation of this kind; 0: it is not. */
ir_op sched_only_user(const scheduler *s, ir_value v, uint32_t code);
/* What used the operation's result uses v; it is gone. */
void sched_replace(scheduler *s, ir_op o, ir_value v);

/* ---- slice.c ---- */
/* Moves what an operation needs and what is not there at a place to that place, as far as it may be moved
 * (NULL: anything may).  False: not all of it can. */
typedef bool sched_may_move(const scheduler *s, ir_op o, place to);
bool sched_move_needs(scheduler *s, ir_op o, place to, sched_may_move *may);
/* Whether that is little, and all of it may. */
bool sched_may_need(const scheduler *s, ir_op o, place to, sched_may_move *may);

/* ---- group.c, before anything else is changed; merge.c ---- */
/* Lets reductions and scans of as many elements be one, in a region that the grid works on and those
 * within. */
void sched_merge(scheduler *s, ir_region r);
/* Such as have the same extents; what they use is there in front of the first. */
enum { MOST_MERGED = 8 };
typedef struct sched_group {
    ir_op at[MOST_MERGED];
    ir_extent extents[MAX_RANK];
    uint32_t n, rank, bytes; /* bytes: of what is combined */
    const char *closed;      /* why it stays alone; NULL: others may join */
} sched_group;
void sched_merge_group(scheduler *s, const sched_group *g);

/* ---- cost.c: what an element costs, and how often it is asked for ---- */
typedef struct sched_asks {
    ir_op by;                  /* of a region: its operation around who asks, the last of several */
    uint32_t consumers, times; /* operations of the host; elements for each of theirs */
} sched_asks;
sched_asks sched_asked(scheduler *s, ir_value v, ir_region home);
/* How many operations are written down once more where it is computed wherever somebody asks for it; 0: few. */
uint64_t sched_growth(scheduler *s, ir_value v, ir_region home);
/* Whether elements of an array of the host, or elements of those, read another one at their own numbers alone, in any order: each
 * of its elements at most once. */
bool sched_asks_in_place(const scheduler *s, ir_op index, ir_region home);
/* Notes what an operation of the host costs that gives an array, in both measures. */
void sched_weigh(scheduler *s, ir_op o);
/* Of an array that will be in memory. */
void sched_weigh_load(scheduler *s, ir_value v);
uint32_t sched_steps(const scheduler *s, ir_value v);
uint32_t sched_streams(const scheduler *s, ir_value v);

/* ---- levels.c ---- */
/* Notes how deep the code of an element nests, of an operation of the host that gives an array; and tells it, 0 where nothing was noted. */
void sched_find_levels(scheduler *s, ir_op o);
uint32_t sched_levels(const scheduler *s, ir_value v);

/* What its hint says of a decision about an operation; `otherwise` where it has none. */
int64_t sched_told(const scheduler *s, ir_op o, property_id what, int64_t otherwise);
void sched_say(scheduler *s, ir_op o, property_id what, int64_t number);
bool sched_is_off(const scheduler *s, decision which);
/* A skeleton, and what it is chosen for. */
typedef struct way {
    const char *skeleton, *because;
} way;
/* Tells what was decided about an operation: as diag_remark. */
#define sched_tell(s, o, code, ...)                                                                \
    diag_remark((s)->m->cx, DIAG_TELL_##code, ir_op_loc((s)->m, o), __VA_ARGS__)

/* ---- computed.c: after merging ---- */
/* Lets reductions of rows that are computed be nests, which go by how memory is read. */
void sched_computed_rows(scheduler *s, ir_region r);
/* A reduction of an array of rank 2 and more, as an array of reductions. */
void sched_rows_as_elements(scheduler *s, ir_op o);
/* The only operation that asks for elements; 0: there are several, or none. */
ir_op sched_only_asker(const scheduler *s, ir_value v);

/* ---- short.c: after writing ---- */
/* Lets reductions of short rows be elements, where another reduction asks for each once. */
void sched_short_rows(scheduler *s, ir_region r);

/* ---- components.c ---- */
/* Lets cells of tuples be cells of scalars, where components are combined apart. */
void sched_components(scheduler *s, ir_region r);

/* ---- overwritten.c ---- */
/* Writes arrays of the grid that are asked for behind an update of what they are computed from; before all else, as which
 * updates overwrite copies is for the checker to say then. */
void sched_outlive(scheduler *s, ir_region r);
/* For scatters of the grid that read what they overwrite, where nobody else does, such of what was found before; in front of
 * what looks for work in elements, as finding it may be such. */
void sched_scatter_found(scheduler *s, ir_region r);
/* Whether what an update puts into its array is seen to be computed from others alone. */
bool sched_is_apart(scheduler *s, ir_op update);

/* ---- write.c: after merging ---- */
/* Writes arrays of the grid to memory where that costs less than to compute them again. */
void sched_write(scheduler *s, ir_region r);
/* A scalar, or a tuple of such. */
bool sched_is_base(const ir_module *m, ir_type t);
/* The bytes of one, counted until they are more than `most`; of any other type `most` and one. */
uint32_t sched_bytes(const ir_module *m, ir_type t, uint32_t most);

/* ---- carry/: after merging ---- */
/* Lets loops that carry arrays be arrays of loops, where elements hang on their own place alone. */
void sched_carry(scheduler *s, ir_region r);

/* ---- nest.c: after writing ---- */
/* Bytes of what a nest combines, of which a block has some for each of its threads; calls in it that give way. */
enum { SCHED_MOST_BYTES = 32, SCHED_MOST_INLINED = 64 };
/* Whether there is a collective in an operation, or in a function that is called there. */
bool sched_has_collective(const scheduler *s, ir_op o);
/* Calls that give arrays, in an operation and all within, give way to what they do, while `left` of them may. */
void sched_inline_arrays(scheduler *s, ir_op o, uint32_t *left);
/* The same of any call without a collective. */
void sched_inline_all(scheduler *s, ir_op o, uint32_t *left);
/* Whether somebody asks for elements, not for extents alone. */
bool sched_is_asked(const scheduler *s, ir_value v);
/* Whether all that stands in a region uses nothing of the element, of a nest, that it is in. */
bool sched_is_free(const scheduler *s, ir_region r, ir_region inside, ir_op nest);
/* Whether the host has a value of the element, in front of which it is moved where it may be: a tuple or a
 * scalar of what the host has. */
bool sched_is_hosts(scheduler *s, ir_value v, ir_op at);
/* Lets elements that are reductions be done by threads, warps or blocks. */
void sched_nests(scheduler *s, ir_region r);

/* ---- segments.c: of a nest and the reduction in it ---- */
typedef struct sched_segments {
    ir_value offsets, xs; /* element k reduces what lies between offsets k and k + 1 of xs */
} sched_segments;
/* Whether that is so; then xs is there, in front of the nest. */
bool sched_find_segments(scheduler *s, ir_op nest, ir_op reduce, sched_segments *to);

/* ---- turn.c ---- */
/* An array of rank 2 and more, pushed by the grid, whose elements read memory along another axis than
 * they are written along: by tiles.  0: it is none. */
ir_value sched_turned(scheduler *s, place at, ir_value v);

/* ---- tiles.c ---- */
/* Lets a nest of rank 2, whose reduction has as many elements as the host has in `length`, read what it reads
 * again and again from tiles where that pays; else it does what it does in the region into which it is moved.
 * Whether it pays, in front of the nest; 0: there are no tiles. */
ir_value sched_tiles(scheduler *s, ir_op nest, ir_op reduce, ir_value length);
/* Operations of a region and all within, up to a few more than the most. */
enum { SCHED_MOST_COPIED = 256 };
uint32_t sched_count_ops(ir_module *m, ir_region r);
/* The only collective of an element, where that is a reduction to something of scalars. */
ir_op sched_reduction_in(const scheduler *s, ir_region r);

/* ---- serve.c: copies of an element ---- */
/* fn { (the nest's numbers, n more) ... the element }, at a place; params: those of the copy. */
ir_value sched_copy_element(scheduler *s, ir_op nest, place at, const ir_type *more, uint32_t n,
                            ir_value *params);
/* Reads of an element, and which of the values that are given each is. */
enum { SCHED_MOST_SERVED = 4 };
typedef struct sched_served {
    const ir_op *reads;
    const uint8_t *which;
    uint32_t n;
} sched_served;
/* fn { (the nest's numbers, n more) ... the array to reduce }, in which those reads are such parameters; *combine: the
 * reduction's function, in front of it. */
ir_value sched_numbers(scheduler *s, ir_op nest, place at, const sched_served *by, const ir_type *more,
                       uint32_t n, ir_value *combine);

/* ---- reads.c: of a nest and the reduction in it ---- */
/* Along which axis of an array its elements read memory: the last one, unless more is read along
 * another. */
uint32_t sched_turned_axis(scheduler *s, ir_value v);
/* What the elements (i, j) of a nest of rank 2 read in their number k inside: matrices that the host has, in
 * (i, k), the first side, and in (k, j), the second one, each many times. */
enum { SCHED_MOST_READS = 16 };
typedef struct sched_reuse {
    ir_op reads[SCHED_MOST_READS];
    uint8_t side[SCHED_MOST_READS];
    uint32_t n;
    ir_value of[2];
    uint32_t across[2]; /* k is the last index */
} sched_reuse;
/* Whether that is so of all that differs both in k and in i or j. */
bool sched_find_reuse(scheduler *s, ir_op nest, ir_op reduce, sched_reuse *to);
/* What the elements of a nest of rank 1 read at exactly their own number, or at that inside: vectors
 * that the host has. */
typedef struct sched_shared {
    ir_value of[SCHED_MOST_READS];
    bool inner[SCHED_MOST_READS];
    uint32_t n;
    ir_value rows[SCHED_MOST_SERVED]; /* those that are read inside by the element itself, if they have elements of one type */
    uint32_t nrows;
    ir_op reads[SCHED_MOST_READS]; /* of them, and which each is of */
    uint8_t which[SCHED_MOST_READS];
    uint32_t nreads;
} sched_shared;
/* Whether all elements read the same where the number inside is the same, and something. */
bool sched_find_shared(scheduler *s, ir_op nest, ir_op reduce, sched_shared *to);
/* How threads with neighbouring elements read: what lies apart, what is near, or windows of one array that overlap. */
typedef enum sched_reading { READS_APART, READS_NEAR, READS_WINDOW } sched_reading;
sched_reading sched_reads(scheduler *s, ir_op nest, ir_op reduce);
/* ---- known.c ---- */
/* From here on the parameter is that value; 0: whatever it is. */
void sched_bind(scheduler *s, ir_value param, ir_value is);
/* The value, or one that it is known to be. */
ir_value sched_known(const scheduler *s, ir_value v);
/* 1 or 0: a condition that is known; -1: it is not. */
int sched_truth(const scheduler *s, ir_value cond);

/* ---- reads.c ---- */
/* An extent of an array of an element, as a number of the host; 0: that is not to be
 * seen, or not the same for all. */
ir_value sched_extent(scheduler *s, ir_op nest, ir_value xs, uint32_t axis);
/* A number of an element, as one of the host, in front of the nest; 0: that is not to be seen. */
ir_value sched_at_host(scheduler *s, ir_op nest, ir_value v);

/* ---- collective.c, accumulate.c, rows.c, stream.c ---- */
void sched_collective(scheduler *s, ir_op o, worker by);

/* ---- host.c ---- */
/* Whether a reduction is the host's; then it is gone. */
bool sched_by_host(scheduler *s, ir_op o);
/* Whether the region of a reduction gives the same for its parameters exchanged: as it is told, or as
 * far as one sees. */
bool sched_commutes(const scheduler *s, ir_op o);
/* Whether a region of two parameters is seen to be a sum of components, or the like: then it commutes,
 * and may be applied in any order. */
bool sched_sums(ir_module *m, ir_region r);
/* The operator that a region of two parameters is, one of those; OP_NONE: none. */
opcode sched_sum(ir_module *m, ir_region r);
/* Of component k of tuples that are such sums (sched_sums), whose components are combined apart. */
opcode sched_sum_of(ir_module *m, ir_region r, uint32_t k);
/* Arrays of rank 2 or more, as the rows of a matrix: [t;r] to [t;2]; what was made of them back. */
ir_value sched_rows(scheduler *s, place at, ir_value xs);
ir_value sched_unrows(scheduler *s, place at, ir_value of, ir_value xs, uint32_t rank);
/* An array of any rank as one of rank 1: in the order of its elements. */
ir_value sched_flat(scheduler *s, place at, ir_value xs);
/* What the grid accumulates or fetches by a skeleton: false where nothing is done, as the grid combines each element
 * into its cell at once. */
bool sched_accumulate(scheduler *s, ir_op o);
/* Streams, of which all is one chunk, and reductions of whole arrays, one element after the
 * other. */
void sched_stream(scheduler *s, ir_op o, worker by);
void sched_reduce_states(scheduler *s, ir_op o, worker by);
/* repeat length xs, z { (i, s) combined s and element i }: what is to stand for a reduction, whose region it has taken; 0 after a failure. */
ir_value sched_in_turns(scheduler *s, ir_op o);

#endif
