/* What the edits of --reduce share: the smallest text so far, and the door through which every
 * candidate goes. */
#ifndef FCL_TOOLS_REDUCER_H
#define FCL_TOOLS_REDUCER_H

#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

typedef struct reducer {
    session *s;
    string best;   /* the smallest text for which the command succeeded */
    bool kernel;   /* it is a kernel program, not a module */
    bool strict;   /* candidates must be accepted by the checker: the input was */
    char *file;    /* that the command is given */
    unsigned runs; /* of the command */
} reducer;

/* Takes the candidate over.  It becomes r->best when it is smaller, or as long with smaller numbers
 * (`simpler` says so), can be read, keeps the rules, and the command succeeds. */
bool reducer_try(reducer *r, string *candidate, bool simpler);
/* Whether the command exits with 0 for that text. */
bool reducer_ask(reducer *r, const string *text);

/* Each tries all its edits of r->best, and says whether one was kept. */
bool edit_items(reducer *r);      /* leaves out statements, whole blocks and functions */
bool edit_values(reducer *r);     /* puts an operand or a literal in the place of a value */
bool edit_parameters(reducer *r); /* leaves out parameters, and the arguments for them */
bool edit_literals(reducer *r);   /* makes numbers smaller */
bool edit_positions(reducer *r);  /* leaves out loc(...) */
bool edit_dead(reducer *r);       /* the core pass dce */

#endif
