//===- OtherKinds.cpp - files that are no models of dlc's -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/OtherKinds.h"
#include <algorithm>

namespace dlc::tool {

namespace {

const char *const pytorch =
    "is a file of PyTorch (.pt, .pth), which holds Python's objects, mostly the parameters alone, and not "
    "the "
    "operations that are to be compiled: load it into its module in Python and export that to ONNX, with "
    "tools/export/from_pytorch.py or torch.onnx.export (docs/exporting-from-pytorch.md), or with "
    "torch.export.save (docs/torch-export.md); then give dlc the .onnx or .pt2 file";
const char *const python =
    "is a file of Python, which dlc does not run: compile its module in Python with dlc.compile "
    "(docs/python.md), or export it, with tools/export/from_pytorch.py FILE.py:CLASS "
    "(docs/exporting-from-pytorch.md) or torch.export.save (docs/torch-export.md), and give dlc the .onnx "
    "or .pt2 file";
const char *const weights = "is a file of tensors and no model: give dlc the model (.onnx, .pt2, .cpp or .mlir), "
                            "and these as its values with "
                            "--weights of dlc train or dlc export, or weights_path of <model>_create";
const char *const keras =
    "is a model of TensorFlow or Keras: convert it to ONNX with tf2onnx, and give dlc the .onnx "
    "file";
const char *const graph = "is by its name a graph of TensorFlow (.pb): convert it to ONNX with tf2onnx, and give dlc "
                          "the .onnx file; an ONNX model of that name is read as a .onnx file";

struct Kind {
  const char *ending, *text;
};
const Kind kinds[] = {{".py", python},   {".ipynb", python},        {".pt", pytorch},  {".pth", pytorch},
                      {".ckpt", pytorch}, {".safetensors", weights}, {".npz", weights}, {".keras", keras},
                      {".h5", keras},     {".hdf5", keras},          {".tflite", keras}, {".pb", graph}};

} // namespace

std::string findOtherKind(const std::string &file) {
  const size_t dot = file.rfind('.'), slash = file.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash))
    return "";
  std::string ending = file.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  for (const Kind &kind : kinds)
    if (ending == kind.ending)
      return kind.text;
  return "";
}

} // namespace dlc::tool
