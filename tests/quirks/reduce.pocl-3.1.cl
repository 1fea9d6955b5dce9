    volatile int v = 0;
    volatile int v = v;
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!(v > 1))
            break;
        volatile int v = (v + 1) >> 1;
        volatile int v = v - v;
        const int v = v + v;
        const bool v = v < v;
        const int v = v + v;
        const int v = v + v;
        const int v = v + v;
        if (v < v) {
            const int v = tile[v];
            int v = v ? (int)((uint)v + (uint)tile[v]) : v;
            tile[v] = v;
        }
        v = v;
        v = v;
    }
