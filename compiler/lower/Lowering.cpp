//===- Lowering.cpp - what all lowerings to linalg need --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include "compiler/lower/ScalarOps.h"
#include "dialects/train/Nonzero.h"
#include "llvm/ADT/SmallBitVector.h"

using mlir::utils::IteratorType;

namespace dlc::lower {

//===-- Spaces -----------------------------------------------------------------===//

Space::Space(nn::Shape dimsIn, unsigned reductions) : dims(std::move(dimsIn)), reductions(reductions) {
  int next = 0;
  for (const nn::Dim &dim : dims)
    loops.push_back(dim.isOne() ? -1 : next++);
}

unsigned Space::loopCount() const { return withoutOnes(dims).size(); }

bool Space::hasReduction() const {
  return llvm::any_of(ArrayRef(dims).take_back(reductions), [](const nn::Dim &dim) { return !dim.isOne(); });
}

AffineExpr Space::position(unsigned dim, mlir::MLIRContext *context) const {
  return loops[dim] < 0 ? mlir::getAffineConstantExpr(0, context)
                        : mlir::getAffineDimExpr(loops[dim], context);
}

SmallVector<IteratorType> Space::iterators() const {
  SmallVector<IteratorType> result;
  for (auto [index, dim] : llvm::enumerate(dims))
    if (!dim.isOne())
      result.push_back(index < dims.size() - reductions ? IteratorType::parallel : IteratorType::reduction);
  return result;
}

nn::Shape withoutOnes(ArrayRef<nn::Dim> shape) {
  nn::Shape result;
  llvm::copy_if(shape, std::back_inserter(result), [](const nn::Dim &dim) { return !dim.isOne(); });
  return result;
}

mlir::Type storedType(mlir::Type elementType) {
  mlir::MLIRContext *context = elementType.getContext();
  return elementType.isTF32() ? mlir::Type(mlir::Float32Type::get(context))
         : elementType.isUnsignedInteger()
             ? mlir::IntegerType::get(context, elementType.getIntOrFloatBitWidth())
             : elementType;
}

mlir::RankedTensorType plainType(mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  return mlir::RankedTensorType::get(tensor.getShape(), storedType(tensor.getElementType()));
}

//===-- Scalars ----------------------------------------------------------------===//

Value sizeOf(ImplicitLocOpBuilder &b, const nn::Dim &dim) {
  if (dim.isStatic())
    return constantIndex(b, dim.factor);
  return train::DimSizeOp::create(b, b.getIndexType(), b.getStringAttr(dim.str()));
}

bool isEmpty(mlir::Type type) { return llvm::is_contained(nn::shapeOf(type), nn::Dim(0)); }

mlir::TypedAttr numberAttr(mlir::Type type, double number) {
  if (mlir::isa<mlir::FloatType>(type))
    return mlir::FloatAttr::get(type, number);
  return mlir::IntegerAttr::get(type, static_cast<int64_t>(number));
}

Value constant(ImplicitLocOpBuilder &b, mlir::Type type, double number) {
  return mlir::arith::ConstantOp::create(b, numberAttr(type, number));
}

Value constantIndex(ImplicitLocOpBuilder &b, int64_t number) {
  return mlir::arith::ConstantIndexOp::create(b, number);
}

//===-- Values -----------------------------------------------------------------===//

void Lowering::startAt(mlir::Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  if (auto composite = mlir::dyn_cast<mlir::FusedLocWith<mlir::StringAttr>>(op->getLoc()))
    doc = composite.getMetadata();
  else
    doc = op->getName().stripDialect();
}

Value Lowering::tensor(Value value) {
  if (Value known = tensors.lookup(value))
    return known;
  mlir::TypedAttr element = number(value);
  assert(element && "operands are lowered before their users");
  nn::Shape shape = withoutOnes(nn::shapeOf(value.getType()));
  return generic(Space(shape), {}, element.getType(), [&](ImplicitLocOpBuilder &inner, ValueRange) -> Value {
    return mlir::arith::ConstantOp::create(inner, element);
  });
}

void Lowering::alias(Value from, Value to) {
  if (mlir::TypedAttr element = number(from))
    replace(to, element);
  else
    replace(to, tensor(from));
}

Value Lowering::empty(ArrayRef<nn::Dim> shape, mlir::Type elementType) {
  SmallVector<Value> sizes;
  for (const nn::Dim &dim : shape)
    if (!dim.isStatic())
      sizes.push_back(sizeOf(b, dim));
  return mlir::tensor::EmptyOp::create(b, plainType(nn::tensorType(shape, elementType)), sizes);
}

//===-- Generics ---------------------------------------------------------------===//

AffineMap Lowering::map(const Space &space, ArrayRef<nn::Dim> shape,
                        llvm::function_ref<AffineExpr(unsigned)> position) {
  SmallVector<AffineExpr> positions;
  for (auto [index, dim] : llvm::enumerate(shape))
    if (!dim.isOne())
      positions.push_back(position(index));
  return AffineMap::get(space.loopCount(), 0, positions, b.getContext());
}

Read Lowering::broadcast(const Space &space, Value value, unsigned rank) {
  nn::Shape shape = nn::shapeOf(value.getType());
  unsigned missing = rank - shape.size();
  return {value,
          map(space, shape, [&](unsigned dim) { return space.position(missing + dim, b.getContext()); })};
}

// An operand that tells the extents of the loops that neither `maps` nor the result tell.
void Lowering::addExtents(const Space &space, ArrayRef<nn::Dim> result, SmallVector<Value> &inputs,
                          SmallVector<AffineMap> &maps) {
  llvm::SmallBitVector told(space.dims.size());
  told.set(0, result.size());
  for (AffineMap map : maps)
    for (unsigned dim = result.size(); dim < space.dims.size(); ++dim)
      if (llvm::is_contained(map.getResults(), space.position(dim, b.getContext())))
        told.set(dim);
  nn::Shape extents;
  SmallVector<AffineExpr> positions;
  for (auto [dim, extent] : llvm::enumerate(space.dims))
    if (!told[dim] && !extent.isOne()) {
      extents.push_back(extent);
      positions.push_back(space.position(dim, b.getContext()));
    }
  if (extents.empty())
    return;
  inputs.push_back(empty(extents, b.getI1Type()));
  maps.push_back(AffineMap::get(space.loopCount(), 0, positions, b.getContext()));
}

Value Lowering::generic(const Space &space, ArrayRef<Read> reads, mlir::Type elementType, Body body,
                        mlir::TypedAttr neutral) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  // A reduction's loops are known from what it reads; elsewhere numbers go into the body.
  auto inBody = [&](const Read &read) { return !space.hasReduction() && number(read.value); };
  for (const Read &read : reads)
    if (!inBody(read)) {
      inputs.push_back(tensor(read.value));
      maps.push_back(read.map);
    }
  nn::Shape kept(space.dims.begin(), space.dims.end() - space.reductions);
  addExtents(space, kept, inputs, maps);
  maps.push_back(map(space, kept, [&](unsigned dim) { return space.position(dim, b.getContext()); }));
  Value init = empty(withoutOnes(kept), elementType);
  if (neutral)
    init = mlir::linalg::FillOp::create(
               b, ValueRange(mlir::arith::ConstantOp::create(b, neutral).getResult()), ValueRange(init))
               .getResult(0);
  auto build = [&](mlir::OpBuilder &nested, mlir::Location loc, ValueRange arguments) {
    ImplicitLocOpBuilder inner(loc, nested);
    SmallVector<Value> scalars;
    for (const Read &read : reads) {
      if (inBody(read)) {
        scalars.push_back(mlir::arith::ConstantOp::create(inner, number(read.value)));
      } else {
        scalars.push_back(arguments.front());
        arguments = arguments.drop_front();
      }
    }
    // Then come the extents, which are not read, and the accumulator.
    scalars.push_back(arguments.back());
    mlir::linalg::YieldOp::create(inner, body(inner, scalars));
  };
  return mlir::linalg::GenericOp::create(b, init.getType(), inputs, init, maps, space.iterators(), doc,
                                         /*libraryCall=*/"", build)
      .getResult(0);
}

void Lowering::sumOfProducts(const Space &space, const Read &left, const Read &right, Value result,
                             ArrayRef<AffineExpr> nonzero) {
  mlir::Type type = mlir::cast<mlir::RankedTensorType>(result.getType()).getElementType();
  bool isNarrow = mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  mlir::Type sumType = isNarrow ? mlir::Type(b.getF32Type()) : type;
  // Where all reductions have one step there is nothing to add up.
  bool adds = space.hasReduction();
  // tf32 is f32 in memory: that it was rounded, the body says by rounding again.
  mlir::Type factorType = mlir::getElementTypeOrSelf(result.getDefiningOp()->getOperandTypes()[0]);
  auto factor = [&](ImplicitLocOpBuilder &inner, Value x) {
    return convert(inner, factorType.isTF32() ? convert(inner, x, factorType) : x, sumType);
  };
  Value sum = generic(
      space, {left, right}, sumType,
      [&](ImplicitLocOpBuilder &inner, ValueRange x) {
        Value factors[] = {factor(inner, x[0]), factor(inner, x[1])};
        Value term = multiply(inner, factors[0], factors[1]);
        return adds ? add(inner, x[2], term) : term;
      },
      adds ? b.getZeroAttr(sumType) : mlir::TypedAttr());
  train::setNonzeroTerms(sum.getDefiningOp(), nonzero, space.loopCount());
  Space kept(nn::Shape(space.dims.begin(), space.dims.end() - space.reductions));
  if (isNarrow) {
    tensors[sum] = sum;
    Read whole{sum, AffineMap::getMultiDimIdentityMap(kept.loopCount(), b.getContext())};
    sum = generic(kept, whole, type,
                  [&](ImplicitLocOpBuilder &inner, ValueRange x) { return convert(inner, x[0], type); });
  }
  replace(result, reshape(sum, withoutOnes(kept.dims), withoutOnes(nn::shapeOf(result.getType()))));
}

} // namespace dlc::lower
