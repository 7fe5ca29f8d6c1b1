#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the reference modules in every way that people do, trains them in PyTorch, and stores both.

usage: make_references.py [--numbers] [--transformers] [MODULE ...]

Writes references/MODULE.json (the recipe of the data, the losses of 100 steps and predictions afterwards in
float64, and how far float32 is from them) and references/MODULE.*.onnx, for every exporter (dynamo,
torchscript), mode (train, eval) and with (default) and without (plain) the exporter's optimizations. With
--numbers the files stay and only PyTorch's numbers are made anew. With --transformers the modules are those of
transformer_modules.py, the folder is transformers/, and the package transformers is needed. Needs torch, onnx and
onnxscript; the test needs Python alone. Afterwards `check.py DLC --record` stores the verdicts, to be looked at.
"""
import contextlib
import copy
import fnmatch
import io
import json
import logging
import pathlib
import sys
import warnings

import onnx
import torch
import torch.nn.functional as F

import check
import data
import exact_modules  # noqa: F401  (registers its modules)
import image_modules  # noqa: F401
import modules

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "export"))
import from_pytorch  # noqa: E402
from dlc_export.record import complete_record  # noqa: E402

STEPS, BATCHES = 100, 5
STEPS_OF_TRANSFORMERS = 50  # later their float32 leaves their float64, whoever computes it
DISTURBED = 4  # runs in float32 from disturbed parameters
LATER = 1_000_000  # the step whose data are predicted after training: of no training step
# Metadata that only fills the files: source lines of this machine's folders among them.
DROPPED = ("pkg.torch.onnx.stack_trace", "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes", "namespace")
OPSETS = {"torchscript": range(13, 21), "dynamo": range(18, 24)}
WITH_ATTENTION = 14  # the first operator set for which the older exporter writes scaled_dot_product_attention
PLAIN_WAYS = [("train", "torchscript", "plain"), ("train", "dynamo", "plain")]
LOSSES = {
    "softmax-cross-entropy": F.cross_entropy, "nll": F.nll_loss, "bce": F.binary_cross_entropy,
    "bce-with-logits": F.binary_cross_entropy_with_logits, "mse": F.mse_loss, "l1": F.l1_loss,
    "huber": F.huber_loss}
OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
              "rmsprop": torch.optim.RMSprop, "adagrad": torch.optim.Adagrad}


def loss_of(case):
    """PyTorch's function, with the options that dlc has too."""
    options = {name.replace("-", "_"): value for name, value in case["loss"].items() if name != "loss"}
    return lambda prediction, target: LOSSES[case["loss"]["loss"]](prediction, target, **options)


def optimizer_of(case, parameters):
    options = {name.replace("-", "_"): value for name, value in case["optimizer"].items() if name != "optimizer"}
    return OPTIMIZERS[case["optimizer"]["optimizer"]](parameters, **options)


def dlc_options(case):
    """The same as arguments of dlc compile."""
    options = [f"--batch={case['batch']}"]
    for name, value in {**case["loss"], **case["optimizer"]}.items():
        options.append(f"--{name}" if value is True else f"--{name}={value}")
    return options + [f"--freeze={glob}" for glob in case.get("frozen", ())]


def freeze(case, module):
    """The module, in which no gradient is wanted of what is frozen."""
    for name, parameter in module.named_parameters():
        if any(fnmatch.fnmatchcase(name, glob) for glob in case.get("frozen", ())):
            parameter.requires_grad_(False)
    return module


def tensors(described, step, dtype, batches=BATCHES):
    made = []
    for tensor, values in zip(described, data.batch(described, step, batches)):
        kind = torch.int64 if tensor["kind"] == "index" else dtype
        made.append(torch.tensor(values, dtype=kind).reshape(tensor["shape"]))
    return made


def in_training(module):
    """A copy in the modes in which from_pytorch exports it: each layer's own, or all in training mode where none is."""
    module = copy.deepcopy(module)
    return module if any(layer.training for layer in module.modules()) else module.train()


def train(case, module, dtype, steps=STEPS):
    """(losses of all steps, the first step's gradients, predictions afterwards), computed in `dtype`."""
    module = in_training(module).to(dtype)
    optimizer, loss_function = optimizer_of(case, module.parameters()), loss_of(case)
    losses, gradients = [], {}
    for step in range(steps):
        *inputs, target = tensors([*case["inputs"], case["target"]], step, dtype)
        optimizer.zero_grad()
        loss = loss_function(module(*inputs), target)
        loss.backward()
        if step == 0:
            gradients = {name: p.grad.double() for name, p in module.named_parameters() if p.grad is not None}
        optimizer.step()
        losses.append(loss.item())
    inputs = tensors(case["inputs"], LATER, dtype, LATER + 1)
    with torch.no_grad():
        prediction = module.eval()(*inputs)
    return losses, gradients, prediction.double().flatten()


def disturbed(module):
    """A copy whose parameters are off by a rounding."""
    module = copy.deepcopy(module)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(1 + 6e-8 * torch.randn_like(parameter))
    return module


def numbers(case, module, steps=STEPS, gradients=False):
    """float64's results, and how far float32's are from them: the largest of several runs, from the module and
    from disturbed ones, because a single run may be close to float64 by chance."""
    losses, exact, predicted = train(case, module, torch.float64, steps)
    starts = [module, *(disturbed(module) for _ in range(DISTURBED))]
    runs = [train(case, start, torch.float32, steps) for start in starts]
    spread, largest = [], 0.0
    for step, loss in enumerate(losses):
        largest = max(largest, *(abs(run[0][step] - loss) for run in runs))
        spread.append(largest)
    result = {"losses": rounded(losses, 10), "losses_spread": rounded(spread, 2),
              "predicted": rounded(predicted, 10),
              "predicted_spread": rounded([max((run[2] - predicted).abs().max() for run in runs)], 2)[0]}
    if gradients:
        result["gradients"] = {name: rounded(g.flatten(), 8) for name, g in exact.items()}
        result["gradients_spread"] = {name: rounded([max((run[1][name] - g).norm() for run in runs)], 2)[0]
                                      for name, g in exact.items()}
    return result


def rounded(values, digits):
    return [float(f"{float(value):.{digits}g}") for value in values]


def export_as_is(module, examples, path, exporter, mode, opset):
    """torch.onnx.export with its defaults: what a first try looks like."""
    module = in_training(module) if mode == "train" else copy.deepcopy(module).eval()
    names = from_pytorch.input_names_of(module, len(examples))
    options = {"input_names": names, "output_names": ["output"], "opset_version": opset}
    if exporter == "dynamo":
        batch = torch.export.Dim("batch")
        options.update(dynamo=True, external_data=False, verbose=False)
        options["dynamic_shapes"] = tuple({0: batch} for _ in examples)
    else:
        modes = torch.onnx.TrainingMode
        options.update(dynamo=False, training=modes.PRESERVE if mode == "train" else modes.EVAL)
        options["dynamic_axes"] = {name: {0: "batch"} for name in [*names, "output"]}
    torch.onnx.export(module, examples, str(path), **options)


def export_plain_eval(module, examples, path, exporter, opset):
    """from_pytorch's export, but in evaluation mode."""
    original = torch.nn.Module.train
    try:
        torch.nn.Module.train = lambda self, mode=True: original(self, False)
        if exporter == "dynamo":
            return from_pytorch.export(module, examples, path, exporter=exporter, opset=opset, compares=False)
        modes, names = torch.onnx.TrainingMode, from_pytorch.input_names_of(module, len(examples))
        torch.onnx.export(copy.deepcopy(module).eval(), examples, str(path), dynamo=False, training=modes.EVAL,
                          do_constant_folding=False, opset_version=opset, input_names=names,
                          output_names=["output"],
                          dynamic_axes={name: {0: "batch"} for name in [*names, "output"]})
        model = onnx.load(str(path))
        complete_record(module, model)
        onnx.save(model, str(path))
    finally:
        torch.nn.Module.train = original


def export(module, examples, path, record):
    """The way that a record says."""
    exporter, mode, opset = record["exporter"], record["mode"], record["opset"]
    with contextlib.redirect_stdout(io.StringIO()):  # a failing exporter prints the whole graph
        if record["how"] == "default":
            export_as_is(module, examples, path, exporter, mode, opset)
        elif mode == "eval":
            export_plain_eval(module, examples, path, exporter, opset)
        else:
            report = from_pytorch.export(module, examples, path, exporter=exporter, opset=opset, compares=False)
            if report.problems:
                print(report, file=sys.stderr)
    strip(path)


def strip(path):
    """Leaves out metadata of no use, and says which operators are left."""
    model = onnx.load(str(path))
    for owner in (*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output,
                  *model.graph.initializer, model.graph, model):
        if isinstance(owner, onnx.NodeProto):
            owner.doc_string = ""
        kept = [entry for entry in owner.metadata_props if entry.key not in DROPPED]
        del owner.metadata_props[:]
        owner.metadata_props.extend(kept)
    del model.graph.value_info[:]
    onnx.save(model, str(path))


def first_line(error):
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"[:200]


def export_all(case, module, number):
    """A record for each way to export; those that fail say why."""
    examples = tuple(tensors(case["inputs"], 0, torch.float32))
    written = {}  # many of the files are the same
    for exporter, opsets in OPSETS.items():
        if case["folder"] == "transformers":
            opsets = [opset for opset in opsets if opset >= WITH_ATTENTION]
        opset = opsets[number % len(opsets)]
        for mode in ("train", "eval"):
            for how in ("plain", "default"):
                # Transformers have large files.
                if (case["plain"] or case["folder"] == "transformers") and (mode, exporter, how) not in PLAIN_WAYS:
                    continue
                name = f"{case['name']}.{exporter}.{mode}.{how}.onnx"
                path = HERE / case["folder"] / name
                record = {"file": name, "exporter": exporter, "mode": mode, "how": how, "opset": opset}
                try:
                    export(module, examples, path, record)
                    record["file"] = written.setdefault(path.read_bytes(), name)
                    if record["file"] != name:
                        path.unlink()
                except Exception as error:  # an exporter's own failure is part of the table
                    record["not_exported"] = first_line(error)
                    path.unlink(missing_ok=True)
                yield record


def parameters(module):
    """[{names, shape}] of what is trained; tied parameters have several names."""
    names = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if parameter.requires_grad:
            names.setdefault(parameter, []).append(name)
    return [{"names": found, "shape": list(parameter.shape)} for parameter, found in names.items()]


def make(case, number, only_numbers):
    torch.manual_seed(number)
    module, path = freeze(case, case["module"]()), HERE / case["folder"] / f"{case['name']}.json"
    is_transformer = case["folder"] == "transformers"
    made = numbers(case, module, STEPS_OF_TRANSFORMERS if is_transformer else STEPS, gradients=is_transformer)
    frozen = [name for name, parameter in module.named_parameters() if not parameter.requires_grad]
    frozen = {"frozen": frozen} if frozen else {}
    files = json.loads(path.read_text())["files"] if only_numbers else list(export_all(case, module, number))
    check.write({"about": case["about"], "torch": torch.__version__, "options": dlc_options(case),
                 "inputs": case["inputs"], "target": case["target"], "batches": BATCHES, "predicted_step": LATER,
                 "parameters": parameters(module), "files": files, **frozen, **made}, path)
    print(f"{case['name']}: loss {made['losses'][0]:.4f} -> {made['losses'][-1]:.4f}, "
          f"float32 apart {made['losses_spread'][-1]:.1e}", flush=True)


def main():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    cases = modules.REFERENCES
    if "--transformers" in sys.argv:
        import transformer_modules

        cases = transformer_modules.REFERENCES
    for number, case in enumerate(cases):
        if not names or case["name"] in names:
            make(case, number, "--numbers" in sys.argv)


if __name__ == "__main__":
    main()
