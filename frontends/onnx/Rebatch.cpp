//===- Rebatch.cpp - a batch for files that have none ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Rebatch.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlc::onnx {

bool openBatchOfOne(::onnx::ModelProto &model, StringRef batch) {
  ::onnx::GraphProto &graph = *model.mutable_graph();
  llvm::StringSet<> initializers;
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  std::vector<::onnx::TensorShapeProto::Dimension *> sizes;
  for (::onnx::ValueInfoProto &input : *graph.mutable_input()) {
    if (initializers.contains(input.name()) || !input.type().has_tensor_type() ||
        !input.type().tensor_type().has_shape())
      continue;
    auto &shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const auto &dim : shape.dim())
      if (dim.dim_param() == batch)
        return false;
    if (shape.dim_size() == 0)
      continue;
    if (!shape.dim(0).has_dim_value() || shape.dim(0).dim_value() == -1)
      return false;
    if (shape.dim(0).dim_value() == 1)
      sizes.push_back(shape.mutable_dim(0));
  }
  for (auto *size : sizes)
    size->set_dim_param(batch.str());
  if (sizes.empty())
    return false;
  graph.clear_value_info();
  for (::onnx::ValueInfoProto &output : *graph.mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  return true;
}

namespace {

/// Where a batch's rows are in a value: along one axis of size outer * batch * inner, in this order. A
/// reshape of [batch, 8] to [batch * 2, 4], for example, leaves them at axis 0 with outer 1 and inner 2.
struct BatchAxis {
  int64_t axis, outer, inner;
  bool operator==(const BatchAxis &other) const {
    return axis == other.axis && outer == other.outer && inner == other.inner;
  }
};

/// What an operation does with the rows of its operands.
struct Outcome {
  std::optional<BatchAxis> rows;
  std::string problem; ///< that mixes them
};

Outcome at(int64_t axis, const BatchAxis &rows) { return {BatchAxis{axis, rows.outer, rows.inner}, ""}; }
Outcome mixes(const Twine &how) { return {std::nullopt, how.str()}; }

int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

class Rows {
public:
  explicit Rows(StringRef batch) : batch(batch) {}

  /// The results of `op`, in order of the program; a problem, or "".
  std::string visit(Operation *op);

private:
  bool hasRows(const nn::Dim &dim) const { return llvm::is_contained(dim.names, batch); }
  bool hasRows(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && llvm::any_of(nn::shapeOf(type), [&](const nn::Dim &dim) { return hasRows(dim); });
  }
  std::optional<BatchAxis> of(Value value) const {
    auto found = axisOf.find(value);
    return found == axisOf.end() ? std::nullopt : std::optional(found->second);
  }
  Outcome derive(Operation *op);
  Outcome fresh(Operation *op);
  Outcome elementwise(Operation *op, ValueRange operands);
  Outcome reshape(nn::ReshapeOp op, BatchAxis rows);
  Outcome matmul(nn::MatMulOp op);
  Outcome gather(nn::GatherOp op);
  Outcome along(ArrayRef<int64_t> axes, bool keepdims, BatchAxis rows);

  std::string batch;
  llvm::DenseMap<Value, BatchAxis> axisOf;
};

/// What no operand with rows goes into, and has rows all the same: an input, or equal numbers for all rows.
Outcome Rows::fresh(Operation *op) {
  nn::Shape shape = nn::shapeOf(op->getResult(0).getType());
  auto first = llvm::find_if(shape, [&](const nn::Dim &dim) { return hasRows(dim); });
  int64_t axis = first - shape.begin();
  if (first->names.size() != 1 ||
      std::any_of(first + 1, shape.end(), [&](auto &dim) { return hasRows(dim); }))
    return mixes("has the batch in its shape " + nn::str(shape) +
                 " more than once, or times another open size");
  if (auto iota = dyn_cast<nn::IotaOp>(op); iota && int64_t(iota.getAxis()) == axis)
    return mixes("counts the rows");
  if (!isa<train::ReadOp, nn::ExpandOp, nn::IotaOp, nn::RandomUniformOp>(op))
    return mixes("makes rows of something else");
  return {BatchAxis{axis, 1, first->factor}, ""};
}

/// Dims belong to each other from the last one on.
Outcome Rows::elementwise(Operation *op, ValueRange operands) {
  int64_t rank = rankOf(op->getResult(0));
  std::optional<BatchAxis> result;
  for (Value operand : operands)
    if (std::optional<BatchAxis> rows = of(operand)) {
      BatchAxis moved{rows->axis + rank - rankOf(operand), rows->outer, rows->inner};
      if (result && !(*result == moved))
        return mixes("combines rows with each other: its operands have the batch along different axes");
      result = moved;
    }
  return {result, ""};
}

/// A reshape keeps the elements' order: the rows stay where as many elements lie before and behind them.
Outcome Rows::reshape(nn::ReshapeOp op, BatchAxis rows) {
  nn::Shape from = nn::shapeOf(op.getX().getType()), to = nn::shapeOf(op.getType());
  nn::Dim before = nn::elementCount(ArrayRef(from).take_front(rows.axis)) * nn::Dim(rows.outer), left = 1;
  for (auto [axis, dim] : llvm::enumerate(to)) {
    if (hasRows(dim)) {
      std::optional<nn::Dim> outer = nn::divide(before, left);
      if (outer && outer->isStatic() && dim.names.size() == 1 && dim.factor % outer->factor == 0)
        return {BatchAxis{int64_t(axis), outer->factor, dim.factor / outer->factor}, ""};
      break;
    }
    left = left * dim;
  }
  return mixes("reshapes " + nn::str(from) + " to " + nn::str(to) + ", which moves elements between rows");
}

Outcome Rows::matmul(nn::MatMulOp op) {
  std::optional<BatchAxis> a = of(op.getA()), b = of(op.getB());
  int64_t rankA = rankOf(op.getA()), rankB = rankOf(op.getB()), rank = rankOf(op->getResult(0));
  auto isSummed = [](const std::optional<BatchAxis> &rows, int64_t rank, bool isLast) {
    return rows && rows->axis == rank - (isLast ? 1 : 2);
  };
  if (isSummed(a, rankA, !op.getTransposeA()) || isSummed(b, rankB, op.getTransposeB()))
    return mixes("multiplies along the batch and adds the rows up");
  auto moved = [&](const BatchAxis &rows, int64_t from, bool isTransposed) {
    int64_t axis = rows.axis + rank - from;
    if (isTransposed && axis >= rank - 2)
      axis = 2 * rank - 3 - axis;
    return BatchAxis{axis, rows.outer, rows.inner};
  };
  std::optional<BatchAxis> left, right;
  if (a)
    left = moved(*a, rankA, op.getTransposeA());
  if (b)
    right = moved(*b, rankB, op.getTransposeB());
  if (left && right && !(*left == *right))
    return mixes("multiplies each row with all others");
  return {left ? left : right, ""};
}

Outcome Rows::gather(nn::GatherOp op) {
  std::optional<BatchAxis> x = of(op.getX()), indices = of(op.getIndices());
  int64_t axis = op.getAxis(), rank = rankOf(op.getIndices());
  if (x && indices)
    return mixes("reads rows at places that are computed for each row");
  if (indices)
    return at(axis + indices->axis, *indices);
  if (x->axis == axis)
    return mixes("picks rows out of the batch");
  return at(x->axis > axis ? x->axis + rank - 1 : x->axis, *x);
}

Outcome Rows::along(ArrayRef<int64_t> axes, bool keepdims, BatchAxis rows) {
  if (llvm::is_contained(axes, rows.axis))
    return mixes("reduces the batch");
  int64_t dropped = llvm::count_if(axes, [&](int64_t axis) { return axis < rows.axis; });
  return at(rows.axis - (keepdims ? 0 : dropped), rows);
}

/// At least one operand has rows.
Outcome Rows::derive(Operation *op) {
  Value first = op->getOperand(0);
  BatchAxis rows = of(first).value_or(BatchAxis{-1, 1, 0});
  auto beside = [&](int64_t axis, StringRef what) {
    return axis == rows.axis ? mixes(what + " the batch") : Outcome{rows, ""};
  };
  if (op->hasTrait<nn::Elementwise>() || isa<nn::ExpandOp>(op))
    return elementwise(op, op->getOperands());
  if (auto matmul = dyn_cast<nn::MatMulOp>(op))
    return this->matmul(matmul);
  if (auto gather = dyn_cast<nn::GatherOp>(op))
    return this->gather(gather);
  int64_t withRows =
      llvm::count_if(op->getOperands(), [&](Value operand) { return of(operand).has_value(); });
  if (!of(first) || (withRows > 1 && !isa<nn::ConcatOp>(op)))
    return mixes("takes rows in more than one place");
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](nn::ReshapeOp reshape) { return this->reshape(reshape, rows); })
      .Case<nn::DropoutOp, train::StopGradientOp>([&](Operation *) { return Outcome{rows, ""}; })
      .Case([&](nn::TransposeOp transpose) {
        auto order = transpose.getPermutation();
        return at(llvm::find(order, rows.axis) - order.begin(), rows);
      })
      .Case([&](nn::ConcatOp concat) {
        for (Value part : concat->getOperands())
          if (!of(part) || !(*of(part) == *of(concat->getOperand(0))))
            return mixes("joins rows with something that has no rows, or has them elsewhere");
        return beside(concat.getAxis(), "joins along");
      })
      .Case([&](nn::SliceOp slice) {
        nn::Shape from = nn::shapeOf(slice.getX().getType()), to = nn::shapeOf(slice.getType());
        return from[rows.axis] == to[rows.axis] && slice.getSteps()[rows.axis] == 1
                   ? Outcome{rows, ""}
                   : mixes("takes some rows");
      })
      .Case([&](nn::PadOp pad) {
        return pad.getLow()[rows.axis] || pad.getHigh()[rows.axis] ? mixes("pads the batch")
                                                                   : Outcome{rows, ""};
      })
      .Case<nn::ConvOp, nn::ConvTransposeOp>([&](auto conv) {
        bool isImage = rows.axis == 0 && !of(conv->getOperand(1));
        return isImage ? Outcome{rows, ""} : mixes("convolves along the batch, or with it");
      })
      .Case<nn::MaxPoolOp, nn::SumPoolOp>(
          [&](Operation *) { return rows.axis < 2 ? Outcome{rows, ""} : mixes("pools along the batch"); })
      .Case<nn::SoftmaxOp, nn::LogSoftmaxOp>(
          [&](auto softmax) { return beside(softmax.getAxis(), "normalizes along"); })
      .Case([&](nn::LayerNormOp norm) {
        return int64_t(norm.getAxis()) > rows.axis ? Outcome{rows, ""} : mixes("normalizes along the batch");
      })
      .Case<nn::BatchNormOp, nn::BatchNormInferenceOp, train::BatchNormOp>([&](Operation *) {
        // Statistics of the batch are what it is for.
        return rows.axis == 0 ? Outcome{rows, ""} : mixes("has the batch in place of channels");
      })
      .Case<nn::SumOp, nn::MeanOp, nn::ReduceMaxOp, nn::ReduceMinOp, nn::ProdOp>(
          [&](auto reduction) { return along(reduction.getAxes(), reduction.getKeepdims(), rows); })
      .Case<nn::ArgMaxOp, nn::ArgMinOp>([&](auto reduction) {
        return along({int64_t(reduction.getAxis())}, reduction.getKeepdims(), rows);
      })
      .Case([&](nn::ReverseOp reverse) {
        return llvm::is_contained(reverse.getAxes(), rows.axis) ? mixes("reverses the batch")
                                                                : Outcome{rows, ""};
      })
      .Case([&](nn::ResampleOp resample) { return beside(resample.getAxis(), "resizes"); })
      .Default([](Operation *other) {
        return mixes("is the operation " + other->getName().getStringRef() +
                     ", of which it is not known that rows "
                     "do not see each other");
      });
}

std::string Rows::visit(Operation *op) {
  if (isa<train::WriteOp>(op) || op->getNumResults() == 0)
    return {};
  bool reads = llvm::any_of(op->getOperands(), [&](Value operand) { return of(operand).has_value(); });
  bool makes = llvm::any_of(op->getResults(), [&](Value result) { return hasRows(result); });
  if (!reads && !makes)
    return {};
  Outcome outcome = reads ? derive(op) : fresh(op);
  if (!outcome.problem.empty())
    return outcome.problem;
  for (Value result : op->getResults())
    if (hasRows(result)) // statistics have none
      axisOf.try_emplace(result, *outcome.rows);
    else if (result == op->getResult(0))
      return "makes one result of all rows";
  return {};
}

} // namespace

std::string whereRowsMix(train::FunctionOp function, StringRef batch) {
  Rows rows(batch);
  for (Operation &op : function.getBody().front())
    if (std::string problem = rows.visit(&op); !problem.empty()) {
      auto name = dyn_cast<NameLoc>(op.getLoc());
      return (name ? "node '" + name.getName().str() + "' " : "a node ") + problem;
    }
  return {};
}

} // namespace dlc::onnx
