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
