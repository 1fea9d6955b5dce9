/* Scalar operators, by the environment's table: see forms.h. */
#include "backends/spirv/emit.h"

static uint32_t operand_count(const sp_operation *o)
{
    return ir_op_info(o->op)->max_args;
}

static bool has_for(const sp_form *f, scalar t)
{
    return f->way != SP_NO_WAY && (!f->most || ir_scalar_bytes(t) <= f->most);
}

static const sp_form *form_of(const sp_operator *row, const sp_operation *o)
{
    if ((o->form == FORM_FAST || o->form == FORM_RECIPROCAL) && has_for(&row->fast, o->type))
        return &row->fast;
    switch (ir_scalar_class(o->type)) {
    case 'I': return &row->whole;
    case 'U': return &row->natural;
    case 'B': return &row->logical;
    default: return &row->real;
    }
}

static sp_id result_type(sp_emitter *e, const sp_operation *o)
{
    return sp_scalar(e, ir_op_info(o->op)->result_bool ? ST_BOOL : o->type);
}

/* Where exactness is no mode of the kernel, each operation says that it is not to be fused. */
static void mark_exact(sp_emitter *e, const sp_operation *o, sp_id id)
{
    bool may_fuse = e->p->target.request.fast_math && e->where != SP_FUNCTIONS;
    if (e->environment->marks_exact && ir_scalar_is_float(o->type) && o->op != SOP_SELECT &&
        !ir_op_info(o->op)->result_bool && !may_fuse)
        sp_put(e->s, SP_DECORATIONS, SpvOpDecorate, SP_WORDS(id, SpvDecorationNoContraction));
}

/* What a constant 0 does is lost under the quirk. */
static bool has_lost_zero(sp_emitter *e, const sp_operation *o)
{
    if (!(e->p->target.quirks & QUIRK_CONSTANT_ZEROS) || !e->environment->marks_exact ||
        !ir_scalar_is_float(o->type))
        return false;
    sp_id zero = sp_zero(e, o->type);
    return (o->op == SOP_FDIV && o->x == zero) ||
           ((o->op == SOP_MUL || o->op == SOP_ADD) && (o->x == zero || o->y == zero));
}

/* Products and quotients are those of -0, negated. */
static sp_id of_other_zero(sp_emitter *e, const sp_operation *o)
{
    sp_id zero = sp_zero(e, o->type), other = sp_number(e, o->type, -0.0);
    sp_operation minus = {.op = SOP_NEG, .type = o->type}, turned = *o;
    turned.x = o->x == zero ? other : o->x;
    turned.y = o->x != zero ? other : o->y;
    minus.x = sp_operate(e, &turned);
    return sp_operate(e, &minus);
}

/* A sum is the other one, unless that is a zero of any sign. */
static sp_id with_zero(sp_emitter *e, const sp_operation *o)
{
    sp_id zero = sp_zero(e, o->type), x = o->x == zero ? o->y : o->x;
    return sp_3(e, SpvOpSelect, sp_scalar(e, o->type), sp_relate(e, SpvOpFOrdEqual, x, zero), zero,
                x);
}

sp_id sp_operate(sp_emitter *e, const sp_operation *o)
{
    if (has_lost_zero(e, o))
        return o->op == SOP_ADD ? with_zero(e, o) : of_other_zero(e, o);
    const sp_form *f = form_of(&e->environment->operators[o->op], o);
    const uint32_t words[] = {o->x, o->y, o->z};
    sp_id id = 0;
    switch (f->way) {
    case SP_NO_WAY: e->failed = true; break; /* the checker lets no operator meet such a type */
    case SP_SEVERAL: return f->make(e, o);
    case SP_CORE:
        id = sp_make(e->s, e->where, (SpvOp)f->number, result_type(e, o), words, operand_count(o));
        mark_exact(e, o, id);
        break;
    case SP_EXTENDED:
        id = sp_extended(e, result_type(e, o), f->number, words, operand_count(o));
        break;
    }
    return id;
}

static scalar operand_type(const sp_emitter *e, const k_node *n)
{
    return (scalar)k_at(e->p, n->args[n->opcode == SOP_SELECT])->type;
}

sp_id sp_scalar_of(sp_emitter *e, const k_node *n)
{
    sp_operation o = {.op = (opcode)n->opcode,
                      .form = (k_form)n->form,
                      .type = operand_type(e, n),
                      .right = n->args[1]};
    o.x = sp_value(e, n->args[0]);
    o.y = n->args[1] ? sp_value(e, n->args[1]) : 0;
    o.z = n->args[2] ? sp_value(e, n->args[2]) : 0;
    if (o.op == SOP_SELECT)
        o.type = sp_held(e, o.type);
    return sp_operate(e, &o);
}
