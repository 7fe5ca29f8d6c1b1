// A small GPT for characters: what comes next, at each place of a window?
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTORIALS_CHARACTERS_H
#define TUTORIALS_CHARACTERS_H

#include <dlc/dlc.h>

namespace characters {

constexpr int64_t width = 64, heads = 4, layers = 2, window = 32, batch = 16;

struct Attention : dlc::nn::Module {
  dlc::nn::Linear qkv = register_module("qkv", dlc::nn::Linear(width, 3 * width, {.bias = false}));
  dlc::nn::Linear proj = register_module("proj", dlc::nn::Linear(width, width, {.bias = false}));

  dlc::Tensor forward(dlc::Tensor x) override {
    dlc::Dim rows = x.size(0);
    std::vector<dlc::Tensor> parts;
    for (const dlc::Tensor &part : qkv(x).chunk(3, 2))
      parts.push_back(part.reshape({rows, window, heads, width / heads}).transpose(1, 2));
    dlc::Tensor y =
        dlc::nn::functional::scaled_dot_product_attention(parts[0], parts[1], parts[2], {.is_causal = true});
    return proj(y.transpose(1, 2).reshape({rows, window, width}));
  }
};

struct Block : dlc::nn::Module {
  dlc::nn::LayerNorm ln1 = register_module("ln1", dlc::nn::LayerNorm(width));
  Attention attn = register_module("attn", Attention());
  dlc::nn::LayerNorm ln2 = register_module("ln2", dlc::nn::LayerNorm(width));
  dlc::nn::Linear fc = register_module("fc", dlc::nn::Linear(width, 4 * width));
  dlc::nn::Linear out = register_module("out", dlc::nn::Linear(4 * width, width));

  dlc::Tensor forward(dlc::Tensor x) override {
    x = x + attn(ln1(x));
    return x + out(gelu(fc(ln2(x))));
  }
};

inline dlc::nn::ModuleList<Block> makeBlocks() {
  dlc::nn::ModuleList<Block> blocks;
  for (int64_t i = 0; i < layers; ++i)
    blocks.push_back(Block());
  return blocks;
}

struct Gpt : dlc::nn::Module {
  dlc::nn::Embedding wte, wpe;
  dlc::nn::ModuleList<Block> blocks = register_module("blocks", makeBlocks());
  dlc::nn::LayerNorm norm = register_module("norm", dlc::nn::LayerNorm(width));
  dlc::nn::Linear head;

  explicit Gpt(int64_t vocabulary)
      : wte(register_module("wte", dlc::nn::Embedding(vocabulary, width))),
        wpe(register_module("wpe", dlc::nn::Embedding(window, width))),
        head(register_module("head", dlc::nn::Linear(width, vocabulary, {.bias = false}))) {}
  /// Scores [batch, vocabulary, window]: cross entropy has its classes along axis 1.
  dlc::Tensor forward(dlc::Tensor tokens) override {
    dlc::Tensor x = wte(tokens) + wpe(dlc::arange(window));
    for (Block &block : blocks)
      x = block(x);
    return head(norm(x)).transpose(1, 2);
  }
};

inline dlc::Program describe(int64_t vocabulary) {
  dlc::manual_seed(0);
  Gpt net(vocabulary);
  dlc::Tensor tokens = dlc::input("tokens", {dlc::Dim("batch", batch), window}, dlc::int64);
  return dlc::program(net, dlc::loss::CrossEntropy(), dlc::optim::AdamW({.lr = 2e-3}), tokens);
}

} // namespace characters

#endif // TUTORIALS_CHARACTERS_H
