/* What a program's declarations are made of while it is read: nodes in its arena, names by
 * number.
 *
 * Short memory is no error return here, so that parser and inference need not ask for it
 * everywhere: nodes and entries are handed out all the same, from a spare room that is used over
 * and over.  What is built then is nonsense, but the context has noted the failure (mem.oom), which
 * every stage asks at its end. */
#include "frontends/fcl/parse/program.h"

#include <string.h>

/* ---- memory ---- */

/* A spare node is no larger than the spare room: nodes are a few hundred bytes. */
void *program_node(program *p, size_t size)
{
    void *node = arena_alloc(&p->mem, size);
    if (node)
        return node;
    size_t units = (size + sizeof *p->spare - 1) / sizeof *p->spare,
           all = sizeof p->spare / sizeof *p->spare;
    size_t first = p->spare_used + units <= all ? p->spare_used : 0;
    p->spare_used = first + units;
    return memset(&p->spare[first], 0, units * sizeof *p->spare);
}

void *program_copy(program *p, const void *from, size_t size, uint32_t *n)
{
    void *copy = *n ? arena_alloc(&p->mem, size * *n) : NULL;
    if (copy)
        memcpy(copy, from, size * *n);
    else
        *n = 0;
    return copy;
}

const char *program_text_of(const program *p, str_id s)
{
    return intern_str(&p->cx->strings, s);
}

/* ---- names ---- */

name_entry *program_name_at(program *p, str_id name)
{
    while (p->names.len <= name)
        if (!vec_push(&p->cx->mem, &p->names, (name_entry){0}))
            break;
    if (name < p->names.len)
        return &p->names.at[name];
    return NODE(p, name_entry);
}
