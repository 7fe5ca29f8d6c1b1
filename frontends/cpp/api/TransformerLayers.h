//===- TransformerLayers.h - what layers of encoders and decoders share --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_TRANSFORMERLAYERS_H
#define DLC_FRONTENDS_CPP_API_TRANSFORMERLAYERS_H

#include "dlc/nn/transformer.h"
#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

nn::MultiheadAttention attentionOf(int64_t size, int64_t heads, const nn::TransformerLayerOptions &options,
                                   const Where &where);
nn::LayerNorm normOf(int64_t size, const nn::TransformerLayerOptions &options, const Where &where);
/// The function between the two products; throws where it is not known.
void checkActivation(const nn::TransformerLayerOptions &options, const Where &where);
Tensor activate(const Tensor &x, const nn::TransformerLayerOptions &options, const Where &where);
/// Throws where a layer, of which others would be made, is of a class that derives from `type`.
void requireSame(const nn::Module &layer, const std::type_info &type, const Where &where);
/// Gives the parameters of `to` the values of those of `from`, which has the same.
void copyParameters(const nn::Module &from, const nn::Module &to, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_TRANSFORMERLAYERS_H
