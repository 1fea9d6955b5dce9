/* Reproducers: see reproduce.h. */
#include "frontends/tools/commands/reproduce.h"

#include "frontends/tools/output.h"
#include "frontends/tools/text.h"

#include <string.h>

/* A word as a shell takes it. */
static void add_quoted(string *out, const char *word)
{
    string_add(out, "'", 1);
    for (; *word; word++)
        if (*word == '\'')
            string_addf(out, "'\\''");
        else
            string_add(out, word, 1);
    string_add(out, "'", 1);
}

/* Values are quoted always; names need none. */
static void add_option(string *out, option_id id, const char *value)
{
    string_addf(out, " --%s", option_name(id));
    if (*value) {
        string_add(out, "=", 1);
        add_quoted(out, value);
    }
}

/* What passes go by, beside their own options. */
static bool is_repeated(option_id id)
{
    static const option_id ids[] = {OPT_DEFINE,   OPT_BLOCK_SIZE, OPT_GROUPS,
                                    OPT_ENTRY,    OPT_IN_PLACE,   OPT_DEBUG_LINES,
                                    OPT_EXCHANGE, OPT_LIMIT,      OPT_VERIFY_EACH,
                                    OPT_TARGET,   OPT_PLUGIN};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Whether a module in text form is not yet what the pass asks for. */
static bool needs_check(const fcl_pass *p)
{
    const char *name;
    for (size_t i = 0; (name = fcl_pass_property(i, NULL)) != NULL; i++)
        if (strcmp(name, "checked") == 0)
            return p->requires & 1u << i;
    return false;
}

/* The command reads the file in which it stands; the first line is a comment for both text forms.
 */
static void add_command(string *out, const options *o, const fcl_pass_event *e)
{
    string list = {0};
    string_addf(&list, "%s%s", needs_check(e->pass) ? "check," : "", e->step);
    string_addf(out, "// fcl-opt");
    for (size_t i = 0; i < o->ngiven; i++)
        if (is_repeated(o->given[i].id))
            add_option(out, o->given[i].id, o->given[i].value);
    if (e->pass->kind == FCL_PASS_KERNEL || e->pass->kind == FCL_PASS_EMISSION)
        string_addf(out, " --from=kernel");
    if (e->pass->kind == FCL_PASS_EMISSION)
        string_addf(out, " --emit=opencl");
    else
        add_option(out, OPT_PASSES, string_str(&list));
    string_add(out, " ", 1);
    add_quoted(out, o->value[OPT_REPRODUCER]);
    string_add(out, "\n", 1);
    string_free(&list);
}

/* A failure to write is reported by output_write, and changes nothing about the run's own failure.
 */
void reproduce_write(session *s, const fcl_pass_event *e, const char *program, size_t size)
{
    string text = {0};
    add_command(&text, s->o, e);
    string_add(&text, program, size);
    output_write(&s->rep, s->o->value[OPT_REPRODUCER], string_str(&text), text.len);
    string_free(&text);
}
