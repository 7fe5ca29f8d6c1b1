//===- WrittenOut.cpp - functions that were written out as formulas ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an operation back through what it is computed from, the latest operation first: where a single value
// is left, all before it is a function of that value, and is computed for some numbers.
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/WrittenOut.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <set>

using namespace mlir;

namespace dlc::stablehlo {

namespace {

/// An operation on numbers; null results are NaN.
using Evaluated = std::optional<double>;

constexpr size_t shortest = 12, longest = 160; ///< operations of a formula
constexpr size_t mostTrials = 1 << 14;         ///< formulas that are computed in a block

class Search {
public:
  explicit Search(Block &block) {
    for (Operation &op : block) {
      places[&op] = operations.size();
      operations.push_back(&op);
    }
  }

  llvm::DenseMap<Operation *, WrittenOut> run() {
    llvm::DenseMap<Operation *, WrittenOut> found;
    for (Operation *op : operations)
      if (isLast(op))
        if (std::optional<WrittenOut> function = functionOf(op))
          found[op] = *function;
    return found;
  }

private:
  static StringRef nameOfOp(Operation *op) {
    StringRef name = op->getName().getStringRef();
    return name.consume_front("stablehlo.") || name.consume_front("chlo.") ? name : "";
  }
  /// How formulas of functions end.
  static bool isLast(Operation *op) {
    StringRef name = nameOfOp(op);
    return op->getNumResults() == 1 && (name == "select" || name == "clamp" || name == "divide");
  }

  /// The number that all elements are.
  static Evaluated constantOf(Value value) {
    for (int depth = 0; depth < 4; ++depth) {
      Operation *op = value.getDefiningOp();
      StringRef name = op ? nameOfOp(op) : "";
      if (name == "constant") {
        auto elements = op->getAttrOfType<DenseElementsAttr>("value");
        if (!elements || !elements.isSplat() || !elements.getElementType().isF32())
          return std::nullopt;
        return elements.getSplatValue<APFloat>().convertToFloat();
      }
      if (op == nullptr || op->getNumOperands() == 0 ||
          (name != "broadcast_in_dim" && name != "dynamic_broadcast_in_dim"))
        return std::nullopt;
      value = op->getOperand(0);
    }
    return std::nullopt;
  }

  static bool isComputed(Operation *op) {
    return op->getNumResults() == 1 &&
           llvm::StringSwitch<bool>(nameOfOp(op))
               .Cases({"add", "subtract", "multiply", "divide", "maximum", "minimum", "compare", "and"},
                      op->getNumOperands() == 2)
               .Cases(
                   {"negate", "abs", "exponential", "log", "log_plus_one", "sqrt", "rsqrt", "square", "not"},
                   op->getNumOperands() == 1)
               .Cases({"select", "clamp"}, op->getNumOperands() == 3)
               .Default(false);
  }

  static double compared(StringRef direction, double a, double b) {
    return direction.ends_with("EQ")   ? a == b
           : direction.ends_with("NE") ? a != b
           : direction.ends_with("LT") ? a < b
           : direction.ends_with("LE") ? a <= b
           : direction.ends_with("GT") ? a > b
           : direction.ends_with("GE") ? a >= b
                                       : NAN;
  }

  static double computed(Operation *op, ArrayRef<double> x) {
    StringRef name = nameOfOp(op);
    if (name == "compare") {
      auto direction = op->getAttrOfType<StringAttr>("comparison_direction");
      return direction ? compared(direction.getValue(), x[0], x[1]) : NAN;
    }
    return name == "add"            ? x[0] + x[1]
           : name == "subtract"     ? x[0] - x[1]
           : name == "multiply"     ? x[0] * x[1]
           : name == "divide"       ? x[0] / x[1]
           : name == "maximum"      ? std::max(x[0], x[1])
           : name == "minimum"      ? std::min(x[0], x[1])
           : name == "and"          ? double(x[0] != 0 && x[1] != 0)
           : name == "negate"       ? -x[0]
           : name == "abs"          ? std::abs(x[0])
           : name == "exponential"  ? std::exp(x[0])
           : name == "log"          ? std::log(x[0])
           : name == "log_plus_one" ? std::log1p(x[0])
           : name == "sqrt"         ? std::sqrt(x[0])
           : name == "rsqrt"        ? 1 / std::sqrt(x[0])
           : name == "square"       ? x[0] * x[0]
           : name == "not"          ? double(x[0] == 0)
           : name == "select"       ? (x[0] != 0 ? x[1] : x[2])
                                    : std::min(std::max(x[1], x[0]), x[2]); // clamp
  }

  /// The result of `formula`, whose operations stand the last first, for one value of `argument`.
  static double valueAt(ArrayRef<Operation *> formula, Value argument, double at) {
    llvm::DenseMap<Value, double> values{{argument, at}};
    SmallVector<double> operands;
    for (Operation *op : llvm::reverse(formula)) {
      operands.clear();
      for (Value operand : op->getOperands()) {
        auto known = values.find(operand);
        operands.push_back(known != values.end() ? known->second : constantOf(operand).value_or(NAN));
      }
      values[op->getResult(0)] = computed(op, operands);
    }
    return values[formula.front()->getResult(0)];
  }

  template <typename Exact>
  static bool isEverywhere(ArrayRef<Operation *> formula, Value argument, double limit, Exact exact) {
    constexpr double tolerance = 2e-6;
    constexpr int points = 41;
    for (int i = 0; i < points; ++i) {
      double at = limit * (2.0 * i / (points - 1) - 1) + 0.01 * limit * std::sin(i);
      double difference = valueAt(formula, argument, at) - exact(at);
      if (!(std::abs(difference) <= tolerance * std::max(1.0, std::abs(exact(at)))))
        return false;
    }
    return true;
  }

  static std::optional<Function> functionIn(ArrayRef<Operation *> formula, Value argument) {
    if (isEverywhere(formula, argument, 4.5, [](double x) { return std::erf(x); }))
      return Function::Erf;
    if (isEverywhere(formula, argument, 4.5, [](double x) { return std::erfc(x); }))
      return Function::Erfc;
    constexpr double beyond = 0.95; // at which the inverse grows slowly enough to be compared by the function
    for (double at : {-beyond, -0.7, -0.2, 0.001, 0.4, 0.66, beyond})
      if (!(std::abs(std::erf(valueAt(formula, argument, at)) - at) <= 2e-6))
        return std::nullopt;
    return Function::Erfinv;
  }

  std::optional<WrittenOut> functionOf(Operation *last) {
    std::set<size_t> open{places[last]};
    SmallVector<Operation *> formula;
    Value outer; // what is computed elsewhere
    while (!open.empty() && formula.size() < longest) {
      Operation *op = operations[*open.rbegin()];
      bool isAlone = open.size() == 1 && (!outer || outer == op->getResult(0));
      if (isAlone && formula.size() >= shortest)
        if (std::optional<WrittenOut> found = tried(formula, op->getResult(0)))
          return found;
      if (!isComputed(op))
        return std::nullopt; // a leaf, beside others
      open.erase(std::prev(open.end()));
      formula.push_back(op);
      for (Value operand : op->getOperands()) {
        if (constantOf(operand))
          continue;
        auto place = operand.getDefiningOp() ? places.find(operand.getDefiningOp()) : places.end();
        if (place != places.end())
          open.insert(place->second);
        else if (outer && outer != operand)
          return std::nullopt; // of two variables
        else
          outer = operand;
      }
    }
    return open.empty() && outer && formula.size() >= shortest ? tried(formula, outer) : std::nullopt;
  }

  std::optional<WrittenOut> tried(ArrayRef<Operation *> formula, Value argument) {
    if (++trials > mostTrials || argument.getType() != formula.front()->getResult(0).getType())
      return std::nullopt;
    std::optional<Function> function = functionIn(formula, argument);
    return function ? std::optional(WrittenOut{*function, argument}) : std::nullopt;
  }

  std::vector<Operation *> operations;
  llvm::DenseMap<Operation *, size_t> places;
  size_t trials = 0;
};

} // namespace

llvm::DenseMap<Operation *, WrittenOut> findWrittenOut(Block &block) { return Search(block).run(); }

} // namespace dlc::stablehlo
