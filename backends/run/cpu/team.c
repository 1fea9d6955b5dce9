/* A team of threads: see team.h.
 *
 * The groups of a launch are cut into pieces, which the threads take one after the other from a
 * counter.  A thread looks for a new launch for a short while before it goes to sleep, since
 * launches often follow one another; so does the caller for the end of the pieces of others, which
 * are as long as its own. */
#define _POSIX_C_SOURCE 200809L
#include "backends/run/cpu/team.h"

#include "backends/run/workshop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    TEAM_MOST = 256,
    PIECES = 8,   /* for each thread: enough for groups of uneven work, few beside small groups */
    LOOKS = 2000, /* for a new launch, before a thread sleeps: some ten microseconds */
};

typedef struct launch {
    cpu_range *range;
    void *const *args;
    int32_t groups, piece;
    _Atomic int64_t next; /* the first group that nobody has taken */
} launch;

struct cpu_team {
    pthread_mutex_t lock;
    pthread_cond_t begun, left;
    launch now;
    _Atomic uint32_t number; /* of launches so far; changed under the lock */
    bool open;               /* threads may still join in */
    bool over;
    _Atomic uint32_t inside; /* threads that have joined in, without the caller; likewise */
    uint32_t nthreads;
    pthread_t threads[TEAM_MOST];
};

static void work(launch *l)
{
    for (;;) {
        int64_t from = atomic_fetch_add_explicit(&l->next, l->piece, memory_order_relaxed);
        if (from >= l->groups)
            return;
        int64_t left = l->groups - from;
        l->range((int32_t)from, (int32_t)(left < l->piece ? l->groups : from + l->piece), l->groups,
                 l->args);
    }
}

/* ---- the threads ---- */

/* Looks whether there is a launch after number `seen`, for a while. */
static void look(cpu_team *t, uint32_t seen)
{
    for (int i = 0; i < LOOKS; i++)
        if (atomic_load_explicit(&t->number, memory_order_acquire) != seen)
            return;
}

/* Waits for a launch after number `seen`, under the lock; false at the end. */
static bool await(cpu_team *t, uint32_t *seen)
{
    while (!t->over && atomic_load(&t->number) == *seen)
        pthread_cond_wait(&t->begun, &t->lock);
    *seen = atomic_load(&t->number);
    return !t->over;
}

static void *thread(void *team)
{
    cpu_team *t = team;
    uint32_t seen = 0;
    for (;;) {
        look(t, seen);
        pthread_mutex_lock(&t->lock);
        bool go = await(t, &seen), joins = go && t->open;
        t->inside += joins;
        pthread_mutex_unlock(&t->lock);
        if (!go)
            return NULL;
        if (!joins)
            continue;
        work(&t->now);
        pthread_mutex_lock(&t->lock);
        if (--t->inside == 0)
            pthread_cond_signal(&t->left);
        pthread_mutex_unlock(&t->lock);
    }
}

/* ---- the caller ---- */

static long wanted(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long said = strtol(workshop_environment("OMP_NUM_THREADS", "0"), NULL, 10);
    long all = said > 0 ? said : cores;
    return all < 1 ? 1 : all > TEAM_MOST ? TEAM_MOST : all;
}

cpu_team *cpu_team_start(fcl_context *cx)
{
    cpu_team *t = mem_resize(&cx->mem, NULL, 0, sizeof *t);
    if (!t)
        return NULL;
    *t = (cpu_team){.nthreads = 0};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->left, NULL);
    long all = wanted();
    while (t->nthreads + 1 < all && !pthread_create(&t->threads[t->nthreads], NULL, thread, t))
        t->nthreads++;
    return t;
}

static void open_launch(cpu_team *t)
{
    pthread_mutex_lock(&t->lock);
    t->open = true;
    atomic_fetch_add_explicit(&t->number, 1, memory_order_release);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

static void close_launch(cpu_team *t)
{
    pthread_mutex_lock(&t->lock);
    t->open = false;
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < LOOKS && atomic_load_explicit(&t->inside, memory_order_acquire); i++)
        ;
    pthread_mutex_lock(&t->lock);
    while (t->inside)
        pthread_cond_wait(&t->left, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void cpu_team_run(cpu_team *t, cpu_range *range, int32_t groups, void *const *args)
{
    int32_t pieces = PIECES * (int32_t)(t->nthreads + 1);
    if (!t->nthreads || groups <= 1) {
        range(0, groups, groups, args);
        return;
    }
    t->now.range = range;
    t->now.args = args;
    t->now.groups = groups;
    t->now.piece = (groups - 1) / pieces + 1;
    atomic_store(&t->now.next, 0);
    open_launch(t);
    work(&t->now);
    close_launch(t);
}

void cpu_team_end(fcl_context *cx, cpu_team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->over = true;
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
    for (uint32_t i = 0; i < t->nthreads; i++)
        pthread_join(t->threads[i], NULL);
    pthread_cond_destroy(&t->left);
    pthread_cond_destroy(&t->begun);
    pthread_mutex_destroy(&t->lock);
    mem_free(&cx->mem, t, sizeof *t);
}
