/* The tables of the binary form: the sections `strings`, `types`, `constants` and `functions` of
 * docs/format.md.  See binary/parse.h.
 *
 * Entries name earlier entries of their table only, which makes cycles impossible and reading a
 * loop: nothing recurses.  Types are interned by the module, so two equal entries become one
 * type. */
#include "serialize/binary/parse.h"

#include "ir/scalar/scalar.h"

#include <string.h>

bool bin_strings(binary *b)
{
    return bin_texts(b, &b->strings);
}

/* A name from the string table. */
static bool read_name(binary *b, str_id *name, const char *what)
{
    uint32_t k;
    if (!bin_index(b, &k, b->strings.len, what))
        return false;
    *name = b->strings.at[k];
    return true;
}

/* ---- parameters of types and levels ---- */

/* The first array of `types`: the kind of each parameter.  Who binds it is told by the functions
 * and the code, in the same order (bin_bind). */
static bool read_parameters(binary *b)
{
    uint32_t n, code;
    if (!bin_array(b, &n, "the array of type and level parameters"))
        return false;
    b->tvars = b->m->tvars.len;
    b->ntvars = n;
    while (n--) {
        if (!bin_row(b, &code, PARAMETER_COUNT, "kind of a parameter"))
            return false;
        bool is_level = code == PARAMETER_LEVEL;
        ir_tvar v = ir_add_tvar(b->m, 0, 0, is_level, is_level ? KIND_NONE : (kind)code);
        if (!v || (is_level && !level_var(v)))
            return v && bin_refuse(b, DIAG_TOO_LARGE, "the module has too many level parameters");
    }
    return true;
}

/* Type parameters first, then level parameters, as the table must have them. */
bool bin_bind(binary *b, uint32_t ntypes, uint32_t nlevels, ir_func f, ir_tvar *first)
{
    uint64_t n = (uint64_t)ntypes + nlevels;
    *first = b->tvars + b->bound;
    if (n > b->ntvars - b->bound)
        return bin_refuse(b, DIAG_BINARY_RANGE, "%llu parameters are bound here, but %u are left",
                          (unsigned long long)n, b->ntvars - b->bound);
    for (uint32_t i = 0; i < n; i++) {
        tvar_node *v = &b->m->tvars.at[*first + i];
        if (v->is_level != (i >= ntypes))
            return bin_refuse(b, DIAG_BINARY_RANGE,
                              "parameter %u is bound as a %s parameter, and is none", b->bound + i,
                              i >= ntypes ? "level" : "type");
        v->func = f;
    }
    b->bound += (uint32_t)n;
    return true;
}

/* ---- levels ---- */

/* Adds what a part needs to what the whole does. */
static void need(needs *whole, needs part)
{
    whole->parameters = whole->parameters < part.parameters ? part.parameters : whole->parameters;
    whole->levels = whole->levels < part.levels ? part.levels : whole->levels;
    whole->types = whole->types < part.types ? part.types : whole->types;
}

/* One integer: see LEVEL_BASES in binary/tables.h.  What the level needs is added to *around.  The
 * index of a binder is bounded by the depth of types, as there are no more binders around it. */
static bool read_level(binary *b, ir_level *l, needs *around)
{
    const unsigned char *at = b->c.p;
    uint64_t x;
    if (!bin_cursor_u64(&b->c, &x))
        return bin_expected(b, "a level");
    uint64_t base = x % LEVEL_BASES, offset = x / LEVEL_BASES % LEVEL_OFFSETS,
             index = x / LEVEL_BASES / LEVEL_OFFSETS;
    *l = 0;
    if (base == BASE_CONST && index == 0)
        *l = level_const((uint32_t)offset);
    else if (base == BASE_VAR && index < b->ntvars && b->m->tvars.at[b->tvars + index].is_level)
        *l = level_var(b->tvars + (uint32_t)index) + (uint32_t)offset,
        need(around, (needs){.parameters = (uint32_t)index + 1});
    else if (base == BASE_BOUND && index < b->cx->limits.type_depth)
        *l = level_bound((uint32_t)index) + (uint32_t)offset,
        need(around, (needs){.levels = (uint16_t)(index + 1)});
    if (*l)
        return true;
    if (base != BASE_CONST && base != BASE_VAR && base != BASE_BOUND)
        return bin_unknown(b, at, "there is no base %llu of a level", (unsigned long long)base);
    b->c.p = at;
    return bin_refuse(b, DIAG_BINARY_RANGE, "%llu is not a level", (unsigned long long)x);
}

/* A level in the code, where no level function is around it. */
bool bin_level(binary *b, ir_level *l)
{
    const unsigned char *at = b->c.p;
    needs around = {0};
    if (!read_level(b, l, &around))
        return false;
    if (needs_are_met(b, &around))
        return true;
    b->c.p = at;
    return bin_refuse(b, DIAG_BINARY_RANGE, "the level's parameter is not bound here");
}

/* ---- types ---- */

/* A part of the type that is being read: one of the types before it. */
static bool read_part(binary *b, known_type *whole, ir_type *t)
{
    uint32_t k;
    if (!bin_index(b, &k, b->types.len, "a part of a type: the number of an earlier one"))
        return false;
    const known_type *part = &b->types.at[k];
    if (!k)
        return bin_refuse(b, DIAG_BINARY_RANGE, "a part of a type is the unknown one");
    *t = part->type;
    need(&whole->needs, part->needs);
    return true;
}

/* [TUPLE, type, type, ...] */
static bool read_tuple(binary *b, known_type *x, uint32_t n)
{
    b->lists.len = 0;
    if (n < 2 || n > UINT16_MAX)
        return bin_refuse(b, n < 2 ? DIAG_BINARY_SYNTAX : DIAG_TOO_LARGE,
                          "a tuple has from 2 to %d components, not %u", UINT16_MAX, n);
    for (uint32_t i = 0; i < n; i++) {
        ir_type t;
        if (!read_part(b, x, &t) || !vec_push(b->mm, &b->lists, t))
            return false;
    }
    x->type = type_tuple(b->m, b->lists.at, n);
    return true;
}

/* [PULL, element, rank] or [PUSH, element, rank, level] */
static bool read_array(binary *b, known_type *x, bool push)
{
    ir_type elem;
    ir_level l = 0;
    uint32_t rank;
    if (!read_part(b, x, &elem) || !bin_index(b, &rank, MAX_RANK + 1, "the rank of an array") ||
        (push && !read_level(b, &l, &x->needs)))
        return false;
    if (!rank)
        return bin_refuse(b, DIAG_BINARY_RANGE, "an array has 1 to %d dimensions", MAX_RANK);
    x->type = push ? type_push(b->m, elem, rank, l) : type_pull(b->m, elem, rank);
    return true;
}

/* [VAR, parameter].  It may be used only where parameters up to this one have been bound. */
static bool read_variable(binary *b, known_type *x)
{
    uint32_t k;
    if (!bin_index(b, &k, b->ntvars, "a type parameter"))
        return false;
    if (b->m->tvars.at[b->tvars + k].is_level)
        return bin_refuse(b, DIAG_BINARY_RANGE, "parameter %u is a level parameter, not a type", k);
    x->needs.parameters = k + 1;
    x->type = type_var(b->m, b->tvars + k);
    return true;
}

/* [BOUND, index]: that many foralls and one more must be around it (de Bruijn). */
static bool read_bound(binary *b, known_type *x)
{
    uint32_t k;
    if (!bin_index(b, &k, b->cx->limits.type_depth, "the number of binders"))
        return false;
    x->needs.types = (uint16_t)(k + 1);
    x->type = type_bound(b->m, k);
    return true;
}

/* [FUN, from, to] */
static bool read_function_type(binary *b, known_type *x)
{
    ir_type from, to;
    if (!read_part(b, x, &from) || !read_part(b, x, &to))
        return false;
    x->type = type_fun(b->m, from, to);
    return true;
}

/* [LVLFN, body].  It binds one level, so that needs one binder less than its body. */
static bool read_level_function(binary *b, known_type *x)
{
    ir_type t;
    if (!read_part(b, x, &t))
        return false;
    x->needs.levels = (uint16_t)(x->needs.levels - (x->needs.levels > 0));
    x->type = type_lvlfn(b->m, t);
    return true;
}

/* [FORALL, kind, body]; likewise with types. */
static bool read_scheme(binary *b, known_type *x)
{
    const unsigned char *at = b->c.p;
    uint32_t k;
    ir_type t;
    if (!bin_row(b, &k, KIND_COUNT, "kind") || !read_part(b, x, &t))
        return false;
    if (k && !ir_kind_exists(k))
        return bin_unknown(b, at, "there is no kind %u", k);
    x->needs.types = (uint16_t)(x->needs.types - (x->needs.types > 0));
    x->type = type_forall(b->m, (kind)k, t);
    return true;
}

/* [SCALAR, scalar] */
static bool read_scalar(binary *b, known_type *x)
{
    const unsigned char *at = b->c.p;
    uint32_t s;
    if (!bin_row(b, &s, ST_COUNT, "scalar type"))
        return false;
    x->type = type_scalar(b->m, (scalar)s);
    return s || bin_unknown(b, at, "there is no scalar type 0");
}

/* How many numbers follow the form; a tuple has as many as it likes. */
static uint32_t parts_of(uint32_t form)
{
    static const uint8_t parts[] = {
        [FORM_SCALAR] = 1, [FORM_VAR] = 1,    [FORM_BOUND] = 1, [FORM_FUN] = 2,
        [FORM_LVLFN] = 1,  [FORM_FORALL] = 2, [FORM_PULL] = 2,  [FORM_PUSH] = 3};
    return parts[form];
}

/* What follows the form, n numbers.  x->type stays 0 where the type is more than the module can
 * hold. */
static bool read_parts(binary *b, uint32_t form, uint32_t n, known_type *x)
{
    if (form != FORM_TUPLE && n != parts_of(form))
        return bin_refuse(b, DIAG_BINARY_SYNTAX,
                          "a type of form %u has %u numbers behind it, not %u", form,
                          parts_of(form), n);
    switch ((type_form)form) {
    case FORM_SCALAR: return read_scalar(b, x);
    case FORM_VAR: return read_variable(b, x);
    case FORM_BOUND: return read_bound(b, x);
    case FORM_TUPLE: return read_tuple(b, x, n);
    case FORM_FUN: return read_function_type(b, x);
    case FORM_LVLFN: return read_level_function(b, x);
    case FORM_FORALL: return read_scheme(b, x);
    case FORM_PULL: return read_array(b, x, false);
    case FORM_PUSH: return read_array(b, x, true);
    }
    return false;
}

/* [form, numbers ...]: one entry of the table, of which binary.def has the forms. */
static bool read_type(binary *b)
{
    known_type x = {0};
    uint32_t n, form;
    if (!bin_array(b, &n, "a type"))
        return false;
    if (!n)
        return bin_refuse(b, DIAG_BINARY_SYNTAX, "a type begins with its form");
    const unsigned char *at = b->c.p;
    if (!bin_number(b, &form, "the form of a type"))
        return false;
    if (form < FORM_SCALAR || form > FORM_PUSH)
        return bin_unknown(b, at, "there is no type of form %u", form);
    if (!read_parts(b, form, n - 1, &x))
        return false;
    if (!x.type && !b->mm->oom)
        return bin_refuse(b, DIAG_TOO_DEEP, "the type nests deeper than %u or is too large",
                          b->cx->limits.type_depth);
    return x.type && vec_push(b->mm, &b->types, x);
}

/* [parameters, types].  Types are counted from 1: 0 in the code means that a type is not known. */
bool bin_types(binary *b)
{
    uint32_t n;
    if (!vec_push(b->mm, &b->types, (known_type){0}) || !bin_array_of(b, 2, "the section") ||
        !read_parameters(b) || !bin_array(b, &n, "the array of types"))
        return false;
    while (n--)
        if (!read_type(b))
            return false;
    return true;
}

/* The number of a type, in a head or in the code; 0 gives *t = 0, which callers refuse where a type
 * must be known. */
bool bin_type(binary *b, ir_type *t)
{
    uint32_t k;
    if (!bin_index(b, &k, b->types.len, "a type"))
        return false;
    const known_type *x = &b->types.at[k];
    *t = x->type;
    return needs_are_met(b, &x->needs) ||
           bin_refuse(b, DIAG_BINARY_RANGE, "type %u has a parameter that is not bound here", k);
}

/* ---- constants ---- */

/* A value that its type cannot hold. */
static bool bad_constant(binary *b, const unsigned char *at, uint32_t form)
{
    const char *name = form < ST_COUNT ? ir_scalar_name((scalar)form) : "that kind";
    b->c.p = at;
    return bin_refuse(b, DIAG_BINARY_RANGE, "the value is none of %s", name);
}

/* bool and integers, as the bits that constants have (scalar.h): a value that wrapping changes is
 * out of range. */
static bool read_integer(binary *b, uint32_t form, uint64_t *bits)
{
    const unsigned char *at = b->c.p;
    int64_t x;
    if (ir_scalar_class((scalar)form) == 'I') {
        if (!bin_cursor_i64(&b->c, &x))
            return bin_expected(b, "an integer");
        *bits = (uint64_t)x;
    } else if (!bin_cursor_u64(&b->c, bits)) {
        return bin_expected(b, "an integer that is not negative");
    }
    bool fits = form == ST_BOOL ? *bits <= 1 : scalar_wrap((scalar)form, *bits) == *bits;
    return fits || bad_constant(b, at, form);
}

/* A float of any width, as a float 64 or 32 that the type holds exactly.  There is one NaN. */
static bool read_float(binary *b, scalar s, uint64_t *bits)
{
    const unsigned char *at = b->c.p;
    double x;
    if (!bin_cursor_f64(&b->c, bits))
        return bin_expected(b, "a float");
    memcpy(&x, bits, sizeof x);
    if (x != x) {
        *bits = scalar_nan(s);
        return true;
    }
    *bits = scalar_from_double(s, x);
    return scalar_as_double(s, *bits) == x || bad_constant(b, at, s);
}

/* A literal without a type of its own: the type follows from its context. */
static bool read_undecided(binary *b, uint32_t form, known_constant *k)
{
    const unsigned char *at = b->c.p;
    static const uint8_t kinds[] = {LIT_INT, LIT_NEG, LIT_FLOAT};
    k->literal = kinds[form - LITERAL_INT];
    if (form == LITERAL_FLOAT)
        return read_float(b, ST_F64, &k->bits);
    if (!bin_cursor_u64(&b->c, &k->bits))
        return bin_expected(b, "the magnitude of an integer");
    return form == LITERAL_INT || k->bits <= (uint64_t)1 << 63 || bad_constant(b, at, form);
}

static bool read_bytes(binary *b, known_constant *k)
{
    const char *bytes;
    uint32_t n;
    if (!bin_cursor_bin(&b->c, &bytes, &n))
        return bin_expected(b, "a block of bytes");
    k->is_bytes = true;
    k->bits = intern_add(&b->cx->strings, bytes, n);
    return k->bits || !n;
}

/* Made where it stays: a copy would wait for its parts. form, value: two elements of the flat
 * array. */
static bool read_constant(binary *b)
{
    if (!vec_push(b->mm, &b->constants, (known_constant){0}))
        return false;
    known_constant *k = &b->constants.at[b->constants.len - 1];
    const unsigned char *at = b->c.p;
    uint32_t form;
    bool ok;
    if (!bin_number(b, &form, "the form of a constant"))
        return false;
    if (form >= LITERAL_INT && form <= LITERAL_FLOAT) {
        ok = read_undecided(b, form, k);
    } else if (form == LITERAL_BYTES) {
        ok = read_bytes(b, k);
    } else if (form > ST_NONE && form < ST_COUNT) {
        k->scalar = (uint8_t)form;
        ok = ir_scalar_class((scalar)form) == 'F' ? read_float(b, (scalar)form, &k->bits)
                                                  : read_integer(b, form, &k->bits);
    } else {
        ok = bin_unknown(b, at, "there is no constant of form %u", form);
    }
    return ok;
}

/* [form, value, form, value, ...] */
bool bin_constants(binary *b)
{
    uint32_t n;
    if (!bin_array(b, &n, "the array of constants"))
        return false;
    if (n % 2)
        return bin_refuse(b, DIAG_BINARY_SYNTAX, "each constant has two elements, so %u cannot be",
                          n);
    if (!vec_reserve(b->mm, &b->constants,
                     n / 2)) /* each takes two bytes at least, and they are there */
        return false;
    for (n /= 2; n--;)
        if (!read_constant(b))
            return false;
    return true;
}

/* ---- functions ---- */

/* Reads the text of an import, as the text form's `import` does.  Its name goes through C
 * strings. */
static bool read_import(binary *b)
{
    str_id name;
    if (!read_name(b, &name, "the name of an import"))
        return false;
    const char *s = ir_str(b->m, name);
    if (!name || strlen(s) != intern_len(&b->cx->strings, name))
        return bin_refuse(b, DIAG_BINARY_TEXT, "the name of an import is empty or holds a NUL");
    return text_import(b->m, s, b->import, b->user, (location){.file = b->file});
}

static bool read_imports(binary *b)
{
    uint32_t n;
    if (!bin_array(b, &n, "the array of imports"))
        return false;
    while (n--)
        if (!read_import(b))
            return false;
    return true;
}

/* The functions by name, imported ones only so far.  Of several of one name the one that a call
 * would mean (ir_func_rank). */
static bool index_functions(binary *b, vec_u32 *by_name)
{
    uint32_t n = b->cx->strings.strs.len;
    if (!vec_reserve(b->mm, by_name, n))
        return false;
    memset(by_name->at, 0, n * sizeof *by_name->at);
    by_name->len = n;
    for (ir_func f = 1; f < b->m->funcs.len; f++) {
        uint32_t *at = &by_name->at[b->m->funcs.at[f].name];
        *at = !*at || ir_func_rank(b->m, f) > ir_func_rank(b->m, *at) ? f : *at;
    }
    return true;
}

/* An imported function, by its name: files do not depend on where in an import it stands. */
static bool read_external(binary *b, const vec_u32 *by_name, vec_u32 *externals)
{
    str_id name;
    if (!read_name(b, &name, "the name of an imported function"))
        return false;
    if (!by_name->at[name])
        return bin_refuse(b, DIAG_TEXT_UNKNOWN_FUNC, "the imports have no function @%.200s",
                          ir_str(b->m, name));
    return vec_push(b->mm, externals, by_name->at[name]);
}

/* [type, ...] */
static bool read_params(binary *b, ir_region r)
{
    uint32_t n;
    ir_type t;
    if (!bin_array(b, &n, "the types of a function's parameters"))
        return false;
    while (n--) {
        if (!bin_type(b, &t))
            return false;
        if (!t)
            return bin_refuse(b, DIAG_BINARY_RANGE, "a parameter of a function has no type");
        if (!ir_add_param(b->m, r, t, 0, true))
            return false;
    }
    return true;
}

/* How many type and level parameters the function binds; these are the next of the table. */
static bool read_counts(binary *b, ir_func f)
{
    uint32_t ntypes, nlevels;
    ir_tvar first;
    if (!bin_index(b, &ntypes, UINT8_MAX + 1, "the number of type parameters") ||
        !bin_index(b, &nlevels, UINT8_MAX + 1, "the number of level parameters") ||
        !bin_bind(b, ntypes, nlevels, f, &first))
        return false;
    func_node *n = ir_func_at(b->m, f);
    n->ntypes = (uint16_t)ntypes;
    n->nlevels = (uint16_t)nlevels;
    n->tparams = ntypes + nlevels ? first : 0;
    return true;
}

/* Its place is found when an error is about it: ir_loc_later.  by_name has the imported functions
 * too; an own one may have the name of one of them, and takes its entry. */
static bool add_function(binary *b, str_id name, bool kernel, vec_u32 *by_name, ir_func *f)
{
    if (!bin_is_name(b, name))
        return bin_refuse(b, DIAG_BINARY_TEXT,
                          "the name of a function is made of letters, digits and _ . $ ' #");
    if (by_name->at[name] && !ir_func_at(b->m, by_name->at[name])->import)
        return bin_refuse(b, DIAG_TEXT_DUPLICATE_FUNC,
                          "a function with the name @%.200s exists already", ir_str(b->m, name));
    *f = ir_add_func(b->m, name, kernel, ir_loc_later((subject){ON_FUNC, b->m->funcs.len}));
    by_name->at[name] = *f;
    return *f && vec_push(b->mm, &b->funcs, *f);
}

/* [name, flags, type parameters, level parameters, [type of a parameter, ...], type of the
 * result] */
static bool read_head(binary *b, vec_u32 *by_name)
{
    str_id name;
    uint32_t flags;
    ir_func f = 0;
    ir_type result;
    b->func = 0;
    if (!bin_array_of(b, 6, "a function") || !read_name(b, &name, "the name of a function") ||
        !bin_row(b, &flags, 2 * FUNCTION_KERNEL, "function with the flags") ||
        !add_function(b, name, flags & FUNCTION_KERNEL, by_name, &f))
        return false;
    b->func = f;
    if (!read_counts(b, f) || !read_params(b, ir_func_at(b->m, f)->body) || !bin_type(b, &result))
        return false;
    ir_func_at(b->m, f)->result = result;
    ir_func_at(b->m, f)->result_annotated = result != 0;
    return true;
}

/* [head, ...]; b->funcs, which numbers functions for the code, begins with these. */
static bool read_heads(binary *b, vec_u32 *by_name)
{
    uint32_t n;
    if (!bin_array(b, &n, "the array of functions"))
        return false;
    b->own = n;
    while (n--)
        if (!read_head(b, by_name))
            return false;
    return true;
}

/* In the text form, the name of an own function means that one. */
static bool is_not_hidden(binary *b, const vec_u32 *by_name, ir_func external)
{
    str_id name = ir_func_at(b->m, external)->name;
    b->func = 0;
    return ir_func_at(b->m, by_name->at[name])->import ||
           bin_refuse(b, DIAG_BINARY_RANGE,
                      "the imported function @%.200s has the name of an own one, which hides it",
                      ir_str(b->m, name));
}

/* [imports, imported functions, heads].  Functions are numbered with the own ones first, so the
 * imported ones wait in `externals` until these have been read. */
bool bin_functions(binary *b)
{
    vec_u32 by_name = {0}, externals = {0};
    uint32_t n;
    bool ok = bin_array_of(b, 3, "the section") && read_imports(b) &&
              index_functions(b, &by_name) && bin_array(b, &n, "the array of imported functions");
    while (ok && n--)
        ok = read_external(b, &by_name, &externals);
    ok = ok && read_heads(b, &by_name);
    for (uint32_t i = 0; ok && i < externals.len; i++)
        ok = is_not_hidden(b, &by_name, externals.at[i]) &&
             vec_push(b->mm, &b->funcs, externals.at[i]);
    vec_free(b->mm, &by_name);
    vec_free(b->mm, &externals);
    return ok;
}
