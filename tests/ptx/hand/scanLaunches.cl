/* One step of Kogge and Stone's network over the whole array; the host doubles the stride and swaps the arrays so that the
 * last step writes the result; where there is no step it copies the array. */
BLOCK void scanLaunches(int stride, int n, __global const int *restrict in, __global int *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), i = group * 256 + id;
    if (i < n)
        out[i] = i >= stride ? in[i - stride] + in[i] : in[i];
}
