/* Modules: making, loading, checking and printing them.  A public fcl_module wraps an ir_module. */
#include "libfcl/core/core.h"

#include "frontends/fcl/surface.h"
#include "frontends/tail/tail.h"
#include "ir/check/check.h"
#include "serialize/binary/binary.h"
#include "serialize/text/listing.h"

#include <string.h>

bool face_module_ok(fcl_module *m, uint32_t before)
{
    if (m->ir.cx->mem.oom)
        m->broken = true;
    else if (m->ir.cx->diags.errors != before)
        listing_resolve(&m->ir);
    return face_ok(m->ir.cx, before);
}

bool face_usable(fcl_module *m)
{
    uint32_t before = m->ir.cx->diags.errors;
    if (!face_module_ok(m, before))
        return false;
    if (!m->broken)
        return true;
    return diag_error(m->ir.cx, DIAG_NO_MODULE, m->at,
                      "the module is incomplete: building it failed earlier");
}

/* Modules of one context are numbered; those of two are told apart by where the contexts are. */
static uint32_t next_stretch(fcl_context *cx)
{
    return cx->modules++ + (uint32_t)((uintptr_t)cx >> 4);
}

/* A module that may hold only half of what it needs; NULL when memory is short. */
static fcl_module *module_new(fcl_context *cx)
{
    fcl_module *m = mem_resize(&cx->mem, NULL, 0, sizeof *m);
    if (!m)
        return NULL;
    *m = (fcl_module){.stretch = next_stretch(cx)};
    cx->holders++;
    m->broken = !ir_module_init(&m->ir, cx);
    return m;
}

fcl_module *face_module_copy(const fcl_module *m)
{
    fcl_module *copy = module_new(m->ir.cx);
    if (!copy)
        return NULL;
    ir_module_release(&copy->ir);
    copy->at = m->at;
    copy->signatures = m->signatures;
    copy->broken = !ir_module_copy(&copy->ir, &m->ir);
    if (!copy->broken)
        return copy;
    fcl_module_destroy(copy);
    return NULL;
}

fcl_module *fcl_module_create(fcl_context *cx)
{
    if (!cx)
        return NULL;
    fcl_module *m = module_new(cx);
    if (m && !m->broken && (m->ir.file = intern_cstr(&cx->strings, "<module>")))
        return m;
    face_ok(cx, cx->diags.errors);
    fcl_module_destroy(m);
    return NULL;
}

/* FCL source, built through the public interface. */
static bool load_surface(fcl_module *m, const char *name, const char *text, size_t size,
                         fcl_load_options *options)
{
    fcl_context *cx = m->ir.cx;
    vec_char signatures = {0};
    fcl_surface in = {.name = name,
                      .text = text,
                      .size = size,
                      .entry = options->entry,
                      .sources = &m->ir.sources};
    in.files = face_import;
    in.files_user = options;
    bool ok = fcl_surface_read(cx, m, &in, &signatures);
    m->signatures = intern_add(&cx->strings, signatures.at ? signatures.at : "", signatures.len);
    vec_free(&cx->mem, &signatures);
    fcl_at(m, NULL, 0, 0);
    ir_accept_literals(&m->ir); /* types were inferred, and are right where the source was */
    return ok;
}

static bool is_surface(const fcl_load_options *o, const char *name, const void *data, size_t size)
{
    return o->lang == FCL_LANG_FCL ||
           (o->lang == FCL_LANG_BY_NAME && fcl_surface_is(name, data, size));
}

static bool is_tail(const fcl_load_options *o, const char *name)
{
    return o->lang == FCL_LANG_TAIL || (o->lang == FCL_LANG_BY_NAME && tail_is(name));
}

static bool load_tail(fcl_module *m, const char *name, const char *text, size_t size)
{
    bool ok = tail_read(m->ir.cx, m, name, text, size);
    fcl_at(m, NULL, 0, 0);
    return ok;
}

fcl_module *fcl_module_load(fcl_context *cx, const char *name, const void *data, size_t size,
                            const fcl_load_options *options)
{
    if (!cx)
        return NULL;
    if (!GIVEN(cx, name) || !GIVEN_ALL(cx, data, size))
        return NULL;
    uint32_t before = cx->diags.errors;
    fcl_load_options copy = abi_load_options(options);
    fcl_module *m = module_new(cx);
    bool read = m && !m->broken;
    if (read && binary_is(data, size))
        read = binary_read(&m->ir, name, data, size, face_import, &copy);
    else if (read && is_surface(&copy, name, data, size))
        read = load_surface(m, name, data, size, &copy);
    else if (read && is_tail(&copy, name))
        read = load_tail(m, name, data, size);
    else
        read = read && text_read(&m->ir, name, data, size, face_import, &copy);
    if (face_ok(cx, before) && read)
        return m;
    fcl_module_destroy(m);
    return NULL;
}

void fcl_module_destroy(fcl_module *m)
{
    if (!m)
        return;
    fcl_context *cx = m->ir.cx;
    fcl_rewrite_end(m->rewrite);
    vec_free(&cx->mem, &m->named);
    vec_free(&cx->mem, &m->graphs);
    vec_free(&cx->mem, &m->taken);
    ir_module_release(&m->ir);
    cx->holders--;
    mem_free(&cx->mem, m, sizeof *m);
}

bool fcl_module_check(fcl_module *m)
{
    if (!m)
        return false;
    uint32_t before = m->ir.cx->diags.errors;
    if (!face_usable(m))
        return false;
    if (m->ir.checked)
        return true;
    bool ok = ir_check(&m->ir);
    return face_module_ok(m, before) && ok;
}

typedef bool write_form(ir_module *m, uint32_t version, vec_char *out);

/* Writes the module as it is in a version, 0: in the oldest that has all of it; the operators that
 * it has instead of newer ones are there only meanwhile. */
static bool write_as(fcl_module *m, unsigned version, write_form *write, vec_char *out)
{
    ir_module *ir = &m->ir;
    if (!version)
        return write(ir, version_needed(ir), out);
    if (!version_known(ir->cx, version))
        return false;
    bool ok = version_downgrade_operators(ir, version) && write(ir, version, out);
    return version_upgrade_operators(ir) && ok;
}

static char *written_as(fcl_module *m, unsigned version, write_form *write, size_t *size)
{
    fcl_context *cx = m->ir.cx;
    uint32_t before = cx->diags.errors;
    if (!face_usable(m))
        return NULL;
    vec_char out = {0};
    bool written = write_as(m, version, write, &out);
    char *copy = face_take_text(cx, &out, size);
    if (face_module_ok(m, before) && written)
        return copy;
    if (copy)
        fcl_free(cx, copy, *size);
    return NULL;
}

static bool write_text(ir_module *m, uint32_t version, vec_char *out)
{
    return version_fits(m, version) && text_write_as(m, version, out);
}

static bool write_binary(ir_module *m, uint32_t version, vec_char *out)
{
    return binary_write(m, version, face_producer, out);
}

static bool write_nothing(ir_module *m, uint32_t version, vec_char *out)
{
    (void)out;
    return version_fits(m, version);
}

char *fcl_module_print(fcl_module *m, size_t *size)
{
    if (!m)
        return NULL;
    return written_as(m, 0, text_write_as, size);
}

char *fcl_module_print_as(fcl_module *m, unsigned version, size_t *size)
{
    if (!m)
        return NULL;
    return written_as(m, version, write_text, size);
}

char *fcl_module_write(fcl_module *m, unsigned version, size_t *size)
{
    if (!m)
        return NULL;
    return written_as(m, version, write_binary, size);
}

bool fcl_module_fits(fcl_module *m, unsigned version)
{
    if (!m)
        return false;
    uint32_t before = m->ir.cx->diags.errors;
    if (!face_usable(m))
        return false;
    bool ok = !version || write_as(m, version, write_nothing, NULL);
    return face_module_ok(m, before) && ok;
}

bool fcl_module_hash(fcl_module *m, unsigned char digest[32])
{
    if (!m)
        return false;
    uint32_t before = m->ir.cx->diags.errors;
    if (!face_usable(m))
        return false;
    bool ok = GIVEN(m->ir.cx, digest) && binary_hash(&m->ir, digest);
    return face_module_ok(m, before) && ok;
}

char *fcl_module_signatures(fcl_module *m, size_t *size)
{
    if (!m)
        return NULL;
    fcl_context *cx = m->ir.cx;
    uint32_t before = cx->diags.errors;
    vec_char text = {0};
    if (!m->signatures)
        return NULL;
    text_add(&cx->mem, &text, ir_str(&m->ir, m->signatures),
             intern_len(&cx->strings, m->signatures));
    char *copy = face_take_text(cx, &text, size);
    return face_module_ok(m, before) ? copy : NULL;
}

bool fcl_import(fcl_module *m, const char *name, const fcl_load_options *options)
{
    if (!m)
        return false;
    fcl_context *cx = m->ir.cx;
    uint32_t before = cx->diags.errors;
    if (!face_usable(m))
        return false;
    if (!name)
        return core_refuse(m, "an import has a name: it is NULL");
    if (m->rewrite)
        return core_refuse(m, "nothing can be imported while the module is rewritten");
    fcl_load_options copy = abi_load_options(options);
    m->ir.checked = false;
    bool ok = text_import(&m->ir, name, face_import, &copy, m->at);
    ok = face_module_ok(m, before) && ok;
    m->broken = m->broken || !ok;
    return ok;
}

/* ---- kernels ---- */

static bool is_entry(const func_node *f)
{
    return f->kernel && !f->import;
}

fcl_context *fcl_module_context(const fcl_module *m)
{
    return m ? m->ir.cx : NULL;
}

size_t fcl_kernel_count(const fcl_module *m)
{
    if (!m)
        return 0;
    size_t n = 0;
    for (ir_func f = 1; f < m->ir.funcs.len; f++)
        n += is_entry(&m->ir.funcs.at[f]);
    return n;
}

const char *fcl_kernel_name(const fcl_module *m, size_t i)
{
    if (!m)
        return NULL;
    for (ir_func f = 1; f < m->ir.funcs.len; f++)
        if (is_entry(&m->ir.funcs.at[f]) && i-- == 0)
            return ir_str(&m->ir, m->ir.funcs.at[f].name);
    return NULL;
}

/* "the kernels are a, b, c", as a hint. */
static void hint_kernels(fcl_module *m)
{
    fcl_context *cx = m->ir.cx;
    vec_char list = {0};
    for (size_t i = 0; i < fcl_kernel_count(m); i++)
        text_addf(&cx->mem, &list, "%s%s", i ? ", " : "", fcl_kernel_name(m, i));
    if (list.len)
        diag_hint(cx, "the kernels are %s", text_cstr(&cx->mem, &list));
    else
        diag_hint(cx, "declare one with \"kernel @name(...)\"");
    vec_free(&cx->mem, &list);
}

ir_func face_kernel(fcl_module *m, const char *entry)
{
    size_t n = fcl_kernel_count(m);
    const char *name = entry ? entry : n == 1 ? fcl_kernel_name(m, 0) : NULL;
    if (name)
        for (ir_func f = 1; f < m->ir.funcs.len; f++)
            if (is_entry(&m->ir.funcs.at[f]) &&
                strcmp(ir_str(&m->ir, m->ir.funcs.at[f].name), name) == 0)
                return f;
    location file = {.file = m->ir.file};
    if (name)
        diag_error(m->ir.cx, DIAG_NO_KERNEL, file, "there is no kernel %s", name);
    else
        diag_error(m->ir.cx, DIAG_NO_KERNEL, file,
                   n ? "there are %zu kernels: say which" : "there is no kernel", n);
    hint_kernels(m);
    return 0;
}
