/* Numbers as names: see names.h.  Linear in the values. */
#include "serialize/names.h"

#include <string.h>

/* Gives the unnamed values the numbers that they are printed with. */
static bool number_unnamed(mem *mm, str_id *names, uint32_t n)
{
    VEC(uint8_t) taken = {0};
    if (!vec_reserve(mm, &taken, n))
        return false;
    memset(taken.at, 0, n);
    for (uint32_t i = 0; i < n; i++)
        if (names[i] & NAME_NUMBER && (names[i] & ~NAME_NUMBER) < n)
            taken.at[names[i] & ~NAME_NUMBER] = 1;
    for (uint32_t i = 0, next = 0; i < n; i++) {
        if (names[i])
            continue;
        while (next < n && taken.at[next])
            next++;
        names[i] = NAME_NUMBER + next++;
    }
    vec_free(mm, &taken);
    return true;
}

/* Three cases.  Names that are numbers beside unnamed values: what is unnamed gets its number
 * first, and the array, in which nothing is unnamed now, is judged again; so the recursion is one
 * call deep.  The numbers stand in the order 0, 1, 2, ...: printing would give them again, and they
 * are dropped.  Any other order is kept, since numbering would change it. */
bool names_settle_numbers(mem *mm, str_id *names, uint32_t n)
{
    uint32_t unnamed = 0, numbers = 0, in_order = 0;
    for (uint32_t i = 0; i < n; i++) {
        unnamed += !names[i];
        in_order += names[i] == NAME_NUMBER + numbers;
        numbers += names[i] >> 31;
    }
    if (numbers && unnamed)
        return number_unnamed(mm, names, n) && names_settle_numbers(mm, names, n);
    for (uint32_t i = 0; i < n && numbers && numbers == in_order; i++)
        if (names[i] & NAME_NUMBER)
            names[i] = 0;
    return true;
}
