/* Devices by name: the evaluator, and those of the OpenCL drivers. */
#include "libfcl/run.h"

#include <stdlib.h>
#include <string.h>

static const char interp_name[] = "interp";

size_t fcl_device_count(fcl_context *cx)
{
    return 1 + (size_t)run_opencl_count(cx);
}

/* A text that lives as long as the context. */
static const char *keep(fcl_context *cx, vec_char *text)
{
    const char *s = intern_str(&cx->strings, intern_add(&cx->strings, text->at, text->len));
    vec_free(&cx->mem, text);
    return s;
}

const char *fcl_device_name(fcl_context *cx, size_t i)
{
    if (i >= fcl_device_count(cx))
        return NULL;
    if (i == 0)
        return interp_name;
    vec_char text = {0};
    text_addf(&cx->mem, &text, "opencl:%zu", i - 1);
    return keep(cx, &text);
}

const char *fcl_device_description(fcl_context *cx, size_t i)
{
    if (i >= fcl_device_count(cx))
        return NULL;
    if (i == 0)
        return "the reference evaluator, built in";
    vec_char text = {0};
    run_opencl_describe(cx, (uint32_t)i - 1, &text);
    return keep(cx, &text);
}

/* Reads "opencl" or "opencl:N"; false when the name is neither. */
static bool opencl_number(const char *name, uint32_t *n)
{
    static const char prefix[] = "opencl";
    size_t len = sizeof prefix - 1;
    *n = 0;
    if (strncmp(name, prefix, len) != 0)
        return false;
    if (!name[len])
        return true;
    const char *digits = name + len + 1;
    if (name[len] != ':' || !*digits || strlen(digits) > 4 || digits[strspn(digits, "0123456789")])
        return false;
    *n = (uint32_t)strtoul(digits, NULL, 10);
    return true;
}

/* Opens what the name says into *d; false with a diagnostic. */
static bool open_named(fcl_device *d, const char *name)
{
    uint32_t n = 0;
    bool is_auto = strcmp(name, "auto") == 0;
    if (strcmp(name, interp_name) == 0 || (is_auto && run_opencl_count(d->cx) == 0))
        return true;
    if (!is_auto && !opencl_number(name, &n)) {
        diag_error(d->cx, DIAG_NO_DEVICE, (location){0}, "there is no device %s", name);
        diag_hint(d->cx, "devices are called interp, opencl, opencl:N or auto");
        return false;
    }
    d->opencl = run_opencl_open(d->cx, n);
    return d->opencl != NULL;
}

fcl_device *fcl_device_open(fcl_context *cx, const char *name)
{
    uint32_t before = cx->diags.errors;
    fcl_device *d = mem_resize(&cx->mem, NULL, 0, sizeof *d);
    if (d)
        *d = (fcl_device){.cx = cx};
    bool ok = d && open_named(d, name ? name : interp_name);
    if (face_ok(cx, before) && ok)
        return d;
    fcl_device_close(d);
    return NULL;
}

fcl_device *fcl_device_adopt(fcl_context *cx, void *context, void *device, void *queue)
{
    uint32_t before = cx->diags.errors;
    run_handles of = {.device = device, .context = context, .queue = queue};
    fcl_device *d = mem_resize(&cx->mem, NULL, 0, sizeof *d);
    if (d)
        *d = (fcl_device){.cx = cx, .opencl = run_opencl_adopt(cx, &of)};
    if (face_ok(cx, before) && d && d->opencl)
        return d;
    fcl_device_close(d);
    return NULL;
}

void fcl_device_close(fcl_device *d)
{
    if (!d)
        return;
    job_settle_all(d);
    run_close(d->opencl);
    mem_free(&d->cx->mem, d, sizeof *d);
}

bool fcl_device_opencl(const fcl_device *d, fcl_opencl *out, size_t size)
{
    if (!d->opencl)
        return false;
    run_handles h = run_device_handles(d->opencl);
    fcl_opencl x = {
        .platform = h.platform, .device = h.device, .context = h.context, .queue = h.queue};
    return ABI_GIVE(out, size, x);
}
