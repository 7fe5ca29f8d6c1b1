//===- program.cpp - weights of PyTorch in sessions ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     cpp-state-dict MODEL WEIGHTS INPUT OUTPUT SAVED
//
// Loads a state_dict into a model, predicts for the rows in INPUT, writes what comes out as bytes, and the
// state_dict again. check.py compares with PyTorch's.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include <fstream>
#include <iostream>

using namespace dlc;

namespace {

constexpr int64_t rows = 2;

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  return nn::Conv2d(in, out, kernel, {.stride = stride, .padding = (kernel - 1) / 2, .bias = false});
}

struct BasicBlock : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
  nn::Sequential downsample;
  bool isSame;

  BasicBlock(int64_t in, int64_t out, int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        bn1(register_module("bn1", nn::BatchNorm2d(out))), bn2(register_module("bn2", nn::BatchNorm2d(out))),
        downsample{conv(in, out, 1, stride), nn::BatchNorm2d(out)}, isSame(in == out && stride == 1) {
    if (!isSame)
      register_module("downsample", downsample);
  }
  Tensor forward(Tensor x) override {
    Tensor y = bn2(conv2(relu(bn1(conv1(x)))));
    return relu(y + (isSame ? x : downsample(x)));
  }
};

/// As torchvision's, for images of 32 x 32.
struct ResNet18 : nn::Module {
  nn::Conv2d conv1 = register_module("conv1", conv(3, 64, 3, 1));
  nn::BatchNorm2d bn1 = register_module("bn1", nn::BatchNorm2d(64));
  std::vector<nn::Sequential> layers;
  nn::Linear fc = register_module("fc", nn::Linear(512, 10));

  ResNet18() {
    int64_t in = 64;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t out = 64 << i;
      layers.push_back(nn::Sequential{BasicBlock(in, out, i ? 2 : 1), BasicBlock(out, out, 1)});
      register_module("layer" + std::to_string(i + 1), layers.back());
      in = out;
    }
  }
  Tensor forward(Tensor x) override {
    x = relu(bn1(conv1(x)));
    for (nn::Sequential &layer : layers)
      x = layer(x);
    return fc(x.mean({2, 3}));
  }
};

constexpr int64_t width = 48, window = 16, vocabulary = 65;

struct Gpt : nn::Module {
  nn::Embedding wte = register_module("wte", nn::Embedding(vocabulary, width));
  nn::Embedding wpe = register_module("wpe", nn::Embedding(window, width));
  nn::ModuleList<nn::TransformerEncoderLayer> blocks =
      register_module("blocks", nn::ModuleList<nn::TransformerEncoderLayer>());
  nn::Linear head = register_module("head", nn::Linear(width, vocabulary, {.bias = false}));

  Gpt() {
    for (int i = 0; i < 2; ++i)
      blocks.push_back(nn::TransformerEncoderLayer(width, 3,
                                                   {.dim_feedforward = 4 * width,
                                                    .dropout = 0,
                                                    .activation = "gelu",
                                                    .batch_first = true,
                                                    .norm_first = true}));
  }
  Tensor forward(Tensor tokens) override {
    Tensor x = wte(tokens) + wpe(arange(window));
    for (nn::TransformerEncoderLayer &block : blocks)
      x = block(x, {.src_mask = !causal_mask(window, window)});
    return head(x);
  }
};

struct Lstm : nn::Module {
  nn::LSTM lstm =
      register_module("lstm", nn::LSTM(6, 10, {.num_layers = 2, .batch_first = true, .bidirectional = true}));
  nn::Linear head = register_module("head", nn::Linear(20, 4));
  Tensor forward(Tensor x) override { return head(lstm(x)); }
};

template <typename Net> void run(char **argv, const View &x) {
  Shape shape = {Dim("batch", rows)};
  shape.insert(shape.end(), x.shape().begin() + 1, x.shape().end());
  Net net;
  Session session(program(net, loss::None(), optim::SGD({.lr = 0.1}), input("x", shape, x.dtype())));
  session.load_state_dict(argv[2]);
  Array output = session.predict({x})[0];
  std::ofstream(argv[4], std::ios::binary)
      .write(reinterpret_cast<const char *>(output.bytes().data()), std::streamsize(output.bytes().size()));
  session.save_weights(argv[5]);
}

std::vector<char> contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  const std::string model = argv[1];
  try {
    std::vector<char> input = contentOf(argv[3]);
    if (model == "resnet18")
      run<ResNet18>(argv, View(input.data(), rows * 3072, float32, {rows, 3, 32, 32}));
    else if (model == "gpt")
      run<Gpt>(argv, View(input.data(), rows * window, int64, {rows, window}));
    else
      run<Lstm>(argv, View(input.data(), rows * 42, float32, {rows, 7, 6}));
    return 0;
  } catch (const Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
