/* The program of this suite: what fcl-opt cannot be asked for.
 *
 * kir roundtrip FILE [name=N...]: after lowering and after every pass, the text of every kernel of
 * a module is read again, printed the same, and the passes that are left make the same code of it.
 *
 * kir planted FILE: base.kir is refused with the rule that each planted error breaks.
 *
 * kir mutate SEED COUNT FILE: kernel IR whose nodes are changed at random is verified and printed.
 *
 * kir hostile SEED COUNT FILE: kernel IR whose text is changed at random is refused, or emitted.
 *
 * kir rules: the names of the verifier's rules. */
#include "tests/kernelir/kir.h"

#include "backends/backend.h"
#include "libfcl/passes/passes.h"
#include "ir/kernel/lower/lower.h"
#include "ir/kernel/pass/pass.h"
#include "ir/kernel/read.h"
#include "ir/kernel/text/text.h"
#include "ir/kernel/verify.h"
#include "libfcl/face.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kir_failures;
static int cases;

void kir_show_diagnostics(fcl_context *cx)
{
    for (size_t i = 0; i < fcl_diagnostic_count(cx); i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
}

char *kir_load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    *size = 0;
    if (!f) {
        fprintf(stderr, "kir: %s cannot be read\n", path);
        exit(2);
    }
    for (size_t room = 0, got = 1; got;) {
        if (*size == room)
            text = realloc(text, (room = room ? 2 * room : 65536) + 1);
        got = fread(text + *size, 1, room - *size, f);
        *size += got;
    }
    fclose(f);
    text[*size] = 0;
    return text;
}

static void print_program(fcl_context *cx, const k_program *p, vec_char *out)
{
    out->len = 0;
    if (!k_print(p, out))
        out->len = 0;
    text_cstr(&cx->mem, out);
}

/* ---- emitted code ---- */

/* Values are numbered as they appear: constants have no numbers in the text, and so get others. */
static void renumber(fcl_context *cx, const vec_char *code, vec_char *out)
{
    static const char *const names[] = {"v", "w", "tile", "own", "tmp", "area", "_table"};
    vec_u32 seen = {0};
    for (uint32_t i = 0; i < code->len;) {
        uint32_t word = i, digits;
        while (word < code->len &&
               (isalpha((unsigned char)code->at[word]) || code->at[word] == '_'))
            word++;
        for (digits = word; digits < code->len && isdigit((unsigned char)code->at[digits]);)
            digits++;
        bool named = false;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            named = named ||
                    (strlen(names[k]) == word - i && !memcmp(names[k], code->at + i, word - i));
        if (word == i || digits == word || !named) {
            uint32_t n = digits > i ? digits - i : 1;
            text_add(&cx->mem, out, code->at + i, n);
            i += n;
            continue;
        }
        uint32_t number = (uint32_t)strtoul(code->at + word, NULL, 10), at = 0;
        while (at < seen.len && seen.at[at] != number)
            at++;
        if (at == seen.len)
            (void)vec_push(&cx->mem, &seen, number);
        text_add(&cx->mem, out, code->at + i, word - i);
        text_addf(&cx->mem, out, "%u", at);
        i = digits;
    }
    vec_free(&cx->mem, &seen);
    text_cstr(&cx->mem, out);
}

static bool run_passes(k_program *p, uint32_t from)
{
    for (uint32_t i = from; i < pipeline_kernel_count(); i++)
        if (!pipeline_kernel(i)->run.KERNEL(p) || !k_verify(p, p->stage))
            return false;
    return true;
}

bool kir_emit(fcl_context *cx, const k_program *p, vec_char *out)
{
    vec_char code = {0};
    bool ok = backend_code(backend_named(NULL, "opencl-c"), &p, 1, &code);
    text_cstr(&cx->mem, &code);
    out->len = 0;
    renumber(cx, &code, out);
    vec_free(&cx->mem, &code);
    return ok;
}

/* ---- round trips ---- */

static void complain(fcl_context *cx, const k_program *p, const char *stage, const char *what)
{
    kir_failures++;
    fprintf(stderr, "FAILED: %s after %s: %s\n", intern_str(&cx->strings, p->name), stage, what);
    kir_show_diagnostics(cx);
    fcl_diagnostics_clear(cx);
}

static void show_difference(const char *x, const char *y)
{
    size_t at = 0, line = 0;
    for (; x[at] && x[at] == y[at]; at++)
        if (x[at] == '\n')
            line = at + 1;
    fprintf(stderr, "- %.*s\n+ %.*s\n", (int)strcspn(x + line, "\n"), x + line,
            (int)strcspn(y + line, "\n"), y + line);
}

/* The text of a stage, read again: printed the same, and the passes that are left make `code`. */
static void back(fcl_context *cx, const char *text, size_t size, const char *stage, uint32_t next,
                 const char *code)
{
    k_program p;
    vec_char again = {0};
    cases++;
    if (!k_read(cx, "stage.kir", text, size, &p)) {
        complain(cx, &p, stage, "its text is not read again");
    } else {
        print_program(cx, &p, &again);
        if (strcmp(again.at, text) != 0) {
            complain(cx, &p, stage, "its text is printed differently when read");
            show_difference(text, again.at);
        } else if (!run_passes(&p, next) || !kir_emit(cx, &p, &again)) {
            complain(cx, &p, stage, "the passes that are left fail");
        } else if (strcmp(again.at, code) != 0) {
            complain(cx, &p, stage, "the passes that are left make other code");
            show_difference(code, again.at);
        }
    }
    vec_free(&cx->mem, &again);
    k_release(&p);
}

static const char *stage_name(uint32_t i)
{
    return i ? pipeline_kernel(i - 1)->about.name : "lower";
}

static void kernel_roundtrip(fcl_context *cx, ir_module *m, ir_func f, const k_target *t)
{
    k_program p;
    vec_char *texts = calloc(pipeline_kernel_count() + 1, sizeof *texts), code = {0};
    if (!k_lower(m, f, t, &p) || !k_verify(&p, p.stage)) { /* what the options refuse */
        if (strstr(fcl_diagnostic_text(cx, 0), "E0520"))
            complain(cx, &p, "lower", "a rule is broken");
        fcl_diagnostics_clear(cx);
        k_release(&p);
        free(texts);
        return;
    }
    print_program(cx, &p, &texts[0]);
    bool ok = true;
    for (uint32_t i = 0; ok && i < pipeline_kernel_count(); i++) {
        ok = pipeline_kernel(i)->run.KERNEL(&p) && k_verify(&p, p.stage);
        print_program(cx, &p, &texts[i + 1]);
    }
    if (!ok || !kir_emit(cx, &p, &code))
        complain(cx, &p, "some pass", "it fails");
    else
        for (uint32_t i = 0; i <= pipeline_kernel_count(); i++)
            back(cx, texts[i].at, texts[i].len, stage_name(i), i, code.at);
    for (uint32_t i = 0; i <= pipeline_kernel_count(); i++)
        vec_free(&cx->mem, &texts[i]);
    vec_free(&cx->mem, &code);
    free(texts);
    k_release(&p);
}

/* The words of kernel IR's own text: block=64, warps-wait, ... */
static k_target target_of(int n, char **options)
{
    k_target t = {.tuning = k_usual_tuning()};
    t.tuning.block_size = 256;
    t.facts =
        (k_device_facts){.warp_size = 32, .atomics64 = true, .groups_wait = true, .f64 = true};
    for (int i = 0; i < n; i++) {
        const char *value = strchr(options[i], '=');
        size_t len = value ? (size_t)(value - options[i]) : strlen(options[i]);
        target_field f;
        for (uint32_t k = 0; ktext_target_field(k, &f); k++)
            if (strlen(f.name) == len && memcmp(f.name, options[i], len) == 0)
                ktext_target_set(&t, &f, value ? (uint32_t)strtoul(value + 1, NULL, 10) : 1);
    }
    return t;
}

static int roundtrip(const char *path, int n, char **options)
{
    size_t size;
    char *text = kir_load(path, &size);
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, path, text, size, NULL);
    k_target t = target_of(n, options);
    if (m && fcl_module_check(m))
        for (ir_func f = 1; f < m->ir.funcs.len; f++)
            if (m->ir.funcs.at[f].kernel && !m->ir.funcs.at[f].import)
                kernel_roundtrip(cx, &m->ir, f, &t);
    kir_show_diagnostics(cx);
    printf("%d\n", cases);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    free(text);
    return kir_failures != 0;
}

/* ---- planted errors that no text can say ---- */

/* PLANT("rule", what is done to base.kir, a program p): the numbers are those of its text. */
#define PLANTS                                                                                     \
    PLANT("operator", k_at(p, 13)->op = 9)                                                         \
    PLANT("operator", k_at(p, 13)->op = K_PARAM)                                                   \
    PLANT("operator", k_at(p, 13)->opcode = 9999)                                                  \
    PLANT("operator", k_at(p, 15)->space = 9)                                                      \
    PLANT("operator", k_at(p, 11)->coordinate = 9)                                                 \
    PLANT("operator", launch_of(p)->level = 9)                                                     \
    PLANT("attribute", k_at(p, 13)->leaf = 1)                                                      \
    PLANT("attribute", k_at(p, 17)->owner = 3)                                                     \
    PLANT("form", k_at(p, 13)->form = 99)                                                          \
    PLANT("type", k_at(p, 17)->type = 77)                                                          \
    PLANT("operand", k_at(p, 13)->args[1] = 0)                                                     \
    PLANT("operand", k_at(p, 13)->args[1] = 1 << 30)                                               \
    PLANT("operand", k_at(p, 13)->args[2] = 11)                                                    \
    PLANT("operand", k_at(p, 17)->nlist = 1)                                                       \
    PLANT("operand", for_of(p)->list = UINT32_MAX)                                                 \
    PLANT("operand", k_at(p, 26)->args[0] = (k_id)(found(p, K_SYNC, 0) - p->nodes.at))             \
    PLANT("scope", k_at(p, 13)->args[1] = 14)                                                      \
    PLANT("scope", k_at(p, 13)->args[1] = 13)                                                      \
    PLANT("depth", k_at(p, 13)->depth = 5)                                                         \
    PLANT("depth", k_block_at(p, launch_of(p)->blocks[0])->depth = 0)                              \
    PLANT("block", launch_of(p)->blocks[0] = p->host)                                              \
    PLANT("block", launch_of(p)->blocks[0] = 999)                                                  \
    PLANT("block", launch_of(p)->blocks[1] = 999)                                                  \
    PLANT("block", k_at(p, 13)->blocks[0] = 1)                                                     \
    PLANT("block", p->host = 0)                                                                    \
    PLANT("order", k_at(p, 13)->next = 12)                                                         \
    PLANT("order", k_at(p, 13)->next = 1 << 30)                                                    \
    PLANT("order", k_block_at(p, p->host)->last = 2)                                               \
    PLANT("order", k_at(p, 24)->next = 17)                                                         \
    PLANT("yield", k_at(p, 22)->next = 0; k_block_at(p, for_of(p)->blocks[0])->last = 22)          \
    PLANT("yield", k_at(p, k_block_at(p, for_of(p)->blocks[0])->last)->next = 24)                  \
    PLANT("yielded", for_of(p)->nresults = 0)                                                      \
    PLANT("param", k_at(p, 20)->number = 1)                                                        \
    PLANT("param", k_at(p, 21)->owner = 3)                                                         \
    PLANT("param", k_at(p, 20)->type = ST_I64)                                                     \
    PLANT("param", k_block_at(p, for_of(p)->blocks[0])->nparams = 1)                               \
    PLANT("param", k_block_at(p, for_of(p)->blocks[0])->params = 1 << 30)                          \
    PLANT("result", k_at(p, 19)->number = 1)                                                       \
    PLANT("result", k_at(p, 19)->owner = 3)                                                        \
    PLANT("yielded", for_of(p)->results = 1 << 30)                                                 \
    PLANT("result", k_at(p, 17)->nresults = 1)                                                     \
    PLANT("range", p->facts.at[11].lo = 64)                                                        \
    PLANT("range", p->facts.at[11].hi = INT64_MAX)                                                 \
    PLANT("range", p->facts.at[constant_of(p)].lo = -5)                                            \
    PLANT("bound", p->facts.at[11].bound = 13)                                                     \
    PLANT("bound", p->facts.at[11].below = 1 << 30)                                                \
    PLANT("input", p->in.at[1].rank = 99)                                                          \
    PLANT("output", p->out.at[0].type = 0)                                                         \
    PLANT("block", p->facts.len--)

/* The only launch, for and constant 63 of base.kir. */
static k_node *found(k_program *p, k_op op, uint64_t bits)
{
    for (k_id id = 1; id < p->nodes.len; id++)
        if (k_at(p, id)->op == op && k_at(p, id)->bits == bits)
            return k_at(p, id);
    return k_at(p, 0);
}
static k_node *launch_of(k_program *p)
{
    return found(p, K_LAUNCH, 0);
}
static k_node *for_of(k_program *p)
{
    return found(p, K_FOR, 0);
}
static k_id constant_of(k_program *p)
{
    return (k_id)(found(p, K_CONST, 63) - p->nodes.at);
}

/* Line by line: the rules that are broken, and what is said. */
static int planted(const char *path)
{
    size_t size;
    char *text = kir_load(path, &size);
    int number = 0;
    for (bool more = true; more; number++) {
        fcl_context *cx = fcl_context_create(NULL, NULL);
        k_program program, *p = &program;
        char wanted[64] = "";
        int at = 0;
        if (!k_read(cx, path, text, size, p))
            return 1;
        more = false;
#define PLANT(rule, change)                                                                        \
    if (at++ == number) {                                                                          \
        snprintf(wanted, sizeof wanted, "rule %s:", rule);                                         \
        change;                                                                                    \
        more = true;                                                                               \
    }
        PLANTS
#undef PLANT
        bool ok = k_verify(p, p->stage);
        const char *said = fcl_diagnostic_count(cx) ? fcl_diagnostic_text(cx, 0) : "";
        if (more && (ok || !strstr(said, wanted))) {
            kir_failures++;
            fprintf(stderr, "FAILED: planted error %d, %s got '%s'\n", number, wanted, said);
        }
        if (more)
            printf("%s\n", wanted + strlen("rule "));
        k_release(p);
        fcl_context_destroy(cx);
    }
    free(text);
    return kir_failures != 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "roundtrip") == 0 && argc > 2)
        return roundtrip(argv[2], argc - 3, argv + 3);
    if (strcmp(what, "planted") == 0 && argc == 3)
        return planted(argv[2]);
    if (strcmp(what, "hostile") == 0 && argc == 5)
        return kir_hostile(strtoull(argv[2], NULL, 10), atoi(argv[3]), argv[4]);
    if (strcmp(what, "mutate") == 0 && argc == 5)
        return kir_mutate(strtoull(argv[2], NULL, 10), atoi(argv[3]), argv[4]);
    if (strcmp(what, "rules") == 0) {
        for (uint32_t i = 0; i < k_rule_count; i++)
            printf("%s\n", k_rules[i].name);
        return 0;
    }
    fputs("usage: see tests/kernelir/kir.c\n", stderr);
    return 2;
}
