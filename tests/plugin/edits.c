/* Passes over kernel programs that ask for what cannot be done, each in its own way, and one that
 * is right: the value of every store is what it was plus one, by a store of its own. */
#include <fcl_backend.h>

#include <string.h>

/* The first node with that operator; 0: none. */
static fcl_k_node first_of(const fcl_k_program *p, fcl_k_op op)
{
    fcl_k_node_info n;
    for (fcl_k_node id = 1; id < fcl_k_program_nodes(p); id++)
        if (fcl_k_node_get(p, id, &n, sizeof n) && n.op == op)
            return id;
    return 0;
}

static bool remove_load(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_edit_remove(e, first_of(p, FCL_K_LOAD));
    return true;
}

static bool remove_used(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_edit_remove(e, first_of(p, FCL_K_FOR));
    return true;
}

static bool other_type(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_edit_replace(e, first_of(p, FCL_K_LOAD), fcl_edit_const(e, FCL_BOOL, 1));
    return true;
}

static bool no_node(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user, (void)p;
    fcl_edit_remove(e, 4000000000u);
    fcl_edit_store(e, 4000000000u, 1, 2, 3);
    fcl_edit_replace(e, 4000000000u, 4000000001u);
    return true;
}

static bool no_operator(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_k_node x = first_of(p, FCL_K_LOAD);
    fcl_edit_scalar(e, x, "frobnicate", &x, 1);
    return true;
}

/* A value before what it is computed from is there. */
static bool too_early(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_k_node x = first_of(p, FCL_K_LOAD), launch = first_of(p, FCL_K_LAUNCH);
    fcl_k_node operands[2] = {x, x};
    fcl_edit_replace(e, x, fcl_edit_scalar(e, launch, "add", operands, 2));
    return true;
}

/* A value of one block in another one: the verifier sees it. */
static bool elsewhere(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_k_node_info n;
    fcl_k_node x = first_of(p, FCL_K_LOAD), output = first_of(p, FCL_K_OUTPUT);
    fcl_k_node_get(p, output, &n, sizeof n);
    fcl_edit_store(e, output, n.operands[0], fcl_edit_const(e, FCL_I32, 0), x);
    return true;
}

static bool silent(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user, (void)p, (void)e;
    return false;
}

/* Each store of a kernel to global memory goes, and another one with its value plus one comes. */
static bool increment(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    fcl_k_node_info n, memory;
    for (fcl_k_node id = 1; id < fcl_k_program_nodes(p); id++) {
        if (!fcl_k_node_get(p, id, &n, sizeof n) || n.op != FCL_K_STORE ||
            !fcl_k_node_get(p, n.operands[0], &memory, sizeof memory) || memory.type != FCL_I32)
            continue;
        fcl_k_node operands[2] = {n.operands[2], fcl_edit_const(e, FCL_I32, 1)};
        fcl_k_node sum = fcl_edit_scalar(e, id, "add", operands, 2);
        fcl_edit_store(e, id, n.operands[0], n.operands[1], sum);
        fcl_edit_remove(e, id);
    }
    return true;
}

static bool add(fcl_context *cx, const char *name, const char *after,
                bool (*run)(void *, const fcl_k_program *, fcl_edit *))
{
    const fcl_kernel_pass pass = {
        .size = sizeof pass, .name = name, .summary = "a test", .after = after, .run = run};
    return fcl_kernel_pass_register(cx, &pass);
}

static bool load(fcl_context *cx)
{
    return add(cx, "remove-load", NULL, remove_load) && add(cx, "remove-used", NULL, remove_used) &&
           add(cx, "other-type", NULL, other_type) && add(cx, "no-node", NULL, no_node) &&
           add(cx, "no-operator", NULL, no_operator) && add(cx, "too-early", NULL, too_early) &&
           add(cx, "elsewhere", NULL, elsewhere) && add(cx, "silent", NULL, silent) &&
           add(cx, "increment", "virtualise", increment);
}

FCL_PLUGIN("edits", load);
