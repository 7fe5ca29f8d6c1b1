# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ExecuTorch's side of tools/bench/libraries/compare, by the training module of its wheel; --prepare exports the model only."""
import sys
from pathlib import Path

import sides
import torch

PROGRAM = "model.pte"


def prepare(folder, model):
    from executorch.exir import EdgeCompileConfig, to_edge
    from torch import nn
    from torch.export import export
    from torch.export.experimental import _export_forward_backward
    from torch_models import MODELS

    class WithLoss(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.loss = MODELS[model](), nn.CrossEntropyLoss()

        def forward(self, x, y):
            scores = self.net(x)
            return self.loss(scores, y), scores.detach().argmax(dim=1)

    module = WithLoss()
    module.net.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in sides.parameters(folder).items()})
    example = (torch.zeros(sides.BATCH, *sides.INPUTS[model]), torch.zeros(sides.BATCH, dtype=torch.int64))
    joint = _export_forward_backward(export(module, example, strict=True))
    program = to_edge(joint, compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch()
    (folder / PROGRAM).write_bytes(program.buffer)


def main():
    from executorch.extension.training import _load_for_executorch_for_training, get_sgd_optimizer

    threads, folder, model = sides.arguments()
    torch.set_num_threads(threads)
    module = _load_for_executorch_for_training(str(folder / PROGRAM))
    data = [(torch.from_numpy(x.copy()), torch.from_numpy(y.copy())) for x, y in sides.batches(folder, model)]
    optimizer = None

    def step(x, y):
        nonlocal optimizer
        loss = module.forward_backward("forward", (x, y))[0].item()
        if optimizer is None:  # parameters are known after the first pass
            optimizer = get_sgd_optimizer(module.named_parameters(), sides.RATE, 0, 0, 0, False)
        optimizer.step(module.named_gradients())
        return loss

    sides.serve(step, data)


if __name__ == "__main__":
    if sys.argv[1] == "--prepare":
        prepare(Path(sys.argv[2]), sys.argv[3])
    else:
        main()
