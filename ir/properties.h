/* Properties: what is said of a module, its functions and operations that is understood, each a row
 * of keys.def; unlike attributes, whose meaning is their authors' alone.
 *
 * They lie in ir_module.props, as attributes do in attrs.  One that has no row here is a hint of a
 * newer library or of a front end, and is kept; one that must be understood and is not is never in
 * a module: readers refuse the file. */
#ifndef FCL_IR_PROPERTIES_H
#define FCL_IR_PROPERTIES_H

#include "ir/ir.h"

typedef enum property_id {
    PROPERTY_UNKNOWN,
#define PROPERTY(e, ...) PROPERTY_##e,
#include "ir/keys.def"
#undef PROPERTY
} property_id;

typedef struct property_info {
    const char *key;
    bool is_text, required;
    subject_kind on;
    uint16_t since;
} property_info;

/* The row of a key; PROPERTY_UNKNOWN, whose key is NULL, when there is none. */
property_id ir_property_named(const char *key);
const property_info *ir_property_info(property_id p);
/* Why a subject cannot have the property, in words that go on "the property ..."; NULL: it can. */
const char *ir_property_wrong(const property_info *p, subject_kind on, bool is_text);
/* The number that a subject has for a property; `otherwise` where it has none. */
int64_t ir_property_number(const ir_module *m, subject of, property_id p, int64_t otherwise);
/* The text that a subject has for a property; NULL where it has none. */
const char *ir_property_text(const ir_module *m, subject of, property_id p);
/* Whether readers of the module must understand a property that it has. */
bool ir_property_is_required(const ir_module *m, str_id key);

#endif
