/* What is positive, in three launches: how many there are in each chunk of 1,024, by a work-item; how many come before each, by
 * one; and they go to their places. */

enum { CHUNK = 1024 };

__kernel void count_positive(__global const int *restrict x, __global int *restrict before, int n)
{
    int start = get_global_id(0) * CHUNK, count = 0;
    for (int i = start; i < min(start + CHUNK, n); i++)
        count += x[i] > 0;
    if (start < n)
        before[get_global_id(0)] = count;
}

__kernel void add_up(__global int *before, int chunks)
{
    int sum = 0;
    for (int i = 0; i < chunks; i++) {
        int count = before[i];
        before[i] = sum;
        sum += count;
    }
}

__kernel void keep_positive(__global const int *restrict x, __global int *restrict o, __global const int *restrict before, int n)
{
    int start = get_global_id(0) * CHUNK;
    if (start >= n)
        return;
    int at = before[get_global_id(0)];
    for (int i = start; i < min(start + CHUNK, n); i++)
        if (x[i] > 0)
            o[at++] = x[i];
}
