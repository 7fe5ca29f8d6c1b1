# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers as the description of nn.random_uniform says: predictions draw those of seed 0 and no step."""
import numpy as np
from onnx import TensorProto, helper

from cases import floats, one, write

MASK = 0xffffffff


def philox(counter):
    """Philox4x32-10 with the key 0."""
    c, k = list(counter), [0, 0]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & MASK, (p >> 32) ^ c[3] ^ k[1], p & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def uniform(shape, stream):
    """float64 between 0 and 1, from the streams `stream` and the next."""
    columns, numbers = shape[-1], []
    for place in range(int(np.prod(shape))):
        r, c = divmod(place, columns)
        upper, lower = (philox([r // 8 * columns + c, stream + i, 0, 0])[r % 8 // 2] >> 16 * (r % 2) & 0xffff
                        for i in range(2))
        numbers.append(((upper << 7 | lower >> 9) + 0.5) / 2**23)
    return np.reshape(numbers, shape)


def normal(shape, stream=0):
    return np.sqrt(-2 * np.log(uniform(shape, stream))) * np.cos(2 * np.pi * uniform(shape, stream + 2))


def make():
    shape = (3, 19, 5)
    like, probabilities = floats(*shape), floats(*shape, low=0, high=1)
    drawn = uniform(shape, 0)
    one("random_uniform", 22, "RandomUniform", [], [(drawn * 3 - 1).astype(np.float32)], shape=shape, low=-1.0, high=2.0,
        seed=7.0, dtype=TensorProto.FLOAT)
    one("random_uniform_double", 6, "RandomUniform", [], [drawn], shape=shape, dtype=TensorProto.DOUBLE)
    one("random_normal", 22, "RandomNormal", [], [(normal(shape) * 0.5 + 2).astype(np.float32)], shape=shape, mean=2.0,
        scale=0.5, seed=7.0, dtype=TensorProto.FLOAT)
    one("random_normal_double", 6, "RandomNormal", [], [normal(shape)], shape=shape, dtype=TensorProto.DOUBLE)
    one("random_uniform_like", 22, "RandomUniformLike", [like], [drawn.astype(np.float32)], seed=7.0)
    one("random_uniform_like_double", 6, "RandomUniformLike", [like], [drawn * 4 + 1], low=1.0, high=5.0,
        dtype=TensorProto.DOUBLE)
    one("random_normal_like", 22, "RandomNormalLike", [like], [normal(shape).astype(np.float32)], seed=7.0)
    one("random_normal_like_double", 6, "RandomNormalLike", [like], [normal(shape) * 2 - 1], mean=-1.0, scale=2.0,
        dtype=TensorProto.DOUBLE)
    below = drawn < probabilities
    one("bernoulli", 15, "Bernoulli", [probabilities], [below.astype(np.float32)])
    one("bernoulli_bool", 22, "Bernoulli", [probabilities], [below], seed=7.0, dtype=TensorProto.BOOL)
    # Two nodes draw different numbers.
    write("random_twice", 22, [helper.make_node("RandomNormalLike", ["x"], ["a"], name="first"),
                               helper.make_node("RandomNormalLike", ["x"], ["b"], name="second"),
                               helper.make_node("Sub", ["a", "b"], ["y"], name="difference")],
          {"x": like}, {"y": (normal(shape) - normal(shape, 4)).astype(np.float32)})
