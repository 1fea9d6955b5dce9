/* The values of an artifact's file, one by one: what it holds is told by its bytes, so that every
 * form that is made of them has the same keys and values. */
#include "libfcl/artifact/artifact.h"
#include "libfcl/face.h"
#include "serialize/coding/cursor.h"

#include <string.h>

/* Lists and maps: their elements come next. */
static bool take_head(cursor *c, fcl_item *out)
{
    uint32_t n;
    if (bin_cursor_map(c, &n))
        *out = (fcl_item){.kind = FCL_ITEM_MAP, .n = n};
    else if (bin_cursor_array(c, &n))
        *out = (fcl_item){.kind = FCL_ITEM_LIST, .n = n};
    else
        return false;
    return true;
}

static bool take_block(cursor *c, fcl_item *out)
{
    uint32_t n;
    const char *s;
    if (bin_cursor_str(c, &s, &n))
        *out = (fcl_item){.kind = FCL_ITEM_TEXT, .n = n, .data = s};
    else if (bin_cursor_bin(c, &s, &n))
        *out = (fcl_item){.kind = FCL_ITEM_BYTES, .n = n, .data = s};
    else
        return false;
    return true;
}

static bool take_number(cursor *c, fcl_item *out)
{
    uint64_t bits;
    int64_t number;
    bool truth;
    if (bin_cursor_u64(c, &bits)) {
        *out = (fcl_item){.kind = FCL_ITEM_UNSIGNED, .number = bits};
    } else if (bin_cursor_i64(c, &number)) {
        *out = (fcl_item){.kind = FCL_ITEM_SIGNED, .number = (uint64_t)number};
    } else if (bin_cursor_bool(c, &truth)) {
        *out = (fcl_item){.kind = FCL_ITEM_BOOL, .number = truth};
    } else if (bin_cursor_f64(c, &bits)) {
        *out = (fcl_item){.kind = FCL_ITEM_FLOAT};
        memcpy(&out->real, &bits, sizeof bits);
    } else {
        return false;
    }
    return true;
}

static bool take(cursor *c, fcl_item *out)
{
    return take_block(c, out) || take_number(c, out) || take_head(c, out);
}

bool fcl_artifact_items(fcl_artifact *a, fcl_item_fn *see, void *user)
{
    if (!a)
        return false;
    if (!see)
        return face_given(a->cx, NULL, __func__, "see");
    size_t size;
    char *file = fcl_artifact_save(a, &size);
    const unsigned char *bytes = (const unsigned char *)file;
    cursor c = {.p = bytes, .end = bytes + (file ? size : 0)};
    bool ok = file != NULL;
    fcl_item item;
    while (ok && c.p < c.end)
        ok = take(&c, &item) && see(user, &item);
    if (file)
        fcl_free(a->cx, file, size);
    return ok;
}
