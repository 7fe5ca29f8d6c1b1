# The accuracy of an ONNX file, by ONNX Runtime.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import onnxruntime

from images import load

images, labels = load(sys.argv[2], "t10k")
session = onnxruntime.InferenceSession(sys.argv[1])
correct = 0
for x, y in zip(images.split(1000), labels.split(1000)):
    scores, = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    correct += (scores.argmax(1) == y.numpy()).sum()
print(f"ONNX Runtime: accuracy {correct / len(labels):.4f}")
