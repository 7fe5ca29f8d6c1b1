# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""onnxruntime-training's side of tools/bench/libraries/compare; with --prepare before the arguments it makes the artifacts only.

`import onnxruntime.training` wants PyTorch, which the wheel does not ask for and training on devices does not use: the
modules that are used are imported without it.
"""
import sys
import types
from pathlib import Path

import onnxruntime

package = types.ModuleType("onnxruntime.training")
package.__path__ = [str(Path(onnxruntime.__file__).parent / "training")]
sys.modules[package.__name__] = package

ARTIFACTS = "artifacts"


def prepare(folder):
    import onnx
    from onnxruntime.training import artifacts
    model = onnx.load(folder / "model.onnx")
    names = [tensor.name for tensor in model.graph.initializer if tensor.data_type == onnx.TensorProto.FLOAT]
    (folder / ARTIFACTS).mkdir(exist_ok=True)
    artifacts.generate_artifacts(model, requires_grad=names, loss=artifacts.LossType.CrossEntropyLoss,
                                 optimizer=artifacts.OptimType.SGD, artifact_directory=str(folder / ARTIFACTS))


def main():
    from onnxruntime.training.api import CheckpointState, Module, Optimizer

    import sides
    threads, folder, model = sides.arguments()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    made = folder / ARTIFACTS
    state = CheckpointState.load_checkpoint(str(made / "checkpoint"))
    module = Module(str(made / "training_model.onnx"), state, str(made / "eval_model.onnx"), session_options=options)
    optimizer = Optimizer(str(made / "optimizer_model.onnx"), module)
    optimizer.set_learning_rate(sides.RATE)
    module.train()

    def step(x, y):
        loss = module(x, y)
        optimizer.step()
        module.lazy_reset_grad()
        return float(loss)

    sides.serve(step, list(sides.batches(folder, model)))


if __name__ == "__main__":
    if sys.argv[1] == "--prepare":
        prepare(Path(sys.argv[2]))
    else:
        main()
