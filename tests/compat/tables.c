/* Prints what the tables say: `wire` every number and name that is in files, a line each; `NAME`
 * the table of that name as it stands in docs/format.md, core.md or artifact.md.  It needs the
 * tables only, so run.sh compiles it by itself. */
#include <stdio.h>
#include <string.h>

/* Operands and results as both tables of operators give them. */
enum { MANY = 0xffff, SAME = 1, BOOL = 1 };

/* Files name what artifacts are made of: no name stands for another thing later. */
static void artifact_wire(void)
{
#define KEY(record, key, since, form)                                                              \
    printf("artifact-key %s.%s %s since %d\n", record, key, form, since);
#define CONTENTS_FIELD(key, kind, member, presence, since, form, meaning)                          \
    KEY("contents", key, since, form)
#define TARGET_FIELD(key, kind, member, presence, since, form, meaning)                            \
    KEY("target", key, since, form)
#define PLAN_FIELD(key, kind, member, presence, since, form, meaning) KEY("plan", key, since, form)
#define PARAM_FIELD(key, kind, member, presence, since, form, meaning)                             \
    KEY("parameter", key, since, form)
#define LEAF_FIELD(key, kind, member, presence, since, form, meaning) KEY("leaf", key, since, form)
#define MEMORY_FIELD(key, kind, member, presence, since, form, meaning)                            \
    KEY("memory", key, since, form)
#define KERNEL_FIELD(key, kind, member, presence, since, form, meaning)                            \
    KEY("kernel", key, since, form)
#define ARGUMENT_FIELD(key, kind, member, presence, since, form, meaning)                          \
    KEY("argument", key, since, form)
#define LOCAL_FIELD(key, kind, member, presence, since, form, meaning)                             \
    KEY("local", key, since, form)
#define CHECK_FIELD(key, kind, member, presence, since, form, meaning)                             \
    KEY("check", key, since, form)
#define BLOCK_FIELD(key, kind, member, presence, since, form, meaning)                             \
    KEY("block", key, since, form)
#include "serialize/artifact/artifact.def"
#undef CONTENTS_FIELD
#undef TARGET_FIELD
#undef PLAN_FIELD
#undef PARAM_FIELD
#undef LEAF_FIELD
#undef MEMORY_FIELD
#undef KERNEL_FIELD
#undef ARGUMENT_FIELD
#undef LOCAL_FIELD
#undef CHECK_FIELD
#undef BLOCK_FIELD
#undef KEY
#define PSTEP(e, number, since, name, ...) printf("artifact-step %s since %d\n", name, since);
#define PKEY(e, since, key, form, meaning)                                                         \
    printf("artifact-key %s.%s %s since %d\n", #e, key, form, since);
#define PMEMORY(e, number, since, name, meaning)                                                   \
    printf("artifact-memory %s since %d\n", name, since);
#define PTAKES(e, number, since, name, meaning)                                                    \
    printf("artifact-argument %s since %d\n", name, since);
#define PNEED(e, bit, since, name, meaning) printf("artifact-need %s since %d\n", name, since);
#include "ir/plan/plan.def"
#undef PSTEP
#undef PKEY
#undef PMEMORY
#undef PTAKES
#undef PNEED
}

static void wire(void)
{
#define SCALAROP(e, wire, name, arity, operands, result, cost, since, ...)                         \
    printf("operator %d %s operands %d-%d regions 0 NONE result 1 since %d\n", wire, name, arity,  \
           arity, since);
#include "ir/scalars.def"
#undef SCALAROP
#define OP(e, wire, name, min, max, regions, attr, result, since, ...)                             \
    printf("operator %d %s operands %d-%d regions %d %s result %d since %d\n", wire, name, min,    \
           max, regions, #attr, result, since);
#include "ir/ops.def"
#undef OP
#define SCALAR(e, wire, name, class, bytes, alias, since, ...)                                     \
    printf("scalar %d %s %s%d since %d\n", wire, name, #class, bytes, since);
#define KIND(e, wire, name, since, ...) printf("kind %d %s since %d\n", wire, name, since);
#define LEVEL(e, height, name, since)   printf("level %d %s since %d\n", height, name, since);
#include "ir/types.def"
#undef SCALAR
#undef KIND
#undef LEVEL
#define SECTION(e, name, required, since, contents)                                                \
    printf("section %s required %d since %d\n", #name, required, since);
#define FORM(e, wire, name, since, entry)                                                          \
    printf("form %d %s: %s since %d\n", wire, name, entry, since);
#define LITERAL(e, wire, name, since, value) printf("literal %d %s since %d\n", wire, name, since);
#define BASE(e, wire, name, since, index)    printf("base %d %s since %d\n", wire, name, since);
#define PARAMETER(e, wire, name, since)      printf("parameter %d %s since %d\n", wire, name, since);
#define FEATURE(e, name, since, what)        printf("feature %s since %d\n", name, since);
#include "serialize/binary/binary.def"
#undef SECTION
#undef FORM
#undef LITERAL
#undef BASE
#undef PARAMETER
#undef FEATURE
#define PROPERTY(e, key, form, subject, must, since, meaning)                                      \
    printf("property %s %s %s required %d since %d\n", key, #subject, #form, must, since);
#include "ir/keys.def"
#undef PROPERTY
    artifact_wire();
}

/* ---- tables of docs/format.md ---- */

#define VERSION(since) (since) / 100, (since) % 100

static void operands(int min, int max)
{
    if (min == max)
        printf("%d", min);
    else if (max == MANY)
        printf("%d…", min);
    else
        printf("%d–%d", min, max);
}

/* Bars would end the cell. */
static void cell(const char *s)
{
    printf(" ");
    for (; *s; s++)
        printf(*s == '|' ? "\\|" : "%c", *s);
    printf(" |");
}

static void core_operator(int wire, const char *name, int min, int max, int regions,
                          const char *attr, int result, int since, const char *formula)
{
    printf("| %d | `%s` | ", wire, name);
    operands(min, max);
    printf(" | %d | %s | %s | %d.%d |", regions, strcmp(attr, "NONE") ? attr : "",
           result ? "yes" : "no", VERSION(since));
    cell(formula);
    printf("\n");
}

static void operators(void)
{
    printf("| number | name | operands | regions | `<...>` | result | since | meaning "
           "|\n|---|---|---|---|---|---|---|---|\n");
#define OP(e, wire, name, min, max, regions, attr, result, since, kinds, params, effect, level,    \
           cost, formula)                                                                          \
    core_operator(wire, name, min, max, regions, #attr, result, since, formula);
#include "ir/ops.def"
#undef OP
}

/* What the letters of a row's operands stand for. */
static void kinds_of(const char *letters)
{
    static const struct {
        char letter;
        const char *what;
    } kinds[] = {
#define OPERAND(e, letter, is_int, what) {letter, what},
#include "ir/ops.def"
#undef OPERAND
    };
    for (const char *l = letters; *l; l++) {
        if (*l == '*')
            printf(" …");
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (kinds[i].letter == *l)
                printf("%s%s", l == letters ? "" : "; ", kinds[i].what);
    }
}

static void params_of(const char *params)
{
    for (const char *l = params; *l; l++)
        printf("%s%.*s%s", l == params ? "" : ", ", *l != '=' && *l != '?', l,
               *l == '='   ? "as many as extents"
               : *l == '?' ? "by type"
                           : "");
}

static void properties(void)
{
    printf("| name | operands | parameters of its regions | effect | on the turnstile | cost "
           "|\n|---|---|---|---|---|---|\n");
#define LEVELRULE(e, what) static const char level_##e[] = what;
#include "ir/ops.def"
#undef LEVELRULE
#define OP(e, wire, name, min, max, regions, attr, result, since, kinds, params, effect, level,    \
           cost, formula)                                                                          \
    printf("| `%s` | ", name);                                                                     \
    kinds_of(kinds);                                                                               \
    printf(" | ");                                                                                 \
    params_of(params);                                                                             \
    printf(" | %s | %s | %s |\n", #effect, level_##level, #cost);
#include "ir/ops.def"
#undef OP
}

static void effects(void)
{
    printf("| effect | what a pass may do |\n|---|---|\n");
#define EFFECT(e, what) printf("| %s | %s |\n", #e, what);
#include "ir/ops.def"
#undef EFFECT
}

static void costs(void)
{
    printf("| cost | weight | at run time |\n|---|---|---|\n");
#define COST(e, weight, what) printf("| %s | %d | %s |\n", #e, weight, what);
#include "ir/ops.def"
#undef COST
}

static void scalar_operators(void)
{
    printf("| number | name | operands | of class | result | since | meaning "
           "|\n|---|---|---|---|---|---|---|\n");
#define SCALAROP(e, wire, name, arity, operands, result, cost, since, fold, range, formula)        \
    printf("| %d | `%s` | %d | %s | %s | %d.%d |", wire, name, arity, #operands,                   \
           strcmp(#result, "SAME") ? "bool" : "same", VERSION(since));                             \
    cell(formula);                                                                                 \
    printf("\n");
#include "ir/scalars.def"
#undef SCALAROP
}

static void scalars(void)
{
    printf("| number | name | also | bytes | value of a literal | since "
           "|\n|---|---|---|---|---|---|\n");
#define SCALAR(e, wire, name, class, bytes, alias, since, ...)                                     \
    printf("| %d | `%s` | %s%s%s | %d | %s | %d.%d |\n", wire, name, *alias ? "`" : "", alias,     \
           *alias ? "`" : "", bytes,                                                               \
           *#class == 'F'   ? "float"                                                              \
           : *#class == 'B' ? "0 or 1"                                                             \
           : *#class == 'U' ? "integer, not negative"                                              \
                            : "integer",                                                           \
           VERSION(since));
#include "ir/types.def"
#undef SCALAR
}

static void kinds(void)
{
    printf("| number | name | since |\n|---|---|---|\n");
#define KIND(e, wire, name, since, ...)                                                            \
    printf("| %d | `%s` | %d.%d |\n", wire, name, VERSION(since));
#include "ir/types.def"
#undef KIND
}

static void levels(void)
{
    printf("| height | name | since |\n|---|---|---|\n");
#define LEVEL(e, height, name, since)                                                              \
    printf("| %d | `%s` | %d.%d |\n", height, name, VERSION(since));
#include "ir/types.def"
#undef LEVEL
}

static void sections(void)
{
    printf("| name | required | since | contents |\n|---|---|---|---|\n");
#define SECTION(e, name, required, since, contents)                                                \
    printf("| `%s` | %s | %d.%d | %s |\n", #name, (required) ? "yes" : "no", VERSION(since),       \
           contents);
#include "serialize/binary/binary.def"
#undef SECTION
}

static void forms(void)
{
    printf("| number | type | entry | since |\n|---|---|---|---|\n");
#define FORM(e, wire, name, since, entry)                                                          \
    printf("| %d | %s | `%s` | %d.%d |\n", wire, name, entry, VERSION(since));
#include "serialize/binary/binary.def"
#undef FORM
}

static void literals(void)
{
    printf("| number | literal | value | since |\n|---|---|---|---|\n");
#define LITERAL(e, wire, name, since, value)                                                       \
    printf("| %d | %s | %s | %d.%d |\n", wire, name, value, VERSION(since));
#include "serialize/binary/binary.def"
#undef LITERAL
}

static void bases(void)
{
    printf("| base | of | index | since |\n|---|---|---|---|\n");
#define BASE(e, wire, name, since, index)                                                          \
    printf("| %d | %s | %s | %d.%d |\n", wire, name, index, VERSION(since));
#include "serialize/binary/binary.def"
#undef BASE
}

static void parameters(void)
{
    printf("| number | parameter | since |\n|---|---|---|\n");
#define PARAMETER(e, wire, name, since) printf("| %d | %s | %d.%d |\n", wire, name, VERSION(since));
#include "serialize/binary/binary.def"
#undef PARAMETER
}

static void properties_known(void)
{
    printf("| key | of | value | required | since | meaning |\n|---|---|---|---|---|---|\n");
#define PROPERTY(e, key, form, subject, must, since, meaning)                                      \
    printf("| `%s` | %s | %s | %s | %d.%d |", key,                                                 \
           strcmp(#subject, "FUNC") == 0 ? "function"                                              \
           : strcmp(#subject, "OP") == 0 ? "operation"                                             \
                                         : "module",                                               \
           strcmp(#form, "TEXT") ? "integer" : "text", (must) ? "yes" : "no", VERSION(since));     \
    cell(meaning);                                                                                 \
    printf("\n");
#include "ir/keys.def"
#undef PROPERTY
}

static void attribute_keys(void)
{
    printf("| key | of | meaning |\n|---|---|---|\n");
#define ATTRIBUTE_KEY(key, of, meaning) printf("| `%s` | %s | %s |\n", key, of, meaning);
#include "ir/keys.def"
#undef ATTRIBUTE_KEY
}

/* ---- tables of docs/artifact.md ---- */

static void record_head(void)
{
    printf("| key | value | there | since | meaning |\n|---|---|---|---|---|\n");
}

static void record_row(const char *key, const char *form, const char *presence, int since,
                       const char *meaning)
{
    printf("| `%s` | %s | %s | %d.%d |", key, form,
           strcmp(presence, "ALWAYS") == 0    ? "always"
           : strcmp(presence, "NONZERO") == 0 ? "unless 0, false or none"
                                              : "if there is any",
           VERSION(since));
    cell(meaning);
    printf("\n");
}

static void record_contents(void)
{
    record_head();
#define CONTENTS_FIELD(key, kind, member, presence, since, form, meaning)                          \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef CONTENTS_FIELD
}

static void record_target(void)
{
    record_head();
#define TARGET_FIELD(key, kind, member, presence, since, form, meaning)                            \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef TARGET_FIELD
}

static void record_plan(void)
{
    record_head();
#define PLAN_FIELD(key, kind, member, presence, since, form, meaning)                              \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef PLAN_FIELD
}

static void record_parameter(void)
{
    record_head();
#define PARAM_FIELD(key, kind, member, presence, since, form, meaning)                             \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef PARAM_FIELD
}

static void record_leaf(void)
{
    record_head();
#define LEAF_FIELD(key, kind, member, presence, since, form, meaning)                              \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef LEAF_FIELD
}

static void record_memory(void)
{
    record_head();
#define MEMORY_FIELD(key, kind, member, presence, since, form, meaning)                            \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef MEMORY_FIELD
}

static void record_kernel(void)
{
    record_head();
#define KERNEL_FIELD(key, kind, member, presence, since, form, meaning)                            \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef KERNEL_FIELD
}

static void record_argument(void)
{
    record_head();
#define ARGUMENT_FIELD(key, kind, member, presence, since, form, meaning)                          \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef ARGUMENT_FIELD
}

static void record_local(void)
{
    record_head();
#define LOCAL_FIELD(key, kind, member, presence, since, form, meaning)                             \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef LOCAL_FIELD
}

static void record_check(void)
{
    record_head();
#define CHECK_FIELD(key, kind, member, presence, since, form, meaning)                             \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef CHECK_FIELD
}

static void record_block(void)
{
    record_head();
#define BLOCK_FIELD(key, kind, member, presence, since, form, meaning)                             \
    record_row(key, form, #presence, since, meaning);
#include "serialize/artifact/artifact.def"
#undef BLOCK_FIELD
}

static int keys; /* so far, of the step that is being printed */

/* What a step has: its values, then what it names. */
static void step_key(const char *key, const char *form)
{
    if (key)
        printf("%s `%s` %s", keys++ ? ";" : "", key, form);
}

static void step_own_key(const char *step)
{
#define PKEY(e, since, key, form, meaning)                                                         \
    if (strcmp(step, #e) == 0)                                                                     \
        printf("%s `%s` %s, %s", keys++ ? ";" : "", key, form, meaning);
#include "ir/plan/plan.def"
#undef PKEY
}

enum { NOTHING, VALUE, RESULTS };

static void steps(void)
{
    printf("| step | keys | since | meaning |\n|---|---|---|---|\n");
#define PSTEP(e, number, since, name, gives, a, b, c, memory, which, list, first, second, meaning) \
    keys = 0;                                                                                      \
    printf("| `%s` |", name);                                                                      \
    step_key(gives == VALUE     ? "value"                                                          \
             : gives == RESULTS ? "results"                                                        \
                                : NULL,                                                            \
             gives == VALUE ? "value" : "list of values");                                         \
    step_key(a, "value");                                                                          \
    step_key(b, "value");                                                                          \
    step_key(c, "value");                                                                          \
    step_key(memory ? "memory" : NULL, "memory");                                                  \
    step_key(which, "number");                                                                     \
    step_key(list, strcmp(name, "launch") ? "list of values" : "list of values and memories");     \
    step_own_key(#e);                                                                              \
    step_key(first, "block");                                                                      \
    step_key(second, "block");                                                                     \
    printf(" | %d.%d |", VERSION(since));                                                          \
    cell(meaning);                                                                                 \
    printf("\n");
#include "ir/plan/plan.def"
#undef PSTEP
}

static void word_row(const char *name, int since, const char *meaning)
{
    printf("| `%s` | %d.%d |", name, VERSION(since));
    cell(meaning);
    printf("\n");
}

static void word_head(const char *what)
{
    printf("| %s | since | meaning |\n|---|---|---|\n", what);
}

static void memories(void)
{
    word_head("kind of memory");
#define PMEMORY(e, number, since, name, meaning) word_row(name, since, meaning);
#include "ir/plan/plan.def"
#undef PMEMORY
}

static void takes(void)
{
    word_head("what a kernel takes");
#define PTAKES(e, number, since, name, meaning) word_row(name, since, meaning);
#include "ir/plan/plan.def"
#undef PTAKES
}

static void needs(void)
{
    word_head("need");
#define PNEED(e, bit, since, name, meaning) word_row(name, since, meaning);
#include "ir/plan/plan.def"
#undef PNEED
}

static const struct {
    const char *name;
    void (*print)(void);
} tables[] = {{"wire", wire},
              {"operators", operators},
              {"scalar-operators", scalar_operators},
              {"scalars", scalars},
              {"kinds", kinds},
              {"levels", levels},
              {"sections", sections},
              {"forms", forms},
              {"literals", literals},
              {"bases", bases},
              {"parameters", parameters},
              {"properties", properties_known},
              {"attribute-keys", attribute_keys},
              {"operator-properties", properties},
              {"operator-effects", effects},
              {"operator-costs", costs},
              {"record-contents", record_contents},
              {"record-target", record_target},
              {"record-plan", record_plan},
              {"record-parameter", record_parameter},
              {"record-leaf", record_leaf},
              {"record-memory", record_memory},
              {"record-kernel", record_kernel},
              {"record-argument", record_argument},
              {"record-local", record_local},
              {"record-check", record_check},
              {"record-block", record_block},
              {"plan-steps", steps},
              {"plan-memories", memories},
              {"plan-takes", takes},
              {"plan-needs", needs}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof tables / sizeof *tables; i++)
        if (strcmp(argv[1], tables[i].name) == 0) {
            tables[i].print();
            return 0;
        }
    fprintf(stderr, "usage: tables TABLE\n");
    return 2;
}
