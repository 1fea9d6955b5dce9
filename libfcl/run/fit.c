/* Which code of an artifact a device runs: the first one that it can build, whose kernels it has
 * everything for, and which avoids what its driver gets wrong; else the first one that lacks only
 * the last, with a warning. */
#include "libfcl/run/run.h"

#include "backends/quirks.h"

#include <stdio.h>
#include <string.h>

typedef struct fitting {
    const fcl_artifact *a;
    const char *entry, *via;
    run_caps caps;
    run_lack lack; /* of the target that was looked at last */
} fitting;

static const char *text_of(const fitting *f, str_id s)
{
    return intern_str(&f->a->cx->strings, s);
}

static bool lacks(fitting *f, const char *hint, const char *what, const char *name)
{
    f->lack = (run_lack){.code = DIAG_NO_TARGET, .hint = hint};
    snprintf(f->lack.what, sizeof f->lack.what, what, name);
    return false;
}

/* Whether warps of a size are those of a dialect on the device; 0: any are. */
static bool has_warps(const fitting *f, const fcl_dialect *d, uint32_t size)
{
    uint32_t lanes = d->lanes ? d->lanes : f->caps.facts.warp_size;
    return !size ||
           (d->lanes == FCL_LANES_OF_WARP ? (f->caps.lane_sizes & size) != 0 : size == lanes);
}

/* The way in which lanes exchange values, of which the device has as many in a warp. */
static bool fits_dialect(fitting *f, const artifact_target *t, const run_ways *ways)
{
    const fcl_backend *b = backend_named(NULL, text_of(f, t->name));
    const char *name = t->exchange ? text_of(f, t->exchange) : b->dialects[0].name;
    for (uint32_t i = 0; i < b->ndialects; i++)
        if ((ways->can >> i & 1) && strcmp(b->dialects[i].name, name) == 0)
            return has_warps(f, &b->dialects[i], t->warp_size) ||
                   lacks(f, "compile it with -D WarpSize=N for those",
                         "its warps have another size than those of %.60s on the device", name);
    return lacks(f, "compile it with --exchange=local, which every device has",
                 "its lanes exchange values by %.60s, which the device does not have", name);
}

static const plan *find_entry(const fitting *f, const artifact_target *t)
{
    for (uint32_t i = 0; i < t->entries.len; i++)
        if (strcmp(text_of(f, t->entries.at[i].face.entry), f->entry) == 0)
            return &t->entries.at[i];
    return NULL;
}

static bool fits(fitting *f, const artifact_target *t)
{
    const char *name = text_of(f, t->name);
    const plan *p = find_entry(f, t);
    const run_ways *ways = run_ways_of(&f->caps, name);
    if (f->via && strcmp(name, f->via) != 0)
        return lacks(f, "name a target that the artifact has", "it is not the target %.60s",
                     f->via);
    if (!ways)
        return lacks(f, "compile for a target of the device: fclc compile --target=NAME",
                     "the device takes code of target %.60s", f->caps.target);
    if (!p)
        return lacks(f, "compile it for this target, too", "it has no entry @%.60s", f->entry);
    return fits_dialect(f, t, ways) && !run_lacks(&f->caps, name, p, &f->lack);
}

/* Quirks of the device's driver that the code runs into; in whose way lanes do not exchange values
 * at all, no code that fits the device does. */
static uint32_t quirks_left(const fitting *f, const artifact_target *t)
{
    uint32_t left = f->caps.quirks & ~(uint32_t)QUIRK_BLOCK_BARRIERS, known;
    for (uint32_t i = 0; i < t->quirks.len; i++)
        if (quirks_named(text_of(f, t->quirks.at[i]), &known))
            left &= ~known;
    return left;
}

static void warn(const fitting *f, uint32_t left)
{
    fcl_context *cx = f->a->cx;
    const char *driver = quirks_driver(f->caps.quirks);
    vec_char names = {0};
    for (uint32_t i = 0; quirk_at(i).name; i++)
        if (left & quirk_at(i).bit)
            text_addf(&cx->mem, &names, "%s%s", names.len ? "," : "", quirk_at(i).name);
    const char *list = text_cstr(&cx->mem, &names);
    diag_warning(cx, DIAG_WARN_QUIRKS, (location){0},
                 "this device's driver gets wrong what the artifact's code does not avoid: %s",
                 list);
    diag_hint(cx, "compile it with --quirks=%s; `fclc join` keeps several codes in one file",
              driver ? driver : list);
    vec_free(&cx->mem, &names);
}

static bool refuse_one(fitting *f, const artifact_target *t)
{
    if (fits(f, t) || f->lack.code != DIAG_NO_TARGET)
        return run_refuse(f->a->cx, &f->lack);
    diag_error(f->a->cx, DIAG_NO_TARGET, (location){0},
               "the artifact's code is not for this device: %s", f->lack.what);
    diag_hint(f->a->cx, "%s", f->lack.hint);
    return false;
}

/* Of a single code why the device does not run it, of several a note for each. */
static const artifact_target *refuse(fitting *f)
{
    fcl_context *cx = f->a->cx;
    const artifact *data = &f->a->data;
    if (data->targets.len == 1) {
        refuse_one(f, &data->targets.at[0]);
        return NULL;
    }
    diag_error(cx, DIAG_NO_TARGET, (location){0},
               "none of the artifact's %u codes is for this device", data->targets.len);
    for (uint32_t i = 0; i < data->targets.len; i++) {
        fits(f, &data->targets.at[i]);
        diag_note_add(cx, f->lack.at, "code %u, %s: %s", i + 1,
                      text_of(f, data->targets.at[i].name), f->lack.what);
    }
    diag_hint(cx, "compile it for the device, too, and put both together by `fclc join`");
    return NULL;
}

const artifact_target *artifact_choose(const fcl_artifact *a, const char *entry, const char *via,
                                       const run_device *d)
{
    const artifact_target *first = NULL;
    fitting f = {.a = a, .entry = entry, .via = via, .caps = run_device_caps(d)};
    for (uint32_t i = 0; i < a->data.targets.len; i++) {
        const artifact_target *t = &a->data.targets.at[i];
        bool can = fits(&f, t);
        if (can && !quirks_left(&f, t))
            return t;
        if (can && !first)
            first = t;
    }
    if (first)
        warn(&f, quirks_left(&f, first));
    return first ? first : refuse(&f);
}
