/* The scalar operators as front ends see them: rows of ir/scalars.def. */
#include "libfcl/face.h"

static char operand_letter(const op_info *info)
{
    switch (info->operands) {
    case CLASS_NUM: return 'N';
    case CLASS_INT: return 'I';
    case CLASS_FLT: return 'F';
    case CLASS_BIT: return 'B';
    case CLASS_BOOL: return 'L';
    case CLASS_SEL: return 'S';
    default: return 'A';
    }
}

bool fcl_operator_get(size_t i, fcl_operator *out)
{
    for (uint32_t code = 1; code < SOP_END; code++) {
        const op_info *info = ir_op_info(code);
        if (!info->name || i--)
            continue;
        *out = (fcl_operator){info->name, info->min_args, operand_letter(info),
                              info->result_bool != 0, info->formula};
        return true;
    }
    return false;
}
