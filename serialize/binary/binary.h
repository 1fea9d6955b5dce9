/* The binary form (.fclb) of the core: reading it into a module, writing a module, and a hash of
 * what a module means.
 *
 * docs/format.md is the specification.  A file is one MessagePack array; its sections are blocks of
 * bytes, each MessagePack again.  Reading is one pass over the bytes with a cursor that checks
 * every access, and builds no tree in between; writing is one pass over the module.  Both take time
 * and memory in proportion to what is there. */
#ifndef FCL_SERIALIZE_BINARY_H
#define FCL_SERIALIZE_BINARY_H

#include "serialize/text/text.h"

/* Whether the bytes begin like a file in binary form. */
bool binary_is(const char *data, size_t size);

/* Whether a section of that name is one of the library's own.  binary/sections.c */
bool binary_knows_section(const char *name);

/* Reads a module, as text_read does.  The first mistake that makes the rest meaningless ends the
 * reading. */
bool binary_read(ir_module *m, const char *name, const char *data, size_t size,
                 text_import_fn *import, void *user);

/* Appends the module's file to *out, in a version of the format (major * 100 + minor); `producer`
 * says who writes.  False with a report when the module is not valid or does not fit that version.
 * The file states that version: who has no wish passes version_needed. */
bool binary_write(ir_module *m, uint32_t version, const char *producer, vec_char *out);

/* The same of the module with the functions of its imports that it reaches: what they mean, with
 * the locations that were given; places in the texts that they were read from are not in it. */
bool binary_write_linked(ir_module *m, vec_char *out);

/* SHA-256 of the required sections as binary_write makes them of the module with the functions of
 * its imports that it reaches: equal for modules that mean the same in the same order, whatever
 * their names of values, locations, attributes, hints and unknown sections. */
bool binary_hash(ir_module *m, unsigned char digest[32]);

#endif
