# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLX's side of tools/bench/libraries/compare: a step that mx.compile has compiled, on the CPU. Images have their channels last there."""
from functools import partial

import mlx.core as mx
import numpy as np
import sides
from mlx import nn, optimizers
from mlx.utils import tree_unflatten


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(784, 256), nn.Linear(256, 128), nn.Linear(128, 10)

    def __call__(self, x):
        return self.fc3(nn.relu(self.fc2(nn.relu(self.fc1(x)))))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1, self.fc2 = nn.Linear(9216, 128), nn.Linear(128, 10)

    def __call__(self, x):
        x = self.pool(nn.relu(self.conv2(nn.relu(self.conv1(x)))))
        return self.fc2(nn.relu(self.fc1(x.reshape(x.shape[0], -1))))


def channels_last(name, array):
    """A parameter of a net whose images have their channels first, for one where they come last."""
    if array.ndim == 4:
        return array.transpose(0, 2, 3, 1)
    if array.shape == (128, 9216):  # its columns are 64 channels of 12x12
        return array.reshape(128, 64, 12, 12).transpose(0, 2, 3, 1).reshape(128, 9216)
    return array


def main():
    threads, folder, model = sides.arguments()  # of threads: as many as the process has cores
    mx.set_default_device(mx.cpu)
    net = {"mlp": MLP, "lenet": LeNet}[model]()
    values = [(name, mx.array(np.ascontiguousarray(channels_last(name, array))))
              for name, array in sides.parameters(folder).items()]
    net.update(tree_unflatten(values))
    optimizer = optimizers.SGD(learning_rate=sides.RATE)
    loss_and_gradients = nn.value_and_grad(net, lambda x, y: nn.losses.cross_entropy(net(x), y, reduction="mean"))
    state = [net.state, optimizer.state]

    @partial(mx.compile, inputs=state, outputs=state)
    def compiled(x, y):
        loss, gradients = loss_and_gradients(x, y)
        optimizer.update(net, gradients)
        return loss

    def step(x, y):
        loss = compiled(mx.array(x), mx.array(y))
        mx.eval(loss, state)
        return loss.item()

    data = [(x.transpose(0, 2, 3, 1) if x.ndim == 4 else x, y) for x, y in sides.batches(folder, model)]
    sides.serve(step, data)


if __name__ == "__main__":
    main()
