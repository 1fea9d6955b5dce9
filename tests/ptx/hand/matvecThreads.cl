BLOCK void matvecThreads(int rows, int cols, __global const double *restrict a, __global const double *restrict x,
                         __global double *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), row = group * 256 + id;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = 0; i < cols; i++)
        sum += a[row * cols + i] * x[i];
    out[row] = sum;
}
