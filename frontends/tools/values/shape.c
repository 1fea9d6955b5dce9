/* Shapes from signatures: see shape.h.  A parameter's type comes as text, with its leaves beside
 * it: the text says how they are grouped, the leaves say what they are.  The library's limit on the
 * depth of types bounds the recursion. */
#include "frontends/tools/values/shape.h"

#include "frontends/tools/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct type_reader {
    const char *at;
    const fcl_leaf *leaves;
    size_t leaf, nleaves;
} type_reader;

/* Takes c, behind blanks. */
static bool take(type_reader *t, char c)
{
    t->at += strspn(t->at, " ");
    if (*t->at != c)
        return false;
    t->at++;
    return true;
}

static bool read_type(type_reader *t, shape *out);

/* Adds a component, or the element of an array. */
static bool read_item(type_reader *t, shape *out)
{
    shape *more = realloc(out->items, (out->nitems + 1) * sizeof *more);
    if (!more)
        return false;
    out->items = more;
    out->items[out->nitems++] = (shape){0};
    return read_type(t, &out->items[out->nitems - 1]);
}

/* type { "," type } ")": the bracket was taken. */
static bool read_tuple(type_reader *t, shape *out)
{
    out->kind = SHAPE_TUPLE;
    do {
        if (!read_item(t, out))
            return false;
    } while (take(t, ','));
    return take(t, ')');
}

/* After the bracket: element, ";" rank, "]" and the level of a push array, which is no concern of
 * the host. */
static bool read_array(type_reader *t, shape *out)
{
    out->kind = SHAPE_ARRAY;
    out->rank = 1;
    if (!read_item(t, out))
        return false;
    if (take(t, ';')) {
        char *end;
        out->rank = (unsigned)strtoul(t->at, &end, 10);
        t->at = end;
    }
    if (!take(t, ']') || out->rank < 1 || out->rank > FCL_MAX_RANK)
        return false;
    if (take(t, '<'))
        t->at += strcspn(t->at, ">") + (strchr(t->at, '>') != NULL);
    return true;
}

/* A scalar's name; which one it is, the leaf says. */
static bool read_scalar(type_reader *t, shape *out)
{
    size_t n = strspn(t->at, "abcdefghijklmnopqrstuvwxyz0123456789");
    t->at += n;
    if (n == 0 || t->leaf == t->nleaves)
        return false;
    out->type = t->leaves[t->leaf++].type;
    return true;
}

/* A type, and which leaves are its. */
static bool read_type(type_reader *t, shape *out)
{
    out->leaf = t->leaf;
    bool ok = take(t, '(')   ? read_tuple(t, out)
              : take(t, '[') ? read_array(t, out)
                             : read_scalar(t, out);
    out->nleaves = t->leaf - out->leaf;
    return ok;
}

static void shape_free(shape *s)
{
    for (size_t i = 0; i < s->nitems; i++)
        shape_free(&s->items[i]);
    free(s->items);
}

/* Each shape starts at the first leaf that belongs to it. */
static bool read_shapes(interface *io)
{
    type_reader t = {.leaves = io->leaves, .nleaves = io->nleaves};
    for (size_t i = 0; i < io->n; i++) {
        if (t.leaf == t.nleaves || t.leaves[t.leaf].param != i)
            return false;
        t.at = t.leaves[t.leaf].type_text;
        if (!read_type(&t, &io->shapes[i]))
            return false;
    }
    return t.leaf == t.nleaves;
}

static bool get_leaf(kernel_home of, const char *entry, bool in, size_t i, fcl_leaf *out)
{
    if (of.module)
        return in ? fcl_kernel_leaf_in(of.module, entry, i, out, sizeof *out)
                  : fcl_kernel_leaf_out(of.module, entry, i, out, sizeof *out);
    return in ? fcl_artifact_leaf_in(of.artifact, entry, i, out, sizeof *out)
              : fcl_artifact_leaf_out(of.artifact, entry, i, out, sizeof *out);
}

/* Leaves and shapes of one side, of which io->n and io->nleaves are known. */
static bool read_interface(report *r, kernel_home of, const char *entry, bool in, interface *io)
{
    io->shapes = tool_alloc(io->n, sizeof *io->shapes);
    io->leaves = tool_alloc(io->nleaves, sizeof *io->leaves);
    for (size_t i = 0; i < io->nleaves; i++)
        if (!get_leaf(of, entry, in, i, &io->leaves[i]))
            return false;
    if (read_shapes(io))
        return true;
    const char *type = io->nleaves ? io->leaves[0].type_text : "";
    return report_error(r, TD_ARG_SYNTAX, (report_place){0}, NULL,
                        "the signature of @%s has a type that has no literals: %s", entry, type);
}

static bool get_signature(kernel_home of, const char *entry, fcl_signature *out)
{
    return of.module ? fcl_kernel_signature(of.module, entry, out, sizeof *out)
                     : fcl_artifact_signature(of.artifact, entry, out, sizeof *out);
}

/* The library reports what it has no signature of. */
bool interface_in(report *r, kernel_home of, const char *entry, interface *out)
{
    fcl_signature s;
    *out = (interface){0};
    if (!get_signature(of, entry, &s))
        return false;
    out->n = s.nparams;
    out->nleaves = s.nleaves_in;
    return read_interface(r, of, entry, true, out);
}

bool interface_out(report *r, kernel_home of, const char *entry, interface *out)
{
    fcl_signature s;
    *out = (interface){0};
    if (!get_signature(of, entry, &s))
        return false;
    out->n = s.nresults;
    out->nleaves = s.nleaves_out;
    return read_interface(r, of, entry, false, out);
}

void interface_free(interface *i)
{
    for (size_t k = 0; i->shapes && k < i->n; k++)
        shape_free(&i->shapes[k]);
    free(i->shapes);
    free(i->leaves);
    *i = (interface){0};
}

const fcl_leaf *interface_leaf(const interface *in, size_t i)
{
    return &in->leaves[in->shapes[i].leaf];
}
