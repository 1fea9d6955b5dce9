/* The table of properties: see properties.h. */
#include "ir/properties.h"

#include <string.h>

enum { IS_NUMBER = false, IS_TEXT = true };

static const property_info table[] = {
    {.key = NULL},
#define PROPERTY(e, k, form, subject, must, snc, meaning)                                          \
    {.key = k, .is_text = IS_##form, .required = must, .on = ON_##subject, .since = snc},
#include "ir/keys.def"
#undef PROPERTY
};

property_id ir_property_named(const char *key)
{
    for (size_t i = 1; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].key, key) == 0)
            return (property_id)i;
    return PROPERTY_UNKNOWN;
}

const property_info *ir_property_info(property_id p)
{
    return &table[p];
}

const char *ir_property_wrong(const property_info *p, subject_kind on, bool is_text)
{
    static const char *const places[] = {"is one of modules", "is one of functions",
                                         "is one of operations"};
    if (!p->key)
        return NULL;
    if (p->on != on)
        return places[p->on];
    if (p->is_text != is_text)
        return p->is_text ? "is a text" : "is a number";
    return NULL;
}

/* 0: the subject has none. */
static uint32_t find(const ir_module *m, subject of, property_id p)
{
    const char *key = table[p].key;
    str_id name = m->props.all.len ? intern_find(&m->cx->strings, key, strlen(key)) : 0;
    return name ? ir_attr_find(&m->props, of, name) : 0;
}

int64_t ir_property_number(const ir_module *m, subject of, property_id p, int64_t otherwise)
{
    uint32_t at = find(m, of, p);
    return at ? m->props.all.at[at].number : otherwise;
}

const char *ir_property_text(const ir_module *m, subject of, property_id p)
{
    uint32_t at = find(m, of, p);
    return at ? ir_str(m, m->props.all.at[at].text) : NULL;
}

bool ir_property_is_required(const ir_module *m, str_id key)
{
    return table[ir_property_named(ir_str(m, key))].required;
}
