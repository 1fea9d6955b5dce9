/* Prints the rows of ir/ops.def and ir/scalars.def that docs/reference.md is made of: a line each, a tab between what is said
 * of an operator.  It needs the tables only. */
#include <stdio.h>
#include <string.h>

static const char *attribute(const char *name)
{
    return strcmp(name, "NONE") ? name : "";
}

/* The words of a row of EFFECT, LEVELRULE or COST. */
typedef struct word {
    const char *name, *text;
} word;

static const word effects[] = {
#define EFFECT(e, text) {#e, text},
#include "ir/ops.def"
#undef EFFECT
};
static const word levels[] = {
#define LEVELRULE(e, text) {#e, text},
#include "ir/ops.def"
#undef LEVELRULE
};
static const word costs[] = {
#define COST(e, weight, text) {#e, text},
#include "ir/ops.def"
#undef COST
};

static const char *text_of(const word *words, const char *name)
{
    while (strcmp(words->name, name))
        words++;
    return words->text;
}

static void operands(const char *letters)
{
    static const word kinds[] = {
#define OPERAND(e, letter, is_int, text) {#letter, text},
#include "ir/ops.def"
#undef OPERAND
    };
    const char *separator = "";
    for (; *letters; letters++) {
        char name[] = {'\'', *letters, '\'', 0};
        if (*letters == '*')
            printf(" …");
        else
            printf("%s%s", separator, text_of(kinds, name));
        separator = ", ";
    }
    printf("\t");
}

int main(void)
{
#define OP(e, wire, name, min, max, regions, attr, result, since, kinds, params, effect, level,    \
           cost, formula)                                                                          \
    printf("core\t%s\t%d\t%d.%d\t%s\t%d\t", name, wire, since / 100, since % 100,                  \
           attribute(#attr), regions);                                                             \
    operands(kinds);                                                                               \
    printf("%s\t%s\t%s\t%s\t%s\t%s\n", #effect, text_of(effects, #effect),                         \
           text_of(levels, #level), #cost, text_of(costs, #cost), formula);
#include "ir/ops.def"
#undef OP
#define SCALAROP(e, wire, name, arity, class, result, cost, since, fold, range, formula)           \
    printf("scalar\t%s\t%d\t%d.%d\t%d\t%s\t%s\t%d\t%s\n", name, wire, since / 100, since % 100,    \
           arity, #class, #result, cost, formula);
#include "ir/scalars.def"
    return 0;
}
