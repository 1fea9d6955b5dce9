/* Tally, a small language like APL, through the C interface of libfcl: docs/frontend.md.
 *
 *     tally FILE                     prints the module that the file becomes
 *     tally FILE NAME ARGUMENT...    runs a function of it; an argument is a number, or numbers: '1
 * 2 3'
 *
 * Each line is a definition; tally.py says what the language is.  A line is compiled while it is
 * read, once for each level at which it works: by the whole grid, or, where ¨ applies it, by a
 * thread.  What fails leaves a diagnostic in the context, and makes everything behind it do
 * nothing; main asks once. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <fcl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 32, MOST_LETTERS = 60, MOST_DEPTH = 50, MOST_NUMBERS = 256, ITEMS = 16 };
enum { BY_GRID, BY_THREAD };
static const char *const LEVELS[] = {"grid", "thread"};

/* ---- words ---- */

typedef enum { NUMBER, NAME, SYMBOL, END } word_kind;

typedef struct word {
    word_kind kind;
    const char *at;
    size_t size;
} word;

static bool is(word w, const char *text)
{
    return w.size == strlen(text) && !memcmp(w.at, text, w.size);
}

static bool same(word a, word b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The size of a number at s, 0 where there is none; the minus of numbers is ¯. */
static size_t number_size(const char *s)
{
    size_t n = strncmp(s, "¯", strlen("¯")) ? 0 : strlen("¯"), start = n;
    while (is_digit(s[n]))
        n++;
    if (n == start)
        return 0;
    if (s[n] == '.' && is_digit(s[n + 1]))
        for (n++; is_digit(s[n]);)
            n++;
    return n;
}

static size_t symbol_size(const char *s)
{
    if (!strncmp(s, "[]", 2))
        return 2;
    size_t n = 1;
    while ((s[n] & 0xC0) == 0x80) /* the rest of a character of UTF-8 */
        n++;
    return n;
}

/* The word at s, behind blanks; lines end in NUL. */
static word read_word(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    size_t n = number_size(s);
    if (n)
        return (word){NUMBER, s, n};
    if (!*s || !strncmp(s, "⍝", strlen("⍝")))
        return (word){END, s, 0};
    if (!is_letter(*s))
        return (word){SYMBOL, s, symbol_size(s)};
    while (is_letter(s[n]) || is_digit(s[n]))
        n++;
    return (word){NAME, s, n};
}

static double number(word w)
{
    bool negative = !is_digit(*w.at);
    double x = strtod(w.at + (negative ? strlen("¯") : 0), NULL);
    return negative ? -x : x;
}

/* ---- what a program has ---- */

typedef struct value {
    fcl_value id;
    bool vector;
} value;

typedef struct parameter {
    word name;
    bool vector;
} parameter;

typedef struct definition {
    const char *line;
    unsigned number;
    word name;
    parameter params[2];
    size_t nparams;
    bool vector;          /* the result */
    fcl_func at_level[2]; /* 0: nobody calls it there */
    fcl_value args[2][2]; /* its parameters, at each level */
} definition;

typedef struct program {
    fcl_context *cx;
    fcl_module *m;
    const char *file;
    definition *definitions;
    size_t count;
    bool failed;
    fcl_type number, vector;
    fcl_func fold, reduce, scan, reverse; /* of the preludes */
} program;

/* Reading one line. */
typedef struct reader {
    program *p;
    const definition *d;
    int level;
    fcl_region r;
    word next;
    struct {
        word name;
        value value;
    } named[MOST_NAMES];
    size_t names, depth;
} reader;

static const value NONE = {0, false};

/* "WORD MESSAGE", at that word, reported as the library does its own; the rest of the line is not
 * read. */
static value fail(reader *c, word at, const char *message)
{
    char text[256];
    snprintf(text, sizeof text, "%.*s %s", at.size ? (int)at.size : 19,
             at.size ? at.at : "the end of the line", message);
    fcl_finding finding = {.size = sizeof finding,
                           .severity = FCL_ERROR,
                           .name = "tally",
                           .file = c->p->file,
                           .line = c->d->number,
                           .column = (unsigned)(at.at - c->d->line) + 1,
                           .length = (unsigned)at.size,
                           .message = text};
    if (!c->p->failed)
        fcl_report(c->p->cx, &finding);
    c->p->failed = true;
    c->next = (word){END, at.at, 0};
    return NONE;
}

static word take(reader *c)
{
    word w = c->next;
    c->next = read_word(w.at + w.size);
    return w;
}

static bool took(reader *c, const char *text)
{
    bool is_next = c->next.kind != END && is(c->next, text);
    if (is_next)
        take(c);
    return is_next;
}

static word look_ahead(const reader *c)
{
    return read_word(c->next.at + c->next.size);
}

/* The function of that name above this line. */
static const definition *function_named(const reader *c, word name)
{
    for (const definition *d = c->p->definitions; name.kind == NAME && d < c->d; d++)
        if (same(d->name, name))
            return d;
    return NULL;
}

static const value *value_named(const reader *c, word name)
{
    for (size_t i = 0; name.kind == NAME && i < c->names; i++)
        if (same(c->named[i].name, name))
            return &c->named[i].value;
    return NULL;
}

static void name_value(reader *c, word name, value v)
{
    if (value_named(c, name) || function_named(c, name))
        fail(c, name, "is defined already");
    else if (c->names == MOST_NAMES)
        fail(c, name, "is one name too many");
    else {
        c->named[c->names].name = name;
        c->named[c->names++].value = v;
    }
}

/* What is built from now on comes from that word. */
static void at(const reader *c, word w)
{
    fcl_at(c->p->m, c->p->file, c->d->number, (unsigned)(w.at - c->d->line) + 1);
}

/* ---- operations ---- */

static fcl_value op1(const reader *c, fcl_region r, const char *op, fcl_value x)
{
    return fcl_op(c->p->m, r, op, &x, 1);
}

static fcl_value op2(const reader *c, fcl_region r, const char *op, fcl_value x, fcl_value y)
{
    return fcl_op(c->p->m, r, op, (fcl_value[]){x, y}, 2);
}

static fcl_value call(const reader *c, fcl_region r, fcl_func f, const fcl_value *args, size_t n)
{
    return fcl_call(c->p->m, r, f, NULL, 0, NULL, 0, args, n);
}

static fcl_value to_double(const reader *c, fcl_region r, fcl_value x)
{
    return fcl_op_type(c->p->m, r, "convert", c->p->number, x);
}

/* map xs { (element) ... }, to be filled in. */
static fcl_value map(const reader *c, fcl_value xs, fcl_region *body, fcl_value *element)
{
    fcl_value made = fcl_op_regions(c->p->m, c->r, "map", &xs, 1, body);
    *element = fcl_param(c->p->m, *body, NULL, c->p->number);
    return made;
}

static fcl_value generate(const reader *c, fcl_value n, fcl_region *body, fcl_value *i)
{
    fcl_value made = fcl_op_regions(c->p->m, c->r, "generate", &n, 1, body);
    *i = fcl_param(c->p->m, *body, NULL, fcl_type_scalar(c->p->m, FCL_I32));
    return made;
}

/* The length of two vectors; a run in which they differ fails, and says where. */
static fcl_value agreed(const reader *c, fcl_value x, fcl_value y)
{
    fcl_region inside;
    fcl_value n = op1(c, c->r, "length", x);
    fcl_value alike = op2(c, c->r, "eq", n, op1(c, c->r, "length", y));
    fcl_value made = fcl_op_regions(c->p->m, c->r, "assert", &alike, 1, &inside);
    const char text[] = "the vectors have different lengths";
    fcl_attribute_set(c->p->m, (fcl_subject){.value = made},
                      &(fcl_attribute){.key = "text", .text = text, .size = sizeof text - 1});
    fcl_yield(c->p->m, inside, n);
    return made;
}

/* ---- primitives ---- */

typedef struct primitive {
    const char *symbol, *op; /* op: of two numbers; NULL: there is none */
    bool gives_bool, reduces;
    double neutral;
} primitive;

static const primitive PRIMITIVES[] = {
    {.symbol = "+", .op = "add", .reduces = true, .neutral = 0},
    {.symbol = "×", .op = "mul", .reduces = true, .neutral = 1},
    {.symbol = "⌊", .op = "min", .reduces = true, .neutral = INFINITY},
    {.symbol = "⌈", .op = "max", .reduces = true, .neutral = -INFINITY},
    {.symbol = "-", .op = "sub"},
    {.symbol = "÷", .op = "fdiv"},
    {.symbol = "*", .op = "pow"},
    {.symbol = "<", .op = "lt", .gives_bool = true},
    {.symbol = "=", .op = "eq", .gives_bool = true},
    {.symbol = ">", .op = "gt", .gives_bool = true},
    {.symbol = "⍳"},
    {.symbol = "≢"},
    {.symbol = "⌽"},
};

static const primitive *primitive_named(word w)
{
    for (size_t i = 0; i < sizeof PRIMITIVES / sizeof *PRIMITIVES; i++)
        if (w.kind == SYMBOL && is(w, PRIMITIVES[i].symbol))
            return PRIMITIVES + i;
    return NULL;
}

static fcl_value of_numbers(const reader *c, fcl_region r, const primitive *f, fcl_value x,
                            fcl_value y)
{
    fcl_value made = op2(c, r, f->op, x, y);
    return f->gives_bool ? to_double(c, r, made) : made;
}

static value two_sided(reader *c, word at, const primitive *f, value x, value y)
{
    fcl_region body;
    fcl_value made, i;
    if (!f->op)
        return fail(c, at, "takes nothing on its left");
    if (!x.vector && !y.vector)
        return (value){of_numbers(c, c->r, f, x.id, y.id), false};
    if (x.vector && y.vector) {
        made = generate(c, agreed(c, x.id, y.id), &body, &i);
        fcl_value left = op2(c, body, "index", x.id, i), right = op2(c, body, "index", y.id, i);
        fcl_yield(c->p->m, body, of_numbers(c, body, f, left, right));
    } else {
        made = map(c, x.vector ? x.id : y.id, &body, &i);
        fcl_yield(c->p->m, body, of_numbers(c, body, f, x.vector ? i : x.id, x.vector ? y.id : i));
    }
    return (value){made, true};
}

/* 1, 2, ... n */
static value counted(const reader *c, fcl_value n)
{
    fcl_module *m = c->p->m;
    fcl_region body;
    fcl_value i;
    fcl_value length = fcl_op_type(m, c->r, "convert", fcl_type_scalar(m, FCL_I32), n);
    fcl_value made = generate(c, length, &body, &i);
    fcl_value from_one = op2(c, body, "add", i, fcl_const_int(m, FCL_I32, 1));
    fcl_yield(m, body, to_double(c, body, from_one));
    return (value){made, true};
}

static value one_sided(reader *c, word at, value x)
{
    fcl_region body;
    fcl_value e;
    if (is(at, "⍳"))
        return x.vector ? fail(c, at, "takes a number") : counted(c, x.id);
    if (is(at, "≢") && x.vector)
        return (value){to_double(c, c->r, op1(c, c->r, "length", x.id)), false};
    if (is(at, "⌽") && x.vector)
        return (value){call(c, c->r, c->p->reverse, &x.id, 1), true};
    if (is(at, "≢") || is(at, "⌽"))
        return fail(c, at, "takes a vector");
    if (!is(at, "-"))
        return fail(c, at, "wants a value on its left, too");
    if (!x.vector)
        return (value){op1(c, c->r, "neg", x.id), false};
    fcl_value made = map(c, x.id, &body, &e);
    fcl_yield(c->p->m, body, op1(c, body, "neg", e));
    return (value){made, true};
}

/* f/ and f\: by the grid, or one after the other by a thread. */
static value combined(reader *c, word at, const primitive *f, bool scan, value x)
{
    fcl_module *m = c->p->m;
    fcl_region body;
    if (!f || !f->reduces)
        return fail(c, at, "cannot be reduced or scanned: + × ⌊ ⌈ can");
    if (!x.vector)
        return fail(c, at, "takes a vector here");
    if (scan && c->level == BY_THREAD)
        return fail(c, at, "cannot scan in what ¨ applies: a thread would be alone with it");
    fcl_value function = fcl_fn(m, c->r, 0, NULL, 0, NULL, NULL, &body);
    fcl_value a = fcl_param(m, body, NULL, c->p->number),
              b = fcl_param(m, body, NULL, c->p->number);
    fcl_yield(m, body, of_numbers(c, body, f, a, b));
    fcl_value args[] = {fcl_const_int(m, FCL_I32, ITEMS), function,
                        fcl_const_float(m, FCL_F64, f->neutral), x.id};
    if (c->level == BY_THREAD)
        return (value){call(c, c->r, c->p->fold, args + 1, 3), false};
    fcl_value made = call(c, c->r, scan ? c->p->scan : c->p->reduce, args, 4);
    made = op1(c, c->r, "force", made);
    if (scan)
        return (value){made, true};
    return (value){op2(c, c->r, "index", made, fcl_const_int(m, FCL_I32, 0)), false};
}

/* ---- functions of the user ---- */

static fcl_type shape(const program *p, bool vector)
{
    return vector ? p->vector : p->number;
}

static void add_params(program *p, const definition *d, fcl_func f, fcl_value *params)
{
    for (size_t i = 0; i < d->nparams; i++) {
        char name[MOST_LETTERS + 1];
        snprintf(name, sizeof name, "%.*s", (int)d->params[i].name.size, d->params[i].name.at);
        params[i] = fcl_param(p->m, fcl_body(p->m, f), name, shape(p, d->params[i].vector));
    }
}

/* The function that a definition is at a level, and that it is called; its body is made later. */
static fcl_func wanted(program *p, const definition *d, int level)
{
    definition *own = p->definitions + (d - p->definitions);
    if (!own->at_level[level]) {
        char name[MOST_LETTERS + 8];
        snprintf(name, sizeof name, "%.*s.%s", (int)d->name.size, d->name.at, LEVELS[level]);
        fcl_at(p->m, p->file, d->number, (unsigned)(d->name.at - d->line) + 1);
        own->at_level[level] = fcl_function(p->m, name, false);
        add_params(p, d, own->at_level[level], own->args[level]);
    }
    return own->at_level[level];
}

static bool is_scalar(const definition *d)
{
    return d && d->nparams == 1 && !d->params[0].vector && !d->vector;
}

static value each(reader *c, word w, const definition *d, value x)
{
    fcl_region body;
    fcl_value e;
    if (!is_scalar(d))
        return fail(c, w, "is no function of one number that gives a number, as ¨ wants it");
    if (!x.vector)
        return fail(c, w, "takes a vector here");
    fcl_func f = wanted(c->p, d, BY_THREAD);
    at(c, w);
    fcl_value made = map(c, x.id, &body, &e);
    fcl_yield(c->p->m, body, call(c, body, f, &e, 1));
    return (value){made, true};
}

/* What is said of other arguments, by their number and which of them are vectors. */
static const char *const TAKES[2][2][2] = {
    {{"takes a number"}, {"takes a vector"}},
    {{"takes a number and a number", "takes a number and a vector"},
     {"takes a vector and a number", "takes a vector and a vector"}}};

static value called(reader *c, word w, const definition *d, const value *args, size_t n)
{
    fcl_value given[2];
    bool fits = n == d->nparams;
    for (size_t i = 0; i < n; i++) {
        given[i] = args[i].id;
        fits = fits && args[i].vector == d->params[i].vector;
    }
    if (!fits)
        return fail(c, w, TAKES[d->nparams - 1][d->params[0].vector][d->params[1].vector]);
    fcl_func f = wanted(c->p, d, c->level);
    at(c, w);
    return (value){call(c, c->r, f, given, n), d->vector};
}

/* ---- expressions: [operand] function expression | operand ---- */

static value expression(reader *c);

static value numbers(reader *c)
{
    fcl_value listed[MOST_NUMBERS];
    size_t n = 0;
    word first = c->next;
    while (c->next.kind == NUMBER && n < MOST_NUMBERS)
        listed[n++] = fcl_const_float(c->p->m, FCL_F64, number(take(c)));
    at(c, first);
    if (c->next.kind == NUMBER)
        return fail(c, c->next, "is one number too many");
    return n == 1 ? (value){listed[0], false}
                  : (value){fcl_op_array(c->p->m, c->r, c->p->number, listed, n), true};
}

static bool begins_operand(const reader *c)
{
    return c->next.kind == NUMBER || is(c->next, "(") || value_named(c, c->next);
}

static bool begins_function(const reader *c)
{
    return primitive_named(c->next) || function_named(c, c->next);
}

static value operand(reader *c)
{
    if (c->next.kind == NUMBER)
        return numbers(c);
    const value *known = value_named(c, c->next);
    take(c);
    if (known)
        return *known;
    value inner = expression(c);
    if (!took(c, ")"))
        fail(c, c->next, "stands where ) is expected");
    return inner;
}

/* A function, what is on its left (none: has_left is false), and all that is on its right. */
static value applied(reader *c, bool has_left, value left)
{
    if (!begins_function(c))
        return fail(c, c->next,
                    c->next.kind == NAME ? "is not defined" : "stands where a value is expected");
    const primitive *f = primitive_named(c->next);
    const definition *d = function_named(c, c->next);
    word w = take(c);
    bool reduce = took(c, "/"), scan = !reduce && took(c, "\\"),
         every = !reduce && !scan && took(c, "¨");
    value right = expression(c), both[] = {left, right};
    at(c, w);
    if (c->p->failed)
        return NONE;
    if ((reduce || scan || every) && has_left)
        return fail(c, w, "takes nothing on its left here");
    if (reduce || scan)
        return combined(c, w, f, scan, right);
    if (every)
        return each(c, w, d, right);
    if (d)
        return called(c, w, d, has_left ? both : &right, has_left ? 2 : 1);
    return has_left ? two_sided(c, w, f, left, right) : one_sided(c, w, right);
}

static value expression(reader *c)
{
    if (++c->depth > MOST_DEPTH)
        return fail(c, c->next,
                    "is too deep in one expression: name a part of it, and put ⋄ behind it");
    bool has_left = begins_operand(c);
    value left = has_left ? operand(c) : NONE;
    if (!has_left || begins_function(c))
        left = applied(c, has_left, left);
    c->depth--;
    return left;
}

/* ---- definitions: [parameter] NAME parameter ← { NAME ← expression ⋄ } expression ---- */

static reader reader_of(program *p, const definition *d, int level)
{
    return (reader){.p = p, .d = d, .level = level, .next = read_word(d->line)};
}

static word read_name(reader *c)
{
    if (c->next.kind != NAME)
        fail(c, c->next, "stands where a name is expected");
    else if (c->next.size > MOST_LETTERS)
        fail(c, c->next, "is too long");
    return take(c);
}

static void expect(reader *c, const char *text, const char *message)
{
    if (!took(c, text))
        fail(c, c->next, message);
}

static void read_param(reader *c, definition *d)
{
    word name = read_name(c);
    d->params[d->nparams++] = (parameter){name, took(c, "[]")};
}

static void read_head(reader *c, definition *d)
{
    static const char *const USED[] = {"fold", "reduce", "scanChained", "reverse"};
    word second = look_ahead(c), third = read_word(second.at + second.size);
    d->nparams = 0;
    if (is(second, "[]") || third.kind == NAME)
        read_param(c, d);
    d->name = read_name(c);
    read_param(c, d);
    expect(c, "←", "stands where ← is expected");
    for (size_t i = 0; i < sizeof USED / sizeof *USED; i++)
        if (is(d->name, USED[i]))
            fail(c, d->name, "is a name that Tally needs itself");
    if (function_named(c, d->name))
        fail(c, d->name, "is defined already");
}

/* The steps and the result of a line, into the function that it is at a level. */
static void compile(program *p, definition *d, int level)
{
    reader c = reader_of(p, d, level);
    read_head(&c, d);
    if (p->failed)
        return;
    fcl_func f = wanted(p, d, level);
    c.r = fcl_body(p->m, f);
    for (size_t i = 0; i < d->nparams; i++)
        name_value(&c, d->params[i].name, (value){d->args[level][i], d->params[i].vector});
    while (!p->failed && c.next.kind == NAME && is(look_ahead(&c), "←")) {
        word name = read_name(&c);
        expect(&c, "←", "stands where ← is expected");
        name_value(&c, name, expression(&c));
        expect(&c, "⋄", "stands where ⋄ is expected");
    }
    value result = p->failed ? NONE : expression(&c);
    if (!p->failed && c.next.kind != END)
        fail(&c, c.next, "stands where a function is expected");
    if (p->failed)
        return;
    d->vector = result.vector;
    fcl_result_type(p->m, f, shape(p, d->vector));
    fcl_return(p->m, c.r, result.id);
}

/* What a user runs: a function's result, computed by the grid. */
static void add_kernel(program *p, const definition *d)
{
    char name[MOST_LETTERS + 1];
    fcl_value args[2];
    fcl_level grid = fcl_level_const(FCL_GRID);
    snprintf(name, sizeof name, "%.*s", (int)d->name.size, d->name.at);
    fcl_at(p->m, p->file, d->number, (unsigned)(d->name.at - d->line) + 1);
    fcl_func kernel = fcl_function(p->m, name, true);
    fcl_region r = fcl_body(p->m, kernel);
    add_params(p, d, kernel, args);
    fcl_result_type(p->m, kernel, fcl_type_push(p->m, p->number, 1, grid));
    fcl_value made = fcl_call(p->m, r, d->at_level[BY_GRID], NULL, 0, NULL, 0, args, d->nparams);
    if (!d->vector)
        made = fcl_op_array(p->m, r, p->number, &made, 1);
    fcl_return(p->m, r, fcl_op_level(p->m, r, "push", grid, made));
}

/* Functions call only those above them, so that going up finds all that threads do. */
static void read_program(program *p, char *text)
{
    unsigned number = 0;
    for (char *line = text, *next; line && !p->failed; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        definition *d = p->definitions + p->count;
        *d = (definition){.line = line, .number = ++number};
        if (read_word(line).kind == END)
            continue;
        compile(p, d, BY_GRID);
        if (!p->failed)
            add_kernel(p, d);
        p->count++;
    }
    for (size_t i = p->failed ? 0 : p->count; i-- > 0;)
        if (p->definitions[i].at_level[BY_THREAD])
            compile(p, p->definitions + i, BY_THREAD);
}

static bool build(program *p, const char *source, char *text)
{
    p->m = fcl_module_create(p->cx);
    if (!p->m || !fcl_import(p->m, "prelude", NULL) || !fcl_import(p->m, "prelude.scan", NULL))
        return false;
    fcl_source_add(p->cx, p->file, source, strlen(source)); /* diagnostics show its lines */
    p->number = fcl_type_scalar(p->m, FCL_F64);
    p->vector = fcl_type_pull(p->m, p->number, 1);
    p->fold = fcl_function_named(p->m, "fold");
    p->reduce = fcl_function_named(p->m, "reduce");
    p->scan = fcl_function_named(p->m, "scanChained");
    p->reverse = fcl_function_named(p->m, "reverse");
    read_program(p, text);
    return !p->failed && fcl_built(p->m) && fcl_module_check(p->m);
}

/* ---- running ---- */

/* An argument: a number, or numbers with blanks between them.  Its data is in `into`, which has
 * room. */
static bool read_argument(const char *text, bool vector, double *into, fcl_array *out)
{
    size_t n = 0;
    word w = read_word(text);
    for (; w.kind == NUMBER; w = read_word(w.at + w.size))
        into[n++] = number(w);
    *out = (fcl_array){.type = FCL_F64, .rank = vector, .dims = {vector ? n : 0}, .data = into};
    return w.kind == END && (vector || n == 1);
}

static void print(const fcl_array *result)
{
    const double *x = result->data;
    for (uint64_t i = 0; i < result->dims[0]; i++)
        printf("%s%s%.15g", i ? " " : "", x[i] < 0 ? "¯" : "", fabs(x[i]));
    printf("\n");
}

static bool run(program *p, const char *name, char **texts, size_t n)
{
    double *data[2] = {NULL, NULL};
    fcl_array args[2], result;
    const definition *d = NULL;
    for (size_t i = 0; i < p->count; i++)
        if (is(p->definitions[i].name, name))
            d = p->definitions + i;
    bool ok = d && n == d->nparams;
    for (size_t i = 0; ok && i < n; i++) {
        data[i] = malloc((strlen(texts[i]) + 1) * sizeof(double));
        ok = data[i] && read_argument(texts[i], d->params[i].vector, data[i], args + i);
    }
    if (!ok)
        fprintf(stderr, "tally: %s is not there, or takes other arguments\n", name);
    fcl_device *device = ok ? fcl_device_open(p->cx, "auto") : NULL;
    ok = device && fcl_run(p->m, name, device, NULL, args, n, &result, 1);
    if (ok) {
        print(&result);
        fcl_results_free(p->cx, &result, 1);
    }
    fcl_device_close(device);
    free(data[0]);
    free(data[1]);
    return ok;
}

static bool print_module(program *p)
{
    size_t size;
    char *text = fcl_module_print(p->m, &size);
    fputs(text ? text : "", stdout);
    fcl_free(p->cx, text, text ? size : 0);
    return text;
}

static void report(fcl_context *cx)
{
    size_t n = fcl_diagnostic_count(cx);
    for (size_t i = 0; i < n; i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
}

/* The text of a file, ended by NUL. */
static char *read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    char *text = NULL, *more;
    size_t size = 0, got = f ? 1 : 0;
    while (got && (more = realloc(text, size + 65536))) {
        text = more;
        got = fread(text + size, 1, 65535, f);
        size += got;
        text[size] = 0;
    }
    if (f)
        fclose(f);
    return text;
}

static size_t lines(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

int main(int argc, char **argv)
{
    char *source = argc > 1 ? read_file(argv[1]) : NULL;
    if (!source) {
        fprintf(stderr, "usage: tally FILE [NAME ARGUMENT...]\n");
        return 2;
    }
    char *text = strdup(source);
    program p = {.cx = fcl_context_create(NULL, NULL), .file = argv[1]};
    p.definitions = calloc(lines(source), sizeof *p.definitions);
    bool ok = p.cx && text && p.definitions && build(&p, source, text);
    if (ok)
        ok = argc > 2 ? run(&p, argv[2], argv + 3, (size_t)argc - 3) : print_module(&p);
    if (p.cx)
        report(p.cx);
    fcl_module_destroy(p.m);
    fcl_context_destroy(p.cx);
    free(p.definitions);
    free(text);
    free(source);
    return ok ? 0 : 1;
}
