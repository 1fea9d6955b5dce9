/* The numbers of binary.def as enums, for reader and writer. */
#ifndef FCL_SERIALIZE_BINARY_TABLES_H
#define FCL_SERIALIZE_BINARY_TABLES_H

#include "ir/ir.h"

#define BINARY_MAGIC "fclb"

typedef enum section_id {
#define SECTION(e, name, required, since, contents) SECTION_##e,
#include "serialize/binary/binary.def"
#undef SECTION
    SECTION_COUNT
} section_id;

enum { SECTION_REQUIRED = 1 }; /* flag */

enum { PROPERTY_REQUIRED = 1 }; /* flag of a property */

/* Operators that came later than this version have their shapes in the file (section `operators`),
 * as readers that do not know them may know the others. */
enum { SHAPES_AFTER = 4 };

typedef enum type_form {
#define FORM(e, wire, name, since, entry) FORM_##e = wire,
#include "serialize/binary/binary.def"
#undef FORM
} type_form;

typedef enum literal_form {
#define LITERAL(e, wire, name, since, value) LITERAL_##e = wire,
#include "serialize/binary/binary.def"
#undef LITERAL
} literal_form;

/* What a level is counted from. */
enum {
#define BASE(e, wire, name, since, index) BASE_##e = wire,
#include "serialize/binary/binary.def"
#undef BASE
};

/* What a type or level parameter is. */
enum {
#define PARAMETER(e, wire, name, since) PARAMETER_##e = wire,
#include "serialize/binary/binary.def"
#undef PARAMETER
    PARAMETER_COUNT
};

/* A level is one number, (index * LEVEL_OFFSETS + offset) * LEVEL_BASES + base: what it is counted
 * from, how many levels it is above that, and which parameter or binder that is. */
enum { LEVEL_BASES = 4, LEVEL_OFFSETS = 256 };

enum { FUNCTION_KERNEL = 1 }; /* flag of a function */

/* Whether the code says how many operands an operation has: only where the operator leaves that
 * open. */
static inline bool has_operand_count(const op_info *info)
{
    return info->min_args != info->max_args;
}

#endif
