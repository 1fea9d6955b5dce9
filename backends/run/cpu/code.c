/* From C to a loaded library: see code.h.
 *
 * What the compiler says goes into the diagnostic.  The environment's CC names another compiler,
 * with options behind it if need be, and FCL_CPU_FLAGS has more options, which come last. */
#define _GNU_SOURCE
#include "backends/run/cpu/code.h"

#include "backends/run/workshop.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

/* ---- the compiler ---- */

static const char blanks[] = " \t\n";

/* The first word of CC, as it is called. */
static bool put_compiler(fcl_context *cx, vec_char *out)
{
    const char *cc = workshop_environment("CC", "cc");
    cc += strspn(cc, blanks);
    return text_add(&cx->mem, out, cc, strcspn(cc, blanks));
}

bool cpu_compiler_name(fcl_context *cx, vec_char *out)
{
    return put_compiler(cx, out);
}

/* The program's file in a folder of a list, which is separated by colons; false: none has it. */
static bool find_in_path(fcl_context *cx, const char *path, const char *name, vec_char *file)
{
    bool found = false;
    for (const char *s = path; !found; s++) {
        size_t len = strcspn(s, ":");
        file->len = 0;
        found = text_addf(&cx->mem, file, "%.*s/%s", len ? (int)len : 1, len ? s : ".", name) &&
                access(text_cstr(&cx->mem, file), X_OK) == 0;
        s += len;
        if (!*s)
            break;
    }
    return found;
}

/* The compiler's file; false: it is not there. */
static bool find_compiler(fcl_context *cx, vec_char *file)
{
    vec_char name = {0};
    const char *s = put_compiler(cx, &name) ? text_cstr(&cx->mem, &name) : "";
    bool found = strchr(s, '/') ? access(s, X_OK) == 0 && text_add(&cx->mem, file, s, strlen(s))
                                : *s && find_in_path(cx, workshop_environment("PATH", "/bin:/usr/bin"),
                                                     s, file);
    vec_free(&cx->mem, &name);
    return found;
}

bool cpu_has_compiler(fcl_context *cx)
{
    vec_char file = {0};
    bool found = find_compiler(cx, &file);
    vec_free(&cx->mem, &file);
    return found;
}

/* ---- the call ---- */

/* Code for this very machine, which is the only one that it runs on. */
#if defined __x86_64__ || defined __i386__
static const char machine[] = "-march=native";
#elif defined __aarch64__
static const char machine[] = "-mcpu=native";
#else
static const char machine[] = "";
#endif

/* Of code so long compilers take minutes with all that they know: gcc 12 for a sort of 8,000 lines, and four seconds with this. */
enum { LONG_CODE = 256 << 10 };

static bool make_command(fcl_context *cx, const run_code *code, const char *output, const char *input,
                         command *c)
{
    mem *m = &cx->mem;
    return command_add_words(m, c, workshop_environment("CC", "cc")) &&
           command_add_words(m, c, code->options) && command_add_words(m, c, machine) &&
           command_add_words(m, c, code->size > LONG_CODE ? "-O1" : "") &&
           command_add_words(m, c, "-fPIC -shared -o") && command_add(m, c, output) &&
           command_add(m, c, input) && command_add_words(m, c, "-lm") &&
           command_add_words(m, c, workshop_environment("FCL_CPU_FLAGS", ""));
}

/* The library's name among those that are kept; false: it is not one to be kept. */
static bool name_library(fcl_context *cx, const run_code *code, cache_key *k)
{
    vec_char file = {0};
    command c = {0};
    bool ok = find_compiler(cx, &file) && *text_cstr(&cx->mem, &file) &&
              make_command(cx, code, "", "", &c) && cpu_name_library(code, &c.text, file.at, k);
    command_free(&cx->mem, &c);
    vec_free(&cx->mem, &file);
    return ok;
}

static bool refused(workshop *w, const char *compiler)
{
    diag_error(w->cx, DIAG_CPU_BUILD, (location){0},
               "the C compiler %s refused the emitted kernels", compiler);
    workshop_note_log(w);
    return false;
}

static bool no_compiler(fcl_context *cx, const char *compiler, int error)
{
    diag_error(cx, DIAG_CPU_COMPILER, (location){0}, "the C compiler %s cannot be started: %s",
               compiler, strerror(error));
    diag_hint(cx,
              "install gcc or clang, let the environment's CC name one, or use the device interp");
    return false;
}

static bool compile(workshop *w, const run_code *code)
{
    command c = {0};
    int ended = make_command(w->cx, code, w->output.at, w->input.at, &c) ? workshop_run(w, &c)
                                                                         : WORKSHOP_NO_MEMORY;
    const char *compiler = c.words.len && c.words.at[0] ? c.words.at[0] : "";
    bool ok = ended == WORKSHOP_DONE;
    if (ended > 0)
        no_compiler(w->cx, compiler, ended);
    else if (ended == WORKSHOP_ENDED_BADLY)
        refused(w, compiler);
    command_free(&w->cx->mem, &c);
    return ok;
}

/* ---- loading ---- */

/* The threads of OpenMP outlive the code that started them, and so must their library. */
static void keep_threads(void *library)
{
    static const char *const names[] = {"GOMP_parallel", "__kmpc_fork_call"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Dl_info about;
        void *found = dlsym(library, names[i]);
        if (found && dladdr(found, &about) && about.dli_fname)
            dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

static void *load(workshop *w)
{
    void *library = dlopen(w->output.at, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        keep_threads(library);
        return library;
    }
    const char *why = dlerror();
    diag_error(w->cx, DIAG_CPU_FILES, (location){0}, "the compiled kernels cannot be loaded: %s",
               why ? why : "unknown");
    diag_hint(w->cx, "let the environment's TMPDIR be a folder that can be written and run from");
    return NULL;
}

/* The library's file is made in the workshop in either case, and is gone when it has been loaded. */
static bool make(workshop *w, const run_code *code)
{
    fcl_context *cx = w->cx;
    uint64_t start = run_clock();
    cache_key k;
    bool named = name_library(cx, code, &k), found = named && cpu_take_library(cx, &k, w->output.at);
    bool ok = found || (workshop_write(w, code->at, code->size) && compile(w, code));
    if (ok && named && !found)
        cpu_keep_library(cx, &k, w->output.at);
    cx->cache.found += found;
    cx->cache.compiled += ok && !found;
    cx->cache.nanoseconds += run_clock() - start;
    return ok;
}

void *cpu_load(fcl_context *cx, const run_code *code)
{
    workshop w = {.cx = cx};
    bool ok = workshop_open(&w, "kernels.c", "kernels.so") && make(&w, code);
    void *library = ok ? load(&w) : NULL;
    workshop_close(&w);
    return library;
}
