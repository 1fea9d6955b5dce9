/* wall [RUNS]: how long the host waits for CUB's sum and scan, as wall.c measures it of FCL: memory is there, each call is
 * waited for. */
#include <cub/cub.cuh>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "wall: %s\n", cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

enum { WARM_UP = 5, MOST_SIZE = 100000000 };

/* A function of CUB is called twice: once for the size of its memory, and to run. */
template <class Call> static void measure(const char *name, long n, size_t runs, Call call)
{
    size_t bytes = 0;
    void *temp = nullptr;
    std::vector<double> times(runs);
    must(call(nullptr, bytes));
    must(cudaMalloc(&temp, bytes));
    for (size_t i = 0; i < WARM_UP + runs; i++) {
        auto start = std::chrono::steady_clock::now();
        must(call(temp, bytes));
        must(cudaDeviceSynchronize());
        std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        times[i % runs] = time.count();
    }
    std::sort(times.begin(), times.end());
    printf("%s %ld %.2f\n", name, n, times[runs / 2]);
    must(cudaFree(temp));
}

int main(int argc, char **argv)
{
    size_t runs = argc > 1 ? strtoul(argv[1], nullptr, 10) : 200;
    int32_t *xs, *ys;
    std::vector<int32_t> ones(MOST_SIZE, 1);
    must(cudaMalloc(&xs, MOST_SIZE * sizeof *xs));
    must(cudaMalloc(&ys, MOST_SIZE * sizeof *ys));
    must(cudaMemcpy(xs, ones.data(), MOST_SIZE * sizeof *xs, cudaMemcpyHostToDevice));
    for (int n = 1; n <= MOST_SIZE; n *= 10) {
        measure("sum", n, runs, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, xs, ys, n); });
        measure("scan", n, runs, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, xs, ys, n); });
    }
    return EXIT_SUCCESS;
}
