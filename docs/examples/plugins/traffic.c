/* A target that writes no code, but a list of the kernels and of what each reads and writes: a
 * plug-in that reads programs of the kernel IR and nothing else.
 *
 *   cc -std=c11 -fPIC -shared -o traffic.so traffic.c $(pkg-config --cflags --libs libfcl)
 *   fclc compile prog.fclir --plugin=./traffic.so --target=traffic -o prog.txt */
#include <fcl_backend.h>

#include <stdarg.h>
#include <stdio.h>

static void put(fcl_emission *out, const char *format, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    fcl_emit_text(out, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* How many statements of a kernel read and write each space. */
typedef struct traffic {
    unsigned reads[FCL_K_LANES + 1], writes[FCL_K_LANES + 1], barriers;
} traffic;

/* Arguments of the entry and tables are in global memory. */
static fcl_k_space space_of(const fcl_k_program *p, fcl_k_node memory)
{
    fcl_k_node_info m = {0};
    fcl_k_node_get(p, memory, &m, sizeof m);
    return m.op == FCL_K_ALLOC ? m.space : FCL_K_GLOBAL;
}

static void count(const fcl_k_program *p, const fcl_k_node_info *n, traffic *t)
{
    switch (n->op) {
    case FCL_K_LOAD:
    case FCL_K_LOADWIDE: t->reads[space_of(p, n->operands[0])]++; break;
    case FCL_K_STORE:
    case FCL_K_STOREWIDE: t->writes[space_of(p, n->operands[0])]++; break;
    case FCL_K_ATOMIC:
        t->reads[space_of(p, n->operands[0])]++;
        t->writes[space_of(p, n->operands[0])]++;
        break;
    case FCL_K_SYNC: t->barriers++; break;
    default: break;
    }
}

/* Blocks nest no deeper than a C compiler takes. */
static void count_block(const fcl_k_program *p, fcl_k_block b, traffic *t)
{
    fcl_k_block_info block;
    fcl_k_node_info n;
    if (!fcl_k_block_get(p, b, &block, sizeof block))
        return;
    for (fcl_k_node id = block.first; fcl_k_node_get(p, id, &n, sizeof n); id = n.next) {
        count(p, &n, t);
        count_block(p, n.blocks[0], t);
        count_block(p, n.blocks[1], t);
    }
}

static void list_kernel(const fcl_k_program *p, size_t i, const fcl_k_kernel_info *k,
                        fcl_emission *out)
{
    traffic t = {0};
    fcl_k_local_info local;
    count_block(p, k->body, &t);
    put(out, "%s: groups of %u threads, %zu scalars, %zu memories\n", k->name, k->threads,
        k->nscalars, k->nglobals);
    put(out, "  global %u reads, %u writes; local %u reads, %u writes; %u barriers\n",
        t.reads[FCL_K_GLOBAL], t.writes[FCL_K_GLOBAL], t.reads[FCL_K_LOCAL], t.writes[FCL_K_LOCAL],
        t.barriers);
    for (size_t j = 0; fcl_k_local_get(p, i, j, &local, sizeof local); j++)
        put(out, "  local array %u in area %u from byte %llu\n", (unsigned)local.memory, local.area,
            (unsigned long long)local.offset);
}

static bool emit(void *user, const fcl_k_program *const *programs, size_t n, fcl_emission *out)
{
    fcl_k_kernel_info k;
    (void)user;
    for (size_t i = 0; i < n; i++) {
        put(out, "entry %s\n", fcl_k_program_entry(programs[i]));
        for (size_t j = 0; fcl_k_kernel_get(programs[i], j, &k, sizeof k); j++)
            list_kernel(programs[i], j, &k, out);
    }
    return true;
}

/* What it cannot do it declines, before anything is written: here arithmetic on f64. */
static bool accept(void *user, const fcl_k_program *p)
{
    fcl_k_node_info n;
    (void)user;
    for (fcl_k_node id = 1; id < fcl_k_program_nodes(p); id++)
        if (fcl_k_node_get(p, id, &n, sizeof n) && n.op == FCL_K_SCALAR && n.type == FCL_F64)
            return fcl_k_program_refuse(p, id, "the target traffic has no arithmetic on double",
                                        "compute in f32");
    return true;
}

static const fcl_target_facts facts = {.size = sizeof facts,
                                       .max_block = 1024,
                                       .warp_size = 32,
                                       .groups_wait = true,
                                       .atomics64 = true,
                                       .f64 = true};
static const fcl_dialect dialects[] = {{.name = "local", .options = ""}};

static bool load(fcl_context *cx)
{
    const fcl_backend b = {.size = sizeof b,
                           .name = "traffic",
                           .summary = "what each kernel reads and writes, as a list",
                           .facts = &facts,
                           .dialects = dialects,
                           .ndialects = 1,
                           .accept = accept,
                           .emit = emit};
    return fcl_backend_register(cx, &b);
}

FCL_PLUGIN("traffic", load);
