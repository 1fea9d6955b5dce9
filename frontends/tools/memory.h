/* How the programs have memory from the system. */
#ifndef FCL_TOOLS_MEMORY_H
#define FCL_TOOLS_MEMORY_H

/* What is freed is kept for what comes next: passes make one program after another of about the same size, and pages that
 * go back and forth are a tenth of the time of compiling.  First thing in main. */
void keep_memory(void);

#endif
