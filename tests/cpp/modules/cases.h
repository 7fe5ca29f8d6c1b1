//===- cases.h - modules as PyTorch has them, compared with its numbers --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A description of many modules at once. Each case says a module in Python and in C++, and its inputs; what
// it is goes to standard output as a line of JSON, from which make_references.py computes PyTorch's numbers.
// Inputs and parameters are parameters of the program, with numbers that both sides make (README.md). The
// program's loss is the sum, over all elements of all results, of products with fixed numbers; the gradients
// of `sketch` are these sums, case by case.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_CPP_MODULES_CASES_H
#define DLC_TESTS_CPP_MODULES_CASES_H

#include <dlc/dlc.h>
#include <iostream>
#include <sstream>

namespace cases {

using namespace dlc;
namespace F = dlc::nn::functional;

enum class Kind {
  Real,        ///< from -2 to 2
  Probability, ///< from 0.05 to 0.95
  Positive,    ///< from 0.1 to 2.1
  Index,       ///< integers from 0 to `high` - 1
  Truth,       ///< true for three of four
  Sign,        ///< -1 or 1
  Half,        ///< multiples of 1/2 from -2 to 2, of which some are equal
};

struct In {
  std::vector<int64_t> shape;
  Kind kind = Kind::Real;
  int64_t high = 0;
};

/// FNV-1a of the key, and from there Steele's SplitMix64: 21 bits for each number, which a float holds.
inline std::vector<double> integers21(const std::string &key, int64_t count) {
  uint64_t state = 0xcbf29ce484222325;
  for (unsigned char c : key)
    state = (state ^ c) * 0x100000001b3;
  std::vector<double> numbers(count);
  for (double &number : numbers) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    number = double((z ^ z >> 31) >> 43);
  }
  return numbers;
}

constexpr double range = 1 << 21;

inline std::vector<double> numbersOf(const std::string &key, int64_t count, Kind kind = Kind::Real,
                                     int64_t high = 0) {
  std::vector<double> numbers = integers21(key, count);
  for (double &number : numbers) {
    double unit = number / range;
    switch (kind) {
    case Kind::Real:
      number = 4 * unit - 2;
      break;
    case Kind::Probability:
      number = 0.05 + 0.9 * unit;
      break;
    case Kind::Positive:
      number = 0.1 + 2 * unit;
      break;
    case Kind::Index:
      number = double(int64_t(number) % high);
      break;
    case Kind::Truth:
      number = unit < 0.75;
      break;
    case Kind::Sign:
      number = unit < 0.5 ? -1 : 1;
      break;
    case Kind::Half:
      number = double(int64_t(number) % 9 - 4) / 2;
      break;
    }
  }
  return numbers;
}

inline int64_t count(const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

/// A text between quotation marks, as JSON has it.
inline std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    result += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "\"";
}

inline std::string listed(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

/// The module in evaluation mode.
template <typename M> M evaluated(M module) {
  module.eval();
  return module;
}

class Cases : public nn::Module {
public:
  explicit Cases(DType dtype) : dtype(dtype) {
    set_default_dtype(dtype);
    manual_seed(0); // and after each case: what is made next has the numbers of PyTorch after its seed
  }

  /// A module that `run` computes from the inputs x, as `call` says in Python: "m(x[0], x[1])[0]".
  template <typename M, typename Run>
    requires std::derived_from<M, nn::Module>
  void add(const std::string &python, const std::string &call, M module, const std::vector<In> &inputs,
           Run run) {
    std::ostringstream text, parameters;
    text << module;
    register_module("m" + std::to_string(number), module);
    parameters.precision(17);
    std::string key = keyOf(call.empty() ? python : python + " -> " + call, inputs);
    for (auto &[name, tensor] : module.named_parameters()) {
      std::vector<int64_t> shape = sizes(tensor);
      std::vector<double> initial = tensor.values(), numbers = numbersOf(key + "|" + name, count(shape));
      double sketch = 0;
      for (size_t i = 0; i < initial.size(); ++i)
        sketch += initial[i] * numbers[i];
      for (double &n : numbers)
        n /= 4;
      nn::init::values_(tensor, numbers);
      parameters << (parameters.tellp() ? ", [" : "[") << quoted(name) << ", " << listed(shape) << ", "
                 << sketch << "]";
    }
    record(key, inputs, [&](std::vector<Tensor> &x) { return run(module, x); }, text.str(), parameters.str());
  }
  /// A module of one tensor.
  template <typename M>
    requires std::derived_from<M, nn::Module>
  void add(const std::string &python, M module, const std::vector<In> &inputs) {
    add(python, "", module, inputs, [](M &m, std::vector<Tensor> &x) { return m(x[0]); });
  }
  /// A function of the inputs.
  template <typename Function>
    requires std::invocable<Function, std::vector<Tensor> &>
  void add(const std::string &python, const std::vector<In> &inputs, Function function) {
    record(keyOf(python, inputs), inputs, function, "", "");
  }

  Program program() {
    Tensor one = input("one", {Dim("batch", 1)}, dtype);
    return make_program(*this, {{"output", total + one.sum()}}, loss::Output(), optim::SGD({.lr = 1}));
  }

private:
  static std::string keyOf(const std::string &python, const std::vector<In> &inputs) {
    std::string shapes;
    for (const In &in : inputs)
      shapes += (shapes.empty() ? "" : " ") + listed(in.shape);
    return python + " of " + shapes;
  }
  static std::vector<int64_t> sizes(const Tensor &tensor) {
    std::vector<int64_t> shape;
    for (const Dim &dim : tensor.shape())
      shape.push_back(dim.value());
    return shape;
  }

  template <typename Compute>
  void record(const std::string &key, const std::vector<In> &inputs, Compute compute, const std::string &text,
              const std::string &parameters) {
    std::string prefix = std::to_string(number++), described;
    std::vector<Tensor> x;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const In &in = inputs[i];
      std::vector<double> numbers =
          numbersOf(key + "|" + std::to_string(i), count(in.shape), in.kind, in.high);
      Shape shape(in.shape.begin(), in.shape.end());
      if (in.kind == Kind::Index || in.kind == Kind::Truth)
        x.push_back(from_data(numbers, shape, in.kind == Kind::Index ? int64 : boolean));
      else
        x.push_back(
            register_parameter("x" + prefix + "_" + std::to_string(i), from_data(numbers, shape, dtype)));
      described += (i ? ", " : "") +
                   ("{\"shape\": " + listed(in.shape) + ", \"kind\": " + std::to_string(int(in.kind)) +
                    ", \"high\": " + std::to_string(in.high) + "}");
    }
    Tensor y = compute(x), sketch = register_parameter("sketch" + prefix, from_data({1, 0}, {2}, dtype));
    for (int64_t i : {0, 1}) {
      std::vector<int64_t> shape = sizes(y);
      Tensor weights = from_data(numbersOf(key + "|r" + std::to_string(i), count(shape)), y.shape(), dtype);
      Tensor term = (y * weights).sum() * sketch.select(0, i);
      total = total.defined() ? total + term : term;
    }
    std::cout << "{\"key\": " << quoted(key) << ", \"number\": " << prefix
              << ", \"shape\": " << listed(sizes(y)) << ", \"inputs\": [" << described
              << "], \"text\": " << quoted(text) << ", \"parameters\": [" << parameters << "]}\n";
    manual_seed(0);
  }

  DType dtype;
  int number = 0;
  Tensor total;
};

} // namespace cases

#endif // DLC_TESTS_CPP_MODULES_CASES_H
