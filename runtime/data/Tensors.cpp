//===- Tensors.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of a safetensors file as data.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "runtime/core/TensorFile.h"
#include "runtime/data/Answer.h"

using dlc::runtime::Error;

struct dlc_tensors {
  ~dlc_tensors() { free(path); }

  char *path = nullptr; ///< which the file refers to
  dlc::runtime::TensorFile file;
};

namespace {

dlc_status openTensors(const char *path, dlc_tensors &tensors, Error &error) {
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the safetensors file is NULL");
  tensors.path = static_cast<char *>(malloc(strlen(path) + 1));
  if (!tensors.path)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its header", path);
  memcpy(tensors.path, path, strlen(path) + 1);
  return tensors.file.open(tensors.path, error);
}

dlc_status readTensor(const dlc_tensors &tensors, const char *name, dlc_array &out, Error &error) {
  const char *path = tensors.path;
  const dlc::runtime::Tensor *tensor = name ? tensors.file.table.find(name) : nullptr;
  if (!tensor)
    return error.fail(DLC_NOT_FOUND, "%s: there is no tensor '%s'", path,
                      name ? dlc::runtime::Printable(name).text : "");
  if (!tensor->dtype || tensor->rank == 0 || tensor->begin == tensor->end)
    return error.fail(
        DLC_BAD_FILE,
        "%s: tensor '%s' has the type %s and %u dimensions: expected samples of a type that dlc has "
        "(F32, F64, I32, I64, BOOL, BF16, F16)",
        path, dlc::runtime::Printable(tensor->name).text, dlc::runtime::Printable(tensor->dtypeText).text,
        tensor->rank);
  out.dtype = static_cast<int32_t>(tensor->dtype);
  out.rank = static_cast<int32_t>(tensor->rank);
  memcpy(out.shape, tensor->shape, tensor->rank * sizeof tensor->shape[0]);
  out.bytes = static_cast<size_t>(tensor->end - tensor->begin);
  out.data = malloc(out.bytes);
  if (!out.data)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for tensor '%s'", path,
                      dlc::runtime::Printable(tensor->name).text);
  return tensors.file.read(*tensor, out.data, error);
}

} // namespace

extern "C" {

dlc_status dlc_tensors_open(const char *path, dlc_tensors **out, char *error, size_t error_bytes) {
  return dlc::runtime::answerObject(
      out, error, error_bytes, "a safetensors file", dlc_tensors_close,
      [&](dlc_tensors &tensors, Error &sentence) { return openTensors(path, tensors, sentence); });
}

int64_t dlc_tensors_count(const dlc_tensors *tensors) {
  return tensors ? static_cast<int64_t>(tensors->file.table.tensors.size()) : 0;
}

const char *dlc_tensors_name(const dlc_tensors *tensors, int64_t index) {
  return index >= 0 && index < dlc_tensors_count(tensors)
             ? tensors->file.table.tensors[static_cast<size_t>(index)].name
             : nullptr;
}

dlc_status dlc_tensors_read(const dlc_tensors *tensors, const char *name, dlc_array *out, char *error,
                            size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = dlc_array{};
  if (!tensors)
    return DLC_INVALID_ARGUMENT;
  Error sentence;
  dlc_status status = readTensor(*tensors, name, *out, sentence);
  if (status != DLC_OK) {
    dlc_array_free(out);
    sentence.copyTo(error, error_bytes);
  }
  return status;
}

void dlc_tensors_close(dlc_tensors *tensors) { dlc::runtime::destroyObjects(tensors, 1); }

} // extern "C"
