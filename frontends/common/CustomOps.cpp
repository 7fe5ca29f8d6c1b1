//===- CustomOps.cpp - files of operations that users bring themselves -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Here is checked that a file has the right form; what its declarations say is checked where all are
// (dialects/train/CustomFunction.cpp).
//===----------------------------------------------------------------------===//
#include "frontends/common/CustomOps.h"
#include "compiler/support/Messages.h"
#include "frontends/common/CheckedJson.h"
#include "frontends/common/FileInFolder.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace json = llvm::json;

namespace dlc::frontend {

namespace {

class Reader : CheckedJson {
public:
  Reader(StringRef path, train::ProgramOp program, OpBuilder &builder)
      : path(path), program(program), builder(builder) {}

  llvm::Error run();

private:
  void readOps(const json::Object &file);
  void readOp(const json::Object &op, const std::string &where, StringRef domain);
  ArrayAttr readTensors(const json::Object &op, StringRef key, const std::string &where);
  train::CustomTensorAttr readTensor(const json::Object &tensor, const std::string &where);
  SmallVector<StringAttr> readSizes(const json::Object &object, StringRef key, const std::string &where);
  ArrayAttr readSettings(const json::Object &op, const std::string &where);
  DenseI64ArrayAttr readInplace(const json::Object &op, const std::string &where, ArrayAttr inputs,
                                ArrayAttr outputs);
  std::string readSource(const json::Object &code, const std::string &where);
  train::CustomCudaAttr readCuda(const json::Value &value, const std::string &where);
  Type readType(StringRef name, const std::string &where);
  void check();

  StringRef path;
  train::ProgramOp program;
  OpBuilder &builder;
  std::vector<train::CustomFunctionOp> made;
};

} // namespace

//===-- Operations -------------------------------------------------------------===//

Type Reader::readType(StringRef name, const std::string &where) {
  if (name == "float32")
    return builder.getF32Type();
  if (name == "float64")
    return builder.getF64Type();
  if (name == "int32" || name == "int64")
    return builder.getIntegerType(name == "int32" ? 32 : 64);
  if (name != "bool")
    fail(where + ": expected the type float32, float64, int32, int64 or bool, got '" + name + "'");
  return builder.getI1Type();
}

SmallVector<StringAttr> Reader::readSizes(const json::Object &object, StringRef key,
                                          const std::string &where) {
  SmallVector<StringAttr> sizes;
  if (const json::Array *given = list(object, key, where, /*needed=*/true))
    for (const json::Value &each : *given) {
      std::optional<int64_t> size = each.kind() == json::Value::Number ? each.getAsInteger() : std::nullopt;
      std::optional<StringRef> name = each.getAsString();
      if (!size && !name)
        fail(where + "." + key + ": expected whole numbers and texts");
      sizes.push_back(builder.getStringAttr(size ? std::to_string(*size) : name ? name->str() : ""));
    }
  return sizes;
}

train::CustomTensorAttr Reader::readTensor(const json::Object &tensor, const std::string &where) {
  checkKeys(tensor, where, {"name", "type", "shape", "constant"});
  std::string name = text(tensor, "name", where);
  Type element = readType(text(tensor, "type", where), where);
  SmallVector<StringAttr> shape = readSizes(tensor, "shape", where);
  const json::Value *constant = tensor.get("constant");
  if (constant && !constant->getAsBoolean())
    fail(where + ": expected true or false for 'constant'");
  return train::CustomTensorAttr::get(builder.getContext(), name, element, shape,
                                      constant && constant->getAsBoolean().value_or(false));
}

ArrayAttr Reader::readTensors(const json::Object &op, StringRef key, const std::string &where) {
  SmallVector<Attribute> tensors;
  forEach(list(op, key, where, /*needed=*/true), where + "." + key.str(),
          [&](const json::Object &tensor, const std::string &here) {
            tensors.push_back(readTensor(tensor, here));
          });
  return builder.getArrayAttr(tensors);
}

ArrayAttr Reader::readSettings(const json::Object &op, const std::string &where) {
  SmallVector<Attribute> settings;
  forEach(list(op, "attributes", where, /*needed=*/false), where + ".attributes",
          [&](const json::Object &setting, const std::string &here) {
            checkKeys(setting, here, {"name", "type", "default"});
            std::string type = text(setting, "type", here);
            if (type != "int" && type != "float")
              fail(here + ": expected the type int or float, got '" + type + "'");
            bool isInteger = type == "int";
            TypedAttr fallback;
            if (const json::Value *value = setting.get("default")) {
              bool isNumber = value->kind() == json::Value::Number;
              if (isInteger && isNumber && value->getAsInteger())
                fallback = builder.getI64IntegerAttr(*value->getAsInteger());
              else if (!isInteger && isNumber)
                fallback = builder.getF64FloatAttr(*value->getAsNumber());
              else
                fail(here + ": expected " + (isInteger ? "a whole number" : "a number") + " for 'default'");
            }
            settings.push_back(train::CustomSettingAttr::get(
                builder.getContext(), text(setting, "name", here),
                isInteger ? Type(builder.getI64Type()) : builder.getF64Type(), fallback));
          });
  return settings.empty() ? ArrayAttr() : builder.getArrayAttr(settings);
}

DenseI64ArrayAttr Reader::readInplace(const json::Object &op, const std::string &where, ArrayAttr inputs,
                                      ArrayAttr outputs) {
  auto find = [&](ArrayAttr tensors, const json::Value &name) -> int64_t {
    for (auto [index, tensor] : llvm::enumerate(tensors.getAsRange<train::CustomTensorAttr>()))
      if (tensor.getName() == name.getAsString())
        return index;
    return -1;
  };
  SmallVector<int64_t> pairs;
  if (const json::Array *given = list(op, "inplace", where, /*needed=*/false))
    for (const json::Value &each : *given) {
      const json::Array *pair = each.getAsArray();
      bool isPair = pair && pair->size() == 2;
      pairs.push_back(isPair ? find(inputs, (*pair)[0]) : -1);
      pairs.push_back(isPair ? find(outputs, (*pair)[1]) : -1);
      if (llvm::is_contained(pairs, -1))
        fail(where + ".inplace: expected pairs of the name of an input and the name of an output");
    }
  return pairs.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(pairs);
}

/// The user's code is compiled and becomes part of the library: it lies where the file does, not just
/// anywhere.
std::string Reader::readSource(const json::Object &code, const std::string &where) {
  std::string name = text(code, "source", where);
  if (hasFailed())
    return "";
  StringRef folder = llvm::sys::path::parent_path(path);
  llvm::Expected<std::string> real =
      fileInFolder(name, folder, "the source", "the folder of the operations' file");
  if (!real) {
    fail(where + ": " + llvm::toString(real.takeError()));
    return "";
  }
  SmallString<128> joined(folder);
  llvm::sys::path::append(joined, name);
  return joined.str().str();
}

/// What an operation has for GPUs.
train::CustomCudaAttr Reader::readCuda(const json::Value &value, const std::string &where) {
  constexpr int64_t usualBlock = 256;
  const json::Object *code = value.getAsObject();
  if (!code) {
    fail(where + ": expected an object {...}");
    return {};
  }
  checkKeys(*code, where, {"source", "function", "threads", "blocks", "block"});
  std::string source = readSource(*code, where), function = text(*code, "function", where);
  if (bool(code->get("threads")) == bool(code->get("blocks")))
    fail(where + ": expected either 'threads' or 'blocks', a list of numbers and names of sizes");
  auto count = code->get("blocks") ? train::CustomCount::Blocks : train::CustomCount::Threads;
  SmallVector<StringAttr> factors = readSizes(*code, stringifyCustomCount(count), where);
  const json::Value *block = code->get("block");
  std::optional<int64_t> threads =
      block && block->kind() == json::Value::Number ? block->getAsInteger() : std::nullopt;
  if (block && !threads)
    fail(where + ": expected a whole number for 'block'");
  return train::CustomCudaAttr::get(builder.getContext(), function, source, threads.value_or(usualBlock),
                                    count, factors);
}

void Reader::readOp(const json::Object &op, const std::string &where, StringRef domain) {
  checkKeys(op, where,
            {"name", "function", "source", "cuda", "inputs", "outputs", "attributes", "inplace", "rows",
             "gradient"});
  const json::Value *cuda = op.get("cuda");
  const bool isForCpus = !cuda || op.get("function") || op.get("source");
  std::string name = text(op, "name", where), function = text(op, "function", where, isForCpus),
              rows = text(op, "rows", where, /*needed=*/false),
              gradient = text(op, "gradient", where, /*needed=*/false);
  if (StringRef(name).contains('.'))
    fail(where + ": expected a name without dots, got '" + name + "'");
  std::string source = isForCpus ? readSource(op, where) : "", symbol = (domain + "." + name).str();
  train::CustomCudaAttr cudaCode = cuda ? readCuda(*cuda, where + ".cuda") : train::CustomCudaAttr();
  ArrayAttr inputs = readTensors(op, "inputs", where), outputs = readTensors(op, "outputs", where),
            settings = readSettings(op, where);
  DenseI64ArrayAttr inplace = readInplace(op, where, inputs, outputs);
  if (SymbolTable::lookupSymbolIn(program, symbol))
    fail(where + ": there is an operation '" + symbol + "' already");
  if (hasFailed())
    return;
  MLIRContext *context = builder.getContext();
  made.push_back(train::CustomFunctionOp::create(
      builder, NameLoc::get(builder.getStringAttr(symbol)), builder.getStringAttr(symbol),
      isForCpus ? builder.getStringAttr(function) : StringAttr(),
      isForCpus ? builder.getStringAttr(source) : StringAttr(), /*collective=*/UnitAttr(), cudaCode, inputs, outputs, settings, inplace,
      rows.empty() ? StringAttr() : builder.getStringAttr(rows),
      gradient.empty() ? FlatSymbolRefAttr()
                       : FlatSymbolRefAttr::get(context, (domain + "." + gradient).str())));
}

void Reader::readOps(const json::Object &file) {
  checkKeys(file, "the file", {"domain", "ops"});
  std::string domain = text(file, "domain", "the file");
  if (domain == "ai.onnx")
    fail("the domain ai.onnx is ONNX's own; choose another one");
  forEach(list(file, "ops", "the file", /*needed=*/true), "ops",
          [&](const json::Object &op, const std::string &where) { readOp(op, where, domain); });
}

//===-- The file ---------------------------------------------------------------===//

/// What the declarations say, with the words of their verifier.
void Reader::check() {
  SymbolTableCollection tables;
  ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
    StringRef name;
    if (auto location = dyn_cast<NameLoc>(diagnostic.getLocation()))
      name = location.getName();
    fail("'" + name + "' " + forUsersOfModels(diagnostic.str()));
    return success();
  });
  for (train::CustomFunctionOp function : made)
    if (failed(verify(function)))
      return;
  for (train::CustomFunctionOp function : made)
    if (failed(function.verifySymbolUses(tables)))
      return;
}

llvm::Error Reader::run() {
  auto failure = [&](const Twine &message) {
    return llvm::createStringError("custom operations in '" + path + "': " + message);
  };
  llvm::Expected<json::Value> file = parseFile(path);
  if (!file)
    return failure(llvm::toString(file.takeError()));
  if (const json::Object *object = file->getAsObject())
    readOps(*object);
  else
    fail("expected an object {\"domain\": ..., \"ops\": [...]}");
  if (!hasFailed())
    check();
  return hasFailed() ? failure(problem()) : llvm::Error::success();
}

llvm::Error addCustomOps(StringRef path, train::ProgramOp program, OpBuilder &builder) {
  return Reader(path, program, builder).run();
}

} // namespace dlc::frontend
