/* A work-item for each element. */

__kernel void copy(__global const int *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0);
    if (i < n)
        o[i] = x[i];
}

__kernel void map(__global const int *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0);
    if (i < n)
        o[i] = x[i] * 3 + 1;
}

__kernel void reverse(__global const int *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0);
    if (i < n)
        o[i] = x[n - 1 - i];
}

__kernel void scatter(__global const int *restrict at, __global const int *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0);
    if (i < n)
        o[at[i]] = x[i];
}
