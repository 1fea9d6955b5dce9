/* The loop of --reduce: edits, tried until none is kept any more. */
#define _DEFAULT_SOURCE
#include "frontends/tools/reduce/reduce.h"

#include "frontends/tools/reduce/reducer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- candidates ---- */

/* In a context of its own, so that nothing is left of candidates that are refused. */
static bool is_valid(const reducer *r, const string *text)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    if (!cx)
        return false;
    fcl_kernels *k = NULL;
    fcl_module *m = NULL;
    if (r->kernel)
        k = fcl_kernels_load(cx, "candidate", string_str(text), text->len);
    else
        m = fcl_module_load(cx, "candidate.fclir", string_str(text), text->len, NULL);
    bool ok = k || (m && (!r->strict || fcl_module_check(m)));
    fcl_kernels_destroy(k);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return ok;
}

/* CMD with the file in the place of every {}, or behind it; what it prints is of no interest. */
static void add_command(const reducer *r, string *out)
{
    const char *cmd = r->s->o->value[OPT_REDUCE], *hole;
    string_addf(out, "{ ");
    bool placed = strstr(cmd, "{}") != NULL;
    for (; (hole = strstr(cmd, "{}")) != NULL; cmd = hole + 2) {
        string_add(out, cmd, (size_t)(hole - cmd));
        string_addf(out, "'%s'", r->file);
    }
    string_addf(out, "%s", cmd);
    if (!placed)
        string_addf(out, " '%s'", r->file);
    string_addf(out, "\n} > /dev/null 2>&1");
}

bool reducer_ask(reducer *r, const string *text)
{
    FILE *f = fopen(r->file, "wb");
    if (!f)
        return false;
    bool written = fwrite(string_str(text), 1, text->len, f) == text->len;
    written = fclose(f) == 0 && written;
    string command = {0};
    add_command(r, &command);
    r->runs++;
    bool ok = written && system(string_str(&command)) == 0;
    string_free(&command);
    return ok;
}

bool reducer_try(reducer *r, string *candidate, bool simpler)
{
    bool smaller = candidate->len < r->best.len || (simpler && candidate->len == r->best.len);
    if (smaller && is_valid(r, candidate) && reducer_ask(r, candidate)) {
        string_free(&r->best);
        r->best = *candidate;
        *candidate = (string){0};
        return true;
    }
    string_free(candidate);
    return false;
}

/* ---- the loop ---- */

static bool print_input(session *s, string *out)
{
    size_t size;
    char *text =
        s->kernels ? fcl_kernels_print(s->kernels, &size) : fcl_module_print(s->module, &size);
    if (!text)
        return false;
    string_add(out, text, size);
    fcl_free(s->cx, text, size);
    return true;
}

static char *temporary(const session *s)
{
    const char *folder = getenv("TMPDIR");
    string name = {0};
    string_addf(&name, "%s/reduce-XXXXXX.%s", folder && *folder ? folder : "/tmp",
                s->kernels ? "kernel" : "fclir");
    int fd = mkstemps(name.at, (int)strlen(strrchr(name.at, '.')));
    if (fd >= 0) {
        close(fd);
        return name.at;
    }
    string_free(&name);
    return NULL;
}

static void shrink(reducer *r)
{
    static bool (*const edits[])(reducer *) = {edit_positions, edit_items,      edit_dead,
                                               edit_values,    edit_parameters, edit_literals};
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
            more = edits[i](r) || more;
    }
}

static bool reduce_with(reducer *r)
{
    if (!print_input(r->s, &r->best))
        return false;
    if (!reducer_ask(r, &r->best))
        return report_error(&r->s->rep, TD_REDUCE_START, (report_place){.file = r->s->in.name},
                            "the command is given the program as fcl-opt prints it",
                            "the command does not succeed on what is to be reduced");
    size_t before = r->best.len;
    r->strict = is_valid(r, &r->best);
    shrink(r);
    fprintf(stderr, "// from %zu to %zu bytes in %u runs\n", before, r->best.len, r->runs);
    return true;
}

bool reduce(session *s, string *out)
{
    reducer r = {.s = s, .kernel = s->kernels != NULL, .strict = true, .file = temporary(s)};
    if (!r.file)
        return report_error(&s->rep, TD_FILE_WRITE, (report_place){0}, NULL,
                            "cannot create a temporary file: %s", strerror(errno));
    if (s->module)
        fcl_module_check(s->module); /* so that types are printed */
    fcl_diagnostics_clear(s->cx);
    bool ok = reduce_with(&r);
    string_add(out, string_str(&r.best), ok ? r.best.len : 0);
    unlink(r.file);
    free(r.file);
    string_free(&r.best);
    return ok;
}
