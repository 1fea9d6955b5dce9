/* Sklansky's network over each chunk, in place: a step writes only odd runs and reads the ends of even ones.  room: an element
 * for each of a chunk. */
BLOCK void sklansky(int chunk, int n, __global const int *restrict in, __global int *restrict out, __local int *restrict room)
{
    int group = get_group_id(0), id = get_local_id(0), start = group * chunk, size = min(chunk, n - start);
    for (int i = id; i < size; i += 256)
        room[i] = in[start + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < size; stride *= 2) {
        for (int i = id; i < size; i += 256)
            if (i & stride)
                room[i] += room[(i & -stride) - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = id; i < size; i += 256)
        out[start + i] = room[i];
}
