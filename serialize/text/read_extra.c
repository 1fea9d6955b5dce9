/* Reading what a module carries beside its program: places, properties, attributes, sections;
 * `loc`, `props`, `hints`, `attrs` and the item "section" of docs/format.md.  See text/parse.h. */
#include "serialize/text/parse.h"

#include "ir/properties.h"
#include "serialize/binary/tables.h"
#include "serialize/binary/binary.h"
#include "ir/base/utf8.h"

/* ---- locations ---- */

/* "(" STRING ":" LINE ":" COLUMN ")" */
static bool read_place(reader *r, location *loc)
{
    if (!text_expect_token(r, '(', "'('"))
        return false;
    token s = r->tok, line;
    if (!text_expect_token(r, T_STRING, "the name of a file in quotation marks") ||
        !text_string_value(r, &s, &loc->file) || !text_expect_token(r, ':', "':'"))
        return false;
    line = r->tok;
    if (!text_read_u32(r, &loc->line, "a line number") || !text_expect_token(r, ':', "':'") ||
        !text_read_u32(r, &loc->col, "a column number") || !text_expect_token(r, ')', "')'"))
        return false;
    if (ir_line_is_valid(loc->line))
        return true;
    *loc = (location){0};
    diag_error(r->cx, DIAG_TEXT_LITERAL_RANGE, text_token_loc(r, &line),
               "lines are counted from 1, and there are less than %u", LOC_LATER);
    return true;
}

/* Goes on behind a list in parentheses that could not be read. */
static bool skip_list(reader *r)
{
    text_skip_to(r, ")");
    take_token(r, ')');
    return false;
}

bool text_read_loc(reader *r, location *loc)
{
    if (!is_key(&r->tok, KEY_LOC))
        return true;
    next_token(r);
    return read_place(r, loc) || skip_list(r);
}

/* ---- attributes ---- */

/* A decimal integer of 64 bits. */
static bool read_i64(reader *r, int64_t *x)
{
    const token *t = &r->tok;
    bool negative = t->len && t->at[0] == '-';
    uint64_t n = 0, most = (uint64_t)INT64_MAX + negative;
    for (uint32_t i = negative; i < t->len; i++) {
        uint64_t digit = (uint64_t)(t->at[i] - '0');
        if (t->at[i] < '0' || t->at[i] > '9' || n > (most - digit) / 10)
            return diag_error(
                r->cx, DIAG_TEXT_LITERAL_RANGE, text_token_loc(r, t),
                "the value of an attribute is a text, or a decimal integer of 64 bits");
        n = n * 10 + digit;
    }
    *x = negative ? (int64_t)(0 - n) : (int64_t)n;
    next_token(r);
    return true;
}

/* value = INTEGER | STRING; the string may be empty. */
static bool read_value(reader *r, attribute *a)
{
    token t = r->tok;
    if (t.kind == T_NUMBER)
        return read_i64(r, &a->number);
    a->is_text = true;
    return text_expect_token(r, T_STRING, "an integer or a text in quotation marks") &&
           text_any_string_value(r, &t, &a->text);
}

/* STRING "=" value; false: reported. */
static bool read_entry(reader *r, token *key, attribute *a)
{
    *a = (attribute){0};
    *key = r->tok;
    return text_expect_token(r, T_STRING, "a key in quotation marks") &&
           text_string_value(r, key, &a->key) && text_expect_token(r, '=', "'='") &&
           read_value(r, a);
}

/* Whether a hint or a required property may stand here, as far as the library knows it. */
static bool property_fits(reader *r, const token *key, const attribute *a, subject_kind on,
                          bool required)
{
    const char *name = ir_str(r->m, a->key);
    const property_info *p = ir_property_info(ir_property_named(name));
    const char *wrong = ir_property_wrong(p, on, a->is_text);
    if (!p->key && required) {
        diag_error(r->cx, DIAG_BINARY_UNKNOWN, text_token_loc(r, key),
                   "there is no property \"%.100s\", which the module needs", name);
        text_hint_newer(r);
        return false;
    }
    if (!wrong && p->key && p->required != required)
        wrong = required ? "is a hint: it stands in hint(...)"
                         : "must be understood: it stands in prop(...)";
    return !wrong || diag_error(r->cx, DIAG_TEXT_PROPERTY, text_token_loc(r, key),
                                "the property \"%.100s\" %s", name, wrong);
}

/* One entry of a list.  What is wrong with a property is reported, and the list goes on. */
static bool read_attribute(reader *r, subject of, keyword list)
{
    attribute a;
    token key;
    attributes *into = list == KEY_ATTR ? &r->m->attrs : &r->m->props;
    if (!read_entry(r, &key, &a))
        return false;
    if (list != KEY_ATTR && !property_fits(r, &key, &a, of.kind, list == KEY_PROP))
        return true;
    if ((of.kind != ON_MODULE && !of.id) || (of.kind == ON_MODULE && r->import))
        return true; /* of what could not be read, or of an imported module */
    if (ir_attr_find(into, of, a.key))
        return diag_error(r->cx, DIAG_TEXT_DUPLICATE_ATTRIBUTE, text_token_loc(r, &key),
                          "the key \"%.100s\" stands twice here", ir_str(r->m, a.key));
    return ir_attr_set(&r->cx->mem, into, of, a);
}

/* KEY "(" list(STRING "=" value) ")" */
static bool read_list(reader *r, subject of, keyword list)
{
    if (!is_key(&r->tok, list))
        return true;
    next_token(r);
    if (!text_expect_token(r, '(', "'('"))
        return false;
    do {
        if (!read_attribute(r, of, list))
            return skip_list(r);
    } while (take_token(r, ','));
    return text_expect_token(r, ')', "')' or ','") || skip_list(r);
}

/* props? hints? attrs? */
bool text_read_attributes(reader *r, subject of)
{
    if (r->tok.kind != T_NAME)
        return true;
    bool ok = read_list(r, of, KEY_PROP);
    ok = read_list(r, of, KEY_HINT) && ok;
    return read_list(r, of, KEY_ATTR) && ok;
}

bool text_read_module_attributes(reader *r)
{
    next_token(r);
    if (at_beside(r) && !is_key(&r->tok, KEY_LOC))
        return text_read_attributes(r, (subject){ON_MODULE, 0});
    return text_syntax_error(r, "attr(...), prop(...) or hint(...)");
}

/* ---- sections ---- */

static bool bad_section(reader *r, const token *t, const char *why)
{
    return diag_error(r->cx, DIAG_TEXT_SECTION, text_token_loc(r, t), "%s", why);
}

/* item = "section" STRING FLAGS? STRING.  True also where its contents are wrong, which is
 * reported: the reader stands behind the item.  Sections of imports are not the module's and are
 * dropped. */
bool text_read_section(reader *r)
{
    section_node s = {0};
    next_token(r);
    token name = r->tok;
    if (!text_expect_token(r, T_STRING, "the section's name in quotation marks") ||
        !text_string_value(r, &name, &s.name))
        return false;
    const char *text = ir_str(r->m, s.name);
    if (binary_knows_section(text) || !utf8_is_valid(text, intern_len(&r->cx->strings, s.name)))
        bad_section(r, &name, "a section has a name in UTF-8 that is none of the library's own");
    token number = r->tok;
    if (number.kind == T_NUMBER && !text_read_u32(r, &s.flags, "the flags of the section"))
        return false;
    if (s.flags & SECTION_REQUIRED) {
        diag_error(r->cx, text_unknown_code(r, DIAG_TEXT_SECTION), text_token_loc(r, &number),
                   "a section that must be understood is one that the library knows");
        text_hint_newer(r);
    }
    token bytes = r->tok;
    if (!text_expect_token(r, T_STRING, "the section's bytes, in base 64 and in quotation marks"))
        return false;
    if (!text_read_bytes(r, &bytes, &s.body) || r->import)
        return true;
    return vec_push(&r->cx->mem, &r->m->sections, s);
}
