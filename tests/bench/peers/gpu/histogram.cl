/* A table of 256 counts for each warp in local memory; 16 bytes for each load.  o is zero before. */

enum { THREADS = 256, WARPS = THREADS / 32 };

void count4(__local uint *mine, uint word)
{
    atomic_inc(&mine[word & 0xff]);
    atomic_inc(&mine[word >> 8 & 0xff]);
    atomic_inc(&mine[word >> 16 & 0xff]);
    atomic_inc(&mine[word >> 24]);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void histogram(__global const uchar *restrict x, __global uint *restrict o, int n)
{
    __local uint counts[WARPS * 256];
    int id = get_local_id(0), quads = n / 16, stride = get_global_size(0);
    __local uint *mine = counts + id / 32 * 256;
    for (int i = id; i < WARPS * 256; i += THREADS)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < quads; i += stride) {
        uint4 v = ((__global const uint4 *)x)[i];
        count4(mine, v.x);
        count4(mine, v.y);
        count4(mine, v.z);
        count4(mine, v.w);
    }
    if (get_global_id(0) < n % 16)
        atomic_inc(&mine[x[16 * quads + get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (int w = 0; w < WARPS; w++)
        sum += counts[w * 256 + id];
    atomic_add(&o[id], sum);
}
