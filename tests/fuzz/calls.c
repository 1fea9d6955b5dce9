/* Builder calls chosen by bytes, so that the verifier and the checker meet structures that no text
 * can spell: values used outside their scope, regions left open, types and levels of other
 * functions.
 *
 * One byte says which call, the next ones its arguments; where the input ends, zeros follow.  Ids
 * are mostly those that earlier calls gave, so that much of what is built has a meaning, and now
 * and then any number at all.  Bytes are taken by statements of their own, one after the other: the
 * order in which arguments are computed is the compiler's. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { KEPT = 64, MOST_ARGS = 4 };

/* The ids of one kind that calls gave lately. */
typedef struct ids {
    uint32_t at[KEPT];
    uint32_t n;
} ids;

typedef struct caller {
    fcl_module *m;
    const uint8_t *p, *end;
    ids values, types, levels, regions, funcs, tvars;
    uint32_t names;
} caller;

static uint8_t byte(caller *c)
{
    return c->p < c->end ? *c->p++ : 0;
}

static void keep(ids *v, uint32_t id)
{
    if (id)
        v->at[v->n++ % KEPT] = id;
}

/* Byte 255 is followed by any id; others count back from the newest. */
static uint32_t pick(caller *c, const ids *v)
{
    uint8_t b = byte(c);
    if (b == 255)
        return (uint32_t)byte(c) << 8 | byte(c);
    uint32_t kept = v->n < KEPT ? v->n : KEPT;
    return kept ? v->at[(v->n - 1 - b % kept) % KEPT] : 0;
}

static size_t pick_args(caller *c, fcl_value *args, size_t least, size_t most)
{
    size_t n = least < most ? least + byte(c) % 3 : least;
    n = n < MOST_ARGS ? n : MOST_ARGS;
    for (size_t i = 0; i < n; i++)
        args[i] = pick(c, &c->values);
    return n;
}

/* A name of its own, or none, or one that may be taken. */
static const char *name(caller *c, char *room)
{
    uint8_t b = byte(c);
    if (b % 8 == 0)
        return NULL;
    uint32_t k = b % 8 == 1 ? 0 : ++c->names;
    room[0] = 'n';
    room[1] = (char)('a' + k / 26 % 26);
    room[2] = (char)('a' + k % 26);
    room[3] = 0;
    return room;
}

/* ---- one call each ---- */

static void call_function(caller *c)
{
    char room[8] = "f";
    const char *given = name(c, room);
    fcl_func f = fcl_function(c->m, given ? given : room, byte(c) & 1);
    keep(&c->funcs, f);
    for (uint8_t n = byte(c) % 3; n > 0; n--) {
        given = name(c, room) ? room : "a";
        keep(&c->tvars, fcl_type_param(c->m, f, given, (fcl_kind)(byte(c) % 4)));
    }
    for (uint8_t n = byte(c) % 3; n > 0; n--)
        keep(&c->tvars, fcl_level_param(c->m, f, name(c, room) ? room : "l"));
    fcl_region body = fcl_body(c->m, f);
    keep(&c->regions, body);
    uint8_t graph = byte(c);
    for (uint8_t n = graph % 4; n > 0; n--) {
        given = name(c, room);
        keep(&c->values, fcl_param(c->m, body, given, pick(c, &c->types)));
    }
    if (graph & 4)
        keep(&c->regions, fcl_graph(c->m, f));
}

static void call_param(caller *c)
{
    char room[8];
    fcl_region r = pick(c, &c->regions);
    fcl_type t = byte(c) % 4 ? 0 : pick(c, &c->types);
    keep(&c->values, fcl_param(c->m, r, name(c, room), t));
}

static void call_type(caller *c)
{
    char room[8] = "t";
    const char *given;
    fcl_type x = pick(c, &c->types), y = pick(c, &c->types), items[2] = {x, y}, t = 0;
    switch (byte(c) % 9) {
    case 0: t = fcl_type_scalar(c->m, (fcl_scalar)(byte(c) % 13)); break;
    case 1: t = fcl_type_var(c->m, pick(c, &c->tvars)); break;
    case 2: t = fcl_type_tuple(c->m, items, 2); break;
    case 3: t = fcl_type_function(c->m, x, y); break;
    case 4: t = fcl_type_level_function(c->m, pick(c, &c->tvars), x); break;
    case 5: t = fcl_type_forall(c->m, pick(c, &c->tvars), x); break;
    case 6: t = fcl_type_pull(c->m, x, 1 + byte(c) % 3); break;
    case 7: t = fcl_type_push(c->m, x, 1, pick(c, &c->levels)); break;
    case 8:
        given = name(c, room) ? room : "t";
        keep(&c->tvars, fcl_type_variable(c->m, given, (fcl_kind)(byte(c) % 4)));
        break;
    }
    keep(&c->types, t);
}

static void call_level(caller *c)
{
    char room[8] = "l";
    switch (byte(c) % 4) {
    case 0: keep(&c->levels, fcl_level_const((fcl_height)(byte(c) % 4))); break;
    case 1: keep(&c->levels, fcl_level_var(pick(c, &c->tvars))); break;
    case 2: keep(&c->levels, fcl_level_succ(pick(c, &c->levels))); break;
    case 3: keep(&c->tvars, fcl_level_variable(c->m, name(c, room) ? room : "l")); break;
    }
}

static void call_constant(caller *c)
{
    fcl_scalar s = (fcl_scalar)(1 + byte(c) % 11);
    uint8_t x = byte(c);
    if (s == FCL_BOOL)
        keep(&c->values, fcl_const_bool(c->m, x & 1));
    else if (s == FCL_F32 || s == FCL_F64)
        keep(&c->values, fcl_const_float(c->m, s, x));
    else
        keep(&c->values, fcl_const_int(c->m, s, x & 127));
}

/* Any operator of the table, by what it takes. */
static void call_op(caller *c)
{
    size_t ops = 0;
    while (ops < fuzz_word_count && fuzz_words[ops].class == WORD_OP)
        ops++;
    const fuzz_word *w = &fuzz_words[byte(c) % ops];
    fcl_region r = pick(c, &c->regions), bodies[8] = {0};
    fcl_value args[MOST_ARGS];
    if (w->attribute == 'L') {
        fcl_level l = pick(c, &c->levels);
        keep(&c->values, fcl_op_level(c->m, r, w->text, l, pick(c, &c->values)));
        return;
    }
    if (w->attribute == 'T') {
        fcl_type t = pick(c, &c->types);
        keep(&c->values, fcl_op_type(c->m, r, w->text, t, pick(c, &c->values)));
        return;
    }
    if (w->attribute == 'D') {
        const size_t extents[4] = {byte(c) & 3, byte(c) & 1, 1, 2};
        keep(&c->values, fcl_op_constant(c->m, r, (fcl_scalar)(byte(c) & 15), extents, byte(c) & 3,
                                         "\0\1\0\1\0\1\0\1", byte(c) & 7));
        return;
    }
    size_t n = pick_args(c, args, w->least, w->most);
    if (w->regions)
        keep(&c->values, fcl_op_regions(c->m, r, w->text, args, n, bodies));
    else if (strcmp(w->text, "array") == 0)
        keep(&c->values, fcl_op_array(c->m, r, pick(c, &c->types), args, n));
    else
        keep(&c->values, fcl_op(c->m, r, w->text, args, n));
    for (size_t i = 0; i < w->regions; i++)
        keep(&c->regions, bodies[i]);
}

static void call_fn(caller *c)
{
    static const char *const names[] = {"x", "y"};
    fcl_tvar vars[4] = {0};
    fcl_region body = 0;
    size_t types = byte(c) % 3, levels = byte(c) % 3;
    keep(&c->values, fcl_fn(c->m, pick(c, &c->regions), types, names, levels, names, vars, &body));
    for (size_t i = 0; i < types + levels; i++)
        keep(&c->tvars, vars[i]);
    keep(&c->regions, body);
}

static void call_call(caller *c)
{
    fcl_value args[MOST_ARGS];
    fcl_type t0 = pick(c, &c->types), t1 = pick(c, &c->types), types[2] = {t0, t1};
    fcl_level l0 = pick(c, &c->levels), l1 = pick(c, &c->levels), levels[2] = {l0, l1};
    size_t ntypes = byte(c) % 3, nlevels = byte(c) % 3;
    fcl_region r = pick(c, &c->regions);
    fcl_func f = pick(c, &c->funcs);
    size_t n = pick_args(c, args, 0, MOST_ARGS);
    if (byte(c) & 1)
        keep(&c->values, fcl_call(c->m, r, f, types, ntypes, levels, nlevels, args, n));
    else
        keep(&c->values, fcl_func_value(c->m, r, f, types, ntypes, levels, nlevels));
}

static void call_end(caller *c)
{
    fcl_region r = pick(c, &c->regions);
    fcl_value v = pick(c, &c->values);
    if (byte(c) & 1)
        fcl_return(c->m, r, v);
    else
        fcl_yield(c->m, r, v);
}

static void call_position(caller *c)
{
    const char *file = byte(c) & 1 ? "front.apl" : NULL;
    uint8_t line = byte(c);
    fcl_at(c->m, file, line, byte(c));
}

static void call_attribute(caller *c)
{
    fcl_func f = byte(c) & 1 ? pick(c, &c->funcs) : 0;
    fcl_value v = byte(c) & 1 ? pick(c, &c->values) : 0;
    fcl_attribute a = {.key = byte(c) & 1 ? "k" : "key", .size = 3};
    a.text = byte(c) & 1 ? "\n\"\377" : NULL;
    a.number = (int8_t)byte(c);
    if (byte(c) & 1)
        fcl_attribute_set(c->m, (fcl_subject){f, v}, &a);
    a.key = byte(c) & 1 ? "inline" : byte(c) & 1 ? "org.example" : a.key;
    if (byte(c) & 1)
        fcl_property_set(c->m, (fcl_subject){f, v}, &a);
}

static void call_more(caller *c)
{
    char room[8];
    const char *given;
    uint32_t id;
    switch (byte(c) % 7) {
    case 0: id = pick(c, &c->values), fcl_value_name(c->m, id, name(c, room)); break;
    case 1: id = pick(c, &c->values), fcl_value_type(c->m, id, pick(c, &c->types)); break;
    case 2: call_position(c); break;
    case 3: id = pick(c, &c->funcs), fcl_result_type(c->m, id, pick(c, &c->types)); break;
    case 4: call_attribute(c); break;
    case 5:
        given = name(c, room),
        fcl_section_add(c->m, given ? given : "x", c->p, (size_t)(c->end - c->p) % 7);
        break;
    case 6:
        if (byte(c) % 16 == 0)
            fcl_import(c->m, "prelude", NULL);
        break;
    }
}

static void (*const calls[])(caller *) = {
    call_function, call_param, call_type, call_level, call_constant, call_op,  call_op,  call_op,
    call_op,       call_fn,    call_call, call_end,   call_end,      call_end, call_more};

/* What every sequence may use from the start. */
static void begin(caller *c)
{
    fcl_type i = fcl_type_scalar(c->m, FCL_I32);
    fcl_level grid = fcl_level_const(FCL_GRID);
    keep(&c->types, fcl_type_scalar(c->m, FCL_BOOL));
    keep(&c->types, fcl_type_pull(c->m, i, 1));
    keep(&c->types, fcl_type_push(c->m, i, 1, grid));
    keep(&c->types, i);
    keep(&c->levels, grid);
    keep(&c->levels, fcl_level_const(FCL_BLOCK));
    keep(&c->levels, fcl_level_const(FCL_THREAD));
}

/* ---- changing what was built ---- */

static fcl_operation pick_operation(caller *c)
{
    fcl_value_info v;
    fcl_value id = pick(c, &c->values);
    return fcl_value_about(c->m, id, &v, sizeof v) ? v.operation : id;
}

static void change(caller *c, fcl_rewrite *w)
{
    fcl_operation o = pick_operation(c);
    fcl_value v;
    switch (byte(c) % 6) {
    case 0: fcl_rewrite_before(w, o); break;
    case 1: v = pick(c, &c->values), fcl_rewrite_operand(w, o, byte(c) % 3, v); break;
    case 2: v = pick(c, &c->values), fcl_rewrite_replace(w, v, pick(c, &c->values)); break;
    case 3: fcl_rewrite_erase(w, o); break;
    case 4: fcl_rewrite_move(w, o, pick_operation(c)); break;
    case 5: calls[byte(c) % (sizeof calls / sizeof *calls)](c); break;
    }
}

/* By the same bytes once more, where what they built can be walked over. */
static void rewrite(fcl_context *cx, caller *c, const uint8_t *data)
{
    fcl_rewrite *w = fcl_built(c->m) ? fcl_rewrite_begin(c->m) : NULL;
    if (!w && fcl_built(c->m))
        fcl_diagnostics_clear(cx);
    c->p = data;
    while (w && c->p < c->end && fcl_built(c->m))
        change(c, w);
    fcl_rewrite_end(w);
}

void fuzz_build(fcl_context *cx, fcl_module *m, const uint8_t *data, size_t size)
{
    caller c = {.m = m, .p = data, .end = data + size};
    begin(&c);
    while (c.p < c.end && fcl_built(m))
        calls[byte(&c) % (sizeof calls / sizeof *calls)](&c);
    rewrite(cx, &c, data);
}
