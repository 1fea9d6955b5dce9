/* reference FUNCTION SIZE X Y RESULTS: the largest error of RESULTS, in units of the last place,
 * against the function in long double; SIZE is 4 or 8, the bytes of the floats in the files, Y the
 * second operands.  Results that are infinite, NaN or subnormal are not looked at. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long double rsqrtl(long double x)
{
    return 1 / sqrtl(x);
}

#define ONE(name)                                                                                  \
    {                                                                                              \
#name, name##l, NULL                                                                       \
    }
#define TWO(name)                                                                                  \
    {                                                                                              \
#name, NULL, name##l                                                                       \
    }
static const struct {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
} functions[] = {ONE(sqrt),  ONE(rsqrt), ONE(cbrt),  ONE(exp),   ONE(exp2), ONE(expm1), ONE(log),
                 ONE(log2),  ONE(log10), ONE(log1p), ONE(sin),   ONE(cos),  ONE(tan),   ONE(asin),
                 ONE(acos),  ONE(atan),  ONE(sinh),  ONE(cosh),  ONE(tanh), ONE(asinh), ONE(acosh),
                 ONE(atanh), ONE(erf),   TWO(atan2), TWO(hypot), TWO(pow)};

static int read_float(FILE *f, int size, double *x)
{
    float narrow;
    if (size == 8)
        return fread(x, 8, 1, f) == 1;
    int ok = fread(&narrow, 4, 1, f) == 1;
    *x = ok ? (double)narrow : 0;
    return ok;
}

static long double unit_at(double x, int size)
{
    double above =
        size == 8 ? nextafter(fabs(x), INFINITY) : (double)nextafterf(fabsf((float)x), INFINITY);
    return (long double)above - fabs(x);
}

int main(int argc, char **argv)
{
    size_t k = 0;
    while (argc == 6 && k < sizeof functions / sizeof *functions &&
           strcmp(functions[k].name, argv[1]) != 0)
        k++;
    if (argc != 6 || k == sizeof functions / sizeof *functions)
        return 2;
    int size = atoi(argv[2]);
    FILE *xs = fopen(argv[3], "rb"), *ys = fopen(argv[4], "rb"), *zs = fopen(argv[5], "rb");
    if (!xs || !ys || !zs)
        return 2;
    double x, y, z, worst = 0, least = size == 8 ? DBL_MIN : (double)FLT_MIN;
    while (read_float(xs, size, &x) && read_float(ys, size, &y) && read_float(zs, size, &z)) {
        long double r = functions[k].one ? functions[k].one(x) : functions[k].two(x, y);
        double rounded = size == 8 ? (double)r : (double)(float)r;
        if (!isfinite(rounded) || fabs(rounded) < least)
            continue;
        double error = (double)(fabsl((long double)z - r) / unit_at(rounded, size));
        worst = error <= worst ? worst : error;
    }
    printf("%.2f\n", worst);
    return 0;
}
