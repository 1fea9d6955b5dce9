/* Looking up quirks: see quirks.h. */
#include "backends/quirks.h"

#include <stdlib.h>
#include <string.h>

/* A driver, or with an empty platform a quirk alone. */
typedef struct row {
    const char *name, *platform;
    long major, minor;
    uint32_t quirks;
} row;

static const row rows[] = {
#define DRIVER(name, platform, major, minor, quirks) {name, platform, major, minor, quirks},
#include "backends/quirks.def"
#undef DRIVER
#define QUIRK(e, bit, name, meaning) {name, "", 0, 0, QUIRK_##e},
#include "ir/kernel/quirks.def"
#undef QUIRK
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Whether a version is at most the row's; one without numbers is taken for newer. */
static bool is_covered(const row *r, const char *version)
{
    char *end;
    long major = strtol(version, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return end != version && (major < r->major || (major == r->major && minor <= r->minor));
}

uint32_t quirks_of_driver(const char *platform, const char *version)
{
    uint32_t quirks = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (*rows[i].platform &&
            strcmp(platform, rows[i].platform) == 0 && is_covered(&rows[i], version))
            quirks |= rows[i].quirks;
    return quirks;
}

static bool add_named(const char *name, size_t len, uint32_t *quirks)
{
    if (len == strlen("none") && strncmp(name, "none", len) == 0)
        return true;
    for (uint32_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == len && strncmp(name, rows[i].name, len) == 0) {
            *quirks |= rows[i].quirks;
            return true;
        }
    return false;
}

bool quirks_named(const char *list, uint32_t *quirks)
{
    *quirks = 0;
    for (;;) {
        size_t len = strcspn(list, ",");
        if (!add_named(list, len, quirks))
            return false;
        if (!list[len])
            return true;
        list += len + 1;
    }
}

quirk_row quirk_at(uint32_t i)
{
    static const quirk_row all[] = {
#define QUIRK(e, bit, name, meaning) {name, QUIRK_##e},
#include "ir/kernel/quirks.def"
#undef QUIRK
        {NULL, 0}};
    enum { COUNT = sizeof all / sizeof *all - 1 };
    return all[i < COUNT ? i : COUNT];
}

const char *quirks_driver(uint32_t quirks)
{
    for (uint32_t i = 0; i < ROWS; i++)
        if (*rows[i].platform && rows[i].quirks == quirks)
            return rows[i].name;
    return NULL;
}

const char *quirks_name(uint32_t i)
{
    return i < ROWS ? rows[i].name : NULL;
}
