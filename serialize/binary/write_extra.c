/* The optional sections of docs/format.md: see binary/make.h.
 *
 * Names are packed when the code is done: whether any must be changed is known then.  Locations,
 * attributes and properties are noted while the code is written, operation by operation, each in a
 * table of its own with strings of its own. */
#include "serialize/binary/make.h"

#include "ir/properties.h"
#include "serialize/names.h"
#include "serialize/text/print_names.h"

/* ---- names ---- */

/* 0: unnamed; 1 and more: a text; below 0: a number. */
static int64_t name_entry(maker *w, string_table *strings, str_id name)
{
    if (!name)
        return 0;
    return name & NAME_NUMBER ? -1 - (int64_t)(name & ~NAME_NUMBER)
                              : (int64_t)bin_string_number(w, strings, name) + 1;
}

/* [name, ...] */
static bool pack_names(maker *w, packer *k, string_table *strings, const str_id *names, uint32_t n)
{
    if (!pack_room(k, ((size_t)n + 1) * PACKED_MAX))
        return false;
    pack_array(k, n);
    for (uint32_t i = 0; i < n; i++)
        pack_int64(k, name_entry(w, strings, names[i]));
    return true;
}

static bool any_name(const vec_u32 *names)
{
    for (uint32_t i = 0; i < names->len; i++)
        if (names->at[i])
            return true;
    return false;
}

/* The section: its texts, then the other parts, which are packed already. */
static bool close_section(packer *k, const string_table *strings, const packer *parts, size_t n)
{
    bool ok = pack_room(k, 2 * PACKED_MAX);
    if (ok) {
        pack_array(k, 1 + n);
        pack_array(k, strings->count);
        ok = bin_pack_bytes(k, strings->texts.start, pack_size(&strings->texts));
    }
    for (size_t i = 0; i < n && ok; i++)
        ok = bin_pack_bytes(k, parts[i].start, pack_size(&parts[i]));
    return ok;
}

/* Names as the text form has them, where it would change some. */
static bool name_as_printed(maker *w)
{
    vec_u32 printed = {0};
    bool ok = text_names(w->m, &printed);
    for (uint32_t i = 0; ok && i < w->values.len; i++) {
        ir_value v = w->values.at[i];
        w->values.at[i] = ir_value_name(w->m, v) ? printed.at[v] : 0;
    }
    for (ir_tvar v = 1; ok && v < w->tvar_number.len; v++)
        if (w->tvar_number.at[v])
            w->tvar_names.at[w->tvar_number.at[v] - 1] = w->m->tvars.at[v].name;
    vec_free(w->mm, &printed);
    return ok;
}

/* Puts names in the place of the values.  What names type and level parameters may have is the text
 * form's to say. */
static bool name_values(maker *w)
{
    if (w->clash || w->tvar_names.len)
        return name_as_printed(w);
    for (uint32_t i = 0; i < w->values.len; i++)
        w->values.at[i] = ir_value_at(w->m, w->values.at[i])->name;
    return true;
}

/* The names of the i-th own function's values; those that are what numbering would give are left
 * out. */
static bool pack_function_names(maker *w, packer *k, string_table *strings, uint32_t i)
{
    uint32_t from = w->func_values.at[i];
    uint32_t n = (i + 1 < w->func_values.len ? w->func_values.at[i + 1] : w->values.len) - from;
    str_id *names = w->values.at + from;
    return names_settle_numbers(w->mm, names, n) && pack_names(w, k, strings, names, n);
}

/* [texts, names of parameters, names of values]; nothing where nothing has a name. */
bool bin_write_names(maker *w)
{
    packer parts[2] = {{.mm = w->mm}, {.mm = w->mm}};
    string_table strings = {0};
    bool ok =
        name_values(w) && pack_names(w, &parts[0], &strings, w->tvar_names.at, w->tvar_names.len);
    for (uint32_t i = 0; i < w->func_values.len && ok; i++)
        ok = pack_function_names(w, &parts[1], &strings, i);
    ok = ok && bin_pack_close_array(&parts[1], 0, w->func_values.len);
    if (ok && (any_name(&w->tvar_names) || any_name(&w->values)))
        ok = close_section(&w->body[SECTION_NAMES], &strings, parts, 2);
    bin_pack_free(&parts[0]);
    bin_pack_free(&parts[1]);
    bin_string_table_free(w->mm, &strings);
    return ok;
}

/* ---- items ---- */

static void begin_table(item_table *t)
{
    t->at = pack_size(&t->entries);
    t->count = t->last = 0;
}

void bin_begin_items(maker *w)
{
    w->item = 0;
    begin_table(&w->locations);
    begin_table(&w->attributes);
    begin_table(&w->properties);
}

/* Closes the array of a function's entries. */
static bool end_table(item_table *t)
{
    t->used = t->used || t->count;
    return bin_pack_close_array(&t->entries, t->at, t->count);
}

bool bin_end_items(maker *w)
{
    return end_table(&w->locations) && end_table(&w->attributes) && end_table(&w->properties);
}

/* Begins an entry: how many items it lies behind the last one. */
static bool begin_entry(maker *w, item_table *t, uint32_t elements)
{
    if (!pack_room(&t->entries, 6 * PACKED_MAX))
        return false;
    pack_uint32(&t->entries, w->item - t->last);
    t->last = w->item;
    t->count += elements;
    return true;
}

/* distance, file, line, column */
bool bin_note_location(maker *w, uint32_t loc)
{
    item_table *t = &w->locations;
    if (!ir_loc_is_given(w->m, loc))
        return true;
    location l = ir_loc_at(w->m, loc);
    if (!begin_entry(w, t, 4))
        return false;
    pack_uint32(&t->entries, bin_string_number(w, &t->strings, l.file));
    pack_uint32(&t->entries, l.line);
    pack_uint32(&t->entries, l.col);
    return true;
}

/* An integer or a text. */
static bool pack_value(maker *w, packer *k, const attribute *a)
{
    if (a->is_text)
        return bin_pack_text(k, ir_str(w->m, a->text), intern_len(&w->m->cx->strings, a->text));
    pack_int64(k, a->number);
    return true;
}

/* key, value */
static bool pack_attribute(maker *w, packer *k, const attribute *a)
{
    if (!pack_room(k, 2 * PACKED_MAX))
        return false;
    pack_uint32(k, bin_string_number(w, &w->attributes.strings, a->key));
    return pack_value(w, k, a);
}

/* distance, key, value for each */
bool bin_note_attributes(maker *w, subject of)
{
    const attributes *all = &w->m->attrs;
    for (uint32_t i = ir_attr_first(all, of); i; i = all->all.at[i].next)
        if (!begin_entry(w, &w->attributes, 3) ||
            !pack_attribute(w, &w->attributes.entries, &all->all.at[i]))
            return false;
    return true;
}

/* ---- properties ---- */

/* key, flags, value */
static bool pack_property(maker *w, packer *k, const attribute *a, bool required)
{
    if (!pack_room(k, 3 * PACKED_MAX))
        return false;
    w->must = w->must || required;
    pack_uint32(k, bin_string_number(w, &w->properties.strings, a->key));
    pack_uint32(k, required ? PROPERTY_REQUIRED : 0);
    return pack_value(w, k, a);
}

/* Those of a subject that are required, or the others; of an item with distances. */
static bool note_some(maker *w, subject of, bool required)
{
    const attributes *all = &w->m->props;
    bool ok = true, item = of.kind != ON_MODULE;
    for (uint32_t i = ir_attr_first(all, of); i && ok; i = all->all.at[i].next) {
        const attribute *a = &all->all.at[i];
        if (ir_property_is_required(w->m, a->key) != required)
            continue;
        ok = (!item || begin_entry(w, &w->properties, 4)) &&
             pack_property(w, item ? &w->properties.entries : &w->module_properties, a, required);
        w->nmodule_properties += item ? 0 : 3;
    }
    return ok;
}

/* The required ones first, as the text has them. */
bool bin_note_properties(maker *w, subject of)
{
    return note_some(w, of, true) && note_some(w, of, false);
}

/* ---- the module, and the sections ---- */

static bool note_module_attributes(maker *w)
{
    const attributes *all = &w->m->attrs;
    for (uint32_t i = ir_attr_first(all, (subject){ON_MODULE, 0}); i; i = all->all.at[i].next) {
        if (!pack_attribute(w, &w->module_attributes, &all->all.at[i]))
            return false;
        w->nmodule_attributes += 2;
    }
    w->attributes.used = w->nmodule_attributes != 0;
    return bin_pack_close_array(&w->module_attributes, 0, w->nmodule_attributes);
}

/* All of them, at once: the module is no item of a function. */
bool bin_note_module(maker *w)
{
    bool ok = note_module_attributes(w) && bin_note_properties(w, (subject){ON_MODULE, 0});
    w->properties.used = w->nmodule_properties != 0;
    return ok && bin_pack_close_array(&w->module_properties, 0, w->nmodule_properties);
}

/* A section without an entry is left out. */
static bool close_items(maker *w, item_table *t, section_id i, const packer *of_module)
{
    bool ok = bin_pack_close_array(&t->entries, 0, w->nfuncs);
    const packer parts[2] = {*(of_module ? of_module : &t->entries), t->entries};
    return ok && (!t->used || close_section(&w->body[i], &t->strings, parts, of_module ? 2 : 1));
}

bool bin_write_items(maker *w)
{
    return close_items(w, &w->locations, SECTION_LOCATIONS, NULL) &&
           close_items(w, &w->attributes, SECTION_ATTRIBUTES, &w->module_attributes) &&
           close_items(w, &w->properties, SECTION_PROPERTIES, &w->module_properties);
}

/* [number, name, since, what stands in <...>, least and most operands, regions, results] */
static bool pack_shape(packer *k, uint32_t code)
{
    static const char *const attrs[] = {"", "LEVEL", "TYPE", "CALL", "BIND", "DATA"};
    const op_info *x = ir_op_info(code);
    const char *attr = attrs[x->attr];
    if (!pack_room(k, 8 * PACKED_MAX + x->name_len + strlen(attr)))
        return false;
    pack_array(k, 8);
    pack_uint32(k, code);
    bin_pack_text(k, x->name, x->name_len);
    pack_uint32(k, x->since);
    bin_pack_text(k, attr, strlen(attr));
    pack_uint32(k, x->min_args);
    pack_uint32(k, x->max_args == OPERANDS_MANY ? UINT32_MAX : x->max_args);
    pack_uint32(k, x->regions);
    pack_uint32(k, x->has_result);
    return true;
}

bool bin_write_operators(maker *w)
{
    packer *k = &w->body[SECTION_OPERATORS];
    uint32_t n = 0;
    bool ok = true;
    for (uint32_t code = 1; code < OP_END && ok; code++)
        if (w->shaped[code]) {
            ok = pack_shape(k, code);
            n++;
        }
    return ok && (!n || bin_pack_close_array(k, 0, n));
}
