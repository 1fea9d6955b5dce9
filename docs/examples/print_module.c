/* An example tool: reads a module of any form, checks it, and prints its text form with nothing but
 * the accessors of fcl.h, as a translator to another IR would walk it.
 *
 *     print_module FILE [--hash]
 *
 * With --hash it prints, in place of the text, what fcl_module_hash says of the module.  Values are
 * numbered in the order in which they are printed, so that no two names clash: %xs.3, %4. */
#include <fcl.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers for values and variables, by id: ids are large, so they are kept in a table by hash. */
typedef struct numbering {
    uint32_t *ids, *numbers, size, used;
} numbering;

static fcl_module *m;
static numbering values, variables;

/* The entry of an id, or the empty one where it belongs. */
static uint32_t slot_of(const numbering *n, uint32_t id)
{
    uint32_t at = id * 2654435769u & (n->size - 1);
    while (n->ids[at] && n->ids[at] != id)
        at = (at + 1) & (n->size - 1);
    return at;
}

static void grow(numbering *n)
{
    numbering old = *n;
    n->size = old.size ? old.size * 2 : 1024;
    n->ids = calloc(n->size, sizeof *n->ids);
    n->numbers = calloc(n->size, sizeof *n->numbers);
    if (!n->ids || !n->numbers)
        exit(1);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.ids[i]) {
            uint32_t at = slot_of(n, old.ids[i]);
            n->ids[at] = old.ids[i];
            n->numbers[at] = old.numbers[i];
        }
    free(old.ids);
    free(old.numbers);
}

/* The number of an id, the next one when it has none yet. */
static uint32_t number_of(numbering *n, uint32_t id)
{
    if (n->used * 2 >= n->size)
        grow(n);
    uint32_t at = slot_of(n, id);
    if (!n->ids[at]) {
        n->ids[at] = id;
        n->numbers[at] = ++n->used;
    }
    return n->numbers[at];
}

/* ---- types and levels ---- */

/* How many binders of levels and of types are around. */
typedef struct binders {
    unsigned levels, types;
} binders;

static void print_variable(fcl_tvar v)
{
    fcl_variable_info x;
    if (fcl_variable_about(m, v, &x, sizeof x))
        printf(x.is_level ? "l%u" : "'t%u", number_of(&variables, v));
}

static void print_level(fcl_level l, binders around)
{
    static const char *const names[] = {"thread", "warp", "block", "grid"};
    fcl_level_info x;
    if (!fcl_level_about(m, l, &x, sizeof x))
        return;
    for (unsigned i = 0; x.kind != FCL_LEVEL_CONST && i < x.plus; i++)
        printf("1+");
    if (x.kind == FCL_LEVEL_CONST)
        printf("%s", x.plus <= FCL_GRID ? names[x.plus] : "?");
    else if (x.kind == FCL_LEVEL_VARIABLE)
        print_variable(x.variable);
    else
        printf("b%u", around.levels - 1 - x.index);
}

static void print_type(fcl_type t, binders around);

static void print_parts(fcl_type t, size_t n, binders around)
{
    for (size_t i = 0; i < n; i++) {
        printf(i ? ", " : "");
        print_type(fcl_type_part(m, t, i), around);
    }
}

static bool is_arrow(fcl_type t)
{
    fcl_type_info x;
    return fcl_type_about(m, t, &x, sizeof x) &&
           (x.kind == FCL_TYPE_FUNCTION || x.kind == FCL_TYPE_LEVEL_FUNCTION ||
            x.kind == FCL_TYPE_FORALL);
}

static void print_array(fcl_type t, const fcl_type_info *x, binders around)
{
    printf("[");
    print_parts(t, 1, around);
    if (x->rank > 1)
        printf(";%u", x->rank);
    printf("]");
    if (x->kind == FCL_TYPE_PUSH) {
        printf("<");
        print_level(x->level, around);
        printf(">");
    }
}

/* Arrows associate to the right. */
static void print_function_type(fcl_type t, binders around)
{
    bool wrap = is_arrow(fcl_type_part(m, t, 0));
    printf(wrap ? "(" : "");
    print_type(fcl_type_part(m, t, 0), around);
    printf(wrap ? ") -> " : " -> ");
    print_type(fcl_type_part(m, t, 1), around);
}

static void print_binder(fcl_type t, const fcl_type_info *x, binders around)
{
    if (x->kind == FCL_TYPE_LEVEL_FUNCTION) {
        printf("<b%u> -> ", around.levels++);
    } else {
        printf("forall 'b%u", around.types++);
        if (x->of != FCL_KIND_INFER)
            printf(": %s", fcl_kind_name(x->of));
        printf(". ");
    }
    print_type(fcl_type_part(m, t, 0), around);
}

static void print_type(fcl_type t, binders around)
{
    fcl_type_info x;
    if (!fcl_type_about(m, t, &x, sizeof x))
        return;
    switch (x.kind) {
    case FCL_TYPE_SCALAR: printf("%s", fcl_scalar_get(x.scalar)->name); break;
    case FCL_TYPE_VARIABLE: print_variable(x.variable); break;
    case FCL_TYPE_BOUND: printf("'b%u", around.types - 1 - x.index); break;
    case FCL_TYPE_TUPLE:
        printf("(");
        print_parts(t, x.parts, around);
        printf(")");
        break;
    case FCL_TYPE_FUNCTION: print_function_type(t, around); break;
    case FCL_TYPE_LEVEL_FUNCTION:
    case FCL_TYPE_FORALL: print_binder(t, &x, around); break;
    case FCL_TYPE_PULL:
    case FCL_TYPE_PUSH: print_array(t, &x, around); break;
    }
}

/* ---- values ---- */

static void print_float(fcl_scalar s, uint64_t bits)
{
    char digits[64];
    double x = fcl_float_read(s, &bits);
    snprintf(digits, sizeof digits, "%.17g", x);
    if (x != x)
        snprintf(digits, sizeof digits, "nan");
    printf("%s%s%s", digits, strpbrk(digits, ".en") ? "" : ".0",
           s == FCL_F64 ? "" : fcl_scalar_get(s)->name);
}

/* With its type behind it, unless that is the one that a literal has by itself. */
static void print_constant(const fcl_value_info *x)
{
    const fcl_scalar_facts *type = fcl_scalar_get(x->scalar);
    switch (type ? type->kind : '?') {
    case 'b': printf(x->bits ? "true" : "false"); break;
    case 'i':
        printf("%" PRId64 "%s", (int64_t)x->bits,
               x->scalar == FCL_I32 && (int64_t)x->bits >= 0 ? "" : type->name);
        break;
    case 'u': printf("%" PRIu64 "%s", x->bits, type->name); break;
    case 'f': print_float(x->scalar, x->bits); break;
    default: printf("?");
    }
}

static void print_value(fcl_value v)
{
    fcl_value_info x;
    if (!fcl_value_about(m, v, &x, sizeof x))
        return;
    if (x.kind == FCL_VALUE_CONSTANT)
        print_constant(&x);
    else
        printf("%%%s%s%u", x.name, *x.name ? "." : "", number_of(&values, v));
}

/* Where it is defined. */
static void print_definition(fcl_value v)
{
    fcl_value_info x;
    print_value(v);
    if (fcl_value_about(m, v, &x, sizeof x) && x.type) {
        printf(": ");
        print_type(x.type, (binders){0, 0});
    }
}

/* ---- operations ---- */

static void print_string(const char *s, size_t n)
{
    putchar('"');
    for (size_t i = 0; i < n; i++)
        if (s[i] == '"' || s[i] == '\\' || (unsigned char)s[i] < 32 || (unsigned char)s[i] > 126)
            printf("\\x%02x", (unsigned char)s[i]);
        else
            putchar(s[i]);
    putchar('"');
}

/* One of a list; `what` stands before the first. */
static void print_attribute(size_t i, const char *what, const fcl_attribute *a)
{
    printf(i ? ", " : " %s(", what);
    print_string(a->key, strlen(a->key));
    printf(" = ");
    if (a->text)
        print_string(a->text, a->size);
    else
        printf("%" PRId64, a->number);
}

/* What readers must understand comes first, then hints, then attributes. */
static void print_properties(fcl_operation o, fcl_subject of, bool hints)
{
    fcl_attribute a;
    size_t n = 0;
    for (size_t i = 0; o ? fcl_operation_property(m, o, i, &a, sizeof a)
                         : fcl_property_get(m, of, i, &a, sizeof a);
         i++)
        if (fcl_property_required(a.key) != hints)
            print_attribute(n++, hints ? "hint" : "prop", &a);
    printf(n ? ")" : "");
}

/* Of an operation, or (0) of a function or the module. */
static void print_attributes(fcl_operation o, fcl_subject of)
{
    fcl_attribute a;
    size_t i = 0;
    print_properties(o, of, false);
    print_properties(o, of, true);
    for (; o ? fcl_operation_attribute(m, o, i, &a, sizeof a)
             : fcl_attribute_get(m, of, i, &a, sizeof a);
         i++)
        print_attribute(i, "attr", &a);
    printf(i ? ")" : "");
}

static void print_position(const fcl_position *at)
{
    if (!at->given)
        return;
    printf(" loc(");
    print_string(at->file, strlen(at->file));
    printf(":%u:%u)", at->line, at->column);
}

static void print_bound(fcl_tvar v)
{
    fcl_variable_info x;
    print_variable(v);
    if (fcl_variable_about(m, v, &x, sizeof x) && !x.is_level && x.kind != FCL_KIND_INFER)
        printf(": %s", fcl_kind_name(x.kind));
}

static void print_base64(const unsigned char *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned x = (unsigned)p[i] << 16 | (i + 1 < n ? (unsigned)p[i + 1] << 8 : 0) |
                     (i + 2 < n ? p[i + 2] : 0);
        printf("%c%c%c%c", digits[x >> 18], digits[x >> 12 & 63],
               i + 1 < n ? digits[x >> 6 & 63] : '=', i + 2 < n ? digits[x & 63] : '=');
    }
}

/* The elements of a `constant`. */
static void print_elements(fcl_operation o)
{
    fcl_constant c;
    if (!fcl_operation_constant(m, o, &c, sizeof c))
        return;
    printf("<%s; ", fcl_scalar_get(c.type)->name);
    for (size_t i = 0; i < c.rank; i++)
        printf(i ? ", %zu" : "%zu", c.extents[i]);
    printf("> \"");
    print_base64(c.data, c.size);
    printf("\"");
}

/* What stands between the operator and its operands. */
static void print_attached(fcl_operation o, const fcl_operation_info *x)
{
    size_t n = x->types + x->levels;
    fcl_function_info f;
    if (x->attached == FCL_ATTACHED_FUNCTION && fcl_function_about(m, x->function, &f, sizeof f))
        printf(" @%s", f.name);
    if (x->attached == FCL_ATTACHED_DATA)
        print_elements(o);
    if (!n && x->attached != FCL_ATTACHED_LEVEL && x->attached != FCL_ATTACHED_TYPE)
        return;
    printf("<");
    if (x->attached == FCL_ATTACHED_LEVEL)
        print_level(x->level, (binders){0, 0});
    if (x->attached == FCL_ATTACHED_TYPE)
        print_type(x->type, (binders){0, 0});
    for (size_t i = 0; i < n; i++) {
        printf(i ? ", " : "");
        if (x->attached == FCL_ATTACHED_VARIABLES)
            print_bound(fcl_operation_variable(m, o, i));
        else if (i < x->types)
            print_type(fcl_operation_type(m, o, i), (binders){0, 0});
        else
            print_level(fcl_operation_level(m, o, i - x->types), (binders){0, 0});
    }
    printf(">");
}

static void print_params(fcl_region r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf(i ? ", " : "(");
        print_definition(fcl_region_param(m, r, i));
    }
    printf(n ? ")" : "");
}

static void print_region(fcl_region r, bool body, int depth);

static void print_operands(fcl_operation o, const fcl_operation_info *x, bool call)
{
    printf(call ? "(" : x->operands ? " " : "");
    for (size_t i = 0; i < x->operands; i++) {
        printf(i ? ", " : "");
        print_value(fcl_operation_operand(m, o, i));
    }
    printf(call ? ")" : "");
}

static void print_operation(fcl_operation o, int depth)
{
    fcl_operation_info x;
    fcl_opcode_info op;
    fcl_position at;
    if (!fcl_operation_about(m, o, &x, sizeof x) || !fcl_opcode_about(x.code, &op, sizeof op))
        return;
    printf("%*s", 2 * depth, "");
    if (x.result) {
        print_definition(x.result);
        printf(" = ");
    }
    printf("%s", op.name);
    print_attached(o, &x);
    print_operands(o, &x, x.attached == FCL_ATTACHED_FUNCTION && op.most > 0);
    for (size_t i = 0; i < x.regions; i++)
        print_region(fcl_operation_region(m, o, i), false, depth + 1);
    if (fcl_operation_position(m, o, &at, sizeof at))
        print_position(&at);
    print_attributes(o, (fcl_subject){0, 0});
    printf("\n");
}

/* Regions nest no deeper than fcl_limit_get(cx, FCL_LIMIT_REGION_DEPTH). */
static void print_region(fcl_region r, bool body, int depth)
{
    fcl_region_info x;
    if (!fcl_region_about(m, r, &x, sizeof x))
        return;
    printf(" {");
    if (!body) {
        printf(x.params ? " " : "");
        print_params(r, x.params);
    }
    printf("\n");
    for (fcl_operation o = x.first; o; o = fcl_operation_next(m, o))
        print_operation(o, depth);
    printf("%*s}", 2 * (depth - 1), "");
}

/* ---- functions and the module ---- */

static void print_function(fcl_func f, const fcl_function_info *x)
{
    fcl_region_info body;
    fcl_position at;
    size_t variables_here = x->types + x->levels, i;
    printf("\n%s @%s", x->kernel ? "kernel" : "fun", x->name);
    for (i = 0; i < variables_here; i++) {
        printf(i ? ", " : "<");
        print_bound(fcl_function_variable(m, f, i));
    }
    printf(i ? ">" : "");
    if (fcl_region_about(m, x->body, &body, sizeof body) && body.params)
        print_params(x->body, body.params);
    else
        printf("()");
    if (x->result) {
        printf(" -> ");
        print_type(x->result, (binders){0, 0});
    }
    if (fcl_function_position(m, f, &at, sizeof at))
        print_position(&at);
    print_attributes(0, (fcl_subject){f, 0});
    print_region(x->body, true, 1);
    printf("\n");
}

static void print_module(void)
{
    unsigned version = fcl_module_version(m);
    const char *import;
    fcl_function_info x;
    fcl_attribute a;
    bool indirect;
    size_t i;
    printf("fcl %u.%u\n", version / 100, version % 100);
    for (i = 0; (import = fcl_import_name(m, i, &indirect)) != NULL; i++)
        if (!indirect)
            printf("import \"%s\"\n", import);
    if (fcl_attribute_get(m, (fcl_subject){0, 0}, 0, &a, sizeof a) ||
        fcl_property_get(m, (fcl_subject){0, 0}, 0, &a, sizeof a))
        printf("\nmodule");
    print_attributes(0, (fcl_subject){0, 0});
    printf("\n");
    for (fcl_func f = fcl_function_next(m, 0); f; f = fcl_function_next(m, f))
        if (fcl_function_about(m, f, &x, sizeof x) && !x.import)
            print_function(f, &x);
}

static bool print_hash(void)
{
    unsigned char digest[32];
    if (!fcl_module_hash(m, digest))
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        printf("%02x", digest[i]);
    printf("\n");
    return true;
}

/* The whole file, freed by the caller. */
static char *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    char *data = NULL;
    size_t room = 0, n = 0;
    *size = 0;
    do {
        if (*size == room)
            data = realloc(data, room = 2 * room + 4096);
        n = f && data ? fread(data + *size, 1, room - *size, f) : 0;
        *size += n;
    } while (n);
    if (f)
        fclose(f);
    return f ? data : NULL;
}

int main(int argc, char **argv)
{
    size_t size;
    bool hash = argc == 3 && strcmp(argv[2], "--hash") == 0;
    char *data = argc == 2 || hash ? read_file(argv[1], &size) : NULL;
    if (!data) {
        fprintf(stderr, "usage: print_module FILE [--hash]\n");
        return 2;
    }
    fcl_context *cx = fcl_context_create(NULL, NULL);
    m = cx ? fcl_module_load(cx, argv[1], data, size, NULL) : NULL;
    bool ok = m && fcl_module_check(m) && (!hash || print_hash());
    if (ok && !hash)
        print_module();
    for (size_t i = 0; cx && i < fcl_diagnostic_count(cx); i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    free(data);
    free(values.ids);
    free(values.numbers);
    free(variables.ids);
    free(variables.numbers);
    return ok ? 0 : 1;
}
