/* Attributes: what front ends and tools attach to a module, its functions and operations, as keys
 * with integers or texts.
 *
 * The library keeps them and gives them no meaning.  They lie in side tables: who has none pays
 * nothing.  Those of one subject keep the order in which they were set, and a key stands there
 * once. */
#ifndef FCL_IR_ATTRIBUTES_H
#define FCL_IR_ATTRIBUTES_H

#include "ir/base/intern.h"

typedef struct attribute {
    str_id key;
    bool is_text;
    str_id text; /* may be 0: the empty text */
    int64_t number;
    uint32_t next; /* of the same subject; 0: none */
} attribute;

typedef enum { ON_MODULE, ON_FUNC, ON_OP } subject_kind;

typedef struct subject {
    subject_kind kind;
    uint32_t id; /* ir_func or ir_op; 0 for the module */
} subject;

/* The attributes of one subject, in their order. */
typedef struct attribute_list {
    uint32_t first, last, count;
} attribute_list;

/* One attribute of a long list, by its key. */
typedef struct attribute_slot {
    uint32_t list;
    str_id key;
    uint32_t at; /* 0: the slot is empty */
} attribute_slot;

typedef struct attributes {
    VEC(attribute) all;        /* entry 0 is none; empty while there are none at all */
    VEC(attribute_list) lists; /* entry 0 is the empty one */
    vec_u32 list[3]; /* by subject_kind and id: index into lists; shorter than the ids where the
                        rest has none */
    attribute_slot *slots; /* open addressing, a power of two; for lists that are long */
    uint32_t nslots, used;
} attributes;

/* The first attribute of a subject; 0 when it has none. */
uint32_t ir_attr_first(const attributes *a, subject of);
/* Sets or replaces; false when memory is short. */
bool ir_attr_set(mem *m, attributes *a, subject of, attribute value);
/* The attribute with that key; 0 when there is none. */
uint32_t ir_attr_find(const attributes *a, subject of, str_id key);
/* The text of the attribute with that key; 0 when there is none, or it has a number. */
str_id ir_attr_text(const attributes *a, const intern *strings, subject of, const char *key);
/* What `from` has becomes what `to` has, for passes that renumber; `to` is less than `from`. */
void ir_attr_move(attributes *a, subject_kind kind, uint32_t from, uint32_t to);
/* Subjects from that one on have none any more: there are fewer. */
void ir_attr_cut(attributes *a, subject_kind kind, uint32_t from);
/* `to` is empty before, and to be freed in either case. */
bool ir_attr_copy(mem *m, attributes *to, const attributes *from);
void ir_attr_free(mem *m, attributes *a);

#endif
