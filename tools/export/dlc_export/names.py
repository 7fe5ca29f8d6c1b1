# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Are the module's parameters and buffers in the file, under their names and with their values?"""
import torch

from .record import COUNTER, initializers
from .report import Report


def compare(module, path, unused=()):
    """A Report on the file. `unused`: parameters that have no gradient in PyTorch, so that the file need not have
    them."""
    found, opset, copies = initializers(path)
    parameters = dict(module.named_parameters(remove_duplicate=False))
    stored = {name: tensor for name, tensor in {**parameters, **dict(module.named_buffers())}.items()
              if not name.endswith(COUNTER)}
    first_name = {}  # of each tensor: tied ones have several
    problems, remarks, count, elements = [], [], 0, 0
    for name, tensor in stored.items():
        kind = "parameter" if name in parameters else "buffer"
        others = [other for other, t in stored.items() if t is tensor and other != name]
        if id(tensor) in first_name:
            remarks.append(f"'{name}' is tied to '{first_name[id(tensor)]}': one parameter, as in the module")
            continue
        first_name[id(tensor)] = name
        written = [n for n in (name, *others) if n in found]
        if len(written) > 1:
            problems.append(f"'{name}' is tied to '{others[0]}' in the module; the file has both, untied")
        elif not written:
            is_problem, sentence = missing(name, kind, tensor, copies, name in unused)
            (problems if is_problem else remarks).append(sentence)
            continue
        value = found[written[0]]
        if value.shape != tensor.shape or not torch.equal(value, tensor.detach().cpu()):
            problems.append(f"{kind} '{name}' has other values in the file than in the module")
        if kind == "parameter":
            count, elements = count + 1, elements + tensor.numel()
            if not tensor.requires_grad:
                remarks.append(f"parameter '{name}' does not require gradients: it is not trained")
    known = set(stored)
    for name, value in found.items():
        if name not in known and value.is_floating_point() and value.numel() > 1:
            remarks.append(f"initializer '{name}' {tuple(value.shape)} is no parameter of the module")
    unique = {id(p): p for p in parameters.values()}.values()
    summary = (f"{path}: operator set {opset}; {count} of {len(unique)} parameters, {elements} of "
               f"{sum(p.numel() for p in unique)} elements, under the names of the state_dict")
    return Report(summary, problems, remarks)


def missing(name, kind, tensor, copies, is_unused):
    """(whether training suffers, the sentence) of a parameter or buffer that the file does not have."""
    size = f"{tuple(tensor.shape)}, {tensor.numel()} elements"
    if kind == "parameter" and not tensor.requires_grad:
        return False, f"parameter '{name}' ({size}) is not in the file, and does not require gradients"
    if kind == "parameter" and is_unused:
        return False, (f"parameter '{name}' ({size}) is not in the file: the outputs do not depend on it, so that "
                       "PyTorch does not train it either")
    if name in copies:
        why = f"the exporter merged it with '{copies[name]}', which has the same values now"
    else:
        why = "forward does not use it, or the exporter folded it into another"
    return kind == "parameter", f"{kind} '{name}' ({size}) is not in the file: {why}"
