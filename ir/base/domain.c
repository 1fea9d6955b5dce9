/* Sets of whole numbers as text: see domain.h. */
#include "ir/base/domain.h"

#include <stddef.h>

/* A range; of a single number, from it to itself. */
typedef struct range {
    uint32_t from, to, by;
    bool times;
} range;

bool domain_number(const char **s, uint32_t *out)
{
    uint64_t value = 0;
    const char *at = *s;
    for (; *at >= '0' && *at <= '9' && value <= DOMAIN_MOST; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (at == *s || value > DOMAIN_MOST)
        return false;
    *s = at;
    *out = (uint32_t)value;
    return true;
}

/* + STEP, * FACTOR, or nothing. */
static bool read_step(const char **s, range *r)
{
    r->times = **s == '*';
    if (**s != '+' && **s != '*')
        return true;
    ++*s;
    return domain_number(s, &r->by) && r->by >= (r->times ? 2u : 1u) && (!r->times || r->from);
}

/* One item, and the comma behind it; *s is at the end of the text after the last. */
static bool read_item(const char **s, range *r)
{
    *r = (range){.by = 1};
    if (!domain_number(s, &r->from))
        return false;
    r->to = r->from;
    if ((*s)[0] == '.' && (*s)[1] == '.') {
        *s += 2;
        if (!domain_number(s, &r->to) || r->to < r->from || !read_step(s, r))
            return false;
    }
    if (**s == ',' && (*s)[1])
        ++*s;
    else if (**s)
        return false;
    return true;
}

static uint64_t range_count(const range *r)
{
    uint64_t n = 1;
    if (!r->times)
        return (uint64_t)(r->to - r->from) / r->by + 1;
    for (uint64_t v = (uint64_t)r->from * r->by; v <= r->to; v *= r->by)
        n++;
    return n;
}

/* Number i of it. */
static uint32_t range_at(const range *r, uint64_t i)
{
    uint64_t v = r->from;
    if (!r->times)
        return (uint32_t)(v + i * r->by);
    for (; i; i--)
        v *= r->by;
    return (uint32_t)v;
}

static bool range_has(const range *r, uint32_t n)
{
    uint64_t v = r->from;
    if (n < r->from || n > r->to || !r->times)
        return n >= r->from && n <= r->to && (n - r->from) % r->by == 0;
    while (v < n)
        v *= r->by;
    return v == n;
}

uint64_t domain_count(const char *text)
{
    range r;
    uint64_t n = 0;
    do {
        if (!read_item(&text, &r))
            return 0;
        n += range_count(&r);
    } while (*text);
    return n;
}

uint32_t domain_at(const char *text, uint64_t i)
{
    range r;
    do {
        if (!read_item(&text, &r))
            return 0;
        uint64_t n = range_count(&r);
        if (i < n)
            return range_at(&r, i);
        i -= n;
    } while (*text);
    return 0;
}

bool domain_has(const char *text, uint32_t n)
{
    range r;
    bool found = false;
    do {
        if (!read_item(&text, &r))
            return false;
        found = found || range_has(&r, n);
    } while (*text);
    return found;
}
