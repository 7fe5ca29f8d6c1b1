//===- Rows.cpp - samples that stay in their file --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Rows.h"
#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace dlc::tool::training {

namespace {

class FileRows : public Rows {
public:
  FileRows(const std::string &path, const dlc_scaling *scaling) {
    char error[512];
    dlc_rows *opened = nullptr;
    if (dlc_rows_open(path.c_str(), scaling, &opened, error, sizeof error) != DLC_OK)
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

double memoryOfProcess() {
  const double machine = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  rlimit limit = {};
  const bool isLimited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return isLimited ? std::min(machine, double(limit.rlim_cur)) : machine;
}

} // namespace

std::unique_ptr<Rows> openRows(const std::string &path, const dlc_scaling *scaling) {
  return std::make_unique<FileRows>(path, scaling);
}

SampleMemory::SampleMemory(bool streams) : bytesLeft(streams ? 0 : memoryOfProcess() / 2) {}

bool SampleMemory::holds(int64_t samples, const dlc_input &input) {
  const double bytes = double(samples) * double(elementCount(input.rank - 1, input.shape + 1)) *
                       double(elementBytes(input.dtype));
  if (bytes > bytesLeft)
    return false;
  bytesLeft -= bytes;
  return true;
}

} // namespace dlc::tool::training
