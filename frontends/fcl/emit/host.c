/* What programs of 2017 ask of the host: reading files, which happens while the program is
 * compiled, and printing, which becomes a result of the kernel. */
#include "frontends/fcl/emit/emit.h"

typedef VEC(fcl_value) value_list;

/* What separates numbers: the file is taken for one list, whatever its lines are. */
static bool csv_blank(char c)
{
    return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One number from *s on; false when there is none.  Numbers wrap to 32 bits. */
static bool csv_number(const char **s, const char *end, int64_t *n)
{
    bool negative = **s == '-';
    uint64_t value = 0;
    *s += negative;
    const char *digits = *s;
    for (; *s < end && **s >= '0' && **s <= '9'; ++*s)
        value = value * 10 + (uint64_t)(**s - '0');
    *n = (int32_t)(uint32_t)(negative ? 0 - value : value);
    return *s > digits && (*s == end || csv_blank(**s));
}

/* All numbers of a text as constants; false after a report, which names the line. */
static bool csv_values(emitter *x, const char *text, size_t size, location loc, const char *file,
                       value_list *out)
{
    const char *end = text + size;
    uint32_t line = 1;
    for (const char *s = text; s < end;) {
        line += *s == '\n';
        if (csv_blank(*s)) {
            s++;
            continue;
        }
        int64_t n;
        if (!csv_number(&s, end, &n)) {
            emit_refuse(x, DIAG_FCL_CSV, loc,
                        "line %u of %s holds something that is not an integer", (unsigned)line,
                        file);
            return false;
        }
        vec_push(&x->p->cx->mem, out, emit_core_int(x, n));
    }
    return true;
}

/* The numbers in the file, as an array of literals. */
sval *emit_csv(emitter *x, fcl_region r, sval *call)
{
    const fcl_surface *in = x->p->in;
    const char *text, *name = program_text_of(x->p, call->items[0]->name);
    size_t size;
    value_list values = {0};
    fcl_value v = 0;
    if (call->items[0]->kind != SV_STRING)
        emit_refuse(x, DIAG_FCL_CSV, call->loc, "the name of the file must be written here");
    else if (!in->files(in->files_user, name, &text, &size))
        emit_refuse(x, DIAG_FCL_CSV, call->items[0]->loc, "cannot read %s", name);
    else if (csv_values(x, text, size, call->items[0]->loc, name, &values)) {
        emit_at_loc(x, call->loc);
        v = fcl_op_array(x->m, r, fcl_type_scalar(x->m, FCL_I32), values.at, values.len);
    }
    vec_free(&x->p->cx->mem, &values);
    return emit_sval_op(x, v, call->loc);
}

/* The first n elements of an array, at grid level. */
static fcl_value first_elements(emitter *x, fcl_region r, fcl_value n, fcl_value xs)
{
    fcl_value length = emit_core_op(x, r, "length", &xs, 1);
    fcl_value some[2] = {n, length}, least[2] = {0, emit_core_int(x, 0)};
    fcl_region body = 0;
    least[0] = emit_core_op(x, r, "min", some, 2);
    fcl_value count = emit_core_op(x, r, "max", least, 2);
    fcl_value taken = fcl_op_regions(x->m, r, "generate", &count, 1, &body);
    fcl_value at[2] = {xs, fcl_param(x->m, body, NULL, 0)};
    fcl_yield(x->m, body, emit_core_op(x, body, "index", at, 2));
    return fcl_op_level(x->m, r, "push", fcl_level_const(FCL_GRID), taken);
}

/* forceAndPrint n p: p is written to memory, which is the value, and its first n elements become a
 * result of the kernel.  Only where the entry runs it exactly once. */
sval *emit_print(emitter *x, fcl_region r, sval *call)
{
    fcl_value n = emit_value_of(x, r, call->items[0]), p = emit_value_of(x, r, call->items[1]);
    emit_at_loc(x, call->loc);
    if (r != x->top) {
        emit_refuse(x, DIAG_FCL_PRINT, call->loc,
                    "'%s' stands where the entry does not run it exactly once",
                    program_text_of(x->p, call->builtin->name));
        return emit_sval_new(x, SV_UNIT, call->loc);
    }
    fcl_value xs = emit_core_op(x, r, "force", &p, 1);
    vec_push(&x->p->cx->mem, &x->prints, first_elements(x, r, n, xs));
    return emit_sval_op(x, xs, call->loc);
}
