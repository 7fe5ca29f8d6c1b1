// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Dropout in evaluation mode, and with the probabilities 0 and 1: session_test.cpp has what training does.
#include "tests/cpp/modules/cases.h"

using namespace cases;

template <typename M> static void add(Cases &c, const std::string &name, const std::vector<int64_t> &shape) {
  c.add("nn." + name + "(0.3).eval()", evaluated(M(0.3)), {{shape}});
  c.add("nn." + name + "(0.0)", M(0), {{shape}});
  c.add("nn." + name + "(1.0)", M(1), {{shape}});
  c.add("nn." + name + "(1.0).eval()", evaluated(M(1)), {{shape}});
  c.add("nn." + name + "().eval()", evaluated(M()), {{std::vector<int64_t>(shape.begin() + 1, shape.end())}});
}

static Program dropout(DType dtype) {
  Cases c(dtype);
  add<nn::Dropout>(c, "Dropout", {2, 3, 4});
  add<nn::Dropout1d>(c, "Dropout1d", {2, 3, 4});
  add<nn::Dropout2d>(c, "Dropout2d", {2, 3, 4, 1});
  add<nn::Dropout3d>(c, "Dropout3d", {2, 3, 4, 1, 2});
  add<nn::AlphaDropout>(c, "AlphaDropout", {2, 5});
  add<nn::FeatureAlphaDropout>(c, "FeatureAlphaDropout", {2, 3, 4});
  return c.program();
}

DLC_MODEL(dropout) { return dropout(float64); }
DLC_MODEL(dropout32) { return dropout(float32); }
