/* Files of tuned numbers: what a search found best, for a program on a device.  docs/artifact.md says how they are written. */
#ifndef FCL_TOOLS_TUNE_RECORD_H
#define FCL_TOOLS_TUNE_RECORD_H

#include "frontends/tools/report/report.h"
#include "frontends/tools/text.h"

/* For whom the numbers are. */
typedef struct record_key {
    char program[65]; /* fcl_module_hash, in hexadecimal digits */
    const char *entry, *device;
} record_key;

typedef struct record {
    record_key key;
    const char *tuning;  /* NAME=N,NAME=N */
    const char *measure; /* what was counted */
    double cost;
} record;

/* False after a diagnostic: memory is short. */
bool record_key_of(fcl_module *m, const char *entry, const fcl_device *d, record_key *out);
/* Where the file of an input stands: beside it.  NULL for standard input. */
char *record_path(const char *program);
bool record_is_there(const char *path);
/* The tuning for the key, which lasts until it is freed; NULL where there is none.  False after a report: the file is there and
 * cannot be read, or is damaged. */
bool record_find(report *r, const char *path, const record_key *key, char **tuning);
/* Puts a record into the file, in the place of an older one of the same key; all others stay. */
bool record_keep(report *r, const char *path, const record *what);

#endif
