/* A block for each tile, which has a row and a column at least; down: how many tiles cover the rows, and times and shift what dividing by it takes (see
 * ir/kernel/pass/reciprocals.c); room: an element for each of a tile.  A thread knows row and column of its next element
 * without a division, of which ptxas makes some twenty instructions: 256 elements on are so many rows and columns. */
BLOCK void transposeTiled(int tile, int cols, int rows, int down, uint times, uint shift, __global const int *restrict in,
                          __global int *restrict out, __local int *restrict room)
{
    int group = get_group_id(0), id = get_local_id(0);
    int q = (mul_hi((uint)group, times) + group) >> shift, left = q * tile, top = (group - q * down) * tile;
    int h = min(tile, rows - top), w = min(tile, cols - left), size = h * w;
    int i = (uint)id / (uint)w, j = (uint)id % (uint)w, di = 256 / (uint)w, dj = 256 % (uint)w;
    for (int e = id; e < size; e += 256) {
        room[e] = in[(top + i) * cols + left + j];
        i += di;
        j += dj;
        if (j >= w) {
            i++;
            j -= w;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    i = (uint)id / (uint)h, j = (uint)id % (uint)h, di = 256 / (uint)h, dj = 256 % (uint)h;
    for (int e = id; e < size; e += 256) {
        out[(left + i) * rows + top + j] = room[j * w + i];
        i += di;
        j += dj;
        if (j >= h) {
            i++;
            j -= h;
        }
    }
}
