/* The inside of the text reader: what its files share.
 *
 * text/read.c reads files, functions and imports; text/read_op.c regions and statements;
 * text/read_params.c parameters; text/read_types.c types, levels and what stands in <...>;
 * text/read_literal.c literals; text/read_string.c strings; text/read_extra.c places, attributes
 * and sections; text/names.c keeps what the names stand for and reports errors; text/funcs.c keeps
 * the functions by name.
 *
 * A recursive descent (LL(1), and a second token where a name may begin a statement) with one token
 * in hand; each function that reads something has its rule of docs/format.md above it.  It returns
 * false (or 0) after it has reported why it could not; its caller looks for a place to go on from
 * ("panic mode": text_skip_to).  Names that could not be given a meaning are bound all the same, so
 * that one mistake is reported once.  Recursion follows regions and types, which limits bound. */
#ifndef FCL_SERIALIZE_TEXT_PARSE_H
#define FCL_SERIALIZE_TEXT_PARSE_H

#include "serialize/text/text.h"
#include "serialize/text/lex.h"
#include "serialize/text/words.h"

/* What a name stands for in one of the name spaces; `at` is where it was bound last, as an offset
 * into the text. */
typedef struct text_binding {
    uint32_t id; /* 0: not visible; ID_...; else value, tvar, or ID_BINDER + depth of a binder
                    inside a type */
    uint32_t at; /* ID_MISSING: index into missing */
} text_binding;

enum { SPACE_VALUE, SPACE_TYPE, SPACE_LEVEL, SPACE_COUNT };

#define ID_BINDER  0x80000000u
#define ID_MISSING 0xfffffffeu /* an undefined value that was used */
#define ID_FAILED  0xffffffffu /* defined by something that could not be read */

/* A name in a name space: its string, or NAME_NUMBER + N for a value %N where N is small beside the
 * text. */
typedef uint32_t name_key;

typedef struct undo {
    name_key name;
    uint32_t space : 2, hides : 1; /* hides: what was bound before is in `hidden` */
} undo;

/* The use of an undefined value: reported when the function ends, since a later definition changes
 * what to say. */
typedef struct missing {
    name_key name;
    uint32_t at, len;       /* where, in the text */
    uint32_t later, gone;   /* offsets: defined later; defined in a region that has ended; 0: not */
    const char *suggestion; /* interned */
} missing;

/* A call of a function that was not known yet. */
typedef struct pending_call {
    ir_op op;
    str_id name;
    uint32_t at, len; /* where, in the text */
} pending_call;

/* What the files that one reading touches share. */
typedef struct loading {
    ir_module *m;
    text_import_fn *import;
    void *user;
    vec_u32 imported, preludes; /* functions of imports, by name; those of the preludes apart */
    vec_u32 chain;              /* names of the imports being read */
    uint32_t version;           /* of the module's own text: major * 100 + minor */
    bool
        import_failed; /* nothing is known of an import: functions may be unknown for that reason */
    word_table words;
    ir_type scalars[ST_COUNT];
} loading;

enum { SUGGESTIONS = 1000 }; /* names that are compared with a misspelt one */

typedef struct reader {
    loading *s;
    ir_module *m;
    fcl_context *cx;
    lexer lx;
    token tok;            /* the next one */
    const char *prev_end; /* where the last one ended; NULL: there was none */
    VEC(text_binding) spaces[SPACE_COUNT];
    VEC(text_binding) numbers; /* of values %N, by N */
    uint32_t numbers_end;      /* larger ones are in spaces[SPACE_VALUE] */
    VEC(undo) undos;
    VEC(text_binding) hidden;
    VEC(missing) missing;
    VEC(pending_call) calls;
    vec_u32 args;          /* operands of the operation being read */
    vec_u32 types, levels; /* lists being read, used as stacks */
    ir_func func;
    uint32_t func_at;                     /* its offset */
    vec_u32 own;                          /* functions of this file, by name */
    vec_u32 imports;                      /* that this file names: 1 + index */
    uint16_t import;                      /* 1 + index of the import being read */
    uint32_t version;                     /* of this text: major * 100 + minor */
    uint32_t depth;                       /* of regions */
    uint32_t level_binders, type_binders; /* around the place in the type being read */
    bool params_lost; /* this function's parameters could not be read: values may be unknown for
                         that reason */
    bool unclosed;    /* that something is, was reported for this function */
} reader;

/* ---- tokens (text/names.c) ---- */

static inline void next_token(reader *r)
{
    r->prev_end = r->tok.at + r->tok.len;
    lex_next(&r->lx, &r->tok);
}

static inline bool take_token(reader *r, uint8_t token_kind)
{
    if (r->tok.kind != token_kind)
        return false;
    next_token(r);
    return true;
}

/* Marks that nearly always follow are looked for in the text itself, and need not become tokens. */
static inline bool mark_follows(const reader *r, char mark)
{
    const char *p = r->lx.p;
    return p[*p == ' '] == mark;
}

/* The token behind that mark. */
static inline void next_past_mark(reader *r)
{
    r->lx.p += 1 + (*r->lx.p == ' ');
    r->prev_end = r->lx.p;
    lex_next(&r->lx, &r->tok);
}

/* next_token, and take_token of a mark.  True when the mark was there. */
static inline bool next_past(reader *r, char mark)
{
    if (mark_follows(r, mark)) {
        next_past_mark(r);
        return true;
    }
    next_token(r);
    return take_token(r, (uint8_t)mark);
}

/* What a token means in a class of words; 0 when it is no such word. */
static inline uint32_t word_code(const token *t, word_class class)
{
    return t->kind == T_NAME ? t->word->code[class] : 0;
}

static inline bool is_key(const token *t, keyword key)
{
    return t->kind == T_NAME && t->word->code[WORD_KEY] == key;
}

/* The token after the next one.  Reports nothing and does not move. */
token text_peek_token(const reader *r);
/* Positions of tokens and spots, for messages: lines are counted from the beginning of the text. */
location text_token_loc(const reader *r, const token *t);
location text_spot_loc(const reader *r, spot s);
/* The same as ir_add_loc. */
uint32_t text_add_spot_loc(reader *r, spot s);
/* The name without its sigil, as strings and values are named; 0 when empty. */
str_id text_token_name(reader *r, const token *t);
/* The name as it is looked up; 0 when empty. */
name_key text_token_key(reader *r, const token *t);
/* Whether errors are still kept: otherwise nothing costly should be done for one. */
bool text_errors_kept(const reader *r);
/* "expected ..., found ..." at the next token; returns false. */
bool text_unexpected(reader *r, const char *expected);
/* The same where a statement should have gone on: when the next token is on another line, the end
 * of this one is meant.
 */
bool text_syntax_error(reader *r, const char *expected);
/* Takes the token of that kind, or reports that `what` was expected. */
bool text_expect_token(reader *r, uint8_t token_kind, const char *what);
/* The code of an error that may be there since the text is newer than the library: that it is
 * (E0123), else the one given.  text_hint_newer says so behind the report; false when it is not
 * newer. */
static inline diag_code text_unknown_code(const reader *r, diag_code otherwise)
{
    return r->version > FORMAT_VERSION ? DIAG_BINARY_UNKNOWN : otherwise;
}
bool text_hint_newer(reader *r);
/* Nesting beyond a limit: reported, and the reading of this text is over. */
bool text_too_deep(reader *r, const char *what);
/* Whether a list of properties or attributes begins here, or a place. */
static inline bool at_beside(const reader *r)
{
    uint32_t key = word_code(&r->tok, WORD_KEY);
    return key == KEY_LOC || key == KEY_ATTR || key == KEY_PROP || key == KEY_HINT;
}
/* fun, kernel, import, module or section: where a new item begins. */
static inline bool at_item(const reader *r)
{
    uint32_t key = word_code(&r->tok, WORD_KEY);
    return key == KEY_FUN || key == KEY_KERNEL || key == KEY_IMPORT || key == KEY_MODULE ||
           key == KEY_SECTION;
}
/* Whether the value in hand begins a statement: = or : follows. */
bool text_begins_statement(const reader *r);
/* Passes over tokens up to one of `stops`, at the same depth of brackets, or to where a statement
 * or an item begins. */
void text_skip_to(reader *r, const char *stops);

/* ---- names (text/names.c) ---- */

/* Gives a name a meaning until the scope is left; reports one that is visible already, and then
 * hides it all the same.  id 0: something that could not be read (ID_FAILED). */
void text_bind_name(reader *r, uint32_t space, name_key name, spot at, uint32_t id);
void text_bind_token(reader *r, uint32_t space, const token *name, uint32_t id);
/* Binds without looking for a duplicate: what is visible is hidden. */
void text_bind_over(reader *r, uint32_t space, const token *name, uint32_t id);
void text_leave_scope(reader *r, uint32_t mark); /* back to undos.len == mark */
/* The value that a name stands for; 0 when there is none, which is noted and reported once, when
 * the function ends, or was defined by something that failed. */
ir_value text_use_value(reader *r, const token *name);
/* What a name stands for now, id 0 for nothing; ID_FAILED for the empty name and when memory is
 * short, so that nothing is reported about it. */
text_binding text_find_name(reader *r, uint32_t space, name_key name);
/* Reports the undefined values of the function that ends here. */
void text_report_missing(reader *r);
/* Functions by name (text/funcs.c). */
bool text_know_func(loading *s, ir_func f); /* of an import; false: memory is short */
ir_func text_find_own_func(const reader *r, str_id name);
ir_func text_find_func(const reader *r, str_id name); /* final when the whole file was read */
/* Makes a function of this text known; reports a second one of the same name. */
void text_bind_func(reader *r, const token *name, ir_func f);
/* Gives the calls of functions that stood further behind their function, at the end of the text. */
void text_resolve_calls(reader *r);

/* ---- types, levels, instances (text/read_types.c) ---- */

ir_type text_read_type(reader *r); /* 0 after an error */
/* level = { "1" "+" } NAME.  False after an error, which a level above every machine's is too. */
bool text_read_level(reader *r, ir_level *level);
/* <'a: KIND, l>: declares parameters of the function f, or (0) leaves those of an inner fn in
 * r->types and r->levels.
 */
bool text_read_tparams(reader *r, ir_func f);
/* <types, levels> of a call; the pool index of the instance. */
bool text_read_instance(reader *r, uint32_t *inst);
/* <type; extents> "bytes": the type, and the pool index of what the constant holds. */
bool text_read_data(reader *r, uint32_t *type, uint32_t *inst);

/* ---- the rest ---- */

/* Whether the token in hand begins a literal: only then may text_read_literal be called. */
bool text_at_literal(const reader *r);
ir_value text_read_literal(reader *r); /* 0 after an error */
/* { (parameters) statements }, the brace being in hand.  body: of a function, whose parameters
 * stand in its head.  Region 0, for an operation that was not made, is read for its errors. */
void text_read_region(reader *r, ir_region region, bool body);
/* ( %x: t, ... ): a function's parameters must have types. */
bool text_read_params(reader *r, ir_region region, bool need_types);
/* The text of a string token, escapes decoded, interned; the first refuses an empty one. */
bool text_string_value(reader *r, const token *t, str_id *value);
bool text_any_string_value(reader *r, const token *t, str_id *value);
/* Decimal digits of 32 bits; `what` was expected where they are none. */
bool text_read_u32(reader *r, uint32_t *x, const char *what);
/* The bytes that a string token gives in base 64; false where it is reported that it does not. */
bool text_read_bytes(reader *r, const token *t, str_id *bytes);

/* ---- what stands beside the program (text/read_extra.c) ---- */

/* loc("file":line:column), where it stands; *loc stays as it is where it does not.  False:
 * reported, and passed over. */
bool text_read_loc(reader *r, location *loc);
/* prop(...), hint(...) and attr("key" = value, ...), where they stand; id 0: for what could not be
 * read. */
bool text_read_attributes(reader *r, subject of);
/* module prop(...) hint(...) attr(...) */
bool text_read_module_attributes(reader *r);
/* section "name" "base 64" */
bool text_read_section(reader *r);

#endif
