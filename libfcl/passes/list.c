/* Lists of passes: reading them, the default one, and whether a list keeps the passes' contracts.
 *
 * list = step {"," step}; step = NAME ["(" NAME "=" VALUE {"," NAME "=" VALUE} ")"]; blanks do not
 * count.  A list that begins with a module may name core passes, then `lower`, then kernel passes;
 * the first kernel pass without a `lower` before it brings "check, lower" along. */
#include "libfcl/passes/passes.h"

#include "ir/base/source.h"
#include "ir/base/nearest.h"

#include <string.h>

static const char list_name[] = "--passes";

/* The text becomes a source when there is something to say about it. */
static location list_location(fcl_context *cx, const char *text, size_t offset, size_t length)
{
    uint32_t kept = text ? source_add(cx, list_name, text, strlen(text)) : 0;
    return kept ? source_location(cx, kept - 1, offset, (uint32_t)length) : (location){0};
}

/* The grammar has no recursion: one character of lookahead and a loop over the steps. */
typedef struct list_reader {
    fcl_context *cx;
    pass_list *out;
    size_t at;
    fcl_pass_kind kind; /* of the program there: CORE or KERNEL */
} list_reader;

static location here(const list_reader *r, size_t offset, size_t length)
{
    return list_location(r->cx, r->out->text, offset, length);
}

static size_t skip_blanks(list_reader *r)
{
    r->at += strspn(r->out->text + r->at, " \t\n");
    return r->at;
}

/* A word up to one of the characters that end it, and the blanks around it; its offset. */
static size_t take_word(list_reader *r, const char *ends, size_t *n)
{
    size_t start = skip_blanks(r);
    *n = strcspn(r->out->text + start, ends);
    r->at += *n;
    skip_blanks(r);
    return start;
}

/* Takes a character and the blanks behind it, where it is there. */
static bool take(list_reader *r, char c)
{
    bool there = r->out->text[r->at] == c;
    r->at += there;
    if (there)
        skip_blanks(r);
    return there;
}

/* ---- names ---- */

/* The hint offers the name that is nearest by edits, of passes of every kind. */
static bool no_pass(fcl_context *cx, location at, const char *name, size_t n)
{
    nearest x;
    nearest_init(&x, name, n);
    const pass_info *p;
    for (size_t i = 0; (p = pass_at(cx, i)) != NULL; i++)
        nearest_offer(&x, p->about.name, strlen(p->about.name));
    diag_error(cx, DIAG_NO_PASS, at, "there is no pass %.*s", (int)(n < 64 ? n : 64), name);
    if (x.n)
        diag_hint(cx, "did you mean %s?", x.best[0]);
    else
        diag_hint(cx, "fcl-opt --list-passes lists them");
    return false;
}

/* A pass of that name, but for another kind of program. */
static bool wrong_kind(list_reader *r, const pass_info *pass, location at)
{
    if (pass->about.kind == FCL_PASS_EMISSION) {
        diag_error(r->cx, DIAG_PASS_SYNTAX, at, "%s is no step of a list", pass->about.name);
        diag_hint(r->cx, "fcl-opt --emit=opencl asks for code");
    } else {
        diag_error(r->cx, DIAG_PASS_REQUIRES, at,
                   "%s works on modules of the core; this is a kernel program", pass->about.name);
        diag_hint(r->cx, "core passes stand before lower and before all kernel passes");
    }
    return false;
}

/* A pass of that name, whatever it works on; kernel passes first, since names may be shared. */
static const pass_info *any_pass(const fcl_context *cx, const char *name, size_t n)
{
    static const fcl_pass_kind kinds[] = {FCL_PASS_KERNEL, FCL_PASS_CORE, FCL_PASS_EMISSION};
    const pass_info *found = NULL;
    for (size_t i = 0; !found && i < sizeof kinds / sizeof *kinds; i++)
        found = pass_named(cx, name, n, kinds[i]);
    return found;
}

/* A step that the list does not name; it has the place of the pass for which it comes. */
static bool add_step(list_reader *r, const char *name, size_t offset, size_t length)
{
    pass_step step = {.pass = pass_named(r->cx, name, strlen(name), FCL_PASS_CORE),
                      .text = intern_cstr(&r->cx->strings, name),
                      .offset = (uint32_t)offset,
                      .length = (uint32_t)length};
    return step.text && vec_push(&r->cx->mem, &r->out->steps, step);
}

/* The pass that a name means there; brings `lower` along where a kernel pass needs it. */
static bool find_pass(list_reader *r, size_t start, size_t n, const pass_info **out)
{
    const char *name = r->out->text + start;
    const pass_info *any = any_pass(r->cx, name, n);
    if (!any)
        return no_pass(r->cx, here(r, start, n), name, n);
    *out = pass_named(r->cx, name, n, r->kind);
    if (*out) {
        if ((*out)->about.kind == FCL_PASS_LOWERING)
            r->kind = FCL_PASS_KERNEL;
        return true;
    }
    if (r->kind == FCL_PASS_KERNEL || any->about.kind != FCL_PASS_KERNEL)
        return wrong_kind(r, any, here(r, start, n));
    r->kind = FCL_PASS_KERNEL;
    *out = any;
    return add_step(r, "check", start, n) && add_step(r, "lower", start, n);
}

/* ---- options ---- */

/* Reports, with the options that the pass does have. */
static bool bad_option(list_reader *r, const pass_step *step, location at, const char *name)
{
    const fcl_pass *p = &step->pass->about;
    fcl_pass_option o;
    size_t k = 0;
    diag_error(r->cx, DIAG_PASS_OPTION, at, "the pass %s has no option %s", p->name, name);
    vec_char list = {0};
    while (pass_option_at(step->pass, k, &o))
        text_addf(&r->cx->mem, &list, "%s%s", k++ ? ", " : "", o.name);
    if (list.len)
        diag_hint(r->cx, "its options are %s", text_cstr(&r->cx->mem, &list));
    else
        diag_hint(r->cx, "it has none");
    vec_free(&r->cx->mem, &list);
    return false;
}

/* Reports, with the numbers that the option takes. */
static bool bad_value(list_reader *r, const pass_step *step, location at, const char *name)
{
    fcl_pass_option o = {0};
    for (size_t k = 0; pass_option_at(step->pass, k, &o) && strcmp(o.name, name) != 0;)
        k++;
    diag_error(r->cx, DIAG_PASS_OPTION, at, "%s does not take this value", name);
    if (o.is_number)
        diag_hint(r->cx, "it takes whole numbers from %zu to %zu", o.least, o.most);
    else if (o.choices)
        diag_hint(r->cx, "it takes one of %s", o.choices);
    return false;
}

/* Names and values are interned, so that steps may keep them as long as the context lives. */
static bool read_option(list_reader *r, pass_step *step)
{
    intern *strings = &r->cx->strings;
    size_t n, m, start = take_word(r, " \t\n=,()", &n);
    if (!n || !take(r, '='))
        return diag_error(r->cx, DIAG_PASS_SYNTAX, here(r, n ? r->at : start, 1),
                          "OPTION=VALUE is expected here");
    size_t from = take_word(r, " \t\n=,()", &m);
    str_id name = intern_add(strings, r->out->text + start, n);
    str_id value = intern_add(strings, r->out->text + from, m);
    bool known;
    if (!name || (m && !value))
        return false;
    const char *option = intern_str(strings, name);
    if (pass_option_set(r->cx, step, option, intern_str(strings, value), &known))
        return true;
    if (r->cx->mem.oom)
        return false;
    return known ? bad_value(r, step, here(r, from, m ? m : 1), option)
                 : bad_option(r, step, here(r, start, n), option);
}

static bool read_options(list_reader *r, pass_step *step)
{
    do {
        if (!read_option(r, step))
            return false;
    } while (take(r, ','));
    return take(r, ')') ||
           diag_error(r->cx, DIAG_PASS_SYNTAX, here(r, r->at, 1), "a comma or ) is expected here");
}

/* ---- steps ---- */

/* step.text is the step as it was written, options included; observers and reproducers show it. */
static bool read_step(list_reader *r)
{
    size_t n, start = take_word(r, " \t\n=,()", &n);
    pass_step step = {.offset = (uint32_t)start, .length = (uint32_t)n};
    if (!n)
        return diag_error(r->cx, DIAG_PASS_SYNTAX, here(r, start, 1),
                          "the name of a pass is expected here");
    if (!find_pass(r, start, n, &step.pass))
        return false;
    size_t end = start + n;
    if (take(r, '(')) {
        if (!read_options(r, &step))
            return false;
        end = start + strcspn(r->out->text + start, ")") + 1;
    }
    step.text = intern_add(&r->cx->strings, r->out->text + start, end - start);
    return step.text && vec_push(&r->cx->mem, &r->out->steps, step);
}

/* The text must outlive the list, which points into it for diagnostics. */
bool pass_list_read(fcl_context *cx, const char *text, bool from_kernel, pass_list *out)
{
    list_reader r = {.cx = cx, .out = out, .kind = from_kernel ? FCL_PASS_KERNEL : FCL_PASS_CORE};
    *out = (pass_list){.text = text};
    do {
        if (!read_step(&r))
            return false;
    } while (take(&r, ','));
    return !text[r.at] || diag_error(cx, DIAG_PASS_SYNTAX, here(&r, r.at, 1),
                                     "a comma or the end is expected here");
}

/* ---- the default ---- */

/* Whether the list, names separated by commas, has name. */
static bool is_listed(const char *list, const char *name)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (strlen(name) == n && memcmp(list, name, n) == 0)
            return true;
    }
    return false;
}

static bool no_kernel_pass(fcl_context *cx, const char *name, size_t n)
{
    const pass_info *p = pass_named(cx, name, n, FCL_PASS_CORE);
    p = p ? p : pass_named(cx, name, n, FCL_PASS_EMISSION);
    if (!p)
        return no_pass(cx, (location){0}, name, n);
    diag_error(cx, DIAG_NO_PASS, (location){0}, "%s is no pass over kernel programs", p->about.name);
    diag_hint(cx, "name those that stand behind lower: fcl-opt --list-passes lists them");
    return false;
}

/* Every name in the list must be a kernel pass. */
bool pass_list_known(fcl_context *cx, const fcl_compile_options *o)
{
    const char *list = o->kernel_passes ? o->kernel_passes : "";
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (n && !pass_named(cx, list, n, FCL_PASS_KERNEL))
            return no_kernel_pass(cx, list, n);
    }
    return true;
}

/* One step of the default, unless kernel_passes leaves it out, which it never does with a needed
 * pass. */
static bool add_usual(fcl_context *cx, const fcl_compile_options *o, const pass_info *pass,
                      pass_list *out)
{
    const fcl_pass *about = &pass->about;
    bool wanted = about->needed || !o->kernel_passes || about->kind != FCL_PASS_KERNEL ||
                  is_listed(o->kernel_passes, about->name);
    pass_step step = {.pass = pass, .text = intern_cstr(&cx->strings, about->name)};
    return step.text && (!wanted || vec_push(&cx->mem, &out->steps, step));
}

/* The passes of users that follow a kernel pass, in the order in which they were registered. */
static bool add_following(fcl_context *cx, const fcl_compile_options *o, const pass_info *pass,
                          pass_list *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < cx->registry.passes.len; i++) {
        const pass_info *own = cx->registry.passes.at[i];
        const char *after = own->plugin ? own->plugin->after : NULL;
        if (pass->about.kind == FCL_PASS_KERNEL && after && strcmp(after, pass->about.name) == 0)
            ok = add_usual(cx, o, own, out);
    }
    return ok;
}

/* pipeline.def in order. */
bool pass_list_default(fcl_context *cx, const fcl_compile_options *o, pass_list *out)
{
    fcl_pass_kind stage = FCL_PASS_CORE;
    const char *name;
    *out = (pass_list){0};
    if (!pass_list_known(cx, o))
        return false;
    for (size_t i = 0; (name = fcl_pipeline_step(i, NULL)) != NULL; i++) {
        const pass_info *pass = pass_named(NULL, name, strlen(name), stage);
        if (!pass) /* the last step: emission */
            break;
        if (pass->about.kind == FCL_PASS_LOWERING)
            stage = FCL_PASS_KERNEL;
        if (!add_usual(cx, o, pass, out) || !add_following(cx, o, pass, out))
            return false;
    }
    return true;
}

/* ---- contracts ---- */

/* What a pass establishes wins over what it breaks: it may undo a property and make it anew. */
unsigned pass_holds(const fcl_pass *pass, unsigned holds)
{
    return (holds & ~pass->breaks) | pass->establishes;
}

/* The passes that establish a property, as a hint. */
static void hint_establishing(fcl_context *cx, size_t property)
{
    fcl_pass p;
    for (size_t i = 0; fcl_pass_get(i, &p, sizeof p); i++)
        if (p.establishes & 1u << property)
            diag_hint(cx, "the pass %s establishes that", p.name);
}

/* Properties are bits of PROPERTY order; the first that is missing is reported. */
bool pass_allowed(fcl_context *cx, const fcl_pass *pass, unsigned holds, location at)
{
    unsigned missing = pass->requires & ~holds;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (missing & 1u << i) {
            diag_error(cx, DIAG_PASS_REQUIRES, at, "%s needs a program that is %s, and it is not",
                       pass->name, fcl_pass_property(i, NULL));
            hint_establishing(cx, i);
            return false;
        }
    return true;
}

/* A dry run over the properties: a list that cannot work is refused before anything has changed. */
bool pass_list_allowed(fcl_context *cx, const pass_list *list, unsigned holds)
{
    for (uint32_t i = 0; i < list->steps.len; i++) {
        const pass_step *s = &list->steps.at[i];
        const fcl_pass *p = &s->pass->about;
        location at = p->requires & ~holds ? list_location(cx, list->text, s->offset, s->length)
                                           : (location){0};
        if (!pass_allowed(cx, p, holds, at))
            return false;
        holds = pass_holds(p, holds);
    }
    return true;
}
