//===- RankSteps.cpp - a training step of all ranks --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step of one process on the batch of all ranks: each weighs its labels; all learn the weight of the
// whole; each divides its loss by that, so that its gradients are a share of the whole's, and these are added
// up. What a rank refuses, all refuse, before anything has changed but gradients and the numbers beside them.
//
// Where samples meet, as in batch normalization, ranks add up within `accumulate`, behind launches of its
// table. So all run the same table: that for full batches where all have one, else that for any sizes; and
// a rank without rows goes through it, too, with zeros.
//===----------------------------------------------------------------------===//
#include "runtime/core/CallChecks.h"
#include "runtime/core/Collective.h"
#include "runtime/core/Guard.h"
#include "runtime/core/RankModel.h"

#include <cinttypes>
#include <cstring>

namespace dlc::runtime {

namespace {

class RankStep {
public:
  RankStep(dlc_instance &instance, const dlc_collectives &collectives, int64_t rows,
           const void *const *inputs)
      : instance(instance), ranks(collectives, instance.error), rows(rows), inputs(inputs),
        thisRank(collectives.rank) {}

  ~RankStep() {
    instance.ranks = nullptr;
    instance.takesOpenForms = false;
  }

  /// The gradients of a batch: its own, or joined with those of the batches before.
  dlc_status addGradients(bool areNew) {
    instance.ranks = &ranks;
    if (dlc_status status = weigh(areNew))
      return status;
    if (dlc_status status = compute(areNew))
      return status;
    instance.hasGradients = instance.keepsGradients = instance.hasShare = true;
    tell();
    return DLC_OK;
  }

  /// The update with the gradients of all ranks.
  dlc_status apply() {
    if (!instance.hasShare)
      return instance.error.fail(DLC_UNAVAILABLE, "%s: the ranks have no gradients, call rank_grad_step first",
                                 instance.model->name);
    if (dlc_status status = model.find(instance))
      return status;
    const dlc_status status = model.forEachRange(
        [&](void *values, int32_t dtype, int64_t count) { return ranks.allReduce(dtype, values, count); });
    if (status != DLC_OK)
      return status;
    instance.hasShare = false;
    return dlc_instance_apply(&instance); // the same on all ranks, as the gradients have the same bits
  }

  /// Lets the instance say of the last batch what the loss of a call that trains says.
  void tell() {
    instance.loss = loss();
    instance.metrics = metrics();
    instance.hasLoss = true;
    instance.hasMetrics = instance.tellsMetrics;
  }

  float loss() const { return static_cast<float>(sums[Loss]); }
  dlc_metrics metrics() const {
    return {sums[LossSum], sums[LossWeight], static_cast<int64_t>(sums[Correct]),
            static_cast<int64_t>(sums[Count])};
  }

private:
  dlc_status check(bool areNew) {
    if (dlc_status status = refuseAverage(instance))
      return status;
    if (dlc_status status = model.find(instance))
      return status;
    if (!areNew && !model.addsBatches())
      return instance.error.fail(DLC_UNAVAILABLE,
                                 "%s: a rank's gradients of several batches are joined where the model was compiled "
                                 "with --accumulate",
                                 instance.model->name);
    if (!areNew && !instance.hasShare)
      return instance.error.fail(DLC_UNAVAILABLE, "%s: the ranks have no gradients, call rank_grad_step first",
                                 instance.model->name);
    const int64_t batch = instance.model->batch;
    if (rows < 0 || (rows != 0 && !takesAnyRows() && rows != batch))
      return instance.error.fail(
          DLC_INVALID_ARGUMENT,
          "%" PRId64 " rows, expected %" PRId64 " or none, as training was compiled for", rows, batch);
    return DLC_OK;
  }

  bool takesAnyRows() const { return (instance.model->functions >> DLC_GRAD_STEP_N & 1) != 0; }

  /// One of the rank's own functions, which does nothing where it has no rows.
  dlc_status call(dlc_status (*whole)(dlc_instance *, const void *const *, float *),
                  dlc_status (*any)(dlc_instance *, int64_t, const int64_t *, const void *const *, float *)) {
    if (rows == 0)
      return DLC_OK;
    float ignored = 0;
    return takesAnyRows() ? any(&instance, rows, nullptr, inputs, &ignored)
                          : whole(&instance, inputs, &ignored);
  }

  dlc_status weighOwn(bool areNew) {
    if (dlc_status status = check(areNew))
      return status;
    const bool hadGradients = instance.hasGradients, keptGradients = instance.keepsGradients;
    instance.stepLoss = 0; // which this part does not give, and which is looked at
    weightBefore = model.weightOfGradients();
    dlc_status status = call(dlc_instance_grad_step, dlc_instance_grad_step_n);
    model.beginGradients(areNew, weightBefore);
    if (status == DLC_OK && rows > 0)
      status = prepareShare(instance, takesAnyRows(), rows, inputs);
    instance.hasGradients = hadGradients; // there are no new ones yet
    instance.keepsGradients = keptGradients;
    return status;
  }

  dlc_status weigh(bool areNew) {
    const dlc_status own = weighOwn(areNew);
    enum { Rows, Weight, PartsNotFull, Numbers };
    double all[Numbers] = {static_cast<double>(rows)}, before = 0;
    all[Weight] = own == DLC_OK && rows > 0 ? model.weight() : 0;
    all[PartsNotFull] = rows != instance.model->batch;
    if (dlc_status status = ranks.agree(own, all, Numbers, &before)) {
      model.beginGradients(/*areNew=*/false, weightBefore); // those that are there are as they were
      return status;
    }
    const int64_t bound = instance.model->batch * ranks.count();
    if (instance.model->dim_count && all[Rows] > 0)
      if (dlc_status status = checkLeast(instance, 0, static_cast<int64_t>(all[Rows]), bound))
        return status; // which all find
    isFirstWithRows = rows > 0 && before == 0;
    instance.takesOpenForms = takesAnyRows() && all[PartsNotFull] > 0;
    model.setPlace(before, all[Rows]);
    model.weight() = all[Weight];
    return DLC_OK;
  }

  dlc_status compute(bool areNew) {
    unsigned char rngBefore[RankModel::rngBytes];
    if (model.rng())
      memcpy(rngBefore, model.rng(), sizeof rngBefore);
    const dlc_status status = computeOwn(areNew);
    if (ranks.isLost())
      return status;
    if (status != DLC_OK && rows > 0) // another rank has refused
      restoreState(instance);
    if (status != DLC_OK && model.rng())
      memcpy(model.rng(), rngBefore, sizeof rngBefore);
    if (status == DLC_OK && rows == 0)
      model.skipBatch(sums[WholeWeight]);
    if (status != DLC_OK || sums[WithoutRows] == 0 || sums[WithoutRows] == ranks.count())
      return status;
    // Ranks with rows have drawn random numbers and changed running statistics: the others go on from these.
    return model.forEachChanged([&](void *data, size_t bytes) {
      return ranks.broadcast(data, bytes, static_cast<int32_t>(sums[FirstWithRows]));
    });
  }

  /// What a rank without rows has to do with the sums of the others.
  void takePartInSums() {
    const CallMemory memory = {nullptr, nullptr, instance.dims.data(), &ranks, /*hasRows=*/false};
    instance.backend->run(*instance.device, takesAnyRows() ? DLC_ACCUMULATE_N : DLC_ACCUMULATE, memory);
  }

  dlc_status computeOwn(bool areNew) {
    if (rows == 0 && areNew)
      model.forEachRange([](void *values, int32_t dtype, int64_t count) {
        memset(values, 0, static_cast<size_t>(count) * dtypeBytes(static_cast<uint32_t>(dtype)));
        return DLC_OK;
      });
    if (rows == 0)
      takePartInSums();
    const dlc_status own = call(dlc_instance_accumulate, dlc_instance_accumulate_n);
    if (ranks.isLost())
      return DLC_DEVICE_FAILED; // with the sentence
    for (double &sum : sums)
      sum = 0;
    sums[WithoutRows] = rows == 0;
    sums[FirstWithRows] = isFirstWithRows ? thisRank : 0;
    sums[WholeWeight] = own == DLC_OK && isFirstWithRows ? model.weight() : 0;
    if (own == DLC_OK && rows > 0) {
      sums[Loss] = model.loss();
      if (instance.tellsMetrics) {
        const dlc_metrics &told = instance.metrics;
        sums[LossSum] = told.loss_sum;
        sums[LossWeight] = told.loss_weight;
        sums[Correct] = static_cast<double>(told.correct);
        sums[Count] = static_cast<double>(told.count);
      }
    }
    return ranks.agree(own, sums, Sums);
  }

  enum { Loss, LossSum, LossWeight, Correct, Count, WithoutRows, FirstWithRows, WholeWeight, Sums };

  dlc_instance &instance;
  Collective ranks;
  RankModel model;
  const int64_t rows;
  const void *const *inputs;
  const int32_t thisRank;
  bool isFirstWithRows = false;
  double weightBefore = 0; ///< of the gradients that are there
  double sums[Sums] = {};
};

dlc_status addGradients(dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                        const void *const *inputs, bool areNew, bool update, float *loss,
                        dlc_metrics *metrics) {
  if (loss)
    *loss = 0;
  if (metrics)
    *metrics = dlc_metrics{};
  if (!instance)
    return DLC_INVALID_ARGUMENT;
  if (dlc_status status = checkCollectives(collectives, instance->error))
    return status;
  // The calls that it is made of each take the handle.
  RankStep step(*instance, *collectives, rows, inputs);
  if (dlc_status status = step.addGradients(areNew))
    return status;
  if (update) {
    if (dlc_status status = step.apply())
      return status;
    step.tell(); // which the update has made that of nothing
  }
  if (loss)
    *loss = step.loss();
  if (metrics)
    *metrics = step.metrics();
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_instance_rank_step(dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                                  const void *const *inputs, float *loss, dlc_metrics *metrics) {
  return dlc::runtime::addGradients(instance, collectives, rows, inputs, /*areNew=*/true, /*update=*/true, loss,
                                    metrics);
}

dlc_status dlc_instance_rank_grad_step(dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                                       const void *const *inputs, float *loss, dlc_metrics *metrics) {
  return dlc::runtime::addGradients(instance, collectives, rows, inputs, /*areNew=*/true, /*update=*/false, loss,
                                    metrics);
}

dlc_status dlc_instance_rank_accumulate(dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                                        const void *const *inputs, float *loss, dlc_metrics *metrics) {
  return dlc::runtime::addGradients(instance, collectives, rows, inputs, /*areNew=*/false, /*update=*/false, loss,
                                    metrics);
}

dlc_status dlc_instance_rank_apply(dlc_instance *instance, const dlc_collectives *collectives) {
  if (!instance)
    return DLC_INVALID_ARGUMENT;
  if (dlc_status status = dlc::runtime::checkCollectives(collectives, instance->error))
    return status;
  return dlc::runtime::RankStep(*instance, *collectives, /*rows=*/0, /*inputs=*/nullptr).apply();
}

} // extern "C"
