//===- Places.h - elements at given indices --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathering along one dim with an index for each element: the tensor's dims count as one, along which an
// element's place is the sum of index * stride. So nn.gather and nn.scatter_add and their gradients do for
// all.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_PLACES_H
#define DLC_FRONTENDS_COMMON_PLACES_H

#include "frontends/common/OpMaker.h"

namespace dlc::frontend {

/// A negative index counts from the end.
nn::Expr counted(nn::Expr index, nn::Expr size);

/// The product of dims that must be static; nullopt after an error.
std::optional<int64_t> staticCount(OpMaker &maker, llvm::ArrayRef<nn::Dim> dims);

/// The places, in row-major order, of x[i..., indices[i..., j, k...], k...], j along `axis`: x has the shape
/// `x`, indices are i64. Null after an error.
mlir::Value placesOfElements(OpMaker &maker, mlir::Value indices, llvm::ArrayRef<nn::Dim> x, int64_t axis);

/// The elements at these places.
mlir::Value gatherElements(OpMaker &maker, mlir::Value x, mlir::Value indices, int64_t axis);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_PLACES_H
