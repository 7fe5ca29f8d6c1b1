//===- RecurrentCells.cpp - one place of a recurrent layer
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/RecurrentCells.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

/// Numbers of `activation_alpha` or `activation_beta`, in the order of the functions that have one.
struct Parameters {
  SmallVector<float> given;
  size_t used = 0;
  double next(double fallback) { return used < given.size() ? given[used++] : fallback; }
};

template <typename Op, typename... Numbers> static nn::Expr made(nn::Expr x, Numbers... numbers) {
  return {x.getBuilder(), Op::create(x.getBuilder(), x.get(), numbers...).getY()};
}

/// Null where there is none of this name.
static Function functionOf(StringRef name, Parameters &alphas, Parameters &betas) {
  if (name == "relu")
    return nn::relu;
  if (name == "tanh")
    return nn::tanh;
  if (name == "sigmoid")
    return nn::sigmoid;
  if (name == "softsign")
    return [](nn::Expr x) { return made<nn::SoftsignOp>(x); };
  if (name == "softplus")
    return [](nn::Expr x) { return made<nn::SoftplusOp>(x); };
  bool hasBeta = name == "affine" || name == "scaledtanh" || name == "hardsigmoid";
  if (!hasBeta && name != "leakyrelu" && name != "elu" && name != "thresholdedrelu")
    return nullptr;
  double alpha = alphas.next(name == "leakyrelu" ? 0.01 : name == "hardsigmoid" ? 0.2 : 1);
  double beta = hasBeta ? betas.next(name == "hardsigmoid" ? 0.5 : name == "affine" ? 0 : 1) : 0;
  if (name == "affine")
    return [=](nn::Expr x) { return alpha * x + beta; };
  if (name == "scaledtanh")
    return [=](nn::Expr x) { return alpha * nn::tanh(beta * x); };
  if (name == "thresholdedrelu")
    return [=](nn::Expr x) { return nn::select(nn::lessEqual(x, x.scalar(alpha)), 0.0, x); };
  if (name == "leakyrelu")
    return [=](nn::Expr x) { return made<nn::LeakyReluOp>(x, APFloat(alpha)); };
  if (name == "elu")
    return [=](nn::Expr x) { return made<nn::EluOp>(x, APFloat(alpha)); };
  return [=](nn::Expr x) { return made<nn::HardSigmoidOp>(x, APFloat(alpha), APFloat(beta)); };
}

std::optional<std::vector<Function>> functionsOf(Node &node, ArrayRef<StringRef> defaults,
                                                 size_t directions) {
  std::vector<std::string> names;
  if (const ::onnx::AttributeProto *given = node.attribute("activations"))
    names.assign(given->strings().begin(), given->strings().end());
  if (names.empty())
    for (size_t i = 0; i < directions; ++i)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size()) {
    node.error("expects " + Twine(directions * defaults.size()) + " activations, got " + Twine(names.size()));
    return std::nullopt;
  }
  Parameters alphas{node.numberList("activation_alpha").value_or(SmallVector<float>())},
      betas{node.numberList("activation_beta").value_or(SmallVector<float>())};
  for (float number : llvm::concat<float>(alphas.given, betas.given))
    if (!std::isfinite(number)) {
      node.error("activation_alpha and activation_beta must be finite");
      return std::nullopt;
    }
  std::vector<Function> functions;
  for (const std::string &name : names) {
    functions.push_back(functionOf(StringRef(name).lower(), alphas, betas));
    if (functions.back())
      continue;
    node.error("activation '" + name + "' is not supported");
    return std::nullopt;
  }
  double clip = node.hasAttribute("clip") ? node.number("clip", 0, 0) : 0;
  if (clip > 0)
    for (Function &function : functions)
      function = [=](nn::Expr x) { return function(made<nn::ClipOp>(x, APFloat(-clip), APFloat(clip))); };
  return functions;
}

} // namespace dlc::onnx
