/* A pass over kernel programs: x * 2 of integers becomes x << 1, and x + x of floats where they are
 * multiplied by two.  It shows the three things that a pass does: read, make a value, replace one.
 *
 *   cc -std=c11 -fPIC -shared -o doubling.so doubling.c $(pkg-config --cflags --libs libfcl)
 *   fclc compile prog.fclir --plugin=./doubling.so -o prog.cl */
#include <fcl_backend.h>

#include <string.h>

static const fcl_pass_option options[] = {{.name = "Of",
                                           .summary = "which products it doubles",
                                           .word = "all",
                                           .choices = "all,integers,floats"}};

/* Whether the user wants products of that type doubled. */
static bool is_wanted(const fcl_k_program *p, fcl_scalar type)
{
    const char *of = fcl_pass_word(fcl_k_program_context(p), "Of");
    bool real = fcl_scalar_get(type)->kind == 'f';
    return !of || strcmp(of, "all") == 0 || strcmp(of, real ? "floats" : "integers") == 0;
}

/* Whether a node is the constant two, of an integer or of an f32. */
static bool is_two(const fcl_k_program *p, fcl_k_node id)
{
    fcl_k_node_info n;
    if (!fcl_k_node_get(p, id, &n, sizeof n) || n.op != FCL_K_CONST)
        return false;
    const fcl_scalar_facts *t = fcl_scalar_get(n.type);
    return t->kind == 'f' ? n.type == FCL_F32 && n.bits == 0x40000000 : n.bits == 2;
}

/* The other factor of a product with two; 0: it is none. */
static fcl_k_node doubled(const fcl_k_program *p, const fcl_k_node_info *n)
{
    if (n->op != FCL_K_SCALAR || strcmp(n->name, "mul") != 0)
        return 0;
    return is_two(p, n->operands[1])   ? n->operands[0]
           : is_two(p, n->operands[0]) ? n->operands[1]
                                       : 0;
}

static bool run(void *user, const fcl_k_program *p, fcl_edit *edit)
{
    (void)user;
    fcl_k_node_info n;
    for (fcl_k_node id = 1; id < fcl_k_program_nodes(p); id++) {
        if (!fcl_k_node_get(p, id, &n, sizeof n))
            continue;
        fcl_k_node x = doubled(p, &n);
        if (!x || !is_wanted(p, n.type))
            continue;
        bool real = fcl_scalar_get(n.type)->kind == 'f';
        fcl_k_node operands[2] = {x, real ? x : fcl_edit_const(edit, n.type, 1)};
        fcl_edit_replace(edit, id, fcl_edit_scalar(edit, id, real ? "add" : "shl", operands, 2));
    }
    return true;
}

static bool load(fcl_context *cx)
{
    const fcl_kernel_pass pass = {.size = sizeof pass,
                                  .name = "doubling",
                                  .summary = "double by shifts and sums",
                                  .after = "simplify",
                                  .run = run,
                                  .options = options,
                                  .noptions = 1,
                                  .option_size = sizeof *options};
    return fcl_kernel_pass_register(cx, &pass);
}

FCL_PLUGIN("doubling", load);
