//===- Augment.cpp - random changes of the images that are trained with ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --augment asks for, and the input that it is for. The loader changes the images: a sample's crop
// follows from the seed, the epoch and the sample, so that nothing of it is kept for a training that goes on.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Augment.h"
#include <charconv>

namespace dlc::tool::training {

Augmentation parseAugmentation(const std::string &text) {
  Augmentation result;
  for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin),
                      pixels = word.substr(0, 5) == "crop:" ? word.substr(5) : "";
    int32_t padding = 0;
    const auto [rest, error] = std::from_chars(pixels.data(), pixels.data() + pixels.size(), padding);
    if (word == "flip" && !result.mirrors)
      result.mirrors = true;
    else if (!result.padding && error == std::errc() && rest == pixels.data() + pixels.size() && padding > 0)
      result.padding = padding;
    else
      throw Failure(
          "--augment: expected crop:PIXELS (1 or more), flip, or both with a comma between them; got '" +
          text + "'");
  }
  return result;
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
  for (const Scale &scale : scales[size_t(augmentation.input)])
    augmentation.border.push_back(scale.of(0)); // black
  data.augmentation = std::move(augmentation);
}

} // namespace dlc::tool::training
