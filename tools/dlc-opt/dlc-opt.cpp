//===- dlc-opt.cpp - run passes on MLIR text
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with our dialects and passes: for tests, and to look at what one pass does.
//===----------------------------------------------------------------------===//
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/dlc-opt/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "dlc-opt: runs passes on MLIR\n", registry));
}
