/* From source to core in one function, and what all of it stands on: memory and errors. */
#include "frontends/tail/tail.h"

#include "frontends/tail/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ---- */

struct tail_block {
    tail_block *next;
    size_t size, used;
    max_align_t data[];
};

enum { BLOCK_LEAST = 1 << 14 };

static tail_block *block_new(tail_program *p, size_t need)
{
    size_t size = need > BLOCK_LEAST ? need : BLOCK_LEAST;
    tail_block *b = fcl_allocate(p->cx, sizeof *b + size);
    if (!b) {
        p->failed = true;
        return NULL;
    }
    *b = (tail_block){.next = p->blocks, .size = size};
    p->blocks = b;
    return b;
}

void *tail_alloc(tail_program *p, size_t count, size_t size)
{
    enum { UNIT = sizeof(max_align_t) };
    if (size && count > (SIZE_MAX / 4) / size)
        count = SIZE_MAX / 4 / size; /* which no allocator has */
    size_t need = (count * size + UNIT - 1) / UNIT * UNIT;
    tail_block *b = p->blocks;
    if (!b || b->size - b->used < need)
        b = block_new(p, need);
    if (!b)
        return NULL;
    void *at = (char *)b->data + b->used;
    b->used += need;
    return memset(at, 0, need);
}

void tail_release(tail_program *p)
{
    while (p->blocks) {
        tail_block *b = p->blocks;
        p->blocks = b->next;
        fcl_deallocate(p->cx, b, sizeof *b + b->size);
    }
}

/* ---- errors ---- */

static const struct {
    unsigned code;
    const char *name;
} errors[] = {
#define TAIL_ERROR(e, code, name, ...) [TAIL_##e] = {code, name},
#include "frontends/tail/errors.def"
#undef TAIL_ERROR
};

bool tail_fail(tail_program *p, tail_error e, tail_place at, const char *hint, const char *fmt, ...)
{
    if (p->failed)
        return false;
    p->failed = true;
    char message[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    fcl_finding f = {.size = sizeof f,
                     .severity = FCL_ERROR,
                     .code = errors[e].code,
                     .name = errors[e].name,
                     .file = p->name,
                     .line = at.line,
                     .column = at.column,
                     .length = at.length,
                     .message = message,
                     .hint = hint};
    fcl_report(p->cx, &f);
    return false;
}

/* ---- names ---- */

static const struct {
    const char *name;
    size_t operands;
} primitives[] = {
#define SCALAR(name, operands, ...)    [PRIM_##name] = {#name, sizeof operands - 1},
#define PRIMITIVE(name, operands, ...) [PRIM_##name] = {#name, operands},
#define HIGHER(name, operands, ...)    [PRIM_##name] = {#name, operands},
#include "frontends/tail/primitives.def"
#undef SCALAR
#undef PRIMITIVE
#undef HIGHER
};

const char *tail_primitive_name(tail_primitive p)
{
    return primitives[p].name;
}

size_t tail_primitive_operands(tail_primitive p)
{
    return primitives[p].operands;
}

tail_primitive tail_primitive_named(const char *name, size_t size)
{
    for (size_t i = 0; i < PRIM_END; i++)
        if (strlen(primitives[i].name) == size && memcmp(primitives[i].name, name, size) == 0)
            return (tail_primitive)i;
    return PRIM_END;
}

static const char *base_name(tail_base b)
{
    static const char *const names[] = {[BASE_ANY] = "'b0",       [BASE_INT] = "int",
                                        [BASE_DOUBLE] = "double", [BASE_COMPLEX] = "complex",
                                        [BASE_BOOL] = "bool",     [BASE_CHAR] = "char",
                                        [BASE_TUPLE] = "a tuple", [BASE_FUNCTION] = "a function"};
    return names[b];
}

const char *tail_type_text(const tail_type *t, char *text, size_t size)
{
    if (t->base >= BASE_TUPLE)
        snprintf(text, size, "%s", base_name(t->base));
    else if (t->rank == 1 && t->length >= 0)
        snprintf(text, size, "<%s>%d", base_name(t->base), t->length);
    else
        snprintf(text, size, "[%s]%u", base_name(t->base), t->rank);
    return text;
}

/* ---- the whole ---- */

bool tail_is(const char *name)
{
    static const char ending[] = ".tail";
    size_t n = strlen(name), end = sizeof ending - 1;
    return n > end && strcmp(name + n - end, ending) == 0;
}

bool tail_read(fcl_context *cx, fcl_module *m, const char *name, const char *text, size_t size)
{
    tail_program p = {.cx = cx,
                      .m = m,
                      .name = name,
                      .text = text,
                      .size = size};
    bool ok = fcl_source_add(cx, name, text, size) && tail_parse(&p) && tail_build(&p);
    tail_release(&p);
    return ok && fcl_built(m);
}
