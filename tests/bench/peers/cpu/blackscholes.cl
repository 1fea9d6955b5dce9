/* A work-item for each option. */

float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * exp(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void black_scholes(__global const float *restrict price, __global const float *restrict strike,
                            __global const float *restrict years, __global float *restrict call, __global float *restrict put,
                            int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float s = price[i], k = strike[i], t = years[i], v = 0.3f * sqrt(t);
    float d1 = (log(s / k) + 0.065f * t) / v, d2 = d1 - v;
    float n1 = normal(d1), n2 = normal(d2), now = k * exp(-0.02f * t);
    call[i] = s * n1 - now * n2;
    put[i] = now * (1.0f - n2) - s * (1.0f - n1);
}
