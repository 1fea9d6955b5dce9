/* Runs every suite: tests/unit/test_X.c exports X_suite(), and the Makefile lists the files in
 * suites.inc.  A run that checked nothing fails, so that a mistyped CK_RUN_SUITE or CK_RUN_CASE
 * cannot look like success. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define SUITE(name) Suite *name##_suite(void);
#include "suites.inc"
#undef SUITE

static Suite *(*const suites[])(void) = {
#define SUITE(name) name##_suite,
#include "suites.inc"
#undef SUITE
};

int main(void)
{
    setenv("FCL_CACHE", "", 1); /* nothing that the user has on disk is read or written */
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    srunner_free(runner);
    if (run == 0)
        fprintf(stderr, "no test ran\n");
    return failed || run == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
