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
    return [](nn::Expr x) { return x / (1 + nn::abs(x)); };
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

void stepRnn(const Layer &layer, const Direction &d, Step &step) {
  nn::Expr recurrent = layer.product(step.h, d.r);
  if (d.rb)
    recurrent = recurrent + layer.expr(d.rb);
  step.h = d.functions[0](step.x + recurrent);
}

void stepGru(const Layer &layer, const Direction &d, Step &step) {
  bool isLinearBefore = layer.node.integer("linear_before_reset", 0) != 0;
  nn::Expr h = step.h;
  nn::Expr turned = nn::transpose(layer.expr(d.r), {1, 0});
  nn::Expr ofBoth = layer.gate(turned, 0, 2), ofCandidate = layer.gate(turned, 2);
  nn::Expr both = nn::matmul(h, ofBoth);
  if (d.rb)
    both = both + layer.gate(d.rb, 0, 2);
  nn::Expr ofZ = layer.gate(step.x, 0), ofR = layer.gate(step.x, 1);
  nn::Expr z = d.functions[0](ofZ + layer.gate(both, 0));
  nn::Expr r = d.functions[0](ofR + layer.gate(both, 1));
  nn::Expr candidate = layer.gate(step.x, 2);
  nn::Expr recurrent = nn::matmul(isLinearBefore ? h : r * h, ofCandidate);
  if (d.rb)
    recurrent = recurrent + layer.gate(d.rb, 2);
  candidate = d.functions[1](candidate + (isLinearBefore ? r * recurrent : recurrent));
  nn::Expr fresh = (1 - z) * candidate;
  step.h = fresh + z * h;
}

void stepLstm(const Layer &layer, const Direction &d, Step &step) {
  nn::Expr gates = step.x + layer.product(step.h, d.r);
  if (d.rb)
    gates = gates + layer.expr(d.rb);
  nn::Expr c = *step.c, i = layer.gate(gates, 0), o = layer.gate(gates, 1), f = layer.gate(gates, 2),
           candidate = layer.gate(gates, 3);
  if (d.p) {
    nn::Expr ofI = layer.gate(d.p, 0), ofF = layer.gate(d.p, 2);
    i = i + ofI * c;
    f = f + ofF * c;
  }
  i = d.functions[0](i);
  f = layer.node.integer("input_forget", 0) != 0 ? 1 - i : d.functions[0](f);
  nn::Expr kept = f * c, fresh = i * d.functions[1](candidate);
  step.c = kept + fresh;
  if (d.p)
    o = o + layer.gate(d.p, 1) * *step.c;
  nn::Expr open = d.functions[0](o);
  step.h = open * d.functions[2](*step.c);
}

} // namespace dlc::onnx
