/* A work-item for each pixel. */

__kernel void mandelbrot(__global int *restrict o, int limit, float left, float bottom, float side, int rows, int cols)
{
    int i = get_global_id(0);
    if (i >= rows * cols)
        return;
    float cr = left + i % cols * (side / cols), ci = bottom + i / cols * (side / rows);
    float zr = 0, zi = 0;
    int k = 0;
    while (k < limit && zr * zr + zi * zi <= 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        k++;
    }
    o[i] = k;
}
