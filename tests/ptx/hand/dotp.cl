/* The first launch multiplies while it loads, and has a block also where there is nothing, whose sum is 0; further ones add up
 * what the blocks found, until there is one element. */
BLOCK void dot_blocks(int n, __global const int *restrict x, __global const int *restrict y, __global int *restrict out)
{
    __local int room[256];
    int group = get_group_id(0), id = get_local_id(0), start = group * 512, count = min(512, n - start), middle = (count + 1) / 2;
    x += start;
    y += start;
    if (id < middle)
        room[id] = id + middle < count ? x[id] * y[id] + x[id + middle] * y[id + middle] : x[id] * y[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    while (middle > 1) {
        count = middle;
        middle = (count + 1) / 2;
        if (id + middle < count)
            room[id] += room[id + middle];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[group] = n > 0 ? room[0] : 0;
}

BLOCK void sum_blocks(int n, __global const int *restrict in, __global int *restrict out)
{
    __local int room[256];
    int group = get_group_id(0), id = get_local_id(0), start = group * 512, count = min(512, n - start), middle = (count + 1) / 2;
    in += start;
    if (id < middle)
        room[id] = id + middle < count ? in[id] + in[id + middle] : in[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    while (middle > 1) {
        count = middle;
        middle = (count + 1) / 2;
        if (id + middle < count)
            room[id] += room[id + middle];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[group] = room[0];
}
