/* Running other programs in a folder of their own: see workshop.h. */
#define _GNU_SOURCE
#include "backends/run/workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *workshop_environment(const char *name, const char *usual)
{
    const char *value = getenv(name);
    return value && *value ? value : usual;
}

/* ---- files ---- */

bool workshop_failed(workshop *w, const char *what, const char *name)
{
    diag_error(w->cx, DIAG_CPU_FILES, (location){0}, "%s %s: %s", what, name, strerror(errno));
    diag_hint(w->cx, "let the environment's TMPDIR be a folder that can be written and run from");
    return false;
}

static bool name_file(workshop *w, vec_char *out, const char *name)
{
    return text_addf(&w->cx->mem, out, "%s/%s", w->folder.at, name) &&
           *text_cstr(&w->cx->mem, out) != 0;
}

bool workshop_open(workshop *w, const char *input, const char *output)
{
    mem *m = &w->cx->mem;
    const char *parent = workshop_environment("TMPDIR", "/tmp");
    if (!text_addf(m, &w->folder, "%s/fcl-XXXXXX", parent) || !*text_cstr(m, &w->folder))
        return false;
    if (!mkdtemp(w->folder.at)) {
        w->folder.len = 0;
        return workshop_failed(w, "no folder can be made in", parent);
    }
    return name_file(w, &w->input, input) && name_file(w, &w->output, output) &&
           name_file(w, &w->log, "log");
}

void workshop_close(workshop *w)
{
    mem *m = &w->cx->mem;
    vec_char *const files[] = {&w->input, &w->output, &w->log};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i]->len)
            unlink(files[i]->at);
        vec_free(m, files[i]);
    }
    if (w->folder.len)
        rmdir(w->folder.at);
    vec_free(m, &w->folder);
}

bool workshop_write(workshop *w, const char *data, size_t size)
{
    FILE *f = fopen(w->input.at, "w");
    bool ok = f && fwrite(data, 1, size, f) == size;
    if (f && fclose(f) != 0)
        ok = false;
    return ok || workshop_failed(w, "cannot write", w->input.at);
}

/* ---- command lines ---- */

static bool add_word(mem *m, command *c, const char *s, size_t len)
{
    return vec_push(m, &c->starts, c->text.len) && text_add(m, &c->text, s, len) &&
           text_add(m, &c->text, "", 1);
}

bool command_add(mem *m, command *c, const char *word)
{
    return add_word(m, c, word, strlen(word));
}

bool command_add_words(mem *m, command *c, const char *s)
{
    static const char blanks[] = " \t\n";
    bool ok = true;
    for (s += strspn(s, blanks); ok && *s; s += strspn(s, blanks)) {
        size_t len = strcspn(s, blanks);
        ok = add_word(m, c, s, len);
        s += len;
    }
    return ok;
}

void command_free(mem *m, command *c)
{
    vec_free(m, &c->text);
    vec_free(m, &c->starts);
    vec_free(m, &c->words);
}

static bool find_words(mem *m, command *c)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->starts.len; i++)
        ok = vec_push(m, &c->words, c->text.at + c->starts.at[i]);
    return ok && vec_push(m, &c->words, NULL);
}

/* ---- the call ---- */

/* Starts it with nothing to read and all that it says going to the log; an error number. */
static int start(const workshop *w, const command *c, pid_t *child)
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
        return access(w->output.at, R_OK) == 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int workshop_run(workshop *w, command *c)
{
    pid_t child;
    if (!find_words(&w->cx->mem, c))
        return WORKSHOP_NO_MEMORY;
    int error = c->words.at[0] ? start(w, c, &child) : ENOENT;
    return error ? error : await(w, child) ? WORKSHOP_DONE : WORKSHOP_ENDED_BADLY;
}

enum { LOG_SHOWN = 4000 };

void workshop_note_log(workshop *w)
{
    char text[LOG_SHOWN];
    FILE *f = fopen(w->log.at, "r");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    if (size)
        diag_note_add(w->cx, (location){0}, "it says:\n%.*s", (int)size, text);
}
