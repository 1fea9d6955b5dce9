/* A block for each tile of 32 x 32, which it keeps in local memory. */

enum { TILE = 32, THREADS = 256 };

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void transpose(__global const float *restrict x, __global float *restrict o, int rows, int cols)
{
    __local float tile[TILE * TILE];
    int across = (cols + TILE - 1) / TILE, id = get_local_id(0);
    int top = get_group_id(0) / across * TILE, left = get_group_id(0) % across * TILE;
    int h = min(TILE, rows - top), w = min(TILE, cols - left);
    for (int e = id; e < h * w; e += THREADS)
        tile[e] = x[(top + e / w) * cols + left + e % w];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = id; e < h * w; e += THREADS)
        o[(left + e / h) * rows + top + e % h] = tile[e % h * w + e / h];
}
