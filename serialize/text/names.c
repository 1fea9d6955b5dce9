/* The reader's tokens, errors and names: see text/parse.h.
 *
 * Names are looked up by their interned number in one array for each name space, and values %N by
 * N; leaving a region undoes what was bound in it, by a log (`undos`, and `hidden` for what was
 * there before): the usual scoped symbol table, at a constant cost for each name. */
#include "serialize/text/parse.h"

#include "ir/base/source.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

token text_peek_token(const reader *r)
{
    lexer ahead = r->lx;
    token t;
    ahead.quiet = true;
    lex_next(&ahead, &t);
    return t;
}

location text_token_loc(const reader *r, const token *t)
{
    return lex_location(&r->lx, t);
}

/* Whether the token's name stands behind a %, @ or '. */
static bool has_sigil(const token *t)
{
    return t->kind == T_VALUE || t->kind == T_FUNC || t->kind == T_TVAR;
}

location text_spot_loc(const reader *r, spot s)
{
    return lex_location_at(&r->lx, s.at, s.len);
}

uint32_t text_add_spot_loc(reader *r, spot s)
{
    return r->lx.place ? r->lx.place + (uint32_t)(s.at - r->lx.text)
                       : ir_add_loc(r->m, text_spot_loc(r, s));
}

str_id text_token_name(reader *r, const token *t)
{
    if (t->number)
        return t->number;
    uint32_t sigil = has_sigil(t);
    return intern_add(&r->cx->strings, t->at + sigil, t->len - sigil);
}

name_key text_token_key(reader *r, const token *t)
{
    if (t->number && (t->number & ~NAME_NUMBER) < r->numbers_end)
        return t->number;
    return intern_add(&r->cx->strings, t->at + has_sigil(t), t->len - has_sigil(t));
}

/* Offsets fit: read_source refuses texts of more than 1 GiB. */
static uint32_t offset_of(const reader *r, const char *at)
{
    return (uint32_t)(at - r->lx.text);
}

static bool stops_here(const reader *r, const char *stops)
{
    uint8_t k = r->tok.kind;
    return k < 128 && strchr(stops, k);
}

bool text_begins_statement(const reader *r)
{
    if (r->tok.kind != T_VALUE)
        return false;
    token after = text_peek_token(r);
    return after.kind == '=' || after.kind == ':';
}

/* Whether the token in hand, the first on its line, looks like the beginning of a statement. */
static bool starts_line(const reader *r, bool in_parentheses)
{
    if (!r->tok.first)
        return false;
    return r->tok.kind == T_NAME ||
           (in_parentheses ? text_begins_statement(r) : r->tok.kind == T_VALUE);
}

/* Brackets are counted only as far as needed: what is inside of braces is passed over as a whole, a
 * `}` that was not opened here ends the search, and a line that looks like a statement ends it too,
 * since a forgotten bracket must not cost the rest of the function. */
void text_skip_to(reader *r, const char *stops)
{
    uint32_t braces = 0, others = 0;
    bool inside = strchr(stops, ')') != NULL;
    while (r->tok.kind != T_END && !at_item(r)) {
        uint8_t k = r->tok.kind;
        if (!braces &&
            (k == '}' || starts_line(r, inside || others) || (!others && stops_here(r, stops))))
            return;
        if (k == '{')
            braces++;
        else if (k == '}')
            braces--;
        else if (k == '(' || k == '[')
            others++;
        else if ((k == ')' || k == ']') && others)
            others--;
        next_token(r);
    }
}

/* ---- errors ---- */

/* The list of diagnostics takes limits.errors of them; notes and hints to others would be lost. */
bool text_errors_kept(const reader *r)
{
    return r->cx->diags.errors < r->cx->limits.errors;
}

bool text_too_deep(reader *r, const char *what)
{
    if (!r->lx.stopped)
        diag_error(r->cx, DIAG_TOO_DEEP, text_token_loc(r, &r->tok), "%s nest too deep here", what);
    lex_stop(&r->lx);
    next_token(r);
    return false;
}

/* Opening brackets in a row that are taken for nesting without end: no program has so many. */
enum { FLOOD = 500 };

/* Whether a long row of opening brackets begins here: nesting, however wrong it is otherwise. */
static bool is_flood(const reader *r)
{
    lexer ahead = r->lx;
    token t = r->tok;
    ahead.quiet = true;
    for (int i = 0; i < FLOOD; i++) {
        if (t.kind != '(' && t.kind != '[' && t.kind != '{')
            return false;
        lex_next(&ahead, &t);
    }
    return true;
}

bool text_syntax_error(reader *r, const char *expected)
{
    const token *t = &r->tok;
    if (!t->first || t->kind == T_END || r->lx.stopped || !r->prev_end || is_flood(r))
        return text_unexpected(r, expected);
    diag_error(r->cx, text_unknown_code(r, DIAG_TEXT_SYNTAX),
               lex_location_at(&r->lx, r->prev_end, 1), "expected %s, found the end of the line",
               expected);
    text_hint_newer(r);
    return false;
}

bool text_hint_newer(reader *r)
{
    if (r->version <= FORMAT_VERSION)
        return false;
    diag_hint(r->cx, "the text has version %u.%u, which is newer than this library's %d.%d",
              r->version / 100, r->version % 100, FORMAT_MAJOR, FORMAT_MINOR);
    return true;
}

/* Silent where something was said already: after lex_stop, and at the end of a text in which a
 * brace was left open. */
bool text_unexpected(reader *r, const char *expected)
{
    const token *t = &r->tok;
    if (r->lx.stopped || (t->kind == T_END && r->unclosed))
        return false;
    if (is_flood(r))
        return text_too_deep(r, "brackets");
    if (t->kind == T_END) {
        r->unclosed = true;
        return diag_error(r->cx, DIAG_TEXT_UNCLOSED, text_token_loc(r, t),
                          "expected %s, found the end of the text", expected);
    }
    diag_error(r->cx, text_unknown_code(r, DIAG_TEXT_SYNTAX), text_token_loc(r, t),
               "expected %s, found '%.*s'%s", expected, (int)(t->len < 60 ? t->len : 60), t->at,
               t->len < 60 ? "" : "...");
    text_hint_newer(r);
    return false;
}

bool text_expect_token(reader *r, uint8_t token_kind, const char *what)
{
    return take_token(r, token_kind) || text_syntax_error(r, what);
}

/* The position of a name that begins at an offset. */
static location offset_loc(const reader *r, uint32_t offset)
{
    const char *start = r->lx.text + offset, *p = start + 1;
    while (source_is_name_char(*p))
        p++;
    return lex_location_at(&r->lx, start, (size_t)(p - start));
}

/* ---- names ---- */

/* Makes room for entry `index` of a table of bindings, and clears what is new. */
#define BINDINGS_REACH(r, v, index)                                                                \
    ((index) < (v)->len ||                                                                         \
     (vec_reserve(&(r)->cx->mem, v, (uint64_t)(index) + 1 - (v)->len) &&                           \
      (memset((v)->at + (v)->len, 0, ((v)->cap - (v)->len) * sizeof(text_binding)),                \
       (v)->len = (v)->cap, true)))

/* The entry of a name; NULL when memory is short. */
static inline text_binding *entry(reader *r, uint32_t space, name_key name)
{
    uint32_t n = name & ~NAME_NUMBER;
    if (name & NAME_NUMBER)
        return BINDINGS_REACH(r, &r->numbers, n) ? &r->numbers.at[n] : NULL;
    return BINDINGS_REACH(r, &r->spaces[space], n) ? &r->spaces[space].at[n] : NULL;
}

text_binding text_find_name(reader *r, uint32_t space, name_key name)
{
    const text_binding *b = name ? entry(r, space, name) : NULL;
    return b ? *b : (text_binding){.id = ID_FAILED};
}

/* Binds, and notes what to undo.  When memory is short nothing is bound; the failure is sticky. */
static inline void set_binding(reader *r, uint32_t space, name_key name, spot at, text_binding *b,
                               uint32_t what)
{
    bool hides = b->id != 0;
    if (!vec_reserve(&r->cx->mem, &r->undos, 1) ||
        (hides && !vec_push(&r->cx->mem, &r->hidden, *b)))
        return;
    r->undos.at[r->undos.len++] = (undo){.name = name, .space = space & 3u, .hides = hides};
    *b = (text_binding){.id = what ? what : ID_FAILED, .at = offset_of(r, at.at)};
}

void text_bind_over(reader *r, uint32_t space, const token *name, uint32_t id)
{
    name_key s = text_token_key(r, name);
    text_binding *b = s ? entry(r, space, s) : NULL;
    if (b)
        set_binding(r, space, s, spot_of(name), b, id);
}

static void report_duplicate(reader *r, uint32_t space, spot name, uint32_t at)
{
    static const char *const kinds[SPACE_COUNT] = {"value", "type parameter", "level parameter"};
    diag_error(r->cx, space == SPACE_VALUE ? DIAG_TEXT_DUPLICATE_VALUE : DIAG_TEXT_DUPLICATE_TPARAM,
               text_spot_loc(r, name), "the name %.*s is in use for another %s here",
               (int)(name.len < 200 ? name.len : 200), name.at, kinds[space]);
    if (text_errors_kept(r))
        diag_note_add(r->cx, offset_loc(r, at), "it is defined here");
}

/* A name that was used already, and found missing, was used before its definition: noted for the
 * report, which comes when the function ends. */
void text_bind_name(reader *r, uint32_t space, name_key name, spot at, uint32_t id)
{
    text_binding *b = name ? entry(r, space, name) : NULL;
    if (!b)
        return;
    if (b->id == ID_MISSING) {
        missing *x = &r->missing.at[b->at];
        x->later = x->later ? x->later : offset_of(r, at.at);
    } else if (b->id) {
        report_duplicate(r, space, at, b->at);
    }
    set_binding(r, space, name, at, b, id);
}

void text_bind_token(reader *r, uint32_t space, const token *name, uint32_t id)
{
    text_bind_name(r, space, text_token_key(r, name), spot_of(name), id);
}

void text_leave_scope(reader *r, uint32_t mark)
{
    while (r->undos.len > mark) {
        const undo *u = &r->undos.at[--r->undos.len];
        text_binding *b = entry(r, u->space, u->name);
        if (u->hides)
            *b = r->hidden.at[--r->hidden.len];
        else
            b->id = 0; /* `at` stays: a later use can be told where the value was */
    }
}

/* A name of the function as a candidate; what is kept of it must outlive this call. */
static void offer_name(reader *r, nearest *x, name_key name)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%u", name & ~NAME_NUMBER);
    if (!(name & NAME_NUMBER))
        nearest_offer(x, ir_str(r->m, name), intern_len(&r->cx->strings, name));
    else
        nearest_offer(x, digits, (size_t)n);
    for (int i = 0; i < NEAREST_NAMES; i++)
        if (x->best[i] == digits)
            x->best[i] = ir_str(r->m, name);
}

/* The visible name that is most like an undefined one, among the SUGGESTIONS bound last. */
static const char *suggest_value(reader *r, const token *name)
{
    nearest x;
    nearest_init(&x, name->at + 1, name->len - 1);
    if (r->cx->diags.errors + r->missing.len >= r->cx->limits.errors)
        return NULL; /* it would not be kept when the function ends */
    for (uint32_t i = r->undos.len, n = 0; i-- > 0 && n < SUGGESTIONS; n++)
        if (r->undos.at[i].space == SPACE_VALUE)
            offer_name(r, &x, r->undos.at[i].name);
    return x.best[0];
}

/* `at` of a free binding tells where a value of that name was, if that was in this function: it is
 * not visible any more then, which makes a better message. */
ir_value text_use_value(reader *r, const token *name)
{
    name_key s = text_token_key(r, name);
    text_binding *b = s ? entry(r, SPACE_VALUE, s) : NULL;
    if (!b || b->id == ID_MISSING || b->id == ID_FAILED)
        return 0;
    if (b->id)
        return b->id;
    missing x = {.name = s,
                 .at = offset_of(r, name->at),
                 .len = name->len,
                 .suggestion = suggest_value(r, name)};
    x.gone = b->at > r->func_at ? b->at : 0;
    if (vec_push(&r->cx->mem, &r->missing, x))
        *b = (text_binding){.id = ID_MISSING, .at = r->missing.len - 1};
    return 0;
}

/* One of three mistakes: used before its definition, after the end of its region, or never
 * defined. */
static void report_one_missing(reader *r, const missing *x)
{
    const char *name = ir_str(r->m, x->name);
    location loc = lex_location_at(&r->lx, r->lx.text + x->at, x->len);
    if (x->later)
        diag_error(r->cx, DIAG_TEXT_USED_EARLY, loc, "%%%.200s is used before its definition",
                   name);
    else if (x->gone)
        diag_error(r->cx, DIAG_TEXT_UNDEFINED_VALUE, loc, "%%%.200s is not visible here", name);
    else
        diag_error(r->cx, DIAG_TEXT_UNDEFINED_VALUE, loc, "%%%.200s is not defined", name);
    if (!text_errors_kept(r))
        return;
    if (x->later)
        diag_note_add(r->cx, offset_loc(r, x->later), "it is defined here");
    else if (x->gone)
        diag_note_add(r->cx, offset_loc(r, x->gone),
                      "it is defined here, in a region that has ended");
    else if (x->suggestion)
        diag_hint(r->cx, "did you mean %%%s?", x->suggestion);
}

/* Nothing is said of names that may have been parameters, when these could not be read. */
void text_report_missing(reader *r)
{
    for (uint32_t i = 0; i < r->missing.len; i++) {
        if (!r->params_lost || r->missing.at[i].later)
            report_one_missing(r, &r->missing.at[i]);
        *entry(r, SPACE_VALUE, r->missing.at[i].name) = (text_binding){0};
    }
    r->missing.len = 0;
}
