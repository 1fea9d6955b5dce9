/* Every block makes one value of 512 by halving them in local memory; the host starts as many launches as it takes.  compose
 * combines neighbours, since its operator does not commute. */

enum { THREADS = 256, CHUNK = 2 * THREADS };
#define BLOCK __attribute__((reqd_work_group_size(THREADS, 1, 1)))

#define ADD(x, y) ((x) + (y))
#define LARGER(x, y) max(x, y)

#define DEFINE_REDUCE(NAME, TYPE, ARGS, FIRST, F)                                                                      \
    __kernel BLOCK void NAME(ARGS, __global TYPE *restrict out, int n)                                                 \
    {                                                                                                                  \
        __local TYPE room[THREADS];                                                                                    \
        int id = get_local_id(0), start = get_group_id(0) * CHUNK, count = min(CHUNK, n - start), middle = (count + 1) / 2; \
        if (id < middle)                                                                                                \
            room[id] = id + middle < count ? F(FIRST(start + id), FIRST(start + id + middle)) : FIRST(start + id);       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        for (count = middle; count > 1; count = middle) {                                                                \
            middle = (count + 1) / 2;                                                                                   \
            if (id + middle < count)                                                                                    \
                room[id] = F(room[id], room[id + middle]);                                                              \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
        }                                                                                                              \
        if (id == 0)                                                                                                   \
            out[get_group_id(0)] = room[0];                                                                            \
    }

#define ELEMENT(i) x[i]
#define PRODUCT(i) (x[i] * y[i])
#define ONE(TYPE) __global const TYPE *restrict x
#define TWO_FLOATS __global const float *restrict x, __global const float *restrict y

DEFINE_REDUCE(reduce_sum, int, ONE(int), ELEMENT, ADD)
DEFINE_REDUCE(reduce_max, int, ONE(int), ELEMENT, LARGER)
DEFINE_REDUCE(sum_float, float, ONE(float), ELEMENT, ADD)
DEFINE_REDUCE(sum_products, float, TWO_FLOATS, PRODUCT, ADD)

/* A block for each row. */
__kernel BLOCK void row_sums(__global const float *restrict x, __global float *restrict out, int cols)
{
    __local float room[THREADS];
    int id = get_local_id(0);
    __global const float *row = x + get_group_id(0) * cols;
    float sum = 0;
    for (int i = id; i < cols; i += THREADS)
        sum += row[i];
    room[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int middle = THREADS / 2; middle > 0; middle /= 2) {
        if (id < middle)
            room[id] += room[id + middle];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[get_group_id(0)] = room[0];
}

/* The maps x -> m x + c over 16-bit numbers, m in the upper half: first p, then q. */
uint then(uint p, uint q)
{
    uint qm = q >> 16;
    return (p >> 16) * qm << 16 | ((p * qm + q) & 0xffff);
}

__kernel BLOCK void compose(__global const uint *restrict x, __global uint *restrict out, int n)
{
    __local uint room[2][THREADS];
    int id = get_local_id(0), start = get_group_id(0) * CHUNK, count = min(CHUNK, n - start), from = 0;
    x += start;
    if (2 * id < count)
        room[0][id] = 2 * id + 1 < count ? then(x[2 * id], x[2 * id + 1]) : x[2 * id];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (count = (count + 1) / 2; count > 1; count = (count + 1) / 2) {
        if (2 * id < count)
            room[!from][id] = 2 * id + 1 < count ? then(room[from][2 * id], room[from][2 * id + 1]) : room[from][2 * id];
        from = !from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[get_group_id(0)] = room[from][0];
}
