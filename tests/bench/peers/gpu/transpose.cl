/* Tiles of 64 x 64 by 256 threads, 16 bytes at a time on both sides.  Extents are multiples of 64. */

enum { TILE = 64, PITCH = TILE + 1 };

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void transpose(__global const float4 *restrict x, __global float4 *restrict o, int rows, int cols)
{
    __local float tile[TILE * PITCH];
    int across = cols / TILE, top = get_group_id(0) / across * TILE, left = get_group_id(0) % across * TILE;
    int tx = get_local_id(0) % 16, ty = get_local_id(0) / 16;
    float4 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = x[((size_t)(top + ty + 16 * k) * cols + left) / 4 + tx];
    for (int k = 0; k < 4; k++) {
        __local float *to = &tile[(ty + 16 * k) * PITCH + 4 * tx];
        to[0] = v[k].x;
        to[1] = v[k].y;
        to[2] = v[k].z;
        to[3] = v[k].w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        __local const float *from = &tile[4 * tx * PITCH + ty + 16 * k];
        o[((size_t)(left + ty + 16 * k) * rows + top) / 4 + tx] =
            (float4)(from[0], from[PITCH], from[2 * PITCH], from[3 * PITCH]);
    }
}
