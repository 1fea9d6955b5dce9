/* The readers and writers of the library two versions on, as the tables beside this file make them:
 *
 *   next IN OUT [VERSION]
 *
 * reads either form and writes the one that OUT is named as, in a version (major * 100 + minor);
 * without one, the oldest that has everything. */
#include "serialize/binary/binary.h"
#include "serialize/upgrade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the operator that blend took the place of: it was blend x, y, 2 ---- */

enum { USUAL = 2 };

static bool set_args(ir_module *m, ir_op o, const ir_value *args, uint32_t n)
{
    uint32_t at = m->pool.len;
    for (uint32_t i = 0; i < n; i++)
        if (!args[i] || !vec_push(&m->cx->mem, &m->pool, args[i]))
            return false;
    m->ops.at[o].args = at;
    m->ops.at[o].nargs = n & OPERANDS_MANY;
    return true;
}

bool upgrade_BLEND_1(ir_module *m, ir_op o)
{
    const ir_value args[] = {ir_arg(m, o, 0), ir_arg(m, o, 1), ir_literal(m, LIT_INT, USUAL)};
    if (!set_args(m, o, args, 3))
        return false;
    m->ops.at[o].opcode = OP_BLEND;
    return true;
}

bool downgrade_BLEND_1(ir_module *m, ir_op o)
{
    ir_value k = ir_arg(m, o, 2);
    const ir_value args[] = {ir_arg(m, o, 0), ir_arg(m, o, 1)};
    if (ir_value_at(m, k)->kind != V_CONST || ir_const_bits(m, k) != USUAL ||
        !set_args(m, o, args, 2))
        return false;
    m->ops.at[o].opcode = OP_BLEND_1;
    return true;
}

/* ---- the program ---- */

static char *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = malloc(1 << 20);
    *size = f && data ? fread(data, 1, 1 << 20, f) : 0;
    if (f)
        fclose(f);
    return data;
}

static bool load(ir_module *m, const char *path)
{
    size_t size;
    char *data = contents(path, &size);
    bool ok = binary_is(data, size) ? binary_read(m, path, data, size, NULL, NULL)
                                    : text_read(m, path, data, size, NULL, NULL);
    free(data);
    return ok;
}

static bool save(ir_module *m, const char *path, uint32_t version)
{
    vec_char out = {0};
    bool binary = strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".fclb") == 0,
         ok = !version || version_downgrade_operators(m, version);
    version = version ? version : version_needed(m);
    ok = ok && (binary ? binary_write(m, version, "next", &out)
                       : version_fits(m, version) && text_write_as(m, version, &out));
    FILE *f = ok ? fopen(path, "wb") : NULL;
    ok = f && fwrite(out.at, 1, out.len, f) == out.len;
    if (f)
        fclose(f);
    vec_free(&m->cx->mem, &out);
    return ok;
}

int main(int argc, char **argv)
{
    fcl_context cx;
    ir_module m;
    vec_char text = {0};
    if (argc < 3 || !context_init(&cx, NULL, NULL) || !ir_module_init(&m, &cx))
        return 2;
    bool ok = load(&m, argv[1]) && save(&m, argv[2], argc > 3 ? (uint32_t)atoi(argv[3]) : 0);
    for (uint32_t i = 0; i < cx.diags.all.len; i++)
        diag_format(&cx, &cx.diags.all.at[i], &text);
    fputs(text_cstr(&cx.mem, &text), stderr);
    vec_free(&cx.mem, &text);
    ir_module_release(&m);
    context_release(&cx);
    return ok ? 0 : 1;
}
