float normal(float d)
{
    float k = 1 / (1 + fabs(d) * 0.2316419f);
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = exp(d * d * -0.5f) * 0.3989422804f * poly;
    return d > 0 ? 1 - tail : tail;
}

BLOCK void blackscholes(int n, __global const float *restrict price, __global const float *restrict strike,
                        __global const float *restrict years, __global float *restrict calls, __global float *restrict puts)
{
    int group = get_group_id(0), id = get_local_id(0), i = group * 256 + id;
    if (i >= n)
        return;
    float s = price[i], k = strike[i], t = years[i], v = sqrt(t) * 0.3f;
    float d1 = (log(s / k) + t * 0.065f) / v, d2 = d1 - v;
    float n1 = normal(d1), n2 = normal(d2), now = k * exp(t * -0.02f);
    calls[i] = s * n1 - now * n2;
    puts[i] = now * (1 - n2) - s * (1 - n1);
}
