#!/bin/sh
# A translator for FCL_SPIRV_TRANSLATOR: llvm-spirv, and then clang's simplest optimisations.  PoCL 3.1 gets some loops with
# barriers wrong whose control flow is as SPIR-V has it; it expects what clang makes of OpenCL C.
#   translate.sh -r IN -o OUT
${LLVM_SPIRV:-llvm-spirv-15} -r "$2" -o "$4.plain" &&
    ${CLANG:-clang-15} -x ir -O1 -target spir64 -Wno-override-module -emit-llvm -c "$4.plain" -o "$4"
status=$?
rm -f "$4.plain"
exit $status
