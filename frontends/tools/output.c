/* Output files that are whole or not there: see output.h.  The usual way: a temporary file in the
 * same directory (so on the same file system), then rename, which POSIX makes atomic. */
#define _XOPEN_SOURCE 700
#include "frontends/tools/output.h"

#include "frontends/tools/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reports what errno says. */
static bool failed(report *r, const output *out, const char *what)
{
    return report_error(r, TD_FILE_WRITE,
                        (report_place){.file = out->file == stdout ? "<stdout>" : out->path}, NULL,
                        "cannot %s: %s", what, strerror(errno));
}

/* The permissions of the file that is replaced, or those that a new file gets. */
static mode_t mode_for(const struct stat *old)
{
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* How many bytes of a path are its folder, the slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Its name is its own, since that of the target may be as long as names can be.  Also after a
 * failure, out->temporary names what is to be removed. */
static bool open_temporary(output *out, const struct stat *old)
{
    string name = {0};
    string_add(&name, out->target, folder_length(out->target));
    string_addf(&name, ".fcl-XXXXXX");
    int fd = mkstemp(name.at);
    if (fd < 0) {
        string_free(&name);
        return false;
    }
    out->temporary = name.at;
    if (fchmod(fd, mode_for(old)) == 0 && (out->file = fdopen(fd, "wb")))
        return true;
    int error = errno;
    close(fd);
    errno = error;
    return false;
}

/* Whether the file is what the descriptor has open: /dev/stdout, or the file that it is directed
 * to.  Replacing such a file would lose what else is written there, so it is written through the
 * descriptor. */
static bool is_open_as(int descriptor, const struct stat *file)
{
    struct stat st;
    return fstat(descriptor, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* A stream of its own for an open descriptor, which may be closed without closing that. */
static FILE *open_again(int descriptor)
{
    int copy = dup(descriptor);
    return copy < 0 ? NULL : fdopen(copy, "wb");
}

/* Where the symbolic link leads, as a path that can be opened from here; NULL when it is none. */
static char *link_target(const char *path)
{
    char to[PATH_MAX];
    string name = {0};
    ssize_t n = readlink(path, to, sizeof to);
    if (n <= 0 || (size_t)n == sizeof to)
        return NULL;
    if (to[0] != '/')
        string_add(&name, path, folder_length(path));
    string_add(&name, to, (size_t)n);
    return name.at;
}

/* The file that a link leads to is replaced, not the link, and made there when it does not exist.
 * NULL for links that lead nowhere. */
static char *follow_links(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *real = realpath(path, NULL), *next;
    if (real)
        return real;
    real = tool_strndup(path, strlen(path));
    for (int i = 0; (next = link_target(real)); i++) {
        free(real);
        real = next;
        if (i < MOST_LINKS)
            continue;
        free(real);
        errno = ELOOP;
        return NULL;
    }
    return real;
}

/* Makes the contents last before the name does, so that a machine that stops has the old file or
 * the new one.  Not every file system can. */
static bool keep(FILE *f)
{
    return fsync(fileno(f)) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS;
}

/* Standard output and whatever it is directed to; devices, pipes and what standard error has open;
 * files that exist but may not be written; and the usual case, last. */
bool output_open(report *r, const char *path, output *out)
{
    *out = (output){.path = path};
    if (strcmp(path, "-") == 0) {
        out->file = stdout;
        return true;
    }
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && is_open_as(STDOUT_FILENO, &st)) {
        out->file = stdout;
        return true;
    }
    if (exists && (!S_ISREG(st.st_mode) || is_open_as(STDERR_FILENO, &st))) {
        out->file = S_ISREG(st.st_mode) ? open_again(STDERR_FILENO) : fopen(path, "wb");
        return out->file || failed(r, out, "open the file");
    }
    if (exists && access(path, W_OK) != 0)
        return failed(r, out, "write the file");
    out->target = follow_links(path);
    return (out->target && open_temporary(out, exists ? &st : NULL)) ||
           failed(r, out, "create a file in its directory");
}

/* Errors of writing show here at the latest: nothing asks for them before. */
bool output_close(report *r, output *out)
{
    FILE *f = out->file;
    bool ok = fflush(f) == 0 && !ferror(f) && (!out->temporary || keep(f));
    if (!ok)
        failed(r, out, "write");
    if (f != stdout && fclose(f) != 0 && ok)
        ok = failed(r, out, "write");
    out->file = NULL;
    return ok;
}

bool output_commit(report *r, output *out)
{
    if (out->temporary && rename(out->temporary, out->target) != 0)
        return failed(r, out, "replace the file");
    free(out->temporary);
    out->temporary = NULL;
    output_discard(out);
    return true;
}

void output_discard(output *out)
{
    if (out->file && out->file != stdout)
        fclose(out->file);
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->target);
    *out = (output){0};
}

/* After output_commit there is nothing left to discard. */
bool output_write(report *r, const char *path, const void *data, size_t n)
{
    output out;
    bool ok = output_open(r, path, &out);
    if (ok) {
        fwrite(data, 1, n, out.file);
        ok = output_close(r, &out) && output_commit(r, &out);
    }
    output_discard(&out);
    return ok;
}
