/* The optional sections of the binary form: `names`, `locations`, `attributes`, `properties` and
 * `operators` of docs/format.md.  See binary/parse.h.
 *
 * They are read behind the code, and change what it made: values, functions and operations are
 * found by the extents that read_code.c noted, so that no table of items is needed. */
#include "serialize/binary/parse.h"

#include "ir/properties.h"

/* The section's own strings; its other parts follow. */
static bool read_texts(binary *b, uint32_t parts)
{
    b->lists.len = 0;
    return bin_array_of(b, 1 + parts, "the section") && bin_texts(b, &b->lists);
}

/* ---- names ---- */

/* The texts as names of values, 0 where they are none. */
static bool make_names(binary *b)
{
    for (uint32_t i = 0; i < b->lists.len; i++) {
        str_id s = b->lists.at[i];
        uint32_t len = intern_len(&b->cx->strings, s);
        if (!vec_push(b->mm, &b->names,
                      bin_is_name(b, s) ? ir_name(b->m, ir_str(b->m, s), len) : 0))
            return false;
    }
    return true;
}

static bool bad_name(binary *b, const unsigned char *at, int32_t k)
{
    b->c.p = at;
    if (k < 0 || (uint32_t)k > b->lists.len)
        return bin_refuse(b, DIAG_BINARY_RANGE, "name %d does not exist: there are %u texts", k,
                          b->lists.len);
    return bin_refuse(b, DIAG_BINARY_TEXT, "a name is made of letters, digits and _ . $ ' #");
}

/* The names of values may be numbers; those of type and level parameters are texts. k > 0: text k -
 * 1; k < 0: the number -1 - k; 0: no name. */
static bool read_name(binary *b, bool of_value, str_id *name)
{
    const unsigned char *at = b->c.p;
    int32_t k;
    if (!cursor_i32(&b->c, &k))
        return bin_expected(b, "a name: 1 + its place among the texts, or -1 - a number");
    if (k > 0 && (uint32_t)k <= b->names.len && b->names.at[k - 1])
        *name = of_value ? b->names.at[k - 1] : b->lists.at[k - 1];
    else if (k < 0 && k >= -1000000000 && of_value)
        *name = NAME_NUMBER + (uint32_t)(-1 - k);
    else
        return k == 0 || bad_name(b, at, k);
    return true;
}

/* The parameters of a function lie apart from its other values: they were made with its head. */
static bool name_params(binary *b, ir_region r)
{
    const region_node n = *ir_region_at(b->m, r);
    for (uint32_t i = 0; i < n.nparams; i++)
        if (!read_name(b, true, &ir_value_at(b->m, n.params + i)->name))
            return false;
    return true;
}

/* Most values of large modules have no name, or that of their number, which is 0 too. */
static inline bool skip_unnamed(cursor *c)
{
    bool unnamed = c->p < c->end && *c->p == 0;
    c->p += unnamed;
    return unnamed;
}

/* The values of the i-th own function, which lie in a row with its constants among them. */
static bool name_values(binary *b, uint32_t i)
{
    const func_extent *x = &b->extents.at[i];
    for (ir_value v = x[0].values; v < x[1].values; v++) {
        value_node *n = &b->m->values.at[v];
        if (n->kind != V_CONST && !skip_unnamed(&b->c) && !read_name(b, true, &n->name))
            return false;
    }
    return true;
}

/* How many values are read for a function, apart from constants. */
static uint32_t values_of(const binary *b, uint32_t i)
{
    const func_extent *x = &b->extents.at[i];
    return ir_region_at(b->m, ir_func_at(b->m, b->funcs.at[i])->body)->nparams +
           (x[1].values - x[0].values) - (x[1].constants - x[0].constants);
}

/* [texts, [name of a parameter, ...], [[name of a value, ...], ...]] */
bool bin_names(binary *b)
{
    if (!read_texts(b, 2) || !make_names(b) ||
        !bin_array_of(b, b->ntvars, "the names of type and level parameters"))
        return false;
    for (uint32_t i = 0; i < b->ntvars; i++)
        if (!read_name(b, false, &b->m->tvars.at[b->tvars + i].name))
            return false;
    if (!bin_array_of(b, b->own, "the names of values"))
        return false;
    for (uint32_t i = 0; i < b->own; i++) {
        b->func = b->funcs.at[i];
        if (!bin_array_of(b, values_of(b, i), "the names of a function's values") ||
            !name_params(b, ir_func_at(b->m, b->func)->body) || !name_values(b, i))
            return false;
    }
    return true;
}

/* ---- items: a function, and its operations behind it ---- */

typedef struct items {
    uint32_t func, item; /* by number; 0: the function itself */
} items;

/* What the item is that lies so many items ahead.  Several entries may be about one item: the
 * distance is 0 then. */
static bool next_subject(binary *b, items *at, subject *of)
{
    const func_extent *x = &b->extents.at[at->func];
    uint32_t step, last = x[1].ops - x[0].ops;
    if (!bin_number(b, &step, "the number of items passed"))
        return false;
    if (step > last - at->item)
        return bin_refuse(b, DIAG_BINARY_RANGE, "an entry is %u items ahead, but only %u are left",
                          step, last - at->item);
    at->item += step;
    *of = at->item ? (subject){ON_OP, x[0].ops + at->item - 1}
                   : (subject){ON_FUNC, b->funcs.at[at->func]};
    return true;
}

typedef bool read_entry(binary *b, subject of);

/* An array of entries for each function.  Flat, with so many elements for each entry, the first of
 * them the distance. */
static bool read_entries(binary *b, uint32_t elements, read_entry *read)
{
    if (!bin_array_of(b, b->own, "the entries of the functions"))
        return false;
    for (uint32_t i = 0; i < b->own; i++) {
        items at = {.func = i};
        subject of;
        uint32_t n;
        b->func = b->funcs.at[i];
        if (!bin_array(b, &n, "the entries of a function"))
            return false;
        if (n % elements)
            return bin_refuse(b, DIAG_BINARY_SYNTAX, "each entry has %u elements, so %u cannot be",
                              elements, n);
        for (n /= elements; n--;)
            if (!next_subject(b, &at, &of) || !read(b, of))
                return false;
    }
    return true;
}

/* ---- locations ---- */

/* file, line, column; it takes the place of the one that would be looked for in the printed
 * module. */
static bool read_location(binary *b, subject of)
{
    uint32_t file;
    location l = {0};
    if (!bin_index(b, &file, b->lists.len, "the file of a location") ||
        !bin_number(b, &l.line, "a line") || !bin_number(b, &l.col, "a column"))
        return false;
    l.file = b->lists.at[file];
    if (!l.file || !ir_line_is_valid(l.line))
        return bin_refuse(b, DIAG_BINARY_RANGE,
                          "this is no place: it has a file and a line from 1");
    uint32_t loc = ir_add_loc(b->m, l);
    if (of.kind == ON_FUNC)
        ir_func_at(b->m, of.id)->loc = loc;
    else
        ir_op_at(b->m, of.id)->loc = loc;
    return loc != 0;
}

/* [texts, [[distance, file, line, column, ...], ...]] */
bool bin_locations(binary *b)
{
    return read_texts(b, 1) && read_entries(b, 4, read_location);
}

/* ---- attributes ---- */

static bool read_key(binary *b, str_id *key)
{
    uint32_t k;
    if (!bin_index(b, &k, b->lists.len, "a key"))
        return false;
    *key = b->lists.at[k];
    return true;
}

/* An integer, or a text of its own (not a number of one). */
static bool read_value(binary *b, attribute *a)
{
    a->is_text = !bin_cursor_i64(&b->c, &a->number);
    return !a->is_text || bin_text(b, &a->text, "an integer or a text, the value of a key");
}

static bool keep(binary *b, attributes *into, subject of, attribute a)
{
    if (!a.key || ir_attr_find(into, of, a.key))
        return bin_refuse(b, DIAG_BINARY_RANGE, "a key is empty or stands twice in one place");
    return ir_attr_set(b->mm, into, of, a);
}

/* key, value */
static bool read_attribute(binary *b, subject of)
{
    attribute a = {0};
    return read_key(b, &a.key) && read_value(b, &a) && keep(b, &b->m->attrs, of, a);
}

/* The entries of the module, flat, with so many elements for each. */
static bool read_of_module(binary *b, uint32_t elements, read_entry *read)
{
    uint32_t n;
    if (!bin_array(b, &n, "the entries of the module"))
        return false;
    if (n % elements)
        return bin_refuse(b, DIAG_BINARY_SYNTAX,
                          "each entry of the module has %u elements, so %u cannot be", elements, n);
    for (n /= elements; n--;)
        if (!read(b, (subject){ON_MODULE, 0}))
            return false;
    return true;
}

/* [texts, attributes of the module, [[distance, key, value, ...], ...]] */
bool bin_attributes(binary *b)
{
    return read_texts(b, 2) && read_of_module(b, 2, read_attribute) &&
           read_entries(b, 3, read_attribute);
}

/* ---- properties ---- */

static bool property_fits(binary *b, const unsigned char *at, const attribute *a, subject of,
                          bool required)
{
    const char *name = ir_str(b->m, a->key);
    const property_info *p = ir_property_info(ir_property_named(name));
    const char *wrong = ir_property_wrong(p, of.kind, a->is_text);
    if (!p->key && required)
        return bin_unknown(b, at, "there is no property \"%.100s\", which the file needs", name);
    if (!wrong && p->key && p->required != required)
        wrong = required ? "is a hint" : "must be understood";
    b->c.p = wrong ? at : b->c.p;
    return !wrong || bin_refuse(b, DIAG_BINARY_RANGE, "the property \"%.100s\" %s", name, wrong);
}

/* key, flags, value */
static bool read_property(binary *b, subject of)
{
    const unsigned char *at = b->c.p;
    attribute a = {0};
    uint32_t flags;
    return read_key(b, &a.key) &&
           bin_row(b, &flags, 2 * PROPERTY_REQUIRED, "property with the flags") &&
           read_value(b, &a) && property_fits(b, at, &a, of, flags & PROPERTY_REQUIRED) &&
           keep(b, &b->m->props, of, a);
}

/* [texts, properties of the module, [[distance, key, flags, value, ...], ...]] */
bool bin_properties(binary *b)
{
    return read_texts(b, 2) && read_of_module(b, 3, read_property) &&
           read_entries(b, 4, read_property);
}

/* ---- operators ---- */

enum { SHAPE = 8 };

/* [number, name, since, ...]: what a later version may add behind is passed over.  An operator that
 * is not known is reported, and the reading goes on: all of them are named. */
static bool read_shape(binary *b)
{
    const unsigned char *at = b->c.p;
    uint32_t n, code, since, number;
    str_id name, attr;
    if (!bin_array(b, &n, "the shape of an operator"))
        return false;
    if (n < SHAPE)
        return bin_refuse(b, DIAG_BINARY_SYNTAX, "the shape of an operator has %d elements", SHAPE);
    if (!bin_number(b, &code, "the number of an operator") ||
        !bin_text(b, &name, "the name of an operator") || !bin_number(b, &since, "a version") ||
        !bin_text(b, &attr, "what stands in <...>"))
        return false;
    for (uint32_t i = 4; i < SHAPE; i++)
        if (!bin_number(b, &number, "a number of operands, regions or results"))
            return false;
    for (uint32_t i = SHAPE; i < n; i++)
        if (!bin_cursor_skip(&b->c))
            return bin_expected(b, "a value");
    const unsigned char *behind = b->c.p;
    if (!ir_op_info(code)->name)
        bin_unknown(b, at, "there is no operator %u, \"%.60s\", which came with version %u.%u",
                    code, ir_str(b->m, name), since / 100, since % 100);
    b->c.p = behind;
    return true;
}

/* [shape, ...], of operators that the code has. */
bool bin_operators(binary *b)
{
    uint32_t n, before = b->cx->diags.errors;
    if (!bin_array(b, &n, "the array of operators"))
        return false;
    while (n--)
        if (!read_shape(b))
            return false;
    return b->cx->diags.errors == before;
}
