/* The parameters of functions and regions: `param` and `rparam` of docs/format.md. */
#include "serialize/text/parse.h"

/* "%"NAME [ ":" type ].  It is bound even where its type is missing or wrong, so that the body does
 * not report it as undefined. */
static bool read_param(reader *r, ir_region region, bool need_type)
{
    token name = r->tok;
    ir_type t = 0;
    if (name.kind != T_VALUE)
        return text_syntax_error(r, "a parameter such as %x");
    next_token(r);
    bool typed = take_token(r, ':'), ok = true;
    if (typed) {
        t = text_read_type(r);
        ok = t != 0;
    } else if (need_type) {
        ok = text_syntax_error(r, "':' and the parameter's type");
    }
    ir_value v = ir_add_param(r->m, region, t, text_token_name(r, &name), typed);
    text_bind_token(r, SPACE_VALUE, &name, v ? v : ID_FAILED);
    return ok;
}

/* Goes on behind a parameter that could not be read; false: not in this list. */
static bool next_param(reader *r)
{
    text_skip_to(r, ",){");
    return r->tok.kind == ',' || r->tok.kind == ')';
}

/* "(" list(param) ")".  After an error on to the next comma, or behind the list. */
bool text_read_params(reader *r, ir_region region, bool need_types)
{
    if (!text_expect_token(r, '(', "'('"))
        return false;
    if (take_token(r, ')'))
        return true;
    do {
        if (!read_param(r, region, need_types) && !next_param(r))
            return false;
    } while (take_token(r, ','));
    if (take_token(r, ')'))
        return true;
    text_syntax_error(r, "')' or ','");
    text_skip_to(r, "){");
    return take_token(r, ')');
}
