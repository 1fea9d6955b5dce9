/* fclc compile: from a module to code, its launch plan and a report on its memory; either all files
 * change or none. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/output.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/driver/driver.h"
#include "frontends/tools/plan/json.h"
#include "frontends/tools/spirv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file to be written; its data belongs to the artifact, unless it was made for this. */
typedef struct piece {
    const char *path, *data;
    size_t size;
    char *file; /* the artifact's, made by the library */
    char *text; /* made here: a plan as JSON, SPIR-V as text */
    char *name;
    output out;
} piece;

/* All are written under temporary names, then all take their places: a failure before that leaves
 * every old file as it was. */
static bool write_pieces(session *s, piece *p, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = output_open(&s->rep, p[i].path, &p[i].out);
        if (ok) {
            fwrite(p[i].data, 1, p[i].size, p[i].out.file);
            ok = output_close(&s->rep, &p[i].out);
        }
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = output_commit(&s->rep, &p[i].out);
    for (size_t i = 0; i < n; i++)
        output_discard(&p[i].out);
    return ok;
}

enum { PIECES = 3, DRIVER_PIECES = 6 };
typedef const char *piece_text(fcl_artifact *a, size_t *size);

/* What is written, and where; path NULL: not at all.  A report without a file takes the place of
 * the code. */
static const struct {
    const char *name;
    option_id option;
    piece_text *text;
} kinds[PIECES] = {{"-o", OPT_OUTPUT, fcl_artifact_code},
                   {"--plan", OPT_PLAN, fcl_artifact_plan},
                   {"--report", OPT_REPORT, fcl_artifact_report}};

/* paths[i] is NULL for what is not written, "-" for standard output. */
static void find_paths(const options *o, const char *paths[PIECES])
{
    for (int i = 0; i < PIECES; i++)
        paths[i] = o->value[kinds[i].option];
    bool instead = paths[2] && !paths[2][0];
    if (instead)
        paths[2] = "-";
    if (!paths[0] && !instead)
        paths[0] = "-";
}

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), end = strlen(ending);
    return n >= end && strcmp(path + n - end, ending) == 0;
}

/* -o x.fcla asks for the artifact, any other name for its code; --plan=x.json for the plan as data,
 * any other name for its text. */
static bool fill_piece(session *s, fcl_artifact *a, int kind, piece *p)
{
    if (kinds[kind].option == OPT_OUTPUT && ends_with(p->path, ".fcla"))
        p->data = p->file = fcl_artifact_save(a, &p->size);
    else if (kinds[kind].option == OPT_PLAN && ends_with(p->path, ".json"))
        p->data = p->text = plan_json(a, &p->size);
    else
        p->data = kinds[kind].text(a, &p->size);
    if (p->data && kinds[kind].option == OPT_OUTPUT && s->o->value[OPT_DISASSEMBLE])
        p->data = p->text = spirv_text(&s->rep, p->data, p->size, &p->size);
    return p->data || s->rep.errors || fcl_diagnostic_count(s->cx) ||
           report_error(&s->rep, TD_NO_MEMORY, (report_place){.file = p->path}, NULL,
                        "there is not enough memory to write the file");
}

/* ---- host programs ---- */

static void add_file(piece *p, const char *folder, const char *name, const char *ending,
                     const char *data, size_t size)
{
    string path = {0};
    string_addf(&path, "%s/%s%s", folder, name, ending);
    *p = (piece){.path = path.at, .name = path.at, .data = data, .size = size};
}

/* All files of a host program, in the folder that -o names, which is made if it is not there. */
static bool fill_driver(session *s, fcl_artifact *a, driver_files *files, piece *p)
{
    const char *folder = s->o->value[OPT_OUTPUT], *text;
    size_t target, size;
    fcl_target t;
    string name = {0};
    if (!driver_choose(a, &target))
        return report_error(&s->rep, TD_NO_OPENCL, (report_place){.file = s->in.name}, NULL,
                            "the artifact has no OpenCL C");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return report_error(&s->rep, TD_FILE_WRITE, (report_place){.file = folder}, NULL,
                            "cannot make the folder: %s", strerror(errno));
    driver_name(s->in.name, &name);
    bool ok = driver_make(s->cx, a, target, name.at, files);
    fcl_artifact_target(a, target, &t, sizeof t);
    add_file(p++, folder, name.at, ".cl", t.code, t.code_size);
    add_file(p++, folder, name.at, ".h", string_str(&files->header), files->header.len);
    add_file(p++, folder, name.at, ".c", string_str(&files->source), files->source.len);
    add_file(p++, folder, "main", ".c", string_str(&files->program), files->program.len);
    text = driver_host_text(&size);
    add_file(p++, folder, "fcl_host", ".h", text, size);
    text = driver_main_text(&size);
    add_file(p, folder, "fcl_host_main", ".h", text, size);
    string_free(&name);
    return ok;
}

/* ---- all files ---- */

static void free_pieces(session *s, piece *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i].file)
            fcl_free(s->cx, p[i].file, p[i].size);
        free(p[i].text);
        free(p[i].name);
    }
}

/* Text is asked for only where it is written, as plan and report are made on demand. */
static bool write_artifact(session *s, fcl_artifact *a)
{
    const char *paths[PIECES];
    piece p[PIECES + DRIVER_PIECES] = {0};
    driver_files files = {0};
    size_t n = 0;
    bool ok = true, hosted = s->o->value[OPT_DRIVER] != NULL;
    find_paths(s->o, paths);
    for (int i = 0; i < PIECES; i++) {
        if (!paths[i] || (hosted && kinds[i].option == OPT_OUTPUT))
            continue;
        p[n].path = paths[i];
        ok = fill_piece(s, a, i, &p[n]) && p[n].data && ok;
        n++;
    }
    if (hosted) {
        ok = fill_driver(s, a, &files, &p[n]) && ok;
        n += DRIVER_PIECES;
    }
    ok = ok && write_pieces(s, p, n);
    free_pieces(s, p, n);
    driver_free(&files);
    return ok;
}

/* What is wrong about --driver, which wants a folder and OpenCL C; NULL: nothing. */
static const char *driver_misuse(const options *o)
{
    const char *kind = o->value[OPT_DRIVER], *folder = o->value[OPT_OUTPUT];
    if (!kind)
        return NULL;
    if (strcmp(kind, "c") != 0)
        return "--driver is c, for host programs in C";
    if (!folder || strcmp(folder, "-") == 0)
        return "--driver=c wants -o DIR, the folder for its files";
    return o->compile.target && strcmp(o->compile.target, "opencl-c") != 0
               ? "--driver=c is for --target=opencl-c"
               : NULL;
}

/* The names of two options that name one file, or false. */
static bool find_clash(const options *o, const char **one, const char **other)
{
    const char *paths[PIECES];
    find_paths(o, paths);
    for (int i = 0; i < PIECES; i++)
        for (int k = i + 1; k < PIECES; k++)
            if (paths[i] && paths[k] && o->value[kinds[i].option] &&
                strcmp(paths[i], paths[k]) == 0) {
                *one = kinds[i].name;
                *other = kinds[k].name;
                return true;
            }
    return false;
}

/* A text can be the code of one target only. */
static bool targets_fit(const options *o)
{
    const char *path = o->value[OPT_OUTPUT];
    return !o->compile.target || !strchr(o->compile.target, ',') ||
           (path && ends_with(path, ".fcla"));
}

/* Options that contradict each other are refused before anything is read. */
int cmd_compile(const options *o, const char *const *args, size_t n)
{
    (void)n;
    session s;
    const char *one, *other;
    if (driver_misuse(o))
        return usage_error(o, "%s", driver_misuse(o));
    if (find_clash(o, &one, &other))
        return usage_error(o, "%s and %s name the same file", one, other);
    if (!targets_fit(o))
        return usage_error(o, "the code of several targets goes into an artifact: -o FILE.fcla");
    if (o->value[OPT_DISASSEMBLE] && o->value[OPT_OUTPUT] &&
        ends_with(o->value[OPT_OUTPUT], ".fcla"))
        return usage_error(o, "--disassemble makes a text, and an artifact has none");
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    bool ok = session_load_runnable(&s, args[0]);
    if (ok && !s.artifact)
        ok = session_check_entry(&s) && (s.artifact = fcl_compile(s.module, &o->compile));
    else if (ok && o->value[OPT_REPORT])
        ok = session_refuse_artifact(&s); /* it does not know where its memory lies */
    else if (ok && o->value[OPT_ENTRY])
        ok = session_refuse_option(&s, OPT_ENTRY);
    ok = ok && write_artifact(&s, s.artifact);
    return session_end(&s, ok);
}
