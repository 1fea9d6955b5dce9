/* What a module carries beside its program, through the public interface: properties,
 * attributes and sections.
 *
 * Calls that change something check what they are given as the builder's do, and break the module
 * where it is wrong. */
#include "libfcl/core/core.h"

#include "ir/properties.h"
#include "serialize/binary/binary.h"
#include "ir/base/utf8.h"

#include <string.h>

/* Its subject in the core; the module's, kind ON_MODULE, for what does not exist, which is reported
 * by *known. */
static subject core_subject(const fcl_module *m, fcl_subject of, bool *known)
{
    const ir_module *ir = &m->ir;
    of.value = id_inside(m->stretch, ID_VALUE, of.value);
    of.function = id_inside(m->stretch, ID_FUNC, of.function);
    if (of.value) {
        const value_node *v = &ir->values.at[of.value < ir->values.len ? of.value : 0];
        *known = v->kind == V_RESULT;
        return (subject){ON_OP, *known ? v->def : 0};
    }
    *known = of.function < ir->funcs.len;
    return (subject){of.function ? ON_FUNC : ON_MODULE, of.function};
}

static bool given(fcl_module *m, str_id s, bool may_be_empty)
{
    if (!s && !may_be_empty && !m->ir.cx->mem.oom)
        core_refuse(m, "the key of an attribute and the name of a section are not empty");
    return !m->ir.cx->mem.oom && (s || may_be_empty);
}

/* What is set: interned, and on what; false, the module being broken, where it cannot be. */
static bool taken(fcl_module *m, fcl_subject of, const fcl_attribute *a, subject *s, attribute *x)
{
    intern *strings = &m->ir.cx->strings;
    bool known;
    *s = core_subject(m, of, &known);
    if (m->broken)
        return false;
    if (!a || !a->key) {
        core_refuse(m, "an attribute has a key: it is NULL");
        return false;
    }
    if (!known) {
        core_refuse(m,
                    "an attribute is set on what is no function and no result of an operation of "
                    "this module");
        return false;
    }
    *x = (attribute){
        .key = intern_cstr(strings, a->key), .is_text = a->text != NULL, .number = a->number};
    if (a->text)
        x->text = intern_add(strings, a->text, a->size);
    return given(m, x->key, false) && given(m, x->text, true);
}

static void set(fcl_module *m, attributes *into, subject s, attribute x)
{
    m->broken = !ir_attr_set(&m->ir.cx->mem, into, s, x) || m->broken;
}

static bool get(const fcl_module *m, const attributes *from, fcl_subject of, size_t i,
                fcl_attribute *out, size_t size)
{
    bool known;
    subject s = core_subject(m, of, &known);
    return known && core_attribute(m, from, s, i, out, size);
}

void fcl_attribute_set(fcl_module *m, fcl_subject of, const fcl_attribute *a)
{
    if (!m)
        return;
    subject s;
    attribute x;
    if (taken(m, of, a, &s, &x))
        set(m, &m->ir.attrs, s, x);
    else
        m->broken = true;
}

bool fcl_attribute_get(const fcl_module *m, fcl_subject of, size_t i, fcl_attribute *out,
                       size_t size)
{
    if (!m)
        return false;
    return get(m, &m->ir.attrs, of, i, out, size);
}

/* ---- properties ---- */

static bool property_fits(fcl_module *m, const fcl_attribute *a, subject_kind on)
{
    const property_info *p = ir_property_info(ir_property_named(a->key));
    if (!p->key && !strchr(a->key, '.'))
        core_refuse(m, "no property has this key, and one of your own has a dot in it");
    else if (ir_property_wrong(p, on, a->text != NULL))
        core_refuse(m, "the property does not belong there, or its value is of another form");
    return !m->broken;
}

void fcl_property_set(fcl_module *m, fcl_subject of, const fcl_attribute *a)
{
    if (!m)
        return;
    subject s;
    attribute x;
    if (taken(m, of, a, &s, &x) && property_fits(m, a, s.kind))
        set(m, &m->ir.props, s, x);
    else
        m->broken = true;
}

bool fcl_property_get(const fcl_module *m, fcl_subject of, size_t i, fcl_attribute *out,
                      size_t size)
{
    if (!m)
        return false;
    return get(m, &m->ir.props, of, i, out, size);
}

void fcl_section_add(fcl_module *m, const char *name, const void *data, size_t size)
{
    if (!m)
        return;
    intern *strings = &m->ir.cx->strings;
    if (m->broken)
        return;
    if (!name || (size && !data)) {
        core_refuse(m, "a section has a name and bytes: one of them is NULL");
        return;
    }
    if (binary_knows_section(name) || !utf8_is_valid(name, strlen(name))) {
        core_refuse(m, "a section has a name in UTF-8 that is none of the library's own");
        return;
    }
    section_node s = {.name = intern_cstr(strings, name),
                      .body = size ? intern_add(strings, data, size) : 0};
    if (!given(m, s.name, false) || !given(m, s.body, true) ||
        !vec_push(&m->ir.cx->mem, &m->ir.sections, s))
        m->broken = true;
}

bool fcl_section_get(const fcl_module *m, size_t i, const char **name, const void **data,
                     size_t *size)
{
    if (!m || !name || !data || !size || i >= m->ir.sections.len)
        return false;
    const section_node *s = &m->ir.sections.at[i];
    *name = ir_str(&m->ir, s->name);
    *data = ir_str(&m->ir, s->body);
    *size = intern_len(&m->ir.cx->strings, s->body);
    return true;
}
