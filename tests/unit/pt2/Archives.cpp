//===- Archives.cpp - .pt2 archives for tests
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/pt2/Archives.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include <cstring>

namespace archives {

//===-- Zip --------------------------------------------------------------------===//

static void putSizes(std::string &bytes, const Entry &entry) {
  uint32_t size = entry.isLarge ? 0xffffffff : entry.content.size();
  put<uint32_t>(bytes, llvm::crc32(llvm::arrayRefFromStringRef(entry.content)));
  put<uint32_t>(bytes, size);
  put<uint32_t>(bytes, size);
}

std::string zipOf(const std::vector<Entry> &entries, bool isLarge, const std::string &comment) {
  std::string bytes, directory;
  for (const Entry &entry : entries) {
    uint64_t at = bytes.size();
    bytes += "PK\3\4";
    put<uint16_t>(bytes, 45);
    put<uint16_t>(bytes, entry.flags);
    put<uint16_t>(bytes, entry.method);
    put<uint32_t>(bytes, 0);
    putSizes(bytes, entry);
    put<uint16_t>(bytes, entry.name.size());
    put<uint16_t>(bytes, 6); // a field before the content, as PyTorch aligns it
    bytes += entry.name + std::string("FB\2\0ZZ", 6) + entry.content;

    directory += "PK\1\2";
    put<uint16_t>(directory, 45);
    put<uint16_t>(directory, 45);
    put<uint16_t>(directory, entry.flags);
    put<uint16_t>(directory, entry.method);
    put<uint32_t>(directory, 0);
    putSizes(directory, entry);
    put<uint16_t>(directory, entry.name.size());
    put<uint16_t>(directory, entry.isLarge ? 28 : 0);
    put<uint16_t>(directory, 0);
    put<uint16_t>(directory, 0);
    put<uint16_t>(directory, 0);
    put<uint32_t>(directory, 0);
    put<uint32_t>(directory, entry.isLarge ? 0xffffffff : at);
    directory += entry.name;
    if (!entry.isLarge)
      continue;
    put<uint16_t>(directory, 1);
    put<uint16_t>(directory, 24);
    put<uint64_t>(directory, entry.content.size());
    put<uint64_t>(directory, entry.content.size());
    put<uint64_t>(directory, at);
  }
  uint64_t start = bytes.size(), count = entries.size();
  bytes += directory;
  if (isLarge) {
    uint64_t record = bytes.size();
    bytes += "PK\6\6";
    put<uint64_t>(bytes, 44);
    put<uint16_t>(bytes, 45);
    put<uint16_t>(bytes, 45);
    put<uint32_t>(bytes, 0);
    put<uint32_t>(bytes, 0);
    put<uint64_t>(bytes, count);
    put<uint64_t>(bytes, count);
    put<uint64_t>(bytes, directory.size());
    put<uint64_t>(bytes, start);
    bytes += "PK\6\7";
    put<uint32_t>(bytes, 0);
    put<uint64_t>(bytes, record);
    put<uint32_t>(bytes, 1);
  }
  bytes += "PK\5\6";
  put<uint32_t>(bytes, 0);
  put<uint16_t>(bytes, isLarge ? 0xffff : count);
  put<uint16_t>(bytes, isLarge ? 0xffff : count);
  put<uint32_t>(bytes, isLarge ? 0xffffffff : directory.size());
  put<uint32_t>(bytes, isLarge ? 0xffffffff : start);
  put<uint16_t>(bytes, comment.size());
  return bytes + comment;
}

size_t endOf(const std::string &zip) { return zip.rfind("PK\5\6"); }
size_t directoryOf(const std::string &zip) { return zip.find("PK\1\2"); }

//===-- JSON -------------------------------------------------------------------===//

static std::string quoted(const std::string &text) { return "\"" + text + "\""; }

static std::string argument(const std::string &name, const std::string &arg) {
  return "{\"name\": " + quoted(name) + ", \"arg\": {" + arg + "}, \"kind\": 1}";
}
std::string tensor(const std::string &name, const std::string &value) {
  return argument(name, "\"as_tensor\": {\"name\": " + quoted(value) + "}");
}
std::string integer(const std::string &name, int64_t value) {
  return argument(name, "\"as_int\": " + std::to_string(value));
}
std::string number(const std::string &name, const std::string &value) {
  return argument(name, "\"as_float\": " + value);
}
std::string flag(const std::string &name, bool value) {
  return argument(name, value ? "\"as_bool\": true" : "\"as_bool\": false");
}
std::string integers(const std::string &name, const std::vector<int64_t> &values) {
  std::vector<std::string> texts;
  for (int64_t value : values)
    texts.push_back(std::to_string(value));
  return argument(name, "\"as_ints\": [" + llvm::join(texts, ", ") + "]");
}

static std::string size(const std::string &text) {
  bool isNumber = text[0] == '-' || llvm::isDigit(text[0]);
  bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c); });
  std::string expression = isName ? "Symbol('" + text + "', positive=True, integer=True)" : text;
  return isNumber ? "{\"as_int\": " + text + "}"
                  : "{\"as_expr\": {\"expr_str\": " + quoted(expression) + "}}";
}

static std::string metaOf(const Program::Meta &meta, bool requiresGrad = false) {
  std::vector<std::string> sizes, strides;
  uint64_t stride = 1;
  for (const std::string &text : llvm::reverse(meta.sizes)) {
    sizes.insert(sizes.begin(), size(text));
    strides.insert(strides.begin(), size(std::to_string(stride)));
    uint64_t count = 1;
    if (!llvm::StringRef(text).getAsInteger(10, count))
      stride *= count;
  }
  return "{\"dtype\": " + std::to_string(meta.dtype) + ", \"sizes\": [" + llvm::join(sizes, ", ") +
         "], \"requires_grad\": " + (requiresGrad ? "true" : "false") +
         ", \"device\": {\"type\": \"cpu\", \"index\": null}, \"strides\": [" + llvm::join(strides, ", ") +
         "], \"storage_offset\": {\"as_int\": 0}, \"layout\": 7}";
}

//===-- Programs ---------------------------------------------------------------===//

void Program::input(const std::string &name, std::vector<std::string> sizes, int dtype) {
  tensors[name] = {dtype, std::move(sizes)};
  inputSpecs.push_back("{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": " + quoted(name) + "}}}}");
}

static Program::Meta numbered(Program &program, const std::string &name, const std::vector<int64_t> &sizes,
                              bool requiresGrad) {
  Program::Meta meta;
  int64_t count = 1;
  for (int64_t dim : sizes) {
    meta.sizes.push_back(std::to_string(dim));
    count *= dim;
  }
  std::string path = "weight_" + std::to_string(program.weights.size());
  std::string &blob = program.blobs["weights/" + path];
  for (int64_t i = 0; i < count; ++i) {
    float value = float(i) / 8;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    put(blob, bits);
  }
  program.weights[name] = "{\"path_name\": " + quoted(path) +
                          ", \"is_param\": true, \"use_pickle\": false, " +
                          "\"tensor_meta\": " + metaOf(meta, requiresGrad) + "}";
  return meta;
}

void Program::parameter(const std::string &name, std::vector<int64_t> sizes, bool requiresGrad) {
  tensors["p_" + name] = numbered(*this, name, sizes, requiresGrad);
  inputSpecs.push_back("{\"parameter\": {\"arg\": {\"name\": " + quoted("p_" + name) +
                       "}, \"parameter_name\": " + quoted(name) + "}}");
}

void Program::buffer(const std::string &name, std::vector<int64_t> sizes) {
  tensors["b_" + name] = numbered(*this, name, sizes, false);
  inputSpecs.push_back("{\"buffer\": {\"arg\": {\"name\": " + quoted("b_" + name) +
                       "}, \"buffer_name\": " + quoted(name) + ", \"persistent\": true}}");
}

void Program::node(const std::string &target, const std::string &name, const std::string &arguments,
                   Meta result, const std::string &trace) {
  tensors[name] = std::move(result);
  nodes.push_back("{\"target\": " + quoted("torch.ops." + target) + ", \"inputs\": [" + arguments +
                  "], \"outputs\": [{\"as_tensor\": {\"name\": " + quoted(name) +
                  "}}], \"metadata\": {\"stack_trace\": " + quoted(trace) + "}, \"name\": " + quoted(name) +
                  "}");
}

void Program::output(const std::string &name) {
  outputSpecs.push_back("{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": " + quoted(name) + "}}}}");
}

std::string Program::json() const {
  std::vector<std::string> metas;
  for (const auto &[name, meta] : tensors)
    metas.push_back(quoted(name) + ": " + metaOf(meta));
  return "{\"graph_module\": {\"graph\": {\"inputs\": [], \"outputs\": [], \"nodes\": [" +
         llvm::join(nodes, ", ") + "], \"tensor_values\": {" + llvm::join(metas, ", ") +
         "}, \"sym_int_values\": {}, \"sym_bool_values\": {}}, \"signature\": {\"input_specs\": [" +
         llvm::join(inputSpecs, ", ") + "], \"output_specs\": [" + llvm::join(outputSpecs, ", ") +
         "]}, \"module_call_graph\": []}, \"range_constraints\": " + ranges +
         ", \"schema_version\": {\"major\": " + std::to_string(version) + ", \"minor\": 20}}";
}

static std::string configOf(const std::map<std::string, std::string> &tensors) {
  std::vector<std::string> entries;
  for (const auto &[name, entry] : tensors)
    entries.push_back(quoted(name) + ": " + entry);
  return "{\"config\": {" + llvm::join(entries, ", ") + "}}";
}

std::vector<Entry> Program::entries() const {
  std::vector<Entry> entries;
  for (const auto &[path, bytes] : blobs)
    entries.push_back({"net/data/" + path, bytes});
  entries.push_back({"net/data/weights/model_weights_config.json", configOf(weights)});
  entries.push_back({"net/data/constants/model_constants_config.json", configOf(constants)});
  entries.push_back({"net/models/model.json", json()});
  entries.push_back({"net/byteorder", "little"});
  for (const auto &[path, content] : more)
    entries.push_back({"net/" + path, content});
  return entries;
}

Program perceptron() {
  Program program;
  program.parameter("w", {4, 3});
  program.parameter("b", {4});
  program.input("x", {"s0", "3"});
  program.node("aten.linear.default", "linear",
               tensor("input", "x") + ", " + tensor("weight", "p_w") + ", " + tensor("bias", "p_b"),
               {7, {"s0", "4"}});
  program.node("aten.relu.default", "relu", tensor("self", "linear"), {7, {"s0", "4"}});
  program.output("relu");
  return program;
}

} // namespace archives
