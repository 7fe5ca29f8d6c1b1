//===- Groups.h - channels that are normalized in groups -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Group normalization (Wu and He 2018) is a layer normalization of [batch, groups, channels of a group,
// positions...] over the last dims. Written like that, each group would be one row, and channels would have
// to lie before positions in memory, while convolutions have them last. Here formulas have the dims [batch,
// channels, positions...]: sums go over positions for each channel first and then over the few channels of a
// group, and what is known of a group is handed to each of its channels.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_GROUPS_H
#define DLC_DIALECTS_NN_GROUPS_H

#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"

namespace nn {

class Groups {
public:
  /// Whether the dims from `axis` on are the channels of a group and positions. (Channels that are normalized
  /// one by one are groups with one channel each.)
  static bool areIn(mlir::RankedTensorType type, int64_t axis) {
    return axis >= 2 && type.getRank() - axis >= 2;
  }
  /// The tensor, whose channels are at `axis`, is seen as [outer..., groups, channels of a group,
  /// positions...].
  Groups(mlir::RankedTensorType type, int64_t axis);

  /// [outer..., channels, positions...] from a tensor that has groups apart, and back.
  Expr channels(Expr apart) const;
  Expr apart(Expr channels) const;
  /// The mean of each group, [outer..., groups, 1...], of a tensor of channels.
  Expr mean(Expr channels) const;
  /// The group's number for each channel, [outer..., channels, 1...], from [outer..., groups, 1...].
  Expr spread(Expr ofGroups) const;

private:
  Expr reshaped(Expr x, Shape shape) const { return reshape(x, tensorType(shape, x.elementType())); }

  Shape shape;
  int64_t axis;
  Shape outer; ///< with the groups
};

} // namespace nn

#endif // DLC_DIALECTS_NN_GROUPS_H
