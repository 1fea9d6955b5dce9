/* See memory.h. */
#include "frontends/tools/memory.h"

#include <stdlib.h> /* which says whether it is glibc */

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { LARGEST = 32 << 20, MOST_KEPT = 256 << 20, STEP = 1 << 20 };

void keep_memory(void)
{
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
    mallopt(M_MMAP_THRESHOLD, LARGEST);
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    mallopt(M_TOP_PAD, STEP);
#endif
}
