/* The tables that the binary writer fills as it meets strings, types, parameters and constants: see
 * binary/make.h.
 *
 * Everything is numbered in the order of first use, so that equal modules give equal bytes whatever
 * their history.  A table that goes from ids of the module to numbers of the file is an array with
 * 1 + the number, 0 for what was not met; constants, which have no ids, are hashed. */
#include "serialize/binary/make.h"

#include "ir/scalar/scalar.h"

#include <math.h>

bool bin_zeroed_numbers(mem *mm, vec_u32 *v, uint32_t n)
{
    if (!vec_reserve(mm, v, n))
        return false;
    memset(v->at, 0, n * sizeof *v->at);
    v->len = n;
    return true;
}

/* ---- strings ---- */

/* Makes entry `id` exist, with zeros up to it; false when memory is short. */
static bool reach(mem *mm, vec_u32 *v, uint32_t id)
{
    uint32_t old = v->len;
    if (id < old)
        return true;
    if (!vec_reserve(mm, v, (uint64_t)id + 1 - old))
        return false;
    memset(v->at + old, 0, (v->cap - old) * sizeof *v->at);
    v->len = v->cap;
    return true;
}

uint32_t bin_string_number(maker *w, string_table *t, str_id s)
{
    t->texts.mm = w->mm;
    if (!reach(w->mm, &t->number, s))
        return UINT32_MAX;
    if (!t->number.at[s]) {
        if (!bin_pack_text(&t->texts, ir_str(w->m, s), intern_len(&w->m->cx->strings, s)))
            return UINT32_MAX;
        t->number.at[s] = ++t->count;
    }
    return t->number.at[s] - 1;
}

void bin_string_table_free(mem *mm, string_table *t)
{
    vec_free(mm, &t->number);
    t->texts.mm = mm;
    bin_pack_free(&t->texts);
}

/* ---- type and level parameters ---- */

bool bin_bind_parameter(maker *w, ir_tvar v)
{
    if (!v || v >= w->m->tvars.len || w->tvar_number.at[v]) {
        w->valid = false;
        return false;
    }
    const tvar_node *n = &w->m->tvars.at[v];
    if (!pack_room(&w->parameters, PACKED_MAX) || !vec_push(w->mm, &w->tvar_names, n->name))
        return false;
    pack_uint32(&w->parameters, n->is_level ? PARAMETER_LEVEL : n->kind);
    w->tvar_number.at[v] = w->tvar_names.len;
    return true;
}

/* The number of a parameter that was bound before. */
static uint32_t parameter_number(maker *w, ir_tvar v)
{
    uint32_t number = v < w->tvar_number.len ? w->tvar_number.at[v] : 0;
    if (!number)
        w->valid = false;
    return number - 1;
}

uint64_t bin_level_number(maker *w, ir_level l)
{
    static const uint32_t bases[] = {0, BASE_CONST, BASE_VAR, BASE_BOUND};
    int base = level_base(l);
    if (base < LV_CONST || base > LV_BOUND) {
        w->valid = false;
        return 0;
    }
    uint64_t index = base == LV_VAR ? parameter_number(w, level_index(l)) : level_index(l);
    return (index * LEVEL_OFFSETS + level_offset(l)) * LEVEL_BASES + bases[base];
}

/* ---- types ---- */

/* The numbers that follow the form in a type's entry, of which there are at most three; returns how
 * many.  Parts that are new get their entries here, before the one that they are parts of. */
static uint32_t type_parts(maker *w, const type_node *n, uint64_t out[3])
{
    switch ((type_kind)n->kind) {
    case TY_SCALAR: out[0] = n->a; return 1;
    case TY_VAR: out[0] = parameter_number(w, n->a); return 1;
    case TY_BOUND: out[0] = n->a; return 1;
    case TY_FUN: out[0] = type_number(w, n->a), out[1] = type_number(w, n->b); return 2;
    case TY_LVLFN: out[0] = type_number(w, n->a); return 1;
    case TY_FORALL: out[0] = n->n, out[1] = type_number(w, n->a); return 2;
    case TY_PULL: out[0] = type_number(w, n->a), out[1] = n->n; return 2;
    case TY_PUSH:
        out[0] = type_number(w, n->a), out[1] = n->n, out[2] = bin_level_number(w, n->b);
        return 3;
    default: return 0;
    }
}

static const uint8_t forms[] = {
#define FORM(e, wire, name, since, entry) [TY_##e] = wire,
#include "serialize/binary/binary.def"
#undef FORM
};

static bool pack_tuple(maker *w, ir_type t, uint32_t n)
{
    packer *k = &w->body[SECTION_TYPES];
    for (uint32_t i = 0; i < n; i++)
        type_number(w, type_item(w->m, t, i)); /* before this entry */
    if (!pack_room(k, (size_t)(n + 2) * PACKED_MAX))
        return false;
    pack_array(k, n + 1);
    pack_uint32(k, FORM_TUPLE);
    for (uint32_t i = 0; i < n; i++)
        pack_uint32(k, type_number(w, type_item(w->m, t, i)));
    return true;
}

static bool pack_type(maker *w, ir_type t)
{
    packer *k = &w->body[SECTION_TYPES];
    const type_node n = *ir_type_at(w->m, t);
    uint64_t parts[3];
    if (n.kind == TY_TUPLE)
        return pack_tuple(w, t, n.n);
    uint32_t count = type_parts(w, &n, parts);
    if (!pack_room(k, 5 * PACKED_MAX))
        return false;
    pack_array(k, count + 1);
    pack_uint32(k, forms[n.kind]);
    for (uint32_t i = 0; i < count; i++)
        pack_uint64(k, parts[i]);
    return true;
}

/* Recursion is bounded by the depth of types. */
uint32_t bin_new_type_number(maker *w, ir_type t)
{
    if (!t || t >= w->type_number.len) {
        w->valid = w->valid && !t;
        return 0;
    }
    if (!w->type_number.at[t] && pack_type(w, t))
        w->type_number.at[t] = ++w->ntypes;
    return w->type_number.at[t];
}

/* ---- constants ---- */

/* A constant as the text form has it too: int and double have no suffix there, so they take their
 * type from the context again, unless they were written with it; and there is one NaN. */
static uint32_t canonical(const ir_module *m, const value_node *n, uint64_t *bits)
{
    scalar s = n->literal == LIT_FLOAT ? ST_F64 : type_as_scalar(m, n->type);
    if (n->literal == LIT_INT || n->literal == LIT_NEG)
        return n->literal == LIT_INT ? LITERAL_INT : LITERAL_NEG;
    if (s == ST_I32 && (int64_t)*bits < 0 && !n->annotated) {
        *bits = 0 - *bits;
        return LITERAL_NEG;
    }
    if (ir_scalar_is_float(s) && isnan(scalar_as_double(s, *bits)))
        *bits = scalar_nan(s);
    if (n->annotated)
        return s;
    return s == ST_I32 ? LITERAL_INT : s == ST_F64 ? LITERAL_FLOAT : s;
}

static void pack_f64(packer *k, uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    pack_double(k, x);
}

/* Of a type that float holds. */
static void pack_f32(packer *k, scalar s, uint64_t bits)
{
    pack_float(k, (float)scalar_as_double(s, bits));
}

static bool pack_bin_of(maker *w, packer *k, str_id s)
{
    uint32_t n = intern_len(&w->m->cx->strings, s);
    if (!pack_room(k, PACKED_MAX))
        return false;
    pack_bin(k, n);
    return bin_pack_bytes(k, ir_str(w->m, s), n);
}

static bool pack_constant(maker *w, uint32_t form, uint64_t bits)
{
    packer *k = &w->body[SECTION_CONSTANTS];
    if (!pack_room(k, 2 * PACKED_MAX))
        return false;
    pack_uint32(k, form);
    if (form == LITERAL_BYTES)
        return pack_bin_of(w, k, (str_id)bits);
    if (form == LITERAL_FLOAT)
        pack_f64(k, bits);
    else if (form == ST_F64)
        pack_f64(k, bits);
    else if (form < LITERAL_INT && ir_scalar_is_float((scalar)form))
        pack_f32(k, (scalar)form, bits);
    else if (form < LITERAL_INT && ir_scalar_class((scalar)form) == 'I')
        pack_int64(k, (int64_t)bits);
    else
        pack_uint64(k, bits);
    return true;
}

static constant_slot *slot_of(constant_slot *table, uint32_t cap, uint32_t form, uint64_t bits)
{
    uint64_t hash = (bits ^ form) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = (uint32_t)(hash >> 32) & (cap - 1);; i = (i + 1) & (cap - 1))
        if (!table[i].number || (table[i].bits == bits && table[i].form == form))
            return &table[i];
}

static bool grow_constants(maker *w)
{
    uint32_t cap = w->constant_cap ? w->constant_cap * 2 : 64;
    constant_slot *table = mem_zeroed(w->mm, cap * sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < w->constant_cap; i++)
        if (w->constants[i].number)
            *slot_of(table, cap, w->constants[i].form, w->constants[i].bits) = w->constants[i];
    mem_free(w->mm, w->constants, w->constant_cap * sizeof *table);
    w->constants = table;
    w->constant_cap = cap;
    return true;
}

/* Small integers that grow from use to use, as programs that count make them, are found without
 * hashing. */
static uint32_t integer_number(maker *w, uint64_t magnitude)
{
    uint32_t at = (uint32_t)magnitude;
    if (!reach(w->mm, &w->integers, at))
        return UINT32_MAX;
    if (!w->integers.at[at] && pack_constant(w, LITERAL_INT, magnitude))
        w->integers.at[at] = ++w->nconstants;
    return w->integers.at[at] - 1;
}

/* The number of a constant that is found by hashing. */
static uint32_t hashed_number(maker *w, uint32_t form, uint64_t bits)
{
    if (w->nhashed * 2 >= w->constant_cap && !grow_constants(w))
        return UINT32_MAX;
    constant_slot *s = slot_of(w->constants, w->constant_cap, form, bits);
    if (!s->number) {
        if (!pack_constant(w, form, bits))
            return UINT32_MAX;
        *s = (constant_slot){.bits = bits, .form = form, .number = ++w->nconstants};
        w->nhashed++;
    }
    return s->number - 1;
}

uint32_t bin_bytes_number(maker *w, str_id bytes)
{
    return hashed_number(w, LITERAL_BYTES, bytes);
}

uint32_t bin_constant_number(maker *w, ir_value v)
{
    uint64_t bits = ir_const_bits(w->m, v);
    uint32_t form = canonical(w->m, ir_value_at(w->m, v), &bits);
    w->valid = w->valid && form;
    if (form == LITERAL_INT &&
        bits < w->m->values.len) /* so that the table is no larger than the module */
        return integer_number(w, bits);
    return hashed_number(w, form, bits);
}
