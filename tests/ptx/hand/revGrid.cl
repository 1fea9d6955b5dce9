BLOCK void revGrid(int n, __global const int *restrict in, __global int *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), i = group * 256 + id;
    if (i < n)
        out[i] = in[n - 1 - i];
}
