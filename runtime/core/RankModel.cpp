//===- RankModel.cpp - what ranks share of an instance ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the first step: whether all ranks have the same model in the same form, and the state of rank 0 for
// all of them.
//===----------------------------------------------------------------------===//
#include "runtime/core/RankModel.h"
#include "runtime/core/Collective.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace dlc::runtime {

namespace {

/// The compiler's names (compiler/support/GradientWeight.h).
constexpr char wholeWeightName[] = "whole_weight", partLossName[] = "part_loss", firstRowName[] = "first_row",
               wholeRowsName[] = "whole_rows", gradientWeightName[] = "gradient_weight",
               hasGradientsName[] = "has_gradients";

const dlc_symbol *findNumber(const dlc_model &model, const char *name) {
  const dlc_symbol *symbol = findSymbol(model, name, 1u << DLC_GRADIENT);
  return symbol && symbol->dtype == DLC_F64 && symbol->rank == 0 ? symbol : nullptr;
}

/// What must be the same on all ranks, of one size.
struct Card {
  char name[64];
  uint64_t fingerprint, form;
  uint32_t abi, features;
  int64_t batch;
};

/// FNV-1a, of bytes one after the other.
struct Hash {
  uint64_t value = 0xcbf29ce484222325u;
  template <typename Number> void add(Number number) {
    unsigned char bytes[sizeof number];
    memcpy(bytes, &number, sizeof number);
    for (unsigned char byte : bytes)
      value = (value ^ byte) * 0x100000001b3u;
  }
};

/// Where tensors lie and what runs on them: gradients are added up as they lie, and other kernels round
/// otherwise.
uint64_t formOf(const dlc_instance &instance) {
  const dlc_model &model = *instance.model;
  const dlc_target &target = *instance.target;
  Hash hash;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_placement &place = target.placements[i];
    hash.add(model.symbols[i].kind);
    hash.add(place.offset);
    hash.add(place.bytes);
    hash.add(place.panel);
    for (uint32_t dim = 0; place.permutation && dim < model.symbols[i].rank; ++dim)
      hash.add(place.permutation[dim]);
  }
  for (uint32_t i = 0; i < target.kernel_count; ++i)
    hash.add(target.kernels[i].chunks);
  for (dlc_function_kind kind :
       {DLC_GRAD_STEP, DLC_ACCUMULATE, DLC_APPLY, DLC_GRAD_STEP_N, DLC_ACCUMULATE_N}) {
    if (!(model.functions >> kind & 1))
      continue;
    const dlc_function &function = target.functions[kind];
    for (uint32_t i = 0; i < function.place_count; ++i)
      hash.add(function.places[i]);
    for (uint32_t i = 0; i < function.launch_count; ++i) { // sums over ranks are in their order
      hash.add(function.launches[i].kernel);
      hash.add(function.launches[i].copy_size);
    }
  }
  return hash.value;
}

dlc_status compareCards(dlc_instance &instance, Collective &ranks) {
  const dlc_model &model = *instance.model;
  Card own = {};
  snprintf(own.name, sizeof own.name, "%s", model.name);
  own.fingerprint = model.fingerprint;
  own.form = formOf(instance);
  own.abi = model.abi_version;
  own.features = instance.target->features;
  own.batch = model.batch;
  Card first = own;
  if (dlc_status status = ranks.broadcast(&first, sizeof first, 0))
    return status;
  first.name[sizeof first.name - 1] = 0;
  const char *what = strcmp(first.name, own.name) != 0      ? "name"
                     : first.abi != own.abi                 ? "ABI version"
                     : first.fingerprint != own.fingerprint ? "interface"
                     : first.batch != own.batch             ? "part of a batch"
                     : first.features != own.features       ? "set of CPU instructions"
                     : first.form != own.form               ? "form in memory"
                                                            : nullptr;
  if (!what)
    return ranks.agree(DLC_OK);
  return ranks.agree(instance.error.fail(
      DLC_INVALID_ARGUMENT,
      "its model '%s' (fingerprint %016" PRIx64 ", instructions %x) has another %s than that of rank 0, '%s' "
      "(fingerprint %016" PRIx64
      ", instructions %x): give all ranks the same file and options, the same dlc, and "
      "with machines of several kinds --cpu=NAME",
      own.name, own.fingerprint, own.features, what, first.name, first.fingerprint, first.features));
}

bool isState(const dlc_symbol &symbol) { return symbol.kind != DLC_GRADIENT && symbol.kind != DLC_CONSTANT; }

dlc_status shareState(dlc_instance &instance, Collective &ranks) {
  const dlc_model &model = *instance.model;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_placement &place = instance.target->placements[i];
    if (!isState(model.symbols[i]) || place.bytes == 0)
      continue;
    if (dlc_status status = ranks.broadcast(instance.device->arena + place.offset, place.bytes, 0))
      return status;
  }
  return DLC_OK;
}

} // namespace

dlc_status checkCollectives(const dlc_collectives *table, Error &error) {
  if (!table)
    return error.fail(DLC_INVALID_ARGUMENT, "the table of collectives is NULL");
  if (table->struct_size == sizeof *table && table->rank >= 0 && table->rank < table->ranks)
    return DLC_OK;
  return error.fail(
      DLC_INVALID_ARGUMENT,
      "the table of collectives has %zu bytes and is that of rank %d of %d: expected %zu bytes, and a "
      "rank from 0, below the number of ranks",
      table->struct_size, table->rank, table->ranks, sizeof *table);
}

void RankModel::scaleGradients(double factor) const {
  forEachRange([&](void *values, int32_t dtype, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if (dtype == DLC_F64)
        static_cast<double *>(values)[i] *= factor;
      else
        static_cast<float *>(values)[i] *= static_cast<float>(factor);
    return DLC_OK;
  });
}

dlc_status RankModel::find(dlc_instance &of) {
  instance = &of;
  const dlc_model &model = *of.model;
  wholeWeight = findNumber(model, wholeWeightName);
  partLoss = findNumber(model, partLossName);
  firstRow = findNumber(model, firstRowName);
  wholeRows = findNumber(model, wholeRowsName);
  gradientWeight = findNumber(model, gradientWeightName);
  hasGradients = findNumber(model, hasGradientsName);
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (model.symbols[i].kind == DLC_RNG)
      drawn = &model.symbols[i];
  if (!wholeWeight || !partLoss || !(model.functions >> DLC_ACCUMULATE & 1))
    return of.error.fail(DLC_UNAVAILABLE, "%s was not compiled for ranks", model.name);
  if (of.backend->kind != DLC_TARGET_CPU)
    return of.error.fail(DLC_UNAVAILABLE, "%s: ranks train on CPUs only: leave --device away", model.name);
  return forEachRange([&](void *, int32_t dtype, int64_t) {
    return dtype == DLC_F32 || dtype == DLC_F64
               ? DLC_OK
               : of.error.fail(DLC_UNAVAILABLE, "%s: a gradient is %s, ranks add up F32 and F64", model.name,
                               dtypeName(static_cast<uint32_t>(dtype)));
  });
}

} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_join_ranks(dlc_instance *instance, const dlc_collectives *collectives) {
  using namespace dlc::runtime;
  Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = checkCollectives(collectives, instance->error))
    return status;
  Collective ranks(*collectives, instance->error);
  RankModel model;
  dlc_status own = refuseAverage(*instance);
  if (own == DLC_OK)
    own = model.find(*instance);
  if (dlc_status status = ranks.agree(own))
    return status;
  if (dlc_status status = settle(*instance))
    return status;
  if (dlc_status status = compareCards(*instance, ranks))
    return status;
  return shareState(*instance, ranks);
}
