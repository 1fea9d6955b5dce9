/* From C to a loaded library: see cpu_code.h.
 *
 * The code goes to a folder of its own among the temporary files, which is gone afterwards; the
 * compiler is started without a shell, and what it says goes into the diagnostic.  The
 * environment's CC names another compiler, with options behind it if need be, and FCL_CPU_FLAGS has
 * more options, which come last. */
#define _GNU_SOURCE
#include "backends/run/cpu_code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *from_environment(const char *name, const char *usual)
{
    const char *value = getenv(name);
    return value && *value ? value : usual;
}

/* ---- the compiler ---- */

static const char blanks[] = " \t\n";

/* The first word of CC, as it is called. */
static bool put_compiler(fcl_context *cx, vec_char *out)
{
    const char *cc = from_environment("CC", "cc");
    cc += strspn(cc, blanks);
    return text_add(&cx->mem, out, cc, strcspn(cc, blanks));
}

bool cpu_compiler_name(fcl_context *cx, vec_char *out)
{
    return put_compiler(cx, out);
}

/* Whether a folder of a list, which is separated by colons, has the program. */
static bool is_in_path(fcl_context *cx, const char *path, const char *name)
{
    vec_char file = {0};
    bool found = false;
    for (const char *s = path; !found; s++) {
        size_t len = strcspn(s, ":");
        file.len = 0;
        found = text_addf(&cx->mem, &file, "%.*s/%s", len ? (int)len : 1, len ? s : ".", name) &&
                access(text_cstr(&cx->mem, &file), X_OK) == 0;
        s += len;
        if (!*s)
            break;
    }
    vec_free(&cx->mem, &file);
    return found;
}

bool cpu_has_compiler(fcl_context *cx)
{
    vec_char name = {0};
    const char *s = put_compiler(cx, &name) ? text_cstr(&cx->mem, &name) : "";
    bool found = strchr(s, '/')
                     ? access(s, X_OK) == 0
                     : *s && is_in_path(cx, from_environment("PATH", "/bin:/usr/bin"), s);
    vec_free(&cx->mem, &name);
    return found;
}

/* ---- files ---- */

/* A folder and the files in it; texts of the context's memory. */
typedef struct workshop {
    fcl_context *cx;
    vec_char folder, source, library, log;
} workshop;

static bool no_files(fcl_context *cx, const char *what, const char *name)
{
    diag_error(cx, DIAG_CPU_FILES, (location){0}, "%s %s: %s", what, name, strerror(errno));
    diag_hint(cx, "let the environment's TMPDIR be a folder that can be written and run from");
    return false;
}

static bool name_file(workshop *w, vec_char *out, const char *name)
{
    return text_addf(&w->cx->mem, out, "%s/%s", w->folder.at, name) &&
           *text_cstr(&w->cx->mem, out) != 0;
}

static bool open_workshop(workshop *w)
{
    mem *m = &w->cx->mem;
    const char *parent = from_environment("TMPDIR", "/tmp");
    if (!text_addf(m, &w->folder, "%s/fcl-XXXXXX", parent) || !*text_cstr(m, &w->folder))
        return false;
    if (!mkdtemp(w->folder.at)) {
        w->folder.len = 0;
        return no_files(w->cx, "no folder can be made in", parent);
    }
    return name_file(w, &w->source, "kernels.c") && name_file(w, &w->library, "kernels.so") &&
           name_file(w, &w->log, "log");
}

static void close_workshop(workshop *w)
{
    mem *m = &w->cx->mem;
    vec_char *const files[] = {&w->source, &w->library, &w->log};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i]->len)
            unlink(files[i]->at);
        vec_free(m, files[i]);
    }
    if (w->folder.len)
        rmdir(w->folder.at);
    vec_free(m, &w->folder);
}

static bool write_source(workshop *w, const run_code *code)
{
    FILE *f = fopen(w->source.at, "w");
    bool ok = f && fwrite(code->at, 1, code->size, f) == code->size;
    if (f && fclose(f) != 0)
        ok = false;
    return ok || no_files(w->cx, "cannot write", w->source.at);
}

/* ---- the call ---- */

/* Words one behind the other, each with its end, and where they begin. */
typedef struct command {
    vec_char text;
    VEC(uint32_t) starts;
    VEC(char *) words; /* with NULL behind the last */
} command;

static bool add_word(mem *m, command *c, const char *s, size_t len)
{
    return vec_push(m, &c->starts, c->text.len) && text_add(m, &c->text, s, len) &&
           text_add(m, &c->text, "", 1);
}

static bool add_words(mem *m, command *c, const char *s)
{
    bool ok = true;
    for (s += strspn(s, blanks); ok && *s; s += strspn(s, blanks)) {
        size_t len = strcspn(s, blanks);
        ok = add_word(m, c, s, len);
        s += len;
    }
    return ok;
}

/* Code for this very machine, which is the only one that it runs on. */
#if defined __x86_64__ || defined __i386__
static const char machine[] = "-march=native";
#elif defined __aarch64__
static const char machine[] = "-mcpu=native";
#else
static const char machine[] = "";
#endif

static bool make_command(workshop *w, const run_code *code, command *c)
{
    mem *m = &w->cx->mem;
    bool ok = add_words(m, c, from_environment("CC", "cc")) && add_words(m, c, code->options) &&
              add_words(m, c, machine) && add_words(m, c, "-fPIC -shared -o") &&
              add_word(m, c, w->library.at, strlen(w->library.at)) &&
              add_word(m, c, w->source.at, strlen(w->source.at)) && add_words(m, c, "-lm") &&
              add_words(m, c, from_environment("FCL_CPU_FLAGS", ""));
    for (uint32_t i = 0; ok && i < c->starts.len; i++)
        ok = vec_push(m, &c->words, c->text.at + c->starts.at[i]);
    return ok && vec_push(m, &c->words, NULL);
}

static void free_command(mem *m, command *c)
{
    vec_free(m, &c->text);
    vec_free(m, &c->starts);
    vec_free(m, &c->words);
}

/* Starts it with nothing to read and all that it says going to the log; an error number. */
static int start(workshop *w, command *c, pid_t *child)
{
    posix_spawn_file_actions_t files;
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&files, 1, w->log.at, O_WRONLY | O_CREAT | O_TRUNC,
                                                 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (!error)
        error = posix_spawnp(child, c->words.at[0], &files, NULL, c->words.at, environ);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Whether it has ended well.  A process that lets the system reap its children never hears. */
static bool await(const workshop *w, pid_t child)
{
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        return access(w->library.at, R_OK) == 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum { LOG_SHOWN = 4000 };

static bool refused(workshop *w, const char *compiler)
{
    char text[LOG_SHOWN];
    FILE *f = fopen(w->log.at, "r");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    diag_error(w->cx, DIAG_CPU_BUILD, (location){0},
               "the C compiler %s refused the emitted kernels", compiler);
    if (size)
        diag_note_add(w->cx, (location){0}, "it says:\n%.*s", (int)size, text);
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
    pid_t child;
    bool ok = make_command(w, code, &c);
    if (ok) {
        const char *compiler = c.words.at[0];
        int error = compiler ? start(w, &c, &child) : ENOENT;
        ok = error ? no_compiler(w->cx, compiler ? compiler : "", error)
                   : await(w, child) || refused(w, compiler);
    }
    free_command(&w->cx->mem, &c);
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
    void *library = dlopen(w->library.at, RTLD_NOW | RTLD_LOCAL);
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

void *cpu_load(fcl_context *cx, const run_code *code)
{
    workshop w = {.cx = cx};
    bool ok = open_workshop(&w) && write_source(&w, code) && compile(&w, code);
    void *library = ok ? load(&w) : NULL;
    close_workshop(&w);
    return library;
}
