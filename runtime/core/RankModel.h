//===- RankModel.h - what ranks share of an instance ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_RANKMODEL_H
#define DLC_RUNTIME_CORE_RANKMODEL_H

#include "dlc/collectives.h"
#include "runtime/core/Access.h"
#include "runtime/core/DType.h"

namespace dlc::runtime {

/// Whether functions can be called through the table at all.
dlc_status checkCollectives(const dlc_collectives *table, Error &error);

/// The program of an instance that the compiler made for ranks: grad_step weighs a rank's labels, accumulate
/// divides by the weight of all ranks' and computes gradients, apply updates.
class RankModel {
public:
  /// Fails where the program is none, or is not on the host.
  dlc_status find(dlc_instance &instance);

  /// The weight that the rank's labels have, and then those of all; and its share of the loss.
  double &weight() const { return *number(*wholeWeight); }
  double &loss() const { return *number(*partLoss); }
  /// Says at which row of the batch of all ranks this one's begin, which random numbers follow, and how many
  /// rows that batch has, by which means over it divide.
  void setPlace(double first, double rows) const {
    if (firstRow)
      *number(*firstRow) = first;
    if (wholeRows)
      *number(*wholeRows) = rows;
  }
  /// Whether the gradients of several batches can be joined before an update.
  bool addsBatches() const { return gradientWeight || hasGradients; }
  /// The weight of the labels that gradients are the mean over; 0 where they are none.
  double weightOfGradients() const { return gradientWeight ? *number(*gradientWeight) : 0; }
  /// Says what the gradients that are there are to the next batch: of so much weight, or none.
  void beginGradients(bool areNew, double weight) const {
    if (hasGradients)
      *number(*hasGradients) = areNew ? 0 : 1;
    if (gradientWeight)
      *number(*gradientWeight) = areNew ? 0 : weight;
  }
  /// What a batch of other ranks' rows alone, with so much weight, makes of this one's gradients: of several
  /// batches, they are a mean.
  void skipBatch(double weight) const {
    if (!gradientWeight)
      return;
    const double before = *number(*gradientWeight), both = before + weight;
    *number(*gradientWeight) = both;
    if (weight != 0)
      scaleGradients(before / both);
  }
  void scaleGradients(double factor) const;
  /// The state of the random numbers; null where none are drawn.
  void *rng() const {
    return drawn ? instance->device->arena + instance->placementOf(*drawn).offset : nullptr;
  }
  static constexpr size_t rngBytes = 2 * sizeof(int64_t); ///< the seed, and how often numbers were drawn

  /// Calls `visit` with the address and the bytes of what a forward pass changes; ends as forEachRange does.
  template <typename Visit> dlc_status forEachChanged(Visit visit) const {
    for (uint32_t i = 0; i < instance->model->symbol_count; ++i) {
      const dlc_symbol &symbol = instance->model->symbols[i];
      const dlc_placement &place = instance->placementOf(symbol);
      if ((symbol.kind != DLC_RNG && symbol.kind != DLC_BUFFER) || place.bytes == 0)
        continue;
      if (dlc_status status = visit(instance->device->arena + place.offset, static_cast<size_t>(place.bytes)))
        return status;
    }
    return DLC_OK;
  }

  /// Calls `visit` with the address, the dtype and the count of elements of each run of gradients that lie
  /// one behind the other, the space between them included; ends with the first status that is not DLC_OK.
  template <typename Visit> dlc_status forEachRange(Visit visit) const {
    uint64_t begin = 0, end = 0;
    uint32_t dtype = 0, hint = 0;
    auto close = [&]() -> dlc_status {
      if (end == begin)
        return DLC_OK;
      return visit(instance->device->arena + begin, static_cast<int32_t>(dtype),
                   static_cast<int64_t>((end - begin) / dtypeBytes(dtype)));
    };
    const dlc_model &model = *instance->model;
    for (uint32_t i = 0; i < model.symbol_count; ++i) {
      const dlc_symbol *gradient = gradientOf(model.symbols[i], hint);
      if (!gradient)
        continue;
      const dlc_placement &place = instance->placementOf(*gradient);
      constexpr uint64_t alignment = 64;
      const bool goesOn =
          gradient->dtype == dtype && place.offset == (end + alignment - 1) / alignment * alignment;
      if (!goesOn) {
        if (dlc_status status = close())
          return status;
        begin = place.offset;
        dtype = gradient->dtype;
      }
      end = place.offset + place.bytes;
    }
    return close();
  }

private:
  double *number(const dlc_symbol &symbol) const {
    return reinterpret_cast<double *>(instance->device->arena + instance->placementOf(symbol).offset);
  }
  const dlc_symbol *gradientOf(const dlc_symbol &symbol, uint32_t &hint) const {
    return symbol.kind == DLC_PARAMETER && symbol.trainable ? findGradient(*instance->model, symbol, hint)
                                                            : nullptr;
  }

  dlc_instance *instance = nullptr;
  const dlc_symbol *wholeWeight = nullptr, *partLoss = nullptr;
  const dlc_symbol *firstRow = nullptr, *wholeRows = nullptr, *drawn = nullptr,
                   *gradientWeight = nullptr, *hasGradients = nullptr; ///< null in programs without
};

} // namespace dlc::runtime

#endif
