/* Devices by name: the evaluator, those of the OpenCL drivers, the cores of the machine, and those
 * of Vulkan. */
#include "libfcl/run/run.h"

#include <stdlib.h>
#include <string.h>

static const char interp_name[] = "interp", cpu_name[] = "cpu";

/* Those that are listed before Vulkan's, about which the drivers need not be asked. */
static size_t count_others(fcl_context *cx)
{
    return 1 + (size_t)run_opencl_count(cx) + run_cpu_is_there(cx);
}

size_t fcl_device_count(fcl_context *cx)
{
    return cx ? count_others(cx) + run_vulkan_count(cx) : 0;
}

static bool is_cpu(fcl_context *cx, size_t i)
{
    return run_cpu_is_there(cx) && i + 1 == count_others(cx);
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
    size_t others = cx ? count_others(cx) : 0;
    vec_char text = {0};
    if (!cx)
        return NULL;
    if (i == 0)
        return interp_name;
    if (is_cpu(cx, i))
        return cpu_name;
    if (i < others)
        text_addf(&cx->mem, &text, "opencl:%zu", i - 1);
    else if (i - others < run_vulkan_count(cx))
        text_addf(&cx->mem, &text, "vulkan:%zu", i - others);
    else
        return NULL;
    return keep(cx, &text);
}

const char *fcl_device_description(fcl_context *cx, size_t i)
{
    size_t others = cx ? count_others(cx) : 0;
    vec_char text = {0};
    if (!cx)
        return NULL;
    if (i == 0)
        return "the reference evaluator, built in";
    if (is_cpu(cx, i))
        run_cpu_describe(cx, &text);
    else if (i < others)
        run_opencl_describe(cx, (uint32_t)i - 1, &text);
    else if (i - others > UINT32_MAX || !run_vulkan_describe(cx, (uint32_t)(i - others), &text))
        return NULL;
    return keep(cx, &text);
}

/* Reads "opencl" or "opencl:N", or the same of another word; false when the name is neither. */
static bool numbered(const char *name, const char *prefix, uint32_t *n)
{
    size_t len = strlen(prefix);
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

/* What "auto" stands for. */
static const char *best_name(fcl_context *cx)
{
    return run_opencl_count(cx)       ? "opencl"
           : run_vulkan_is_gpu(cx, 0) ? "vulkan"
           : run_cpu_is_there(cx)     ? cpu_name
                                      : interp_name;
}

/* Opens what the name says into *d; false with a diagnostic. */
static bool open_named(fcl_device *d, const char *name)
{
    uint32_t n = 0;
    if (strcmp(name, "auto") == 0)
        name = best_name(d->cx);
    d->listed = 1;
    if (strcmp(name, interp_name) == 0)
        return true;
    if (strcmp(name, cpu_name) == 0) {
        d->listed = count_others(d->cx);
        d->runner = run_cpu_open(d->cx);
        return d->runner != NULL;
    }
    if (numbered(name, "vulkan", &n)) {
        d->listed = 1 + count_others(d->cx) + n;
        d->runner = run_vulkan_open(d->cx, n);
        return d->runner != NULL;
    }
    if (!numbered(name, "opencl", &n)) {
        diag_error(d->cx, DIAG_NO_DEVICE, (location){0}, "there is no device %s", name);
        diag_hint(d->cx,
                  "devices are called interp, opencl, opencl:N, vulkan, vulkan:N, cpu or auto");
        return false;
    }
    d->listed = 2 + (size_t)n;
    d->runner = run_opencl_open(d->cx, n);
    return d->runner != NULL;
}

fcl_device *fcl_device_open(fcl_context *cx, const char *name)
{
    if (!cx)
        return NULL;
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
    if (!cx)
        return NULL;
    uint32_t before = cx->diags.errors;
    run_handles of = {.device = device, .context = context, .queue = queue};
    fcl_device *d = mem_resize(&cx->mem, NULL, 0, sizeof *d);
    if (d)
        *d = (fcl_device){.cx = cx, .runner = run_opencl_adopt(cx, &of)};
    if (face_ok(cx, before) && d && d->runner)
        return d;
    fcl_device_close(d);
    return NULL;
}

const char *fcl_device_target(const fcl_device *d)
{
    if (!d)
        return NULL;
    return d->runner ? run_device_caps(d->runner).target : NULL;
}

const char *fcl_device_about(const fcl_device *d)
{
    return d && d->listed ? fcl_device_description(d->cx, d->listed - 1) : NULL;
}

void fcl_device_close(fcl_device *d)
{
    if (!d)
        return;
    job_settle_all(d);
    run_close(d->runner);
    mem_free(&d->cx->mem, d, sizeof *d);
}

bool fcl_device_opencl(const fcl_device *d, fcl_opencl *out, size_t size)
{
    if (!d)
        return false;
    run_handles h = d->runner ? run_device_handles(d->runner) : (run_handles){0};
    if (!h.context)
        return false;
    fcl_opencl x = {
        .platform = h.platform, .device = h.device, .context = h.context, .queue = h.queue};
    return ABI_GIVE(out, size, x);
}
