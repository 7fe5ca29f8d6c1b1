//===- Normalize.cpp - values of mean 0 and deviation 1 --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/DataSet.h"
#include <cmath>

namespace dlc::tool::training {

namespace {

/// The numbers of one group: `length` of each sample, from `begin` on.
struct Numbers {
  float *begin;
  int64_t stride, length;

  template <typename Visit> void forEach(const DataSet &data, Visit visit) const {
    for (int64_t i = 0; i < data.samples(); ++i)
      for (int64_t k = 0; k < length; ++k)
        visit(begin[data.place(i) * stride + k]);
  }
};

Scale normalizeGroup(const Numbers &training, const DataSet &data, const Numbers &other,
                     const DataSet &validation) {
  double sum = 0, squares = 0;
  training.forEach(data, [&](float value) { sum += value; });
  const double count = double(data.samples()) * double(training.length), mean = sum / count;
  if (!std::isfinite(mean))
    throw Failure(findNotFinite(data) + ", so --normalize finds no mean");
  training.forEach(data, [&](float value) { squares += (value - mean) * (value - mean); });
  const double deviation = squares > 0 ? std::sqrt(squares / count) : 1; // of equal numbers: they become 0
  const Scale scale = {mean, deviation};
  auto change = [&](float &value) { value = scale.of(value); };
  training.forEach(data, change);
  other.forEach(validation, change);
  return scale;
}

Numbers numbersOf(const DataSet &data, uint32_t input, const ScaleGroups &groups, int64_t group) {
  auto *values = data.columns ? static_cast<float *>((*data.columns)[input].array->data) : nullptr;
  return {values + group * groups.length, groups.count * groups.length, groups.length};
}

} // namespace

ScaleGroups scaleGroups(const dlc_input &input) {
  int64_t elements = 1;
  for (uint32_t i = 1; i < input.rank; ++i)
    elements *= input.shape[i];
  const int64_t channels = input.rank == 2 ? elements : input.rank == 4 ? input.shape[1] : 1;
  return {channels, elements / channels};
}

std::vector<std::vector<Scale>> normalize(const dlc_model &model, DataSet &training, DataSet &validation) {
  for (const DataSet *data : {&training, &validation})
    if (data->columns)
      for (const Column &column : *data->columns)
        if (column.rows)
          throw Failure("--normalize changes values in memory, but " + column.place +
                        " is read sample by sample, as it is too large or --stream is given");
  std::vector<std::vector<Scale>> scales(model.input_count);
  bool any = false;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    if (input.is_target || input.dtype != DLC_F32)
      continue;
    any = true;
    const ScaleGroups groups = scaleGroups(input);
    for (int64_t group = 0; group < groups.count; ++group)
      scales[i].push_back(normalizeGroup(numbersOf(training, i, groups, group), training,
                                         numbersOf(validation, i, groups, group), validation));
  }
  if (!any)
    throw Failure("--normalize has no effect: the model has no input of type float32");
  return scales;
}

} // namespace dlc::tool::training
