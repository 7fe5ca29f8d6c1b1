// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The GPT of docs/examples/gpt, narrow: the names of its parameters are those of write_transformer.py.
#include <dlc/dlc.h>

using namespace dlc;
namespace F = dlc::nn::functional;

namespace {

constexpr int64_t width = 48, heads = 3, window = 32, vocabulary = 65, layers = 2;

struct Attention : nn::Module {
  nn::Linear qkv = register_module("qkv", nn::Linear(width, 3 * width, {.bias = false}));
  nn::Linear proj = register_module("proj", nn::Linear(width, width, {.bias = false}));

  Tensor forward(Tensor x) override {
    Dim batch = x.size(0);
    std::vector<Tensor> parts;
    for (const Tensor &part : qkv(x).chunk(3, 2))
      parts.push_back(part.reshape({batch, window, heads, width / heads}).transpose(1, 2));
    Tensor y = F::scaled_dot_product_attention(parts[0], parts[1], parts[2], {.is_causal = true});
    return proj(y.transpose(1, 2).reshape({batch, window, width}));
  }
};

struct Block : nn::Module {
  nn::LayerNorm ln1 = register_module("ln1", nn::LayerNorm(width));
  Attention attn = register_module("attn", Attention());
  nn::LayerNorm ln2 = register_module("ln2", nn::LayerNorm(width));
  nn::Linear fc = register_module("fc", nn::Linear(width, 4 * width, {.bias = false}));
  nn::Linear out = register_module("out", nn::Linear(4 * width, width, {.bias = false}));

  Tensor forward(Tensor x) override {
    x = x + attn(ln1(x));
    return x + out(gelu(fc(ln2(x))));
  }
};

struct Gpt : nn::Module {
  nn::Embedding wte = register_module("wte", nn::Embedding(vocabulary, width));
  nn::Embedding wpe = register_module("wpe", nn::Embedding(window, width));
  nn::ModuleList<Block> blocks = register_module("blocks", nn::ModuleList<Block>());
  nn::LayerNorm lnf = register_module("lnf", nn::LayerNorm(width));

  Gpt() {
    for (int64_t i = 0; i < layers; ++i)
      blocks.push_back(Block());
  }
  Tensor forward(Tensor tokens) override {
    Tensor x = wte(tokens) + wpe(arange(window));
    for (Block &block : blocks)
      x = block(x);
    return matmul(lnf(x), wte.parameter("weight").t());
  }
};

} // namespace

DLC_MODEL(gpt_narrow) {
  Gpt net;
  Tensor tokens = input("tokens", {Dim("batch", 6), window}, int64),
         next = input("next", {Dim("batch", 6), window}, int64);
  Tensor scores = net(tokens);
  Tensor loss = F::cross_entropy(scores.reshape({-1, vocabulary}), next.flatten());
  return program(net, scores, loss,
                 optim::AdamW({.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1}));
}
