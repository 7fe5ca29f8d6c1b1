# A trained network as an ONNX file, which ONNX Runtime evaluates.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train cnn.cpp --data=$DATA --epochs=1 -o trained
dlc export cnn.cpp trained/weights.safetensors -o cnn.onnx
python3 onnx_accuracy.py cnn.onnx $DATA
