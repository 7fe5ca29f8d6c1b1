//===- Batch.h - the arrays of a call, compared with what the model takes ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_BATCH_H
#define DLC_FRONTENDS_CPP_API_BATCH_H

#include "dlc/abi.h"
#include "dlc/array.h"

namespace dlc::detail {

class Batch {
public:
  enum class Inputs { All, WithoutTargets };
  enum class Rows { UpToBound, Any };

  /// Throws where the number of arrays, a dtype or a shape is not the model's. With `Rows::Any`, the batch
  /// may be larger than its bound if the model's tensors can be cut along it.
  Batch(const dlc_model &model, const std::vector<View> &arrays, Inputs inputs, Rows rows,
        const Where &where);

  /// All sizes of the named dims in the model's order; without such dims, the rows of the only batch there
  /// is.
  int64_t rows() const { return sizes.empty() ? std::max<int64_t>(model.batch, 1) : sizes[0]; }
  const int64_t *otherSizes() const { return sizes.size() > 1 ? sizes.data() + 1 : nullptr; }
  bool isAtBounds() const;
  /// What the runtime takes: a pointer for each of the model's inputs, from the row `first` on.
  std::vector<const void *> pointers(int64_t first = 0) const;
  /// The shape of an output for so many rows.
  std::vector<int64_t> shapeOf(const dlc_output &output, int64_t rows) const;
  /// Rows that go through at once.
  int64_t rowsAtOnce() const { return sizes.empty() ? rows() : std::min(rows(), model.dims[0].bound); }

private:
  void match(const dlc_input &input, const View &array);
  bool isCutByRows(const dlc_axis *axes, uint32_t rank) const;
  int64_t sizeAbove(const dlc_input &input, const View &array, uint32_t d) const;
  [[noreturn]] void refuse(const dlc_input &input, const View &array) const;

  const dlc_model &model;
  std::vector<const View *> given; ///< for each input of the model; null for targets that are not needed
  std::vector<int64_t> sizes;      ///< of the named dims; 0 before one is known
  bool canCut;
  const Where &where;
};

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_BATCH_H
