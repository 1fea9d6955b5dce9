/* The records that blocks of a chain publish and look at, one for each chunk, or one for each place
 * of an array of each chunk, those of a chunk side by side.
 *
 * A record is one word of 64 bits where the value fits into half of it and the device has steps on
 * 64 bits: stored and loaded in one step.  Others are words of 32 bits, written before the status
 * is released and read after it has been acquired; summaries and combinations have words of their
 * own, so that none changes once it can be read.  Where blocks may not wait for one another, a
 * record is an element of an array that is complete when it is looked at.
 *
 * Nobody has to clear records of one word where launches cost: the first RECORDS_KEPT of them stay
 * in memory from run to run, and carry the age of their run beside the status, a number below
 * RECORDS_AGES; one of another age is none.  Ages come again, so every run clears some of those
 * that it has no chunks for, others at each age below RECORDS_STEP: what it leaves is gone before
 * its age is. */
#ifndef FCL_IR_KERNEL_RECORDS_H
#define FCL_IR_KERNEL_RECORDS_H

#include "ir/kernel/lower/value.h"

/* What a chunk has published; a record's status only grows. */
typedef enum { NOTHING, SUMMARY, EVERYTHING /* up to and including the chunk */ } record_status;

enum { RECORDS_AGES = 32, RECORDS_STEP = 16, RECORDS_BITS = 27 /* of a number beside an age */ };

typedef struct records {
    enum { IN_ONE_WORD, IN_WORDS, COMPLETE } form;
    const sv *start;  /* what stands before the first chunk; the values of all records are shaped
                         like it */
    const sv *starts; /* an array: a chunk has a record for each of its places, and `start` is any
                         value of that shape; NULL: a chunk has one */
    k_id places;      /* of a chunk */
    ir_type type;     /* of a value */
    k_id status;      /* u64, above the value; IN_WORDS: u32 */
    k_id *words[EVERYTHING]; /* IN_WORDS: the memories of the words of summaries, then those of
                                combinations */
    uint32_t nwords;         /* of each */
    const sv *upto;          /* COMPLETE: an array of combinations */
    k_id kept, age;          /* IN_ONE_WORD: the first `nkept` of them, as `status`, which has the
                                others; the age of this run, in the kernel.  0: none are kept */
    uint32_t nkept;
    bool spills; /* there may be others */
} records;

/* What stands before the first chunk, and its type without variables. */
void lower_records_begin(lowering *L, records *r, const sv *start, ir_type t);
/* Those of m chunks, at the host. */
k_id lower_records_count(lowering *L, const records *r, k_id m);
/* The number of that of place i of chunk k. */
k_id lower_record(lowering *L, const records *r, k_id k, k_id i);
/* Memory for those of m chunks, at the host. */
void lower_records_init(lowering *L, records *r, k_id m);
/* Record i has nothing yet; of those that are not kept. */
void lower_records_clear(lowering *L, const records *r, k_id i);
/* By the block with chunk k of m: of the records that are kept, those that no chunk has and whose
 * turn it is have nothing any more. */
void lower_records_age(lowering *L, const records *r, k_id k, k_id m);
/* By one thread; for every record k first with SUMMARY, if at all, and then with EVERYTHING. */
void lower_records_store(lowering *L, const records *r, k_id k, record_status status, const sv *v);

#endif
