/* Reading the text form: files, imports, functions and their heads.  See text.h; the inside is in
 * text/parse.h.
 *
 * A session (`loading`) reads the module's own text and, as they are met, the texts of its imports,
 * into the same module; each text has a reader of its own.  Linear in the texts.  Imports nest at
 * most IMPORT_DEPTH deep, which bounds the recursion of read_source. */
#include "serialize/text/parse.h"
#include "ir/base/source.h"

#include <stdio.h>
#include <string.h>

enum { IMPORT_DEPTH = 50, IMPORTS_MAX = UINT16_MAX - 1 };

static bool read_source(loading *s, const char *name, const char *text, size_t size,
                        uint16_t import);

/* ---- imports ---- */

/* By a look at each: modules have few imports. */
static import_node *find_import(ir_module *m, str_id name)
{
    for (uint32_t i = 0; i < m->imports.len; i++)
        if (m->imports.at[i].name == name)
            return &m->imports.at[i];
    return NULL;
}

/* False, with a report, when the import is being read already or nests too deep. */
static bool check_cycle(loading *s, str_id name, location loc)
{
    for (uint32_t i = 0; i < s->chain.len; i++)
        if (s->chain.at[i] == name)
            return diag_error(s->m->cx, DIAG_TEXT_IMPORT_CYCLE, loc, "\"%.200s\" imports itself",
                              ir_str(s->m, name));
    if (s->chain.len >= IMPORT_DEPTH)
        return diag_error(s->m->cx, DIAG_TOO_DEEP, loc, "imports nest too deep here");
    return true;
}

static bool unknown_import(const ir_module *m, str_id name, location loc)
{
    static const char *const own[] = {"prelude", "prelude.scan", "prelude.segments", "prelude.compact", "arrays"};
    nearest x;
    nearest_init(&x, ir_str(m, name), intern_len(&m->cx->strings, name));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        nearest_offer(&x, own[i], strlen(own[i]));
    diag_error(m->cx, DIAG_TEXT_UNKNOWN_IMPORT, loc, "there is no import \"%.200s\"",
               ir_str(m, name));
    if (x.n)
        diag_hint(m->cx, "did you mean %s?", x.best[0]);
    else
        diag_hint(m->cx, "there are prelude, whose functions have levels, arrays, whose functions have none, and prelude.skeletons, which the pass schedule calls");
    return false;
}

/* Reads an import for the first time.  Its node is there before its text is read, so that its
 * functions can say where they come from. */
static bool import_source(loading *s, str_id name, location loc, bool indirect)
{
    ir_module *m = s->m;
    mem *mm = &m->cx->mem;
    const char *text;
    size_t size;
    if (m->imports.len >= IMPORTS_MAX)
        return diag_error(m->cx, DIAG_TOO_LARGE, loc, "a module has at most %d imports",
                          IMPORTS_MAX);
    if (!s->import || !s->import(s->user, ir_str(m, name), &text, &size))
        return unknown_import(m, name, loc);
    import_node n = {.name = name, .loc = ir_add_loc(m, loc), .indirect = indirect};
    if (!vec_push(mm, &m->imports, n) || !vec_push(mm, &s->chain, name))
        return false;
    bool ok = read_source(s, ir_str(m, name), text, size, (uint16_t)m->imports.len);
    s->chain.len--;
    return ok;
}

/* Reads an import unless it was read already.  One that an import imported counts as the module's
 * own when the module names it too. */
static bool import_once(loading *s, str_id name, location loc, bool indirect)
{
    if (!check_cycle(s, name, loc))
        return false;
    import_node *known = find_import(s->m, name);
    if (!known)
        return import_source(s, name, loc, indirect);
    known->indirect &= indirect;
    return true;
}

/* Import functions get C strings. */
static bool import_is_named(reader *r, const token *t, str_id name)
{
    return strlen(ir_str(r->m, name)) == intern_len(&r->cx->strings, name) ||
           diag_error(r->cx, DIAG_TEXT_UNKNOWN_IMPORT, text_token_loc(r, t),
                      "the name of an import holds a NUL");
}

/* item = "import" STRING.  When nothing came of it, unknown functions are not reported: they may
 * have been meant to be in there. */
static bool read_import(reader *r)
{
    str_id name;
    next_token(r);
    token t = r->tok;
    if (!text_expect_token(r, T_STRING, "the import's name in quotation marks"))
        return false;
    uint32_t funcs = r->m->funcs.len;
    bool ok = text_string_value(r, &t, &name) && import_is_named(r, &t, name) &&
              import_once(r->s, name, text_token_loc(r, &t), r->import != 0);
    r->s->import_failed |= !ok && r->m->funcs.len == funcs;
    const import_node *known = ok ? find_import(r->m, name) : NULL;
    return !known || vec_push(&r->cx->mem, &r->imports, (uint32_t)(known - r->m->imports.at) + 1);
}

/* ---- functions ---- */

/* [ "->" type ].  f may be 0, as everywhere here: a function that could not be made is read on. */
static bool read_result_type(reader *r, ir_func f)
{
    if (!take_token(r, T_ARROW))
        return true;
    ir_type t = text_read_type(r);
    if (f) {
        ir_func_at(r->m, f)->result = t;
        ir_func_at(r->m, f)->result_annotated = true;
    }
    return t != 0;
}

/* loc(...) and attr(...) of a function. */
static bool read_suffix(reader *r, ir_func f)
{
    location loc = {0};
    if (!text_read_loc(r, &loc))
        return false;
    if (loc.file && f)
        ir_func_at(r->m, f)->loc = ir_add_loc(r->m, loc);
    return text_read_attributes(r, (subject){ON_FUNC, f});
}

/* tparams? "(" list(param) ")" [ "->" type ] loc? attrs?, up to the brace of the body. */
static bool read_head(reader *r, ir_func f)
{
    if (r->tok.kind == '<' && !text_read_tparams(r, f)) {
        text_skip_to(r, ">({");
        take_token(r, '>');
    }
    if (!text_read_params(r, ir_func_at(r->m, f)->body, true)) {
        r->params_lost = true;
        return false;
    }
    return read_result_type(r, f) && read_suffix(r, f) &&
           (r->tok.kind == '{' || text_syntax_error(r, "'{' and the function's body"));
}

/* Forgets the parameters of types and levels, values, and everything else that belongs to one
 * function. */
static void end_function(reader *r)
{
    text_leave_scope(r, 0);
    text_report_missing(r);
    r->types.len = r->levels.len = 0;
    r->params_lost = false;
}

/* The function's body, which may stand behind a head that could not be read. */
static bool read_body(reader *r, ir_func f)
{
    while (r->tok.kind != '{' && r->tok.kind != T_END && !at_item(r)) {
        next_token(r);
        text_skip_to(r, "{");
    }
    if (r->tok.kind != '{')
        return false;
    text_read_region(r, ir_func_at(r->m, f)->body, true);
    return true;
}

/* ( "fun" | "kernel" ) "@"NAME head region.  The function is known before its body is read, so that
 * it may call itself. */
static bool read_function(reader *r)
{
    bool kernel = is_key(&r->tok, KEY_KERNEL);
    next_token(r);
    token name = r->tok;
    if (!text_expect_token(r, T_FUNC, "the function's name, such as @f"))
        return false;
    ir_func f =
        ir_add_func(r->m, text_token_name(r, &name), kernel, text_add_spot_loc(r, spot_of(&name)));
    if (f)
        ir_func_at(r->m, f)->import = r->import;
    text_bind_func(r, &name, f);
    r->func = f;
    r->func_at = (uint32_t)(name.at - r->lx.text);
    if (!read_head(r, f))
        text_skip_to(r, "{");
    bool ok = read_body(r, f);
    end_function(r);
    return ok;
}

/* ---- files ---- */

/* One item; after an error, on to where the next one begins. */
static void read_item(reader *r)
{
    r->unclosed = false;
    bool ok = is_key(&r->tok, KEY_IMPORT)    ? read_import(r)
              : is_key(&r->tok, KEY_MODULE)  ? text_read_module_attributes(r)
              : is_key(&r->tok, KEY_SECTION) ? text_read_section(r)
              : at_item(r)                   ? read_function(r)
                           : text_unexpected(r, "fun, kernel, import, module or section");
    while (!ok && r->tok.kind != T_END && !at_item(r))
        next_token(r);
}

/* MAJOR.MINOR of the first line; false when the token is something else.  Not a real number: 0.10
 * comes after 0.9. */
static bool parse_version(const token *t, uint32_t *major, uint32_t *minor)
{
    uint32_t numbers[2] = {0, 0}, n = 0, digits = 0;
    for (uint32_t i = 0; i < t->len; i++, digits++) {
        if (t->at[i] == '.' && digits && n == 0) {
            n = 1;
            digits = UINT32_MAX; /* 0 after this turn */
        } else if (t->at[i] < '0' || t->at[i] > '9' || digits > 6) {
            return false;
        } else {
            numbers[n] = numbers[n] * 10 + (uint32_t)(t->at[i] - '0');
        }
    }
    *major = numbers[0];
    *minor = numbers[1];
    return n && digits;
}

/* A newer version of the same major number is read as far as it is known.  Where something in it is
 * unknown, unknown_operator in text/read_op.c says that this may be why. */
static bool read_version(reader *r, const token *t)
{
    uint32_t major, minor;
    if (!parse_version(t, &major, &minor) || !version_readable(major, minor)) {
        diag_error(r->cx, DIAG_TEXT_VERSION, text_token_loc(r, t),
                   "version %.*s of the text form cannot be read: this library reads %d.%d",
                   (int)(t->len < 60 ? t->len : 60), t->at, FORMAT_MAJOR, FORMAT_MINOR);
        return false;
    }
    r->version = major * 100 + minor;
    return true;
}

static bool bad_header(reader *r, const char *what)
{
    if (r->lx.stopped)
        return false;
    return diag_error(r->cx, DIAG_TEXT_HEADER, text_token_loc(r, &r->tok),
                      "%s: the first line must be `fcl %d.%d`", what, FORMAT_MAJOR, FORMAT_MINOR);
}

/* The first line.  False when there is no sense in reading on.  A text that begins with an item
 * only lacks its version: that is reported, and the items are read. */
static bool read_header(reader *r)
{
    if (r->tok.kind == T_END)
        return bad_header(r, "the text is empty");
    if (!is_key(&r->tok, KEY_FCL)) {
        bool other = !at_item(r);
        if (other && (r->tok.kind == '(' || r->tok.kind == '[' || r->tok.kind == '{'))
            return text_syntax_error(r, "`fcl 0.1` in the first line");
        bad_header(r, other ? "this is not a module in text form" : "the version is missing");
        return !other;
    }
    next_token(r);
    token t = r->tok;
    if (!text_expect_token(r, T_NUMBER, "a version number"))
        return false;
    return read_version(r, &t);
}

static void reader_free(reader *r)
{
    mem *mm = &r->cx->mem;
    for (int i = 0; i < SPACE_COUNT; i++)
        vec_free(mm, &r->spaces[i]);
    vec_free(mm, &r->numbers);
    vec_free(mm, &r->undos);
    vec_free(mm, &r->hidden);
    vec_free(mm, &r->missing);
    vec_free(mm, &r->calls);
    vec_free(mm, &r->args);
    vec_free(mm, &r->types);
    vec_free(mm, &r->levels);
    vec_free(mm, &r->own);
    vec_free(mm, &r->imports);
}

/* file = header item*, then the calls whose functions stood behind them. */
static void read_file(reader *r)
{
    next_token(r);
    r->prev_end = NULL; /* nothing was before the first token */
    if (!read_header(r))
        return;
    while (r->tok.kind != T_END)
        read_item(r);
    if (!r->lx.stopped)
        text_resolve_calls(r);
}

/* Room for what a text of that size mostly is: growing would copy and touch it again and again. */
static void reserve_nodes(ir_module *m, size_t size)
{
    mem *mm = &m->cx->mem;
    (void)(vec_reserve(mm, &m->ops, size / 24) && vec_reserve(mm, &m->values, size / 20) &&
           vec_reserve(mm, &m->pool, size / 12));
}

/* Reads one text; import: 1 + its index, 0 for the module itself.  False when it cannot even be
 * kept. */
static bool read_source(loading *s, const char *name, const char *text, size_t size,
                        uint16_t import)
{
    fcl_context *cx = s->m->cx;
    reader r = {.s = s, .m = s->m, .cx = cx, .import = import};
    uint32_t first = cx->diags.all.len, errors = cx->diags.errors;
    if (size > UINT32_MAX / 4)
        return diag_error(cx, DIAG_TOO_LARGE, (location){.file = intern_cstr(&cx->strings, name)},
                          "a text has at most %u bytes", UINT32_MAX / 4);
    uint32_t kept = source_add(cx, name, size ? text : "", size);
    if (!kept || !source_hold(cx, &s->m->sources, kept - 1))
        return false;
    cx->diags.sources.at[kept - 1].library = ir_is_library(s->m, import);
    /* The copy outlives whatever the import function does with the original. */
    lex_init(&r.lx, cx, &s->words, kept - 1);
    r.tok.at = r.lx.p;
    r.numbers_end = (uint32_t)(size / 4);
    if (!import)
        s->m->file = r.lx.file;
    reserve_nodes(s->m, size);
    read_file(&r);
    if (!import)
        s->version = r.version;
    reader_free(&r);
    diag_sort(cx, first); /* undefined values and unknown functions were found late */
    return cx->diags.errors == errors && !cx->mem.oom;
}

/* ---- sessions ---- */

/* What is known already: the functions that the module has imported. */
static bool session_init(loading *s)
{
    words_init(&s->words);
    for (int i = ST_NONE + 1; i < ST_COUNT; i++)
        s->scalars[i] = type_scalar(s->m, (scalar)i);
    for (ir_func f = 1; f < s->m->funcs.len; f++)
        if (s->m->funcs.at[f].import && !text_know_func(s, f))
            return false;
    return true;
}

static void session_free(loading *s)
{
    vec_free(&s->m->cx->mem, &s->imported);
    vec_free(&s->m->cx->mem, &s->preludes);
    vec_free(&s->m->cx->mem, &s->chain);
}

bool text_read(ir_module *m, const char *name, const char *text, size_t size,
               text_import_fn *import, void *user)
{
    loading s = {.m = m, .import = import, .user = user};
    bool ok = session_init(&s) && read_source(&s, name, text, size, 0) &&
              version_upgrade_module(m, s.version);
    session_free(&s);
    ir_module_trim(m);
    return ok;
}

bool text_import(ir_module *m, const char *import_name, text_import_fn *import, void *user,
                 location loc)
{
    loading s = {.m = m, .import = import, .user = user};
    str_id name = intern_cstr(&m->cx->strings, import_name);
    bool ok = name && session_init(&s) && import_once(&s, name, loc, false);
    session_free(&s);
    return ok;
}
