    int v = 0;
    int v = v;
    for (;;) {
        if (!(v > 1))
            break;
        const int v = (v + 1) >> 1;
        const int v = v - v;
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
        barrier(CLK_LOCAL_MEM_FENCE);
        v = v;
        v = v;
    }
