/* A block for each tile of 32 x 32 of the result, with tiles of both operands in local memory.  All extents are d. */

enum { TILE = 32, THREADS = 256, SHARE = TILE * TILE / THREADS };

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void sgemm(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int d)
{
    __local float ta[TILE * TILE], tb[TILE * TILE];
    int id = get_local_id(0), across = d / TILE, top = get_group_id(0) / across * TILE, left = get_group_id(0) % across * TILE;
    float sum[SHARE];
    for (int e = 0; e < SHARE; e++)
        sum[e] = 0;
    for (int k = 0; k < d; k += TILE) {
        for (int e = id; e < TILE * TILE; e += THREADS) {
            ta[e] = a[(top + e / TILE) * d + k + e % TILE];
            tb[e] = b[(k + e / TILE) * d + left + e % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = 0; e < SHARE; e++) {
            int row = (id + e * THREADS) / TILE, col = (id + e * THREADS) % TILE;
            for (int l = 0; l < TILE; l++)
                sum[e] += ta[row * TILE + l] * tb[l * TILE + col];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int e = 0; e < SHARE; e++)
        c[(top + (id + e * THREADS) / TILE) * d + left + (id + e * THREADS) % TILE] = sum[e];
}
