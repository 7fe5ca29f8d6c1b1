//===- ImageForm.h - images as a model takes them --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_IMAGEFORM_H
#define DLC_TOOLS_DLC_TRAIN_IMAGEFORM_H

#include "dlc/images.h"
#include "tools/dlc/train/Arrays.h"
#include "tools/dlc/train/Rows.h"
#include <vector>

namespace dlc::tool::training {

/// The form of an input's images. Failure where the input does not say how large images are; `place` has
/// them.
dlc_image_form formOf(const dlc_input &input, const std::string &place);
/// A sample of that form.
dlc_field fieldOf(const dlc_image_form &form);
/// "300 images, made red, green and blue, resized until ...".
std::string describeForm(const dlc_image_form &form, int64_t images);

/// All rows in memory, read by as many threads as there are cores.
Array readAll(const Rows &rows, const std::string &place);
/// Memory for such an array. Failure where there is none.
Array newArray(int32_t dtype, const std::vector<int64_t> &shape, const std::string &place);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_IMAGEFORM_H
