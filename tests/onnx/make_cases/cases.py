# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all topics make cases with: data, and the folder of a case."""
import pathlib
import zlib

import numpy as np
from onnx import helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent.parent
random = None


def begin(topic):
    """Each topic has random numbers of its own: a new case changes no other topic's data."""
    global random
    random = np.random.default_rng(zlib.crc32(topic.encode()))


def floats(*shape, low=-2.0, high=2.0):
    """Multiples of 1/16, so that sums are exact."""
    return (random.integers(int(low * 16), int(high * 16) + 1, shape) / 16).astype(np.float32)


def integers(*shape, low=-5, high=6):
    return random.integers(low, high, shape).astype(np.int64)


def bools(*shape):
    return random.integers(0, 2, shape).astype(bool)


def write(name, opset, nodes, inputs, outputs, constants=()):
    """`inputs` and `outputs` are name: array; `constants` too, which become initializers."""
    def declare(values):
        return [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                for key, value in values.items()]

    constants = dict(constants)
    # Opset 6 to 8 wants initializers among the inputs.
    listed = {**inputs, **(constants if opset < 9 else {})}
    graph = helper.make_graph(nodes, name, declare(listed), declare(outputs),
                              [numpy_helper.from_array(value, key) for key, value in constants.items()])
    domains = sorted({node.domain for node in nodes if node.domain})
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset),
                                                    *(helper.make_opsetid(domain, 1) for domain in domains)],
                              producer_name="dlc-tests", ir_version=8)
    folder = HERE / "made" / name
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for kind, values in (("input", inputs), ("output", outputs)):
        for position, (key, value) in enumerate(values.items()):
            tensor = numpy_helper.from_array(np.asarray(value), key)
            (data / f"{kind}_{position}.pb").write_bytes(tensor.SerializeToString())


def one(name, opset, op, inputs, outputs, constants=(), **attributes):
    """A model of one node. Inputs and outputs are lists; an input that is None is left out."""
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)] + [key for key, _ in constants]
    results = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(op, names, results, name="node", **attributes)
    write(name, opset, [node], {key: value for key, value in zip(names, inputs) if value is not None},
          dict(zip(results, outputs)), constants)
