//===- CtcCases.cpp - sequences of labels, and what their loss is ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/CtcCases.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace dlc::numerics {

using interpret::DType;

static constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<CtcCase> &ctcCases() {
  static const std::vector<CtcCase> all = {
#include "tests/numerics/ctc_cases.inc"
  };
  return all;
}

//===-- The model ------------------------------------------------------------------===//

std::vector<int64_t> CtcCase::shape(int64_t batch) const {
  std::vector<int64_t> sizes;
  for (const char *axis = order; *axis; ++axis)
    sizes.push_back(*axis == 't' ? places : *axis == 'b' ? batch : classes);
  return sizes;
}

int64_t CtcCase::at(int64_t place, int64_t sequence, int64_t cls, int64_t batch) const {
  int64_t index = 0;
  for (const char *axis = order; *axis; ++axis)
    index = *axis == 't'   ? index * places + place
            : *axis == 'b' ? index * batch + sequence
                           : index * classes + cls;
  return index;
}

train::RecipeSettings CtcCase::recipe() const {
  train::RecipeSettings settings{{"loss", "ctc"},
                                 {"reduction", reduction},
                                 {"blank", std::to_string(blank)},
                                 {"max_labels", std::to_string(most)},
                                 {"label_type", labelType}};
  if (zeroInfinity)
    settings.emplace_back("zero_infinity", "");
  return settings;
}

Program CtcCase::program(const char *type) const {
  std::string dims, names, once;
  for (int64_t size : shape(1))
    once += llvm::formatv("{0}x", size);
  for (const char *axis = order; *axis; ++axis) {
    dims += *axis == 'b' ? "?x" : llvm::formatv("{0}x", *axis == 't' ? places : classes).str();
    names += std::string(axis == order ? "" : ", ") + (*axis == 'b' ? "batch" : "_");
  }
  std::string text = llvm::formatv(R"mlir(
!y = tensor<{0}{1}, #nn.dims<{2}>>
!w = tensor<{3}{1}>
train.program @sequences {{
  train.dim @batch = {4}
  train.state parameter @w : !w
  train.input @x : !y
  train.output prediction @y : !y
  train.function forward @forward {{
    %x = train.read @x : !y
    %w = train.read @w : !w
    %z = nn.add %x, %w : !y, !w
    %y = nn.log_softmax %z axis {5} : !y
    train.write %y, @y : !y
  }
})mlir",
                                   dims, type, names, once, batch, std::string(order).find('c'));
  return Program(text);
}

Tensor CtcCase::input(DType type) const {
  Tensor tensor = Tensor::zeros(type, shape(batch));
  for (int64_t t = 0; t < places; ++t)
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t c = 0; c < classes; ++c) // sixteenths, which float32 has, too
        tensor.floats[at(t, b, c, batch)] =
            double((7 * t + 11 * b + 13 * c + 5 * t * c * (b + 1)) % 48 - 24) / 16;
  return tensor;
}

std::vector<int64_t> CtcCase::parameterShape() const { return shape(1); }

Tensor CtcCase::parameter(DType type) const {
  Tensor tensor = Tensor::zeros(type, shape(1));
  for (int64_t t = 0; t < places; ++t)
    for (int64_t c = 0; c < classes; ++c)
      tensor.floats[at(t, 0, c, 1)] = double((3 * t + 5 * c) % 16 - 8) / 16;
  return tensor;
}

std::vector<Tensor> CtcCase::targets() const {
  DType type = labelType == std::string("i32") ? DType::I32 : DType::I64;
  std::vector<Tensor> all = {Tensor::zeros(type, {batch, most}), Tensor::zeros(type, {batch}),
                             Tensor::zeros(type, {batch})};
  all[0].ints.assign(labels.begin(), labels.end());
  all[1].ints.assign(inputLengths.begin(), inputLengths.end());
  all[2].ints.assign(labelLengths.begin(), labelLengths.end());
  return all;
}

//===-- The definition -------------------------------------------------------------===//

std::vector<double> CtcCase::logProbabilities(int64_t sequence, const Tensor &parameter) const {
  Tensor x = input(DType::F64);
  std::vector<double> logs;
  for (int64_t t = 0; t < places; ++t) {
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c) {
      logs.push_back(x.floats[at(t, sequence, c, batch)] + parameter.floats[at(t, 0, c, 1)]);
      sum += std::exp(logs.back());
    }
    for (int64_t c = 0; c < classes; ++c)
      logs[t * classes + c] -= std::log(sum);
  }
  return logs;
}

double CtcCase::lossOf(int64_t sequence, const Tensor &parameter) const {
  std::vector<double> logs = logProbabilities(sequence, parameter);
  std::vector<int64_t> wanted(labels.begin() + sequence * most,
                              labels.begin() + sequence * most + labelLengths[sequence]);
  const int64_t length = inputLengths[sequence];
  std::vector<int64_t> path(length, 0);
  double probability = 0;
  while (true) {
    std::vector<int64_t> spelled;
    double log = 0;
    for (int64_t t = 0; t < length; ++t) {
      log += logs[t * classes + path[t]];
      if (path[t] != blank && (t == 0 || path[t] != path[t - 1]))
        spelled.push_back(path[t]);
    }
    if (spelled == wanted)
      probability += std::exp(log);
    int64_t t = length - 1; // the next path
    while (t >= 0 && ++path[t] == classes)
      path[t--] = 0;
    if (t < 0)
      break;
  }
  return probability > 0 ? -std::log(probability) : zeroInfinity ? 0 : infinity;
}

double CtcCase::lossOfAll(const Tensor &parameter) const {
  const bool isMean = reduction == std::string("mean");
  double sum = 0;
  for (int64_t b = 0; b < batch; ++b)
    sum += lossOf(b, parameter) / (isMean ? double(std::max<int64_t>(labelLengths[b], 1)) : 1);
  return sum / (isMean ? double(batch) : 1);
}

Tensor CtcCase::gradient() const {
  CtcCase possible = *this; // finite numbers have differences
  possible.zeroInfinity = true;
  Tensor gradient = Tensor::zeros(DType::F64, shape(1));
  for (size_t i = 0; i < gradient.floats.size(); ++i) {
    constexpr double step = 1e-4;
    auto moved = [&](double by) {
      Tensor values = parameter(DType::F64);
      values.floats[i] += by;
      return possible.lossOfAll(values);
    };
    // Of fourth order: with -1, 8, -8 and 1 the error is some step^4.
    gradient.floats[i] =
        (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
  }
  return gradient;
}

} // namespace dlc::numerics
