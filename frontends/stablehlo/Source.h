//===- Source.h - a program of StableHLO as it was written -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_SOURCE_H
#define DLC_FRONTENDS_STABLEHLO_SOURCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace dlc::stablehlo {

/// Larger texts are refused.
constexpr size_t maxTextBytes = size_t(1) << 29;

/// The text, read in a context of its own, in which operations of all names are allowed.
class Source {
public:
  /// What is wrong names the line. `name` is the file's in places.
  static llvm::Expected<std::unique_ptr<Source>> parse(llvm::StringRef text, llvm::StringRef name);

  mlir::func::FuncOp main() const { return mainFunction; }
  mlir::func::FuncOp find(llvm::StringRef function) const;
  void visitOperations(llvm::function_ref<void(mlir::Operation *)> visit) const;

private:
  Source();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp mainFunction;
};

/// "Mlp/Dense_0/dot_general": what JAX calls the operation; "" where the text does not say.
std::string nameOf(mlir::Location location);
/// "; net.py:12": the line of the user's program that made it, or of the text where that does not say.
std::string placeOf(mlir::Location location);

/// The place of an argument or a result in what a function of Python takes or gives:
/// variables['params']['Dense_0']['kernel'] is variables, params, Dense_0, kernel.
struct Path {
  std::vector<std::string> parts;
  bool hasKey = false; ///< whether a part behind the first is no number

  bool empty() const { return parts.empty(); }
  /// Joins the parts, without the first `skipped` ones.
  std::string join(llvm::StringRef separator, size_t skipped = 0) const;
};
/// Empty where the text is none.
Path parsePath(llvm::StringRef text);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_SOURCE_H
