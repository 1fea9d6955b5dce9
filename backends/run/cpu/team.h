/* The threads that run a launch on the cores of the machine: as many as OMP_NUM_THREADS says, else
 * as there are cores.
 *
 * The caller works as well, and waits at the end only for those that have begun a piece: one that
 * is still asleep, or has no core because others use the machine, holds nobody up. */
#ifndef FCL_BACKENDS_RUN_CPU_TEAM_H
#define FCL_BACKENDS_RUN_CPU_TEAM_H

#include "ir/base/context.h"

#include <stdint.h>

/* Runs the groups from `from` on, up to `to`, of so many. */
typedef void cpu_range(int32_t from, int32_t to, int32_t groups, void *const *args);

typedef struct cpu_team cpu_team;

/* NULL without memory; threads that cannot be started are done without. */
cpu_team *cpu_team_start(fcl_context *cx);
/* Returns when all groups have run. */
void cpu_team_run(cpu_team *t, cpu_range *range, int32_t groups, void *const *args);
void cpu_team_end(fcl_context *cx, cpu_team *t);

#endif
