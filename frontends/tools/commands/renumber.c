/* Values numbered by their first appearance: see renumber.h. */
#include "frontends/tools/commands/renumber.h"

#include <stdlib.h>
#include <string.h>

/* A text that is walked through, and what its numbers stand for: number n + 1 of the other text. */
typedef struct walk {
    const char *at;
    size_t *stands_for, room;
} walk;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Numbers are no larger than the text is long, or they are compared as text. */
static walk walk_begin(const string *text)
{
    return (walk){.at = string_str(text),
                  .stands_for = tool_alloc(text->len + 1, sizeof(size_t)),
                  .room = text->len + 1};
}

/* Stops growing at `room`, so that it cannot overflow; such a number is too large to be looked up.
 */
static size_t take_number(walk *w)
{
    size_t n = 0;
    for (w->at++; is_digit(*w->at); w->at++)
        n = n < w->room ? n * 10 + (size_t)(*w->at - '0') : n;
    return n;
}

/* Whether the numbers met here stand for one another, or are both new. */
static bool pairs(walk *a, walk *b)
{
    size_t x = take_number(a), y = take_number(b);
    if (x >= a->room || y >= b->room)
        return x == y;
    if (!a->stands_for[x] && !b->stands_for[y]) {
        a->stands_for[x] = y + 1;
        b->stands_for[y] = x + 1;
    }
    return a->stands_for[x] == y + 1 && b->stands_for[y] == x + 1;
}

/* Names such as %xs are compared as text. */
static bool at_number(const walk *w)
{
    return w->at[0] == '%' && is_digit(w->at[1]);
}

/* One walk through both texts at once: a renaming must be a bijection, which the two tables keep.
 */
bool same_but_numbers(const string *a, const string *b)
{
    walk x = walk_begin(a), y = walk_begin(b);
    bool same = true;
    while (same && *x.at && *y.at)
        if (at_number(&x) && at_number(&y))
            same = pairs(&x, &y);
        else
            same = *x.at++ == *y.at++;
    same = same && *x.at == *y.at;
    free(x.stands_for);
    free(y.stands_for);
    return same;
}
