/* How many of the cases that a test draws it runs, as each run draws others: all of them with
 * FULL=1 in the environment, a third otherwise, and a tenth under the sanitizers, where each takes
 * several times as long.
 */
#ifndef FCL_TESTS_SHARE_H
#define FCL_TESTS_SHARE_H

#include <stdlib.h>

#ifndef __has_feature /* gcc has a macro, clang this */
#define __has_feature(which) 0
#endif

#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { SHARE_ONE_OF = 10 };
#else
enum { SHARE_ONE_OF = 3 };
#endif

/* Rounded up. */
static inline int share_of(int all)
{
    return getenv("FULL") ? all : (all + SHARE_ONE_OF - 1) / SHARE_ONE_OF;
}

#endif
