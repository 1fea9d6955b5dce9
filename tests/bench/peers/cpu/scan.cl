/* Inclusive prefix sums in three launches: chunks of 1,024 by Kogge and Stone's network; the sums of the chunks by one block;
 * what came before is added to each chunk. */

enum { THREADS = 256, CHUNK = 1024 };
#define BLOCK __attribute__((reqd_work_group_size(THREADS, 1, 1)))

/* Scans count <= CHUNK elements that lie `pitch` apart, from the first. */
void scan_chunk(__global const int *x, int pitch, __global int *o, int count, __local int *room)
{
    int id = get_local_id(0), from = 0;
    for (int i = id; i < count; i += THREADS)
        room[i] = x[i * pitch];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < count; stride *= 2) {
        for (int i = id; i < count; i += THREADS)
            room[CHUNK - from + i] = room[from + i] + (i >= stride ? room[from + i - stride] : 0);
        from = CHUNK - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = id; i < count; i += THREADS)
        o[i] = room[from + i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel BLOCK void scan_chunks(__global const int *restrict x, __global int *restrict o, int n)
{
    __local int room[2 * CHUNK];
    int start = get_group_id(0) * CHUNK;
    scan_chunk(x + start, 1, o + start, min(CHUNK, n - start), room);
}

/* By one block, CHUNK sums after the other; sums: what comes before each chunk but the first. */
__kernel BLOCK void scan_sums(__global const int *restrict o, __global int *restrict sums, int chunks)
{
    __local int room[2 * CHUNK];
    __local int carry;
    if (get_local_id(0) == 0)
        carry = 0;
    for (int start = 0; start < chunks; start += CHUNK) {
        int count = min(CHUNK, chunks - start);
        scan_chunk(o + (start + 1) * CHUNK - 1, CHUNK, sums + start, count, room);
        int before = carry, last = sums[start + count - 1];
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        for (int i = get_local_id(0); i < count; i += THREADS)
            sums[start + i] += before;
        if (get_local_id(0) == 0)
            carry = before + last;
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
}

__kernel BLOCK void add_before(__global int *restrict o, __global const int *restrict sums, int n)
{
    int chunk = get_group_id(0) + 1, start = chunk * CHUNK, before = sums[chunk - 1];
    for (int i = start + get_local_id(0); i < min(start + CHUNK, n); i += THREADS)
        o[i] += before;
}
