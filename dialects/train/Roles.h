//===- Roles.h - what loop nests do in a kernel -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that make matrices tile by tile say what each of their nests does, in the attribute `train.role`
// (FactAttrs.td). The stage fuse finds it out and writes it; Attention.h and Transient.h read it.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_ROLES_H
#define DLC_DIALECTS_TRAIN_ROLES_H

#include "dialects/train/Train.h"

namespace train {

/// Null where a nest has no role.
inline RoleAttr roleOf(mlir::Operation *op) {
  return op->getAttrOfType<RoleAttr>(TrainDialect::RoleAttrHelper::getNameStr());
}
inline void setRole(mlir::Operation *op, KernelRole role, int64_t number, llvm::ArrayRef<int64_t> loops) {
  op->setAttr(TrainDialect::RoleAttrHelper::getNameStr(),
              RoleAttr::get(op->getContext(), role, number, loops));
}

} // namespace train

#endif // DLC_DIALECTS_TRAIN_ROLES_H
