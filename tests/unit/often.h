/* An assertion for what is asked a million times: check's own writes to a file whenever it holds.
 */
#ifndef TESTS_UNIT_OFTEN_H
#define TESTS_UNIT_OFTEN_H

#include <check.h>

#define assert_often(holds, ...)                                                                   \
    do {                                                                                           \
        if (!(holds))                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)

#endif
