/* A block for each tile; across: how many tiles cover the columns; room: an element for each of a tile. */
BLOCK void transposeTiled(int tile, int cols, int rows, int across, __global const int *restrict in, __global int *restrict out,
                          __local int *restrict room)
{
    int group = get_group_id(0), id = get_local_id(0), top = group / across * tile, left = group % across * tile;
    int h = min(tile, rows - top), w = min(tile, cols - left);
    for (int e = id; e < h * w; e += 256)
        room[e] = in[(top + e / w) * cols + left + e % w];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = id; e < h * w; e += 256)
        out[(left + e / h) * rows + top + e % h] = room[e % h * w + e / h];
}
