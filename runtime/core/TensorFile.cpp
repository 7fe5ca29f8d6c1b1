//===- TensorFile.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/core/TensorFile.h"
#include "dlc/abi.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

dlc_status TensorFile::open(const char *path, Error &error) {
  if (dlc_status status = file.open(path, error))
    return status;
  return readHeader(path, error);
}

/// Whether a file begins as torch.save writes it: with a zip archive, or, before PyTorch 1.6, with a pickled
/// number.
static bool isOfTorchSave(uint64_t begin) {
  constexpr char zip[] = "PK\3\4";
  constexpr unsigned char pickled[] = {0x80, 0x02, 0x8a, 0x0a};
  return memcmp(&begin, zip, 4) == 0 || memcmp(&begin, pickled, 4) == 0;
}

dlc_status TensorFile::readHeader(const char *path, Error &error) {
  uint64_t headerBytes = 0;
  if (file.size() < sizeof headerBytes)
    return error.fail(DLC_BAD_FILE, "%s: %" PRIu64 " bytes are too few for a safetensors file", path,
                      file.size());
  if (dlc_status status = file.readAt(0, &headerBytes, sizeof headerBytes, error))
    return status;
  if (memcmp(&headerBytes, "version ", sizeof headerBytes) == 0)
    return error.fail(DLC_BAD_FILE, "%s: a Git LFS pointer, not the file itself: run `git lfs pull`", path);
  const bool isTooLong = headerBytes > maxHeaderBytes || headerBytes > file.size() - sizeof headerBytes;
  if (isTooLong && isOfTorchSave(headerBytes))
    return error.fail(DLC_BAD_FILE,
                      "%s: a file of torch.save, not a safetensors file: convert it in Python with "
                      "safetensors.torch.save_file(torch.load(\"%s\", weights_only=True), "
                      "\"weights.safetensors\"), where it holds a state_dict",
                      path, path);
  if (isTooLong)
    return error.fail(DLC_BAD_FILE,
                      "%s: not a safetensors file, or truncated: a header of %" PRIu64
                      " bytes in a file of %" PRIu64,
                      path, headerBytes, file.size());
  if (!table.text.allocate(headerBytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its header", path);
  dataBegin = sizeof headerBytes + headerBytes;
  if (dlc_status status = file.readAt(sizeof headerBytes, table.text.data(), headerBytes, error))
    return status;
  return parseHeader(path, file.size() - dataBegin, table, error);
}

namespace {

using Visit = dlc_status (*)(void *context, const char *name, const dlc_array *tensor);

dlc_status visitTensors(const char *path, Visit visit, void *context, Error &error) {
  if (!path || !*path || !visit)
    return error.fail(DLC_INVALID_ARGUMENT, "no path to read from");
  TensorFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  for (const Tensor &tensor : file.table.tensors) {
    if (!tensor.dtype)
      return error.fail(DLC_BAD_FILE, "%s: tensor '%s' has the dtype %s, which dlc does not have", path,
                        Printable(tensor.name).text, Printable(tensor.dtypeText).text);
    Array<unsigned char> values;
    const size_t bytes = tensor.end - tensor.begin;
    if (!values.allocate(bytes))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for '%s'", path, Printable(tensor.name).text);
    if (dlc_status status = file.read(tensor, values.data(), error))
      return status;
    dlc_array array = {};
    array.dtype = static_cast<int32_t>(tensor.dtype);
    array.rank = static_cast<int32_t>(tensor.rank);
    memcpy(array.shape, tensor.shape, tensor.rank * sizeof *tensor.shape);
    array.bytes = bytes;
    array.data = values.data();
    if (dlc_status status = visit(context, tensor.name, &array))
      return status;
  }
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_visit_tensors(const char *path, dlc::runtime::Visit visit, void *context,
                                        char *error, size_t error_bytes) {
  dlc::runtime::Error text;
  dlc_status status = dlc::runtime::visitTensors(path, visit, context, text);
  text.copyTo(error, error_bytes);
  return status;
}
