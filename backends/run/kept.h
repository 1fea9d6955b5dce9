/* Compiled programs that a device keeps, found again by what they were made of: code and options.
 *
 * A prepared program uses one. Those that none uses any more stay for the next one that is made of
 * the same, up to KEPT_IDLE of them and KEPT_IDLE_BYTES of their code; beyond that those go that
 * were used longest ago. Devices embed `kept` as the first member of their own program. */
#ifndef FCL_BACKENDS_RUN_KEPT_H
#define FCL_BACKENDS_RUN_KEPT_H

#include "backends/run/run.h"

enum { KEPT_IDLE = 64, KEPT_IDLE_BYTES = 16 << 20 };

typedef struct kept {
    struct kept *next;
    unsigned char digest[32]; /* of options and code */
    size_t size;              /* of the code */
    uint32_t users;           /* prepared programs; 0: idle */
} kept;

typedef struct kept_list {
    kept *used, *idle; /* those that became idle last come first */
    uint32_t nidle;
    uint64_t idle_bytes; /* of code */
} kept_list;

/* How a device makes its programs, from like with `kept` first in them, and how it frees them. */
typedef struct kept_kind {
    void *(*make)(run_device *d, const run_code *code, const kept *like); /* NULL: it cannot */
    void (*drop)(run_device *d, void *program);
} kept_kind;

/* A program of that code, found or made, with a user more; NULL after a diagnostic of make's. */
void *kept_program(kept_list *l, const kept_kind *how, run_device *d, const run_code *code);
/* Ends a use of it, and frees what is idle beyond the limits. */
void kept_end_use(kept_list *l, const kept_kind *how, run_device *d, void *program);
/* Frees all, when the device is closed. */
void kept_drop_all(kept_list *l, const kept_kind *how, run_device *d);

/* ---- what these do it with ---- */

/* Fills in what the program was made of. */
void kept_describe(kept *k, const run_code *code);
/* One of the same code and options, with a user more; NULL: there is none. */
kept *kept_take(kept_list *l, const kept *like);
/* Adds a new one, with one user. */
void kept_add(kept_list *l, kept *k);
/* Ends a use of it. */
void kept_leave(kept_list *l, kept *k);
/* Takes out one that is idle beyond the limits, for the device to free; NULL: there is none. */
kept *kept_surplus(kept_list *l);
/* Takes out any, when the device is closed; NULL: there is none. */
kept *kept_last(kept_list *l);

#endif
