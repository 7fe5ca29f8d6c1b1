//===- CompiledModel.cpp - a model compiled to a shared library
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/conformance/CompiledModel.h"
#include "dlc/runtime.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace conformance {
namespace fs = std::filesystem;

static std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What `dlc` with these arguments said, and its exit status.
static Compilation run(const std::string &dlc, std::vector<std::string> arguments, const fs::path &folder) {
  fs::path messages = folder / "messages.txt";
  arguments.insert(arguments.begin(), dlc);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    int file = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(dlc.c_str(), pointers.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0)
    return {127, "cannot run " + dlc};
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), readFile(messages)};
}

/// The bound of loops of which the data say how often they run: some cases ask for as many times, and one for
/// one more.
static const char maxTrips[] = "--max-trips=6";

Compilation compile(const std::string &dlc, fs::path model, const fs::path &folder, bool exported) {
  if (exported) {
    fs::path copy = folder / "exported.onnx";
    if (Compilation result = run(dlc, {"export", model, "-o", copy, maxTrips}, folder); result.status != 0)
      return result;
    model = copy;
  }
  return run(dlc,
             {"compile", model, "-o", folder, "--name=t", "--emit=shared", "--embed-weights", "-O1", "-j1",
              maxTrips},
             folder);
}

/// The number that the header defines `name` as.
static std::optional<uint64_t> constantOf(const std::string &header, const std::string &name) {
  size_t at = header.find("#define " + name + " ");
  if (at == std::string::npos)
    return std::nullopt;
  return std::strtoull(header.c_str() + at + std::strlen("#define ") + name.size(), nullptr, 0);
}

/// Calls predict(handle, rows, tensors...): C has no other way to pass any number of pointers.
template <size_t... I>
static dlc_status callWith(void *function, void *handle, int64_t rows, void *const *tensors,
                           std::index_sequence<I...>) {
  using Function = dlc_status (*)(void *, int64_t, decltype((void)I, static_cast<void *>(nullptr))...);
  return reinterpret_cast<Function>(function)(handle, rows, tensors[I]...);
}

template <size_t Count = 0>
static dlc_status call(void *function, void *handle, int64_t rows, const std::vector<void *> &tensors) {
  if constexpr (Count <= 32) {
    if (tensors.size() == Count)
      return callWith(function, handle, rows, tensors.data(), std::make_index_sequence<Count>());
    return call<Count + 1>(function, handle, rows, tensors);
  }
  return DLC_INVALID_ARGUMENT;
}

/// Room for a tensor, 64-byte aligned, with margins that must stay as they are.
class Buffer {
public:
  explicit Buffer(const std::vector<char> &bytes) : size(bytes.size()), storage(size + 3 * margin, filling) {
    std::copy(bytes.begin(), bytes.end(), data());
  }
  char *data() {
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    return storage.data() + ((address + 2 * margin - 1) / margin * margin - address);
  }
  std::vector<char> content() { return {data(), data() + size}; }
  bool isMarginIntact() {
    auto isFilled = [](char c) { return c == filling; };
    char *begin = storage.data(), *end = begin + storage.size();
    return std::all_of(begin, data(), isFilled) && std::all_of(data() + size, end, isFilled);
  }

private:
  static constexpr size_t margin = 64;
  static constexpr char filling = 0x5a;
  size_t size;
  std::vector<char> storage;
};

/// What the manifest says about output `i`, against what is expected.
static std::string checkShape(const nlohmann::json &manifest, size_t i, const Tensor &expected) {
  static const std::vector<std::pair<int32_t, std::string>> names = {
      {onnx::TensorProto::FLOAT, "f32"}, {onnx::TensorProto::DOUBLE, "f64"},
      {onnx::TensorProto::INT32, "i32"}, {onnx::TensorProto::INT64, "i64"},
      {onnx::TensorProto::UINT8, "u8"},  {onnx::TensorProto::BOOL, "bool"}};
  const nlohmann::json &output = manifest.at("outputs").at(i);
  if (output.at("shape").get<std::vector<int64_t>>() != expected.shape)
    return "has the shape " + output.at("shape").dump() + ", expected " +
           nlohmann::json(expected.shape).dump();
  for (const auto &[type, name] : names)
    if (type == expected.dataType && output.at("dtype") != name &&
        !(name == "bool" && output.at("dtype") == "i1"))
      return "has the type " + output.at("dtype").dump() + ", expected " + name;
  return "";
}

std::string predictAndCompare(const fs::path &folder, const DataSet &data) {
  void *library = dlopen((folder / "libt.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return std::string("the library cannot be loaded: ") + dlerror();
  std::string header = readFile(folder / "t.h");
  auto abi = constantOf(header, "T_ABI_VERSION"), fingerprint = constantOf(header, "T_FINGERPRINT");
  void *create = dlsym(library, "t_create_checked"), *predict = dlsym(library, "t_predict"),
       *lastError = dlsym(library, "t_last_error");
  if (!create || !predict || !lastError || !abi || !fingerprint)
    return "the library or its header lacks t_create_checked, t_predict or t_last_error";
  using Create = dlc_status (*)(uint32_t, uint64_t, const dlc_create_options *, void **);
  void *handle = nullptr;
  if (dlc_status status = reinterpret_cast<Create>(create)(uint32_t(*abi), *fingerprint, nullptr, &handle))
    return "create returned " + std::to_string(status);

  auto manifest = nlohmann::json::parse(readFile(folder / "t.json"));
  std::vector<Buffer> buffers;
  std::vector<Tensor> expected;
  for (const onnx::TensorProto &input : data.inputs)
    if (auto tensor = toTensor(input))
      buffers.emplace_back(tensor->bytes);
  size_t inputs = buffers.size();
  if (inputs != data.inputs.size() || manifest.at("outputs").size() != data.outputs.size())
    return "inputs or outputs are not those of the data";
  for (const onnx::TensorProto &output : data.outputs) {
    auto tensor = toTensor(output);
    if (!tensor)
      return "an expected output has a type that dlc has none of";
    if (std::string difference = checkShape(manifest, expected.size(), *tensor); !difference.empty())
      return "output " + std::to_string(expected.size()) + " " + difference;
    buffers.emplace_back(std::vector<char>(tensor->bytes.size(), 0x33));
    expected.push_back(std::move(*tensor));
  }
  std::vector<void *> tensors;
  for (Buffer &buffer : buffers)
    tensors.push_back(buffer.data());
  int64_t rows = int64_t(constantOf(header, "T_BATCH").value_or(1));
  if (dlc_status status = call(predict, handle, rows, tensors))
    return "predict returned " + std::to_string(status) + ": " +
           reinterpret_cast<const char *(*)(void *)>(lastError)(handle);
  for (size_t i = 0; i < inputs; ++i)
    if (buffers[i].content() != toTensor(data.inputs[i])->bytes)
      return "input " + std::to_string(i) + " was changed";
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].isMarginIntact())
      return (i < inputs ? "input " + std::to_string(i) : "output " + std::to_string(i - inputs)) +
             " was written beyond its bounds";
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::string difference = compare(expected[i], buffers[inputs + i].content()); !difference.empty())
      return "output " + std::to_string(i) + ": " + difference;
  }
  return "";
}

} // namespace conformance
