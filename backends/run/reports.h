/* Where kernels report failed checks.  A device has words for many runs at once, which are 0 until
 * a check fails: so a run neither clears its report nor asks for it by a command of its own, and
 * the reports of all runs that nobody has waited for are read together. */
#ifndef FCL_BACKENDS_RUN_REPORTS_H
#define FCL_BACKENDS_RUN_REPORTS_H

#include "backends/run/device.h"

/* What the first failed check of a kernel leaves: its number, then two numbers of 64 bits, the
 * lower word first. */
enum { REPORT_CHECK, REPORT_FIRST, REPORT_SECOND = 3, REPORT_WORDS = 5 };

/* That of one run. */
struct run_report {
    void *memory;       /* NULL: not made yet */
    run_flight *flight; /* that is to have its words, and has not asked for them; NULL: none */
    bool is_taken;
    bool may_hold; /* something other than 0, when it is taken next */
};

/* One whose words are 0 when what is started next begins; NULL with a diagnostic. */
run_report *run_report_take(run_device *d);
/* is_clean: it is known that no check has failed, and that nothing runs that might. */
void run_report_leave(run_report *x, bool is_clean);
/* Waits for all that was started, and gives the flights their words. */
bool run_reports_come(run_device *d);
void run_reports_end(run_device *d);

#endif
