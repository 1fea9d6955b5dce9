/* Artifacts as JSON: see json.h.  The library hands out the values of the file one by one; here
 * each becomes one of cJSON's, in the list or map that is not full yet. */
#include "frontends/tools/plan/json.h"

#include "frontends/tools/text.h"
#include "frontends/tools/values/decimal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Readers take numbers as doubles, which have all integers up to here. */
static const uint64_t EXACT = (uint64_t)1 << 53;

/* A list or map with values to come. */
typedef struct level {
    cJSON *to;
    size_t left;
    char *key; /* of a map: under which the next value stands; NULL: a key comes next */
    bool is_map;
} level;

typedef struct maker {
    cJSON *whole;
    level *levels;
    size_t depth, room;
} maker;

/* ---- values ---- */

static cJSON *text_value(const char *s, size_t n)
{
    char *copy = tool_strndup(s, n);
    cJSON *made = cJSON_CreateString(copy);
    free(copy);
    return made;
}

static cJSON *bytes_value(const char *s, size_t n)
{
    string hex = {0};
    for (size_t i = 0; i < n; i++)
        string_addf(&hex, "%02x", (unsigned)(unsigned char)s[i]);
    cJSON *made = cJSON_CreateObject();
    cJSON_AddStringToObject(made, "hex", string_str(&hex));
    string_free(&hex);
    return made;
}

/* n characters, in quotes where readers would not have the number from them. */
static cJSON *number_value(const char *digits, size_t n, bool quoted)
{
    char *copy = tool_strndup(digits, n);
    cJSON *made = quoted ? cJSON_CreateString(copy) : cJSON_CreateRaw(copy);
    free(copy);
    return made;
}

static cJSON *value_of(const fcl_item *item)
{
    char digits[DECIMAL_ROOM];
    int64_t number = (int64_t)item->number;
    switch (item->kind) {
    case FCL_ITEM_MAP: return cJSON_CreateObject();
    case FCL_ITEM_LIST: return cJSON_CreateArray();
    case FCL_ITEM_TEXT:
        return memchr(item->data, 0, item->n) ? bytes_value(item->data, item->n)
                                              : text_value(item->data, item->n);
    case FCL_ITEM_BYTES: return bytes_value(item->data, item->n);
    case FCL_ITEM_BOOL: return cJSON_CreateBool(item->number != 0);
    case FCL_ITEM_UNSIGNED:
        return number_value(digits, decimal_unsigned(item->number, digits), item->number > EXACT);
    case FCL_ITEM_SIGNED:
        return number_value(digits, decimal_signed(number, digits), number < -(int64_t)EXACT);
    case FCL_ITEM_FLOAT: break;
    }
    return number_value(digits, decimal_float(item->real, FCL_F64, digits), !isfinite(item->real));
}

/* ---- where they stand ---- */

static void open_level(maker *m, cJSON *to, const fcl_item *item)
{
    bool is_map = item->kind == FCL_ITEM_MAP;
    if (!item->n || (!is_map && item->kind != FCL_ITEM_LIST))
        return;
    if (m->depth == m->room) {
        level *more = tool_alloc(2 * m->room + 16, sizeof *more);
        if (m->depth)
            memcpy(more, m->levels, m->depth * sizeof *more);
        free(m->levels);
        m->levels = more;
        m->room = 2 * m->room + 16;
    }
    m->levels[m->depth++] = (level){.to = to, .left = item->n, .is_map = is_map};
}

/* A level that has all its values is left before what is in the last of them begins. */
static void place(maker *m, cJSON *made)
{
    if (!m->depth) {
        m->whole = made;
        return;
    }
    level *l = &m->levels[m->depth - 1];
    if (l->is_map)
        cJSON_AddItemToObject(l->to, l->key, made);
    else
        cJSON_AddItemToArray(l->to, made);
    free(l->key);
    l->key = NULL;
    if (--l->left == 0)
        m->depth--;
}

static bool see(void *user, const fcl_item *item)
{
    maker *m = user;
    level *l = m->depth ? &m->levels[m->depth - 1] : NULL;
    if (l && l->is_map && !l->key) {
        l->key = tool_strndup(item->data, item->n);
        return true;
    }
    cJSON *made = value_of(item);
    if (!made)
        return false;
    place(m, made);
    open_level(m, made, item);
    return true;
}

char *plan_json(fcl_artifact *a, size_t *size)
{
    maker m = {0};
    char *text = fcl_artifact_items(a, see, &m) ? cJSON_Print(m.whole) : NULL;
    for (size_t i = 0; i < m.depth; i++)
        free(m.levels[i].key);
    free(m.levels);
    cJSON_Delete(m.whole);
    if (!text)
        return NULL;
    *size = strlen(text);
    text[(*size)++] = '\n'; /* in place of the NUL */
    return text;
}
