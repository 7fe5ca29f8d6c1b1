//===- CheckIndices.cpp - ranges of computed indices as outputs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices that the caller passes are checked before each call, constant ones when compiling. What a program
// computes from them can only be checked where it is computed: the program gives the runtime the smallest
// and the largest, and what they must lie in.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using nn::Expr;

namespace dlc::forward {
#define GEN_PASS_DEF_CHECKINDICES
#include "compiler/forward/Passes.h.inc"

namespace {
/// Indices of an operation and the range [low, limit) that they must lie in; `low` is 0 or, where negative
/// ones count from the end, -limit.
struct Use {
  Value indices;
  Value indexed; ///< dim `axis` of this is what they index
  int64_t axis;
  bool fromEnd;
  std::optional<int64_t> ignored; ///< this index is allowed as well
};
} // namespace

static std::optional<Use> useOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Use>>(op)
      .Case([](nn::GatherOp gather) {
        return Use{gather.getIndices(), gather.getX(), int64_t(gather.getAxis()), true, std::nullopt};
      })
      .Case([](nn::ScatterAddOp scatter) {
        return Use{scatter.getIndices(), scatter.getY(), int64_t(scatter.getAxis()), true, std::nullopt};
      })
      .Case<nn::SoftmaxCrossEntropyOp, nn::NllLossOp>([](auto loss) {
        return Use{loss.getLabels(), loss.getX(), 1, false, int64_t(loss.getIgnoreIndex())};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether the indices are known to be in range before the program runs: an input's, which the runtime
/// checks, or constants, which were checked when they were read.
static bool isCheckedBefore(const Use &use, const nn::Dim &limit) {
  Value source = use.indices;
  while (isa_and_nonnull<nn::ReshapeOp, nn::ExpandOp, nn::TransposeOp, nn::SliceOp>(source.getDefiningOp()))
    source = source.getDefiningOp()->getOperand(0);
  if (source.getDefiningOp<nn::ConstantOp>())
    return true;
  auto read = source.getDefiningOp<train::ReadOp>();
  auto input = read ? dyn_cast_or_null<train::InputOp>(SymbolTable::lookupSymbolIn(
                          read->getParentOfType<train::ProgramOp>(), read.getSymbol()))
                    : nullptr;
  if (!input || !input.getLimit() || !limit.isStatic())
    return false;
  return int64_t(*input.getLow()) >= (use.fromEnd ? -limit.factor : 0) &&
         int64_t(*input.getLimit()) <= limit.factor &&
         (!input.getIgnore() || input.getIgnore() == use.ignored);
}

static Expr number(ImplicitLocOpBuilder &builder, int64_t value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  return {builder,
          nn::ConstantOp::create(
              builder, DenseElementsAttr::get(type, Attribute(builder.getIntegerAttr(elementType, value))))};
}

/// smallest, largest, low, limit: what the runtime gets.
static Value rangeOf(ImplicitLocOpBuilder &builder, const Use &use, const nn::Dim &size) {
  Expr indices(builder, use.indices);
  if (use.ignored) // it counts as index 0
    indices = select(equal(indices, number(builder, *use.ignored, indices.elementType())),
                     number(builder, 0, indices.elementType()), indices);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(indices.rank()));
  auto extreme = [&](auto op) {
    using Op = decltype(op);
    return axes.empty() ? indices
                        : Expr(builder, Op::create(builder, indices.get(), axes, /*keepdims=*/false));
  };
  Expr smallest = extreme(nn::ReduceMinOp()), largest = extreme(nn::ReduceMaxOp());
  Type i64 = builder.getI64Type();
  Expr limit = size.isStatic() ? number(builder, size.factor, i64)
                               : nn::countAlong({builder, use.indexed}, use.axis, i64);
  Expr low = use.fromEnd ? -limit : number(builder, 0, i64);
  auto one = RankedTensorType::get({1}, i64);
  SmallVector<Value> parts;
  for (Expr part : {cast(smallest, i64), cast(largest, i64), low, limit})
    parts.push_back(reshape(part, one));
  return nn::ConcatOp::create(builder, parts, /*axis=*/0);
}

static void checkIndices(train::ProgramOp program, train::FunctionOp function) {
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<Use> use = useOf(&op);
    if (!use || llvm::is_contained(nn::shapeOf(use->indices.getType()), nn::Dim(0)))
      continue;
    nn::Dim size = nn::shapeOf(use->indexed.getType())[use->axis];
    if (isCheckedBefore(*use, size))
      continue;
    ImplicitLocOpBuilder builder(op.getLoc(), OpBuilder::atBlockEnd(&block));
    Value range = rangeOf(builder, *use, size);
    auto node = dyn_cast<NameLoc>(op.getLoc());
    std::string name = freeSymbol(program, (node ? node.getName().str() : "computed") + ".indices");
    ImplicitLocOpBuilder declare(op.getLoc(), OpBuilder(function));
    auto output = train::OutputOp::create(declare, train::OutputRole::Correct, name,
                                          cast<RankedTensorType>(range.getType()));
    output.setIndexRange(true);
    train::WriteOp::create(builder, range, name);
  }
}

namespace {
class CheckIndicesPass : public impl::CheckIndicesBase<CheckIndicesPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto function : llvm::to_vector(program.getBody().getOps<train::FunctionOp>()))
        if (function.getKind() == train::FunctionKind::Forward)
          checkIndices(program, function);
  }
};
} // namespace

} // namespace dlc::forward
