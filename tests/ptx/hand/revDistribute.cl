/* A block for each chunk; the chunks stand in the result from the last to the first. */
BLOCK void revDistribute(int chunk, int n, __global const int *restrict in, __global int *restrict out)
{
    int group = get_group_id(0), start = group * chunk, size = min(chunk, n - start), to = n - start - size;
    for (int i = get_local_id(0); i < size; i += 256)
        out[to + i] = in[start + size - 1 - i];
}
