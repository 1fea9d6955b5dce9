/* Proofs against brute force: random loops and branches are opened around random expressions, and
 * what is said to hold there is compared with what they come to for random arguments. */
#include "ir/kernel/algebra/algebra.h"
#include "ir/kernel/algebra/poly.h"
#include "ir/scalar/scalar.h"
#include "tests/unit/often.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 400, SCOPES = 4, MORE = 6, MOST = 64, QUESTIONS = 60, SAMPLES = 200 };

/* A variable below n, or a condition that holds or does not. */
typedef struct around {
    k_id is, n;
    bool loop, holds;
} around;

/* What was said: x <= n, or 0 <= x < n. */
typedef struct said {
    k_id x, n;
    bool inside;
} said;

static fcl_context cx;
static ir_module module;
static k_program program;
static k_builder b;
static uint64_t state, first_state;
static k_id values[MOST], claimed[MOST],
    count, /* products of which it is said that they are counts */
    turns; /* a number that is made of a product */
static around scopes[SCOPES];
static said claims[QUESTIONS];
static int nvalues, nscopes, nclaims, nclaimed;

static uint32_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static k_id any(void)
{
    return values[next_random() % (uint32_t)nvalues];
}

static void add(k_id v)
{
    ck_assert(v);
    if (nvalues < MOST && k_at(&program, v)->type == ST_I32)
        values[nvalues++] = v;
}

/* ---- what is asked ---- */

/* Of a branch that is open, or a new one. */
static k_id any_condition(k_id x, k_id y)
{
    const around *a = &scopes[nscopes ? next_random() % (uint32_t)nscopes : 0];
    return nscopes && !a->loop ? a->is : kb_lt(&b, x, y);
}

/* x without its y low bits, and what is between. */
static void add_cleared(k_id x, k_id y)
{
    k_id right = kb_scalar(&b, SOP_SHR, x, y, 0);
    add(right);
    add(kb_scalar(&b, SOP_SHL, right, y, 0));
}

/* How many parts something has: the same number in half of the cases. */
static k_id parts(void)
{
    return next_random() % 2 ? count : any();
}

static k_id claim_product(k_id x, k_id y)
{
    k_id product = kb_claim(&b, SOP_MUL, x, y);
    if (nclaimed < MOST)
        claimed[nclaimed++] = product;
    return product;
}

/* m, or the greater one of m and 1. */
static k_id any_count(k_id m)
{
    return next_random() % 2 ? m : kb_scalar(&b, SOP_MAX, m, kb_int(&b, 1), 0);
}

/* The number of a part, of which there are m. */
static k_id any_number(k_id m)
{
    k_id of = nscopes && scopes[nscopes - 1].loop ? scopes[nscopes - 1].is : any();
    k_id q = kb_scalar(&b, next_random() % 2 ? SOP_REM : SOP_MOD, of, any_count(m), 0);
    if (next_random() % 3 == 0)
        q = kb_scalar(&b, SOP_MIN, q, any(), 0);
    if (next_random() % 3 == 0) {
        k_id next = kb_scalar(&b, SOP_ADD, q, kb_int(&b, 1), 0);
        q = kb_select(&b, kb_lt(&b, next, m), next, q);
    }
    return q;
}

/* A place in the part q of m that have c elements each, and how many elements there are. */
static void add_part(void)
{
    k_id m = parts(), c = kb_int(&b, 1 + (int32_t)(next_random() % 3)), q = any_number(m);
    k_id r = kb_scalar(&b, SOP_MOD, any(), c, 0);
    add(claim_product(m, c));
    add(kb_scalar(&b, SOP_ADD, kb_scalar(&b, SOP_MUL, q, c, 0), r, 0));
}

/* Mostly one that is never below 0, as lengths are. */
static k_id any_length(void)
{
    k_id n = any();
    for (int i = 0; i < 8 && k_lo(&program, n) < 0; i++)
        n = any();
    return n;
}

static k_id add_one_less(k_id n)
{
    return kb_scalar(&b, SOP_SUB, n, kb_int(&b, 1), 0);
}

/* A place between two bounds, behind what it may be below. */
static void add_clamp(void)
{
    k_id n = any(), low = next_random() % 2 ? kb_int(&b, 0) : any(), x = any();
    bool first = next_random() % 2;
    add(n);
    x = kb_scalar(&b, first ? SOP_MAX : SOP_MIN, x, first ? low : add_one_less(n), 0);
    add(kb_scalar(&b, first ? SOP_MIN : SOP_MAX, x, first ? add_one_less(n) : low, 0));
}

/* A place in one of the whole runs of so many elements that n has, one of which is the nearest. */
static void add_run(void)
{
    uint32_t log = next_random() % 3;
    k_id n = any_length(), c = kb_int(&b, 1 << log),
         by = next_random() % 2 ? kb_int(&b, (int32_t)log) : 0;
    k_id runs = kb_scalar(&b,
                          by                  ? SOP_SHR
                          : next_random() % 2 ? SOP_DIV
                                              : SOP_QUOT,
                          n, by ? by : c, 0);
    k_id u = kb_scalar(&b, SOP_MAX, any(), kb_int(&b, 0), 0);
    k_id start = kb_scalar(&b, SOP_MUL, kb_scalar(&b, SOP_MIN, u, add_one_less(runs), 0), c, 0);
    add(runs);
    add(n);
    add(kb_scalar(&b, SOP_ADD, start, kb_int(&b, (int32_t)(next_random() % 5)), 0));
}

/* A place some way behind what a branch may have asked for. */
static void add_behind(void)
{
    k_id x = any(), far = next_random() % 2 ? kb_int(&b, (int32_t)(next_random() % 4))
                                            : kb_scalar(&b, SOP_MOD, any(), kb_int(&b, 3), 0);
    add(any());
    add(kb_scalar(&b, SOP_ADD, x, far, 0));
}

static opcode one_of(opcode x, opcode y)
{
    return next_random() % 2 ? x : y;
}

/* What a number comes to by two extents, beside these; and numbers of turns that are made of their product, which may wrap. */
static void add_taken(void)
{
    k_id rows = any_length(), columns = any_length();
    k_id all = kb_scalar(&b, SOP_MUL, rows, columns, 0);
    k_id i = kb_scalar(&b, one_of(SOP_MOD, SOP_REM), any(), any_count(all), 0);
    add(columns);
    add(kb_scalar(&b, one_of(SOP_MOD, SOP_REM), i, columns, 0));
    add(rows);
    add(kb_scalar(&b, one_of(SOP_DIV, SOP_QUOT), i, columns, 0));
    k_id none = kb_int(&b, 0), some = next_random() % 2 ? kb_select(&b, any_condition(rows, columns), all, none) : all;
    some = kb_scalar(&b, SOP_MUL, some, next_random() % 2 ? any_length() : kb_int(&b, 1), 0);
    if (next_random() % 2)
        some = kb_scalar(&b, one_of(SOP_MIN, SOP_MAX), some, next_random() % 2 ? any() : none, 0);
    turns = next_random() % 4 ? some : kb_scalar(&b, SOP_ADD, some, kb_int(&b, 1), 0);
    add(turns);
}

static void add_operation(void)
{
    static const opcode ops[] = {SOP_ADD, SOP_SUB, SOP_SUB, SOP_MUL, SOP_QUOT, SOP_REM,
                                 SOP_DIV, SOP_MOD, SOP_MIN, SOP_MIN, SOP_MAX,  SOP_SHL,
                                 SOP_SHR, SOP_AND, SOP_OR,  SOP_XOR};
    k_id x = any(), y = any();
    if (next_random() % 8 == 0)
        add_cleared(x, y);
    else if (next_random() % 8 == 0)
        add_part();
    else if (next_random() % 8 == 0)
        add_clamp();
    else if (next_random() % 8 == 0)
        add_run();
    else if (next_random() % 8 == 0)
        add_behind();
    else if (next_random() % 8 == 0)
        add_taken();
    else if (next_random() % 8 == 0)
        add(kb_select(&b, any_condition(x, y), any(), any()));
    else
        add(kb_scalar(&b, ops[next_random() % (sizeof ops / sizeof *ops)], x, y, 0));
}

static void open_loop(around *a)
{
    a->loop = true;
    bool some = next_random() % 2 && k_at(&program, turns)->type == ST_I32;
    a->n = some ? turns : next_random() % 3 ? any() : claim_product(any(), any_count(parts()));
    a->is = kb_param(&b, kb_open_for(&b, kb_int(&b, 0), a->n, kb_int(&b, 1), NULL, 0), 0);
    add(a->is);
}

static k_id any_comparison(void)
{
    static const opcode ops[] = {SOP_LT, SOP_LE, SOP_GT, SOP_GE, SOP_EQ, SOP_NE};
    bool few = next_random() % 3 == 0;
    k_id x = any(), y = few ? kb_int(&b, (int32_t)(next_random() % 4)) : any();
    return kb_scalar(&b, ops[next_random() % 6], x, y, 0);
}

/* That x is none below 0, and that there is room for some from there to n. */
static k_id any_room(void)
{
    k_id x = any(), n = any_length(), some = kb_int(&b, (int32_t)(next_random() % 4));
    k_id low = kb_scalar(&b, SOP_GE, x, kb_int(&b, 0), 0), left = kb_scalar(&b, SOP_SUB, n, x, 0);
    for (int32_t i = 0; i < 3; i++) {
        add(n);
        add(kb_scalar(&b, SOP_ADD, x, kb_int(&b, i), 0));
    }
    k_id room = next_random() % 2 ? kb_scalar(&b, SOP_GE, left, some, 0)
                                  : kb_scalar(&b, SOP_LT, some, left, 0);
    return next_random() % 4 ? kb_scalar(&b, SOP_AND, low, room, 0) : room;
}

static void open_branch(around *a)
{
    k_id one = any_comparison();
    a->is = next_random() % 3 == 0   ? any_room()
            : next_random() % 3 == 0 ? kb_scalar(&b, SOP_AND, one, any_comparison(), 0)
                                     : one;
    a->holds = next_random() % 3;
    kb_open_if(&b, a->is);
    if (!a->holds)
        kb_next_block(&b, NULL, 0);
}

static void open_world(void)
{
    ck_assert(context_init(&cx, NULL, NULL) && ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx) && kb_init(&b, &program));
    nvalues = nscopes = nclaims = nclaimed = 0;
    for (uint32_t i = 0; i < 2; i++) {
        add(kb_arg(&b, i, ST_I32));
        add(kb_dim(&b, 2, i));
    }
    for (int32_t i = 0; i < 3; i++)
        add(kb_int(&b, i));
    count = turns = any();
    ck_assert(kb_open_launch(&b, LEVEL_GRID, kb_int(&b, 1), 256));
    while (nscopes < SCOPES) {
        for (int i = 0; i < MORE; i++)
            add_operation();
        around a = {0};
        if (next_random() % 3)
            open_loop(&a);
        else
            open_branch(&a);
        scopes[nscopes++] = a;
    }
    for (int i = 0; i < MORE; i++)
        add_operation();
}

static void ask(void)
{
    for (int i = 0; i < QUESTIONS; i++) {
        uint32_t at = next_random() % ((uint32_t)nvalues - 1);
        bool pair = next_random() % 2; /* of what was made one after the other */
        said s = {pair ? values[at + 1] : any(), pair ? values[at] : any(), next_random() % 2};
        if (s.inside ? ka_proves_index(&b, s.x, s.n) != NULL : ka_not_above(&b, s.x, s.n))
            claims[nclaims++] = s;
    }
    ck_assert(!b.failed);
}

/* ---- what it comes to ---- */

static uint64_t argument(const k_node *n)
{
    uint32_t few = next_random() % 9;
    int32_t x =
        next_random() % 8 ? (int32_t)few - (n->op == K_ARG ? 3 : 0) : (int32_t)(next_random() << 1);
    if (n->op == K_DIM)
        x = (int32_t)((uint32_t)x % (uint32_t)MAX_EXTENT);
    return scalar_wrap(ST_I32, (uint64_t)(int64_t)x);
}

static uint64_t operation(const k_node *n, const uint64_t *known)
{
    uint64_t x[3] = {known[n->args[0]], known[n->args[1]], known[n->args[2]]};
    scalar from = (scalar)k_at(&program, n->args[0])->type;
    if (n->op == K_SCALAR)
        return scalar_eval((opcode)n->opcode, n->opcode == SOP_SELECT ? (scalar)n->type : from, x);
    return n->op == K_CONVERT ? scalar_convert((scalar)n->type, from, x[0])
                              : scalar_wrap((scalar)n->type, x[0]);
}

static int64_t as_int(uint64_t bits)
{
    return (int32_t)(uint32_t)bits;
}

/* Whether what is claimed of products is true; folded ones are no products. */
static bool claims_hold(const uint64_t *known)
{
    for (int i = 0; i < nclaimed; i++) {
        const k_node *n = k_at(&program, claimed[i]);
        bool is_product = n->op == K_SCALAR && n->opcode == SOP_MUL && n->type == ST_I32;
        int64_t x = is_product ? as_int(known[n->args[0]]) : 0;
        int64_t y = is_product ? as_int(known[n->args[1]]) : 0;
        if (x < 0 || y < 0 || x * y > MAX_EXTENT)
            return false;
    }
    return true;
}

/* Whether the place is run by these arguments, in the turns that are drawn. */
static bool evaluate(uint64_t *known)
{
    for (k_id id = 1; id < program.nodes.len; id++) {
        const k_node *n = k_at(&program, id);
        for (int i = 0; i < nscopes; i++) {
            const around *a = &scopes[i];
            int64_t limit = a->loop && a->is == id ? as_int(known[a->n]) : 1;
            if (limit <= 0)
                return false;
            if (a->loop && a->is == id)
                known[id] =
                    next_random() % 4 ? next_random() % (uint64_t)limit : (uint64_t)limit - 1;
        }
        if (n->op == K_CONST)
            known[id] = n->bits;
        else if (n->op == K_ARG || n->op == K_DIM)
            known[id] = argument(n);
        else if (n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST)
            known[id] = operation(n, known);
    }
    if (!claims_hold(known))
        return false;
    for (int i = 0; i < nscopes; i++)
        if (!scopes[i].loop && (known[scopes[i].is] != 0) != scopes[i].holds)
            return false;
    return true;
}

static uint32_t check_claims(void)
{
    uint32_t ran = 0;
    uint64_t *known = calloc(program.nodes.len, sizeof *known);
    ck_assert(known);
    for (int i = 0; i < SAMPLES; i++) {
        if (!evaluate(known))
            continue;
        ran++;
        for (int k = 0; k < nclaims; k++) {
            const said *s = &claims[k];
            int64_t x = as_int(known[s->x]), n = as_int(known[s->n]);
            assert_often(s->inside ? 0 <= x && x < n : x <= n,
                         "SEED=%llu: %%%u = %lld and %%%u = %lld", (unsigned long long)first_state,
                         s->x, (long long)x, s->n, (long long)n);
        }
    }
    free(known);
    return ran;
}

START_TEST(what_is_proved_holds)
{
    const char *given = getenv("SEED");
    uint32_t ran = 0, said_all = 0;
    state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("what_is_proved_holds: SEED=%llu\n", (unsigned long long)state);
    fflush(stdout);
    for (int i = 0; i < ROUNDS; i++) {
        first_state = state;
        open_world();
        ask();
        ran += check_claims();
        said_all += (uint32_t)nclaims;
        kb_release(&b);
        k_release(&program);
        ir_module_release(&module);
        context_release(&cx);
    }
    ck_assert_uint_gt(ran, ROUNDS);
    ck_assert_uint_gt(said_all, ROUNDS);
}
END_TEST

START_TEST(every_coefficient_has_an_opposite)
{
    poly x = ka_poly_atom(1), half = {0}, sum, product, least = ka_poly_constant(INT64_MIN);
    ck_assert(ka_poly_add(&half, &x, INT64_MIN / 2));
    sum = half;
    ck_assert(!ka_poly_add(&sum, &half, 1));
    sum = ka_poly_constant(0);
    ck_assert(!ka_poly_add(&sum, &x, INT64_MIN));
    ck_assert(ka_poly_add(&sum, &least, 1));
    ck_assert(!ka_poly_multiply(&product, &x, &least));
}
END_TEST

Suite *prove_suite(void);

Suite *prove_suite(void)
{
    Suite *s = suite_create("prove");
    TCase *t = tcase_create("random");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, what_is_proved_holds);
    tcase_add_test(t, every_coefficient_has_an_opposite);
    suite_add_tcase(s, t);
    return s;
}
