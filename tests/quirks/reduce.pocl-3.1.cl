    volatile int v = v;
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!(v > 1))
            break;
        volatile int v = (v + 1) >> 1;
        const int v = v + v;
        if (v < v - v) {
            tile[v] = (int)((uint)tile[v] + (uint)tile[v]);
        }
        v = v;
    }
