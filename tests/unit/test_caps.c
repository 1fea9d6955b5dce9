/* What is made of what OpenCL says of a device: only devices that are pretended here have shuffles.
 */
#include "backends/run/opencl_api.h"

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

static k_exchange best(const pretended *d)
{
    run_caps caps = caps_of(d);
    ck_assert_uint_eq(caps.max_block_size, 1024);
    ck_assert_uint_eq(caps.local_bytes, 49152);
    ck_assert(!caps.has_f64);
    ck_assert(run_has_exchange(caps, EXCHANGE_LOCAL) &&
              run_has_exchange(caps, run_best_exchange(caps)));
    return run_best_exchange(caps);
}

#define NVIDIA    "cl_khr_icd cl_nv_compiler_options cl_nv_device_attribute_query cl_khr_fp64"
#define SUBGROUPS "cl_khr_subgroups cl_khr_subgroup_shuffle"

START_TEST(exchange_of_devices)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU, cpu = CL_DEVICE_TYPE_CPU;
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 9, 32, {0}}), EXCHANGE_PTX);
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 7, 32, {0}}), EXCHANGE_PTX);
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 6, 32, {0}}), EXCHANGE_LOCAL);
    ck_assert_int_eq(best(&(pretended){NVIDIA, gpu, 0, 0, {0}}), EXCHANGE_LOCAL);
    ck_assert_int_eq(best(&(pretended){"cl_nv_device_attribute_query2", gpu, 9, 32, {0}}),
                     EXCHANGE_LOCAL);
    ck_assert_int_eq(best(&(pretended){"", gpu, 9, 32, {0}}), EXCHANGE_LOCAL);
    ck_assert_int_eq(best(&(pretended){SUBGROUPS, gpu, 0, 0, {8, 16, 32}}), EXCHANGE_LOCAL);
    ck_assert_int_eq(
        best(&(pretended){SUBGROUPS " cl_intel_required_subgroup_size", gpu, 0, 0, {8, 16, 32}}),
        EXCHANGE_SUBGROUPS);
    ck_assert_int_eq(
        best(&(pretended){SUBGROUPS " cl_intel_required_subgroup_size", gpu, 0, 0, {8, 16, 64}}),
        EXCHANGE_LOCAL);
    ck_assert_int_eq(
        best(&(pretended){SUBGROUPS " cl_intel_required_subgroup_size", cpu, 0, 0, {8, 16, 32}}),
        EXCHANGE_LOCAL);
}
END_TEST

START_TEST(atomic_steps_of_devices)
{
    ck_assert(
        caps_of(&(pretended){"cl_khr_fp64 cl_khr_int64_base_atomics", 0, 0, 0, {0}}).has_atomics64);
    ck_assert(!caps_of(&(pretended){"cl_khr_int64_extended_atomics", 0, 0, 0, {0}}).has_atomics64);
    ck_assert(!caps_of(&(pretended){"", 0, 0, 0, {0}}).has_atomics64);
}
END_TEST

Suite *caps_suite(void);

Suite *caps_suite(void)
{
    Suite *s = suite_create("caps");
    TCase *t = tcase_create("caps");
    tcase_add_test(t, exchange_of_devices);
    tcase_add_test(t, atomic_steps_of_devices);
    suite_add_tcase(s, t);
    return s;
}
