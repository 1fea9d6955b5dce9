/* The vendor's side of the benchmark: CUB, cuBLAS, cuSPARSE and plain CUDA kernels on the problems of problems.c, with the same data, the
 * same checks and the same way of measuring as the OpenCL side.  A line of JSON for each result:
 *
 *   {"name": "reduce-sum", "n": 16777216, "ms": 0.0234, "by": "CUB"}
 *
 * cuda [--sizes=2^24,...] [--runs=N] [--seed=N] [--only=NAME,...].  Needs CUDA 12.8 or later. */
#include "tests/bench/problem.h"

#include <cub/cub.cuh>
#include <cub/device/device_transform.cuh>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

extern "C" void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("cuda: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(EXIT_FAILURE);
}

extern "C" void *xalloc(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p)
        die("out of memory for %zu bytes", bytes);
    return p;
}

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        die("%s: %s", what, cudaGetErrorString(error));
}

static void must(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        die("%s: cuBLAS status %d", what, (int)status);
}

static void must(cusparseStatus_t status, const char *what)
{
    if (status != CUSPARSE_STATUS_SUCCESS)
        die("%s: %s", what, cusparseGetErrorString(status));
}

#define MUST(call) must(call, #call)

static void *device_memory(size_t bytes)
{
    void *p = nullptr;
    MUST(cudaMalloc(&p, bytes ? bytes : 1));
    return p;
}

/* ---- measuring ---- */

struct settings {
    std::vector<uint64_t> sizes;
    uint64_t seed = (uint64_t)time(nullptr);
    unsigned runs = 31;
    std::string only;
};

/* One problem at one size on the device. */
struct job {
    const settings *s;
    instance i;
    void *in[MAX_INPUTS] = {}, *out[MAX_OUTPUTS] = {}, *scratch;
    cublasHandle_t blas;
    cusparseHandle_t sparse;

    template <class T> T *input(int k) const { return (T *)in[k]; }
    template <class T> T *output(int k) const { return (T *)out[k]; }
    int n() const { return (int)i.e.n; }
    size_t out_bytes(int k) const { return i.what->out_count(i.e) * bytes_of_type(i.what->out[k]); }
};

enum { SCRATCH = 1 << 28, WARM_UP = 2 };

/* Everything in the cache is overwritten before.  The run is given to the device meanwhile, so that nothing in it waits for
 * the host. */
static double time_once(const job &j, const std::function<void()> &run)
{
    float ms;
    cudaEvent_t start, stop;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaMemsetAsync(j.scratch, 0, SCRATCH));
    MUST(cudaEventRecord(start));
    run();
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    MUST(cudaGetLastError());
    MUST(cudaEventElapsedTime(&ms, start, stop));
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(stop));
    return ms;
}

static void check(const job &j, const std::function<void()> &run, const char *by)
{
    void *results[MAX_OUTPUTS] = {};
    char why[MAX_TEXT];
    for (int k = 0; k < MAX_OUTPUTS && j.i.what->out[k]; k++)
        MUST(cudaMemset(j.out[k], 0xa5, j.out_bytes(k)));
    time_once(j, run);
    for (int k = 0; k < MAX_OUTPUTS && j.i.what->out[k]; k++) {
        results[k] = xalloc(j.out_bytes(k));
        MUST(cudaMemcpy(results[k], j.out[k], j.out_bytes(k), cudaMemcpyDeviceToHost));
    }
    if (!j.i.what->check(&j.i, results, why))
        die("%s by %s is wrong: %s", j.i.what->name, by, why);
    for (void *r : results)
        free(r);
}

static void contend(const job &j, const char *by, const std::function<void()> &run)
{
    std::vector<double> times(j.s->runs);
    check(j, run, by);
    for (int r = 0; r < WARM_UP; r++)
        time_once(j, run);
    for (double &t : times)
        t = time_once(j, run);
    std::sort(times.begin(), times.end());
    printf("{\"name\": \"%s\", \"n\": %llu, \"ms\": %.6f, \"by\": \"%s\"}\n", j.i.what->name, (unsigned long long)j.i.e.n,
           (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2, by);
    fflush(stdout);
}

/* A function of CUB is called twice: once for the size of its memory, and to run. */
static void contend_cub(const job &j, const std::function<cudaError_t(void *, size_t &)> &call)
{
    size_t bytes = 0;
    must(call(nullptr, bytes), "a size asked of CUB");
    void *temp = device_memory(bytes);
    contend(j, "CUB", [&] { must(call(temp, bytes), "a call of CUB"); });
    MUST(cudaFree(temp));
}

/* ---- kernels ---- */

enum { THREADS = 256 };

static unsigned blocks(uint64_t items)
{
    return (unsigned)((items + THREADS - 1) / THREADS);
}

struct times3_plus1 {
    __device__ int operator()(int x) const { return 3 * x + 1; }
};

struct times3_plus1_half {
    __device__ __half operator()(__half x) const { return __hfma(x, __half(3.0f), __half(1.0f)); }
};

struct add_floats {
    __host__ __device__ float operator()(float x, float y) const { return x + y; }
};

struct row_start {
    int cols;
    __host__ __device__ int operator()(int row) const { return row * cols; }
};

__global__ void reverse16(const int4 *x, int4 *o, int quads)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= quads)
        return;
    int4 v = x[quads - 1 - i];
    o[i] = make_int4(v.w, v.z, v.y, v.x);
}

/* Tiles of 32 x 32 by 32 x 8 threads, padded. */
__global__ void transpose32(const float *x, float *o, int rows, int cols)
{
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(row + k) * cols + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        o[(size_t)(row + k) * rows + col] = tile[threadIdx.x][threadIdx.y + k];
}

/* The same of elements of two bytes, two of which are read and written at once: tiles of 64 x 64. */
__global__ void transpose64(const ushort2 *x, ushort2 *o, int rows, int cols)
{
    __shared__ ushort2 tile[64][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 64 + threadIdx.y;
    for (int k = 0; k < 64; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(row + k) * (cols / 2) + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 64 + 2 * threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        ushort2 a = tile[2 * threadIdx.x][threadIdx.y + k], b = tile[2 * threadIdx.x + 1][threadIdx.y + k];
        o[(size_t)(row + 2 * k) * (rows / 2) + col] = make_ushort2(a.x, b.x);
        o[(size_t)(row + 2 * k + 1) * (rows / 2) + col] = make_ushort2(a.y, b.y);
    }
}

__device__ float normal(float d)
{
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * __expf(-0.5f * d * d) * poly;
    return d > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], k = strike[i], t = years[i], v = 0.3f * sqrtf(t);
    float d1 = __fdividef(__logf(__fdividef(s, k)) + 0.065f * t, v), d2 = d1 - v;
    float n1 = normal(d1), n2 = normal(d2), now = k * __expf(-0.02f * t);
    call[i] = s * n1 - now * n2;
    put[i] = now * (1 - n2) - s * (1 - n1);
}

/* Blocks of 16 x 16 pixels. */
__global__ void mandelbrot(int *o, int rows, int cols)
{
    int x = blockIdx.x * 16 + threadIdx.x % 16, y = blockIdx.y * 16 + threadIdx.x / 16, k = 0;
    float cr = MANDELBROT_LEFT + x * (MANDELBROT_SIDE / cols), ci = MANDELBROT_BOTTOM + y * (MANDELBROT_SIDE / rows);
    float zr = 0, zi = 0, zr2 = 0, zi2 = 0;
    while (k < MANDELBROT_LIMIT && zr2 + zi2 <= 4) {
        zi = (zr + zr) * zi + ci;
        zr = zr2 - zi2 + cr;
        zr2 = zr * zr;
        zi2 = zi * zi;
        k++;
    }
    o[y * cols + x] = k;
}

/* Bodies: each of 16 warps pulls 128 of them, four for each lane, to those of its part of all, of which 32 at a time lie in
 * local memory; the sums of the warps are added up at the end. */
enum { BODY_WARPS = 16, BODY_EACH = 4, BODY_BLOCK = 32 * BODY_EACH };

__device__ float reciprocal_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__global__ void __launch_bounds__(32 * BODY_WARPS) pull_bodies(const float *x, const float *y, const float *z, const float *m,
                                                               float *ox, float *oy, float *oz, int n)
{
    __shared__ float4 tile[BODY_WARPS][32];
    __shared__ float sums[3][BODY_WARPS][BODY_BLOCK];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * BODY_BLOCK;
    float at[BODY_EACH][3], sum[BODY_EACH][3] = {};
    for (int q = 0; q < BODY_EACH; q++) {
        int i = first + 32 * q + lane;
        at[q][0] = x[i], at[q][1] = y[i], at[q][2] = z[i];
    }
    for (int start = 32 * warp; start < n; start += 32 * BODY_WARPS) {
        int j = start + lane;
        __syncwarp();
        tile[warp][lane] = make_float4(x[j], y[j], z[j], m[j]);
        __syncwarp();
#pragma unroll 16
        for (int k = 0; k < 32; k++) {
            float4 b = tile[warp][k];
#pragma unroll
            for (int q = 0; q < BODY_EACH; q++) {
                float dx = b.x - at[q][0], dy = b.y - at[q][1], dz = b.z - at[q][2];
                float r = reciprocal_root(dx * dx + (dy * dy + (dz * dz + 0.01f))), s = b.w * r * r * r;
                sum[q][0] += s * dx, sum[q][1] += s * dy, sum[q][2] += s * dz;
            }
        }
    }
    for (int q = 0; q < BODY_EACH; q++)
        for (int k = 0; k < 3; k++)
            sums[k][warp][32 * q + lane] = sum[q][k];
    __syncthreads();
    if (threadIdx.x >= 3 * BODY_BLOCK)
        return;
    int k = threadIdx.x / BODY_BLOCK, i = threadIdx.x % BODY_BLOCK;
    float all = 0;
    for (int w = 0; w < BODY_WARPS; w++)
        all += sums[k][w][i];
    (k == 0 ? ox : k == 1 ? oy : oz)[first + i] = all;
}

__device__ int inside(int i, int n)
{
    return max(0, min(i, n - 1));
}

/* Heat: a thread goes up a column of eight places, whose values it keeps; blocks of 4 x 64 columns. */
enum { HEAT_UP = 8, HEAT_DOWN = 4, HEAT_ACROSS = 64 };

__global__ void __launch_bounds__(HEAT_DOWN * HEAT_ACROSS) heat_column(const float *__restrict__ x, float *o, int n)
{
    int k = blockIdx.x * HEAT_ACROSS + threadIdx.x % HEAT_ACROSS, j = blockIdx.y * HEAT_DOWN + threadIdx.x / HEAT_ACROSS;
    int first = blockIdx.z * HEAT_UP, plane = n * n;
    if (j >= n || k >= n)
        return;
    int here = j * n + k, above = inside(j - 1, n) * n + k, below = inside(j + 1, n) * n + k;
    int left = j * n + inside(k - 1, n), right = j * n + inside(k + 1, n);
    float column[HEAT_UP + 2];
#pragma unroll
    for (int r = 0; r < HEAT_UP + 2; r++)
        column[r] = x[inside(first + r - 1, n) * plane + here];
#pragma unroll
    for (int r = 0; r < HEAT_UP; r++) {
        int p = min(first + r, n - 1) * plane;
        float sum = column[r] + column[r + 2] + x[p + above] + x[p + below] + x[p + left] + x[p + right];
        if (first + r < n)
            o[p + here] = column[r + 1] + 0.1f * (sum - 6 * column[r + 1]);
    }
}

/* Sums of the points of each cluster: a thread keeps those of all, for 64 points that are as far apart as a block has
 * threads. */
enum { POINTS_EACH = 64 };

__global__ void __launch_bounds__(THREADS) sum_clusters(const int *sizes, const float *points, const int *of, float *o, int n)
{
    __shared__ float all[CLUSTERS * COORDINATES];
    float sum[CLUSTERS][COORDINATES] = {};
    int first = blockIdx.x * THREADS * POINTS_EACH, end = min(n, first + THREADS * POINTS_EACH);
    if (threadIdx.x < CLUSTERS * COORDINATES)
        all[threadIdx.x] = 0;
#pragma unroll 8
    for (int i = first + threadIdx.x; i < end; i += THREADS) {
        int mine = of[i];
        float at[COORDINATES] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
#pragma unroll
        for (int c = 0; c < CLUSTERS; c++)
            for (int j = 0; j < COORDINATES; j++)
                sum[c][j] += mine == c ? at[j] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < CLUSTERS; c++)
        for (int j = 0; j < COORDINATES; j++) {
            float s = sum[c][j];
            for (int d = 16; d; d /= 2)
                s += __shfl_xor_sync(~0u, s, d);
            if (threadIdx.x % 32 == 0)
                atomicAdd(&all[c * COORDINATES + j], s);
        }
    __syncthreads();
    if (threadIdx.x < CLUSTERS * COORDINATES)
        atomicAdd(&o[threadIdx.x], all[threadIdx.x] / sizes[threadIdx.x / COORDINATES]);
}

struct is_positive {
    __device__ bool operator()(int x) const { return x > 0; }
};

/* Four elements for each thread, read 16 bytes at a time. */
__global__ void scatter4(const int4 *at, const int4 *x, int *o, int quads)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= quads)
        return;
    int4 a = at[i], v = x[i];
    o[a.x] = v.x;
    o[a.y] = v.y;
    o[a.z] = v.z;
    o[a.w] = v.w;
}

/* ---- the problems ---- */

static void run_copy(job &j)
{
    contend(j, "cudaMemcpy",
            [&] { MUST(cudaMemcpyAsync(j.out[0], j.in[0], j.out_bytes(0), cudaMemcpyDeviceToDevice)); });
}

static void run_map(job &j)
{
    contend(j, "CUB", [&] {
        MUST(cub::DeviceTransform::Transform(j.input<int>(0), j.output<int>(0), j.n(), times3_plus1{}));
    });
}

static void run_reverse(job &j)
{
    contend(j, "CUDA", [&] {
        reverse16<<<blocks(j.i.e.n / 4), THREADS>>>(j.input<int4>(0), j.output<int4>(0), j.n() / 4);
    });
    contend(j, "Thrust", [&] {
        thrust::reverse_copy(thrust::device, j.input<int>(0), j.input<int>(0) + j.i.e.n, j.output<int>(0));
    });
}

static void run_transpose(job &j)
{
    int rows = (int)j.i.e.rows, cols = (int)j.i.e.cols;
    float one = 1, zero = 0, *o = j.output<float>(0);
    contend(j, "CUDA", [&] {
        transpose32<<<dim3(cols / 32, rows / 32), dim3(32, 8)>>>(j.input<float>(0), o, rows, cols);
    });
    contend(j, "cuBLAS", [&] { /* in columns, the matrix is cols x rows */
        MUST(cublasSgeam(j.blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, j.input<float>(0), cols, &zero, o, rows, o,
                         rows));
    });
}

static void run_sum(job &j)
{
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceReduce::Sum(temp, bytes, j.input<int>(0), j.output<int>(0), j.n());
    });
}

static void run_max(job &j)
{
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceReduce::Max(temp, bytes, j.input<int>(0), j.output<int>(0), j.n());
    });
}

static void run_scan(job &j)
{
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(temp, bytes, j.input<int>(0), j.output<int>(0), j.n());
    });
}

static void run_dot(job &j)
{
    MUST(cublasSetPointerMode(j.blas, CUBLAS_POINTER_MODE_DEVICE));
    contend(j, "cuBLAS", [&] {
        MUST(cublasSdot(j.blas, j.n(), j.input<float>(0), 1, j.input<float>(1), 1, j.output<float>(0)));
    });
    MUST(cublasSetPointerMode(j.blas, CUBLAS_POINTER_MODE_HOST));
}

static void run_row_sums(job &j)
{
    auto starts = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), row_start{(int)j.i.e.cols});
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Sum(temp, bytes, j.input<float>(0), j.output<float>(0), (int)j.i.e.rows, starts,
                                               starts + 1);
    });
}

static void run_black_scholes(job &j)
{
    contend(j, "CUDA", [&] {
        black_scholes<<<blocks(j.i.e.n), THREADS>>>(j.input<float>(0), j.input<float>(1), j.input<float>(2),
                                                    j.output<float>(0), j.output<float>(1), j.n());
    });
}

static void run_histogram(job &j)
{
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(temp, bytes, j.input<unsigned char>(0), j.output<unsigned>(0), 257, 0, 256,
                                                   j.n());
    });
}

static void run_mandelbrot(job &j)
{
    contend(j, "CUDA", [&] {
        mandelbrot<<<dim3((unsigned)j.i.e.cols / 16, (unsigned)j.i.e.rows / 16), THREADS>>>(
            j.output<int>(0), (int)j.i.e.rows, (int)j.i.e.cols);
    });
}

/* In columns, the product of the transposed matrices in the other order.  The default mode of 32-bit floats uses no tensor
 * cores. */
static void run_sgemm(job &j)
{
    int d = (int)j.i.e.rows;
    float one = 1, zero = 0;
    MUST(cublasSetMathMode(j.blas, CUBLAS_DEFAULT_MATH));
    contend(j, "cuBLAS", [&] {
        MUST(cublasSgemm(j.blas, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, j.input<float>(1), d, j.input<float>(0), d, &zero,
                         j.output<float>(0), d));
    });
}

/* Of f16, whose products are added up as f32: in the pedantic mode no tensor cores take part. */
static void run_half_product(job &j)
{
    int d = (int)j.i.e.rows;
    float one = 1, zero = 0;
    contend(j, "cuBLAS", [&] {
        MUST(cublasGemmEx(j.blas, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, j.in[1], CUDA_R_16F, d, j.in[0], CUDA_R_16F, d, &zero,
                          j.out[0], CUDA_R_16F, d, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT));
    });
}

static void run_half_map(job &j)
{
    contend(j, "CUB", [&] {
        MUST(cub::DeviceTransform::Transform(j.input<__half>(0), j.output<__half>(0), j.n(), times3_plus1_half{}));
    });
}

static void run_half_sum(job &j)
{
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceReduce::Reduce(temp, bytes, j.input<__half>(0), j.output<float>(0), j.n(), add_floats{}, 0.0f);
    });
}

static void run_half_transpose(job &j)
{
    int rows = (int)j.i.e.rows, cols = (int)j.i.e.cols;
    contend(j, "CUDA", [&] {
        transpose64<<<dim3(cols / 64, rows / 64), dim3(32, 8)>>>(j.input<ushort2>(0), j.output<ushort2>(0), rows, cols);
    });
}

/* Many products of small matrices, which lie one behind the other. */
static void run_products(job &j)
{
    int d = SMALL_SIDE, count = (int)j.i.e.rows;
    long long apart = (long long)d * d;
    float one = 1, zero = 0;
    MUST(cublasSetMathMode(j.blas, CUBLAS_DEFAULT_MATH));
    contend(j, "cuBLAS", [&] {
        MUST(cublasSgemmStridedBatched(j.blas, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, j.input<float>(1), d, apart,
                                       j.input<float>(0), d, apart, &zero, j.output<float>(0), d, apart, count));
    });
}

/* The number of elements that are kept goes to memory of its own. */
static void run_positive(job &j)
{
    int *kept = (int *)device_memory(sizeof *kept);
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceSelect::If(temp, bytes, j.input<int>(0), j.output<int>(0), kept, j.n(), is_positive{});
    });
    MUST(cudaFree(kept));
}

static void run_permuted(job &j)
{
    contend(j, "CUDA", [&] {
        scatter4<<<blocks(j.i.e.n / 4), THREADS>>>(j.input<int4>(0), j.input<int4>(1), j.output<int>(0), j.n() / 4);
    });
    contend(j, "Thrust", [&] {
        thrust::scatter(thrust::device, j.input<int>(1), j.input<int>(1) + j.i.e.n, j.input<int>(0), j.output<int>(0));
    });
}

static void run_segment_sums(job &j)
{
    const int *starts = j.input<int>(1);
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Sum(temp, bytes, j.input<int>(0), j.output<int>(0), (int)j.i.e.rows, starts,
                                               starts + 1);
    });
}

/* By one algorithm.  What it finds out of the matrix beforehand, where it may, is not measured. */
static void contend_cusparse(const job &j, cusparseSpMVAlg_t algorithm, bool beforehand, const char *by)
{
    int64_t rows = (int64_t)j.i.e.rows;
    float one = 1, zero = 0;
    size_t bytes = 0;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    MUST(cusparseCreateCsr(&a, rows, rows, j.n(), j.in[0], j.in[1], j.in[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    MUST(cusparseCreateDnVec(&x, rows, j.in[3], CUDA_R_32F));
    MUST(cusparseCreateDnVec(&y, rows, j.out[0], CUDA_R_32F));
    MUST(cusparseSpMV_bufferSize(j.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_32F, algorithm, &bytes));
    void *temp = device_memory(bytes);
    if (beforehand)
        MUST(cusparseSpMV_preprocess(j.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_32F, algorithm, temp));
    contend(j, by, [&] {
        MUST(cusparseSpMV(j.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_32F, algorithm, temp));
    });
    MUST(cudaFree(temp));
    MUST(cusparseDestroyDnVec(y));
    MUST(cusparseDestroyDnVec(x));
    MUST(cusparseDestroySpMat(a));
}

static void run_sparse(job &j)
{
    contend_cusparse(j, CUSPARSE_SPMV_CSR_ALG1, true, "cuSPARSE");
    contend_cusparse(j, CUSPARSE_SPMV_CSR_ALG2, true, "cuSPARSE 2");
    contend_cusparse(j, CUSPARSE_SPMV_CSR_ALG1, false, "cuSPARSE, the first time");
}

static void run_sorted(job &j)
{
    contend_cub(j, [&](void *temp, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temp, bytes, j.input<unsigned>(0), j.output<unsigned>(0), j.n());
    });
}

static void run_bodies(job &j)
{
    contend(j, "CUDA", [&] {
        pull_bodies<<<(unsigned)(j.i.e.n / BODY_BLOCK), 32 * BODY_WARPS>>>(
            j.input<float>(0), j.input<float>(1), j.input<float>(2), j.input<float>(3), j.output<float>(0), j.output<float>(1),
            j.output<float>(2), j.n());
    });
}

static void run_heat(job &j)
{
    unsigned n = (unsigned)j.i.e.rows;
    dim3 grid((n + HEAT_ACROSS - 1) / HEAT_ACROSS, (n + HEAT_DOWN - 1) / HEAT_DOWN, (n + HEAT_UP - 1) / HEAT_UP);
    contend(j, "CUDA", [&] {
        heat_column<<<grid, HEAT_DOWN * HEAT_ACROSS>>>(j.input<float>(0), j.output<float>(0), (int)n);
    });
}

static void run_means(job &j)
{
    int n = (int)j.i.e.rows, each = THREADS * POINTS_EACH;
    contend(j, "CUDA", [&] {
        MUST(cudaMemsetAsync(j.out[0], 0, j.out_bytes(0)));
        sum_clusters<<<(unsigned)((n + each - 1) / each), THREADS>>>(j.input<int>(0), j.input<float>(1), j.input<int>(2),
                                                                     j.output<float>(0), n);
    });
}

/* reduce-compose has no peer: CUB reduces with operators that commute. */
static const struct {
    const char *name;
    void (*run)(job &);
} entries[] = {
    {"copy", run_copy},           {"map", run_map},
    {"reverse", run_reverse},     {"transpose", run_transpose},
    {"reduce-sum", run_sum},      {"reduce-max", run_max},
    {"scan", run_scan},           {"dot", run_dot},
    {"row-sums", run_row_sums},   {"black-scholes", run_black_scholes},
    {"histogram", run_histogram}, {"mandelbrot", run_mandelbrot},
    {"products-16", run_products},
    {"sgemm", run_sgemm},         {"compact", run_positive},
    {"scatter", run_permuted},    {"segment-sums-16", run_segment_sums},
    {"segment-sums-256", run_segment_sums},  {"segment-sums-4096", run_segment_sums},
    {"segment-sums-skewed", run_segment_sums},  {"radix-sort", run_sorted},
    {"n-body", run_bodies},       {"heat-7", run_heat},
    {"heat-cube", run_heat},      {"k-means-sums", run_means},
    {"k-means-parallel", run_means}, {"k-means-stream", run_means},
    {"segment-sums-skewed", run_segment_sums},  {"segment-sums-1", run_segment_sums},
    {"segment-sums-single", run_segment_sums},  {"segment-sums-huge", run_segment_sums},
    {"radix-sort", run_sorted},
    {"copy-f16", run_copy},       {"map-f16", run_half_map},
    {"reduce-f16", run_half_sum}, {"transpose-f16", run_half_transpose},
    {"sgemm-f16", run_half_product},
    {"sparse-banded", run_sparse}, {"sparse-skewed", run_sparse},
};

/* ---- all of them ---- */

static void open_job(job &j, const problem *p, uint64_t n)
{
    j.i = instance{};
    j.i.what = p;
    j.i.e = p->shape(n);
    for (int k = 0; k < MAX_INPUTS && p->in[k].rank; k++) {
        size_t bytes = input_count(p, (unsigned)k, j.i.e) * bytes_of_type(p->in[k].type);
        j.i.in[k] = xalloc(bytes);
        fill_input(p, (unsigned)k, j.i.e, j.i.in[k], j.s->seed);
        j.in[k] = device_memory(bytes);
        MUST(cudaMemcpy(j.in[k], j.i.in[k], bytes, cudaMemcpyHostToDevice));
    }
    for (int k = 0; k < MAX_OUTPUTS && p->out[k]; k++)
        j.out[k] = device_memory(j.out_bytes(k));
}

static void close_job(job &j)
{
    for (int k = 0; k < MAX_INPUTS; k++) {
        free(j.i.in[k]);
        MUST(cudaFree(j.in[k]));
        j.in[k] = nullptr;
    }
    for (int k = 0; k < MAX_OUTPUTS; k++) {
        MUST(cudaFree(j.out[k]));
        j.out[k] = nullptr;
    }
}

static bool is_wanted(const settings &s, const char *name)
{
    return s.only.empty() || ("," + s.only + ",").find("," + std::string(name) + ",") != std::string::npos;
}

static void run_entry(job &j, const problem *p, void (*run)(job &))
{
    std::vector<uint64_t> own = {p->own_size};
    for (uint64_t n : p->own_size ? own : j.s->sizes) {
        open_job(j, p, n);
        run(j);
        close_job(j);
    }
}

static void add_sizes(settings &s, const char *list)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        s.sizes.push_back(strncmp(list, "2^", 2) == 0 ? (uint64_t)1 << strtoul(list + 2, nullptr, 10)
                                                      : strtoull(list, nullptr, 10));
}

static void read_argument(settings &s, const char *arg)
{
    if (strncmp(arg, "--sizes=", 8) == 0)
        add_sizes(s, arg + 8);
    else if (strncmp(arg, "--runs=", 7) == 0)
        s.runs = (unsigned)strtoul(arg + 7, nullptr, 10);
    else if (strncmp(arg, "--seed=", 7) == 0)
        s.seed = strtoull(arg + 7, nullptr, 10);
    else if (strncmp(arg, "--only=", 7) == 0)
        s.only = arg + 7;
    else
        die("what is %s?", arg);
}

int main(int argc, char **argv)
{
    settings s;
    for (int i = 1; i < argc; i++)
        read_argument(s, argv[i]);
    if (s.sizes.empty())
        add_sizes(s, "2^24,2^26,2^28");
    job j;
    j.s = &s;
    j.scratch = device_memory(SCRATCH);
    MUST(cublasCreate(&j.blas));
    MUST(cusparseCreate(&j.sparse));
    fprintf(stderr, "cuda: seed %llu, medians of %u runs\n", (unsigned long long)s.seed, s.runs);
    for (const auto &e : entries)
        if (is_wanted(s, e.name))
            run_entry(j, problem_named(e.name), e.run);
    MUST(cusparseDestroy(j.sparse));
    MUST(cublasDestroy(j.blas));
    return EXIT_SUCCESS;
}
