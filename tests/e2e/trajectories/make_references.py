#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models and PyTorch's references of the trajectory test (see README.md beside this file). The nets are in
small_nets.py, example_nets.py and tutorial_nets.py.

Needs torch, onnx, numpy and safetensors; the tests need none of them, because the results are stored.
Every number is seeded, so the same versions on the same kind of CPU give the same files. Names of models as
arguments make only these.
"""
import copy
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from safetensors.numpy import save_file
from torch import nn

import example_nets
import generated
import small_nets
import tutorial_nets
from shipped import STEPS

HERE = Path(__file__).resolve().parent


def as_input(tensor, dtype):
    """Numbers of that type; tokens and labels as they are."""
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def arguments(case, batch, dtype):
    """What the model takes."""
    inputs = [as_input(case["inputs"][batch], dtype)]
    return inputs + [case["mask"][batch]] if "mask" in case else inputs


def loss_of(case, batch, prediction, dtype):
    """Sequences have their lengths besides."""
    lengths = case["lengths"][batch] if "lengths" in case else ()
    return case["loss"](prediction, as_input(case["targets"][batch], dtype), *lengths)


def count_correct(case, scores):
    """How many labels of the first batch the largest score is at, or how many rows a binary one is right for; None
    for other values."""
    if "lengths" in case:
        return None
    targets = case["targets"][0]
    if isinstance(case["loss"], nn.BCELoss):
        return int(((scores > 0.5) == (targets > 0.5)).all(-1).sum())
    if targets.is_floating_point():
        return None
    return int((scores.argmax(case.get("class_axis", -1)) == targets).sum())


def untrained_correct(case):
    return count_correct(case, copy.deepcopy(case["model"]).double().eval()(*arguments(case, 0, torch.float64)))


def export(model, inputs, path, scalars_as_initializers, opset, batch_axis):
    """Writes the file; the model as it is afterwards: tracing in training mode moves running statistics."""
    warnings.filterwarnings("ignore")  # a newer exporter exists; BatchNorm's batch counter is left out
    model = copy.deepcopy(model).train()
    torch.onnx.export(
        model, (inputs[0],), str(path), input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "batch"}, "y": {batch_axis: "batch"}}, opset_version=opset,
        training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, dynamo=False)
    if scalars_as_initializers:  # as the newer exporter writes them
        proto = onnx.load(path)
        constants = [node for node in proto.graph.node if node.op_type == "Constant"]
        for node in constants:
            proto.graph.initializer.append(node.attribute[0].t)
            proto.graph.initializer[-1].name = node.output[0]
            proto.graph.node.remove(node)
        onnx.save(proto, path)
    return model


def train(case, dtype):
    """Losses of all steps, the first step's gradients, predictions after the last, and what evaluation says of these, all
    of it computed in `dtype`."""
    model = copy.deepcopy(case["model"]).to(dtype).train()
    optimizer = case["optimizer"](model.parameters())
    losses, gradients = [], {}
    for step in range(case.get("steps", STEPS)):
        batch = step % len(case["inputs"])
        optimizer.zero_grad()
        prediction = model(*arguments(case, batch, dtype))
        loss = loss_of(case, batch, prediction, dtype)
        scale = case.get("loss_scale", 1)
        (loss * scale).backward()
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad /= scale
        if step == 0:
            gradients = {name: p.grad.double().numpy().copy() for name, p in model.named_parameters()
                         if p.requires_grad}
        if "clip" in case:
            torch.nn.utils.clip_grad_norm_(model.parameters(), case["clip"])
        optimizer.step()
        losses.append(loss.item())
    evaluation = model.eval()(*arguments(case, 0, dtype)).detach()
    trained = loss_of(case, 0, evaluation, dtype).item(), count_correct(case, evaluation)
    return np.array(losses), gradients, evaluation.double().numpy(), trained


def shuffled(case, seed):
    """The same steps with the rows of each batch in another order, for odd seeds images with channels last: other sums."""
    torch.manual_seed(seed)
    orders = [torch.randperm(case["inputs"].shape[1]) for _ in case["inputs"]]
    layout = torch.channels_last if seed % 2 and case["inputs"].dim() == 5 else torch.contiguous_format
    rows = {name: [x[order] for x, order in zip(case[name], orders)] for name in ("targets", "mask") if name in case}
    return {**case, **rows, "model": copy.deepcopy(case["model"]).to(memory_format=layout),
            "inputs": [x[order].contiguous(memory_format=layout) for x, order in zip(case["inputs"], orders)]}


def largest_errors(case, loss64, gradient64, trained64):
    """Losses, relative errors of gradients and errors after training of the worst of several float32 runs. In a deep net
    with ReLUs one run says little: whether a value near 0 falls on the other side, and all gradients before it with it,
    is chance."""
    worst, errors, trained_errors = np.zeros(len(loss64)), dict.fromkeys(gradient64, 0.0), (0.0, 0)
    for seed in range(case["runs"]):
        loss, gradient, _, trained = train(shuffled(case, seed), torch.float32)
        worst = np.maximum(worst, np.abs(loss - loss64))
        errors = {name: max(error, relative_norm(gradient[name], gradient64[name])) for name, error in errors.items()}
        trained_errors = tuple(map(max, trained_errors, differences(trained, trained64)))
    return loss64 + worst, errors, trained_errors


def differences(trained, trained64):
    return tuple(abs(a - b) if b is not None else 0 for a, b in zip(trained, trained64))


def relative_norm(a, b):
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def make(build):
    torch.manual_seed(0)
    name, case = build.__name__, build()
    if not case.get("generated") and not case.get("described"):  # by a program of tests/cpp or of the tutorials
        case["model"] = export(case["model"], case["inputs"], HERE / f"{name}.onnx",
                               case.get("scalars_as_initializers", False), case.get("opset", 17),
                               case.get("batch_axis", 0))
    loss64, gradient64, evaluation64, trained64 = train(case, torch.float64)
    if "runs" in case:
        loss32, errors, trained_errors = largest_errors(case, loss64, gradient64, trained64)
    else:
        loss32, gradient32, evaluation32, trained32 = train(case, torch.float32)
        trained_errors = differences(trained32, trained64)
        errors = {p: relative_norm(gradient32[p], g) for p, g in gradient64.items()}
    tensors = {"loss.f64": loss64, "loss.f32": loss32}
    isSketched = case.get("generated") or case.get("sketched")
    if isSketched:  # many parameters: their gradients are not stored
        tensors.update({f"sketch.{p}": generated.sketch(g) for p, g in gradient64.items()})
    else:
        tensors.update({f"gradient.{p}": g for p, g in gradient64.items()})
    if case.get("evaluated"):
        tensors.update({"evaluation.f64": evaluation64, "evaluation.f32": evaluation32})
    stored = [] if "data" in case else ["inputs", "mask", "targets"]
    stored += ["targets"] if case.get("stored_targets") else []
    tensors.update({part: case[part].numpy() for part in stored if part in case})
    if "lengths" in case:
        tensors.update({part: case["lengths"][:, i].numpy().copy()
                        for i, part in enumerate(("input_lengths", "label_lengths"))})
    save_file(tensors, HERE / f"{name}.safetensors")
    (HERE / f"{name}.safetensors").chmod(0o644)

    apart = np.nonzero(np.abs(loss32 - loss64) > 1e-3)[0]
    description = {
        "about": build.__doc__ or small_nets.statistics.__doc__,
        "torch": torch.__version__,
        "options": case["options"],
        "batch": case["inputs"].shape[1],
        "steps": len(loss64),
        "data": case.get("data", "inputs and targets; step i takes batch i modulo their first size"),
        # Steps for which PyTorch's float32 stays within 1e-3 of its float64: the losses to compare.
        "comparable_steps": int(apart[0]) if len(apart) else len(loss64),
        "gradient_error_f32": errors,
    }
    if isSketched:
        description["gradient_norm"] = {p: float(np.linalg.norm(g)) for p, g in gradient64.items()}
    # After the last step, of the first batch.
    description["trained"] = {"loss": trained64[0], "loss_error": trained_errors[0]}
    if "mask" in case:
        description["mask"] = True
    if "lengths" in case:
        description["lengths"] = True
    if trained64[1] is not None:
        description["correct"] = untrained_correct(case)
        description["trained"].update(correct=trained64[1], correct_error=trained_errors[1])
    (HERE / f"{name}.json").write_text(json.dumps(description, indent=2) + "\n")
    print(f"{name}: loss {loss64[0]:.6f} -> {loss64[-1]:.6f}, "
          f"largest |f32 - f64| {np.abs(loss32 - loss64).max():.2e}, "
          f"comparable steps {description['comparable_steps']}, "
          f"gradient error {max(description['gradient_error_f32'].values()):.2e}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for build in small_nets.BUILDS + example_nets.BUILDS + tutorial_nets.BUILDS:
        if len(sys.argv) == 1 or build.__name__ in sys.argv[1:]:
            make(build)
