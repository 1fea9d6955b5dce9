/* Which driver needs which quirks of ir/kernel/quirks.def: the table backends/quirks.def. */
#ifndef FCL_BACKENDS_QUIRKS_H
#define FCL_BACKENDS_QUIRKS_H

#include "ir/kernel/target.h"

/* Of a driver, by the name of its platform and its version ("3.1+debian"); 0 for one that is not
 * listed, or newer. */
uint32_t quirks_of_driver(const char *platform, const char *version);
/* The quirks that a list of names asks for, separated by commas: those of drivers, of quirks, and
 * "none".  False when one of them is nobody's. */
bool quirks_named(const char *list, uint32_t *quirks);
/* Quirk i of ir/kernel/quirks.def; name NULL beyond the last. */
typedef struct quirk_row {
    const char *name;
    uint32_t bit;
} quirk_row;
quirk_row quirk_at(uint32_t i);
/* Of a driver that has exactly these quirks; NULL: none is listed. */
const char *quirks_driver(uint32_t quirks);
/* The name of driver i, then of the quirks; NULL beyond the last. */
const char *quirks_name(uint32_t i);

#endif
