/* The side tables of attributes: see attributes.h.  Lists in one vector.  Most subjects have few
 * attributes, and a list of those is walked to find a key; from LONG on, its keys are in a hash
 * table, which all long lists share, so that n attributes of one subject take linear time. */
#include "ir/attributes.h"

#include <string.h>

enum { LONG = 9 };

/* The list of a subject; 0 when it has none. */
static uint32_t list_of(const attributes *a, subject of)
{
    const vec_u32 *lists = &a->list[of.kind];
    return of.id < lists->len ? lists->at[of.id] : 0;
}

uint32_t ir_attr_first(const attributes *a, subject of)
{
    uint32_t list = list_of(a, of);
    return list ? a->lists.at[list].first : 0;
}

/* ---- long lists ---- */

/* Where the key is, or the empty slot where it would be. */
static attribute_slot *slot_of(attribute_slot *slots, uint32_t n, uint32_t list, str_id key)
{
    uint64_t hash = ((uint64_t)list << 32 | key) * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & (n - 1);
    while (slots[i].at && (slots[i].list != list || slots[i].key != key))
        i = (i + 1) & (n - 1);
    return &slots[i];
}

/* Room for n more keys, half of the table being empty still. */
static bool reserve_slots(mem *m, attributes *a, uint32_t n)
{
    uint32_t cap = a->nslots ? a->nslots : 64;
    while (cap / 2 < a->used + n && cap < UINT32_MAX / 4)
        cap *= 2;
    if (cap == a->nslots)
        return true;
    attribute_slot *slots = mem_zeroed(m, cap * sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < a->nslots; i++)
        if (a->slots[i].at)
            *slot_of(slots, cap, a->slots[i].list, a->slots[i].key) = a->slots[i];
    mem_free(m, a->slots, a->nslots * sizeof *slots);
    a->slots = slots;
    a->nslots = cap;
    return true;
}

static void enter(attributes *a, uint32_t list, uint32_t at)
{
    str_id key = a->all.at[at].key;
    *slot_of(a->slots, a->nslots, list, key) = (attribute_slot){list, key, at};
    a->used++;
}

/* ---- any list ---- */

uint32_t ir_attr_find(const attributes *a, subject of, str_id key)
{
    uint32_t list = list_of(a, of), i = list ? a->lists.at[list].first : 0;
    if (list && a->lists.at[list].count >= LONG)
        return slot_of(a->slots, a->nslots, list, key)->at;
    while (i && a->all.at[i].key != key)
        i = a->all.at[i].next;
    return i;
}

str_id ir_attr_text(const attributes *a, const intern *strings, subject of, const char *key)
{
    str_id name = intern_find(strings, key, strlen(key));
    uint32_t at = name ? ir_attr_find(a, of, name) : 0;
    return at && a->all.at[at].is_text ? a->all.at[at].text : 0;
}

/* Makes the table of lists reach the id. */
static bool reach(mem *m, vec_u32 *lists, uint32_t id)
{
    if (id < lists->len)
        return true;
    uint32_t old = lists->len;
    if (!vec_reserve(m, lists, (uint64_t)id + 1 - old))
        return false;
    memset(lists->at + old, 0, (lists->cap - old) * sizeof *lists->at);
    lists->len = lists->cap;
    return true;
}

/* Entry 0 of a vector that is empty; its contents are those of {0}. */
static bool begin_tables(mem *m, attributes *a)
{
    return (a->all.len || vec_push(m, &a->all, (attribute){0})) &&
           (a->lists.len || vec_push(m, &a->lists, (attribute_list){0}));
}

/* Behind the others of the list; room is made beforehand, so nothing fails half-way.  A list that
 * becomes long enters all of its keys. */
static bool append(mem *m, attributes *a, uint32_t list, attribute value)
{
    uint32_t count = a->lists.at[list].count + 1, at = a->all.len;
    if (!vec_reserve(m, &a->all, 1) ||
        (count >= LONG && !reserve_slots(m, a, count == LONG ? LONG : 1)))
        return false;
    attribute_list *l = &a->lists.at[list];
    value.next = 0;
    a->all.at[a->all.len++] = value;
    if (l->last)
        a->all.at[l->last].next = at;
    else
        l->first = at;
    l->last = at;
    l->count = count;
    for (uint32_t i = count == LONG ? l->first : at; i && count >= LONG; i = a->all.at[i].next)
        enter(a, list, i);
    return true;
}

bool ir_attr_set(mem *m, attributes *a, subject of, attribute value)
{
    uint32_t known = ir_attr_find(a, of, value.key), list = list_of(a, of);
    if (known) {
        value.next = a->all.at[known].next;
        a->all.at[known] = value;
        return true;
    }
    if (!begin_tables(m, a))
        return false;
    if (!list) {
        if (!reach(m, &a->list[of.kind], of.id) || !vec_push(m, &a->lists, (attribute_list){0}))
            return false;
        list = a->list[of.kind].at[of.id] = a->lists.len - 1;
    }
    return append(m, a, list, value);
}

/* A list moves as a whole, and what the target had is lost: passes that compact move downwards,
 * onto what they have dropped. */
void ir_attr_move(attributes *a, subject_kind kind, uint32_t from, uint32_t to)
{
    vec_u32 *lists = &a->list[kind];
    if (to >= lists->len || from == to)
        return;
    lists->at[to] = from < lists->len ? lists->at[from] : 0;
    if (from < lists->len)
        lists->at[from] = 0;
}

void ir_attr_cut(attributes *a, subject_kind kind, uint32_t from)
{
    for (uint32_t i = from; i < a->list[kind].len; i++)
        a->list[kind].at[i] = 0;
}

#define COPY(field) (vec_reserve(m, &to->field, from->field.len) &&                                 \
                     (to->field.len = from->field.len,                                             \
                      from->field.len == 0 ||                                                      \
                          memcpy(to->field.at, from->field.at,                                     \
                                 from->field.len * sizeof *to->field.at)))

bool ir_attr_copy(mem *m, attributes *to, const attributes *from)
{
    size_t size = from->nslots * sizeof *from->slots;
    if (!COPY(all) || !COPY(lists) || !COPY(list[0]) || !COPY(list[1]) || !COPY(list[2]))
        return false;
    to->slots = size ? mem_resize(m, NULL, 0, size) : NULL;
    if (size && !to->slots)
        return false;
    if (size)
        memcpy(to->slots, from->slots, size);
    to->nslots = from->nslots;
    to->used = from->used;
    return true;
}

void ir_attr_free(mem *m, attributes *a)
{
    vec_free(m, &a->all);
    vec_free(m, &a->lists);
    for (int kind = 0; kind < 3; kind++)
        vec_free(m, &a->list[kind]);
    mem_free(m, a->slots, a->nslots * sizeof *a->slots);
    a->slots = NULL;
    a->nslots = a->used = 0;
}
