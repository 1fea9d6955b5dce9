/* The text form (.fclir) of the core: reading it into a module and writing a module as text.
 *
 * The grammar is in docs/format.md.  Reading reports every error of the text in one run, each with
 * its place, into the context's diagnostics.  Writing prints the canonical form: reading that back
 * gives the same module, names included.
 */
#ifndef FCL_SERIALIZE_TEXT_H
#define FCL_SERIALIZE_TEXT_H

#include "serialize/version.h"

/* Finds the text of an import by its name; false when there is none.  The text is copied before the
 * next call. */
typedef bool text_import_fn(void *user, const char *name, const char **text, size_t *size);

/* Reads a module; `name` is what diagnostics call the text.  False when there were errors: all of
 * them are reported then. `m` is initialised by the caller, and released by the caller in either
 * case.  import may be NULL: any import is an error then. */
bool text_read(ir_module *m, const char *name, const char *text, size_t size,
               text_import_fn *import, void *user);

/* Makes the functions of an import known to a module, as the line `import "NAME"` at `loc` would.
 */
bool text_import(ir_module *m, const char *import_name, text_import_fn *import, void *user,
                 location loc);

/* Appends the module's text.  Names that cannot be printed as they are (clashes, characters that no
 * name has) are changed, those of type and level parameters in the module too.  False when memory
 * is short or regions nest deeper than the limit. */
bool text_write(ir_module *m, vec_char *out);
/* The same, under a version (major * 100 + minor) that has all of it. */
bool text_write_as(ir_module *m, uint32_t version, vec_char *out);

/* text_write; places[ON_FUNC] and places[ON_OP] tell by id where the name of a function or operator
 * stands: 1 + its offset. */
bool text_write_places(ir_module *m, vec_char *out, vec_u32 places[3]);

/* The names that text_write prints values with: by value, a name, or NAME_NUMBER + n
 * (text/print_names.h) for an unnamed one. */
bool text_names(ir_module *m, vec_u32 *names);

#endif
