/* Put before every kernel for GPUs: warps of 32 lanes.  With NVIDIA defined, lanes exchange values by inline PTX; without,
 * through local memory, which is there so that the kernels can be tried on any device. */

#ifdef NVIDIA
uint lane_down(uint x, uint by)
{
    uint r;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(by));
    return r;
}

uint lane_up(uint x, uint by)
{
    uint r;
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(r) : "r"(x), "r"(by));
    return r;
}

uint ballot(uint condition)
{
    uint r;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r) : "r"(condition));
    return r;
}

ulong load_relaxed(volatile __global ulong *p)
{
    ulong r;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(r) : "l"(p));
    return r;
}

void store_relaxed(volatile __global ulong *p, ulong x)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(x));
}

void fence_of_device(void)
{
    asm volatile("fence.acq_rel.gpu;" : : : "memory");
}
#else
ulong load_relaxed(volatile __global ulong *p)
{
    return *p;
}

void store_relaxed(volatile __global ulong *p, ulong x)
{
    *p = x;
}

void fence_of_device(void)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
#endif

/* NAME(x, room): the values of all threads of a block combined in order, in thread 0; room: a word for each thread.  F is
 * associative, IDENTITY its neutral element. */
#ifdef NVIDIA
#define DEFINE_BLOCK_REDUCE(NAME, TYPE, IDENTITY, F)                                                                   \
    TYPE NAME##_warp(TYPE x)                                                                                           \
    {                                                                                                                  \
        for (uint by = 1; by < 32; by *= 2)                                                                            \
            x = F(x, as_##TYPE(lane_down(as_uint(x), by)));                                                            \
        return x;                                                                                                      \
    }                                                                                                                  \
    TYPE NAME(TYPE x, __local TYPE *room)                                                                              \
    {                                                                                                                  \
        uint lane = get_local_id(0) % 32, warp = get_local_id(0) / 32, warps = get_local_size(0) / 32;                 \
        x = NAME##_warp(x);                                                                                            \
        if (lane == 0)                                                                                                 \
            room[warp] = x;                                                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        if (warp == 0)                                                                                                 \
            x = NAME##_warp(lane < warps ? room[lane] : IDENTITY);                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        return x;                                                                                                      \
    }
#else
#define DEFINE_BLOCK_REDUCE(NAME, TYPE, IDENTITY, F)                                                                   \
    TYPE NAME(TYPE x, __local TYPE *room)                                                                              \
    {                                                                                                                  \
        uint id = get_local_id(0), threads = get_local_size(0);                                                        \
        room[id] = x;                                                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        for (uint by = 1; by < threads; by *= 2) {                                                                     \
            if (id % (2 * by) == 0)                                                                                    \
                room[id] = F(room[id], room[id + by]);                                                                 \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
        }                                                                                                              \
        x = room[0];                                                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        return x;                                                                                                      \
    }
#endif
