/* Four options for each thread, native functions.  Wants a multiple of 4. */

float4 normal(float4 d)
{
    float4 k = native_recip(mad(fabs(d), 0.2316419f, 1.0f));
    float4 poly = k * mad(k, mad(k, mad(k, mad(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float4 tail = 0.3989422804f * native_exp(-0.5f * d * d) * poly;
    return select(tail, 1.0f - tail, isgreater(d, (float4)0.0f));
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void black_scholes(__global const float4 *restrict price, __global const float4 *restrict strike,
                   __global const float4 *restrict years, __global float4 *restrict call, __global float4 *restrict put, int n)
{
    int i = get_global_id(0);
    if (i >= n / 4)
        return;
    float4 s = price[i], k = strike[i], t = years[i], v = 0.3f * native_sqrt(t);
    float4 d1 = native_divide(mad(t, 0.065f, native_log(native_divide(s, k))), v), d2 = d1 - v;
    float4 n1 = normal(d1), n2 = normal(d2), now = k * native_exp(-0.02f * t);
    call[i] = s * n1 - now * n2;
    put[i] = now * (1.0f - n2) - s * (1.0f - n1);
}
