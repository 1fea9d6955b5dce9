/* The module of one kernel: what others of its module have beside it is left out.
 *
 * An entry point of SPIR-V before 1.4 does not say which variables it uses, and not everybody finds
 * out: the validation layer adds up the local memory of all kernels. Words of functions that are
 * numbers, not ids, may keep a variable that could go, never the other way round. */
#include "backends/run/vulkan/device.h"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>
#include <string.h>

/* The header has it inline; where it is not inlined, it is here. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type);

enum { HEADER = 5, BOUND = 3 };

/* Of ids. */
enum {
    OTHER = 1,    /* the function of another kernel */
    WITHIN = 2,   /* defined inside of one */
    VARIABLE = 4, /* of the module, but for inputs */
    USED = 8      /* maybe, by what stays */
};

typedef struct strip {
    const uint32_t *code;
    size_t words, at; /* the instruction that is looked at */
    SpvOp op;
    uint32_t len;
    uint8_t *marks;
    uint32_t bound;
    const char *kernel;
    bool found, skips; /* the kernel; inside of another one's function */
} strip;

/* The next instruction: false at the end, and where the words are none. */
static bool step(strip *s)
{
    s->at += s->len;
    if (s->at >= s->words)
        return false;
    s->op = (SpvOp)(s->code[s->at] & SpvOpCodeMask);
    s->len = s->code[s->at] >> SpvWordCountShift;
    return s->len > 0 && s->len <= s->words - s->at;
}

static void rewind_to_start(strip *s)
{
    s->at = HEADER;
    s->len = 0;
    s->skips = false;
}

/* Word i as an id, or 0. */
static uint32_t id_at(const strip *s, uint32_t i)
{
    uint32_t id = i < s->len ? s->code[s->at + i] : 0;
    return id < s->bound ? id : 0;
}

static bool is_kernel(const strip *s)
{
    size_t most = s->len > 3 ? (s->len - 3) * sizeof *s->code : 0, n = strlen(s->kernel) + 1;
    return n <= most && memcmp(s->code + s->at + 3, s->kernel, n) == 0;
}

static void enter_function(strip *s)
{
    if (s->op == SpvOpFunction)
        s->skips = (s->marks[id_at(s, 2)] & OTHER) != 0;
}

static void leave_function(strip *s)
{
    if (s->op == SpvOpFunctionEnd)
        s->skips = false;
}

static void mark_result(strip *s)
{
    bool has_id = false, has_type = false;
    SpvHasResultAndType(s->op, &has_id, &has_type);
    if (has_id)
        s->marks[id_at(s, has_type ? 2 : 1)] |= WITHIN;
}

static void mark_uses(strip *s)
{
    for (uint32_t i = 1; i < s->len; i++)
        s->marks[id_at(s, i)] |= USED;
}

/* Entry points come first, variables next, functions last. */
static void mark(strip *s)
{
    bool in_functions = false;
    for (rewind_to_start(s); step(s); leave_function(s)) {
        in_functions = in_functions || s->op == SpvOpFunction;
        enter_function(s);
        if (s->op == SpvOpEntryPoint && is_kernel(s))
            s->found = true;
        else if (s->op == SpvOpEntryPoint)
            s->marks[id_at(s, 2)] |= OTHER;
        else if (s->skips)
            mark_result(s);
        else if (in_functions)
            mark_uses(s);
        else if (s->op == SpvOpVariable && id_at(s, 3) != SpvStorageClassInput)
            s->marks[id_at(s, 2)] |= VARIABLE;
    }
}

static bool is_gone(const strip *s, uint32_t id)
{
    uint8_t m = s->marks[id];
    return m & (OTHER | WITHIN) || (m & VARIABLE && !(m & USED));
}

static bool stays(const strip *s)
{
    switch (s->op) {
    case SpvOpEntryPoint: return is_kernel(s);
    case SpvOpExecutionMode:
    case SpvOpName:
    case SpvOpDecorate: return !is_gone(s, id_at(s, 1));
    case SpvOpVariable: return !s->skips && !is_gone(s, id_at(s, 2));
    default: return !s->skips;
    }
}

static bool copy(strip *s, mem *m, vec_u32 *out)
{
    if (!vec_reserve(m, out, (uint32_t)s->words))
        return false;
    memcpy(out->at, s->code, HEADER * sizeof *s->code);
    out->len = HEADER;
    for (rewind_to_start(s); step(s); leave_function(s)) {
        enter_function(s);
        if (!stays(s))
            continue;
        memcpy(out->at + out->len, s->code + s->at, s->len * sizeof *s->code);
        out->len += s->len;
    }
    return true;
}

/* Every id has an instruction of more words than one. */
bool vulkan_strip(mem *m, const vec_u32 *code, const char *kernel, vec_u32 *out)
{
    strip s = {.code = code->at, .words = code->len, .kernel = kernel};
    s.bound = code->len > HEADER ? code->at[BOUND] : 0;
    bool known = s.bound > 0 && s.bound <= code->len;
    if (known && !(s.marks = mem_zeroed(m, s.bound)))
        return false;
    if (known)
        mark(&s);
    bool ok =
        known && s.found && s.at >= s.words ? copy(&s, m, out) : vec_reserve(m, out, code->len);
    if (ok && !out->len && code->len) {
        memcpy(out->at, code->at, code->len * sizeof *code->at);
        out->len = code->len;
    }
    mem_free(m, s.marks, s.bound);
    return ok;
}
