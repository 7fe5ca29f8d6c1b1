# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the models of these tests are made and written: each is a file of less than 4096 bytes beside this one."""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))


def array(name, shape, dtype=np.float32):
    count = int(np.prod(shape))
    return numpy_helper.from_array((np.arange(count) % 7 / 8).astype(dtype).reshape(shape), name)


def ints(name, values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def save(file, nodes, inputs, names, initializers=(), opset=17, extra_domains=(), outputs=()):
    """Of `names`, outputs have no declared type; `outputs` are like inputs."""
    graph = helper.make_graph(
        nodes,
        file,
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs],
        [helper.make_empty_tensor_value_info(name) for name in names]
        + [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs],
        list(initializers),
    )
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in extra_domains]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="dlc-tests")
    path = os.path.join(HERE, file + ".onnx")
    onnx.save(model, path)
    assert os.path.getsize(path) < 4096, file


def save_test(name, nodes, inputs, outputs, opset=17):
    """A test as ONNX's backend suite has them; inputs and outputs are (name, array)."""
    folder = os.path.join(HERE, "conformance", name)
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    infos = [
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in values]
        for values in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, name, *infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    for prefix, values in (("input", inputs), ("output", outputs)):
        for i, (n, a) in enumerate(values):
            with open(os.path.join(data, f"{prefix}_{i}.pb"), "wb") as file:
                file.write(numpy_helper.from_array(a, n).SerializeToString())


FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def branch(name, nodes, output, initializers=()):
    """Of an If."""
    return helper.make_graph(nodes, name, [], [helper.make_empty_tensor_value_info(output)], list(initializers))


def given(name, value):
    """An initializer of the value's own type."""
    return numpy_helper.from_array(np.asarray(value), name)


# A batch of one.
ONE_ROW = [("x", FLOAT, [1, 2, 6])]
