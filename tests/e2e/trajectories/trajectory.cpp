//===-- trajectory.cpp - trains a compiled model and compares with PyTorch -----===//
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built once a model, with MODEL (the C prefix), HEADER and WEIGHTS defined, and PRECISION for one of low
// precision. README.md states the test.
// usage: trajectory REFERENCE_FOLDER DATA_FOLDER [STEPS [STATE]]
//   STEPS: no more than so many; STATE: a file to save the state to afterwards
//===----------------------------------------------------------------------===//
#include HEADER

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "tests/e2e/trajectories/generated.h"
#include "tests/e2e/trajectories/safetensors.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define CALL(function) PASTE(MODEL, function)
#ifndef PRECISION
#define PRECISION ""
#endif
#define STRING2(a) #a
#define STRING(a) STRING2(a)

namespace {

using dlc::test::Tensor;

// The generated functions name the element types; an array converts to whichever the model takes.
struct Array {
  const char *bytes;
  template <typename T> operator const T *() const { return reinterpret_cast<const T *>(bytes); }
};

struct Batch {
  Array inputs, mask, targets;      // a mask of models that have this input, too
  Array inputLengths, labelLengths; // of sequences
};
#ifdef HAS_MASK
#define INPUTS(batch) (batch).inputs, (batch).mask
#else
#define INPUTS(batch) (batch).inputs
#endif
#ifdef HAS_LENGTHS
#define TARGETS(batch) (batch).targets, (batch).inputLengths, (batch).labelLengths
#else
#define TARGETS(batch) (batch).targets
#endif

void check(dlc_status status, MODEL *model, const char *what) {
  if (status != DLC_OK)
    throw std::runtime_error(std::string(what) + ": " +
                             (model ? CALL(_last_error)(model) : dlc_status_string(status)));
}

struct Handle {
  Handle() {
    dlc_create_options options = {};
    options.struct_size = sizeof options;
    options.weights_path = WEIGHTS;
    check(CALL(_create)(&options, &model), nullptr, "create");
  }
  ~Handle() { CALL(_destroy)(model); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;

  MODEL *model = nullptr;
};

// The batches of a reference: stored or generated ones taken in turn, or rows of a data set in file order.
class Batches {
public:
  Batches(const nlohmann::json &description, const std::map<std::string, Tensor> &reference,
          const std::string &folder) {
    const nlohmann::json &data = description["data"];
    if (data.is_string()) {
      inputs = reference.at("inputs").bytes;
      targets = reference.at("targets").bytes;
      count = reference.at("inputs").shape[0];
      for (auto [name, part] : {std::pair("mask", &mask), std::pair("input_lengths", &inputLengths),
                                std::pair("label_lengths", &labelLengths)})
        if (auto found = reference.find(name); found != reference.end())
          *part = found->second.bytes;
    } else if (data.contains("batches")) {
      count = data["batches"];
      const uint64_t rows = static_cast<uint64_t>(count) * description["batch"].get<uint64_t>();
      uint64_t size = 1;
      for (const nlohmann::json &dim : data["shape"])
        size *= dim.get<uint64_t>();
      std::tie(inputs, targets) =
          data.contains("classes")  ? dlc::test::makeImages(rows, size, data["classes"].get<uint64_t>())
          : data.contains("tokens") ? dlc::test::makeTokens(rows, size, data["tokens"].get<uint64_t>())
                                    : dlc::test::makeNumbers(rows * size);
    } else {
      dlc_scaling scaling = {data["scale"], data["mean"], data["deviation"]};
      auto stored = reference.find("targets");
      count = stored != reference.end() ? stored->second.shape[0] : description["steps"].get<int64_t>();
      int64_t rows = count * description["batch"].get<int64_t>();
      inputs = firstRows(folder + "/" + data["images"].get<std::string>(), &scaling, rows);
      targets = stored != reference.end()
                    ? stored->second.bytes
                    : firstRows(folder + "/" + data["labels"].get<std::string>(), nullptr, rows);
    }
  }

  Batch at(int64_t step) const {
    auto part = [&](const std::vector<char> &all) {
      return Array{all.data() + all.size() / count * (step % count)};
    };
    return {part(inputs), part(mask), part(targets), part(inputLengths), part(labelLengths)};
  }

private:
  static std::vector<char> firstRows(const std::string &path, const dlc_scaling *scaling, int64_t rows) {
    char error[512];
    dlc_array array;
    if (dlc_read_idx(path.c_str(), scaling, &array, error, sizeof error) != DLC_OK)
      throw std::runtime_error(error);
    const char *begin = static_cast<const char *>(array.data);
    std::vector<char> bytes(begin, begin + array.bytes / array.shape[0] * rows);
    dlc_array_free(&array);
    return bytes;
  }

  std::vector<char> inputs, mask, targets, inputLengths, labelLengths;
  int64_t count = 0;
};

/// How far gradients of the first step may be from float64, as many times PyTorch's own errors; and, with
/// products of low precision, each loss (README.md).
struct Precision {
  nlohmann::json gradientErrors;
  double times = 3;
  std::optional<double> loss = {}; ///< none: as float32
};

Precision precisionOf(const nlohmann::json &description, const std::string &folder) {
  const std::string name = PRECISION;
  if (name.empty())
    return {description["gradient_error_f32"]};
  std::ifstream file(folder + "/precision.json");
  nlohmann::json errors = nlohmann::json::parse(file)[STRING(MODEL)][name];
  const double times = 1.5;
  return {errors["gradient_error"], times, times * errors["loss_error"].get<double>()};
}

double norm(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return std::sqrt(sum);
}

// Prints one line a check; the worst one matters, so failures are counted and not the end.
int failures = 0;
void expectAtMost(double error, double bound, const std::string &what) {
  bool good = error <= bound; // false for NaN
  failures += !good;
  std::printf("%s %-28s error %.2e, bound %.2e\n", good ? "ok  " : "FAIL", what.c_str(), error, bound);
}

std::vector<float> readGradient(const Handle &handle, const std::string &name) {
  std::vector<float> gradient;
  for (int64_t i = 0; i < CALL(_parameter_count)(handle.model); ++i) {
    dlc_parameter_info info;
    check(CALL(_parameter_info)(handle.model, i, &info), handle.model, name.c_str());
    if (name == info.name)
      gradient.resize(static_cast<size_t>(info.bytes) / sizeof(float));
  }
  check(CALL(_gradient_read)(handle.model, name.c_str(), gradient.data(), gradient.size() * sizeof(float)),
        handle.model, name.c_str());
  return gradient;
}

void compareGradients(const nlohmann::json &description, const Precision &precision,
                      const std::map<std::string, Tensor> &reference, const Batches &batches) {
  Handle handle;
  const Batch batch = batches.at(0);
  check(CALL(_grad_step)(handle.model, INPUTS(batch), TARGETS(batch), nullptr), handle.model, "grad_step");
  for (const auto &[name, torchError] : precision.gradientErrors.items()) {
    double bound = precision.times * torchError.get<double>() + 1e-6;
    if (auto sketch = reference.find("sketch." + name); sketch != reference.end()) {
      double distance = dlc::test::distanceBySketch(readGradient(handle, name), sketch->second.as<double>());
      expectAtMost(distance / description["gradient_norm"][name].get<double>(), bound, "gradient " + name);
      continue;
    }
    std::vector<double> expected = reference.at("gradient." + name).as<double>(), difference = expected;
    std::vector<float> ours = readGradient(handle, name);
    for (size_t i = 0; i < expected.size(); ++i)
      difference[i] -= static_cast<double>(ours.at(i));
    expectAtMost(norm(difference) / norm(expected), bound, "gradient " + name);
  }
}

// What the model saves it loads. The same model may be tested for several CPUs at once.
void checkSaveAndLoad(Handle &handle) {
  std::string path = STRING(MODEL) "-trajectory-" + std::to_string(getpid()) + ".safetensors";
  check(CALL(_save)(handle.model, path.c_str()), handle.model, "save");
  Handle other;
  check(CALL(_load)(other.model, path.c_str()), other.model, "load");
  std::remove(path.c_str());
}

dlc_metrics evaluate(Handle &handle, const nlohmann::json &description, const Batch &batch) {
  dlc_metrics metrics = {};
  check(CALL(_eval_step)(handle.model, description["batch"].get<int64_t>(), INPUTS(batch), TARGETS(batch),
                         &metrics),
        handle.model, "eval_step");
  return metrics;
}

// After training: loss and correct labels of the first batch in evaluation mode, beside PyTorch's in float32.
void compareTrained(Handle &handle, const nlohmann::json &trained, const nlohmann::json &description,
                    const Batch &batch) {
  const dlc_metrics metrics = evaluate(handle, description, batch);
  const double loss = metrics.loss_sum / metrics.loss_weight, torchLoss = trained["loss"];
  std::printf("trained: loss %.4f (PyTorch %.4f)", loss, torchLoss);
  if (trained.contains("correct"))
    std::printf(", correct %lld (PyTorch %lld) of %lld", static_cast<long long>(metrics.correct),
                static_cast<long long>(trained["correct"].get<int64_t>()),
                static_cast<long long>(metrics.count));
  std::printf("\n");
  if (description["comparable_steps"] != description["steps"]) // two trainings by now
    return;
  expectAtMost(std::abs(loss - torchLoss), trained["loss_error"].get<double>() * 3 + 1e-5, "trained, loss");
  if (trained.contains("correct"))
    expectAtMost(std::abs(static_cast<double>(metrics.correct - trained["correct"].get<int64_t>())),
                 trained["correct_error"].get<double>() + 1, "trained, correct");
}

// After training: what the model predicts in evaluation mode, where running statistics show.
void compareEvaluation(Handle &handle, const nlohmann::json &description,
                       const std::map<std::string, Tensor> &reference, const Batch &batch) {
  std::vector<double> f64 = reference.at("evaluation.f64").as<double>();
  std::vector<double> f32 = reference.at("evaluation.f32").as<double>();
  std::vector<float> ours(f64.size());
  check(CALL(_predict)(handle.model, description["batch"], INPUTS(batch), ours.data()), handle.model,
        "predict");
  std::vector<double> torchError = f32, error = f64;
  for (size_t i = 0; i < ours.size(); ++i) {
    torchError[i] -= f64[i];
    error[i] -= static_cast<double>(ours[i]);
  }
  expectAtMost(norm(error) / norm(f64), 3 * norm(torchError) / norm(f64) + 1e-5, "evaluation");
}

void compareLosses(const nlohmann::json &description, const Precision &precision,
                   const std::map<std::string, Tensor> &reference, const Batches &batches, int64_t most,
                   const char *state) {
  Handle handle;
  std::vector<double> f64 = reference.at("loss.f64").as<double>();
  std::vector<double> f32 = reference.at("loss.f32").as<double>();
  double worst = 0, bound = 0;
  int64_t worstStep = 0, steps = std::min(description["comparable_steps"].get<int64_t>(), most);
  for (int64_t step = 0; step < steps; ++step) {
    const Batch batch = batches.at(step);
    float loss;
    check(CALL(_train_step)(handle.model, INPUTS(batch), TARGETS(batch), &loss), handle.model, "train_step");
    double error = std::abs(static_cast<double>(loss) - f64[step]);
    double allowed = precision.loss.value_or(3 * std::abs(f32[step] - f64[step])) + 1e-5;
    if (step == 0 || !(error / allowed <= worst / bound)) {
      worst = error;
      bound = allowed;
      worstStep = step;
    }
  }
  expectAtMost(worst, bound, std::to_string(steps) + " losses, worst at " + std::to_string(worstStep));
  checkSaveAndLoad(handle);
  if (!precision.loss && steps == description["comparable_steps"] && reference.count("evaluation.f64") != 0)
    compareEvaluation(handle, description, reference, batches.at(0));
  if (!precision.loss && most >= description["steps"] && description.contains("trained")) {
    for (int64_t step = steps; step < description["steps"]; ++step) {
      const Batch batch = batches.at(step);
      check(CALL(_train_step)(handle.model, INPUTS(batch), TARGETS(batch), nullptr), handle.model,
            "train_step");
    }
    compareTrained(handle, description["trained"], description, batches.at(0));
  }
  if (state)
    check(CALL(_save)(handle.model, state), handle.model, "save");
}

// Evaluation counts what the untrained model gets right, along the same axis as the loss.
void compareCorrect(const nlohmann::json &description, const Batches &batches) {
  if (!description.contains("correct"))
    return;
  Handle handle;
  const int64_t correct = evaluate(handle, description, batches.at(0)).correct;
  expectAtMost(std::abs(static_cast<double>(correct - description["correct"].get<int64_t>())), 0,
               "correct, " + std::to_string(correct));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: trajectory REFERENCE_FOLDER DATA_FOLDER [STEPS [STATE]]\n");
    return 2;
  }
  try {
    std::string stem = std::string(argv[1]) + "/" STRING(MODEL);
    std::ifstream file(stem + ".json");
    nlohmann::json description = nlohmann::json::parse(file);
    std::map<std::string, Tensor> reference = dlc::test::readSafetensors(stem + ".safetensors");
    Batches batches(description, reference, argv[2]);
    Precision precision = precisionOf(description, argv[1]);
    compareGradients(description, precision, reference, batches);
    compareLosses(description, precision, reference, batches, argc > 3 ? std::atoll(argv[3]) : INT64_MAX,
                  argc > 4 ? argv[4] : nullptr);
    if (!precision.loss) // scores that are nearly equal may change places
      compareCorrect(description, batches);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "trajectory: %s\n", error.what());
    return 1;
  }
  return failures ? 1 : 0;
}
