/* What a program asks for while it runs, and fclc gives it: see answer.c. */
#ifndef FCL_TOOLS_ANSWER_H
#define FCL_TOOLS_ANSWER_H

#include "libfcl/fcl.h"

typedef struct answering {
    const char *program; /* its path */
    int64_t start;       /* in milliseconds, of a clock that does not jump */
} answering;

answering answer_begin(const char *program);
/* An fcl_input_fn; `user` is an answering. */
bool answer_asked(void *user, const fcl_output *asked, fcl_answer *answer);

#endif
