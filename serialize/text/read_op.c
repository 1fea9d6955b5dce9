/* Reading regions, statements and operations: `region`, `stmt`, `op` and `operand` of
 * docs/format.md; see text/parse.h.
 *
 * Newlines do not matter to what is right; they help to go on after what is wrong.  A statement
 * begins with `%x =`, `%x :` or an operator, so one value after another without a comma ends the
 * operands.
 *
 * What may stand where (operands, regions, what is in <...>) is told by the operator's row in
 * ops.def; nothing here knows a single operator but the two ends, yield and return.  Recursion
 * follows regions, which limits.region_depth bounds. */
#include "serialize/text/parse.h"

#include <string.h>

/* How a statement ended. */
typedef enum { ST_FAILED, ST_ORDINARY, ST_ENDS_REGION } outcome;

/* An operation being read. */
typedef struct operation {
    spot name; /* the operator */
    const op_info *info;
    opcode code;
    ir_region parent;
    bool failed; /* an error was reported: it is not made */
    bool lost;   /* and nobody knows where in it the reader is: the rest is skipped */
    uint32_t attr, inst;
    str_id callee; /* a function that is not known yet; 0: none */
    spot callee_at;
} operation;

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- operands ---- */

/* Whether what is in hand can be no operand any more: a new line, a bracket of regions, loc, attr,
 * or the beginning of a statement. */
static bool statement_over(const reader *r)
{
    const token *t = &r->tok;
    if (t->first || t->kind == T_END || t->kind == '}' || t->kind == '{' || at_item(r) ||
        at_beside(r))
        return true;
    return t->kind == T_NAME ? word_code(t, WORD_OP) != 0 : text_begins_statement(r);
}

/* Looking ahead is only needed where the next statement may follow at once. */
static bool at_operand(const reader *r, const op_info *info)
{
    if (r->tok.kind != T_VALUE)
        return text_at_literal(r);
    return (!r->tok.first && info->min_args) || !text_begins_statement(r);
}

/* An operand, which becomes 0 when it is undefined or cannot be read, and the comma behind it.
 * False: none is here. operand = "%"NAME | literal */
static bool read_operand(reader *r, bool *comma)
{
    bool value = r->tok.kind == T_VALUE;
    if (!value && !text_at_literal(r))
        return false;
    ir_value v = value ? text_use_value(r, &r->tok) : text_read_literal(r);
    *comma = value ? next_past(r, ',') : take_token(r, ',');
    vec_push(&r->cx->mem, &r->args, v);
    return true;
}

/* Reports what stands where an operand should, with the hint that mistakes of the kind need
 * most. */
static bool not_an_operand(reader *r, operation *op)
{
    op->failed = true;
    text_syntax_error(r, "an operand");
    if (r->tok.kind == T_FUNC && !r->lx.stopped)
        diag_hint(r->cx, "a function becomes a value with: %%f = func %.*s",
                  (int)(r->tok.len < 200 ? r->tok.len : 200), r->tok.at);
    else if (r->tok.kind == T_NAME && !r->tok.first)
        diag_hint(r->cx, "values are written with a percent sign: %%x");
    return false;
}

/* Whether an operand follows on the same line, which is reported; the reader goes on as if the
 * comma were there. */
static bool comma_missing(reader *r, operation *op)
{
    if (r->tok.first ||
        !(text_at_literal(r) || (r->tok.kind == T_VALUE && !text_begins_statement(r))))
        return false;
    if (!op->failed)
        text_syntax_error(r, "',' between operands");
    op->failed = true;
    return true;
}

/* Operands with commas between, from the one in hand to the last. *extra: the first beyond what the
 * operator takes. */
static bool read_list(reader *r, operation *op, spot *extra)
{
    bool comma;
    do {
        if (r->tok.first && text_begins_statement(r))
            return not_an_operand(r, op);
        if (r->args.len == op->info->max_args)
            *extra = spot_of(&r->tok);
        if (!read_operand(r, &comma))
            return not_an_operand(r, op);
    } while (comma || comma_missing(r, op));
    return true;
}

/* One report, at the first operand that is too many, or at the operator where there are too few. */
static void check_count(reader *r, operation *op, spot extra)
{
    const op_info *x = op->info;
    uint32_t n = r->args.len;
    if (op->failed)
        return;
    if (n > x->max_args)
        diag_error(r->cx, DIAG_TEXT_OPERAND_COUNT, text_spot_loc(r, extra),
                   "%s takes %u operand%s, and this is one more", x->name, x->max_args,
                   plural(x->max_args));
    else if (n < x->min_args)
        diag_error(r->cx, DIAG_TEXT_OPERAND_COUNT, text_spot_loc(r, op->name),
                   "%s takes %s%u operand%s, not %u", x->name,
                   x->min_args < x->max_args ? "at least " : "", x->min_args, plural(x->min_args),
                   n);
    op->failed |= n > x->max_args || n < x->min_args;
}

/* The operands of a call, in parentheses.  "(" list(operand) ")"; behind the bracket even after an
 * error. */
static bool read_call_operands(reader *r, operation *op, spot *extra)
{
    next_token(r); /* ( */
    if (r->tok.kind != ')' && !read_list(r, op, extra)) {
        text_skip_to(r, ")");
        take_token(r, ')');
        return false;
    }
    if (take_token(r, ')'))
        return true;
    text_syntax_error(r, "')' or ','");
    op->failed = true;
    text_skip_to(r, ")");
    take_token(r, ')');
    return false;
}

/* list(operand), into r->args; after an error, on to the regions or the end of the statement. */
static void read_operands(reader *r, operation *op)
{
    spot extra = {0};
    bool ok = true, call = op->info->attr == ATTR_CALL;
    r->args.len = 0;
    if (op->lost)
        ok = false;
    else if (call && r->tok.kind == '(')
        ok = read_call_operands(r, op, &extra);
    else if (call && !statement_over(r))
        ok = text_syntax_error(r, "'(' before the operands");
    else if (at_operand(r, op->info) || !statement_over(r))
        ok = read_list(r, op, &extra);
    if (ok) {
        check_count(r, op, extra);
        return;
    }
    op->failed = true;
    text_skip_to(r, "{");
}

/* ---- what stands in <...>, and @function ---- */

/* Goes on behind a <...> that could not be read. */
static void skip_angles(reader *r, operation *op)
{
    op->failed = true;
    text_skip_to(r, ">{");
    op->lost = !take_token(r, '>');
}

/* What should stand in <...> or behind it is not there. */
static void attribute_error(reader *r, operation *op, const char *example)
{
    op->failed = true;
    diag_error(r->cx, DIAG_TEXT_ATTRIBUTE, text_spot_loc(r, op->name), "%s needs %s",
               op->info->name, example);
}

/* "<" level ">" */
static void read_level_attr(reader *r, operation *op)
{
    if (!take_token(r, '<')) {
        attribute_error(r, op, "a level: <block>, for example");
    } else if (!text_read_level(r, &op->attr) || !text_expect_token(r, '>', "'>'")) {
        skip_angles(r, op);
    }
}

/* "<" type ">" */
static void read_type_attr(reader *r, operation *op)
{
    if (!take_token(r, '<')) {
        attribute_error(r, op, "a type: <double>, for example");
    } else if ((op->attr = text_read_type(r)) == 0 || !text_expect_token(r, '>', "'>'")) {
        skip_angles(r, op);
    }
}

/* "@"NAME [ "<" list(type | level) ">" ].  One of this text that is known is the one that is meant;
 * any other name is resolved at the end of the text (text_resolve_calls), since an own function may
 * follow yet. */
static void read_callee(reader *r, operation *op)
{
    if (r->tok.kind != T_FUNC) {
        attribute_error(r, op, "a function: @f, for example");
        return;
    }
    str_id name = text_token_name(r, &r->tok);
    op->attr = text_find_own_func(r, name);
    if (!op->attr) {
        op->callee = name;
        op->callee_at = spot_of(&r->tok);
    }
    next_token(r);
    if (r->tok.kind == '<' && !text_read_instance(r, &op->inst)) {
        skip_angles(r, op);
    }
}

/* The pool index of the parameters that an inner fn binds. */
static uint32_t bound_parameters(reader *r, uint32_t types, uint32_t levels)
{
    uint32_t nt = r->types.len - types, nl = r->levels.len - levels;
    r->types.len = types;
    r->levels.len = levels;
    if (nt + nl == 0)
        return 0;
    return ir_add_inst(r->m, nt ? r->types.at + types : NULL, nt, nl ? r->levels.at + levels : NULL,
                       nl);
}

/* "fn" tparams? */
static void read_bound(reader *r, operation *op)
{
    uint32_t types = r->types.len, levels = r->levels.len;
    if (r->tok.kind != '<')
        return;
    if (!text_read_tparams(r, 0)) {
        skip_angles(r, op);
    }
    op->inst = bound_parameters(r, types, levels);
}

/* data */
static void read_data_attr(reader *r, operation *op)
{
    if (r->tok.kind != '<') {
        attribute_error(r, op, "a type, extents and bytes: <int; 2> \"AQAAAAIAAAA=\"");
    } else if (!text_read_data(r, &op->attr, &op->inst)) {
        op->failed = true;
        text_skip_to(r, "{");
    }
}

/* Nothing may stand here. */
static void read_no_attr(reader *r, operation *op)
{
    if (r->tok.kind != '<')
        return;
    diag_error(r->cx, DIAG_TEXT_ATTRIBUTE, text_token_loc(r, &r->tok), "%s takes nothing in <...>",
               op->info->name);
    next_token(r);
    skip_angles(r, op);
}

/* What stands between the operator and its operands, by the operator's kind of attribute in
 * ops.def. */
static void read_attr(reader *r, operation *op)
{
    switch ((attr_kind)op->info->attr) {
    case ATTR_NONE: read_no_attr(r, op); break;
    case ATTR_LEVEL: read_level_attr(r, op); break;
    case ATTR_TYPE: read_type_attr(r, op); break;
    case ATTR_CALL: read_callee(r, op); break;
    case ATTR_BIND: read_bound(r, op); break;
    case ATTR_DATA: read_data_attr(r, op); break;
    }
}

/* ---- regions of an operation ---- */

/* A region that no operator asked for is read all the same, for its errors: into an fn that nothing
 * uses. */
static void read_spare_region(reader *r, ir_region parent)
{
    ir_op o = ir_add_op(r->m, parent, OP_FN, NULL, 0, 0);
    text_read_region(r, ir_op_at(r->m, o)->regions, false);
}

/* region*, as many as the operator has; others are left for read_spare_region. */
static void read_regions(reader *r, operation *op, ir_op o)
{
    uint32_t n = 0, want = op->info->regions;
    for (; n < want && r->tok.kind == '{'; n++)
        text_read_region(r, o ? ir_op_at(r->m, o)->regions + n : 0, false);
    if (n < want && !r->lx.stopped && !r->unclosed)
        op->failed = !diag_error(r->cx, DIAG_TEXT_REGION_COUNT, text_spot_loc(r, op->name),
                                 "%s takes %u region%s { ... }, not %u", op->info->name, want,
                                 plural(want), n);
    if (r->tok.kind == '{')
        op->failed = !diag_error(r->cx, DIAG_TEXT_REGION_COUNT, text_token_loc(r, &r->tok),
                                 "%s takes %u region%s { ... }, and this is one more",
                                 op->info->name, want, plural(want));
}

/* ---- locations ---- */

/* loc("file":line:column), where there is one: it replaces the place in this text. */
static void read_op_loc(reader *r, operation *op, ir_op o)
{
    location loc = {0};
    if (!text_read_loc(r, &loc))
        op->failed = true;
    else if (loc.file && o)
        ir_op_at(r->m, o)->loc = ir_add_loc(r->m, loc);
}

/* ---- operations ---- */

/* Reports it, then passes over what may belong to it, so that its operands and regions can be read
 * for their own errors. */
static void unknown_operator(reader *r, operation *op)
{
    spot t = op->name;
    static const op_info anything = {.max_args = OPERANDS_MANY};
    op->info = &anything;
    op->failed = true;
    diag_error(r->cx, text_unknown_code(r, DIAG_TEXT_UNKNOWN_OP), text_spot_loc(r, t),
               "'%.*s' is not an operator", (int)(t.len < 200 ? t.len : 200), t.at);
    const char *near =
        text_errors_kept(r) ? words_nearest(&r->s->words, WORD_OP, t.at, t.len) : NULL;
    if (!text_hint_newer(r) && near)
        diag_hint(r->cx, "did you mean %s?", near);
    take_token(r, T_FUNC);
    if (take_token(r, '<'))
        skip_angles(r, op);
    if (r->tok.kind == '(') {
        next_token(r);
        text_skip_to(r, ")");
        take_token(r, ')');
    }
}

/* Makes the operation of what was read; a failed one is not made, and its regions go into spare
 * ones. */
static ir_op make_operation(reader *r, operation *op, uint32_t loc)
{
    if (op->failed)
        return 0;
    ir_op o = ir_add_op(r->m, op->parent, op->code, r->args.at, r->args.len, loc);
    if (!o)
        return 0;
    if (op->attr)
        ir_op_at(r->m, o)->attr = op->attr;
    ir_op_at(r->m, o)->inst = op->inst;
    return o;
}

/* Also for an operation that was not made: the function may be unknown all the same. */
static void note_callee(reader *r, const operation *op, ir_op o)
{
    pending_call c = {.op = o, .name = op->callee, .len = op->callee_at.len};
    c.at = (uint32_t)(op->callee_at.at - r->lx.text);
    vec_push(&r->cx->mem, &r->calls, c);
}

/* From the operator to the end of the statement; o: the operation, 0 when it could not be read.
 * What an fn binds is visible in its region, and no longer behind it. */
static void read_operation(reader *r, operation *op, ir_op *o)
{
    uint32_t mark = r->undos.len;
    op->name = spot_of(&r->tok);
    op->code = version_operator((opcode)word_code(&r->tok, WORD_OP), r->version);
    op->info = ir_op_info(op->code);
    next_token(r);
    if (!op->code)
        unknown_operator(r, op);
    else
        read_attr(r, op);
    read_operands(r, op);
    *o = make_operation(r, op, text_add_spot_loc(r, op->name));
    if (op->callee)
        note_callee(r, op, *o);
    if (!op->failed && (op->info->regions || r->tok.kind == '{'))
        read_regions(r, op, *o);
    while (r->tok.kind == '{') /* those of an operation that failed, and those that are too many */
        read_spare_region(r, op->parent);
    text_leave_scope(r, mark);
    read_op_loc(r, op, *o);
    op->failed |= !text_read_attributes(r, (subject){ON_OP, *o});
}

/* ---- statements ---- */

/* What stands before the operator: "%"NAME [ ":" type ] "=". */
typedef struct target {
    spot at; /* NULL: none */
    name_key key;
    str_id name;
    ir_type type;
    bool typed, first; /* on its line */
} target;

/* A value that does not begin a statement after all. */
static outcome stray_value(reader *r, const target *to)
{
    if (!to->first && !to->typed && !r->lx.stopped)
        diag_error(r->cx, DIAG_TEXT_SYNTAX, text_spot_loc(r, to->at),
                   "expected ',' or the end of the statement, found '%.*s'",
                   (int)(to->at.len < 60 ? to->at.len : 60), to->at.at);
    else
        text_syntax_error(r, to->typed ? "'='" : "'=' or ':'");
    if (to->first && !text_find_name(r, SPACE_VALUE, to->key).id)
        text_bind_name(r, SPACE_VALUE, to->key, to->at, ID_FAILED);
    text_skip_to(r, "");
    return ST_FAILED;
}

/* %name: type = , where it is; false when what is there is something else, which is reported.  A
 * scalar type with the = behind it is read without going through the rules of types. */
static bool read_target(reader *r, target *to)
{
    if (r->tok.kind != T_VALUE)
        return true;
    to->at = spot_of(&r->tok);
    to->first = r->tok.first;
    to->key = text_token_key(r, &r->tok);
    to->name = r->tok.number ? r->tok.number : to->key;
    if (!next_past(r, ':'))
        return take_token(r, '=');
    to->typed = true;
    uint32_t scalar_type = word_code(&r->tok, WORD_SCALAR);
    if (scalar_type && mark_follows(r, '=')) {
        to->type = r->s->scalars[scalar_type];
        next_past_mark(r);
        return true;
    }
    to->type = text_read_type(r);
    if (!to->type)
        text_skip_to(r, "=");
    return take_token(r, '=');
}

/* Names the result and binds the name, which is visible from here on.  An operation that failed has
 * none; its name is bound as failed. */
static void set_result(reader *r, const target *to, ir_op o)
{
    ir_value v = ir_op_at(r->m, o)->result;
    if (v) {
        value_node *n = ir_value_at(r->m, v);
        n->name = to->name;
        n->type = to->type;
        n->annotated = to->typed;
    }
    text_bind_name(r, SPACE_VALUE, to->key, to->at, v ? v : ID_FAILED);
}

/* yield and return have no result, and each ends its own kind of region. */
static void check_terminator(reader *r, const operation *op, const target *to, bool body)
{
    if (to->at.at)
        diag_error(r->cx, DIAG_TEXT_WRONG_END, text_spot_loc(r, to->at), "%s has no result",
                   op->info->name);
    else if (op->code == OP_RETURN && !body)
        diag_error(r->cx, DIAG_TEXT_WRONG_END, text_spot_loc(r, op->name),
                   "return ends functions: this region ends with yield");
    else if (op->code == OP_YIELD && body)
        diag_error(r->cx, DIAG_TEXT_WRONG_END, text_spot_loc(r, op->name),
                   "yield ends regions: a function ends with return");
}

/* Something else where the operator should be.  At least one token is passed over, unless it opens
 * a region: reading on must come to an end. */
static outcome not_a_statement(reader *r, const target *to)
{
    if (to->at.at) {
        text_syntax_error(r, "an operator");
        text_bind_name(r, SPACE_VALUE, to->key, to->at, ID_FAILED);
    } else {
        text_unexpected(r, "a statement");
        if (r->tok.kind != '{') /* go on at all */
            next_token(r);
    }
    text_skip_to(r, "");
    return ST_FAILED;
}

/* stmt = [ "%"NAME [ ":" type ] "=" ] op loc? attrs? */
static outcome read_statement(reader *r, ir_region region, bool body)
{
    operation op = {.parent = region};
    target to = {0};
    ir_op o;
    if (!read_target(r, &to))
        return stray_value(r, &to);
    if (r->tok.kind != T_NAME || at_item(r) ||
        (to.at.at && r->tok.first && text_begins_statement(r)))
        return not_a_statement(r, &to);
    read_operation(r, &op, &o);
    bool ends = op.code && !op.info->has_result;
    if (ends)
        check_terminator(r, &op, &to, body);
    if (to.at.at)
        set_result(r, &to, o);
    return ends ? ST_ENDS_REGION : op.failed ? ST_FAILED : ST_ORDINARY;
}

/* ---- regions ---- */

/* stmt* up to the closing brace, the next item or the end of the text.  That the end is missing is
 * not reported where the last statement failed: it may have been the end. */
static void read_statements(reader *r, ir_region region, bool body)
{
    outcome last = ST_ORDINARY;
    bool ended = false, told = false;
    while (r->tok.kind != '}' && r->tok.kind != T_END && !at_item(r)) {
        if (ended && !told)
            told = !diag_error(r->cx, DIAG_TEXT_AFTER_END, text_token_loc(r, &r->tok),
                               "nothing can follow the end of a %s", body ? "function" : "region");
        last = read_statement(r, region, body);
        ended |= last == ST_ENDS_REGION;
    }
    if (!ended && last != ST_FAILED && r->tok.kind == '}')
        diag_error(r->cx, DIAG_TEXT_NO_END, text_token_loc(r, &r->tok),
                   body ? "return is missing at the end of this function"
                        : "yield is missing at the end of this region");
}

/* "}", or one report for all regions that are open where it is missing. */
static void close_region(reader *r, spot open)
{
    if (take_token(r, '}') || r->lx.stopped || r->unclosed)
        return;
    r->unclosed = true;
    diag_error(r->cx, DIAG_TEXT_UNCLOSED, text_token_loc(r, &r->tok), "'}' is missing before %s",
               r->tok.kind == T_END ? "the end of the text" : "this");
    diag_note_add(r->cx, text_spot_loc(r, open), "this '{' is not closed");
}

/* region = "{" [ "(" list(rparam) ")" ] stmt* "}" */
void text_read_region(reader *r, ir_region region, bool body)
{
    spot open = spot_of(&r->tok);
    uint32_t mark = r->undos.len;
    if (r->depth >= r->cx->limits.region_depth) {
        text_too_deep(r, "regions");
        return;
    }
    r->depth++;
    next_token(r);
    if (!body && r->tok.kind == '(')
        text_read_params(r, region, false);
    read_statements(r, region, body);
    close_region(r, open);
    text_leave_scope(r, mark);
    r->depth--;
}
