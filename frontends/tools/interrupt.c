/* SIGINT while something runs: see interrupt.h. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/interrupt.h"

#include <signal.h>

static fcl_context *running; /* what the handler cancels */
static struct sigaction before;

static void cancel_run(int signal)
{
    (void)signal;
    fcl_cancel(running);
}

void interrupt_begin(fcl_context *cx)
{
    struct sigaction action = {.sa_handler = cancel_run, .sa_flags = (int)SA_RESETHAND};
    running = cx;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    if (before.sa_handler == SIG_IGN) /* as in the background of a shell */
        sigaction(SIGINT, &before, NULL);
}

void interrupt_end(void)
{
    sigaction(SIGINT, &before, NULL);
}
