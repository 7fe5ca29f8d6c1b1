#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes functions of JAX as programs of StableHLO, trains them in JAX, and stores both.

usage: make_programs.py [FUNCTION ...]

Writes programs/FUNCTION.mlir, FUNCTION.safetensors (its parameters) and FUNCTION.json (the numbers of training it with
optax) of the functions of functions.py. tests/pytorch/check.py --references programs trains them with dlc and compares.
Needs jax, flax, equinox, optax, safetensors and NumPy; the test needs Python alone.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "pytorch")]

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import export
from safetensors.numpy import save_file

import check
import data
import functions

STEPS, BATCHES, LATER, DISTURBED = 50, 5, 1_000_000, 3


def arrays(tensors, step, count, dtype):
    made = []
    for tensor, numbers in zip(tensors, data.batch(tensors, step, count)):
        kind = jnp.int32 if tensor["kind"] == "index" else dtype
        made.append(jnp.asarray(np.array(numbers, dtype=np.float64).reshape(tensor["shape"]), dtype=kind))
    return made


def loss_of(case, prediction, target):
    if case["loss"] == "mse":
        return jnp.mean((prediction - target) ** 2)
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(prediction, target))


def named(tree):
    """The leaves by the names that dlc gives them."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}


def is_trained(name):
    return not name.startswith("batch_stats.")


def frozen(updates):
    """Without those of leaves that are not trained."""
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: leaf if is_trained(jax.tree_util.keystr(path, simple=True, separator=".")) else 0 * leaf, updates)


def train(case, params, dtype):
    """(losses, gradients of the first step, predictions afterwards)"""
    cast = lambda tree: jax.tree_util.tree_map(lambda leaf: jnp.asarray(leaf, dtype), tree)
    params, optimizer = cast(params), case["optimizer"]
    state, losses, first = optimizer.init(params), [], None

    @jax.jit
    def step(params, state, inputs, target):
        loss, gradients = jax.value_and_grad(lambda p: loss_of(case, case["apply"](p, *inputs), target))(params)
        updates, state = optimizer.update(frozen(gradients), state, params)
        return optax.apply_updates(params, frozen(updates)), state, loss, gradients

    for number in range(STEPS):
        *inputs, target = arrays([*case["inputs"], case["target"]], number, BATCHES, dtype)
        params, state, loss, gradients = step(params, state, inputs, target)
        losses.append(float(loss))
        first = first or {name: np.array(g) for name, g in named(gradients).items() if is_trained(name)}
    inputs = arrays(case["inputs"], LATER, LATER + 1, dtype)
    return losses, first, np.array(case["apply"](params, *inputs)).ravel()


def disturbed(params, random):
    return jax.tree_util.tree_map(
        lambda leaf: (leaf * (1 + 1e-7 * random.standard_normal(leaf.shape))).astype(np.float32), params)


def rounded(values, digits):
    return [float(f"{float(value):.{digits}g}") for value in np.ravel(values)]


def numbers(case, params):
    """float64's results, and how far float32's are from them at most."""
    with jax.enable_x64(True):
        losses, exact, predicted = train(case, params, jnp.float64)
    random = np.random.default_rng(0)
    runs = [train(case, start, jnp.float32) for start in [params, *(disturbed(params, random) for _ in range(DISTURBED))]]
    spread, largest = [], 0.0
    for step, loss in enumerate(losses):
        largest = max(largest, *(abs(run[0][step] - loss) for run in runs))
        spread.append(largest)
    far = lambda a, b: max(np.linalg.norm(np.float64(x) - b) for x in a)
    return {"losses": rounded(losses, 10), "losses_spread": rounded(spread, 2), "predicted": rounded(predicted, 10),
            "predicted_spread": rounded([max(np.abs(run[2] - predicted).max() for run in runs)], 2)[0],
            "gradients": {name: rounded(g, 8) for name, g in exact.items()},
            "gradients_spread": {name: rounded([far([run[1][name] for run in runs], g)], 2)[0]
                                 for name, g in exact.items()}}


def text_of(case, params):
    apply = jax.jit(case["apply"])
    examples = arrays(case["inputs"], 0, BATCHES, jnp.float32)
    if case["form"] in ("export", "fixed export"):
        if case["form"] == "export":
            batch, = export.symbolic_shape("b")
            examples = [jax.ShapeDtypeStruct((batch, *x.shape[1:]), x.dtype) for x in examples]
        return export.export(apply)(params, *examples).mlir_module()
    lowered = apply.lower(params, *examples)
    if case["form"] == "generic":
        return lowered.compiler_ir().operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    return lowered.as_text(debug_info=case["form"] == "text")


def without_folders(text):
    """The text names files without this machine's folders."""
    text = re.sub(r'loc\("[^"]*/(site-packages/)', r'loc("\1', text)
    return re.sub(r'loc\("/[^"]*/([^"/]*\.py)"', r'loc("\1"', text)


def make(case):
    name, params = case["name"], jax.tree_util.tree_map(np.asarray, case["params"]())
    folder = HERE / "programs"
    (folder / f"{name}.mlir").write_text(without_folders(text_of(case, params)))
    leaves = named(params)
    if case["form"] == "bare":  # the text names no argument
        leaves = {f"arg{i}": leaf for i, leaf in enumerate(leaves.values())}
    save_file({leaf: np.ascontiguousarray(value) for leaf, value in leaves.items()}, folder / f"{name}.safetensors")
    record = {"file": f"{name}.mlir", "values": f"{name}.safetensors", "exporter": "jax", "mode": "train", "how": "plain",
              "opset": case["form"]}
    made = numbers(case, params)
    if case["form"] == "bare":
        places = dict(zip(named(params), leaves))
        for key in ("gradients", "gradients_spread"):
            made[key] = {places[leaf]: value for leaf, value in made[key].items()}
    frozen_ones = [leaf for leaf in leaves if not is_trained(leaf)]
    options = [*([f"--batch={functions.BATCH}"] if case["form"] == "export" else []), *case["options"]]
    check.write({"about": case["about"], "jax": jax.__version__, "options": options, "inputs": case["inputs"],
                 "target": case["target"], "batches": BATCHES, "predicted_step": LATER,
                 "parameters": [{"names": [leaf], "shape": list(np.shape(value))} for leaf, value in leaves.items()
                                if is_trained(leaf)],
                 "files": [record], **({"frozen": frozen_ones} if frozen_ones else {}), **made}, folder / f"{name}.json")
    print(f"{name}: loss {made['losses'][0]:.4f} -> {made['losses'][-1]:.4f}, float32 apart {made['losses_spread'][-1]:.1e}",
          flush=True)


def main():
    names = sys.argv[1:]
    for case in functions.CASES:
        if not names or case["name"] in names:
            make(case)


if __name__ == "__main__":
    main()
