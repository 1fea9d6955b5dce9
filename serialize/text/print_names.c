/* Choosing names for the text writer: see text/print_names.h.
 *
 * Linear in the module: a name costs a look into an array by its number.  Only where a name must be
 * made up (an unnamed value, a clash) the function is looked through once, for the names that are
 * taken.  What is printed depends on the module alone, not on what was printed before. */
#include "serialize/text/print_names.h"

#include "ir/base/source.h"

#include <stdio.h>
#include <string.h>

bool names_init(print_names *n, ir_module *m)
{
    mem *mm = &m->cx->mem;
    n->m = m;
    n->ok = true;
    words_init(&n->words);
    n->numbers_end = m->values.len * 2 + 1024;
    if (!vec_reserve(mm, &n->chosen, m->values.len))
        return false;
    n->chosen.len = m->values.len;
    memset(n->chosen.at, 0, n->chosen.len * sizeof *n->chosen.at);
    return true;
}

void names_free(print_names *n)
{
    mem *mm = &n->m->cx->mem;
    vec_free(mm, &n->strings.visible);
    vec_free(mm, &n->strings.uses);
    vec_free(mm, &n->numbers.visible);
    vec_free(mm, &n->numbers.uses);
    vec_free(mm, &n->printed);
    vec_free(mm, &n->visible);
    vec_free(mm, &n->chosen);
}

/* ---- what is known of names ---- */

/* Makes room for entry `index` of a vector, and clears what is new; false when memory is short. */
#define REACH(n, v, index)                                                                         \
    ((index) < (v)->len ||                                                                         \
     (vec_reserve(&(n)->m->cx->mem, v, (uint64_t)(index) + 1 - (v)->len)                           \
          ? (memset((v)->at + (v)->len, 0, ((v)->cap - (v)->len) * sizeof *(v)->at),               \
             (v)->len = (v)->cap, true)                                                            \
          : ((n)->ok = false)))

/* The number as a string, for numbers too large for an array. */
static str_id digits_of(print_names *n, uint32_t number)
{
    char digits[16];
    int len = snprintf(digits, sizeof digits, "%u", number);
    return intern_add(&n->m->cx->strings, digits, (size_t)len);
}

/* The set in which a name is kept, and its index there. */
static inline name_set *set_of(print_names *n, str_id name, uint32_t *index)
{
    *index = name & ~NAME_NUMBER;
    if (!(name & NAME_NUMBER))
        return &n->strings;
    if (*index < n->numbers_end)
        return &n->numbers;
    *index = digits_of(n, *index);
    return &n->strings;
}

/* NULL when memory is short, as in use_of. */
static inline uint8_t *visible_of(print_names *n, str_id name)
{
    uint32_t i;
    name_set *set = set_of(n, name, &i);
    return REACH(n, &set->visible, i) ? &set->visible.at[i] : NULL;
}

static name_use *use_of(print_names *n, str_id name)
{
    uint32_t i;
    name_set *set = set_of(n, name, &i);
    return REACH(n, &set->uses, i) ? &set->uses.at[i] : NULL;
}

/* ---- making names readable ---- */

/* Whether the grammar takes it for a NAME. */
static bool is_clean(const char *s, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (!source_is_name_char(s[i]))
            return false;
    return len > 0;
}

str_id names_clean(print_names *n, str_id name)
{
    if (name & NAME_NUMBER)
        return name;
    intern *strings = &n->m->cx->strings;
    mem *mm = &n->m->cx->mem;
    const char *s = intern_str(strings, name);
    uint32_t len = intern_len(strings, name);
    vec_char t = {0};
    if (is_clean(s, len))
        return name;
    for (uint32_t i = 0; i < len; i++)
        text_add(mm, &t, source_is_name_char(s[i]) ? s + i : "_", 1);
    str_id id = len ? intern_add(strings, t.at, t.len) : intern_cstr(strings, "_");
    vec_free(mm, &t);
    return id;
}

/* Whatever the module calls it: `a b` uses no name that is printed, 07 does, and so does 7, as a
 * number. */
static str_id used_name(print_names *n, str_id name)
{
    const char *s = name & NAME_NUMBER ? "" : ir_str(n->m, name);
    return *s >= '0' && *s <= '9' ? ir_name(n->m, s, intern_len(&n->m->cx->strings, name)) : name;
}

/* As which a name of a value is printed unless something else is called so. */
static str_id look_at(print_names *n, str_id name)
{
    str_id printed = used_name(n, names_clean(n, name));
    if (REACH(n, &n->printed, name))
        n->printed.at[name] = printed;
    return printed;
}

static inline str_id printed_name(print_names *n, str_id name)
{
    if (name & NAME_NUMBER)
        return name;
    str_id printed = name < n->printed.len ? n->printed.at[name] : 0;
    return printed ? printed : look_at(n, name);
}

/* ---- which names a function uses ---- */

/* Notes that a value of this function has the name.  Entries are told apart by function, so that
 * nothing needs to be cleared between two. */
static void take(print_names *n, str_id name)
{
    name_use *s = name ? use_of(n, used_name(n, name)) : NULL;
    if (s && s->func != n->func) {
        s->func = n->func;
        s->suffix = 1;
    }
}

/* Recursion is bounded: whoever prints the region reports that it is too deep. */
static void take_all(print_names *n, ir_region region, uint32_t depth)
{
    ir_module *m = n->m;
    const region_node r = *ir_region_at(m, region);
    if (depth > m->cx->limits.region_depth)
        return;
    for (uint32_t i = 0; i < r.nparams; i++)
        take(n, ir_value_at(m, r.params + i)->name);
    for (ir_op o = r.first; o && n->ok; o = ir_op_at(m, o)->next) {
        const op_node *op = ir_op_at(m, o);
        take(n, ir_value_at(m, op->result)->name);
        for (uint32_t i = 0; i < ir_op_info(op->opcode)->regions; i++)
            take_all(n, op->regions + i, depth + 1);
    }
}

/* A function whose values all have names of their own is never looked through. */
static void look_through(print_names *n)
{
    if (!n->looked_through)
        take_all(n, ir_func_at(n->m, n->func)->body, 1);
    n->looked_through = true;
}

/* Whether a value of the function has that name. */
static bool is_taken(print_names *n, str_id name)
{
    look_through(n);
    const name_use *s = use_of(n, name);
    return s && s->func == n->func;
}

void names_begin(print_names *n, ir_func f)
{
    n->func = f;
    n->counter = n->parameters[0] = n->parameters[1] = 0;
    n->looked_through = false;
    names_leave(n, 0);
}

bool names_enter(print_names *n, ir_region r, uint32_t depth)
{
    ir_module *m = n->m;
    if (depth > m->cx->limits.region_depth)
        n->ok = diag_error(m->cx, DIAG_TOO_DEEP, ir_op_loc(m, ir_region_at(m, r)->owner),
                           "regions nest too deep to be written");
    return n->ok;
}

/* name.1, name.2, ...: the first that the function does not use. */
static str_id with_suffix(print_names *n, str_id name)
{
    mem *mm = &n->m->cx->mem;
    vec_char t = {0};
    str_id id = 0;
    look_through(n);
    take(n, name);
    do {
        name_use *s = use_of(n, name);
        t.len = 0;
        if (!s || !text_addf(mm, &t, "%s.%u", ir_str(n->m, name), s->suffix++))
            break;
        id = intern_add(&n->m->cx->strings, t.at, t.len);
    } while (id && is_taken(n, id));
    vec_free(mm, &t);
    take(n, id);
    return id;
}

/* ---- visible names ---- */

static bool is_visible(print_names *n, str_id name, uint32_t space)
{
    const uint8_t *v = visible_of(n, name);
    return v && (*v >> space & 1);
}

/* Makes a name visible until the scope is left; nothing happens when it is already, so that the
 * scope that made it visible is the one that ends it. */
static void show(print_names *n, str_id name, uint32_t space)
{
    uint8_t *v = visible_of(n, name);
    if (!v || *v >> space & 1 || !vec_reserve(&n->m->cx->mem, &n->visible, 1))
        return;
    n->visible.at[n->visible.len++] = (visible_name){name, space};
    *v = (uint8_t)(*v | 1u << space);
}

void names_leave(print_names *n, uint32_t mark)
{
    while (n->visible.len > mark) {
        visible_name x = n->visible.at[--n->visible.len];
        uint8_t *v = visible_of(n, x.name);
        if (v)
            *v = (uint8_t)(*v & ~(1u << x.space));
    }
}

/* ---- values ---- */

/* The next number that is not the name of a value of this function. */
static str_id next_number(print_names *n)
{
    while (is_taken(n, NAME_NUMBER + n->counter))
        n->counter++;
    return NAME_NUMBER + n->counter++;
}

/* The name itself if it can be read back and is free here.  One that had to be changed must not be
 * taken by any other value of the function either: that one comes first. */
static str_id choose(print_names *n, str_id name)
{
    if (!name)
        return next_number(n);
    str_id printed = printed_name(n, name);
    bool changed = printed != name && printed != used_name(n, name);
    if (is_visible(n, printed, NAMES_VALUE) || (changed && is_taken(n, printed)))
        return with_suffix(n, printed);
    return printed;
}

str_id names_choose(print_names *n, ir_value v)
{
    if (!v || v >= n->chosen.len)
        return 0;
    return n->chosen.at[v] = choose(n, ir_value_name(n->m, v));
}

void names_show(print_names *n, ir_value v)
{
    uint32_t name = v < n->chosen.len ? n->chosen.at[v] : 0;
    if (name)
        show(n, name, NAMES_VALUE);
}

/* ---- type and level parameters ---- */

/* Whether the string, as a whole, is what the reader takes for the name of a type (or level)
 * parameter. */
static bool is_parameter_name(const print_names *n, str_id name, bool level)
{
    const char *s = ir_str(n->m, name);
    uint32_t len = intern_len(&n->m->cx->strings, name);
    if (!is_clean(s, len) || s[len - 1] == '.')
        return false;
    if (!level)
        return true;
    bool letter = (s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z') || s[0] == '_';
    return letter && !words_find(&n->words, WORD_SCALAR, s, len) &&
           !words_find(&n->words, WORD_LEVEL, s, len) && strcmp(s, "forall") != 0;
}

/* The name itself, or `_NAME_` where the reader would take it for something else. */
static str_id parameter_name(print_names *n, str_id name, bool level)
{
    mem *mm = &n->m->cx->mem;
    vec_char t = {0};
    if (is_parameter_name(n, name, level))
        return name;
    name = names_clean(n, name);
    text_addf(mm, &t, "_%s_", ir_str(n->m, name));
    name = intern_add(&n->m->cx->strings, t.at, t.len);
    vec_free(mm, &t);
    return name;
}

/* name.K, with the next K of the function.  Names of values play no part: what is printed must not
 * depend on whether the module was printed before, and its parameters have got their names. */
static str_id numbered_parameter(print_names *n, str_id name, uint32_t *last)
{
    mem *mm = &n->m->cx->mem;
    vec_char t = {0};
    text_addf(mm, &t, "%s.%u", ir_str(n->m, name), ++*last);
    str_id id = intern_add(&n->m->cx->strings, t.at, t.len);
    vec_free(mm, &t);
    return id;
}

void names_show_tvar(print_names *n, ir_tvar v)
{
    if (!v || v >= n->m->tvars.len)
        return;
    bool level = n->m->tvars.at[v].is_level;
    uint32_t space = level ? NAMES_LEVEL : NAMES_TYPE;
    str_id wanted = parameter_name(n, n->m->tvars.at[v].name, level), name = wanted;
    while (name && is_visible(n, name, space))
        name = numbered_parameter(n, wanted, &n->parameters[level]);
    if (name)
        n->m->tvars.at[v].name = name;
    show(n, name, space);
}
