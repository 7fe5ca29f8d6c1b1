//===- Recognized.cpp - which whole functions a program has ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not all that is counted has an operation of its own: the parts of an RMS normalization become one kernel,
// and those of an attention steps of one. What is left of a formula that nearly was another is told with its
// node.
//===----------------------------------------------------------------------===//
#include "compiler/forward/raise/Recognized.h"
#include "compiler/forward/Passes.h"
#include "compiler/forward/raise/Masks.h"
#include "compiler/forward/raise/Polynomial.h"
#include "compiler/support/Decisions.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace dlc::forward {
namespace {

/// x of the mean of x * x, to which perhaps a number is added.
Value squaredIn(Value value) {
  auto sum = value.getDefiningOp<nn::AddOp>();
  for (int i = 0; sum && i < 2; ++i)
    if (numberOf(sum->getOperand(i)))
      return squaredIn(sum->getOperand(1 - i));
  auto mean = value.getDefiningOp<nn::MeanOp>();
  auto square = mean ? mean.getX().getDefiningOp<nn::MulOp>() : nullptr;
  return square && square.getA() == square.getB() ? square.getA() : Value();
}

/// What is multiplied by the reciprocal of a root, or divided by the root.
Value overRoot(Operation *op, Value &underRoot) {
  if (auto quotient = dyn_cast<nn::DivOp>(op)) {
    auto root = quotient.getB().getDefiningOp<nn::SqrtOp>();
    underRoot = root ? root.getX() : Value();
    return root ? quotient.getA() : Value();
  }
  for (int i = 0; isa<nn::MulOp>(op) && i < 2; ++i) {
    Operation *factor = op->getOperand(1 - i).getDefiningOp();
    nn::SqrtOp root;
    if (auto inverse = dyn_cast_or_null<nn::RsqrtOp>(factor))
      underRoot = inverse.getX();
    else if (auto inverse = dyn_cast_or_null<nn::ReciprocalOp>(factor))
      root = inverse.getX().getDefiningOp<nn::SqrtOp>();
    else if (auto inverse = dyn_cast_or_null<nn::DivOp>(factor); inverse && numberOf(inverse.getA()) == 1.0)
      root = inverse.getB().getDefiningOp<nn::SqrtOp>();
    if (root)
      underRoot = root.getX();
    if (underRoot)
      return op->getOperand(i);
  }
  return {};
}

class Recognizer {
public:
  void look(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](nn::LayerNormOp norm) { count(norm, "layer normalization"); })
        .Case([&](nn::GeluOp gelu) { count(gelu, gelu.getTanh() ? "GELU by tanh" : "GELU"); })
        .Case([&](nn::SiluOp silu) { count(silu, "SiLU"); })
        .Case([&](nn::SoftmaxOp softmax) { attention(softmax); })
        .Case<nn::ErfOp, nn::ErfcOp>([&](auto erf) {
          miss(erf, "an error function that is not part of a GELU; it is trained as it is");
        })
        .Case<nn::MulOp, nn::DivOp>([&](auto product) {
          normalization(product);
          activation(product);
        });
  }
  Recognized found;

private:
  void count(Operation *op, StringRef name) {
    ++found.counts[name];
    found.places.push_back({op, name});
  }
  void miss(Operation *op, std::string reason) {
    found.missed.push_back({op->getLoc(), std::move(reason), op});
  }

  void normalization(Operation *op) {
    Value underRoot, x = overRoot(op, underRoot), squared = underRoot ? squaredIn(underRoot) : Value();
    if (!squared || squared != x)
      return;
    auto difference = x.getDefiningOp<nn::SubOp>();
    auto mean = difference ? difference.getB().getDefiningOp<nn::MeanOp>() : nullptr;
    if (!mean || mean.getX() != difference.getA())
      return count(op, "RMS normalization");
    miss(op, "normalizes like a layer normalization, but no scale and bias of the last dims' sizes follow, "
             "or the mean and the variance are of other dims; it is trained as its formula");
  }

  void activation(Operation *op) {
    for (int i = 0; isa<nn::MulOp>(op) && i < 2; ++i) {
      Operation *f = op->getOperand(i).getDefiningOp();
      Value x = op->getOperand(1 - i);
      if (!isa_and_nonnull<nn::SigmoidOp, nn::TanhOp>(f) || !polynomialOf(f->getOperand(0), x))
        continue;
      Polynomial p = *polynomialOf(f->getOperand(0), x);
      if (p[1] == 0 && p[2] == 0 && p[3] == 0)
        continue;
      return miss(op, "multiplies x by a " + f->getName().stripDialect().str() +
                          " of x that makes it neither SiLU nor GELU; it is trained as its formula");
    }
  }

  /// A softmax between two products.
  void attention(nn::SoftmaxOp softmax) {
    bool isRead = llvm::any_of(softmax->getUsers(), [](Operation *user) {
      return isa<nn::MatMulOp, nn::DropoutOp, nn::SelectOp>(user);
    });
    if (!isRead || !comesFromProduct(softmax.getX()))
      return;
    bool isCausal = hasCausalMask(softmax.getX());
    count(softmax, isCausal ? "attention, causal: later positions are left out" : "attention");
    if (!isCausal && hasTriangle(softmax.getX()))
      miss(softmax, "a causal mask that stands together with another one, or whose numbers are not minus "
                    "infinity: later positions are computed, too");
  }

  /// The values that masks and scales of scores are made of.
  template <typename Test> static bool anyBefore(Value value, Test test, int depth = 8) {
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0)
      return false;
    if (test(op))
      return true;
    return isa<nn::AddOp, nn::MulOp, nn::DivOp, nn::SelectOp, nn::LogicalAndOp, nn::LogicalOrOp, nn::ExpandOp,
               nn::ReshapeOp>(op) &&
           llvm::any_of(op->getOperands(), [&](Value v) { return anyBefore(v, test, depth - 1); });
  }
  static bool comesFromProduct(Value scores) {
    return anyBefore(scores, [](Operation *op) { return isa<nn::MatMulOp>(op); });
  }
  static bool hasTriangle(Value scores) {
    return anyBefore(scores, [](Operation *op) { return hidesLater(op->getResult(0)).has_value(); });
  }
  static bool hasCausalMask(Value scores) {
    return anyBefore(scores, [](Operation *op) {
      auto select = dyn_cast<nn::SelectOp>(op);
      std::optional<bool> hides = select ? hidesLaterAtLeast(select.getCondition()) : std::nullopt;
      return hides && numberOf(*hides ? select.getA() : select.getB()) == -INFINITY;
    });
  }
};

} // namespace

#define GEN_PASS_DEF_NOTERECOGNIZED
#include "compiler/forward/Passes.h.inc"

namespace {
struct NoteRecognizedPass : public impl::NoteRecognizedBase<NoteRecognizedPass> {
  void runOnOperation() override {
    const Recognized found = recognized(getOperation());
    Builder b(&getContext());
    auto byName = llvm::to_vector(found.counts);
    llvm::sort(byName);
    SmallVector<Attribute> counts;
    for (auto [name, count] : byName)
      counts.push_back(train::RecognizedAttr::get(&getContext(), name, count));
    SmallVector<Attribute> missed;
    for (auto [op, name] : found.places)
      remarks::done(op, remarks::raise, "recognized") << "recognized as " << name;
    for (const Recognized::NearMiss &one : found.missed) {
      remarks::missed(one.op, remarks::raise, "nearly") << one.reason;
      missed.push_back(train::NearMissAttr::get(&getContext(), nodeName(one.location), one.reason));
    }
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      if (!counts.empty())
        program.setRecognizedAttr(b.getArrayAttr(counts));
      if (!missed.empty())
        program.setNearlyRecognizedAttr(b.getArrayAttr(missed));
    }
  }
};
} // namespace

Recognized recognized(ModuleOp module) {
  Recognizer recognizer;
  module.walk([&](train::FunctionOp function) {
    if (function.getSymName() == "forward")
      function.walk([&](Operation *op) { recognizer.look(op); });
  });
  return std::move(recognizer.found);
}

} // namespace dlc::forward
