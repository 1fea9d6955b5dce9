/* Values on the command line: see literal.h.
 *
 *   value ::= NUMBER                                  of a scalar
 *           | "(" value { "," value } ")"             of a tuple
 *           | list | "iota:" N | "@" FILE             of an array
 *   list  ::= "[" [ item { "," item } ] "]"           item: a list, as deep as the array has axes,
 *                                                     then values
 *
 * An array of tuples is a list of tuples, or a tuple of arrays, one for each component.
 *
 * A recursive descent that the type drives: it knows what must come next, and reports what comes
 * instead.  It recurses over the type, whose depth the library limits.  Elements go straight to
 * the leaf they belong to (a structure of arrays), so a literal costs memory in proportion to
 * its text. */
#include "frontends/tools/values/literal.h"

#include "frontends/tools/values/npy.h"
#include "frontends/tools/values/number.h"
#include "frontends/tools/values/scalar.h"
#include "frontends/tools/text.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_ARRAY = INT32_MAX }; /* lengths are of type int in the language */
static const uint64_t unknown_extent = UINT64_MAX;

/* An array that grows while its elements are read. */
typedef struct column {
    size_t len, cap; /* elements */
} column;

typedef struct literal_reader {
    const literal_source *from;
    const shape *whole;
    size_t at, nesting;
    fcl_array *arrays;
    column *columns; /* of whole->leaf + i */
} literal_reader;

/* A place in the argument. */
static report_place at_offset(const literal_reader *l, size_t offset, size_t length)
{
    const char *s = l->from->text;
    return (report_place){
        .file = l->from->file, .text = s, .size = strlen(s), .offset = offset, .length = length};
}

/* What is left, behind blanks. */
static const char *rest(literal_reader *l)
{
    l->at += strspn(l->from->text + l->at, " \t\n");
    return l->from->text + l->at;
}

static bool take(literal_reader *l, char c)
{
    if (*rest(l) != c)
        return false;
    l->at++;
    return true;
}

/* Takes c, or reports what is there. */
static bool expect(literal_reader *l, char c)
{
    if (take(l, c))
        return true;
    const char *found = rest(l);
    if (!*found)
        return report_error(l->from->rep, TD_ARG_SYNTAX, at_offset(l, l->at, 1), NULL,
                            "the argument ends where '%c' is expected", c);
    return report_error(l->from->rep, TD_ARG_SYNTAX, at_offset(l, l->at, 1), NULL,
                        "'%c' is expected here", c);
}

static bool no_memory(literal_reader *l, size_t offset)
{
    return report_error(l->from->rep, TD_NO_MEMORY, at_offset(l, offset, 1), NULL,
                        "there is not enough memory for this array");
}

/* ---- numbers ---- */

/* Room for one more element of a leaf; NULL when memory is short. */
static char *new_element(literal_reader *l, size_t leaf, unsigned bytes)
{
    fcl_array *a = &l->arrays[leaf];
    column *c = &l->columns[leaf - l->whole->leaf];
    if (c->len == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 16;
        void *data = realloc(a->data, cap * bytes);
        if (!data)
            return NULL;
        a->data = data;
        c->cap = cap;
    }
    return (char *)a->data + c->len++ * bytes;
}

/* Says what stands where a number of a type should: the text's n characters, or the sign of a list,
 * a tuple or the end. */
static bool wrong_number(literal_reader *l, size_t n, const char *type, number_result why)
{
    report *r = l->from->rep;
    const char *s = l->from->text + l->at;
    report_place at = at_offset(l, l->at, n ? n : 1);
    if (why == NUMBER_RANGE)
        return report_error(r, TD_ARG_RANGE, at, NULL, "%.*s does not fit the type %s", (int)n, s,
                            type);
    if (why == NUMBER_TYPE)
        return report_error(r, TD_ARG_TYPE, at, NULL, "%.*s is no literal of type %s", (int)n, s,
                            type);
    if (*s == '[')
        return report_error(r, TD_ARG_RANK, at, NULL,
                            "a list where a single %s is expected: parameter %%%s has type %s",
                            type, l->from->name, l->from->type);
    if (*s == '(')
        return report_error(r, TD_ARG_TYPE, at, NULL,
                            "a tuple where a single %s is expected: parameter %%%s has type %s",
                            type, l->from->name, l->from->type);
    if (!*s)
        return report_error(r, TD_ARG_SYNTAX, at, NULL,
                            "the argument ends where a literal of type %s is expected", type);
    return report_error(r, TD_ARG_SYNTAX, at, NULL, "a literal of type %s is expected here", type);
}

/* NUMBER, appended to its leaf. */
static bool read_number(literal_reader *l, const shape *s)
{
    const char *text = rest(l);
    const scalar_info *info = fcl_scalar_get(s->type);
    size_t n = number_length(text);
    char bits[8];
    number_result result = number_read(text, n, s->type, bits);
    if (result != NUMBER_OK)
        return wrong_number(l, n, info->name, result);
    char *element = new_element(l, s->leaf, info->bytes);
    if (!element)
        return no_memory(l, l->at);
    memcpy(element, bits, info->bytes);
    l->at += n;
    return true;
}

/* ---- files ---- */

/* Outside parentheses a file's name is all that is left; inside it ends at a comma or parenthesis.
 */
static char *take_path(literal_reader *l)
{
    const char *s = l->from->text + l->at;
    size_t n = l->nesting ? strcspn(s, ",)") : strlen(s);
    l->at += n;
    while (l->nesting && n && s[n - 1] == ' ')
        n--;
    return tool_strndup(s, n);
}

/* "@" FILE, for one leaf. */
static bool read_file(literal_reader *l, const shape *scalar, unsigned rank)
{
    size_t start = l->at++;
    if (scalar->kind != SHAPE_SCALAR)
        return report_error(l->from->rep, TD_ARG_TYPE, at_offset(l, start, 1),
                            "give one for each component: (@a.npy, @b.npy)",
                            "one .npy file cannot hold parameter %%%s: %s", l->from->name,
                            l->from->type);
    char *path = take_path(l);
    free(l->arrays[scalar->leaf].data);
    bool ok = npy_read(l->from->rep, path, scalar->type, rank, &l->arrays[scalar->leaf]);
    free(path);
    return ok;
}

/* ---- arrays ---- */

static const char iota[] = "iota:";

static bool at_iota(literal_reader *l)
{
    return strncmp(rest(l), iota, sizeof iota - 1) == 0;
}

/* 0, 1, ..., n - 1; the last one tells whether all fit the type. */
static bool fill_iota(literal_reader *l, const shape *elem, uint64_t n, size_t start)
{
    fcl_array *a = &l->arrays[elem->leaf];
    const scalar_info *info = fcl_scalar_get(elem->type);
    char last[8];
    if (n && !number_from_index(n - 1, elem->type, last))
        return report_error(l->from->rep, TD_ARG_RANGE, at_offset(l, start, l->at - start), NULL,
                            "%llu does not fit the type %s", (unsigned long long)n - 1, info->name);
    a->data = malloc((size_t)n * info->bytes + 1);
    if (!a->data)
        return no_memory(l, start);
    for (uint64_t i = 0; i < n; i++)
        number_from_index(i, elem->type, (char *)a->data + i * info->bytes);
    a->dims[0] = n;
    return true;
}

/* "iota:" N */
static bool read_iota(literal_reader *l, const shape *elem, unsigned rank)
{
    size_t start = l->at;
    report *r = l->from->rep;
    l->at += sizeof iota - 1;
    char *digits = tool_strndup(rest(l), strspn(rest(l), "0123456789"));
    unsigned long long n = 0;
    bool ok = parse_number(digits, 0, LONGEST_ARRAY, &n);
    l->at += strlen(digits);
    report_place at = at_offset(l, start, l->at - start);
    if (!*digits)
        ok = report_error(r, TD_ARG_SYNTAX, at_offset(l, l->at, 1), NULL, "iota: needs a length");
    else if (!ok)
        report_error(r, TD_ARG_RANGE, at, NULL, "an array has at most %d elements", LONGEST_ARRAY);
    free(digits);
    if (!ok)
        return false;
    if (rank != 1)
        return report_error(r, TD_ARG_RANK, at, NULL,
                            "iota makes an array of one axis: parameter %%%s has type %s",
                            l->from->name, l->from->type);
    if (elem->kind != SHAPE_SCALAR || elem->type == FCL_BOOL)
        return report_error(r, TD_ARG_TYPE, at, NULL,
                            "iota makes an array of numbers: parameter %%%s has type %s",
                            l->from->name, l->from->type);
    return fill_iota(l, elem, n, start);
}

static bool read_value(literal_reader *l, const shape *s);

/* The extents of a nested list, outermost first; each is set by the first row that has it. */
typedef struct extents {
    unsigned rank;
    uint64_t dims[FCL_MAX_RANK];
} extents;

/* Rows of one axis have equally many elements. */
static bool check_extent(literal_reader *l, extents *e, unsigned depth, uint64_t count,
                         size_t start)
{
    uint64_t *want = &e->dims[depth];
    if (*want == unknown_extent)
        *want = count;
    if (*want == count)
        return true;
    return report_error(l->from->rep, TD_ARG_RAGGED, at_offset(l, start, l->at - start), NULL,
                        "this row has %llu element%s, and the first row has %llu",
                        (unsigned long long)count, count == 1 ? "" : "s",
                        (unsigned long long)*want);
}

/* list, of axis `depth`; recursion is bounded by the rank. */
static bool read_list(literal_reader *l, const shape *elem, extents *e, unsigned depth)
{
    const char *found = rest(l);
    size_t start = l->at;
    uint64_t count = 0;
    if (*found && *found != '[')
        return report_error(l->from->rep, TD_ARG_RANK, at_offset(l, l->at, 1), NULL,
                            "a list is expected here: parameter %%%s has type %s", l->from->name,
                            l->from->type);
    if (!expect(l, '['))
        return false;
    if (*rest(l) != ']')
        do {
            if (!(depth + 1 < e->rank ? read_list(l, elem, e, depth + 1) : read_value(l, elem)))
                return false;
            count++;
        } while (take(l, ','));
    return expect(l, ']') && check_extent(l, e, depth, count, start);
}

/* A whole array.  An axis that no row was there to tell has the extent 0. */
static bool read_lists(literal_reader *l, const shape *elem, unsigned rank)
{
    extents e = {.rank = rank};
    for (unsigned i = 0; i < rank; i++)
        e.dims[i] = unknown_extent;
    if (!read_list(l, elem, &e, 0))
        return false;
    for (unsigned i = 0; i < rank; i++)
        for (size_t k = 0; k < elem->nleaves; k++)
            l->arrays[elem->leaf + k].dims[i] = e.dims[i] == unknown_extent ? 0 : e.dims[i];
    return true;
}

static bool read_array(literal_reader *l, const shape *elem, unsigned rank);

/* A tuple of arrays for an array of tuples: as many elements in each. */
static bool read_components(literal_reader *l, const shape *tuple, unsigned rank)
{
    size_t start = l->at;
    l->nesting++;
    for (size_t i = 0; i < tuple->nitems; i++)
        if (!expect(l, i ? ',' : '(') || !read_array(l, &tuple->items[i], rank))
            return false;
    l->nesting--;
    if (!expect(l, ')'))
        return false;
    const fcl_array *first = &l->arrays[tuple->leaf];
    for (size_t i = 1; i < tuple->nleaves; i++)
        if (memcmp(first->dims, first[i].dims, rank * sizeof *first->dims) != 0)
            return report_error(l->from->rep, TD_ARG_RAGGED, at_offset(l, start, l->at - start),
                                NULL,
                                "the components of an array of tuples must have equal lengths");
    return true;
}

/* An array in any of its forms; elem is the shape of its elements. */
static bool read_array(literal_reader *l, const shape *elem, unsigned rank)
{
    for (size_t i = 0; i < elem->nleaves; i++)
        l->arrays[elem->leaf + i].rank = rank;
    if (at_iota(l))
        return read_iota(l, elem, rank);
    switch (*rest(l)) {
    case '@': return read_file(l, elem, rank);
    case '(':
        return elem->kind == SHAPE_TUPLE ? read_components(l, elem, rank)
                                         : read_lists(l, elem, rank);
    default: return read_lists(l, elem, rank);
    }
}

/* ---- values ---- */

/* "(" value { "," value } ")" */
static bool read_tuple(literal_reader *l, const shape *s)
{
    if (*rest(l) != '(' && *rest(l))
        return report_error(l->from->rep, TD_ARG_TYPE, at_offset(l, l->at, 1), NULL,
                            "a tuple is expected here: parameter %%%s has type %s", l->from->name,
                            l->from->type);
    l->nesting++;
    for (size_t i = 0; i < s->nitems; i++)
        if (!expect(l, i ? ',' : '(') || !read_value(l, &s->items[i]))
            return false;
    l->nesting--;
    return expect(l, ')');
}

/* A value of that shape. */
static bool read_value(literal_reader *l, const shape *s)
{
    switch (s->kind) {
    case SHAPE_TUPLE: return read_tuple(l, s);
    case SHAPE_ARRAY: return read_array(l, &s->items[0], s->rank);
    case SHAPE_SCALAR: break;
    }
    /* Elements of a list come one by one into a column; a file is for a scalar on its own. */
    return *rest(l) == '@' && l->arrays[s->leaf].rank == 0 ? read_file(l, s, 0) : read_number(l, s);
}

/* The element types of the leaves. */
static void set_types(const shape *s, fcl_array *arrays)
{
    if (s->kind == SHAPE_SCALAR)
        arrays[s->leaf].type = s->type;
    for (size_t i = 0; i < s->nitems; i++)
        set_types(&s->items[i], arrays);
}

bool literal_read(const literal_source *from, const shape *s, fcl_array *out)
{
    literal_reader l = {.from = from, .whole = s, .at = from->start, .arrays = out};
    l.columns = tool_alloc(s->nleaves, sizeof *l.columns);
    set_types(s, out);
    bool ok = read_value(&l, s);
    if (ok && *rest(&l))
        ok = report_error(from->rep, TD_ARG_SYNTAX, at_offset(&l, l.at, 1), NULL,
                          "the value of %%%s ends before this", from->name);
    free(l.columns);
    return ok;
}
