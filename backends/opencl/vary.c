/* Which values differ between the threads of a block.
 *
 * Asked for loops with barriers inside: PoCL (3.1, all its work-group methods) loses updates of variables that differ
 * between threads when the code from a loop's last barrier runs on into its next turn; a barrier at the end of each
 * turn keeps it right.  Where all threads agree on the carried values there is no need for one.
 *
 * Facts only grow, so the kernel is walked until nothing changes; when that takes too long, every carried value
 * differs. */
#include "backends/opencl/emit.h"

enum { WALKS_MOST = 8 };

typedef struct walk {
    cl_emitter *e;
    bool changed, give_up;
} walk;

static bool varies(const walk *w, k_id v)
{
    const cl_note *note = cl_note_of(w->e, v);
    return note->varies || (note->alias && cl_note_of(w->e, note->alias)->varies);
}

static void set(walk *w, k_id v, bool it_varies)
{
    cl_note *note = cl_note_of(w->e, v);
    if (it_varies && !note->varies)
        note->varies = w->changed = true;
}

static bool any_operand(const walk *w, const k_node *n)
{
    return varies(w, n->args[0]) || varies(w, n->args[1]) || varies(w, n->args[2]);
}

static bool value_varies(const walk *w, const k_node *n)
{
    switch (n->op) {
    case K_BUILTIN: return n->sub == AT_THREAD;
    case K_ATOMIC:
    case K_SHUFFLE: return true;
    case K_LOADWIDE:
    case K_LOAD: return varies(w, n->args[1]) || k_at(w->e->p, n->args[0])->sub == SPACE_PRIVATE;
    default: return any_operand(w, n);
    }
}

/* A loop whose number of turns differs leaves different values in its variables. */
static void enter_loop(walk *w, const k_node *n)
{
    const k_blocks *b = k_block_at(w->e->p, n->blocks[0]);
    bool turns = n->op == K_FOR && any_operand(w, n);
    if (n->op == K_FOR)
        set(w, b->params, varies(w, n->args[0]) || varies(w, n->args[2]));
    for (uint32_t i = 0; i < n->nresults; i++)
        set(w, cl_carried(w->e->p, n, i), w->give_up || turns || varies(w, k_listed(w->e->p, n, i)));
}

static void leave_block(walk *w, const k_node *y, cl_place at)
{
    const k_node *n = at.owner;
    bool condition = n->op == K_WHILE && at.which == 0;
    if (n->op == K_LAUNCH)
        return;
    for (uint32_t i = 0; i < n->nresults; i++) {
        k_id to = n->op == K_IF ? n->results + i : cl_carried(w->e->p, n, i);
        bool chosen = n->op == K_IF && varies(w, n->args[0]);
        set(w, to, chosen || varies(w, k_listed(w->e->p, y, condition ? 0 : i)));
    }
}

static void walk_block(walk *w, k_block b, cl_place at)
{
    for (k_id id = k_block_at(w->e->p, b)->first; id; id = k_at(w->e->p, id)->next) {
        const k_node *n = k_at(w->e->p, id);
        if (n->op == K_YIELD) {
            leave_block(w, n, at);
        } else if (k_op_info(n->op)->class == KC_REGION) {
            if (n->op != K_IF)
                enter_loop(w, n);
            walk_block(w, n->blocks[0], (cl_place){.owner = n, .owner_id = id});
            walk_block(w, n->blocks[1], (cl_place){.owner = n, .owner_id = id, .which = 1});
        } else {
            set(w, id, value_varies(w, n));
            for (uint32_t i = 0; n->op == K_LOADWIDE && i < n->nresults; i++)
                set(w, n->results + i, value_varies(w, n));
        }
    }
}

void cl_find_varying(cl_emitter *e)
{
    walk w = {.e = e, .changed = true};
    const k_node *launch = k_at(e->p, e->kernel->launch);
    for (int i = 0; w.changed && i <= WALKS_MOST; i++) {
        w.changed = false;
        w.give_up = i == WALKS_MOST;
        walk_block(&w, launch->blocks[0], (cl_place){.owner = launch, .owner_id = e->kernel->launch});
    }
}
