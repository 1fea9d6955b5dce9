/* dx, dy: extents of a pixel, which the host computes, as it does times and shift: of 0 <= i < 2^31,
 * i / width = (mul_hi(i, times) + i) >> shift (Granlund and Montgomery 1994).  ptxas makes some twenty instructions of a
 * division, which PTX counts as one. */
BLOCK void mandelbrot(int limit, double left, double bottom, double dx, double dy, int width, uint times, uint shift, int size,
                      __global int *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), i = group * 256 + id;
    if (i >= size)
        return;
    int y = (mul_hi((uint)i, times) + i) >> shift, x = i - y * width;
    double cr = left + x * dx, ci = bottom + y * dy, zr = 0, zi = 0;
    int k = 0;
    while (k < limit && zr * zr + zi * zi <= 4) {
        double next = zr * zr - zi * zi + cr;
        zi = zr * zi * 2 + ci;
        zr = next;
        k++;
    }
    out[i] = k;
}
