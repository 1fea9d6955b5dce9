/* NumPy's .npy files: see npy.h.  A file is "\x93NUMPY", the version, the header's length, the
 * header (a Python dict with descr, fortran_order and shape), and the elements.  Nothing is
 * allocated by what a header claims: the elements are decoded where the file was read to, and must
 * be there.
 *
 * Reading goes: find the header, read the dict, compare it with what is asked for, then put the
 * elements into C order and the machine's byte order.  Each step reports why it cannot. */
#include "frontends/tools/values/npy.h"

#include "frontends/tools/input.h"
#include "frontends/tools/values/scalar.h"
#include "frontends/tools/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 64, MAGIC_BYTES = 8 };
static const char magic[6] = "\x93NUMPY";

typedef struct npy_header {
    char order, kind; /* < > = | and b i u f ... */
    unsigned bytes;
    bool fortran;
    unsigned rank;
    uint64_t dims[MOST_AXES];
    unsigned seen; /* keys, a bit each */
} npy_header;

typedef struct npy_reader {
    report *rep;
    const char *path;
    const char *at, *end; /* the header's text */
} npy_reader;

static bool host_is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* ---- the header ---- */

/* What is wrong with the file, as a whole: its header has no lines. */
static bool bad_header(const npy_reader *n, const char *why)
{
    return report_error(n->rep, TD_NPY_HEADER, (report_place){.file = n->path}, NULL, "%s", why);
}

/* The next character of the header behind blanks; 0 at its end. */
static char peek(npy_reader *n)
{
    while (n->at < n->end && (*n->at == ' ' || *n->at == '\n' || *n->at == '\t'))
        n->at++;
    return n->at < n->end ? *n->at : 0;
}

static bool take(npy_reader *n, char c)
{
    if (peek(n) != c)
        return false;
    n->at++;
    return true;
}

/* A Python string, without escapes: none that is expected has any. */
static bool take_string(npy_reader *n, const char **s, size_t *len)
{
    char quote = peek(n);
    if (quote != '\'' && quote != '"')
        return false;
    n->at++;
    const char *close = memchr(n->at, quote, (size_t)(n->end - n->at));
    if (!close)
        return false;
    *s = n->at;
    *len = (size_t)(close - n->at);
    n->at = close + 1;
    return true;
}

/* True or False. */
static bool take_word(npy_reader *n, const char *word)
{
    size_t len = strlen(word);
    peek(n);
    if ((size_t)(n->end - n->at) < len || memcmp(n->at, word, len) != 0)
        return false;
    n->at += len;
    return true;
}

/* A decimal number of 64 bits. */
static bool take_number(npy_reader *n, uint64_t *out)
{
    char c = peek(n);
    if (c < '0' || c > '9')
        return false;
    for (*out = 0; n->at < n->end && *n->at >= '0' && *n->at <= '9'; n->at++) {
        unsigned digit = (unsigned)(*n->at - '0');
        if (*out > (UINT64_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    take(n, 'L'); /* what Python 2 wrote */
    return true;
}

/* '<f4': byte order (may be missing), kind, width; '?' is short for 'b1'.  Which of them is known
 * is decided later. */
static bool read_descr(npy_reader *n, npy_header *h)
{
    const char *s;
    size_t len;
    if (peek(n) == '[')
        return bad_header(n, "the dtype has named fields; save each field to a file of its own");
    if (!take_string(n, &s, &len) || len == 0)
        return bad_header(n, "the header's 'descr' is no dtype");
    size_t i = strchr("<>=|", s[0]) != NULL;
    h->order = i ? s[0] : '=';
    h->kind = i < len ? s[i++] : 0;
    if (h->kind == '?') {
        h->kind = 'b';
        h->bytes = 1;
    }
    if ((h->kind | 32) < 'a' || (h->kind | 32) > 'z')
        return bad_header(n, "the header's 'descr' is no dtype");
    for (; i < len; i++)
        h->bytes = s[i] >= '0' && s[i] <= '9' && h->bytes < 1000
                       ? h->bytes * 10 + (unsigned)(s[i] - '0')
                       : 1000;
    return true;
}

static bool read_fortran(npy_reader *n, npy_header *h)
{
    h->fortran = take_word(n, "True");
    return h->fortran || take_word(n, "False") ||
           bad_header(n, "the header's 'fortran_order' is neither True nor False");
}

/* (3,), (2, 4) or () */
static bool read_shape(npy_reader *n, npy_header *h)
{
    bool ok = take(n, '(');
    while (ok && peek(n) != ')') {
        ok = h->rank < MOST_AXES && take_number(n, &h->dims[h->rank]);
        h->rank++;
        if (!take(n, ','))
            break;
    }
    return (ok && take(n, ')')) || bad_header(n, "the header's 'shape' is no tuple of lengths");
}

static const struct header_key {
    const char *name;
    bool (*read)(npy_reader *n, npy_header *h);
} keys[] = {{"descr", read_descr}, {"fortran_order", read_fortran}, {"shape", read_shape}};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* 'KEY': VALUE; the three keys stand in any order, each once. */
static bool read_key(npy_reader *n, npy_header *h)
{
    const char *s;
    size_t len;
    if (!take_string(n, &s, &len) || !take(n, ':'))
        return bad_header(n, "the header is no Python dict");
    for (unsigned k = 0; k < KEY_COUNT; k++)
        if (text_is(s, len, keys[k].name)) {
            if (h->seen & 1u << k)
                return bad_header(n, "the header has a key twice");
            h->seen |= 1u << k;
            return keys[k].read(n, h);
        }
    return bad_header(n, "the header has a key besides descr, fortran_order and shape");
}

/* { key, ..., } and blanks behind it. */
static bool read_dict(npy_reader *n, npy_header *h)
{
    if (!take(n, '{'))
        return bad_header(n, "the header is no Python dict");
    while (peek(n) != '}') {
        if (!read_key(n, h))
            return false;
        if (!take(n, ','))
            break;
    }
    if (!take(n, '}') || peek(n))
        return bad_header(n, "the header is no Python dict");
    return h->seen == (1u << KEY_COUNT) - 1 ||
           bad_header(n, "the header lacks descr, fortran_order or shape");
}

/* Finds the header's text: its length has 2 bytes in version 1 and 4 in versions 2 and 3,
 * little-endian. */
static bool find_header(npy_reader *n, const input *in)
{
    const unsigned char *b = (const unsigned char *)in->data;
    if (in->size < MAGIC_BYTES + 2 || memcmp(b, magic, sizeof magic) != 0)
        return bad_header(n, "this is not an .npy file");
    if (b[6] < 1 || b[6] > 3)
        return bad_header(n, "this is an .npy file of a version other than 1, 2 and 3");
    size_t width = b[6] == 1 ? 2 : 4, length = 0, start = MAGIC_BYTES + width;
    if (in->size < start)
        return bad_header(n, "the file ends in its header");
    for (size_t i = width; i-- > 0;)
        length = length << 8 | b[MAGIC_BYTES + i];
    if (length > in->size - start)
        return bad_header(n, "the file ends in its header");
    n->at = in->data + start;
    n->end = n->at + length;
    return true;
}

/* ---- what the header says against what is asked for ---- */

/* Nothing is converted: the dtype must be that of the parameter. */
static bool check_type(const npy_reader *n, const npy_header *h, fcl_scalar type)
{
    if (scalar_of_numpy(h->kind, h->bytes) == type)
        return true;
    const scalar_info *want = fcl_scalar_get(type);
    return report_error(n->rep, TD_NPY_TYPE, (report_place){.file = n->path},
                        "convert it with numpy's astype",
                        "the file holds elements of dtype %c%u, and %s (%c%u) is asked for",
                        h->kind, h->bytes, want->name, want->kind, want->bytes);
}

/* An array of one element may stand for a scalar: becomes one of rank 0 here. */
static bool check_rank(const npy_reader *n, npy_header *h, unsigned rank)
{
    if (rank == 0 && h->rank == 1 && h->dims[0] == 1)
        h->rank = 0;
    if (h->rank == rank)
        return true;
    if (rank == 0)
        return report_error(n->rep, TD_NPY_RANK, (report_place){.file = n->path}, NULL,
                            "the file holds an array with %u ax%s, and a scalar is asked for",
                            h->rank, h->rank == 1 ? "is" : "es");
    return report_error(n->rep, TD_NPY_RANK, (report_place){.file = n->path}, NULL,
                        "the file holds an array with %u ax%s, and %u %s asked for", h->rank,
                        h->rank == 1 ? "is" : "es", rank, rank == 1 ? "is" : "are");
}

/* Bytes of all elements; false when the number does not fit. */
static bool count_bytes(const npy_header *h, uint64_t *bytes)
{
    *bytes = h->bytes;
    for (unsigned i = 0; i < h->rank; i++)
        if (h->dims[i] == 0) {
            *bytes = 0;
            return true;
        }
    for (unsigned i = 0; i < h->rank; i++) {
        if (*bytes > (uint64_t)INT64_MAX / h->dims[i])
            return false;
        *bytes *= h->dims[i];
    }
    return true;
}

/* As many bytes of elements as the shape says, no more and no fewer. */
static bool check_size(const npy_reader *n, const npy_header *h, const input *in)
{
    uint64_t want, have = (uint64_t)(in->data + in->size - n->end);
    report_place at = {.file = n->path};
    if (!count_bytes(h, &want))
        return report_error(n->rep, TD_NPY_SIZE, at, NULL,
                            "the shape in the header has more elements than any memory holds");
    if (want == have)
        return true;
    return report_error(n->rep, TD_NPY_SIZE, at,
                        have < want ? "the file was cut off, or its header is wrong" : NULL,
                        "the header asks for %llu bytes of elements, and %llu are there",
                        (unsigned long long)want, (unsigned long long)have);
}

/* ---- elements ---- */

/* Turns the byte order of each element around. */
static void swap_bytes(char *data, uint64_t count, unsigned width)
{
    for (uint64_t i = 0; i < count; i++, data += width)
        for (unsigned k = 0; k < width / 2; k++) {
            char c = data[k];
            data[k] = data[width - 1 - k];
            data[width - 1 - k] = c;
        }
}

/* The library's bools are 0 and 1; NumPy reads any other byte as True. */
static void normalise_bools(char *data, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        data[i] = data[i] != 0;
}

/* From column-major to row-major order, in the order of the source. */
static char *transpose(const fcl_array *a, unsigned width)
{
    uint64_t strides[FCL_MAX_RANK], index[FCL_MAX_RANK] = {0}, n = array_count(a), to = 0,
                                    step = width;
    char *data = n <= SIZE_MAX / width ? malloc((size_t)n * width) : NULL;
    for (unsigned i = a->rank; i-- > 0; step *= a->dims[i])
        strides[i] = step;
    for (uint64_t from = 0; data && from < n; from++) {
        memcpy(data + to, (const char *)a->data + from * width, width);
        for (unsigned i = 0; i < a->rank; i++) {
            to += strides[i];
            if (++index[i] < a->dims[i])
                break;
            to -= strides[i] * a->dims[i];
            index[i] = 0;
        }
    }
    return data;
}

/* Replaces the data by a copy in C order. */
static bool to_row_major(npy_reader *n, fcl_array *a, unsigned width)
{
    char *data = transpose(a, width);
    if (!data)
        return report_error(n->rep, TD_NO_MEMORY, (report_place){.file = n->path}, NULL,
                            "there is not enough memory to reorder it");
    free(a->data);
    a->data = data;
    return true;
}

/* The file's buffer becomes the array: the elements move to its start, and into the machine's
 * order. */
static bool decode(npy_reader *n, const npy_header *h, input *in, fcl_array *out)
{
    memmove(in->data, n->end, (size_t)(in->data + in->size - n->end));
    out->data = in->data;
    in->data = NULL;
    uint64_t count = array_count(out);
    if (h->bytes > 1 && (h->order == '<' || h->order == '>') &&
        (h->order == '<') != host_is_little())
        swap_bytes(out->data, count, h->bytes);
    if (h->kind == 'b')
        normalise_bools(out->data, count);
    return !h->fortran || h->rank < 2 || count == 0 || to_row_major(n, out, h->bytes);
}

/* `decode` takes the file's buffer over; else it is freed here. */
bool npy_read(report *r, const char *path, fcl_scalar type, unsigned rank, fcl_array *out)
{
    input in;
    npy_header h = {0};
    npy_reader n = {.rep = r, .path = path};
    *out = (fcl_array){.type = type, .rank = rank};
    if (!input_read(r, path, SIZE_MAX / 4, &in))
        return false;
    n.path = in.name;
    bool ok = find_header(&n, &in) && read_dict(&n, &h) && check_type(&n, &h, type) &&
              check_rank(&n, &h, rank) && check_size(&n, &h, &in);
    if (ok) {
        memcpy(out->dims, h.dims, rank * sizeof *h.dims);
        ok = decode(&n, &h, &in, out);
    }
    input_free(&in);
    return ok;
}

/* ---- writing ---- */

/* NumPy's own files begin their elements at a multiple of this. */
enum { HEADER_ALIGN = 64 };

/* The header ends in blanks and a newline, so that the elements are aligned. */
void npy_write(FILE *to, const fcl_array *a)
{
    const scalar_info *s = fcl_scalar_get(a->type);
    string header = {0};
    string_addf(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                s->bytes == 1      ? '|'
                : host_is_little() ? '<'
                                   : '>',
                s->kind, s->bytes);
    for (unsigned i = 0; i < a->rank; i++)
        string_addf(&header, "%llu%s", (unsigned long long)a->dims[i],
                    i + 1 < a->rank ? ", "
                    : a->rank == 1  ? ","
                                    : "");
    string_addf(&header, "), }");
    size_t start = MAGIC_BYTES + 2;
    while ((start + header.len + 1) % HEADER_ALIGN)
        string_add(&header, " ", 1);
    string_add(&header, "\n", 1);
    const unsigned char front[] = {1, 0, (unsigned char)(header.len & 0xff),
                                   (unsigned char)(header.len >> 8)};
    fwrite(magic, 1, sizeof magic, to);
    fwrite(front, 1, sizeof front, to);
    fwrite(header.at, 1, header.len, to);
    fwrite(a->data, s->bytes, (size_t)array_count(a), to);
    string_free(&header);
}
