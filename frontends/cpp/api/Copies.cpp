//===- Copies.cpp - what copies and destroys the public classes ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are what the compiler would write itself. Here they are compiled once; in each description they would
// take most of the time that it is compiled, with the containers that they copy.
//===----------------------------------------------------------------------===//
#include "dlc/autograd.h"
#include "dlc/nn.h"
#include "dlc/program.h"

namespace dlc {

#define DLC_COPIED(Name)                                                                                     \
  Name::Name(const Name &) = default;                                                                        \
  Name &Name::operator=(const Name &) = default;                                                             \
  Name::~Name() = default;
#define DLC_MOVED(Name)                                                                                      \
  DLC_COPIED(Name)                                                                                           \
  Name::Name(Name &&) noexcept = default;                                                                    \
  Name &Name::operator=(Name &&) noexcept = default;

DLC_MOVED(Dim)
DLC_MOVED(Shape)
DLC_MOVED(Axes)
DLC_MOVED(RemovableHandle)
DLC_MOVED(Loss)
DLC_MOVED(Optimizer)
DLC_MOVED(Program)
DLC_COPIED(Context)

Indices::Indices(const Indices &) = default;
Indices::Indices(Indices &&) noexcept = default;
Indices::~Indices() = default;
Nested::Nested(const Nested &) = default;
Nested::Nested(Nested &&) noexcept = default;
Nested::~Nested() = default;

namespace nn {

DLC_MOVED(Sizes)
DLC_MOVED(Padding)
DLC_MOVED(OutputSizes)
DLC_MOVED(Factors)
DLC_COPIED(Sequential)
DLC_COPIED(ModuleDict)
DLC_COPIED(Convolution)
DLC_COPIED(PaddingModule)
DLC_COPIED(Unflatten)
DLC_COPIED(EmbeddingBag)
DLC_COPIED(TripletMarginWithDistanceLoss)
DLC_COPIED(MultiheadAttention)
DLC_COPIED(TransformerEncoderLayer)
DLC_COPIED(TransformerDecoderLayer)
DLC_COPIED(TransformerEncoder)
DLC_COPIED(TransformerDecoder)
DLC_COPIED(Transformer)
#undef DLC_MOVED
#undef DLC_COPIED

} // namespace nn
} // namespace dlc
