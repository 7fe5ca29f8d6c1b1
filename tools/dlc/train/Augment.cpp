//===- Augment.cpp - random changes of the images that are trained with ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --augment asks for, and the input that it is for. The loader changes the images: a sample's crop
// follows from the seed, the epoch and the sample, so that nothing of it is kept for a training that goes on.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Augment.h"
#include "dlc/data.h"

namespace dlc::tool::training {

Augmentation parseAugmentation(const std::string &text) {
  Augmentation result;
  char error[512];
  int32_t mixes = 0;
  if (dlc_changes_check(text.c_str(), &mixes, error, sizeof error) != DLC_OK)
    throw Failure(std::string("--augment: ") + error);
  result.changes = text;
  result.mixes = mixes != 0;
  return result;
}

/// Mixed targets are parts of several classes, which a class's number cannot say.
static void addTargets(const dlc_model &model, Augmentation &augmentation) {
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    if (!input.is_target)
      continue;
    if (input.dtype != DLC_F32)
      throw Failure(
          "--augment: mixup and cutmix mix targets, and target " + describe(input) +
          " has numbers of classes, which cannot be mixed: train with a probability for each class, as "
          "--loss=softmax-cross-entropy --label-type=f32 does, to which labels are given as rows of 0 and 1");
    augmentation.mixed.push_back(int32_t(i));
  }
  if (augmentation.mixed.empty())
    throw Failure("--augment: mixup and cutmix mix targets, and the model has none");
}

void augment(const dlc_model &model, Augmentation augmentation, const std::vector<std::vector<Scale>> &scales,
             DataSet &data) {
  std::string inputs;
  int images = 0;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    if (input.is_target)
      continue;
    inputs += (inputs.empty() ? "" : ", ") + describe(input);
    if (input.dtype == DLC_F32 && (input.rank == 3 || input.rank == 4)) {
      augmentation.input = int32_t(i);
      ++images;
    }
  }
  if (images != 1)
    throw Failure(
        std::string(
            "--augment changes images, which are an input of float32 with channels, height and width, or "
            "with height and width alone; ") +
        (images ? "more than one" : "none") + " of the model's inputs is: " + inputs);
  for (const Scale &scale : scales[size_t(augmentation.input)]) {
    augmentation.black.push_back(scale.of(0));
    augmentation.white.push_back(scale.of(1));
  }
  if (augmentation.mixes)
    addTargets(model, augmentation);
  data.augmentation = std::move(augmentation);
}

} // namespace dlc::tool::training
