//===- Sizes.cpp - numbers for each dim of an image ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/sizes.h"
#include "dlc/nn/upsampling.h"

namespace dlc::nn {

Sizes::Sizes() = default;
Sizes::Sizes(std::initializer_list<int64_t> sizes) : each(sizes), isList(true) {}
Sizes::Sizes(std::vector<int64_t> sizes) : each(std::move(sizes)), isList(true) {}

Padding::Padding() : Sizes(0) {}
Padding::Padding(std::initializer_list<int64_t> sizes) : Sizes(sizes) {}
Padding::Padding(std::vector<int64_t> sizes) : Sizes(std::move(sizes)) {}
Padding::Padding(const char *name) : name(name) {}

OutputSizes::OutputSizes(std::initializer_list<std::optional<int64_t>> sizes) : each(sizes), isList(true) {}

Factors::Factors() = default;
Factors::Factors(std::initializer_list<double> factors) : each(factors), isList(true) {}

} // namespace dlc::nn
