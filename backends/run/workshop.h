/* A folder among the temporary files in which another program makes a file of one that it is given:
 * the compiler of the device cpu, a translator of code.
 *
 * Programs are started without a shell; what they say goes to a log.  The folder is gone
 * afterwards. */
#ifndef FCL_BACKENDS_RUN_WORKSHOP_H
#define FCL_BACKENDS_RUN_WORKSHOP_H

#include "backends/run/run.h"
#include "ir/base/context.h"

typedef struct workshop {
    fcl_context *cx;
    vec_char folder, input, output, log; /* names; texts of the context's memory */
} workshop;

/* The words of a command line, one behind the other, each with its end. */
typedef struct command {
    vec_char text;
    VEC(uint32_t) starts;
    VEC(char *) words; /* made when it is run: with NULL behind the last */
} command;

/* Makes the folder, with such names for what is given and made.  False with a diagnostic; the
 * workshop is to be closed in either case. */
bool workshop_open(workshop *w, const char *input, const char *output);
void workshop_close(workshop *w);
bool workshop_write(workshop *w, const char *data, size_t size); /* what is given */
/* "cannot write FILE: why" as a diagnostic, with what to do about it; false. */
bool workshop_failed(workshop *w, const char *what, const char *name);

bool command_add(mem *m, command *c, const char *word);
bool command_add_words(mem *m, command *c, const char *words); /* separated by blanks */
void command_free(mem *m, command *c);

/* How a command ended: well; not; not started for an error of the system (> 0), or memory was
 * short.
 */
enum { WORKSHOP_DONE = 0, WORKSHOP_ENDED_BADLY = -1, WORKSHOP_NO_MEMORY = -2 };
/* Runs it and waits for its end. */
int workshop_run(workshop *w, command *c);
/* What it said, up to some thousand bytes, as a note to the diagnostic reported last. */
void workshop_note_log(workshop *w);

/* A variable of the environment; where it is not set, or empty, what is usual. */
const char *workshop_environment(const char *name, const char *usual);

#endif
