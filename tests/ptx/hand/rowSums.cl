/* A block for each row, which it halves in local memory; room: half a row. */
BLOCK void rowSums(int cols, __global const double *restrict a, __global double *restrict out, __local double *restrict room)
{
    int group = get_group_id(0), id = get_local_id(0), count = cols, middle = (count + 1) / 2;
    a += group * cols;
    for (int i = id; i < middle; i += 256)
        room[i] = i + middle < count ? a[i] + a[i + middle] : a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    while (middle > 1) {
        count = middle;
        middle = (count + 1) / 2;
        for (int i = id; i + middle < count; i += 256)
            room[i] += room[i + middle];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[group] = cols > 0 ? room[0] : 0;
}
