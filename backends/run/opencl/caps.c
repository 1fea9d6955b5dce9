/* What an OpenCL device can do: see run_caps.
 *
 * Lanes exchange values by inline PTX on NVIDIA GPUs from compute capability 7.0 on, whose drivers
 * all know shfl.sync.  Subgroups are of use when each is known to be a warp: the kernel asks for that
 * size, and the device must let it. */
#include "backends/opencl/opencl.h"
#include "backends/quirks.h"
#include "backends/spirv/spirv.h"
#include "backends/run/opencl/api.h"

#include <string.h>

enum {
    COMPUTE_CAPABILITY_MAJOR_NV = 0x4000, /* cl_nv_device_attribute_query */
    WARP_SIZE_NV = 0x4003,
    SUB_GROUP_SIZES_INTEL = 0x4108, /* cl_intel_required_subgroup_size */
    MAX_NUM_SUB_GROUPS = 0x105C,    /* of OpenCL 2.1; 0: there are none */
    WARP_SIZE = 32,
    SIZES_MOST = 16,
    MOST_LANES = 1024,
    NAME_MOST = 128,
    BYTE = 8
};

/* Whether a word is among those of a list separated by spaces. */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += len) {
        bool starts = at == list || at[-1] == ' ', ends = at[len] == ' ' || at[len] == 0;
        if (starts && ends)
            return true;
    }
    return false;
}

static char *extensions_of(mem *m, const opencl_api *api, cl_device_id id, vec_char *text)
{
    size_t size = 0;
    if (api->clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS ||
        !vec_reserve(m, text, size + 1) ||
        api->clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, text->at, NULL) != CL_SUCCESS)
        return NULL;
    text->at[size] = 0;
    return text->at;
}

static cl_uint number(const opencl_api *api, cl_device_id id, cl_device_info what)
{
    cl_uint n = 0;
    return api->clGetDeviceInfo(id, what, sizeof n, &n, NULL) == CL_SUCCESS ? n : 0;
}

/* Its launches begin without a flush, which takes 2.5 us there: a kernel of 3 ms has ended 100 ms after it was
 * enqueued (driver 580). */
static bool is_nvidia(const char *extensions)
{
    return has_word(extensions, "cl_nv_device_attribute_query");
}

static bool has_ptx(const opencl_api *api, cl_device_id id, const char *extensions)
{
    return is_nvidia(extensions) &&
           number(api, id, COMPUTE_CAPABILITY_MAJOR_NV) >= 7 &&
           number(api, id, WARP_SIZE_NV) == WARP_SIZE;
}

/* Since OpenCL 3.0 subgroups are a feature that is no extension any more. */
static bool has_subgroups(const opencl_api *api, cl_device_id id, const char *extensions)
{
    return (has_word(extensions, "cl_khr_subgroups") || number(api, id, MAX_NUM_SUB_GROUPS) > 0) &&
           has_word(extensions, "cl_khr_subgroup_shuffle") &&
           has_word(extensions, "cl_intel_required_subgroup_size");
}

/* The sizes of subgroups that a kernel can ask for, which are powers of two, as bits. */
static uint32_t lane_sizes(const opencl_api *api, cl_device_id id, const char *extensions)
{
    size_t sizes[SIZES_MOST], bytes = 0;
    uint32_t found = 0;
    if (!has_subgroups(api, id, extensions) ||
        api->clGetDeviceInfo(id, SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
        return 0;
    for (size_t i = 0; i < bytes / sizeof *sizes && i < SIZES_MOST; i++)
        if (sizes[i] <= MOST_LANES && (sizes[i] & (sizes[i] - 1)) == 0)
            found |= (uint32_t)sizes[i];
    return found;
}

/* By the names of platform and driver; a driver that does not say its own needs nothing. */
static uint32_t quirks_of(const opencl_api *api, cl_device_id id)
{
    char platform[NAME_MOST] = "", version[NAME_MOST] = "";
    cl_platform_id of = NULL;
    if (api->clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof of, &of, NULL) != CL_SUCCESS ||
        api->clGetPlatformInfo(of, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL) !=
            CL_SUCCESS ||
        api->clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof version - 1, version, NULL) !=
            CL_SUCCESS)
        return 0;
    return quirks_of_driver(platform, version);
}

static uint32_t to_32_bits(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* A simulator may say that it is everything (oclgrind): nothing of a GPU's costs holds there, and it
 * sees no order between groups that atomic steps make. */
static bool is_gpu(const opencl_api *api, cl_device_id id)
{
    cl_device_type type = 0;
    api->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (type & CL_DEVICE_TYPE_GPU) && !(type & CL_DEVICE_TYPE_CPU);
}

/* Bytes of a CPU's vectors. */
static uint32_t simd_of(const opencl_api *api, cl_device_id id)
{
    cl_device_type type = 0;
    cl_device_local_mem_type local = CL_LOCAL;
    api->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    api->clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof local, &local, NULL);
    uint32_t doubles = 8 * number(api, id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE);
    uint32_t floats = 4 * number(api, id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    bool is_cpu = (type & ~(cl_device_type)CL_DEVICE_TYPE_DEFAULT) == CL_DEVICE_TYPE_CPU;
    return !is_cpu || local != CL_GLOBAL ? 0 : doubles > floats ? doubles : floats;
}

static k_device_facts facts_of(const opencl_api *api, cl_device_id id, const char *extensions)
{
    size_t block = 0;
    cl_ulong local = 0, constant = 0;
    cl_device_fp_config f64 = 0;
    api->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof block, &block, NULL);
    api->clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    api->clGetDeviceInfo(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof constant, &constant, NULL);
    api->clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof f64, &f64, NULL);
    return (k_device_facts){.max_block = to_32_bits(block),
                            .local_bytes = to_32_bits(local),
                            .constant_bytes = to_32_bits(constant),
                            .warp_size = WARP_SIZE,
                            .groups_wait = true,
                            .launches_cost = is_gpu(api, id),
                            .simd = simd_of(api, id),
                            .atomics64 = has_word(extensions, "cl_khr_int64_base_atomics"),
                            .f64 = f64 != 0,
                            .f16 = has_word(extensions, "cl_khr_fp16")};
}

static void add_way(run_ways *w, uint32_t dialect, bool is_best)
{
    w->can |= 1u << dialect;
    w->best = is_best ? dialect : w->best;
}

/* CPUs are not given subgroups unless somebody asks for them: their lanes share a thread, which
 * memory is near to.  (Intel's runtime takes twice as long for a scan of 8 million numbers.) */
run_caps opencl_caps(mem *m, const opencl_api *api, cl_device_id id)
{
    vec_char text = {0};
    const char *extensions = extensions_of(m, api, id, &text);
    if (!extensions)
        extensions = "";
    run_caps caps = {.target = backend_opencl.name,
                     .facts = facts_of(api, id, extensions),
                     .ways = {.can = 1u << OPENCL_PLAIN},
                     .lane_sizes = lane_sizes(api, id, extensions),
                     .quirks = quirks_of(api, id),
                     .part_align = number(api, id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / BYTE,
                     .begins_at_once = is_nvidia(extensions)};
    bool usual = is_gpu(api, id) && caps.lane_sizes & WARP_SIZE;
    if (caps.lane_sizes)
        add_way(&caps.ways, OPENCL_SUBGROUPS, usual);
    if (has_ptx(api, id, extensions))
        add_way(&caps.ways, OPENCL_PTX, true);
    if (opencl_takes_il(api, id, NULL))
        caps.spirv = backend_spirv_opencl.name;
    caps.spirv_ways.can = 1u << SPIRV_PLAIN;
    if (caps.lane_sizes && !(caps.quirks & QUIRK_BLOCK_BARRIERS) &&
        opencl_takes_il(api, id, "SPIR-V_1.3"))
        add_way(&caps.spirv_ways, SPIRV_SUBGROUPS, usual);
    vec_free(m, &text);
    return caps;
}
