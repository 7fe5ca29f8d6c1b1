//===- Compose.cpp - what takes several operations ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas that all frontends share. Others the public functions are composed of themselves.
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "frontends/common/Attention.h"
#include "frontends/common/Einsum.h"
#include "frontends/common/Interpolation.h"
#include "frontends/common/Recurrent.h"
#include "frontends/common/Sorting.h"
#include "frontends/cpp/record/State.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace dlc::record {

Outcome<Id> Recorder::places(Id value, int64_t dim, int64_t count, bool largest, const Place &place) {
  Value x = recording->values[value];
  nn::Shape shape = nn::shapeOf(x.getType());
  if (!shape[dim].isStatic() || shape[dim].factor > frontend::maxSorted)
    return Outcome<Id>::fail("expected a static size of at most " + std::to_string(frontend::maxSorted) +
                             " along dim " + std::to_string(dim) + ", got " + typeForUsers(x.getType()));
  if (count < 0 || count > shape[dim].factor)
    return Outcome<Id>::fail("expected a number from 0 to the size of the dim, " +
                             std::to_string(shape[dim].factor) + ", got " + std::to_string(count));
  auto builder =
      ImplicitLocOpBuilder::atBlockEnd(recording->locationOf(place), &recording->function.getBody().front());
  ArrayRef<nn::Dim> dims(shape);
  nn::Dim outer = nn::elementCount(dims.take_front(dim)), inner = nn::elementCount(dims.drop_front(dim + 1));
  nn::Expr rows =
      nn::reshape({builder, x}, nn::tensorType({outer, shape[dim], inner},
                                               cast<RankedTensorType>(x.getType()).getElementType()));
  nn::Expr found = frontend::placesInOrder(rows, count, largest);
  shape[dim] = nn::Dim(count);
  return {recording->add(nn::reshape(found, nn::tensorType(shape, builder.getI64Type()))), ""};
}

Outcome<Id> Recorder::einsum(const std::string &equation, const std::vector<Id> &operands,
                             const Place &place) {
  auto builder =
      ImplicitLocOpBuilder::atBlockEnd(recording->locationOf(place), &recording->function.getBody().front());
  auto values = llvm::map_to_vector(operands, [&](Id id) { return recording->values[id]; });
  std::string problem;
  Value sum =
      frontend::einsum(builder, equation, values, [&](const Twine &message) { problem = message.str(); });
  if (!sum)
    return Outcome<Id>::fail("einsum: " + problem);
  auto known = recording->ids.find(sum); // of "i->i"
  return {known == recording->ids.end() ? recording->add(sum) : known->second, ""};
}

Outcome<Attended> Recorder::attend(const Attention &attention, const Place &place) {
  auto builder =
      ImplicitLocOpBuilder::atBlockEnd(recording->locationOf(place), &recording->function.getBody().front());
  auto valueOf = [&](Id id) { return recording->values[id]; };
  frontend::Attention parts;
  parts.q = valueOf(attention.q);
  parts.k = valueOf(attention.k);
  parts.v = valueOf(attention.v);
  parts.scale = attention.scale;
  parts.biases = llvm::map_to_vector(attention.biases, valueOf);
  parts.masks = llvm::map_to_vector(attention.masks, valueOf);
  parts.mayHaveNoKey = attention.mayHaveNoKey;
  parts.sharesHeads = attention.sharesHeads;
  if (attention.lastMask)
    parts.lastMask = [&] { return valueOf(attention.lastMask()); };
  if (attention.drop)
    parts.drop = [&](Value shares) { return valueOf(attention.drop(recording->add(shares))); };
  frontend::OpMaker maker(builder);
  frontend::Attended attended;
  std::string problem =
      errorsOf(recording->context, [&] { attended = frontend::attendChecked(maker, parts); });
  if (!attended.mixed)
    return Outcome<Attended>::fail("attention: " + problem);
  auto idOf = [&](Value value) {
    auto known = recording->ids.find(value); // of shares that were dropped, or would be
    return known == recording->ids.end() ? recording->add(value) : known->second;
  };
  const Id shares = idOf(attended.shares);
  return {Attended{recording->add(attended.mixed), shares}, ""};
}

Outcome<std::pair<Id, Id>> Recorder::step(const RecurrentStep &step, const Place &place) {
  using Kind = RecurrentStep::Kind;
  auto valueOf = [&](Id id) { return recording->values[id]; };
  Value x = valueOf(step.x);
  for (Id id : {step.h, step.c, step.weight, step.bias, step.projection})
    if (id && nn::elementTypeOf(valueOf(id)) != nn::elementTypeOf(x))
      return Outcome<std::pair<Id, Id>>::fail(
          "recurrent cell: expects inputs, states and weights of one dtype, got " + typeForUsers(x.getType()) +
          " and " + typeForUsers(valueOf(id).getType()) + "; convert one with to(dlc::float32)");
  auto builder =
      ImplicitLocOpBuilder::atBlockEnd(recording->locationOf(place), &recording->function.getBody().front());
  frontend::OpMaker maker(builder);
  frontend::Layer layer{maker, nn::Dim(1), nn::shapeOf(x)[0], step.hidden};
  layer.joinsGates = layer.isLinearBeforeReset = true;
  layer.gatesOfLstm = {0, 3, 1, 2};
  layer.zOfGru = 1;
  const frontend::Function functions[] = {nn::sigmoid, nn::tanh, nn::tanh}, tanh = nn::tanh, relu = nn::relu;
  ArrayRef<frontend::Function> own(functions);
  if (step.kind == Kind::Tanh || step.kind == Kind::Relu)
    own = step.kind == Kind::Tanh ? tanh : relu;
  const frontend::Direction direction{
      false, own, {}, valueOf(step.weight), {}, valueOf(step.bias), {}, valueOf(step.projection)};
  frontend::TimeStep next{{builder, x}, {builder, valueOf(step.h)}, std::nullopt};
  if (step.kind == Kind::Lstm)
    next.c = {builder, valueOf(step.c)};
  (step.kind == Kind::Lstm  ? frontend::stepLstm
   : step.kind == Kind::Gru ? frontend::stepGru
                            : frontend::stepRnn)(layer, direction, next);
  return {std::pair(recording->add(next.h), next.c ? recording->add(*next.c) : 0), ""};
}

Outcome<Id> Recorder::resize(Id value, int64_t dim, const Resize &how, const Place &place) {
  nn::Dim from = nn::shapeOf(recording->values[value].getType())[dim];
  constexpr int64_t most = frontend::largestResized;
  if (!from.isStatic() || from.factor < 1 || from.factor > most || how.size < 1 || how.size > most)
    return Outcome<Id>::fail("expected sizes from 1 to " + std::to_string(most) + " before and after, got " +
                             from.str() + " and " + std::to_string(how.size) + " along dim " +
                             std::to_string(dim));
  frontend::Interpolation interpolation =
      frontend::pytorchInterpolation(how.mode, how.alignCorners, how.antialias);
  int64_t rank = nn::shapeOf(recording->values[value].getType()).size();
  frontend::ResizedAxis axis = frontend::pytorchAxis(how.mode, from.factor, how.size, how.scale, rank);
  std::optional<frontend::Resampling> found = resamplingOf(interpolation, axis);
  if (!found)
    return Outcome<Id>::fail("from " + from.str() + " to " + std::to_string(how.size) +
                             " elements takes more than " + std::to_string(frontend::mostWeights) +
                             " weights");
  auto results = apply("nn.resample", {value},
                       {{"axis", dim},
                        {"taps", found->taps},
                        {"positions", std::vector<int64_t>(found->positions.begin(), found->positions.end())},
                        {"weights", std::vector<double>(found->weights.begin(), found->weights.end())}},
                       place);
  if (!results.value)
    return Outcome<Id>::fail(results.error);
  return {results.value->front(), ""};
}

} // namespace dlc::record
