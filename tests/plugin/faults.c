/* Plug-ins with something wrong, one for each FAULT: what the library says about them is in run.sh.
 */
#include <fcl_backend.h>

static const fcl_target_facts facts = {.size = sizeof facts, .max_block = 256};
static const fcl_dialect dialects[] = {{.name = "local", .options = ""}};

static bool fails(void *user, const fcl_k_program *const *programs, size_t n, fcl_emission *out)
{
    (void)user, (void)programs, (void)n;
    fcl_emit_text(out, "half", 4);
    return false;
}

static bool makes_nothing(void *user, const fcl_k_program *const *programs, size_t n,
                          fcl_emission *out)
{
    (void)user, (void)programs, (void)n, (void)out;
    return true;
}

/* Says that something is wrong in the middle of its code, and that all is well. */
static bool contradicts(void *user, const fcl_k_program *const *programs, size_t n,
                        fcl_emission *out)
{
    (void)user, (void)n;
    fcl_emit_text(out, "half", 4);
    fcl_k_program_refuse(programs[0], 1u << 31, "half of it is missing", NULL);
    fcl_emit_bytes(out, "\0\377", 2);
    return true;
}

/* Declines when its code is written already. */
static bool changes_mind(void *user, const fcl_k_program *const *programs, size_t n,
                         fcl_emission *out)
{
    (void)user, (void)n;
    fcl_emit_text(out, "all of it", 9);
    fcl_emit_options(out, NULL);
    return fcl_k_program_refuse(programs[0], 0, NULL, NULL);
}

static bool compiles(void *user, const fcl_k_program *p)
{
    fcl_module *m = fcl_module_load(fcl_k_program_context(p), "own", "fcl 0.1\n", 8, NULL);
    fcl_artifact_destroy(fcl_compile(m, NULL));
    fcl_module_destroy(m);
    (void)user;
    return true;
}

static bool declines(void *user, const fcl_k_program *p)
{
    (void)user, (void)p;
    return false;
}

/* Asks the printer for what is not there. */
static void wild(fcl_printer *to, size_t kernel)
{
    (void)kernel;
    fcl_put_name(to, 4000000000u);
    fcl_put_value(to, 0, FCL_C_ANY);
    fcl_put_type(to, (fcl_scalar)99);
    fcl_put_indent(to, -1000);
    fcl_put_line(to);
}

static const fcl_c_operator unknown[] = {
    {"frobnicate", FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ATOM, "f($1e)", NULL}, {0}};
static const fcl_c_language wordless = {.size = sizeof wordless};
static const fcl_c_language odd = {.size = sizeof odd, .operators = unknown};
static const fcl_c_language wandering = {.size = sizeof wandering, .kernel_frame = wild};

static const fcl_c_operator garbage[] = {
    {"add", FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ATOM, "$9z $ $1 $e $$ %s%n", "$Q"},
    {0}},
                            open[] = {
    {"add", FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ATOM, "$h($1e, $2e)", "return x + y;$"},
    {0}},
                            textless[] = {
    {"mul", FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ATOM, NULL, "$"},
    {0}};
static const fcl_c_language nonsense = {.size = sizeof nonsense,
                                        .operators = garbage,
                                        .thread = "t",
                                        .group = "g",
                                        .groups = "n",
                                        .block_barrier = "b()",
                                        .warp_barrier = "w()",
                                        .shared = "local ",
                                        .kernel = "$"},
                            unended = {.size = sizeof unended, .operators = open},
                            empty = {.size = sizeof empty, .operators = textless};
static const fcl_dialect nameless[] = {{.lanes = 32}}, half[] = {{.name = "local"}},
                         odd_lanes[] = {{.name = "local", .options = ""},
                                        {.name = "shuffle", .lanes = 33, .options = ""}};
static const fcl_target_facts odd_facts = {
    .size = sizeof odd_facts, .max_block = 4000000000u, .warp_size = 33};

static fcl_backend usual(void)
{
    fcl_backend b = {.size = sizeof b,
                     .name = "mine",
                     .summary = "a target",
                     .facts = &facts,
                     .dialects = dialects,
                     .ndialects = 1,
                     .emit = fails};
    return b;
}

static void speak(fcl_backend *b, const fcl_c_language *l)
{
    b->emit = NULL;
    b->language = l;
}

static bool load(fcl_context *cx)
{
    fcl_backend b = usual();
    switch (FAULT) {
    case 1: b.name = "opencl-c"; break;
    case 2: b.name = "two words"; break;
    case 3: b.facts = NULL; break;
    case 4: b.language = &wordless; break;
    case 5: return false;
    case 7: b.accept = declines; break;
    case 8: speak(&b, &wordless); break;
    case 9: speak(&b, &odd); break;
    case 10: speak(&b, &wandering); break;
    case 11: b.size = sizeof b.size; break; /* of a version that had nothing else */
    case 12: b.emit = makes_nothing; break;
    case 13: b.emit = contradicts; break;
    case 14: b.emit = changes_mind; break;
    case 15: fcl_backend_register(cx, &b); break;
    case 16: b.accept = compiles; break;
    case 17: b.dialects = nameless; break;
    case 18: b.dialects = half; break;
    case 19: speak(&b, &nonsense); break;
    case 23: b.dialects = odd_lanes; b.ndialects = 2; break;
    case 24: b.facts = &odd_facts; break;
    case 26: speak(&b, &empty); break;
    case 27: speak(&b, &unended); break;
    case 25: b.tuning = "Nope=3,=,Unroll=x"; break;
    default: break;
    }
    return fcl_backend_register(cx, &b);
}

#if FAULT == 20
FCL_PLUGIN_EXPORT const fcl_plugin_info fcl_plugin = {sizeof fcl_plugin, FCL_PLUGIN_VERSION + 1,
                                                      "mine", load};
#elif FAULT == 21
FCL_PLUGIN("mine", NULL);
#elif FAULT == 22
FCL_PLUGIN_EXPORT int other = 1;
#else
FCL_PLUGIN("mine", load);
#endif
