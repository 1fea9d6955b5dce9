    int v = v;
    for (;;) {
        if (!(v > 1))
            break;
        const int v = (v + 1) >> 1;
        const int v = v + v;
        if (v < v - v) {
            tile[v] = (int)((uint)tile[v] + (uint)tile[v]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        v = v;
    }
