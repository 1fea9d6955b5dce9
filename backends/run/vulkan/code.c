/* Programs of a Vulkan device and their pipelines: see device.h. */
#include "backends/run/vulkan/device.h"

#include "backends/spirv/spirv.h"
#include "backends/spirv/vulkan.h"

#include <string.h>

/* ---- programs ---- */

static void drop_pipeline(vulkan_device *v, vulkan_pipeline *p)
{
    mem *m = &v->base.cx->mem;
    v->api.vkDestroyPipeline(v->device, p->pipeline, NULL);
    v->api.vkDestroyPipelineLayout(v->device, p->layout, NULL);
    v->api.vkDestroyDescriptorSetLayout(v->device, p->set, NULL);
    if (p->name)
        mem_free(m, p->name, strlen(p->name) + 1);
    vec_free(m, &p->areas);
}

static void drop_program(run_device *d, void *program)
{
    vulkan_program *p = program;
    mem *m = &d->cx->mem;
    for (uint32_t i = 0; i < p->pipelines.len; i++)
        drop_pipeline(vulkan_self(d), &p->pipelines.at[i]);
    vec_free(m, &p->pipelines);
    vec_free(m, &p->code);
    mem_free(m, p, sizeof *p);
}

/* The code may stand anywhere; Vulkan wants whole words at their alignment. */
static bool keep_code(vulkan_device *v, vulkan_program *p, const run_code *code)
{
    uint32_t words = (uint32_t)(code->size / sizeof *p->code.at);
    if (!vec_reserve(&v->base.cx->mem, &p->code, words + 1))
        return false;
    memcpy(p->code.at, code->at, words * sizeof *p->code.at);
    p->code.len = words;
    return true;
}

static void *new_program(run_device *d, const run_code *code, const kept *like)
{
    vulkan_program *p = mem_zeroed(&d->cx->mem, sizeof *p);
    if (!p)
        return NULL;
    p->kept = *like;
    p->lanes = code->lanes;
    p->by_address = strcmp(code->target, backend_spirv_addresses.name) == 0;
    if (keep_code(vulkan_self(d), p, code))
        return p;
    drop_program(d, p);
    return NULL;
}

static const kept_kind way = {.make = new_program, .drop = drop_program};

void *vulkan_program_of(run_device *d, const run_code *code)
{
    return kept_program(&vulkan_self(d)->programs, &way, d, code);
}

void vulkan_leave(run_device *d, void *program)
{
    kept_end_use(&vulkan_self(d)->programs, &way, d, program);
}

void vulkan_drop_all(vulkan_device *v)
{
    kept_drop_all(&v->programs, &way, &v->base);
}

/* ---- pipelines ---- */

static bool describe(vulkan_device *v, vulkan_pipeline *p, const run_launch *l)
{
    mem *m = &v->base.cx->mem;
    size_t size = strlen(l->kernel) + 1;
    p->threads = (uint32_t)l->threads;
    if ((p->name = mem_resize(m, NULL, 0, size)) == NULL)
        return false;
    memcpy(p->name, l->kernel, size);
    for (uint32_t i = 0; i < l->nargs; i++)
        if (l->args[i].kind == RUN_LOCAL && !vec_push(m, &p->areas, (uint32_t)l->args[i].bytes))
            return false;
    return true;
}

static bool is_it(const vulkan_pipeline *p, const run_launch *l)
{
    uint32_t areas = 0;
    if (p->threads != l->threads || strcmp(p->name, l->kernel) != 0)
        return false;
    for (uint32_t i = 0; i < l->nargs; i++)
        if (l->args[i].kind == RUN_LOCAL && p->areas.at[areas++] != l->args[i].bytes)
            return false;
    return true;
}

static bool make_set(vulkan_device *v, vulkan_pipeline *p)
{
    mem *m = &v->base.cx->mem;
    VkDescriptorSetLayoutBinding *all = mem_zeroed(m, (p->buffers + 1) * sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < p->buffers; i++)
        all[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                .descriptorCount = 1,
                                                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo how = {.sType =
                                               VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = p->buffers,
                                           .pBindings = all};
    VkResult error = v->api.vkCreateDescriptorSetLayout(v->device, &how, NULL, &p->set);
    mem_free(m, all, (p->buffers + 1) * sizeof *all);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateDescriptorSetLayout", error);
}

static bool make_layout(vulkan_device *v, vulkan_pipeline *p)
{
    VkPushConstantRange pushed = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = VULKAN_PUSHED};
    VkPipelineLayoutCreateInfo how = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .setLayoutCount = 1,
                                      .pSetLayouts = &p->set,
                                      .pushConstantRangeCount = 1,
                                      .pPushConstantRanges = &pushed};
    VkResult error = v->api.vkCreatePipelineLayout(v->device, &how, NULL, &p->layout);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreatePipelineLayout", error);
}

typedef VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required_size;

/* Where warps are subgroups, each has a thread for every lane.  Kernels that have no whole warps
 * exchange nothing. */
static void ask_for_warps(VkPipelineShaderStageCreateInfo *stage, required_size *size,
                          uint32_t lanes, uint32_t threads)
{
    *size = (required_size){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = lanes};
    if (!lanes || threads % lanes != 0)
        return;
    stage->pNext = size;
    stage->flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
}

/* A kernel's module, and what pipelines of it are made with. */
typedef struct shader {
    VkShaderModule module;
    VkPipelineCache kept; /* VK_NULL_HANDLE: nothing is kept */
} shader;

/* The constants are numbered in a row: threads, then bytes of local arguments. */
static bool specialise(vulkan_device *v, vulkan_pipeline *p, uint32_t lanes, const shader *of,
                       uint32_t *values, VkSpecializationMapEntry *entries)
{
    uint32_t n = 1 + p->areas.len;
    for (uint32_t i = 0; i < n; i++) {
        values[i] = i ? p->areas.at[i - 1] : p->threads;
        entries[i] = (VkSpecializationMapEntry){.constantID = i ? VULKAN_AREA_BYTES + i - 1
                                                                : VULKAN_GROUP_SIZE,
                                                .offset = i * (uint32_t)sizeof *values,
                                                .size = sizeof *values};
    }
    VkSpecializationInfo special = {.mapEntryCount = n,
                                    .pMapEntries = entries,
                                    .dataSize = n * sizeof *values,
                                    .pData = values};
    required_size size;
    VkComputePipelineCreateInfo how = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = of->module,
                  .pName = p->name,
                  .pSpecializationInfo = &special},
        .layout = p->layout};
    ask_for_warps(&how.stage, &size, lanes, p->threads);
    VkResult error =
        v->api.vkCreateComputePipelines(v->device, of->kept, 1, &how, NULL, &p->pipeline);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateComputePipelines", error);
}

static bool make_module(vulkan_device *v, const vec_u32 *code, VkShaderModule *out)
{
    VkShaderModuleCreateInfo how = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                    .codeSize = code->len * sizeof *code->at,
                                    .pCode = code->at};
    VkResult error = v->api.vkCreateShaderModule(v->device, &how, NULL, out);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateShaderModule", error);
}

static bool compile(vulkan_device *v, vulkan_pipeline *p, uint32_t lanes, const shader *of)
{
    mem *m = &v->base.cx->mem;
    uint32_t n = 1 + p->areas.len;
    uint32_t *values = mem_zeroed(m, n * sizeof *values);
    VkSpecializationMapEntry *entries = mem_zeroed(m, n * sizeof *entries);
    bool ok = values && entries && specialise(v, p, lanes, of, values, entries);
    mem_free(m, values, n * sizeof *values);
    mem_free(m, entries, n * sizeof *entries);
    return ok;
}

/* With what was kept of it, or else kept for the next process. */
static bool make_pipeline(vulkan_device *v, vulkan_pipeline *p, const vulkan_program *of)
{
    mem *m = &v->base.cx->mem;
    cache_choice *count = &v->base.cx->cache;
    shader own = {.module = VK_NULL_HANDLE};
    vec_u32 code = {0};
    cache_key key;
    bool found = false;
    if (!vulkan_strip(m, &of->code, p->name, &code) ||
        !vulkan_control_floats(m, &code, &v->floats)) {
        vec_free(m, &code);
        return false;
    }
    vulkan_name_pipeline(v, p, of->lanes, &code, &key);
    own.kept = vulkan_take_pipelines(v, &key, &found);
    *(found ? &count->found : &count->compiled) += 1;
    bool ok = make_module(v, &code, &own.module) && compile(v, p, of->lanes, &own);
    if (ok && !found && own.kept)
        vulkan_keep_pipelines(v, &key, own.kept);
    v->api.vkDestroyShaderModule(v->device, own.module, NULL);
    v->api.vkDestroyPipelineCache(v->device, own.kept, NULL);
    vec_free(m, &code);
    return ok;
}

static bool make_pipeline_timed(vulkan_device *v, vulkan_pipeline *p, const vulkan_program *of)
{
    uint64_t start = run_clock();
    bool ok = make_pipeline(v, p, of);
    v->base.cx->cache.nanoseconds += run_clock() - start;
    return ok;
}

static bool has_few_warps(vulkan_device *v, const vulkan_program *p, const run_launch *l)
{
    uint32_t most = v->base.caps.most_warps;
    if (!p->lanes || !most || l->threads <= (uint64_t)p->lanes * most)
        return true;
    diag_error(v->base.cx, DIAG_RUN_BLOCK, (location){0},
               "kernel %s has blocks of %llu threads; the device allows %u warps of %u", l->kernel,
               (unsigned long long)l->threads, most, p->lanes);
    return diag_hint(v->base.cx, "choose a smaller block size"), false;
}

const vulkan_pipeline *vulkan_pipeline_of(vulkan_device *v, vulkan_program *p, const run_launch *l,
                                          uint32_t buffers)
{
    for (uint32_t i = 0; i < p->pipelines.len; i++)
        if (is_it(&p->pipelines.at[i], l))
            return &p->pipelines.at[i];
    vulkan_pipeline made = {.buffers = buffers};
    if (has_few_warps(v, p, l) && describe(v, &made, l) && make_set(v, &made) &&
        make_layout(v, &made) && make_pipeline_timed(v, &made, p) &&
        vec_push(&v->base.cx->mem, &p->pipelines, made))
        return &p->pipelines.at[p->pipelines.len - 1];
    drop_pipeline(v, &made);
    return NULL;
}
