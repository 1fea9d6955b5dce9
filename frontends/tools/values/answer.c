/* Answers to what a program asks for while it runs, by the attribute "show" of its `receive`:
 *
 *   tail.file.char, tail.file.int, tail.file.double   what is in a file, whose name was handed out: a
 *       character for each byte, or numbers as SML or C writes them, with white space or commas
 *       between them
 *   tail.now   milliseconds since the program was started
 *
 * docs/tail.md says so to who runs programs of TAIL from C. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/values/answer.h"

#include "frontends/tools/report/files.h"
#include "frontends/tools/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BYTES = 1 << 30, LONGEST_NAME = 4096, LONGEST_NUMBER = 64 };

typedef struct file {
    const char *name;
    input in;
} file;

/* ---- finding ---- */

/* The name, from its characters. */
static bool read_name(const fcl_output *asked, char *name)
{
    const fcl_array *a = asked->arrays;
    if (asked->n != 1 || a->rank != 1 || a->type != FCL_U32 || a->dims[0] >= LONGEST_NAME)
        return false;
    for (size_t i = 0; i < a->dims[0]; i++) {
        uint64_t c = fcl_bits_read(FCL_U32, (const unsigned char *)a->data + 4 * i);
        if (c == 0 || c > 127)
            return false;
        name[i] = (char)c;
    }
    name[a->dims[0]] = '\0';
    return true;
}

/* In the current folder, then beside the program. */
static FILE *open_file(const char *name, const char *program)
{
    FILE *f = fopen(name, "rb");
    const char *slash = strrchr(program, '/');
    if (f || !slash || name[0] == '/')
        return f;
    string path = {0};
    string_addf(&path, "%.*s%s", (int)(slash + 1 - program), program, name);
    f = fopen(string_str(&path), "rb");
    string_free(&path);
    return f;
}

static bool refuse(fcl_answer *answer, string why)
{
    fcl_answer_refuse(answer, string_str(&why));
    string_free(&why);
    return false;
}

/* ---- numbers ---- */

static bool separates(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == ',';
}

/* The next word; NULL at the end. */
static const char *next_word(const file *f, size_t *pos, size_t *n)
{
    while (*pos < f->in.size && separates(f->in.data[*pos]))
        ++*pos;
    size_t from = *pos;
    while (*pos < f->in.size && !separates(f->in.data[*pos]))
        ++*pos;
    *n = *pos - from;
    return *n ? f->in.data + from : NULL;
}

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

static bool is_int(double x)
{
    return x >= INT32_MIN && x <= INT32_MAX && !(x < floor(x)) && !(x > floor(x));
}

static size_t count_words(const file *f)
{
    size_t pos = 0, n, words = 0;
    while (next_word(f, &pos, &n))
        words++;
    return words;
}

static bool refuse_word(fcl_answer *answer, const file *f, size_t at, const char *what)
{
    unsigned line = 1;
    string why = {0};
    for (size_t i = 0; i < at; i++)
        line += f->in.data[i] == '\n';
    string_addf(&why, "in the file %.300s, line %u: this is no %s", f->name, line, what);
    return refuse(answer, why);
}

static bool give(fcl_answer *answer, fcl_scalar type, size_t count, void *data)
{
    fcl_array a = {.type = type, .rank = 1, .dims = {count}, .data = data};
    bool ok = data && fcl_answer_give(answer, &a);
    free(data);
    return ok;
}

static bool give_numbers(fcl_answer *answer, const file *f, fcl_scalar type)
{
    size_t n, pos = 0, words = count_words(f), bytes = type == FCL_I32 ? 4 : 8;
    unsigned char *data = tool_alloc(words + 1, bytes);
    for (size_t i = 0; i < words; i++) {
        double x;
        const char *word = next_word(f, &pos, &n);
        bool ok = read_number(word, n, &x) && (type != FCL_I32 || is_int(x));
        if (!ok) {
            free(data);
            return refuse_word(answer, f, pos,
                               type == FCL_I32 ? "integer of 32 bits" : "number");
        }
        if (type == FCL_I32)
            fcl_bits_write(type, (uint64_t)(int64_t)x, data + i * bytes);
        else
            fcl_float_write(type, x, data + i * bytes);
    }
    return give(answer, type, words, data);
}

static bool give_chars(fcl_answer *answer, const file *f)
{
    unsigned char *data = tool_alloc(f->in.size + 1, 4);
    for (size_t i = 0; i < f->in.size; i++)
        fcl_bits_write(FCL_U32, (unsigned char)f->in.data[i], data + 4 * i);
    return give(answer, FCL_U32, f->in.size, data);
}

/* ---- what is asked for ---- */

static bool give_file(fcl_answer *answer, const fcl_output *asked, const char *program)
{
    char name[LONGEST_NAME];
    file f = {.name = name};
    if (!read_name(asked, name))
        return fcl_answer_refuse(answer, "the name of a file has characters above 0 and below 128");
    FILE *from = open_file(name, program);
    bool ok = from && input_read_all(from, MOST_BYTES, &f.in) == READ_OK;
    if (from)
        fclose(from);
    if (!ok) {
        string why = {0};
        string_addf(&why, "the file %.300s cannot be read", name);
        return refuse(answer, why);
    }
    fcl_scalar type = fcl_answer_type(answer);
    ok = type == FCL_U32 ? give_chars(answer, &f) : give_numbers(answer, &f, type);
    input_free(&f.in);
    return ok;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

answering answer_begin(const char *program)
{
    return (answering){.program = program, .start = now()};
}

static bool give_time(fcl_answer *answer, int64_t start)
{
    unsigned char data[4];
    fcl_bits_write(FCL_I32, (uint64_t)(now() - start), data);
    return fcl_answer_give(answer, &(fcl_array){.type = FCL_I32, .data = data});
}

static bool is_asked(const fcl_output *asked, const char *what, fcl_answer *answer, fcl_scalar type,
                     unsigned rank)
{
    return asked->show && asked->show_size == strlen(what) &&
           memcmp(asked->show, what, asked->show_size) == 0 && fcl_answer_type(answer) == type &&
           fcl_answer_rank(answer) == rank;
}

bool answer_asked(void *user, const fcl_output *asked, fcl_answer *answer)
{
    const answering *a = user;
    if (is_asked(asked, "tail.now", answer, FCL_I32, 0))
        return give_time(answer, a->start);
    if (is_asked(asked, "tail.file.char", answer, FCL_U32, 1) ||
        is_asked(asked, "tail.file.int", answer, FCL_I32, 1) ||
        is_asked(asked, "tail.file.double", answer, FCL_F64, 1))
        return give_file(answer, asked, a->program);
    return fcl_answer_refuse(answer, "fclc does not know what the program asks for here");
}
