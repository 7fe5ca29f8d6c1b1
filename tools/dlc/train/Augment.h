//===- Augment.h - random changes of the images that are trained with ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_AUGMENT_H
#define DLC_TOOLS_DLC_TRAIN_AUGMENT_H

#include "tools/dlc/train/DataSet.h"

namespace dlc::tool::training {

/// "crop:4,flip", or a Failure that says what is expected.
Augmentation parseAugmentation(const std::string &text);

/// Lets the images of `data` change so in each epoch. `scales`: how --normalize changed each
/// channel of each input, where it did: the border is black. Failure where it is not clear which input has
/// images.
void augment(const dlc_model &model, Augmentation augmentation, const std::vector<std::vector<Scale>> &scales,
             DataSet &data);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_AUGMENT_H
