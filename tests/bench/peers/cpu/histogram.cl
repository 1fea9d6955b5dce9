/* A table of 256 counts for each block in local memory.  o is zero before. */

enum { THREADS = 256 };

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void histogram(__global const uchar *restrict x, __global uint *restrict o, int n)
{
    __local uint counts[256];
    int id = get_local_id(0);
    counts[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&o[id], counts[id]);
}
