//===- layer_error_test.cpp - what wrong layers and losses are told ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"

using namespace dlc;
namespace F = dlc::nn::functional;

TEST(LayerErrors, OfSizes) {
  EXPECT_MESSAGE(nn::Bilinear(2, 3, 4)(ones({5, 2}), ones({5, 4})),
                 "Bilinear: expected [..., 2] and [..., 3] of the same dims before, got float32 [5, 2] and "
                 "float32 [5, 4]");
  EXPECT_MESSAGE(nn::Bilinear(2, 3, 4)(ones({5, 2}), ones({4, 3})), "of the same dims before");
  EXPECT_MESSAGE(nn::Bilinear(2, 0, 4), "in2_features: expected a number above 0, got 0");
  EXPECT_MESSAGE(ones({2, 6}).unflatten(1, {4, 2}), "unflatten: expected sizes whose product is 6, at most "
                                                    "one of them -1, got [4, 2]");
  EXPECT_MESSAGE(ones({2, 6}).unflatten(1, {-1, -1, 2}), "at most one of them -1, got [-1, -1, 2]");
  EXPECT_MESSAGE(ones({2, 6}).unflatten(1, {-1, 4}),
                 "whose product is 6, at most one of them -1, got [-1, 4]");
  EXPECT_MESSAGE(nn::Softmax2d()(ones({2, 3})), "Softmax2d: expected [batch, channels, height, width]");
  EXPECT_MESSAGE(nn::Linear(3, 4)(ones({2, 5})),
                 "Linear: expected a last dim of 3 features, got float32 [2, 5]");
  EXPECT_MESSAGE(nn::Conv1d(4, 8, 3, {.groups = 2})(ones({5, 8})),
                 "Conv1d: expected an image of 4 channels, which are dim 0, got float32 [5, 8]");
  EXPECT_MESSAGE(
      nn::ConvTranspose2d(3, 4, 3)(ones({2, 4, 8, 8})),
      "ConvTranspose2d: expected an image of 3 channels, which are dim 1, got float32 [2, 4, 8, 8]");
  EXPECT_MESSAGE(nn::Linear(3, 4)(tensor({1.0}).sum()),
                 "Linear: expected a last dim of 3 features, got float32 []");
  EXPECT_MESSAGE(nn::Conv2d(3, 4, 3)(ones({2, 5, 8, 8})),
                 "Conv2d: expected an image of 3 channels, which are dim 1, got float32 [2, 5, 8, 8]");
}

TEST(LayerErrors, OfDropout) {
  EXPECT_MESSAGE(nn::Dropout2d(1.25), "Dropout2d: expected a probability from 0 to 1, got 1.25");
  EXPECT_MESSAGE(F::alpha_dropout(ones({2}), -0.5), "alpha_dropout: expected a probability from 0 to 1");
  EXPECT_MESSAGE(F::dropout1d(ones({2})), "dropout1d: expected [batch, channels, and 1 spatial dims], or the "
                                          "same without a batch, got float32 [2]");
  EXPECT_MESSAGE(F::feature_alpha_dropout(ones({2})), "expected [batch, channels, ...], got float32 [2]");
}

TEST(LayerErrors, OfBags) {
  Tensor indices = tensor({0, 1, 1}, int64), rows = tensor({{0, 1}, {1, 1}}, int64);
  EXPECT_MESSAGE(nn::EmbeddingBag(2, 3, {.mode = "min"}), "mode: expected sum, mean or max, got 'min'");
  EXPECT_MESSAGE(nn::EmbeddingBag(2, 3, {.padding_idx = 2}),
                 "padding_idx: expected a row from -2 to 1, got 2");
  nn::EmbeddingBag bag(2, 3);
  EXPECT_MESSAGE(bag(indices), "expected offsets of integers [bags] beside indices [places], got none");
  EXPECT_MESSAGE(bag(indices, {.offsets = ones({2})}), "beside indices [places], got float32 [2]");
  EXPECT_MESSAGE(bag(rows, {.offsets = indices}),
                 "or [places] with offsets [bags], got int64 [2, 2] and offsets");
  EXPECT_MESSAGE(bag(rows, {.per_sample_weights = ones({2, 2})}), "for the mode sum, of the shape of the "
                                                                  "indices, [2, 2], got float32 [2, 2] for "
                                                                  "the mode mean");
  EXPECT_MESSAGE(bag(ones({2, 2})), "expects integers as operand 1, got float32 [2, 2]");
}

TEST(LayerErrors, OfImages) {
  Tensor image = ones({1, 2, 4, 4});
  EXPECT_MESSAGE(F::interpolate(image, {}), "interpolate: expected either size or scale_factor, got none");
  EXPECT_MESSAGE(nn::Upsample({.size = 3, .scale_factor = 2}), "either size or scale_factor, got both");
  EXPECT_MESSAGE(
      nn::Upsample({.size = 3, .mode = "cubic"}),
      "mode: expected one of nearest, nearest-exact, linear, bilinear, bicubic, trilinear, area, got "
      "'cubic'");
  EXPECT_MESSAGE(
      F::interpolate(image, {.size = 3, .mode = "linear"}),
      "interpolate: the mode linear takes [batch, channels, and 1 spatial dims], got float32 [1, 2, 4, 4]");
  EXPECT_MESSAGE(nn::Upsample({.size = 3, .align_corners = true}),
                 "align_corners: the mode nearest has no such choice");
  EXPECT_MESSAGE(F::interpolate(image, {.size = 3, .antialias = true}),
                 "antialias: expected the mode bilinear");
  EXPECT_MESSAGE(F::interpolate(image, {.scale_factor = {1, 2, 3}}),
                 "scale_factor: expected one number, or one for each of 2 spatial dims, got 3");
  EXPECT_MESSAGE(F::interpolate(image, {.scale_factor = -1}),
                 "scale_factor: expected numbers above 0, got -1.0");
  EXPECT_MESSAGE(F::interpolate(image, {.scale_factor = 0.1}), "expected sizes from 1 to");
  EXPECT_MESSAGE(F::interpolate(image, {.size = 1 << 23}), "expected sizes from 1 to");
  EXPECT_MESSAGE(F::unfold(image, 5),
                 "unfold: expected an image of at least one window, got (4, 4) for windows "
                 "of 5 elements along dim 0");
  EXPECT_MESSAGE(F::unfold(image, 100), "unfold: expected a kernel of at most 1024 elements, got (100, 100)");
  EXPECT_MESSAGE(
      F::fold(ones({1, 8, 8}), {4, 4}, 2),
      "fold: expected [batch, channels * 4, 9], or the same without a batch, got float32 [1, 8, 8]");
}

/// PyTorch computes with every pair of elements of such tensors.
TEST(LayerErrors, OfTargetsThatWouldBroadcast) {
  Tensor x = ones({3, 1}), target = ones({3});
  const std::string what = "expected a target of shape [3, 1], got [3]";
  EXPECT_MESSAGE(F::mse_loss(x, target), "mse_loss: " + what);
  EXPECT_MESSAGE(F::l1_loss(x, target), "l1_loss: " + what);
  EXPECT_MESSAGE(F::huber_loss(x, target), "huber_loss: " + what);
  EXPECT_MESSAGE(F::smooth_l1_loss(x, target), "huber_loss: " + what);
  EXPECT_MESSAGE(F::binary_cross_entropy(x, target), "binary_cross_entropy: " + what);
  EXPECT_MESSAGE(F::binary_cross_entropy_with_logits(x, target), "binary_cross_entropy_with_logits: " + what);
  EXPECT_MESSAGE(F::hinge_embedding_loss(x, target), "hinge_embedding_loss: " + what);
  EXPECT_MESSAGE(F::margin_ranking_loss(x, x, target), "margin_ranking_loss: " + what);
}

TEST(LayerErrors, OfLosses) {
  Tensor labels = tensor({0, 1}, int64), length = tensor({3, 3}, int64);
  EXPECT_MESSAGE(F::multi_margin_loss(ones({3, 2}), labels),
                 "multi_margin_loss: expected scores [rows, classes], or "
                 "[classes], and labels of the shape [3], got float32 "
                 "[3, 2] and int64 [2]");
  EXPECT_MESSAGE(F::multi_margin_loss(ones({2, 2}), labels, {.p = 3}), "expected p to be 1 or 2, got 3");
  EXPECT_MESSAGE(F::multilabel_margin_loss(ones({2, 2}), labels), "labels of the shape [2, 2]");
  Tensor logs = ones({3, 2, 4}), targets = tensor({{1, 2}, {1, 1}}, int64);
  EXPECT_MESSAGE(F::ctc_loss(logs, labels, length, length),
                 "ctc_loss: expected log_probs [places, batch, classes], "
                 "targets [batch, longest] and lengths [batch]");
  EXPECT_MESSAGE(F::ctc_loss(logs, targets, ones({2}), length),
                 "got float32 [3, 2, 4], int64 [2, 2], float32 [2] and");
  EXPECT_MESSAGE(F::ctc_loss(logs, targets, length, length, {.blank = 4}),
                 "blank: expected a class from 0 to 3, got 4");
  EXPECT_MESSAGE(F::ctc_loss(ones({513, 2, 4}), targets, length, length), "expected from 1 to 512 places");
  EXPECT_MESSAGE(F::ctc_loss(logs, targets, length, length, {.reduction = "max"}),
                 "expected mean, sum or none");
  EXPECT_MESSAGE(nn::CrossEntropyLoss()(ones({4, 3}), ones({4, 2})),
                 "a probability for each score of [4, 3], got [4, 2]");
  EXPECT_MESSAGE(nn::CrossEntropyLoss({.label_smoothing = 2})(ones({2, 3}), labels),
                 "label_smoothing: expected");
}

/// Errors name the innermost module and both sizes.
TEST(LayerErrors, MasksOfAttention) {
  nn::MultiheadAttention attention(4, 2, {.batch_first = true});
  Tensor x = ones({3, 5, 4});
  EXPECT_MESSAGE(
      attention(x, x, x, {.key_padding_mask = ones({3, 5}, int64)}),
      "key_padding_mask: expected truth values, or float32 that is added to the scores, got int64; "
      "a mask of ones and zeros is compared with 0 first");
  EXPECT_MESSAGE(attention(x, x, x, {.key_padding_mask = ones({3, 4}, boolean)}),
                 "key_padding_mask: expected shape [batch, keys], which is [3, 5], got [3, 4]");
  EXPECT_MESSAGE(attention(x, x, x, {.attn_mask = ones({3, 5, 5}, boolean)}),
                 "attn_mask: expected shape [queries, keys] or [batch * heads, queries, keys], got [3, 5, 5] "
                 "for a batch "
                 "of 3 and 2 heads");
  EXPECT_MESSAGE(attention(x, x, x, {.attn_mask = ones({4, 5}, boolean)}),
                 "attention: a mask of shape [4, 5] does not fit scores of shape [3, 2, 5, 5]");
  EXPECT_MESSAGE(nn::functional::scaled_dot_product_attention(x, x, x, {.attn_mask = ones({5, 5}, float64)}),
                 "attn_mask: expected truth values, or float32 that is added to the scores, got float64;");
  EXPECT_MESSAGE(
      nn::functional::scaled_dot_product_attention(x, x, x, {.attn_mask = ones({2, 3, 5, 5})}),
      "attention: a mask of shape [2, 3, 5, 5] does not fit scores of shape [3, 5, 5]");
  EXPECT_MESSAGE(nn::MultiheadAttention(4, 3),
                 "num_heads: expected a divisor of embed_dim, got 3 heads and embed_dim 4");
}

TEST(LayerErrors, DeepInside) {
  struct Translator : nn::Module {
    nn::TransformerEncoder encoder = register_module(
        "encoder", nn::TransformerEncoder(nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 4}), 4));
    Tensor forward(Tensor x) override { return encoder(x); }
  } net;
  Error error = errorOf([&] { net(ones({5, 2, 6})); });
  EXPECT_EQ(error.module(), "encoder.layers.0.self_attn");
  EXPECT_NE(
      error.message().find("a query of 2 or 3 dims, of which the last one has 8 features, got [5, 2, 6]"),
      std::string::npos)
      << error.what();
  nn::MultiheadAttention more(4, 2, {.add_bias_kv = true});
  Tensor x = ones({3, 1, 4});
  EXPECT_MESSAGE(more(x, x, x, {.is_causal = true}), "expected attn_mask");
  nn::Transformer whole(4, 2, {.num_encoder_layers = 1, .num_decoder_layers = 1, .dim_feedforward = 4});
  EXPECT_MESSAGE(whole(x, ones({3, 2, 4})),
                 "Transformer: expected src and tgt [places, batch, features] of one batch, "
                 "or both without a batch, got float32 [3, 1, 4] and float32 [3, 2, 4]");
}

TEST(LayerErrors, RecurrentStatesOfAnotherDtype) {
  Tensor x = ones({2, 3});
  nn::GRUCell gru(3, 4);
  EXPECT_MESSAGE(gru(x, zeros({2, 4}, float64)),
                 "recurrent cell: expects inputs, states and weights of one dtype, got float32 [2, 12] and "
                 "float64 [2, 4]; convert one with to(dlc::float32)");
  nn::LSTM lstm(3, 4);
  EXPECT_MESSAGE(lstm.run(ones({5, 2, 3}), zeros({1, 2, 4}), zeros({1, 2, 4}, float64)),
                 "recurrent cell: expects inputs, states and weights of one dtype, got float32 [2, 16] and "
                 "float64 [2, 4]");
}
