/* The way from source to core in one place: texts, dialect, names, types, then emission.
 *
 * Within a stage every declaration with a mistake is named.  A mistake in one declaration does not
 * keep the types of the others from being looked at; building begins only when nothing is wrong.
 * The tree lies in one arena, which is dropped at the end: what outlives it is in the module and in
 * the diagnostics. */
#include "frontends/fcl/emit/emit.h"
#include "ir/base/source.h"
#include "frontends/fcl/infer/infer.h"

#include <string.h>

/* ---- names ---- */

/* Makes the declarations known by name, all of them before any is looked at: their order in the
 * file means nothing. */
static bool enter_declarations(program *p)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->prelude.len; i++) {
        decl *d = p->prelude.at[i];
        name_entry *n = program_name_at(p, d->name);
        *(d->from_import ? &n->imported : &n->prelude) = d;
    }
    for (uint32_t i = 0; i < p->user.len; i++) {
        decl *d = p->user.at[i];
        name_entry *n = program_name_at(p, d->name);
        if (n->user) {
            ok = diag_error(p->cx, DIAG_FCL_DUPLICATE, d->loc, "'%s' is declared twice",
                            program_text_of(p, d->name));
            diag_note_add(p->cx, n->user->loc, "the other declaration is here");
        }
        n->user = d;
    }
    return ok;
}

/* ---- texts ---- */

/* Whether a forall begins there that gives no class to a variable: 2017 had no classes. */
static bool is_old_forall(const token_list *tokens, uint32_t i)
{
    if (tokens->at[i].kind != TK_FORALL)
        return false;
    while (++i < tokens->len && tokens->at[i].kind != TK_DOT)
        if (tokens->at[i].kind == TK_COLON)
            return false;
    return true;
}

/* Whether only 2017 has such a word. */
static bool is_old_word(const char *s)
{
    static const char *const words[] = {"Program",    "return",        "bind",
                                        "readIntCSV", "forceAndPrint", "forceAndPrintDouble",
                                        "benchmark"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(s, words[k]) == 0)
            return true;
    return false;
}

/* Remembers the first token that tells a dialect. */
static void note_mark(fcl_context *cx, dialect_mark *m, const fcl_token *t, str_id file)
{
    if (m->word)
        return;
    const char *fixed = t->name ? NULL : parse_token_spelling((token_kind)t->kind);
    m->word = t->name ? t->name : intern_cstr(&cx->strings, fixed);
    m->loc = (location){.file = file, .line = t->line, .col = t->col, .len = t->len};
}

/* What of either dialect occurs in a text. */
static void find_marks(fcl_context *cx, const token_list *tokens, str_id file, dialect_mark *old,
                       dialect_mark *paper)
{
    for (uint32_t i = 0; i < tokens->len; i++) {
        const fcl_token *t = &tokens->at[i];
        const char *s = t->kind == TK_IDENT ? intern_str(&cx->strings, t->name) : "";
        if (t->kind == TK_TYVAR || t->kind == TK_DO || is_old_forall(tokens, i) || is_old_word(s))
            note_mark(cx, old, t, file);
        if (strcmp(s, "warp") == 0)
            note_mark(cx, paper, t, file);
    }
}

/* The dialect is that of the user's text, which is read before the prelude; of a text that either
 * could be, it is that of its prelude: 2017 if something of that occurs and the warp level does
 * not. */
static void choose_dialect(program *p, const token_list *tokens, str_id file, bool prelude)
{
    dialect_mark old = {0}, paper = {0};
    find_marks(p->cx, tokens, file, &old, &paper);
    if (!prelude) {
        p->of_2017 = old;
        p->of_paper = paper;
    }
    p->old_prelude = prelude && old.word && !paper.word;
    if (!prelude || (!p->of_2017.word && !p->of_paper.word))
        p->types.old = p->old = old.word && !paper.word;
}

/* Tokens, then declarations. */
static bool read_text(program *p, const char *name, const char *text, size_t size, text_kind kind,
                      decl_list *out)
{
    token_list tokens = {0};
    uint32_t kept = source_add(p->cx, name, text, size);
    str_id file = intern_cstr(&p->cx->strings, name);
    if (kept) {
        source_hold(p->cx, p->in->sources, kept - 1);
        p->cx->diags.sources.at[kept - 1].library = kind != TEXT_USER;
    }
    bool ok = parse_lex(p->cx, file, text, size, &tokens);
    if (kind != TEXT_IMPORT)
        choose_dialect(p, &tokens, file, kind == TEXT_PRELUDE);
    ok = tokens.len && parse_text(p, file, &tokens, kind, out) && ok;
    vec_free(&p->cx->mem, &tokens);
    return ok;
}

/* A text as the caller gives it; a program that has none does without. */
static bool read_library(program *p, const char *name, text_kind kind)
{
    const char *text;
    size_t size;
    return !p->in->files(p->in->files_user, name, &text, &size) ||
           read_text(p, name, text, size, kind, &p->prelude);
}

/* The prelude, and what is imported behind it. */
static bool read_prelude(program *p)
{
    return read_library(p, "prelude.fcl", TEXT_PRELUDE) &&
           (!p->imports || read_library(p, "arrays.fcl", TEXT_IMPORT));
}

/* ---- signatures ---- */

/* What fclc check prints: the inferred schemes, in the order of the file. */
static void print_signatures(program *p, vec_char *out)
{
    for (uint32_t i = 0; i < p->user.len; i++) {
        const decl *d = p->user.at[i];
        if (!d->scheme)
            continue;
        text_addf(&p->cx->mem, out, "sig %s : ", program_text_of(p, d->name));
        scheme_print(&p->types, d->scheme, out);
        text_add(&p->cx->mem, out, "\n", 1);
    }
}

/* ---- the whole ---- */

static void program_free(program *p)
{
    types_free(&p->types);
    vec_free(&p->cx->mem, &p->names);
    vec_free(&p->cx->mem, &p->prelude);
    vec_free(&p->cx->mem, &p->user);
    arena_free(&p->mem);
}

bool fcl_surface_read(fcl_context *cx, fcl_module *m, const fcl_surface *in, vec_char *signatures)
{
    program p = {.cx = cx, .m = m, .in = in};
    uint32_t reported = cx->diags.all.len;
    arena_init(&p.mem, &cx->mem);
    bool ok = types_init(&p.types, cx, false) &&
              read_text(&p, in->name, in->text, in->size, TEXT_USER, &p.user);
    bool known = !cx->mem.oom && read_prelude(&p) && infer_builtins_init(&p);
    ok = known && enter_declarations(&p) && ok;
    ok = known && infer_program(&p) && ok;
    if (ok) {
        infer_warn(&p);
        print_signatures(&p, signatures);
    }
    ok = ok && emit_program(&p);
    diag_sort(cx, reported);
    program_free(&p);
    return ok;
}

/* ---- which texts ---- */

/* Whether the text begins, after comments in the core's manner, like a text of the core: `fcl 0.1`.
 */
static bool begins_like_core(const char *s, size_t n)
{
    size_t i = 0;
    for (;;) {
        while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n'))
            i++;
        if (n - i < 2 || s[i] != '/' || s[i + 1] != '/')
            break;
        while (i < n && s[i] != '\n')
            i++;
    }
    if (n - i < 5 || memcmp(s + i, "fcl", 3) != 0 || (s[i + 3] != ' ' && s[i + 3] != '\t'))
        return false;
    for (i += 3; i < n && (s[i] == ' ' || s[i] == '\t');)
        i++;
    return i < n && s[i] >= '0' && s[i] <= '9';
}

/* A .fcl file that holds the core's text form is one of the core's. */
bool fcl_surface_is(const char *name, const char *text, size_t size)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".fcl") == 0 && !begins_like_core(text, size);
}
