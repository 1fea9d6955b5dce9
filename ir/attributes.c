/* The side tables of attributes: see attributes.h.  Lists in one vector, their heads by id; a list
 * is walked to its end to set, since subjects have few. */
#include "ir/attributes.h"

#include <string.h>

uint32_t ir_attr_first(const attributes *a, subject of)
{
    const vec_u32 *heads = &a->first[of.kind];
    return of.id < heads->len ? heads->at[of.id] : 0;
}

uint32_t ir_attr_find(const attributes *a, subject of, str_id key)
{
    uint32_t i = ir_attr_first(a, of);
    while (i && a->all.at[i].key != key)
        i = a->all.at[i].next;
    return i;
}

/* Makes the table of heads reach the id. */
static bool reach(mem *m, vec_u32 *heads, uint32_t id)
{
    if (id < heads->len)
        return true;
    uint32_t old = heads->len;
    if (!vec_reserve(m, heads, (uint64_t)id + 1 - old))
        return false;
    memset(heads->at + old, 0, (heads->cap - old) * sizeof *heads->at);
    heads->len = heads->cap;
    return true;
}

static bool append(mem *m, attributes *a, uint32_t *head, attribute value)
{
    uint32_t last = *head;
    value.next = 0;
    if ((a->all.len == 0 && !vec_push(m, &a->all, (attribute){0})) || !vec_push(m, &a->all, value))
        return false;
    while (last && a->all.at[last].next)
        last = a->all.at[last].next;
    if (last)
        a->all.at[last].next = a->all.len - 1;
    else
        *head = a->all.len - 1;
    return true;
}

bool ir_attr_set(mem *m, attributes *a, subject of, attribute value)
{
    uint32_t known = ir_attr_find(a, of, value.key);
    if (!known)
        return reach(m, &a->first[of.kind], of.id) &&
               append(m, a, &a->first[of.kind].at[of.id], value);
    value.next = a->all.at[known].next;
    a->all.at[known] = value;
    return true;
}

/* A list moves by its head, and what the target had is lost: passes that compact move downwards,
 * onto what they have dropped. */
void ir_attr_move(attributes *a, subject_kind kind, uint32_t from, uint32_t to)
{
    vec_u32 *heads = &a->first[kind];
    if (to >= heads->len || from == to)
        return;
    heads->at[to] = from < heads->len ? heads->at[from] : 0;
    if (from < heads->len)
        heads->at[from] = 0;
}

void ir_attr_free(mem *m, attributes *a)
{
    vec_free(m, &a->all);
    for (int kind = 0; kind < 3; kind++)
        vec_free(m, &a->first[kind]);
}
