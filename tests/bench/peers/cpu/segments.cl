/* A work-item for each segment. */

__kernel void segments(__global const int *restrict x, __global const int *restrict at, __global int *restrict o, int rows)
{
    int s = get_global_id(0);
    if (s >= rows)
        return;
    int sum = 0;
    for (int i = at[s], end = at[s + 1]; i < end; i++)
        sum += x[i];
    o[s] = sum;
}
