//===- dlc/nn.h - everything of dlc::nn ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_H
#define DLC_NN_H

#include "dlc/nn/activations.h"
#include "dlc/nn/attention.h"
#include "dlc/nn/containers.h"
#include "dlc/nn/conv.h"
#include "dlc/nn/ctc.h"
#include "dlc/nn/dropout.h"
#include "dlc/nn/embedding.h"
#include "dlc/nn/folding.h"
#include "dlc/nn/init.h"
#include "dlc/nn/layers.h"
#include "dlc/nn/loss.h"
#include "dlc/nn/normalization.h"
#include "dlc/nn/padding.h"
#include "dlc/nn/pair_loss.h"
#include "dlc/nn/pooling.h"
#include "dlc/nn/recurrent.h"
#include "dlc/nn/transformer.h"
#include "dlc/nn/upsampling.h"

namespace dlc {
// As torch has them beside torch.nn.functional.
using nn::functional::adaptive_avg_pool1d, nn::functional::adaptive_max_pool1d, nn::functional::alpha_dropout,
    nn::functional::avg_pool1d, nn::functional::binary_cross_entropy_with_logits,
    nn::functional::channel_shuffle, nn::functional::conv1d, nn::functional::conv2d, nn::functional::conv3d,
    nn::functional::conv_transpose1d, nn::functional::conv_transpose2d, nn::functional::conv_transpose3d,
    nn::functional::cosine_embedding_loss, nn::functional::cosine_similarity, nn::functional::ctc_loss,
    nn::functional::dropout, nn::functional::embedding, nn::functional::feature_alpha_dropout,
    nn::functional::group_norm, nn::functional::hinge_embedding_loss, nn::functional::instance_norm,
    nn::functional::kl_div, nn::functional::layer_norm, nn::functional::margin_ranking_loss,
    nn::functional::max_pool1d, nn::functional::max_pool2d, nn::functional::max_pool3d,
    nn::functional::pairwise_distance, nn::functional::pixel_shuffle, nn::functional::pixel_unshuffle,
    nn::functional::poisson_nll_loss, nn::functional::rms_norm, nn::functional::triplet_margin_loss;
} // namespace dlc

#endif // DLC_NN_H
