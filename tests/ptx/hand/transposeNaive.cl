/* size: cols * rows, and 0 at least; by, sign, shift: what k / rows takes, of which the host divides once (see
 * ir/kernel/pass/reciprocals.c).  Both numbers may be negative, and then the quotient is rounded down, not towards 0 as C's;
 * and ptxas makes some twenty instructions of a division, which PTX counts as one. */
BLOCK void transposeNaive(int cols, int rows, int size, int by, int sign, int shift, __global const int *restrict in,
                          __global int *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), k = group * 256 + id;
    if (k >= size)
        return;
    int column = (mul_hi(k, by) + ((k ^ sign) - sign)) >> shift;
    out[k] = in[(k - column * rows) * cols + column];
}
