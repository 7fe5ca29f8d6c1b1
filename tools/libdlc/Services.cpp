//===- Services.cpp - what the frontend gets from the compiler --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frontend includes no stage of the compiler. Here, where both are put together, it is handed what it asks
// for.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Raw.h"
#include "compiler/session/Values.h"
#include "frontends/cpp/record/Evaluator.h"

using namespace mlir;

namespace dlc::record {

namespace {

/// In the order of DType.
constexpr interpret::DType dtypes[] = {interpret::DType::F32, interpret::DType::F64, interpret::DType::BF16,
                                       interpret::DType::F16, interpret::DType::I64, interpret::DType::I32,
                                       interpret::DType::I1,  interpret::DType::UI8};

interpret::Tensor toTensor(const Elements &elements) {
  auto tensor = interpret::Tensor::zeros(dtypes[int(elements.dtype)], elements.shape);
  if (!elements.splat) {
    interpret::fromBytes(elements.bytes, tensor);
    return tensor;
  }
  auto one = interpret::Tensor::zeros(tensor.dtype, {});
  interpret::fromBytes(elements.bytes, one);
  tensor.floats.assign(tensor.floats.size(), one.isFloat() ? one.floats[0] : 0);
  tensor.ints.assign(tensor.ints.size(), one.isFloat() ? 0 : one.ints[0]);
  return tensor;
}

class Interpreting : public Evaluator {
public:
  FailureOr<Elements> valueOf(Value value, Source source, const llvm::StringMap<int64_t> &dims) override {
    auto read = [&](StringRef symbol) -> FailureOr<interpret::Tensor> {
      const Elements *elements = source(symbol);
      if (!elements)
        return failure();
      return toTensor(*elements);
    };
    const interpret::Tensor *tensor = values.of(value, read, dims);
    if (!tensor)
      return failure();
    auto dtype = DType(llvm::find(dtypes, tensor->dtype) - dtypes);
    return Elements{{tensor->shape.begin(), tensor->shape.end()}, dtype, interpret::toBytes(*tensor)};
  }
  void forget() override { values.clear(); }

private:
  session::Values values;
};

} // namespace

std::unique_ptr<Evaluator> createEvaluator() { return std::make_unique<Interpreting>(); }

} // namespace dlc::record
