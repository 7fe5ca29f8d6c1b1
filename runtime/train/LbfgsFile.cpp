//===- LbfgsFile.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What L-BFGS remembers between steps, as a safetensors file. The tensors have the names that
// torch.optim.LBFGS has for them in its state; a history is one tensor, with the oldest row first.
//===----------------------------------------------------------------------===//
#include "runtime/core/SafetensorsWriter.h"
#include "runtime/core/TensorFile.h"
#include "runtime/train/Lbfgs.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

namespace {

struct StoredTensor {
  const char *name;
  uint32_t dtype, rank;
  int64_t shape[2];
  void *values;
  bool isRing; ///< its rows are a history

  int64_t rows() const { return isRing ? shape[0] : 1; }
  size_t rowBytes() const {
    const int64_t elements = isRing ? (rank == 2 ? shape[1] : 1) : (rank == 1 ? shape[0] : 1);
    return static_cast<size_t>(elements) * 8;
  }
  size_t bytes() const { return static_cast<size_t>(rows()) * rowBytes(); }
};

constexpr int tensorCount = 8;

struct StoredTensors {
  StoredTensor all[tensorCount];

  StoredTensors(dlc_lbfgs &l, int64_t stored)
      : all{{"n_iter", DLC_I64, 0, {}, &l.numbers.iterations, false},
            {"t", DLC_F64, 0, {}, &l.numbers.at, false},
            {"H_diag", DLC_F64, 0, {}, &l.numbers.scale, false},
            {"d", DLC_F64, 1, {l.count}, l.direction, false},
            {"prev_flat_grad", DLC_F64, 1, {l.count}, l.gradientBefore, false},
            {"ro", DLC_F64, 1, {stored}, l.curvatures, true},
            {"old_stps", DLC_F64, 2, {stored, l.count}, l.moves, true},
            {"old_dirs", DLC_F64, 2, {stored, l.count}, l.changes, true}} {}
};

dlc_status save(dlc_lbfgs &lbfgs, const char *path, Error &error) {
  const StoredTensors fields(lbfgs, lbfgs.numbers.stored);
  AtomicFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  SafetensorsWriter header("L-BFGS");
  for (const StoredTensor &field : fields.all)
    header.add(field.name, field.dtype, field.rank, field.shape, field.bytes());
  if (dlc_status status = header.finish(error))
    return status;
  if (dlc_status status = header.write(file, error))
    return status;
  for (const StoredTensor &field : fields.all)
    for (int64_t age = 0; age < field.rows(); ++age) {
      const size_t row = static_cast<size_t>(field.isRing ? lbfgs.place(age) : 0);
      if (dlc_status status = file.write(static_cast<const char *>(field.values) + row * field.rowBytes(),
                                         field.rowBytes(), error))
        return status;
    }
  return file.commit(error);
}

/// Finds the tensor of a field; its dtype and shape must be those of the field.
dlc_status find(const TensorFile &file, const char *path, const StoredTensor &field, const Tensor *&found,
                Error &error) {
  found = file.table.find(field.name);
  if (!found)
    return error.fail(DLC_BAD_FILE, "%s: no state of L-BFGS: it lacks the tensor '%s'", path, field.name);
  bool same = found->dtype == field.dtype && found->rank == field.rank;
  for (uint32_t i = 0; same && i < field.rank; ++i)
    same = found->shape[i] == field.shape[i];
  if (same)
    return DLC_OK;
  return error.fail(DLC_BAD_FILE, "%s: tensor '%s' is %s %s, expected %s %s", path, field.name,
                    Printable(found->dtypeText).text, ShapeText(found->rank, found->shape).text,
                    dtypeName(field.dtype), ShapeText(field.rank, field.shape).text);
}

dlc_status checkValues(const char *path, const StoredTensor &field, const void *values, int64_t stored,
                       Error &error) {
  if (field.dtype == DLC_I64) {
    const int64_t iterations = *static_cast<const int64_t *>(values);
    if (iterations < stored)
      return error.fail(DLC_BAD_FILE,
                        "%s: tensor '%s' is %" PRId64
                        ", expected at least the length of the history, %" PRId64,
                        path, field.name, iterations, stored);
    return DLC_OK;
  }
  const auto *numbers = static_cast<const double *>(values);
  for (size_t i = 0; i < field.bytes() / sizeof(double); ++i)
    if (!std::isfinite(numbers[i]))
      return error.fail(DLC_BAD_FILE, "%s: value %zu of '%s' is not finite", path, i, field.name);
  return DLC_OK;
}

dlc_status load(dlc_lbfgs &lbfgs, const char *path, Error &error) {
  TensorFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  const Tensor *history = file.table.find("ro");
  const int64_t stored = history && history->rank == 1 ? history->shape[0] : 0;
  if (stored > lbfgs.options.history)
    return error.fail(DLC_BAD_FILE, "%s: has a history of %" PRId64 " changes, expected at most %d", path,
                      stored, lbfgs.options.history);
  const StoredTensors fields(lbfgs, stored);
  const Tensor *tensors[tensorCount];
  size_t total = 0;
  for (int i = 0; i < tensorCount; ++i) {
    if (dlc_status status = find(file, path, fields.all[i], tensors[i], error))
      return status;
    total += fields.all[i].bytes();
  }
  // All of it is read and checked before anything changes.
  Array<unsigned char> staged;
  if (!staged.allocate(total))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its %zu bytes", path, total);
  unsigned char *values = staged.data();
  for (int i = 0; i < tensorCount; values += fields.all[i++].bytes()) {
    if (dlc_status status = file.read(*tensors[i], values, error))
      return status;
    if (dlc_status status = checkValues(path, fields.all[i], values, stored, error))
      return status;
  }
  values = staged.data();
  for (int i = 0; i < tensorCount; values += fields.all[i++].bytes())
    memcpy(fields.all[i].values, values, fields.all[i].bytes());
  lbfgs.numbers.stored = stored;
  lbfgs.numbers.oldest = 0;
  return DLC_OK;
}

dlc_status with(dlc_lbfgs *lbfgs, const char *path, char *text, size_t bytes,
                dlc_status (*act)(dlc_lbfgs &, const char *, Error &)) {
  Error error;
  const dlc_status status = !lbfgs || !path || !*path
                                ? error.fail(DLC_INVALID_ARGUMENT, "no L-BFGS, or no path of a file")
                                : act(*lbfgs, path, error);
  error.copyTo(text, bytes);
  return status;
}

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_lbfgs_save(dlc_lbfgs *lbfgs, const char *path, char *error, size_t error_bytes) {
  return dlc::runtime::with(lbfgs, path, error, error_bytes, dlc::runtime::save);
}

dlc_status dlc_lbfgs_load(dlc_lbfgs *lbfgs, const char *path, char *error, size_t error_bytes) {
  return dlc::runtime::with(lbfgs, path, error, error_bytes, dlc::runtime::load);
}

} // extern "C"
