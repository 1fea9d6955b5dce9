/* The input of a program, and the imports of a module. */
#ifndef FCL_TOOLS_INPUT_H
#define FCL_TOOLS_INPUT_H

#include "frontends/tools/report/files.h"
#include "frontends/tools/report/report.h"

enum { INPUT_MODULE_LIMIT = 1 << 28 }; /* bytes of a module's text */

/* Reads a file, or standard input for "-", of at most `limit` bytes.  False after a report. */
bool input_read(report *r, const char *path, size_t limit, input *out);

/* Finds `import "name"` as name.fclir beside the importing file, and a name with a point in it as
 * it is. */
typedef struct importer {
    const char *beside;  /* the path of the importing file */
    const char *prelude; /* the file that stands for "prelude.fcl", or NULL */
    fcl_lang lang;       /* of what imports */
    input *read;         /* what was imported so far */
    size_t count;
} importer;

/* The text of an import, which lives until importer_free; `user` is an importer. */
bool importer_find(void *user, const char *name, const char **text,
                   size_t *size); /* an fcl_import_fn */
void importer_free(importer *im);

/* How text is read: what it is, and of FCL source the declaration that becomes the kernel, and the
 * file with the prelude; NULL: the usual. */
typedef struct module_options {
    const char *entry, *prelude;
    fcl_lang lang;
} module_options;

/* Reads the module of a file's text (or of a part of it).  NULL after a report. */
fcl_module *module_load(report *r, const module_options *how, const char *path, const char *name,
                        const char *data, size_t size);

#endif
