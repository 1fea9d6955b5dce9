// The programs of tail.sh as plain C for one thread: hand NAME SIZE [TURNS] prints the number that the TAIL program ends with, and on
// standard error how many milliseconds that took.  sobol reads its directions, with commas between them, from standard input.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double PI = 3.14159265358979323846;

static double square(double x)
{
    return x * x;
}

static double *array(size_t n)
{
    double *xs = malloc(n * sizeof *xs);
    if (!xs)
        exit(1);
    return xs;
}

static double integral(int n, int turns)
{
    double sum = 0;
    (void)turns;
    for (int i = 0; i < n; i++)
        sum += 4 / (1 + square((i + 0.5) / n)) / n;
    return sum;
}

static double signal_levels(int n, int turns)
{
    double sum = 0, last = 0;
    (void)turns;
    for (int i = 1; i <= n; i++) {
        double now = sin(i / (n / 10.0));
        sum += fmax(-50, fmin(50, 50 * ((now - last) / (0.01 + now))));
        last = now;
    }
    return sum;
}

// ---- life ----

static bool corner(int n, int i, int j)
{
    int r = i - (n - 3), c = j - (n - 3);
    return r >= 0 && c >= 0 && (r == 0 || (r == 1 && c == 0) || (r == 2 && c == 1));
}

// A square of side n in the first quarter becomes one of side 2 * n.
static void quadruple(unsigned char *cells, int n, int side)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            cells[i * side + n + j] = cells[(j + 3) % n * side + i];
    unsigned char *left = malloc((size_t)n * (size_t)n);
    if (!left)
        exit(1);
    for (int i = 0; i < n; i++)
        memcpy(left + i * n, cells + (i + 5) % n * side, (size_t)n);
    for (int i = 0; i < n; i++)
        memcpy(cells + i * side, left + i * n, (size_t)n);
    free(left);
    for (int i = 0; i < n; i++)
        memcpy(cells + (n + i) * side, cells + (i + 4) % n * side, 2 * (size_t)n);
}

static double life(int n, int turns)
{
    int side = 4 * n;
    size_t count = (size_t)side * (size_t)side;
    unsigned char *now = calloc(count, 1), *next = calloc(count, 1);
    if (!now || !next)
        exit(1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            now[i * side + j] = corner(n, i, j);
    quadruple(now, n, side);
    quadruple(now, 2 * n, side);
    for (int t = 0; t < turns; t++) {
        for (int i = 0; i < side; i++) {
            const unsigned char *a = now + (i ? i - 1 : side - 1) * side, *b = now + i * side;
            const unsigned char *c = now + (i == side - 1 ? 0 : i + 1) * side;
            for (int j = 0; j < side; j++) {
                int l = j ? j - 1 : side - 1, r = j == side - 1 ? 0 : j + 1;
                int sum = a[l] + a[j] + a[r] + b[l] + b[j] + b[r] + c[l] + c[j] + c[r];
                next[i * side + j] = (unsigned char)(sum == 3 || (sum == 4 && b[j]));
            }
        }
        unsigned char *old = now;
        now = next;
        next = old;
    }
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += now[k];
    free(now);
    free(next);
    return sum;
}

// ---- the date of Easter ----

static int easter_of(int y)
{
    int golden = 1 + y % 19, century = 1 + y / 100, x = century * 3 / 4 - 12, z = (5 + 8 * century) / 25 - 5;
    int d = (int)(5LL * y / 4) - (x + 10), e = (11 * golden + 20 + z - x) % 30;
    e = e < 0 ? e + 30 : e;
    int epact = e + (e == 24 || (e == 25 && golden > 11)), full = 44 - epact + 30 * (epact > 23);
    int rest = (d + full) % 7, sunday = full + 7 - (rest < 0 ? rest + 7 : rest);
    uint32_t date = 10000 * (uint32_t)y + (sunday > 31 ? 400 + (uint32_t)(sunday - 31) : 300 + (uint32_t)sunday);
    return (int)date;
}

static double easter(int n, int turns)
{
    int last = INT32_MIN;
    (void)turns;
    for (int i = 1; i <= n; i++) {
        int date = easter_of(i);
        last = date > last ? date : last;
    }
    return last;
}

// ---- options ----

static double normal(double d)
{
    double k = 1 / (1 + 0.2316419 * fabs(d));
    double poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 1 / sqrt(2 * PI) * exp(-0.5 * square(d)) * poly;
    return d < 0 ? tail : 1 - tail;
}

static double options(int n, int turns)
{
    double sum = 0;
    (void)turns;
    for (int i = 1; i <= n; i++) {
        double years = i / 20.0, v = 0.2 * sqrt(years), d = (log(60.0 / 65) + 0.12 * years) / v;
        sum += (60 * normal(d) - 65 * exp(-0.1 * years) * normal(d - v)) / n;
    }
    return sum;
}

static double sobol(int n, int turns)
{
    unsigned at[60] = {0};
    int inside = 0;
    (void)turns;
    for (int i = 0; i < 60; i++)
        if (scanf(i ? ",%u" : "%u", at + i) != 1)
            exit(1);
    for (int i = 1; i <= n; i++) {
        unsigned gray = (unsigned)i ^ (unsigned)i >> 1, x = 0, y = 0;
        for (int b = 0; b < 30; b++)
            if (gray >> b & 1) {
                x ^= at[b];
                y ^= at[30 + b];
            }
        inside += sqrt(square(x / 1073741824.0) + square(y / 1073741824.0)) < 1;
    }
    return 4.0 * inside / n;
}

static double hotspot(int n, int turns)
{
    size_t count = (size_t)n * (size_t)n;
    double *now = array(count), *next = array(count), *heat = array(count);
    double side = 0.016 / n, capacity = 0.5 * 1.75e6 * 5e-4 * side * side, down = 5e-4 / (100 * side * side);
    double pace = 1e-3 / (3e6 / (0.5 * 5e-4 * 1.75e6)) / capacity, top = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        heat[k] = (double)(k * 6007 % 1000) / 100000;
        now[k] = 320 + (double)(k * 7001 % 1000) / 100;
    }
    for (int t = 0; t < turns; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int k = i * n + j;
                double x = now[k], across = 0, along = 0;
                across += j < n - 1 ? now[k + 1] - x : 0;
                across += j > 0 ? now[k - 1] - x : 0;
                along += i < n - 1 ? now[k + n] - x : 0;
                along += i > 0 ? now[k - n] - x : 0;
                next[k] = x + pace * (heat[k] + (along / 10 + (across / 10 + (80 - x) / down)));
            }
        double *old = now;
        now = next;
        next = old;
    }
    for (size_t k = 0; k < count; k++)
        top = fmax(top, now[k]);
    free(now);
    free(next);
    free(heat);
    return top;
}

static double mandelbrot(int n, int limit)
{
    double sum = 0;
    for (int k = 0; k < n * n; k++) {
        double cr = -2 + (k % n + 1) * (2.75 / n), ci = -0.75 + (k / n + 1) * (1.5 / n), zr = 0, zi = 0;
        int left = limit;
        while (left > 0 && zr * zr + zi * zi < 4) {
            double r = cr + (zr * zr - zi * zi);
            zi = ci + 2 * (zr * zi);
            zr = r;
            left--;
        }
        sum += zr * zr + zi * zi < 4 ? left : left + 1;
    }
    return sum;
}

static const struct {
    const char *name;
    double (*run)(int n, int turns);
} programs[] = {
    {"integral", integral}, {"signal", signal_levels}, {"life", life},       {"easter", easter},
    {"options", options},   {"sobol", sobol},          {"hotspot", hotspot}, {"mandelbrot", mandelbrot},
};

int main(int argc, char **argv)
{
    for (size_t p = 0; argc > 2 && p < sizeof programs / sizeof *programs; p++)
        if (strcmp(argv[1], programs[p].name) == 0) {
            struct timespec a, b;
            timespec_get(&a, TIME_UTC);
            double result = programs[p].run(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 0);
            timespec_get(&b, TIME_UTC);
            printf("[%.17g]\n", result);
            fprintf(stderr, "%.3f ms\n", (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6);
            return 0;
        }
    return 2;
}
