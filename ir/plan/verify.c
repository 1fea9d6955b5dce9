/* The rules of launch plans, which a file of anybody's may break: after this the runner needs to
 * ask only for what depends on the arguments. */
#include "ir/plan/plan.h"

#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Blocks inside one another. */
enum { NESTING = 200 };

typedef struct verifier {
    const plan *p;
    uint8_t *known; /* of every value: 1 where it may be used, 2 once it was defined elsewhere */
    uint32_t depth;
    uint32_t reports;
    uint32_t follow; /* leaves that must be handed out before another block begins or this one ends */
    const plan_step *s; /* being looked at */
    bool ok;
} verifier;

__attribute__((format(printf, 2, 3))) static void breach(verifier *v, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *name = v->s ? plan_op_info(v->s->op)->name : NULL;
    if (v->ok)
        diag_error(v->p->cx, DIAG_PLAN_RULE, v->s ? v->s->at : v->p->face.at, "%s%s%s",
                   name ? name : "the launch plan", name ? ": " : " ", text);
    v->ok = false;
}

static scalar type_of(const verifier *v, uint32_t value)
{
    return (scalar)v->p->values.at[value < v->p->values.len ? value : 0];
}

/* ---- values ---- */

static bool is_known(const verifier *v, uint32_t value)
{
    return value && value < v->p->values.len && v->known[value] == 1;
}

static void use(verifier *v, uint32_t value)
{
    if (!is_known(v, value))
        breach(v, "value %u is not defined before its use", value);
}

static void use_as(verifier *v, uint32_t value, scalar type)
{
    use(v, value);
    if (v->ok && type_of(v, value) != type)
        breach(v, "value %u has the type %s where %s is needed", value,
               ir_scalar_name(type_of(v, value)), ir_scalar_name(type));
}

/* A number of elements, a position, a geometry. */
static void use_number(verifier *v, uint32_t value)
{
    use(v, value);
    if (v->ok && type_of(v, value) != ST_I32 && type_of(v, value) != ST_I64)
        breach(v, "value %u is %s where a number of i32 or i64 is needed", value,
               ir_scalar_name(type_of(v, value)));
}

static void define(verifier *v, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n && v->ok; i++) {
        uint32_t value = first + i;
        if (!value || value >= v->p->values.len || v->known[value])
            breach(v, "value %u is defined twice, or does not exist", value);
        else if (!ir_scalar_bytes(type_of(v, value)))
            breach(v, "value %u has no type", value);
        else
            v->known[value] = 1;
    }
}

/* Two lists of values, or of parameters and results that stand in a row, of the same types. */
static void same_types(verifier *v, const uint32_t *list, uint32_t n, uint32_t first,
                       uint32_t nfirst)
{
    if (n != nfirst)
        breach(v, "a list has %u values where there are %u", n, nfirst);
    for (uint32_t i = 0; i < n && v->ok; i++)
        use_as(v, list[i], type_of(v, first + i));
}

static const uint32_t *pooled(verifier *v, uint32_t list, uint32_t n)
{
    static const uint32_t none = 0;
    if (n && (uint64_t)list + n > v->p->pool.len)
        breach(v, "a list lies outside the plan");
    return n && v->ok ? &v->p->pool.at[list] : &none;
}

/* ---- memories ---- */

static const plan_memory *memory(verifier *v, uint32_t m)
{
    if (!m || m >= v->p->memories.len)
        breach(v, "there is no memory %u", m);
    return plan_memory_at(v->p, m);
}

static void check_memory(verifier *v, const plan_memory *m)
{
    if (!plan_memory_name(m->kind) || !ir_scalar_bytes((scalar)m->type))
        breach(v, "has a memory of an unknown kind or type");
    else if (m->kind == PLAN_MEMORY_ARGUMENT &&
             (m->argument >= v->p->face.in.len || v->p->face.in.at[m->argument].rank == 0 ||
              v->p->face.in.at[m->argument].type != m->type))
        breach(v, "has a memory of an argument that is no array of its type");
    else if (plan_lists(m) && (uint64_t)m->list + m->nlist > v->p->tables.len)
        breach(v, "has a table that lies outside of it");
    else if (m->kind == PLAN_MEMORY_REPORT && (m->type != ST_U32 || ++v->reports > 1))
        breach(v, "has more than one memory for reports, or one that is not of u32");
}

/* ---- kernels ---- */

/* Code of other languages names it. */
static bool is_identifier(const char *name)
{
    size_t n = strlen(name), good = strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n && n == good && !(name[0] >= '0' && name[0] <= '9');
}

static void check_kernel(verifier *v, const plan_kernel *k)
{
    const plan *p = v->p;
    if (!is_identifier(intern_str(&p->cx->strings, k->name)))
        breach(v, "has a kernel whose name is no identifier");
    if ((uint64_t)k->arguments + k->narguments > p->arguments.len ||
        (uint64_t)k->locals + k->nlocals > p->locals.len)
        breach(v, "has a kernel whose lists lie outside of it");
    for (uint32_t i = 0; i < k->narguments && v->ok; i++) {
        const plan_argument *a = &p->arguments.at[k->arguments + i];
        if (!plan_takes_name(a->takes) ||
            (!ir_scalar_bytes((scalar)a->type) && a->takes != PLAN_TAKES_LOCAL))
            breach(v, "has a kernel with an argument of an unknown kind or type");
    }
    for (uint32_t i = 0; i < k->nlocals && v->ok; i++)
        if (p->locals.at[k->locals + i].elements >= p->values.len ||
            !ir_scalar_bytes((scalar)p->locals.at[k->locals + i].type))
            breach(v, "has a kernel with a local array of no size or type");
}

static void check_argument(verifier *v, const plan_argument *a, uint32_t given)
{
    switch ((plan_takes)a->takes) {
    case PLAN_TAKES_VALUE: use_as(v, given, (scalar)a->type); break;
    case PLAN_TAKES_LOCAL: use_number(v, given); break;
    case PLAN_TAKES_MEMORY: {
        const plan_memory *m = memory(v, given);
        if (v->ok && m->type != a->type)
            breach(v, "memory %u is of %s where the kernel takes %s", given,
                   ir_scalar_name((scalar)m->type), ir_scalar_name((scalar)a->type));
        if (v->ok && a->written && m->kind == PLAN_MEMORY_TABLE)
            breach(v, "a kernel writes a table");
        if (v->ok && a->written && m->kind == PLAN_MEMORY_ARGUMENT && !m->overwritten)
            breach(v, "a kernel writes an argument that is not to be overwritten");
        break;
    }
    default: breach(v, "an argument of an unknown kind");
    }
}

static void check_LAUNCH(verifier *v, const plan_step *s)
{
    if (!s->which || s->which >= v->p->kernels.len) {
        breach(v, "there is no kernel %u", s->which);
        return;
    }
    const plan_kernel *k = plan_kernel_at(v->p, s->which);
    const uint32_t *list = pooled(v, s->list, s->nlist);
    use_number(v, s->args[0]);
    use_number(v, s->args[1]);
    if (s->nlist != k->narguments)
        breach(v, "lists %u arguments where the kernel takes %u", s->nlist, k->narguments);
    for (uint32_t i = 0; i < s->nlist && v->ok; i++)
        check_argument(v, &v->p->arguments.at[k->arguments + i], list[i]);
}

/* ---- steps ---- */

static void check_COMPUTE(verifier *v, const plan_step *s)
{
    const op_info *o = &ir_op_table[s->opcode < OP_END ? s->opcode : OP_NONE];
    if (!o->name || !o->is_scalar || o->min_args != o->max_args) {
        breach(v, "an unknown operator");
        return;
    }
    bool select = s->opcode == SOP_SELECT;
    scalar type = type_of(v, s->args[select]);
    for (uint32_t i = 0; i < 3 && v->ok; i++) {
        if (i < o->max_args)
            use_as(v, s->args[i], select && i == 0 ? ST_BOOL : type);
        else if (s->args[i])
            breach(v, "%s takes %u operands", o->name, o->max_args);
    }
    if (v->ok && !scalar_accepts((operand_class)o->operands, type))
        breach(v, "%s does not take operands of %s", o->name, ir_scalar_name(type));
    if (v->ok && type_of(v, s->gives) != (o->result_bool ? ST_BOOL : type))
        breach(v, "%s gives no %s", o->name, ir_scalar_name(type_of(v, s->gives)));
}

static void check_CONST(verifier *v, const plan_step *s)
{
    scalar t = type_of(v, s->gives);
    if (scalar_wrap(t, s->bits) != s->bits)
        breach(v, "its bits are none of %s", ir_scalar_name(t));
}

static void check_SCALAR(verifier *v, const plan_step *s)
{
    if (s->which >= v->p->face.in.len || v->p->face.in.at[s->which].rank ||
        v->p->face.in.at[s->which].type != type_of(v, s->gives))
        breach(v, "argument %u is no scalar of that type", s->which);
}

static void check_EXTENT(verifier *v, const plan_step *s)
{
    if (s->which >= v->p->face.in.len || s->axis >= v->p->face.in.at[s->which].rank)
        breach(v, "argument %u has no axis %u", s->which, s->axis);
    else if (type_of(v, s->gives) != ST_I32)
        breach(v, "an extent is of i32");
}

static void check_CONVERT(verifier *v, const plan_step *s)
{
    use(v, s->args[0]);
}

static void check_BITCAST(verifier *v, const plan_step *s)
{
    use(v, s->args[0]);
    if (v->ok && ir_scalar_bytes(type_of(v, s->args[0])) != ir_scalar_bytes(type_of(v, s->gives)))
        breach(v, "the types have different sizes");
}

static void check_own(verifier *v, const plan_step *s)
{
    if (memory(v, s->memory)->kind != PLAN_MEMORY_ALLOCATED)
        breach(v, "memory %u is not the plan's own", s->memory);
}

static void check_ALLOCATE(verifier *v, const plan_step *s)
{
    check_own(v, s);
    use_number(v, s->args[0]);
}

static void check_FREE(verifier *v, const plan_step *s)
{
    check_own(v, s);
}

static void check_SWAP(verifier *v, const plan_step *s)
{
    const plan_memory *with = memory(v, s->which);
    check_own(v, s);
    if (v->ok && with->kind != PLAN_MEMORY_ALLOCATED)
        breach(v, "memory %u is not the plan's own", s->which);
    if (v->ok && with->type != plan_memory_at(v->p, s->memory)->type)
        breach(v, "memories %u and %u are of different types", s->memory, s->which);
}

static void check_READ(verifier *v, const plan_step *s)
{
    use_number(v, s->args[0]);
    if (memory(v, s->memory)->type != type_of(v, s->gives))
        breach(v, "memory %u has elements of another type", s->memory);
}

static void check_OUTPUT(verifier *v, const plan_step *s)
{
    const uint32_t *list = pooled(v, s->list, s->nlist);
    if (s->which >= v->p->face.out.len) {
        breach(v, "there is no result %u", s->which);
        return;
    }
    const leaf *l = &v->p->face.out.at[s->which];
    const plan_memory *m = memory(v, s->memory);
    if (m->type != l->type || s->nlist != l->rank)
        breach(v, "result %u has another type or rank", s->which);
    if (m->kind == PLAN_MEMORY_REPORT || plan_lists(m))
        breach(v, "memory %u can be no result", s->memory);
    for (uint32_t i = 0; i < s->nlist && v->ok; i++)
        use_number(v, list[i]);
}

/* The leaves of what is handed out stand one behind the other in a block. */
static void check_order(verifier *v, const plan_step *s)
{
    if (v->follow && s->which + 1 != v->follow)
        breach(v, "%u leaves follow where %u should", s->which, v->follow - 1);
    v->follow = s->which;
}

static void check_EMIT(verifier *v, const plan_step *s)
{
    const uint32_t *list = pooled(v, s->list, s->nlist);
    const plan_memory *m = memory(v, s->memory);
    use_number(v, s->args[0]);
    if (m->kind == PLAN_MEMORY_REPORT || !s->nlist || s->nlist > MAX_RANK)
        breach(v, "memory %u is not handed out with %u extents", s->memory, s->nlist);
    for (uint32_t i = 0; i < s->nlist && v->ok; i++)
        use_number(v, list[i]);
    check_order(v, s);
}

static void check_EMITSCALAR(verifier *v, const plan_step *s)
{
    use(v, s->args[0]);
    check_order(v, s);
}

static void check_RECEIVE(verifier *v, const plan_step *s)
{
    check_own(v, s);
    if (s->ngives > MAX_RANK)
        breach(v, "%u extents are given", s->ngives);
    for (uint32_t i = 0; i < s->ngives && v->ok; i++)
        if (type_of(v, s->gives + i) != ST_I32)
            breach(v, "an extent is of i32");
    check_order(v, s);
}

static void check_CHECK(verifier *v, const plan_step *s)
{
    if (!s->which || s->which >= v->p->checks.len)
        breach(v, "there is no check %u", s->which);
    use_as(v, s->args[0], ST_BOOL);
    use_number(v, s->args[1]);
    use_number(v, s->args[2]);
}

static void check_PASSED(verifier *v, const plan_step *s)
{
    if (memory(v, s->memory)->kind != PLAN_MEMORY_REPORT)
        breach(v, "memory %u is not the report", s->memory);
}

/* ---- blocks ---- */

static void check_steps(verifier *v, const plan_block *b);

static const plan_block *open_block(verifier *v, uint32_t which)
{
    if (!which || which >= v->p->blocks.len)
        breach(v, "a block is missing");
    if (++v->depth > NESTING)
        breach(v, "blocks nest deeper than %d", NESTING);
    if (v->follow)
        breach(v, "a block begins before %u leaves are handed out", v->follow);
    const plan_block *b = plan_block_at(v->p, which);
    if (v->ok)
        define(v, b->params, b->nparams);
    if (v->ok)
        check_steps(v, b);
    if (v->follow)
        breach(v, "a block ends before %u leaves are handed out", v->follow);
    return b;
}

static void forget_range(verifier *v, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (first + i < v->p->values.len)
            v->known[first + i] = 2;
}

/* Behind a block its values cannot be used. */
static void close_block(verifier *v, const plan_block *b)
{
    v->depth--;
    forget_range(v, b->params, b->nparams);
    for (uint32_t i = b->first; i && v->ok; i = plan_step_at(v->p, i)->next)
        forget_range(v, plan_step_at(v->p, i)->gives, plan_step_at(v->p, i)->ngives);
}

/* What it yields, in the order of consecutive values. */
static void check_yields(verifier *v, const plan_block *b, uint32_t first, uint32_t n)
{
    same_types(v, pooled(v, b->yields, b->nyields), b->nyields, first, n);
}

static void check_IF(verifier *v, const plan_step *s)
{
    use_as(v, s->args[0], ST_BOOL);
    for (int i = 0; i < 2 && v->ok; i++) {
        const plan_block *b = open_block(v, s->blocks[i]);
        if (b->nparams)
            breach(v, "a branch has parameters");
        check_yields(v, b, s->gives, s->ngives);
        close_block(v, b);
    }
}

static void check_carried(verifier *v, const plan_step *s, uint32_t first, uint32_t n)
{
    if (n != s->ngives)
        breach(v, "carries %u values and has %u results", n, s->ngives);
    same_types(v, pooled(v, s->list, s->nlist), s->nlist, first, n);
    for (uint32_t i = 0; i < n && v->ok; i++)
        if (type_of(v, first + i) != type_of(v, s->gives + i))
            breach(v, "a result has another type than what is carried");
}

static void check_FOR(verifier *v, const plan_step *s)
{
    for (int i = 0; i < 3; i++)
        use_number(v, s->args[i]);
    if (!v->ok)
        return;
    const plan_block *b = plan_block_at(v->p, s->blocks[0]);
    uint32_t n = b->nparams ? b->nparams - 1 : 0;
    if (!b->nparams || type_of(v, b->params) != type_of(v, s->args[0]))
        breach(v, "the body has no index of the type of `from`");
    check_carried(v, s, b->params + 1, n);
    if (!v->ok)
        return;
    open_block(v, s->blocks[0]);
    if (v->ok)
        check_yields(v, b, b->params + 1, n);
    close_block(v, b);
}

/* The body sees what the condition has computed. */
static void check_WHILE(verifier *v, const plan_step *s)
{
    const plan_block *c = plan_block_at(v->p, s->blocks[0]);
    check_carried(v, s, c->params, c->nparams);
    if (!v->ok)
        return;
    open_block(v, s->blocks[0]);
    const uint32_t *goes_on = pooled(v, c->yields, c->nyields);
    if (c->nyields != 1)
        breach(v, "the condition yields %u values", c->nyields);
    else if (v->ok)
        use_as(v, goes_on[0], ST_BOOL);
    if (!v->ok)
        return;
    const plan_block *b = open_block(v, s->blocks[1]);
    if (b->nparams)
        breach(v, "the body has parameters");
    if (v->ok)
        check_yields(v, b, c->params, c->nparams);
    close_block(v, b);
    close_block(v, c);
}

/* What a region gives has a type before its blocks are looked at, and is known behind it. */
static void check_step(verifier *v, const plan_step *s)
{
    const plan_info *info = plan_op_info(s->op);
    if (!info->name)
        breach(v, "has an unknown step");
    else if ((uint64_t)s->gives + s->ngives > v->p->values.len)
        breach(v, "gives values that do not exist");
    else if (info->gives != PLAN_GIVES_RESULTS && s->ngives != (info->gives == PLAN_GIVES_VALUE))
        breach(v, "gives %u values", s->ngives);
    if (!v->ok)
        return;
    switch ((plan_op)s->op) {
#define PSTEP(e, number, since, name, gives, a, b, c, memory, which, list, first, second, meaning) \
    case PLAN_##e:                                                                                 \
        check_##e(v, s);                                                                           \
        break;
#include "ir/plan/plan.def"
#undef PSTEP
    default: break;
    }
    if (v->ok)
        define(v, s->gives, s->ngives);
}

static void check_steps(verifier *v, const plan_block *b)
{
    for (uint32_t i = b->first; i && v->ok; i = plan_step_at(v->p, i)->next) {
        const plan_step *outer = v->s;
        v->s = plan_step_at(v->p, i);
        check_step(v, v->s);
        v->s = outer;
    }
}

static void check_leaves(verifier *v)
{
    const host_signature *f = &v->p->face;
    if (!plan_face_fits(v->p, &f->params, &f->in) || !plan_face_fits(v->p, &f->results, &f->out))
        breach(v, "has a parameter or result whose type is not that of its leaves");
    for (uint32_t i = 0; i < v->p->face.in.len + v->p->face.out.len; i++) {
        const leaf *l = i < v->p->face.in.len ? &v->p->face.in.at[i]
                                              : &v->p->face.out.at[i - v->p->face.in.len];
        if (!ir_scalar_bytes(l->type) || l->rank > MAX_RANK)
            breach(v, "has an argument or result of an unknown type or rank");
    }
}

bool plan_verify(const plan *p)
{
    mem *m = &p->cx->mem;
    verifier v = {.p = p, .known = mem_zeroed(m, p->values.len), .ok = true};
    if (!v.known)
        return false;
    check_leaves(&v);
    for (uint32_t i = 1; i < p->memories.len; i++)
        check_memory(&v, &p->memories.at[i]);
    for (uint32_t i = 1; i < p->kernels.len; i++)
        check_kernel(&v, &p->kernels.at[i]);
    if (v.ok)
        open_block(&v, PLAN_WHOLE);
    mem_free(m, v.known, p->values.len);
    return v.ok;
}
