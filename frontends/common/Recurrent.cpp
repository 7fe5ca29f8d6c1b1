//===- Recurrent.cpp - recurrent layers, written out ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Recurrent.h"

using namespace mlir;

namespace dlc::frontend {

void stepRnn(const Layer &layer, const Direction &d, TimeStep &step) {
  step.h = d.functions[0](step.x + layer.product(step.h, d.r, d.rb));
}

void stepGru(const Layer &layer, const Direction &d, TimeStep &step) {
  bool isLinearBefore = layer.isLinearBeforeReset;
  nn::Expr h = step.h;
  Value ofCandidate; // a product of its own, which may be that of r * h
  nn::Expr gates = [&] {
    if (layer.joinsGates)
      return layer.product(h, d.r, d.rb);
    nn::Expr turned = nn::transpose(layer.expr(d.r), {1, 0}), ofBoth = layer.gate(turned, 0, 2);
    ofCandidate = layer.gate(turned, 2);
    nn::Expr both = nn::matmul(h, ofBoth);
    return d.rb ? both + layer.gate(d.rb, 0, 2) : both;
  }();
  nn::Expr ofZ = layer.gate(step.x, layer.zOfGru), ofR = layer.gate(step.x, 1 - layer.zOfGru);
  nn::Expr z = d.functions[0](ofZ + layer.gate(gates, layer.zOfGru));
  nn::Expr r = d.functions[0](ofR + layer.gate(gates, 1 - layer.zOfGru));
  nn::Expr candidate = layer.gate(step.x, 2);
  nn::Expr recurrent = [&] {
    if (layer.joinsGates)
      return layer.gate(gates, 2);
    nn::Expr product = nn::matmul(isLinearBefore ? h : r * h, layer.expr(ofCandidate));
    return d.rb ? product + layer.gate(d.rb, 2) : product;
  }();
  candidate = d.functions[1](candidate + (isLinearBefore ? r * recurrent : recurrent));
  nn::Expr fresh = (1 - z) * candidate;
  step.h = fresh + z * h;
}

void stepLstm(const Layer &layer, const Direction &d, TimeStep &step) {
  nn::Expr gates = step.x + layer.product(step.h, d.r, layer.joinsGates ? d.rb : Value());
  if (d.rb && !layer.joinsGates)
    gates = gates + layer.expr(d.rb);
  auto [ofI, ofO, ofF, ofCandidate] = layer.gatesOfLstm;
  nn::Expr c = *step.c, i = layer.gate(gates, ofI), o = layer.gate(gates, ofO), f = layer.gate(gates, ofF),
           candidate = layer.gate(gates, ofCandidate);
  if (d.p) {
    nn::Expr peepholeOfI = layer.gate(d.p, 0), peepholeOfF = layer.gate(d.p, 2);
    i = i + peepholeOfI * c;
    f = f + peepholeOfF * c;
  }
  i = d.functions[0](i);
  f = layer.forgetsWhatIsNotTaken ? 1 - i : d.functions[0](f);
  nn::Expr kept = f * c, fresh = i * d.functions[1](candidate);
  step.c = kept + fresh;
  if (d.p)
    o = o + layer.gate(d.p, 1) * *step.c;
  nn::Expr open = d.functions[0](o);
  step.h = open * d.functions[2](*step.c);
  if (d.projection)
    step.h = layer.product(step.h, d.projection);
}

/// The inputs' products of all places are one matrix product; each place adds that of the state before it.
SmallVector<Value> runCells(const Layer &layer, Cell cell, const Direction &direction, Value x, Value lengths,
                            TimeStep &state) {
  OpMaker &maker = layer.maker;
  nn::Expr products = layer.product(layer.expr(x), direction.w);
  if (direction.wb)
    products = products + layer.expr(direction.wb);
  nn::Shape all = nn::shapeOf(products.type());
  SmallVector<Value> outputs(layer.steps.factor);
  for (int64_t i = 0; i < layer.steps.factor; ++i) {
    int64_t place = direction.isReverse ? layer.steps.factor - 1 - i : i;
    Value here = maker.part(products, 0, place, place + 1);
    TimeStep step = state;
    step.x = layer.expr(maker.reshape(here, {all[1], all[2]}));
    cell(layer, direction, step);
    outputs[place] = step.h;
    if (lengths) {
      // Behind its end a sequence keeps its state and gives zeros.
      nn::Expr isInside = nn::greater(layer.expr(lengths), layer.expr(lengths).scalar(double(place)));
      outputs[place] = nn::select(isInside, step.h, 0.0);
      step.h = nn::select(isInside, step.h, state.h);
      if (step.c)
        step.c = nn::select(isInside, *step.c, *state.c);
    }
    state = step;
  }
  return outputs;
}

} // namespace dlc::frontend
