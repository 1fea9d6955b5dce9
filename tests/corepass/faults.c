/* Passes over the core with something wrong, each by its name. */
#include <fcl_backend.h>

#include <string.h>

/* Reports what it finds, as a warning and an error under names of its own. */
static bool complain(void *user, fcl_module *m)
{
    const fcl_finding odd = {.size = sizeof odd,
                             .severity = FCL_WARNING,
                             .name = "MINE-W1",
                             .message = "the module is odd"},
                      wrong = {.size = sizeof wrong,
                               .severity = FCL_ERROR,
                               .name = "MINE-E1",
                               .file = "front.apl",
                               .line = 2,
                               .column = 3,
                               .length = 1,
                               .message = "there is a thing",
                               .hint = "take it away"};
    (void)m;
    fcl_report(user, &odd);
    return !fcl_report(user, &wrong);
}

static bool be_silent(void *user, fcl_module *m)
{
    (void)user;
    (void)m;
    return false;
}

static bool stay_open(void *user, fcl_module *m)
{
    (void)user;
    return fcl_rewrite_begin(m) != NULL;
}

static fcl_operation first_of(const fcl_module *m, const char *op)
{
    fcl_function_info f;
    fcl_region_info r;
    fcl_operation_info x;
    for (fcl_func id = fcl_function_next(m, 0); id; id = fcl_function_next(m, id)) {
        fcl_function_about(m, id, &f, sizeof f);
        fcl_region_about(m, f.body, &r, sizeof r);
        for (fcl_operation o = f.import ? 0 : r.first; o; o = fcl_operation_next(m, o))
            if (fcl_operation_about(m, o, &x, sizeof x) && x.code == fcl_opcode_named(op))
                return o;
    }
    return 0;
}

/* Inserts a sum of an array and itself: what the checker finds. */
static bool mistype(void *user, fcl_module *m)
{
    fcl_operation_info x;
    fcl_rewrite *w = fcl_rewrite_begin(m);
    fcl_operation o = first_of(m, "push");
    (void)user;
    fcl_operation_about(m, o, &x, sizeof x);
    fcl_value xs = fcl_operation_operand(m, o, 0);
    fcl_rewrite_before(w, o);
    fcl_op(m, x.region, "add", (fcl_value[]){xs, xs}, 2);
    return fcl_rewrite_end(w);
}

/* Asks for a change of what is not there: the module breaks. */
static bool lose(void *user, fcl_module *m)
{
    fcl_rewrite *w = fcl_rewrite_begin(m);
    (void)user;
    fcl_rewrite_erase(w, 12345);
    return fcl_rewrite_end(w);
}

/* Passes within a pass, while the module is rewritten. */
static bool nest(void *user, fcl_module *m)
{
    fcl_rewrite *w = fcl_rewrite_begin(m);
    (void)user;
    fcl_passes_run(m, NULL, "dce", NULL);
    return fcl_rewrite_end(w);
}

static bool load(fcl_context *cx)
{
    static const struct {
        const char *name;
        bool (*run)(void *user, fcl_module *m);
    } passes[] = {{"complain", complain}, {"be_silent", be_silent}, {"stay_open", stay_open},
                  {"mistype", mistype},   {"lose", lose},           {"nest", nest}};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const fcl_core_pass p = {.size = sizeof p,
                                 .name = passes[i].name,
                                 .summary = "a pass with something wrong",
                                 .checked = true,
                                 .run = passes[i].run,
                                 .user = cx};
        if (!fcl_core_pass_register(cx, &p))
            return false;
    }
#ifdef TAKEN
    const fcl_core_pass again = {.size = sizeof again, .name = TAKEN, .summary = "s", .run = lose};
    return fcl_core_pass_register(cx, &again);
#else
    return true;
#endif
}

FCL_PLUGIN("faults", load);
