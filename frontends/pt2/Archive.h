//===- Archive.h - a .pt2 archive -------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What torch.export.save writes: a zip archive with the graph as JSON (models/model.json) and each tensor's
// bytes as an entry (data/weights, data/constants), of which two more files say what they are. Nothing of
// Python's is read.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_ARCHIVE_H
#define DLC_FRONTENDS_PT2_ARCHIVE_H

#include "frontends/pt2/Model.h"
#include "frontends/pt2/Zip.h"
#include "mlir/IR/BuiltinTypes.h"

namespace dlc::pt2 {

/// Numbers of a parameter, a buffer or a constant in row-major order.
struct Tensor {
  mlir::RankedTensorType type;
  std::vector<char> bytes; ///< a byte for a truth value
};

/// Where a tensor's numbers are: two of one place share them.
struct Storage {
  std::string path;
  uint64_t first = 0, last = 0; ///< elements of the path's that it has, ends included
  std::vector<int64_t> sizes, strides;
  bool operator==(const Storage &other) const {
    return path == other.path && first == other.first && sizes == other.sizes && strides == other.strides;
  }
  bool overlaps(const Storage &other) const {
    return path == other.path && first <= other.last && other.first <= last;
  }
};

class Archive {
public:
  /// `bytes` must live as long as the archive.
  static llvm::Expected<Archive> open(llvm::StringRef bytes);

  Model model;

  /// The tensor of a parameter, a buffer or a constant; `location` is for messages of types.
  llvm::Expected<Tensor> read(const InputSpec &spec, mlir::MLIRContext &context) const;
  llvm::Expected<Storage> storageOf(const InputSpec &spec) const;
  /// Whether a parameter is trained in the exported module.
  bool requiresGrad(const InputSpec &spec) const;

private:
  explicit Archive(Zip zip) : zip(std::move(zip)) {}
  llvm::Error findModel();
  llvm::Expected<llvm::StringMap<Payload>> readPayloads(llvm::StringRef folder, llvm::StringRef name);
  const Payload *find(const InputSpec &spec, llvm::StringRef &folder) const;

  Zip zip;
  std::string root, name; ///< "archive/", "model"
  llvm::StringMap<Payload> weights, constants;
};

/// The type of elements; null where dlc has none for it. Floats of 16 bits are read as float32.
mlir::Type elementTypeOf(int64_t dtype, mlir::MLIRContext &context);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_ARCHIVE_H
