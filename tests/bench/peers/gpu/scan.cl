/* Inclusive prefix sums in a single pass over the data (decoupled look-back, Merrill and Garland 2016): tiles of 128 threads
 * x 48 items, in the order in which blocks start.  Items go through local memory, so that global memory is accessed 16 bytes
 * at a time along the warp, and each thread has 48 consecutive ones.
 *
 * status: a word for each tile, flag and value together so that one access has both; then the ticket counter. */

enum { THREADS = 128, ITEMS = 48, TILE = THREADS * ITEMS, WARP_ITEMS = 32 * ITEMS, QUADS = TILE / 4 / THREADS };
#define AGGREGATE (1ul << 32)
#define PREFIX (2ul << 32)

__kernel void scan_init(__global ulong *status, int words)
{
    int i = get_global_id(0);
    if (i < words)
        status[i] = 0;
}

/* One word of padding every 32 keeps both ways of walking over the tile apart from bank conflicts. */
int padded(int i)
{
    return i + i / 32;
}

#ifdef NVIDIA
/* The sum of the values of all threads before this one; *all: of all threads. */
uint block_before(uint x, __local uint *room, uint *all)
{
    uint lane = get_local_id(0) % 32, warp = get_local_id(0) / 32, sum = x, before = 0;
    for (uint by = 1; by < 32; by *= 2) {
        uint other = lane_up(sum, by);
        sum += lane >= by ? other : 0;
    }
    if (lane == 31)
        room[warp] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    *all = 0;
    for (uint w = 0; w < THREADS / 32; w++) {
        before += w < warp ? room[w] : 0;
        *all += room[w];
    }
    return before + sum - x;
}

/* By the first warp: the sum of all tiles before this one.  32 of them are looked at together, the nearest by lane 0. */
uint look_back(volatile __global ulong *status, int tile)
{
    int lane = get_local_id(0), at = tile - 1 - lane;
    uint sum = 0;
    for (;;) {
        ulong s = at < 0 ? PREFIX : load_relaxed(status + at);
        while (ballot(s < AGGREGATE))
            s = at < 0 ? PREFIX : load_relaxed(status + at);
        uint done = ballot(s >= PREFIX), nearest = done & -done;
        uint value = !done || (1u << lane) <= nearest ? (uint)s : 0;
        for (uint by = 16; by; by /= 2)
            value += lane_down(value, by);
        sum += value; /* right in lane 0 */
        if (done)
            return sum;
        at -= 32;
    }
}
#else
uint block_before(uint x, __local uint *room, uint *all)
{
    uint id = get_local_id(0), before = 0;
    room[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    *all = 0;
    for (uint i = 0; i < THREADS; i++) {
        before += i < id ? room[i] : 0;
        *all += room[i];
    }
    return before;
}

uint look_back(volatile __global ulong *status, int tile)
{
    uint sum = 0;
    for (int at = tile - 1; at >= 0 && get_local_id(0) == 0; at--) {
        ulong s = load_relaxed(status + at);
        while (s < AGGREGATE)
            s = load_relaxed(status + at);
        sum += (uint)s;
        if (s >= PREFIX)
            break;
    }
    return sum;
}
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void scan(__global const uint *restrict x, __global uint *restrict o, volatile __global ulong *status, int tiles, int n)
{
    __local uint items[TILE + TILE / 32], room[THREADS], shared[2];
    int id = get_local_id(0), lane = id % 32, first = id / 32 * WARP_ITEMS;
    uint v[ITEMS], sum = 0, all;
    if (id == 0)
        shared[0] = atomic_inc((volatile __global uint *)(status + tiles));
    barrier(CLK_LOCAL_MEM_FENCE);
    int tile = shared[0], base = tile * TILE;
    bool whole = n - base >= TILE;

    for (int k = 0; k < QUADS; k++) {
        int at = first + (k * 32 + lane) * 4;
        uint4 q = 0;
        if (whole)
            q = *(__global const uint4 *)(x + base + at);
        else
            for (int c = 0; c < 4; c++)
                ((uint *)&q)[c] = base + at + c < n ? x[base + at + c] : 0;
        __local uint *to = &items[padded(at)];
        to[0] = q.x;
        to[1] = q.y;
        to[2] = q.z;
        to[3] = q.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        v[k] = sum += items[padded(id * ITEMS + k)];

    uint before = block_before(sum, room, &all);
    if (id == 0)
        store_relaxed(status + tile, (tile ? AGGREGATE : PREFIX) | all);
    if (id < 32) {
        uint earlier = look_back(status, tile);
        if (id == 0) {
            if (tile)
                store_relaxed(status + tile, PREFIX | (uint)(earlier + all));
            shared[1] = earlier;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    before += shared[1];

#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        items[padded(id * ITEMS + k)] = v[k] + before;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < QUADS; k++) {
        int at = first + (k * 32 + lane) * 4;
        __local const uint *from = &items[padded(at)];
        if (whole)
            *(__global uint4 *)(o + base + at) = (uint4)(from[0], from[1], from[2], from[3]);
        else
            for (int c = 0; c < 4; c++)
                if (base + at + c < n)
                    o[base + at + c] = from[c];
    }
}
