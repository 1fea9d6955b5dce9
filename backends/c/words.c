/* The table of a language with its gaps filled by the words of C11, and of the compilers for it
 * that know GCC's builtins. */
#include "backends/c/language.h"

#include <string.h>

static const char *type_name(fcl_scalar t)
{
    static const char *const names[ST_COUNT] = {
        [ST_BOOL] = "bool",    [ST_I8] = "int8_t",    [ST_I16] = "int16_t",  [ST_I32] = "int32_t",
        [ST_I64] = "int64_t",  [ST_U8] = "uint8_t",   [ST_U16] = "uint16_t", [ST_U32] = "uint32_t",
        [ST_U64] = "uint64_t", [ST_F16] = "_Float16", [ST_F32] = "float",    [ST_F64] = "double",
    };
    return names[t];
}

/* WORD(field, what stands there where the language says nothing). */
#define WORDS                                                                                      \
    WORD(helper, "static inline")                                                                  \
    WORD(reinterpret, "fcl_as_")                                                                   \
    WORD(saturate[0], "fcl_nearest_")                                                              \
    WORD(saturate[1], "")                                                                          \
    WORD(saturating_add, "fcl_add_up_to")                                                          \
    WORD(table, "static const")                                                                    \
    WORD(global, "")                                                                               \
    WORD(local, "")                                                                                \
    WORD(restricted, "restrict")                                                                   \
    WORD(shared, "")                                                                               \
    WORD(aligned, "")                                                                              \
    WORD(pool, "")                                                                                 \
    WORD(checks, "uint32_t *restrict checks")                                                      \
    WORD(kernel, "void $n(")                                                                       \
    WORD(failed, "(__atomic_load_n(checks, __ATOMIC_RELAXED) != 0)")

static void fill_words(fcl_c_language *w)
{
    w->type = w->type ? w->type : type_name;
#define WORD(field, text) w->field = w->field ? w->field : text;
    WORDS
#undef WORD
    if (!w->unit) {
        w->unit = "uint64_t";
        w->unit_bytes = sizeof(uint64_t);
    }
}

/* ---- atomic steps ---- */

#define FETCH(name) "    return __atomic_fetch_" name "(p, x, __ATOMIC_RELAXED);\n"
#define ARRIVING    "    return __atomic_fetch_add(p, x, __ATOMIC_ACQ_REL);\n"
#define EXTREME(sign)                                                                              \
    "    $T old;\n"                                                                                \
    "    __atomic_load(p, &old, __ATOMIC_RELAXED);\n"                                              \
    "    while (x " sign " old)\n"                                                                 \
    "        if (__atomic_compare_exchange(p, &old, &x, 1, __ATOMIC_RELAXED,\n"                    \
    "                                      __ATOMIC_RELAXED))\n"                                   \
    "            break;\n"                                                                         \
    "    return old;\n"
#define LOADING(order) "    $T x;\n    __atomic_load(p, &x, " order ");\n    return x;\n"
#define STORING(order) "    __atomic_store(p, &x, " order ");\n"

static const char *const gcc_atomics[C_ATOMICS] = {
    [ATOMIC_ADD] = FETCH("add"),
    [ATOMIC_MIN] = EXTREME("<"),
    [ATOMIC_MAX] = EXTREME(">"),
    [ATOMIC_AND] = FETCH("and"),
    [ATOMIC_OR] = FETCH("or"),
    [ATOMIC_XOR] = FETCH("xor"),
    [ATOMIC_EXCHANGE] = "    $T old;\n"
                        "    __atomic_exchange(p, &x, &old, __ATOMIC_RELAXED);\n"
                        "    return old;\n",
    [ATOMIC_COMPARE] = "    __atomic_compare_exchange(p, &x, &y, 0, __ATOMIC_RELAXED, "
                       "__ATOMIC_RELAXED);\n"
                       "    return x;\n",
    [ATOMIC_LOAD] = LOADING("__ATOMIC_RELAXED"),
    [ATOMIC_ACQUIRE] = LOADING("__ATOMIC_ACQUIRE"),
    [ATOMIC_STORE] = STORING("__ATOMIC_RELAXED"),
    [ATOMIC_RELEASE] = STORING("__ATOMIC_RELEASE"),
    [ATOMIC_ARRIVE] = ARRIVING,
};

/* A language with atomic steps of its own has no others. */
static void fill_atomics(c_language *l)
{
    const fcl_c_atomic *row = l->words.atomics;
    memcpy(l->atomics, gcc_atomics, sizeof gcc_atomics);
    if (row)
        memset(l->atomics, 0, sizeof l->atomics);
    for (; row && row->body; row++)
        if ((unsigned)row->step < C_ATOMICS)
            l->atomics[row->step] = row->body;
}

/* ---- operators ---- */

static void replace(c_operator *o, const fcl_c_operator *row)
{
    bool real = row->operands == FCL_C_FLOATS;
    c_form form = {row->binding, row->text};
    if (row->form != FCL_K_PLAIN)
        o->of[row->form] = form;
    else
        *(real ? &o->real : row->operands == FCL_C_BOOLS ? &o->logical : &o->plain) = form;
    if (row->helper && real)
        o->help_real = row->helper;
    else if (row->helper)
        o->help_signed = o->help_unsigned = row->helper;
}

/* Whether every $ of a template begins a part: an operand with its letter, of so many, or one of
 * the other letters. */
static bool is_template(const char *text, uint32_t operands, const char *letters)
{
    for (const char *s = strchr(text, '$'); s; s = strchr(s, '$')) {
        bool operand = s[1] >= '1' && s[1] < (char)('1' + operands);
        if (operand ? !s[2] || !strchr("eramup", s[2]) : !s[1] || !strchr(letters, s[1]))
            return false;
        s += operand ? 3 : 2;
    }
    return true;
}

/* What is wrong with a row; NULL: nothing. */
static const char *row_fault(const fcl_c_operator *row)
{
    opcode op = ir_op_named(row->name, strlen(row->name));
    if (!op || op >= SOP_END || (unsigned)row->form >= FORM_END || !row->text)
        return "which is no scalar operator in one of its forms";
    return is_template(row->text, ir_op_info(op)->max_args, "TVWBhKM") &&
                   (!row->helper || is_template(row->helper, 0, "TVW"))
               ? NULL
               : "whose text has a $ that begins no part of it";
}

static bool refuse_row(fcl_context *cx, const fcl_c_operator *row, const char *why)
{
    return diag_error(cx, DIAG_PLUGIN, (location){0},
                      "the language of a target has a row for %.64s, %s", row->name, why);
}

bool c_language_make(c_language *l, const fcl_c_language *given, fcl_context *cx)
{
    size_t first = offsetof(fcl_c_language, state) + sizeof given->state;
    size_t size = given->size ? given->size : first;
    size = size < sizeof l->words ? size : sizeof l->words;
    *l = (c_language){0};
    memcpy(&l->words, given, size);
    fill_words(&l->words);
    fill_atomics(l);
    memcpy(l->operators, c_operators, sizeof l->operators);
    for (const fcl_c_operator *row = l->words.operators; row && row->name; row++) {
        const char *fault = row_fault(row);
        if (fault)
            return refuse_row(cx, row, fault);
        replace(&l->operators[ir_op_named(row->name, strlen(row->name))], row);
    }
    return !l->words.shuffle || is_template(l->words.shuffle, 2, "TVW") ||
           diag_error(cx, DIAG_PLUGIN, (location){0},
                      "the language of a target has an exchange whose text has a $ that begins no "
                      "part of it");
}
