/* Names of what a module has, for people and tools that read it: see emit.h. */
#include "backends/spirv/emit.h"

#include "backends/names.h"

#include <stdio.h>

void sp_name_as(sp_emitter *e, sp_id id, const char *text)
{
    sp_put_text(e->s, SP_NAMES, SpvOpName, SP_WORDS(id), text, NULL, 0);
}

enum { NAME_MOST = 96, WITHIN_MOST = 512 };

static void spell_memory(const k_node *n, k_id v, char out[NAME_MOST])
{
    const char *prefix = n->op == K_TABLE            ? "table"
                         : n->space == SPACE_LOCAL   ? "tile"
                         : n->space == SPACE_PRIVATE ? "own"
                                                     : "tmp";
    snprintf(out, NAME_MOST, "%s%u", prefix, v);
}

/* As in emitted C: the number of the leaf or node, by which the printed kernel IR has it too. */
static void spell(const sp_emitter *e, k_id v, char out[NAME_MOST])
{
    const k_node *n = k_at(e->p, v);
    char param[BACKEND_PARAM_NAME];
    backend_param_name(e->p, n->leaf, param);
    switch (n->op) {
    case K_ARG: snprintf(out, NAME_MOST, "arg%u%s", n->leaf, param); break;
    case K_BUFFER: snprintf(out, NAME_MOST, "in%u%s", n->leaf, param); break;
    case K_DIM: snprintf(out, NAME_MOST, "dim%u%s_axis%u", n->leaf, param, n->axis); break;
    case K_ALLOC:
    case K_TABLE: spell_memory(n, v, out); break;
    default: snprintf(out, NAME_MOST, "v%u", v); break;
    }
}

void sp_name(sp_emitter *e, sp_id id, k_id v)
{
    char name[NAME_MOST];
    spell(e, v, name);
    sp_name_as(e, id, name);
}

void sp_name_member_as(sp_emitter *e, sp_id type, uint32_t member, const char *text)
{
    sp_put_text(e->s, SP_NAMES, SpvOpMemberName, SP_WORDS(type, member), text, NULL, 0);
}

void sp_name_member(sp_emitter *e, sp_id type, uint32_t member, k_id v)
{
    char name[NAME_MOST];
    spell(e, v, name);
    sp_name_member_as(e, type, member, name);
}

/* Simulators show memory of groups by the kernel's name and the array's. */
void sp_name_within(sp_emitter *e, sp_id id, k_id v)
{
    char name[NAME_MOST], whole[WITHIN_MOST];
    spell(e, v, name);
    snprintf(whole, sizeof whole, "%.400s.%s", intern_str(&e->p->cx->strings, e->kernel->name),
             name);
    sp_name_as(e, id, whole);
}

sp_id sp_file(sp_emitter *e, str_id name)
{
    for (uint32_t i = 0; i < e->shared->files.len; i++)
        if (e->shared->files.at[i].name == name)
            return e->shared->files.at[i].id;
    sp_file_name f = {.name = name, .id = sp_new_id(e->s)};
    sp_put_text(e->s, SP_STRINGS, SpvOpString, SP_WORDS(f.id), intern_str(&e->p->cx->strings, name),
                NULL, 0);
    if (!vec_push(e->s->m, &e->shared->files, f))
        e->s->failed = true;
    return f.id;
}
