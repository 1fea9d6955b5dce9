/* How the hand-written kernels are started.  Blocks have 256 threads unless it says otherwise. */
#include "tests/bench/peers.h"

#include <string.h>

enum { THREADS = 256 };

static size_t ceil_div(uint64_t n, uint64_t by)
{
    return (size_t)((n + by - 1) / by);
}

static void launch_items(peer *p, const char *kernel, uint64_t items, const char *args)
{
    peer_launch(p, kernel, ceil_div(items, THREADS), THREADS, args);
}

/* ---- element by element ---- */

static void copy_gpu(peer *p)
{
    launch_items(p, "copy", (p->i->e.n + 3) / 4, "xon");
}

static void copy_cpu(peer *p)
{
    launch_items(p, "copy", p->i->e.n, "xon");
}

static void map_gpu(peer *p)
{
    launch_items(p, "map", (p->i->e.n + 3) / 4, "xon");
}

static void map_cpu(peer *p)
{
    launch_items(p, "map", p->i->e.n, "xon");
}

static void reverse_gpu(peer *p)
{
    launch_items(p, "reverse", p->i->e.n / 4, "xon");
}

static void reverse_cpu(peer *p)
{
    launch_items(p, "reverse", p->i->e.n, "xon");
}

static void scatter_gpu(peer *p)
{
    launch_items(p, "scatter", p->i->e.n / 4, "xyon");
}

static void scatter_cpu(peer *p)
{
    launch_items(p, "scatter", p->i->e.n, "xyon");
}

static void black_scholes_gpu(peer *p)
{
    launch_items(p, "black_scholes", p->i->e.n / 4, "xyzoqn");
}

static void black_scholes_cpu(peer *p)
{
    launch_items(p, "black_scholes", p->i->e.n, "xyzoqn");
}

static void mandelbrot(peer *p)
{
    peer_launch(p, "mandelbrot", ceil_div(p->i->e.n, THREADS), THREADS, "oifffrc", MANDELBROT_LIMIT,
                (double)MANDELBROT_LEFT, (double)MANDELBROT_BOTTOM, (double)MANDELBROT_SIDE);
}

/* ---- tiles ---- */

static void transpose_tiles(peer *p, uint64_t tile)
{
    peer_launch(p, "transpose", ceil_div(p->i->e.rows, tile) * ceil_div(p->i->e.cols, tile),
                THREADS, "xorc");
}

static void transpose_gpu(peer *p)
{
    transpose_tiles(p, 64);
}

static void transpose_cpu(peer *p)
{
    transpose_tiles(p, 32);
}

static void sgemm_tiles(peer *p, uint64_t tile)
{
    size_t across = (size_t)(p->i->e.rows / tile);
    peer_launch(p, "sgemm", across * across, THREADS, "xyoc");
}

static void sgemm_gpu(peer *p)
{
    sgemm_tiles(p, 128);
}

static void sgemm_cpu(peer *p)
{
    sgemm_tiles(p, 32);
}

/* ---- reductions ---- */

/* Blocks that fill the device: 2,048 threads on each compute unit. */
static size_t all_groups(const peer *p)
{
    return p->m->units * 8;
}

static void reduce_once(peer *p, const char *kernel, const char *args)
{
    peer_temp(p, 0, 4 * (1 + all_groups(p)));
    peer_launch(p, kernel, all_groups(p), THREADS, args);
}

static void sum_gpu(peer *p)
{
    reduce_once(p, "reduce_sum", "xotn");
}

static void max_gpu(peer *p)
{
    reduce_once(p, "reduce_max", "xotn");
}

static void compose_gpu(peer *p)
{
    reduce_once(p, "compose", "xotn");
}

static void dot_gpu(peer *p)
{
    reduce_once(p, "dot_product", "xyotn");
}

enum { CHUNK = 512 };

/* Launches until one element is left, each over what the one before wrote. */
static void reduce_rest(peer *p, const char *kernel, cl_mem from, uint64_t n)
{
    cl_mem temp = peer_temp(p, 0, 4 * ceil_div(p->i->e.n, CHUNK)),
           other = peer_temp(p, 1, 4 * ceil_div(p->i->e.n, CHUNK));
    while (n > CHUNK) {
        cl_mem to = from == temp ? other : temp;
        peer_launch(p, kernel, ceil_div(n, CHUNK), THREADS, "mmi", from, to, (cl_int)n);
        from = to;
        n = ceil_div(n, CHUNK);
    }
    peer_launch(p, kernel, 1, THREADS, "moi", from, (cl_int)n);
}

static void sum_cpu(peer *p)
{
    reduce_rest(p, "reduce_sum", memory_of(p->i->buffers[0]), p->i->e.n);
}

static void max_cpu(peer *p)
{
    reduce_rest(p, "reduce_max", memory_of(p->i->buffers[0]), p->i->e.n);
}

static void compose_cpu(peer *p)
{
    reduce_rest(p, "compose", memory_of(p->i->buffers[0]), p->i->e.n);
}

static void dot_cpu(peer *p)
{
    size_t groups = ceil_div(p->i->e.n, CHUNK);
    cl_mem temp = peer_temp(p, 0, 4 * groups);
    peer_launch(p, "sum_products", groups, THREADS, "xytn");
    reduce_rest(p, "sum_float", temp, groups);
}

static void row_sums(peer *p)
{
    peer_launch(p, "row_sums", (size_t)p->i->e.rows, THREADS, "xoc");
}

static void histogram(peer *p)
{
    peer_zero(p, memory_of(p->out[0]), 256 * 4);
    peer_launch(p, "histogram", all_groups(p), THREADS, "xon");
}

/* ---- scan ---- */

static void scan_gpu(peer *p)
{
    enum { SCAN_THREADS = 128, TILE = SCAN_THREADS * 48 };
    size_t tiles = ceil_div(p->i->e.n, TILE);
    peer_temp(p, 0, 8 * (tiles + 1));
    peer_launch(p, "scan_init", ceil_div(tiles + 1, THREADS), THREADS, "ti", (cl_int)(tiles + 1));
    peer_launch(p, "scan", tiles, SCAN_THREADS, "xotin", (cl_int)tiles);
}

static void scan_cpu(peer *p)
{
    enum { SCAN_CHUNK = 1024 };
    size_t chunks = ceil_div(p->i->e.n, SCAN_CHUNK);
    peer_temp(p, 0, 4 * chunks);
    peer_launch(p, "scan_chunks", chunks, THREADS, "xon");
    if (chunks == 1)
        return;
    peer_launch(p, "scan_sums", 1, THREADS, "oti", (cl_int)(chunks - 1));
    peer_launch(p, "add_before", chunks - 1, THREADS, "otn");
}

/* ---- what is kept, segments ---- */

static void compact_cpu(peer *p)
{
    enum { KEPT_CHUNK = 1024 };
    size_t chunks = ceil_div(p->i->e.n, KEPT_CHUNK);
    peer_temp(p, 0, 4 * chunks);
    launch_items(p, "count_positive", chunks, "xtn");
    peer_launch(p, "add_up", 1, 1, "ti", (cl_int)chunks);
    launch_items(p, "keep_positive", chunks, "xotn");
}

static void segments_cpu(peer *p)
{
    launch_items(p, "segments", p->i->e.rows, "xyor");
}

static const peer_entry entries[] = {
    {"copy", "elementwise.cl", copy_gpu, copy_cpu},
    {"map", "elementwise.cl", map_gpu, map_cpu},
    {"reverse", "elementwise.cl", reverse_gpu, reverse_cpu},
    {"scatter", "elementwise.cl", scatter_gpu, scatter_cpu},
    {"transpose", "transpose.cl", transpose_gpu, transpose_cpu},
    {"reduce-sum", "reduce.cl", sum_gpu, sum_cpu},
    {"reduce-max", "reduce.cl", max_gpu, max_cpu},
    {"reduce-compose", "reduce.cl", compose_gpu, compose_cpu},
    {"scan", "scan.cl", scan_gpu, scan_cpu},
    {"dot", "reduce.cl", dot_gpu, dot_cpu},
    {"row-sums", "reduce.cl", row_sums, row_sums},
    {"black-scholes", "blackscholes.cl", black_scholes_gpu, black_scholes_cpu},
    {"mandelbrot", "mandelbrot.cl", mandelbrot, mandelbrot},
    {"histogram", "histogram.cl", histogram, histogram},
    {"sgemm", "sgemm.cl", sgemm_gpu, sgemm_cpu},
    {"compact", "compact.cl", NULL, compact_cpu},
    {"segment-sums-1", "segments.cl", NULL, segments_cpu},
    {"segment-sums-16", "segments.cl", NULL, segments_cpu},
    {"segment-sums-256", "segments.cl", NULL, segments_cpu},
    {"segment-sums-4096", "segments.cl", NULL, segments_cpu},
    {"segment-sums-skewed", "segments.cl", NULL, segments_cpu},
    {"segment-sums-single", "segments.cl", NULL, segments_cpu},
    {"segment-sums-huge", "segments.cl", NULL, segments_cpu},
};

const peer_entry *peer_named(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].problem, name) == 0)
            return &entries[i];
    return NULL;
}
