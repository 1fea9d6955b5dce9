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

enum {
#define BASE(e, wire, name, since, index) BASE_##e = wire,
#include "serialize/binary/binary.def"
#undef BASE
};

enum {
#define PARAMETER(e, wire, name, since) PARAMETER_##e = wire,
#include "serialize/binary/binary.def"
#undef PARAMETER
    PARAMETER_COUNT
};

/* A level is one number: its base, how many levels it is above it, and the base's index. */
enum { LEVEL_BASES = 4, LEVEL_OFFSETS = 256 };

enum { FUNCTION_KERNEL = 1 }; /* flag of a function */

/* What an operation's number of operands and a region's number of parameters are known from. */
static inline bool has_operand_count(const op_info *info)
{
    return info->min_args != info->max_args;
}

#endif
