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
  DictionaryAttr readTensor(const json::Object &tensor, const std::string &where);
  ArrayAttr readSizes(const json::Object &object, StringRef key, const std::string &where);
  ArrayAttr readSettings(const json::Object &op, const std::string &where);
  DenseI64ArrayAttr readInplace(const json::Object &op, const std::string &where, ArrayAttr inputs,
                                ArrayAttr outputs);
  std::string readSource(const json::Object &code, const std::string &where);
  DictionaryAttr readCuda(const json::Value &value, const std::string &where);
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

ArrayAttr Reader::readSizes(const json::Object &object, StringRef key, const std::string &where) {
  SmallVector<Attribute> sizes;
  if (const json::Array *given = list(object, key, where, /*needed=*/true))
    for (const json::Value &each : *given) {
      std::optional<int64_t> size = each.kind() == json::Value::Number ? each.getAsInteger() : std::nullopt;
      std::optional<StringRef> name = each.getAsString();
      if (!size && !name)
        fail(where + "." + key + ": expected whole numbers and texts");
      sizes.push_back(builder.getStringAttr(size ? std::to_string(*size) : name ? name->str() : ""));
    }
  return builder.getArrayAttr(sizes);
}

DictionaryAttr Reader::readTensor(const json::Object &tensor, const std::string &where) {
  checkKeys(tensor, where, {"name", "type", "shape", "constant"});
  NamedAttrList entries;
  entries.append("name", builder.getStringAttr(text(tensor, "name", where)));
  entries.append("element", TypeAttr::get(readType(text(tensor, "type", where), where)));
  entries.append("shape", readSizes(tensor, "shape", where));
  const json::Value *constant = tensor.get("constant");
  if (constant && !constant->getAsBoolean())
    fail(where + ": expected true or false for 'constant'");
  else if (constant && *constant->getAsBoolean())
    entries.append("constant", builder.getUnitAttr());
  return entries.getDictionary(builder.getContext());
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
            NamedAttrList entries;
            entries.append("name", builder.getStringAttr(text(setting, "name", here)));
            entries.append("type",
                           TypeAttr::get(isInteger ? Type(builder.getI64Type()) : builder.getF64Type()));
            if (const json::Value *value = setting.get("default")) {
              bool isNumber = value->kind() == json::Value::Number;
              if (isInteger && isNumber && value->getAsInteger())
                entries.append("fallback", builder.getI64IntegerAttr(*value->getAsInteger()));
              else if (!isInteger && isNumber)
                entries.append("fallback", builder.getF64FloatAttr(*value->getAsNumber()));
              else
                fail(here + ": expected " + (isInteger ? "a whole number" : "a number") + " for 'default'");
            }
            settings.push_back(entries.getDictionary(builder.getContext()));
          });
  return settings.empty() ? ArrayAttr() : builder.getArrayAttr(settings);
}

DenseI64ArrayAttr Reader::readInplace(const json::Object &op, const std::string &where, ArrayAttr inputs,
                                      ArrayAttr outputs) {
  auto find = [&](ArrayAttr tensors, const json::Value &name) -> int64_t {
    for (auto [index, tensor] : llvm::enumerate(tensors.getAsRange<DictionaryAttr>()))
      if (train::CustomTensor(tensor).getName() == name.getAsString())
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
DictionaryAttr Reader::readCuda(const json::Value &value, const std::string &where) {
  constexpr int64_t usualBlock = 256;
  const json::Object *code = value.getAsObject();
  if (!code) {
    fail(where + ": expected an object {...}");
    return {};
  }
  checkKeys(*code, where, {"source", "function", "threads", "blocks", "block"});
  NamedAttrList entries;
  entries.append("source", builder.getStringAttr(readSource(*code, where)));
  entries.append("function", builder.getStringAttr(text(*code, "function", where)));
  for (StringRef key : {"threads", "blocks"})
    if (code->get(key))
      entries.append(key, readSizes(*code, key, where));
  const json::Value *block = code->get("block");
  std::optional<int64_t> threads =
      block && block->kind() == json::Value::Number ? block->getAsInteger() : std::nullopt;
  if (block && !threads)
    fail(where + ": expected a whole number for 'block'");
  entries.append("block", builder.getI64IntegerAttr(threads.value_or(usualBlock)));
  return entries.getDictionary(builder.getContext());
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
  DictionaryAttr cudaCode = cuda ? readCuda(*cuda, where + ".cuda") : DictionaryAttr();
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
      isForCpus ? builder.getStringAttr(source) : StringAttr(), cudaCode, inputs, outputs, settings, inplace,
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
