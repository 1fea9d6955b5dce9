/* Reductions in one launch: blocks stride over the grid, four 16-byte loads in flight for each thread; the block that ends
 * last combines what the blocks found.  temp: a counter (0 before and after), then a word for each block. */

#define ADD(x, y) ((x) + (y))
#define LARGER(x, y) max(x, y)

/* The maps x -> m x + c over 16-bit numbers, m in the upper half: first p, then q. */
uint then(uint p, uint q)
{
    uint qm = q >> 16;
    return (p >> 16) * qm << 16 | ((p * qm + q) & 0xffff);
}

DEFINE_BLOCK_REDUCE(block_sum, uint, 0u, ADD)
DEFINE_BLOCK_REDUCE(block_max, int, INT_MIN, LARGER)
DEFINE_BLOCK_REDUCE(block_sum_float, float, 0.0f, ADD)
DEFINE_BLOCK_REDUCE(block_compose, uint, 0x10000u, then)

enum { THREADS = 256 };
#define BLOCK __attribute__((reqd_work_group_size(THREADS, 1, 1)))

/* True, for all threads of one block: that which comes last, when all others have written theirs. */
bool is_last(volatile __global uint *counter, __local uint *room)
{
    if (get_local_id(0) == 0) {
        fence_of_device();
        room[0] = atomic_inc(counter);
        fence_of_device();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bool last = room[0] == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    return last;
}

/* Thread 0 has the block's value: the last block combines all, in order. */
#define DEFINE_FINISH(NAME, TYPE, IDENTITY, F, BLOCK_REDUCE)                                                           \
    void NAME(TYPE mine, volatile __global uint *temp, __global TYPE *out, __local TYPE *room)                         \
    {                                                                                                                  \
        volatile __global TYPE *parts = (volatile __global TYPE *)(temp + 1);                                          \
        uint id = get_local_id(0), groups = get_num_groups(0), share = (groups + THREADS - 1) / THREADS;               \
        if (id == 0)                                                                                                   \
            parts[get_group_id(0)] = mine;                                                                             \
        if (!is_last(temp, (__local uint *)room))                                                                      \
            return;                                                                                                    \
        TYPE acc = IDENTITY;                                                                                           \
        for (uint i = id * share; i < (id + 1) * share && i < groups; i++)                                             \
            acc = F(acc, parts[i]);                                                                                    \
        acc = BLOCK_REDUCE(acc, room);                                                                                 \
        if (id == 0) {                                                                                                 \
            out[0] = acc;                                                                                              \
            temp[0] = 0;                                                                                               \
        }                                                                                                              \
    }

DEFINE_FINISH(finish_sum, uint, 0u, ADD, block_sum)
DEFINE_FINISH(finish_max, int, INT_MIN, LARGER, block_max)
DEFINE_FINISH(finish_float, float, 0.0f, ADD, block_sum_float)
DEFINE_FINISH(finish_compose, uint, 0x10000u, then, block_compose)

/* ---- commutative ---- */

#define ADD4(acc, v) acc += v.x + v.y + v.z + v.w
#define MAX4(acc, v) acc = max(max(acc, max(v.x, v.y)), max(v.z, v.w))

#define DEFINE_REDUCE(NAME, TYPE, IDENTITY, F, TAKE4, BLOCK_REDUCE, FINISH)                                            \
    __kernel BLOCK void NAME(__global const TYPE *restrict x, __global TYPE *restrict out, volatile __global uint *temp, \
                             int n)                                                                                    \
    {                                                                                                                  \
        __local TYPE room[THREADS];                                                                                    \
        __global const TYPE##4 *x4 = (__global const TYPE##4 *)x;                                                      \
        int quads = n / 4, stride = get_global_size(0), i = get_global_id(0);                                          \
        TYPE a = IDENTITY, b = IDENTITY, c = IDENTITY, d = IDENTITY;                                                   \
        for (; i < quads - 3 * stride; i += 4 * stride) {                                                              \
            TYPE##4 va = x4[i], vb = x4[i + stride], vc = x4[i + 2 * stride], vd = x4[i + 3 * stride];                 \
            TAKE4(a, va);                                                                                              \
            TAKE4(b, vb);                                                                                              \
            TAKE4(c, vc);                                                                                              \
            TAKE4(d, vd);                                                                                              \
        }                                                                                                              \
        for (; i < quads; i += stride) {                                                                               \
            TYPE##4 v = x4[i];                                                                                         \
            TAKE4(a, v);                                                                                               \
        }                                                                                                              \
        if (get_global_id(0) < n % 4)                                                                                  \
            b = F(b, x[4 * quads + get_global_id(0)]);                                                                 \
        FINISH(BLOCK_REDUCE(F(F(a, b), F(c, d)), room), temp, out, room);                                              \
    }

DEFINE_REDUCE(reduce_sum, uint, 0u, ADD, ADD4, block_sum, finish_sum)
DEFINE_REDUCE(reduce_max, int, INT_MIN, LARGER, MAX4, block_max, finish_max)

__kernel BLOCK void dot_product(__global const float *restrict x, __global const float *restrict y,
                                __global float *restrict out, volatile __global uint *temp, int n)
{
    __local float room[THREADS];
    __global const float4 *x4 = (__global const float4 *)x, *y4 = (__global const float4 *)y;
    int quads = n / 4, stride = get_global_size(0), i = get_global_id(0);
    float4 a = 0, b = 0;
    for (; i < quads - stride; i += 2 * stride) {
        float4 xa = x4[i], xb = x4[i + stride], ya = y4[i], yb = y4[i + stride];
        a = mad(xa, ya, a);
        b = mad(xb, yb, b);
    }
    if (i < quads)
        a = mad(x4[i], y4[i], a);
    if (get_global_id(0) < n % 4)
        b.x += x[4 * quads + get_global_id(0)] * y[4 * quads + get_global_id(0)];
    a += b;
    finish_float(block_sum_float(a.x + a.y + a.z + a.w, room), temp, out, room);
}

/* A block for each row. */
__kernel BLOCK void row_sums(__global const float *restrict x, __global float *restrict out, int cols)
{
    __local float room[THREADS];
    __global const float4 *row = (__global const float4 *)(x + (size_t)get_group_id(0) * cols);
    float4 acc = 0;
#pragma unroll 4
    for (int i = get_local_id(0); i < cols / 4; i += THREADS)
        acc += row[i];
    float sum = block_sum_float(acc.x + acc.y + acc.z + acc.w, room);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

/* ---- not commutative ---- */

/* Every warp walks over consecutive tiles of 512 elements: four loads, each of 4 elements for each lane, each combined over
 * the lanes, in order. */
enum { TILE = 512 };

uint quad(__global const uint *restrict x, int at, int n)
{
    if (at + 4 <= n) {
        uint4 v = *(__global const uint4 *)(x + at);
        return then(then(v.x, v.y), then(v.z, v.w));
    }
    uint acc = 0x10000;
    for (; at < n; at++)
        acc = then(acc, x[at]);
    return acc;
}

#ifdef NVIDIA
#define WARP(x) block_compose_warp(x)
__kernel BLOCK void compose(__global const uint *restrict x, __global uint *restrict out, volatile __global uint *temp, int n)
{
    __local uint room[THREADS];
    int lane = get_local_id(0) % 32, warp = get_global_id(0) / 32, warps = get_global_size(0) / 32;
    int tiles = (n + TILE - 1) / TILE, share = (tiles + warps - 1) / warps;
    int first = warp * share, last = min(first + share, tiles);
    uint acc = 0x10000;
    for (int t = first; t < last; t++) {
        int at = t * TILE + 4 * lane;
        uint a = quad(x, at, n), b = quad(x, at + 128, n), c = quad(x, at + 256, n), d = quad(x, at + 384, n);
        a = WARP(a), b = WARP(b), c = WARP(c), d = WARP(d);
        acc = then(acc, then(then(a, b), then(c, d)));
    }
    finish_compose(block_compose(lane == 0 ? acc : 0x10000u, room), temp, out, room);
}
#else
/* Every thread walks over elements of its own. */
__kernel BLOCK void compose(__global const uint *restrict x, __global uint *restrict out, volatile __global uint *temp, int n)
{
    __local uint room[THREADS];
    int threads = get_global_size(0), share = ((n + 3) / 4 + threads - 1) / threads * 4;
    uint acc = 0x10000;
    for (int at = get_global_id(0) * share; at < min((int)(get_global_id(0) + 1) * share, n); at += 4)
        acc = then(acc, quad(x, at, n));
    finish_compose(block_compose(acc, room), temp, out, room);
}
#endif
