/* What is made of what OpenCL says of a device: only devices that are pretended here have shuffles.
 */
#include "backends/opencl/opencl.h"
#include "backends/quirks.h"
#include "backends/run/opencl/api.h"

#include <check.h>
#include <string.h>

typedef struct pretended {
    const char *extensions;
    cl_device_type type;
    cl_uint major, warp;
    size_t sizes[4];
} pretended;

static const pretended *device;

static cl_int give(const void *from, size_t n, size_t size, void *to, size_t *needed)
{
    if (needed)
        *needed = n;
    if (to && size < n)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, from, n);
    return CL_SUCCESS;
}

static cl_int pretended_info(cl_device_id id, cl_device_info what, size_t size, void *to,
                             size_t *needed)
{
    (void)id;
    switch (what) {
    case CL_DEVICE_EXTENSIONS:
        return give(device->extensions, strlen(device->extensions) + 1, size, to, needed);
    case CL_DEVICE_TYPE: return give(&device->type, sizeof device->type, size, to, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return give(&(size_t){1024}, sizeof(size_t), size, to, needed);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return give(&(cl_ulong){49152}, sizeof(cl_ulong), size, to, needed);
    case 0x4000:
        return device->major ? give(&device->major, sizeof(cl_uint), size, to, needed)
                             : CL_INVALID_VALUE;
    case 0x4003:
        return device->warp ? give(&device->warp, sizeof(cl_uint), size, to, needed)
                            : CL_INVALID_VALUE;
    case 0x4108: return give(device->sizes, sizeof device->sizes, size, to, needed);
    default: return CL_INVALID_VALUE;
    }
}

static run_caps caps_of(const pretended *d)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    device = d;
    run_caps caps = opencl_caps(&cx.mem, &(opencl_api){.clGetDeviceInfo = pretended_info}, NULL);
    context_release(&cx);
    return caps;
}

static opencl_dialect best(const pretended *d)
{
    run_caps caps = caps_of(d);
    ck_assert_uint_eq(caps.facts.max_block, 1024);
    ck_assert_uint_eq(caps.facts.local_bytes, 49152);
    ck_assert(!caps.facts.f64 && !caps.facts.lanes && !caps.facts.warps_wait);
    ck_assert(caps.ways.can & 1u << OPENCL_PLAIN && caps.ways.can & 1u << caps.ways.best);
    ck_assert(!caps.ways.best || !caps.lane_sizes || caps.lane_sizes & 32);
    return (opencl_dialect)caps.ways.best;
}

#define NVIDIA    "cl_khr_icd cl_nv_compiler_options cl_nv_device_attribute_query cl_khr_fp64"
#define SUBGROUPS "cl_khr_subgroups cl_khr_subgroup_shuffle"

START_TEST(exchange_of_devices)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU, cpu = CL_DEVICE_TYPE_CPU;
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 9, 32, {0}}), OPENCL_PTX);
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 7, 32, {0}}), OPENCL_PTX);
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 6, 32, {0}}), OPENCL_PLAIN);
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 0, 0, {0}}), OPENCL_PLAIN);
    ck_assert_int_eq(best(&(pretended){"cl_nv_device_attribute_query2", gpu, 9, 32, {0}}),
                     OPENCL_PLAIN);
    ck_assert_int_eq(best(&(pretended){"", gpu, 9, 32, {0}}), OPENCL_PLAIN);
    ck_assert_int_eq(best(&(pretended){SUBGROUPS, gpu, 0, 0, {8, 16, 32}}), OPENCL_PLAIN);
    ck_assert_int_eq(
        best(&(pretended){SUBGROUPS " cl_intel_required_subgroup_size", gpu, 0, 0, {8, 16, 32}}),
        OPENCL_SUBGROUPS);
    ck_assert_int_eq(
        best(&(pretended){SUBGROUPS " cl_intel_required_subgroup_size", gpu, 0, 0, {8, 16, 64}}),
        OPENCL_PLAIN);
    ck_assert_int_eq(
        best(&(pretended){SUBGROUPS " cl_intel_required_subgroup_size", cpu, 0, 0, {8, 16, 32}}),
        OPENCL_PLAIN);
}
END_TEST

/* A CPU with subgroups has them for who asks, in each of its sizes that is a power of two. */
START_TEST(subgroups_of_devices)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU, cpu = CL_DEVICE_TYPE_CPU;
    const char *all = SUBGROUPS " cl_intel_required_subgroup_size";
    run_caps caps = caps_of(&(pretended){all, cpu, 0, 0, {8, 12, 32}});
    ck_assert_uint_eq(caps.lane_sizes, 8 | 32);
    ck_assert_uint_eq(caps.ways.can, 1u << OPENCL_PLAIN | 1u << OPENCL_SUBGROUPS);
    caps = caps_of(&(pretended){all, gpu, 0, 0, {16}});
    ck_assert_uint_eq(caps.lane_sizes, 16);
    ck_assert_uint_eq(caps.ways.can, 1u << OPENCL_PLAIN | 1u << OPENCL_SUBGROUPS);
    ck_assert_uint_eq(caps.spirv_ways.can, 1); /* it takes no SPIR-V */
    caps = caps_of(&(pretended){SUBGROUPS, gpu, 0, 0, {8, 16, 32}});
    ck_assert_uint_eq(caps.lane_sizes, 0);
    ck_assert_uint_eq(caps.ways.can, 1u << OPENCL_PLAIN);
}
END_TEST

START_TEST(atomic_steps_of_devices)
{
    ck_assert(caps_of(&(pretended){"cl_khr_fp64 cl_khr_int64_base_atomics", 0, 0, 0, {0}})
                  .facts.atomics64);
    ck_assert(
        !caps_of(&(pretended){"cl_khr_int64_extended_atomics", 0, 0, 0, {0}}).facts.atomics64);
    ck_assert(!caps_of(&(pretended){"", 0, 0, 0, {0}}).facts.atomics64);
}
END_TEST

START_TEST(quirks_of_drivers)
{
    const char *pocl = "Portable Computing Language";
    uint32_t all = quirks_of_driver(pocl, "3.1+debian"), named;
    ck_assert_uint_ne(all, 0);
    ck_assert_uint_eq(quirks_of_driver(pocl, "1.8"), all);
    ck_assert_uint_eq(quirks_of_driver(pocl, "3.2"), 0);
    ck_assert_uint_eq(quirks_of_driver(pocl, "10.0"), 0);
    ck_assert_uint_eq(quirks_of_driver(pocl, "newest"), 0);
    ck_assert_uint_eq(quirks_of_driver("NVIDIA CUDA", "3.1"), 0);
    ck_assert(quirks_named("pocl-3.1", &named) && named == all);
    ck_assert(quirks_named("none", &named) && named == 0);
    ck_assert(quirks_named("part-turns,volatile-turns", &named) &&
              named == (QUIRK_PART_TURNS | QUIRK_VOLATILE_TURNS));
    ck_assert_str_eq(quirks_driver(all), "pocl-3.1");
    ck_assert_ptr_null(quirks_driver(QUIRK_PART_TURNS));
    ck_assert(!quirks_named("", &named) && !quirks_named("pocl", &named) &&
              !quirks_named("none,", &named));
}
END_TEST

/* A plan of n kernels with these needs, in code of that target, for a device that has nothing but what is given. */
static bool device_lacks_all(uint32_t n, uint32_t needs, uint64_t bytes, const run_caps *caps, const char *target, run_lack *out)
{
    fcl_context cx;
    plan p = {0};
    ck_assert(context_init(&cx, NULL, NULL) && plan_init(&p, &cx));
    plan_kernel k = {
        .name = intern_cstr(&cx.strings, "tile"), .needs = needs, .local_bytes = bytes};
    while (n-- > 0)
        ck_assert(vec_push(&cx.mem, &p.kernels, k));
    bool lacks = run_lacks(caps, target, &p, out);
    plan_release(&p);
    context_release(&cx);
    return lacks;
}

static bool device_lacks(uint32_t needs, uint64_t bytes, k_device_facts facts, run_lack *out)
{
    return device_lacks_all(1, needs, bytes, &(run_caps){.facts = facts}, "opencl-c", out);
}

START_TEST(what_kernels_need_together)
{
    run_lack l;
    run_caps caps = {.spirv = "spirv-opencl", .facts.local_bytes = 1000};
    ck_assert(!device_lacks_all(3, 0, 400, &caps, "spirv-opencl", &l));
    caps.quirks = QUIRK_SUMMED_LOCALS;
    ck_assert(!device_lacks_all(2, 0, 400, &caps, "spirv-opencl", &l));
    ck_assert(!device_lacks_all(3, 0, 400, &caps, "opencl-c", &l));
    ck_assert(device_lacks_all(3, 0, 400, &caps, "spirv-opencl", &l));
    ck_assert_int_eq(l.code, DIAG_RUN_LOCAL);
    ck_assert_ptr_nonnull(strstr(l.what, "1200 bytes"));
}
END_TEST

START_TEST(what_kernels_need)
{
    const k_device_facts all = {
        .local_bytes = 1000, .f64 = true, .f16 = true, .atomics64 = true, .groups_wait = true};
    k_device_facts less[] = {all, all, all, all};
    const char *words[] = {"doubles", "f16", "64 bits", "wait"};
    run_lack lack;
    less[0].f64 = less[1].f16 = less[2].atomics64 = less[3].groups_wait = false;
    for (uint32_t bit = 0; bit < 4; bit++) {
        ck_assert(device_lacks(1u << bit, 0, less[bit], &lack));
        ck_assert(strstr(lack.what, "kernel tile") && strstr(lack.what, words[bit]));
        ck_assert_uint_eq(lack.code, bit ? DIAG_RUN_NEEDS : DIAG_RUN_F64);
        ck_assert(!device_lacks(15u & ~(1u << bit), 1000, less[bit], &lack));
    }
    ck_assert(!device_lacks(15, 1000, all, &lack));
    ck_assert(device_lacks(0, 1001, all, &lack) && lack.code == DIAG_RUN_LOCAL);
}
END_TEST

Suite *caps_suite(void);

Suite *caps_suite(void)
{
    Suite *s = suite_create("caps");
    TCase *t = tcase_create("caps");
    tcase_add_test(t, exchange_of_devices);
    tcase_add_test(t, subgroups_of_devices);
    tcase_add_test(t, atomic_steps_of_devices);
    tcase_add_test(t, quirks_of_drivers);
    tcase_add_test(t, what_kernels_need);
    tcase_add_test(t, what_kernels_need_together);
    suite_add_tcase(s, t);
    return s;
}
