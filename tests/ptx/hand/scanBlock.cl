/* Kogge and Stone's network by one block; room: two elements for each of the array. */
BLOCK void scanBlock(int n, __global const int *restrict in, __global int *restrict out, __local int *restrict room)
{
    int id = get_local_id(0), from = 0;
    for (int i = id; i < n; i += 256)
        room[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < n; stride *= 2) {
        for (int i = id; i < n; i += 256)
            room[n - from + i] = i >= stride ? room[from + i - stride] + room[from + i] : room[from + i];
        from = n - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = id; i < n; i += 256)
        out[i] = room[from + i];
}
