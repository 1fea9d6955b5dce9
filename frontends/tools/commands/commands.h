/* The commands of fclc.  Each returns the program's exit status; its arguments were counted by the
 * dispatcher. */
#ifndef FCL_TOOLS_COMMANDS_H
#define FCL_TOOLS_COMMANDS_H

#include "frontends/tools/options.h"

int cmd_check(const options *o, const char *const *args, size_t n);
int cmd_compile(const options *o, const char *const *args, size_t n);
int cmd_join(const options *o, const char *const *args, size_t n);
int cmd_run(const options *o, const char *const *args, size_t n);
int cmd_tune(const options *o, const char *const *args, size_t n);
int cmd_targets(const options *o, const char *const *args, size_t n);
int cmd_devices(const options *o, const char *const *args, size_t n);
int cmd_explain(const options *o, const char *const *args, size_t n);

#endif
