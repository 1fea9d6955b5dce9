/* Files of tuned numbers: see record.h.  A line with the checksum of what stands behind it, then JSON. */
#include "frontends/tools/tune/record.h"

#include "frontends/tools/output.h"
#include "frontends/tools/report/files.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_BYTES = 1 << 20, HEAD_LENGTH = 22 };

/* The first line: "fcl tuned 1 xxxxxxxx\n" with the checksum, CRC-32 of all bytes behind the line, in eight digits. */
static const char head[] = "fcl tuned 1 ";

static uint32_t checksum(const char *s, size_t n)
{
    return (uint32_t)crc32(crc32(0, NULL, 0), (const unsigned char *)s, (uInt)n);
}

static void write_head(string *out, const char *body, size_t n)
{
    string_addf(out, "%s%08x\n", head, (unsigned)checksum(body, n));
}

char *record_path(const char *program)
{
    string path = {0};
    if (strcmp(program, "-") == 0)
        return NULL;
    string_addf(&path, "%s.tuned", program);
    return path.at;
}

bool record_is_there(const char *path)
{
    FILE *f = fopen(path, "rb");
    bool there = f || errno != ENOENT;
    if (f)
        fclose(f);
    return there;
}

bool record_key_of(fcl_module *m, const char *entry, const fcl_device *d, record_key *out)
{
    unsigned char digest[32];
    const char *about = fcl_device_about(d);
    if (!fcl_module_hash(m, digest))
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out->program + 2 * i, 3, "%02x", (unsigned)digest[i]);
    out->entry = entry;
    out->device = about ? about : "";
    return true;
}

/* ---- reading ---- */

static bool damaged(report *r, const char *path, const char *why)
{
    return report_error(r, TD_TUNED, (report_place){.file = path},
                        "delete it and run `fclc tune` again, or leave it out with --no-tuned",
                        "this file of tuned numbers %s", why);
}

/* Of a file that begins as it should and is whole, the JSON; NULL after a report. */
static cJSON *parse(report *r, const char *path, const input *in)
{
    string first = {0};
    cJSON *all = NULL;
    if (in->size < HEAD_LENGTH - 1 || strncmp(in->data, head, strlen(head)) != 0) {
        damaged(r, path, "does not begin like one of this version");
        return NULL;
    }
    const char *body = in->data + strcspn(in->data, "\n");
    body += *body == '\n';
    size_t n = in->size - (size_t)(body - in->data);
    write_head(&first, body, n);
    if ((size_t)(body - in->data) != first.len || memcmp(in->data, first.at, first.len) != 0)
        damaged(r, path, "is damaged: its checksum is wrong");
    else if (!(all = cJSON_ParseWithLength(body, n)) || !cJSON_IsArray(all))
        damaged(r, path, "holds no list of records");
    string_free(&first);
    if (all && !cJSON_IsArray(all)) {
        cJSON_Delete(all);
        all = NULL;
    }
    return all;
}

/* The records, none where there is no such file; NULL after a report. */
static cJSON *read_records(report *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f && errno == ENOENT)
        return cJSON_CreateArray();
    input in = {0};
    read_result got = f ? input_read_all(f, MOST_BYTES, &in) : READ_FAILED;
    cJSON *all = NULL;
    if (got == READ_OK)
        all = parse(r, path, &in);
    else if (got == READ_LARGE)
        damaged(r, path, "is larger than one can be");
    else
        report_error(r, TD_FILE_READ, (report_place){.file = path}, NULL, "cannot read it: %s",
                     strerror(errno));
    if (f)
        fclose(f);
    input_free(&in);
    return all;
}

static bool has_text(const cJSON *of, const char *key, const char *text)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(of, key));
    return value && strcmp(value, text) == 0;
}

/* Of the same library as well: another one makes other code of the same numbers. */
static bool is_for(const cJSON *item, const record_key *key)
{
    return has_text(item, "program", key->program) && has_text(item, "entry", key->entry) &&
           has_text(item, "device", key->device) && has_text(item, "library", fcl_version());
}

bool record_find(report *r, const char *path, const record_key *key, char **tuning)
{
    cJSON *all = read_records(r, path);
    const cJSON *item;
    *tuning = NULL;
    cJSON_ArrayForEach(item, all)
    {
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "tuning"));
        if (!*tuning && text && is_for(item, key))
            *tuning = tool_strndup(text, strlen(text));
    }
    bool ok = all != NULL;
    cJSON_Delete(all);
    return ok;
}

/* ---- writing ---- */

static cJSON *item_of(const record *what)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "program", what->key.program);
    cJSON_AddStringToObject(item, "entry", what->key.entry);
    cJSON_AddStringToObject(item, "device", what->key.device);
    cJSON_AddStringToObject(item, "library", fcl_version());
    cJSON_AddStringToObject(item, "tuning", what->tuning);
    cJSON_AddStringToObject(item, "measure", what->measure);
    cJSON_AddNumberToObject(item, "cost", what->cost);
    return item;
}

/* An older record of the key, also one of another version of the library, makes place. */
static void drop_older(cJSON *all, const record_key *key)
{
    for (int i = cJSON_GetArraySize(all); i-- > 0;) {
        const cJSON *item = cJSON_GetArrayItem(all, i);
        if (has_text(item, "program", key->program) && has_text(item, "entry", key->entry) &&
            has_text(item, "device", key->device))
            cJSON_DeleteItemFromArray(all, i);
    }
}

bool record_keep(report *r, const char *path, const record *what)
{
    cJSON *all = read_records(r, path);
    if (!all)
        return false;
    drop_older(all, &what->key);
    cJSON_AddItemToArray(all, item_of(what));
    char *body = cJSON_Print(all);
    string text = {0};
    bool ok = body != NULL;
    if (ok) {
        string line = {0};
        string_addf(&line, "%s\n", body);
        write_head(&text, line.at, line.len);
        string_add(&text, line.at, line.len);
        ok = output_write(r, path, text.at, text.len);
        string_free(&line);
    }
    string_free(&text);
    free(body);
    cJSON_Delete(all);
    return ok;
}
