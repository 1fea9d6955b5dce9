/* Colouring of diagnostics: see color.h.  The text is the library's; what each line is shows from
 * how it begins, and the bytes of it stay as they are between the colours. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/report/color.h"

#include "frontends/tools/report/form.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESET   "\033[0m"
#define BOLD    "\033[1m"
#define RED     "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define CYAN    "\033[1;36m"
#define GREEN   "\033[1;32m"

bool color_wanted(color_when when, FILE *to)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    return isatty(fileno(to)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static const char *color_of(fcl_severity s)
{
    return s == FCL_ERROR ? RED : s == FCL_WARNING ? MAGENTA : CYAN;
}

static void put(FILE *to, const char *color, const char *at, size_t n)
{
    if (n)
        fprintf(to, "%s%.*s%s", color, (int)n, at, RESET);
}

/* Where `word` begins: at the start of the line, or behind a position. */
static const char *find(const char *line, size_t n, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= n; i++)
        if (memcmp(line + i, word, len) == 0 &&
            (i == 0 || (i > 1 && line[i - 1] == ' ' && line[i - 2] == ':')))
            return line + i;
    return NULL;
}

/* POSITION: error[E0203]: message */
static void put_head(FILE *to, fcl_severity severity, const char *line, size_t n)
{
    const char *word = find(line, n, report_severity(severity));
    const char *colon = word ? memchr(word, ':', n - (size_t)(word - line)) : NULL;
    if (!colon) {
        put(to, BOLD, line, n);
        return;
    }
    put(to, BOLD, line, (size_t)(word - line));
    put(to, color_of(severity), word, (size_t)(colon + 1 - word));
    put(to, BOLD, colon + 1, n - (size_t)(colon + 1 - line));
}

/* The line below a line of the source: nothing but blanks and the mark. */
static bool is_caret(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '|'))
        i++;
    if (i == n || line[i] != '^')
        return false;
    while (i < n && (line[i] == '^' || line[i] == '~'))
        i++;
    return i == n;
}

/* A line after the first: of the source, a mark, a note or the help. */
static void put_line(FILE *to, const char *line, size_t n)
{
    static const char help[] = "help:";
    size_t len = sizeof help - 1;
    if (is_caret(line, n)) {
        put(to, GREEN, line, n);
    } else if (n >= len && memcmp(line, help, len) == 0) {
        put(to, CYAN, line, len);
        fwrite(line + len, 1, n - len, to);
    } else if (line[0] != ' ' && find(line, n, "note: ")) {
        put_head(to, FCL_NOTE, line, n);
    } else {
        fwrite(line, 1, n, to);
    }
}

void color_put(FILE *to, fcl_severity severity, const char *rendered)
{
    for (const char *line = rendered; *line;) {
        size_t n = strcspn(line, "\n");
        if (line == rendered)
            put_head(to, severity, line, n);
        else if (n)
            put_line(to, line, n);
        line += n;
        if (*line)
            fputc(*line++, to);
    }
}
