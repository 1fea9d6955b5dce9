BLOCK void saxpy(float a, int n, __global const float *restrict x, __global const float *restrict y, __global float *restrict out)
{
    int group = get_group_id(0), id = get_local_id(0), i = group * 256 + id;
    if (i < n)
        out[i] = a * x[i] + y[i];
}
