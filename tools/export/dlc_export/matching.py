# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which gradient of the file belongs to which parameter of the module, and does dlc train what PyTorch trains?"""
import torch

GRADIENT = ".grad"


def match(module, expected, states):
    """(gradients, problems, remarks): of each parameter in `expected`, {name: gradient in PyTorch}, the one in
    `states`, what a step of dlc leaves behind; None without any."""
    trained = {name.removesuffix(GRADIENT): tensor for name, tensor in states.items()
               if name.endswith(GRADIENT) and name.removesuffix(GRADIENT) in states}
    parameters = dict(module.named_parameters(remove_duplicate=False))
    found, remarks = {}, []
    for name in expected:
        names = [other for other, tensor in parameters.items() if tensor is parameters[name] and other in trained]
        found[name] = trained[names[0]] if names else None
    others = {name: tensor for name, tensor in trained.items() if name not in parameters}
    for name in [name for name, gradient in found.items() if gradient is None]:
        for other in list(others):
            turned = same_values(parameters[name], states[other])
            if turned is not None:
                gradient = others.pop(other)
                found[name] = gradient.t() if turned else gradient
                remarks.append(f"the parameter '{name}' is called '{other}' in the file" + ", transposed" * turned)
                break
    problems = [f"dlc does not train the parameter '{name}', which has a gradient in PyTorch"
                for name, gradient in found.items() if gradient is None and bool(expected[name].any())]
    return found, problems + trained_too(module, parameters, expected, trained, others), remarks


def same_values(parameter, value):
    """Whether it stands in the file as it is (False) or transposed (True); None where neither."""
    parameter = parameter.detach().to(value.dtype)
    if parameter.shape == value.shape and torch.equal(parameter, value):
        return False
    turned = parameter.t() if parameter.dim() == 2 else None
    return True if turned is not None and turned.shape == value.shape and torch.equal(turned, value) else None


def trained_too(module, parameters, expected, trained, others):
    """Sentences on what dlc trains and PyTorch does not."""
    buffers = dict(module.named_buffers())
    problems = [f"dlc trains the buffer '{name}'" if name in buffers else
                f"dlc trains '{name}' {tuple(tensor.shape)}, which is no parameter of the module"
                for name, tensor in others.items()]
    used = {id(parameters[name]) for name in expected}
    for name, gradient in trained.items():
        if name not in parameters or id(parameters[name]) in used:
            continue
        if not parameters[name].requires_grad:
            problems.append(f"dlc trains the parameter '{name}', which does not require gradients in the module "
                            "(--freeze)")
        elif bool(gradient.any()):
            problems.append(f"the parameter '{name}' has a gradient in the file, and none in PyTorch")
    return problems
