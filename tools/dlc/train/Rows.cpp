//===- Rows.cpp - samples that stay in their file --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Rows.h"

namespace dlc::tool::training {

namespace {

class FileRows : public Rows {
public:
  FileRows(const std::string &path, const dlc_input &input, const dlc_scaling *scaling) {
    char error[512];
    dlc_rows *opened = nullptr;
    const bool areBytes =
        input.dtype == DLC_U8 && dlc_rows_open_bytes(path.c_str(), &opened, error, sizeof error) == DLC_OK;
    if (!areBytes && dlc_rows_open(path.c_str(), scaling, &opened, error, sizeof error) != DLC_OK)
      throw Failure(error);
    rows.reset(opened);
  }
  int64_t count() const override { return dlc_rows_count(rows.get()); }
  dlc_field field() const override { return dlc_rows_field(rows.get()); }
  void read(int64_t row, void *to) const override {
    char error[512];
    if (dlc_rows_read(rows.get(), row, to, error, sizeof error) != DLC_OK)
      throw Failure(error);
  }

private:
  std::unique_ptr<dlc_rows, decltype(&dlc_rows_close)> rows{nullptr, dlc_rows_close};
};

} // namespace

std::unique_ptr<Rows> openRows(const std::string &path, const dlc_input &input, const dlc_scaling *scaling) {
  return std::make_unique<FileRows>(path, input, scaling);
}

} // namespace dlc::tool::training
