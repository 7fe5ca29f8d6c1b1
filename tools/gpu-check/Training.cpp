//===- Training.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/gpu-check/Training.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace dlc::check {

namespace {

size_t bytesOf(uint32_t dtype) {
  constexpr size_t sizes[] = {0, 4, 8, 4, 8, 1, 2, 2};
  return sizes[dtype];
}

template <typename Tensor> size_t countOf(const Tensor &tensor) {
  size_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i)
    count *= static_cast<size_t>(tensor.shape[i]);
  return count;
}

/// Same on all machines: the distributions of the C++ library are not.
class Numbers {
public:
  explicit Numbers(uint32_t seed) : engine(seed) {}
  double uniform() { return engine() / 4294967296.0; }

private:
  std::mt19937 engine;
};

void write(unsigned char *place, uint32_t dtype, double value) {
  const float f32 = static_cast<float>(value);
  const int32_t i32 = static_cast<int32_t>(value);
  const int64_t i64 = static_cast<int64_t>(value);
  const unsigned char boolean = value != 0;
  switch (dtype) {
  case DLC_F32:
    return static_cast<void>(memcpy(place, &f32, sizeof f32));
  case DLC_F64:
    return static_cast<void>(memcpy(place, &value, sizeof value));
  case DLC_I32:
    return static_cast<void>(memcpy(place, &i32, sizeof i32));
  case DLC_I64:
    return static_cast<void>(memcpy(place, &i64, sizeof i64));
  case DLC_BOOL:
    *place = boolean;
    return;
  case DLC_U8:
    *place = static_cast<unsigned char>(value);
    return;
  default:
    throw std::runtime_error("an input has a type that this check has no numbers for");
  }
}

bool isCompared(const dlc_symbol &symbol) {
  return symbol.kind == DLC_PARAMETER || symbol.kind == DLC_BUFFER || symbol.kind == DLC_OPTIMIZER_STATE;
}

} // namespace

/// As layers are initialized: weights between plus and minus one over the square root of what an output
/// reads, biases and means 0, scales and variances 1.
static std::vector<unsigned char> initialValues(const dlc_symbol &symbol) {
  std::vector<float> values(countOf(symbol));
  const std::string name = symbol.name;
  auto endsIn = [&](const std::string &end) {
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  if (symbol.rank >= 2) {
    const double bound = 1 / std::sqrt(static_cast<double>(values.size()) / symbol.shape[0]);
    uint32_t state = 1; // xorshift: there may be a hundred million numbers
    for (float &value : values) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      value = static_cast<float>(bound * (state / 2147483648.0 - 1));
    }
  } else if (!endsIn("bias") && !endsIn("mean")) {
    std::fill(values.begin(), values.end(), 1.0f);
  }
  std::vector<unsigned char> bytes(values.size() * sizeof(float));
  memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Keeps a tensor of the file.
static dlc_status keep(void *kept, const char *name, const dlc_array *tensor) {
  const auto *bytes = static_cast<const unsigned char *>(tensor->data);
  (*static_cast<std::map<std::string, std::vector<unsigned char>> *>(kept))[name].assign(
      bytes, bytes + tensor->bytes);
  return DLC_OK;
}

void Training::addInitialValues(const std::string &folder) {
  symbols.assign(model.symbols, model.symbols + model.symbol_count);
  for (dlc_symbol &symbol : symbols) {
    const bool isWeight = symbol.kind == DLC_PARAMETER || symbol.kind == DLC_BUFFER;
    if (symbol.initial || (!isWeight && !symbol.in_weights_file))
      continue;
    if (symbol.kind == DLC_CONSTANT && !initial.count(symbol.name)) {
      char error[512] = "";
      if (dlc_status status = dlc_visit_tensors((folder + "/constants.safetensors").c_str(), keep, &initial,
                                                error, sizeof error))
        throw Failed(status, error);
    }
    if (isWeight && symbol.dtype == DLC_F32)
      initial[symbol.name] = initialValues(symbol);
    symbol.initial = initial.at(symbol.name).data();
    symbol.in_weights_file = 0;
  }
  model.symbols = symbols.data();
  model.weights_file = nullptr;
}

Training::Training(const dlc_model &compiled, const char *device, const std::string &folder)
    : model(compiled) {
  addInitialValues(folder);
  char error[1024] = "";
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.device = device;
  options.error = error;
  options.error_bytes = sizeof error;
  if (dlc_status status =
          dlc_instance_create(&model, model.abi_version, model.fingerprint, &options, &instance))
    throw Failed(status, error);
  for (uint32_t i = 0; i < model.input_count; ++i)
    values.emplace_back(countOf(model.inputs[i]) * bytesOf(model.inputs[i].dtype));
  for (const auto &value : values)
    inputs.push_back(value.data());
}

Training::~Training() { dlc_instance_destroy(instance); }

void Training::expect(dlc_status status) {
  if (status != DLC_OK)
    throw Failed(status, dlc_instance_last_error(instance));
}

/// Indices are in their range, other inputs between -1 and 1, other targets between 0 and 1.
void Training::fill(int step) {
  if (filled == step)
    return;
  filled = step;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    Numbers numbers(static_cast<uint32_t>(step) * 1000 + i);
    const size_t size = bytesOf(input.dtype);
    for (size_t at = 0; at < values[i].size(); at += size) {
      const double number = numbers.uniform();
      const double value =
          input.is_index ? static_cast<double>(input.index_low) +
                               std::floor(number * static_cast<double>(input.index_limit - input.index_low))
          : input.dtype == DLC_F32 || input.dtype == DLC_F64
              ? (input.is_target ? number : 2 * number - 1)
              : std::floor((input.dtype == DLC_U8 ? 256 : 2) * number);
      write(values[i].data() + at, input.dtype, value);
    }
  }
}

float Training::step(int number) {
  float loss = 0;
  fill(number);
  expect(dlc_instance_train_step(instance, inputs.data(), &loss));
  return loss;
}

void Training::stepWithoutLoss(int number) {
  fill(number);
  expect(dlc_instance_train_step(instance, inputs.data(), nullptr));
}

float Training::halfSteps(int number) {
  float loss = 0;
  fill(number);
  expect(dlc_instance_grad_step(instance, inputs.data(), &loss));
  expect(dlc_instance_apply(instance));
  return loss;
}

float Training::lastLoss() {
  float loss = 0;
  expect(dlc_instance_sync(instance, &loss));
  return loss;
}

std::vector<double> Training::evaluate(int number) {
  dlc_metrics metrics;
  fill(number);
  expect(dlc_instance_eval_step(instance, model.batch > 0 ? model.batch : 1, inputs.data(), &metrics));
  return {metrics.loss_sum, metrics.loss_weight};
}

std::vector<float> Training::predict(int number) {
  std::vector<std::vector<unsigned char>> results(model.output_count);
  std::vector<void *> outputs(model.output_count);
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_PREDICTION) {
      results[i].resize(countOf(model.outputs[i]) * bytesOf(model.outputs[i].dtype));
      outputs[i] = results[i].data();
    }
  fill(number);
  expect(dlc_instance_predict(instance, model.batch > 0 ? model.batch : 1, nullptr, inputs.data(),
                              outputs.data()));
  std::vector<float> numbers;
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (!results[i].empty() && model.outputs[i].dtype == DLC_F32) {
      numbers.resize(numbers.size() + results[i].size() / sizeof(float));
      memcpy(&*numbers.end() - results[i].size() / sizeof(float), results[i].data(), results[i].size());
    }
  return numbers;
}

void Training::save(const std::string &file) { expect(dlc_instance_save(instance, file.c_str())); }

void Training::load(const std::string &file) { expect(dlc_instance_load(instance, file.c_str())); }

std::vector<std::vector<unsigned char>> Training::state() {
  std::vector<std::vector<unsigned char>> all;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_symbol &symbol = model.symbols[i];
    if (!isCompared(symbol))
      continue;
    std::vector<unsigned char> bytes(countOf(symbol) * bytesOf(symbol.dtype));
    expect(dlc_instance_parameter_read(instance, symbol.name, bytes.data(), bytes.size()));
    all.push_back(std::move(bytes));
  }
  return all;
}

double Training::distance(Training &one, Training &other) {
  const auto a = one.state(), b = other.state();
  double worst = 0;
  size_t next = 0;
  for (uint32_t i = 0; i < one.model.symbol_count; ++i) {
    const dlc_symbol &symbol = one.model.symbols[i];
    if (!isCompared(symbol))
      continue;
    const auto &mine = a[next], &others = b.at(next);
    ++next;
    if (symbol.dtype != DLC_F32 || symbol.kind == DLC_OPTIMIZER_STATE)
      continue;
    double largest = 1e-30, difference = 0;
    for (size_t at = 0; at < mine.size(); at += sizeof(float)) {
      float x, y;
      memcpy(&x, mine.data() + at, sizeof x);
      memcpy(&y, others.data() + at, sizeof y);
      largest = std::max(largest, std::fabs(static_cast<double>(y)));
      const double apart = std::fabs(static_cast<double>(x) - y);
      difference = std::isnan(apart) ? INFINITY : std::max(difference, apart);
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

} // namespace dlc::check
