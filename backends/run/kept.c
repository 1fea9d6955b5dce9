/* Two lists, of what is in use and of what is idle: see kept.h.  The idle ones are few, and to find
 * one in use costs little beside what it is found for. */
#include "backends/run/kept.h"

#include "serialize/coding/sha256.h"

#include <string.h>

/* The NUL behind the options tells them from the code. */
void kept_describe(kept *k, const run_code *code)
{
    sha256 h;
    sha256_init(&h);
    sha256_add(&h, &code->lanes, sizeof code->lanes);
    sha256_add(&h, code->options, strlen(code->options) + 1);
    sha256_add(&h, code->at, code->size);
    sha256_end(&h, k->digest);
    k->size = code->size;
}

/* Where the list names one of the same digest; the list's end if nowhere. */
static kept **find(kept **at, const kept *like)
{
    while (*at && memcmp((*at)->digest, like->digest, sizeof like->digest) != 0)
        at = &(*at)->next;
    return at;
}

static kept *take_out(kept **at)
{
    kept *k = *at;
    *at = k->next;
    return k;
}

static void put(kept **list, kept *k)
{
    k->next = *list;
    *list = k;
}

static kept *take_idle(kept_list *l, kept **at)
{
    kept *k = take_out(at);
    l->nidle--;
    l->idle_bytes -= k->size;
    return k;
}

kept *kept_take(kept_list *l, const kept *like)
{
    kept *used = *find(&l->used, like), **idle = find(&l->idle, like);
    if (!used && *idle)
        put(&l->used, used = take_idle(l, idle));
    if (used)
        used->users++;
    return used;
}

void kept_add(kept_list *l, kept *k)
{
    k->users = 1;
    put(&l->used, k);
}

void kept_leave(kept_list *l, kept *k)
{
    if (--k->users)
        return;
    put(&l->idle, take_out(find(&l->used, k)));
    l->nidle++;
    l->idle_bytes += k->size;
}

/* The last of the list has been idle longest. */
kept *kept_surplus(kept_list *l)
{
    kept **at = &l->idle;
    if (l->nidle <= KEPT_IDLE && l->idle_bytes <= KEPT_IDLE_BYTES)
        return NULL;
    while ((*at)->next)
        at = &(*at)->next;
    return take_idle(l, at);
}

kept *kept_last(kept_list *l)
{
    return l->idle ? take_idle(l, &l->idle) : l->used ? take_out(&l->used) : NULL;
}

void *kept_program(kept_list *l, const kept_kind *how, run_device *d, const run_code *code)
{
    kept like = {0};
    kept_describe(&like, code);
    kept *found = kept_take(l, &like);
    if (found)
        return found;
    void *made = how->make(d, code, &like);
    if (made)
        kept_add(l, made);
    return made;
}

void kept_end_use(kept_list *l, const kept_kind *how, run_device *d, void *program)
{
    kept_leave(l, program);
    for (kept *k; (k = kept_surplus(l)) != NULL;)
        how->drop(d, k);
}

void kept_drop_all(kept_list *l, const kept_kind *how, run_device *d)
{
    for (kept *k; (k = kept_last(l)) != NULL;)
        how->drop(d, k);
}
