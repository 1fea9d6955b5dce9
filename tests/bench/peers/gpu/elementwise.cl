/* 16 bytes by each thread.  reverse wants a multiple of 4 elements. */

#define BLOCK __attribute__((reqd_work_group_size(256, 1, 1)))

__kernel BLOCK void copy(__global const int *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0), quads = n / 4;
    if (i < quads)
        ((__global int4 *)o)[i] = ((__global const int4 *)x)[i];
    if (i < n % 4)
        o[4 * quads + i] = x[4 * quads + i];
}

__kernel BLOCK void map(__global const int *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0), quads = n / 4;
    if (i < quads)
        ((__global int4 *)o)[i] = ((__global const int4 *)x)[i] * 3 + 1;
    if (i < n % 4)
        o[4 * quads + i] = x[4 * quads + i] * 3 + 1;
}

__kernel BLOCK void reverse(__global const int4 *restrict x, __global int4 *restrict o, int n)
{
    int i = get_global_id(0), quads = n / 4;
    if (i < quads)
        o[i] = x[quads - 1 - i].wzyx;
}

/* Element i of x goes to place at[i].  A multiple of 4 elements. */
__kernel BLOCK void scatter(__global const int4 *restrict at, __global const int4 *restrict x, __global int *restrict o, int n)
{
    int i = get_global_id(0);
    if (i >= n / 4)
        return;
    int4 a = at[i], v = x[i];
    o[a.x] = v.x;
    o[a.y] = v.y;
    o[a.z] = v.z;
    o[a.w] = v.w;
}
