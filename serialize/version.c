/* Versions of the formats: see version.h.  The tables say for every construct with which version it
 * came. */
#include "serialize/version.h"

bool version_readable(uint32_t major, uint32_t minor)
{
    (void)minor;
    return major == FORMAT_MAJOR;
}

/* ---- writing an older version ---- */

bool version_known(fcl_context *cx, uint32_t version)
{
    if (version >= 1 && version <= FORMAT_VERSION)
        return true;
    diag_error(cx, DIAG_VERSION_UNKNOWN, (location){0},
               "version %u.%u of the format cannot be written", version / 100, version % 100);
    diag_hint(cx, "this library writes the versions 0.1 to %d.%d", FORMAT_MAJOR, FORMAT_MINOR);
    return false;
}

typedef struct fit {
    ir_module *m;
    uint32_t version;
    bool ok;
} fit;

static void need(fit *f, uint32_t since, location at, const char *what, const char *name)
{
    if (since <= f->version)
        return;
    f->ok = diag_error(f->m->cx, DIAG_VERSION_FIT, at,
                       "%s%s came with version %u.%u of the format, after %u.%u", what, name,
                       since / 100, since % 100, f->version / 100, f->version % 100);
}

static uint32_t since_of_form(type_kind k)
{
    switch (k) {
    case TY_ERROR: return 0;
#define FORM(e, wire, name, since, entry)                                                          \
    case TY_##e:                                                                                   \
        return since;
#include "serialize/binary/binary.def"
#undef FORM
    }
    return 0;
}

static uint32_t since_of_scalar(scalar s)
{
    switch (s) {
#define SCALAR(e, wire, name, class, bytes, alias, since, ...)                                     \
    case ST_##e:                                                                                   \
        return since;
#include "ir/types.def"
#undef SCALAR
    default: return 0;
    }
}

/* The types and levels that a type is made of, without those that it shares with others: all of the
 * module are looked at. */
static void fit_types(fit *f)
{
    location file = {.file = f->m->file};
    for (ir_type t = 1; t < f->m->types.len; t++) {
        const type_node *n = ir_type_at(f->m, t);
        need(f, since_of_form((type_kind)n->kind), file, "the type ", type_str(f->m, t));
        if (n->kind == TY_SCALAR)
            need(f, since_of_scalar((scalar)n->a), file, "the type ", ir_scalar_name((scalar)n->a));
    }
}

static void fit_region(fit *f, ir_region r, vec_u32 *todo)
{
    ir_module *m = f->m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_info *info = ir_op_info(ir_op_at(m, o)->opcode);
        need(f, info->since, ir_op_loc(m, o), "the operator ", info->name ? info->name : "?");
        for (uint32_t i = 0; i < info->regions; i++)
            f->ok = vec_push(&m->cx->mem, todo, ir_op_at(m, o)->regions + i) && f->ok;
    }
}

bool version_fits(ir_module *m, uint32_t version)
{
    fit f = {.m = m, .version = version, .ok = true};
    vec_u32 todo = {0};
    if (version >= FORMAT_VERSION)
        return true;
    for (ir_func fn = 1; fn < m->funcs.len; fn++) {
        if (m->funcs.at[fn].import)
            continue;
        fit_region(&f, m->funcs.at[fn].body, &todo);
        while (todo.len)
            fit_region(&f, todo.at[--todo.len], &todo);
    }
    fit_types(&f);
    vec_free(&m->cx->mem, &todo);
    return f.ok;
}

/* ---- reading an older version ---- */

bool version_upgrade_by(ir_module *m, uint32_t version, const upgrade *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].version > version && !steps[i].step(m))
            return false;
    return true;
}

/* The steps from 0.1 on: there is no later version yet. */
static const upgrade upgrades[] = {{0, NULL}};

bool version_upgrade_module(ir_module *m, uint32_t version)
{
    return version_upgrade_by(m, version, upgrades, sizeof upgrades / sizeof *upgrades - 1);
}
