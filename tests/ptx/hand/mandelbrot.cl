/* dx, dy: extents of a pixel, which the host computes. */
BLOCK void mandelbrot(int limit, double left, double bottom, double dx, double dy, int width, int height, __global int *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), i = group * 256 + id;
    if (i >= width * height)
        return;
    double cr = left + i % width * dx, ci = bottom + i / width * dy, zr = 0, zi = 0;
    int k = 0;
    while (k < limit && zr * zr + zi * zi <= 4) {
        double next = zr * zr - zi * zi + cr;
        zi = zr * zi * 2 + ci;
        zr = next;
        k++;
    }
    out[i] = k;
}
