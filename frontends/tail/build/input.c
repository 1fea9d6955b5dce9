/* Files that a program reads.  They are read when the program is, through the caller's function,
 * and become constants: so their names have to be written in the program. */
#include "frontends/tail/build/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 4096, LONGEST_NUMBER = 64 };

typedef struct file {
    const char *name, *text;
    size_t size;
} file;

/* ---- finding ---- */

/* The vector of characters that an expression is, where it is one. */
static const tail_node *text_node(const tail_node *n)
{
    while (n->kind == NODE_VARIABLE && n->decl->written)
        n = n->decl->written;
    bool ok = n->kind == NODE_VECTOR && n->nparts && n->nparts < LONGEST_NAME;
    for (size_t i = 0; ok && i < n->nparts; i++)
        ok = n->parts[i]->kind == NODE_CHAR && n->parts[i]->integer > 0 &&
             n->parts[i]->integer < 128;
    return ok ? n : NULL;
}

static bool open_file(const application *a, file *f)
{
    builder *b = a->b;
    const tail_node *n = a->node->kind == NODE_APPLY ? text_node(a->node->parts[0]) : NULL;
    if (!n)
        return tail_fail(b->p, TAIL_STATIC, b->at, "write the name as a vector of characters",
                         "the name of this file is not known before the program runs");
    char *name = tail_alloc(b->p, n->nparts + 1, 1);
    for (size_t i = 0; name && i < n->nparts; i++)
        name[i] = (char)n->parts[i]->integer;
    if (!name)
        return false;
    *f = (file){.name = name};
    if (b->p->files && b->p->files(b->p->files_user, name, &f->text, &f->size))
        return true;
    return tail_fail(b->p, TAIL_FILE, b->at, NULL, "the file %.300s cannot be read", name);
}

/* ---- numbers ---- */

static bool separates(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == ',';
}

/* The next word; NULL at the end. */
static const char *next_word(const file *f, size_t *pos, size_t *n)
{
    while (*pos < f->size && separates(f->text[*pos]))
        ++*pos;
    size_t from = *pos;
    while (*pos < f->size && !separates(f->text[*pos]))
        ++*pos;
    *n = *pos - from;
    return *n ? f->text + from : NULL;
}

/* A number as SML or C writes it. */
static bool read_number(const char *word, size_t n, double *x)
{
    char text[LONGEST_NUMBER + 1], *end;
    if (n > LONGEST_NUMBER)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!memchr("0123456789.eE+-~", word[i], 16))
            return false;
        text[i] = word[i] == '~' ? '-' : word[i];
    }
    text[n] = '\0';
    *x = strtod(text, &end);
    return end == text + n && isfinite(*x);
}

static size_t count_words(const file *f)
{
    size_t pos = 0, n, words = 0;
    while (next_word(f, &pos, &n))
        words++;
    return words;
}

static bool refuse_word(builder *b, const file *f, size_t at, const char *what)
{
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += f->text[i] == '\n';
    return tail_fail(b->p, TAIL_FILE, b->at, NULL, "in the file %.300s, line %u: this is no %s",
                     f->name, line, what);
}

static bool is_int(double x)
{
    return x >= INT32_MIN && x <= INT32_MAX && !(x < floor(x)) && !(x > floor(x));
}

/* All words of a file as elements of a constant. */
static tail_value read_numbers(const application *a, tail_base base, fcl_scalar t, size_t bytes)
{
    builder *b = a->b;
    file f;
    if (!open_file(a, &f))
        return tb_nothing();
    size_t n, pos = 0, words = count_words(&f);
    unsigned char *data = tail_alloc(b->p, words ? words : 1, bytes);
    for (size_t i = 0; data && i < words; i++) {
        double x;
        const char *word = next_word(&f, &pos, &n);
        if (!read_number(word, n, &x) || (t == FCL_I32 && !is_int(x))) {
            refuse_word(b, &f, pos, t == FCL_I32 ? "integer of 32 bits" : "number");
            return tb_nothing();
        }
        if (t == FCL_I32)
            fcl_bits_write(t, (uint64_t)(int64_t)x, data + i * bytes);
        else
            fcl_float_write(t, x, data + i * bytes);
    }
    tail_value out = tb_vector(b, base, (int64_t)words, 0);
    out.v = words ? tb_op_constant(b, t, &words, 1, data, words * bytes)
                  : tb_op_array(b, tb_core_type(b, base), NULL, 0);
    return out;
}

tail_value tb_READ_INTS(const application *a)
{
    return read_numbers(a, BASE_INT, FCL_I32, 4);
}

tail_value tb_READ_DOUBLES(const application *a)
{
    return read_numbers(a, BASE_DOUBLE, FCL_F64, 8);
}

/* A character for each byte. */
tail_value tb_READ_CHARS(const application *a)
{
    builder *b = a->b;
    file f;
    if (!open_file(a, &f))
        return tb_nothing();
    if (!f.size)
        return tb_vector(b, BASE_CHAR, 0, tb_op_array(b, tb_core_type(b, BASE_CHAR), NULL, 0));
    unsigned char *data = tail_alloc(b->p, f.size, 4);
    for (size_t i = 0; data && i < f.size; i++)
        fcl_bits_write(FCL_U32, (unsigned char)f.text[i], data + 4 * i);
    if (!data)
        return tb_nothing();
    return tb_vector(b, BASE_CHAR, (int64_t)f.size,
                     tb_op_constant(b, FCL_U32, &f.size, 1, data, f.size * 4));
}
