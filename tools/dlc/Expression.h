//===- Expression.h - one expression as a program ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_EXPRESSION_H
#define DLC_TOOLS_DLC_EXPRESSION_H

#include <string>

namespace dlc::tool {

/// The C++ program that describes a model of one expression, such as "matmul(a[64,32], b[32,8])", with an
/// input for each name that sizes follow where it first stands, and a dtype: "ids[64]:int64". Empty, with a
/// sentence in `error`, where it has none.
std::string programOf(const std::string &expression, std::string &error);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_EXPRESSION_H
