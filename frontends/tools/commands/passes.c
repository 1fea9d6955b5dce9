/* The table of passes, read through the library: see passes.h. */
#include "frontends/tools/commands/passes.h"

#include "frontends/tools/output.h"
#include "frontends/tools/text.h"

/* A line of names for a set of properties, or nothing for the empty set. */
static void add_properties(string *out, const char *label, unsigned set)
{
    const char *name, *between = "";
    if (!set)
        return;
    string_addf(out, "%*s%s: ", 14, "", label);
    for (size_t i = 0; (name = fcl_pass_property(i, NULL)) != NULL; i++)
        if (set & 1u << i) {
            string_addf(out, "%s%s", between, name);
            between = ", ";
        }
    string_addf(out, "\n");
}

/* Options that have a default tell it. */
static void add_options(const session *s, string *out, size_t pass)
{
    fcl_pass_option o;
    for (size_t k = 0; fcl_pass_option_about(s->cx, pass, k, &o, sizeof o); k++) {
        string_addf(out, "%*s%s=%s", 14, "", o.name, o.is_number ? "N" : "WORD");
        if (o.is_number && o.initial)
            string_addf(out, " (%zu)", o.initial);
        if (!o.is_number && o.word)
            string_addf(out, " (%s)", o.word);
        string_addf(out, ": %s\n", o.summary);
    }
}

static void add_pass(const session *s, string *out, size_t i, const fcl_pass *p)
{
    string_addf(out, "%-12s%c %s\n", p->name, p->needed ? '*' : ' ', p->summary);
    add_properties(out, "requires", p->requires);
    add_properties(out, "establishes", p->establishes);
    add_properties(out, "breaks", p->breaks);
    add_options(s, out, i);
}

static void add_kind(const session *s, string *out, fcl_pass_kind kind, const char *title)
{
    fcl_pass p;
    string_addf(out, "%s", title);
    for (size_t i = 0; fcl_pass_about(s->cx, i, &p, sizeof p); i++)
        if (p.kind == kind)
            add_pass(s, out, i, &p);
}

static void add_pipeline(string *out)
{
    const char *name, *why = "";
    string_addf(out, "\nFrom a module to code:\n");
    for (size_t i = 0; (name = fcl_pipeline_step(i, &why)) != NULL; i++)
        string_addf(out, "%-12s  %s\n", name, why);
}

/* The table has one row for each pass; here they are put together by what they work on. */
bool passes_list(session *s)
{
    string list = {0};
    string_addf(&list, "Those with * always run on the way to code.\n");
    add_kind(s, &list, FCL_PASS_CORE, "\nOf the core:\n");
    add_kind(s, &list, FCL_PASS_LOWERING, "\nFrom the core to kernel programs:\n");
    add_kind(s, &list, FCL_PASS_KERNEL, "\nOf kernel programs:\n");
    add_kind(s, &list, FCL_PASS_EMISSION, "\nFrom kernel programs to code; not in lists:\n");
    add_pipeline(&list);
    bool ok = output_write(&s->rep, "-", string_str(&list), list.len);
    string_free(&list);
    return ok;
}
