/* A thread for each pixel; blocks are 16 x 16 pixels, so that the pixels of a warp end about together.  Extents are multiples
 * of 16. */

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void mandelbrot(__global int *restrict o, int limit, float left, float bottom, float side, int rows, int cols)
{
    int across = cols / 16, id = get_local_id(0);
    int x = get_group_id(0) % across * 16 + id % 16, y = get_group_id(0) / across * 16 + id / 16;
    float cr = left + x * (side / cols), ci = bottom + y * (side / rows);
    float zr = 0, zi = 0, zr2 = 0, zi2 = 0;
    int k = 0;
    while (k < limit && zr2 + zi2 <= 4.0f) {
        zi = mad(zr + zr, zi, ci);
        zr = zr2 - zi2 + cr;
        zr2 = zr * zr;
        zi2 = zi * zi;
        k++;
    }
    o[y * cols + x] = k;
}
