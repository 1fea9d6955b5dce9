/* c = a b: blocks of 128 x 128, 256 threads of 8 x 8 elements in registers, steps of 8 along the inner dimension, the next
 * step's tiles loaded while this one's are multiplied.  All extents are d, a multiple of 128. */

enum { SIDE = 128, STEP = 8, PITCH = SIDE + 4 };

void put_tiles(__local float *as, __local float *bs, float4 a, float4 b, int id)
{
    int row = id / 2, col = id % 2 * 4;
    as[(col + 0) * PITCH + row] = a.x;
    as[(col + 1) * PITCH + row] = a.y;
    as[(col + 2) * PITCH + row] = a.z;
    as[(col + 3) * PITCH + row] = a.w;
    *(__local float4 *)&bs[id / 32 * PITCH + id % 32 * 4] = b;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sgemm(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int d)
{
    __local __attribute__((aligned(16))) float as[2][STEP * PITCH], bs[2][STEP * PITCH];
    int id = get_local_id(0), tx = id % 16, ty = id / 16;
    int top = get_group_id(0) / (d / SIDE) * SIDE, left = get_group_id(0) % (d / SIDE) * SIDE;
    __global const float *from_a = a + (top + id / 2) * d + id % 2 * 4, *from_b = b + id / 32 * d + left + id % 32 * 4;
    float4 sum[8][2];
    for (int i = 0; i < 8; i++)
        sum[i][0] = sum[i][1] = 0;
    put_tiles(as[0], bs[0], *(__global const float4 *)from_a, *(__global const float4 *)from_b, id);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0, now = 0; k < d; k += STEP, now ^= 1) {
        float4 next_a = 0, next_b = 0;
        bool more = k + STEP < d;
        if (more) {
            next_a = *(__global const float4 *)(from_a + k + STEP);
            next_b = *(__global const float4 *)(from_b + (k + STEP) * d);
        }
#pragma unroll
        for (int s = 0; s < STEP; s++) {
            __local const float *pa = &as[now][s * PITCH + 4 * ty], *pb = &bs[now][s * PITCH + 4 * tx];
            float4 a0 = *(__local const float4 *)pa, a1 = *(__local const float4 *)(pa + 64);
            float4 b0 = *(__local const float4 *)pb, b1 = *(__local const float4 *)(pb + 64);
            float av[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
#pragma unroll
            for (int i = 0; i < 8; i++) {
                sum[i][0] = mad((float4)av[i], b0, sum[i][0]);
                sum[i][1] = mad((float4)av[i], b1, sum[i][1]);
            }
        }
        if (more)
            put_tiles(as[now ^ 1], bs[now ^ 1], next_a, next_b, id);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 8; i++) {
        __global float *to = c + (top + i / 4 * 64 + 4 * ty + i % 4) * d + left + 4 * tx;
        *(__global float4 *)to = sum[i][0];
        *(__global float4 *)(to + 64) = sum[i][1];
    }
}
