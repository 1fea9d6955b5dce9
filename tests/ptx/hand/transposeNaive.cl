BLOCK void transposeNaive(int cols, int rows, __global const int *restrict in, __global int *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), k = group * 256 + id;
    if (k < cols * rows)
        out[k] = in[k % rows * cols + k / rows];
}
