//===- MathsLibrary.cpp - mathematics for users' CUDA sources --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/custom/MathsLibrary.h"
#include "compiler/codegen/gpu/Lowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// A function of C, without the f of those of float, and the operation that computes it.
struct Entry {
  llvm::StringLiteral name, operation;
  unsigned operands;
};

constexpr Entry entries[] = {
    {"exp", "math.exp", 1},       {"expm1", "math.expm1", 1},    {"log", "math.log", 1},
    {"log1p", "math.log1p", 1},   {"pow", "math.powf", 2},       {"tanh", "math.tanh", 1},
    {"erf", "math.erf", 1},       {"erfc", "math.erfc", 1},      {"sin", "math.sin", 1},
    {"cos", "math.cos", 1},       {"atan", "math.atan", 1},      {"sqrt", "math.sqrt", 1},
    {"fabs", "math.absf", 1},     {"floor", "math.floor", 1},    {"ceil", "math.ceil", 1},
    {"trunc", "math.trunc", 1},   {"rint", "math.roundeven", 1}, {"copysign", "math.copysign", 2},
    {"fmax", "arith.maxnumf", 2}, {"fmin", "arith.minnumf", 2},  {"fma", "math.fma", 3},
};

/// Names that no compiler takes for functions that it knows.
constexpr llvm::StringLiteral prefix = "dlc_math_";

std::string parametersOf(const Entry &entry, StringRef type) {
  std::string text;
  for (unsigned i = 0; i < entry.operands; ++i)
    text += (i ? ", " : "") + type.str() + " " + "xyz"[i];
  return text;
}

void define(ImplicitLocOpBuilder &b, const Entry &entry, Type type, StringRef suffix) {
  SmallVector<Type> types(entry.operands, type);
  OpBuilder::InsertionGuard guard(b);
  auto function =
      func::FuncOp::create(b, (prefix + entry.name + suffix).str(), b.getFunctionType(types, {type}));
  b.setInsertionPointToStart(function.addEntryBlock());
  OperationState state(b.getLoc(), entry.operation, function.getArguments(), {type});
  func::ReturnOp::create(b, b.create(state)->getResults());
}

} // namespace

std::string mathsDeclarations() {
  std::string text;
  for (const Entry &entry : entries) {
    for (auto [type, suffix] : {std::pair("float", "f"), std::pair("double", "")})
      text += "extern \"C\" __device__ " + std::string(type) + " " + entry.name.str() + suffix + "(" +
              parametersOf(entry, type) + ") __asm__(\"" + (prefix + entry.name + suffix).str() + "\");\n";
    text += "static inline __device__ float " + entry.name.str() + "(" + parametersOf(entry, "float") +
            ") { return " + entry.name.str() + "f(" +
            StringRef("x, y, z").take_front(3 * entry.operands - 2).str() + "); }\n";
  }
  return text;
}

bool isMathsSymbol(StringRef symbol) { return symbol.starts_with(prefix); }

FailureOr<std::string> mathsLibrary(MLIRContext &context) {
  ImplicitLocOpBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getLoc(), "maths");
  b.setInsertionPointToEnd(module->getBody());
  for (const Entry &entry : entries) {
    define(b, entry, b.getF32Type(), "f");
    define(b, entry, b.getF64Type(), "");
  }
  PassManager lowering(&context);
  buildLoweringPipeline(lowering);
  if (failed(lowering.run(*module)))
    return failure();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, llvmContext, "maths");
  if (!translated)
    return failure();
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*translated, stream);
  return bitcode;
}

} // namespace dlc::codegen::gpu
