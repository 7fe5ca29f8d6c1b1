//===- Jacobian.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole derivative of each prediction by each input, as many calls of vjp, which gives a row of all
// matrices of one prediction, or of jvp, which gives a column of all matrices of one input. Rows lie one
// after the other and are written in place; a column is written beside and then taken apart.
//===----------------------------------------------------------------------===//
#include "runtime/core/CallChecks.h"
#include "runtime/core/DType.h"
#include "runtime/core/Guard.h"

#include <cstdio>

namespace dlc::runtime {
namespace {

/// A prediction, or an input by which it is differentiated, and what belongs to it in vjp or jvp.
struct Side {
  uint32_t seed = UINT32_MAX;  ///< number of the input that takes its cotangent or tangent
  uint32_t given = UINT32_MAX; ///< number of the output that gives its tangent or gradient
  uint32_t dtype = 0;
  int64_t count = 0;
  const char *name = nullptr; ///< of the prediction or input
};

/// Writes the number one, of which all dtypes' zeros are bytes of zero.
void setOne(void *to, uint32_t dtype) {
  const float single = 1;
  const double number = 1;
  const uint16_t half = 0x3c00, brain = 0x3f80;
  const void *from = dtype == DLC_F64    ? static_cast<const void *>(&number)
                     : dtype == DLC_F16  ? static_cast<const void *>(&half)
                     : dtype == DLC_BF16 ? static_cast<const void *>(&brain)
                                         : static_cast<const void *>(&single);
  memcpy(to, from, dtypeBytes(dtype));
}

class Jacobian {
public:
  Jacobian(dlc_instance &instance, void *const *matrices) : instance(instance), matrices(matrices) {}

  dlc_status run(int64_t rows, const int64_t *sizes, const void *const *inputs);

private:
  dlc_status choose();
  bool find(dlc_function_kind kind);
  bool makeMemory(const void *const *inputs);
  dlc_status checkMatrices();
  dlc_status fill(size_t seeded);
  dlc_status call();
  void takeApart(size_t seeded, int64_t column);
  bool byRows() const { return function == DLC_VJP; }
  /// The matrix of a pair, where predictions come first.
  char *matrix(size_t prediction, size_t input) const {
    return static_cast<char *>(matrices[prediction * others().size() + input]);
  }
  const Array<Side> &others() const { return byRows() ? results : seeds; } ///< inputs
  const Array<Side> &predictions() const { return byRows() ? seeds : results; }
  size_t bytesOf(const Side &side) const { return static_cast<size_t>(side.count) * dtypeBytes(side.dtype); }

  dlc_instance &instance;
  void *const *matrices;
  dlc_function_kind function = DLC_VJP;
  Array<Side> seeds, results; ///< what is set to ones in turn, and what each of them gives
  Array<const void *> given;  ///< the inputs of each call
  Array<char> memory;         ///< seeds, one after the other, then columns
  Array<char *> places;       ///< ... where each begins
};

/// Takes `kind`, and finds what it takes and gives. False where memory is short.
bool Jacobian::find(dlc_function_kind kind) {
  const dlc_model &model = *instance.model;
  const uint32_t role = kind == DLC_VJP ? DLC_OUTPUT_GRADIENT : DLC_OUTPUT_TANGENT;
  function = kind;
  seeds.allocate(0);
  results.allocate(0);
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (const dlc_input &input = model.inputs[i]; input.taken_by == static_cast<uint32_t>(kind))
      if (!seeds.append({i, UINT32_MAX, input.dtype, elementsOf(instance, input),
                         kind == DLC_VJP ? model.outputs[input.of].name : model.inputs[input.of].name}))
        return false;
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (const dlc_output &output = model.outputs[i]; output.role == role)
      if (!results.append({UINT32_MAX, i, output.dtype, elementsOf(instance, output),
                           kind == DLC_VJP ? model.inputs[output.of].name : model.outputs[output.of].name}))
        return false;
  return true;
}

/// The one that takes fewer calls, where there are both.
dlc_status Jacobian::choose() {
  const dlc_model &model = *instance.model;
  const bool hasRows = model.functions >> DLC_VJP & 1, hasColumns = model.functions >> DLC_JVP & 1;
  if (!hasRows && !hasColumns)
    return instance.error.fail(DLC_UNAVAILABLE, "%s was compiled without a Jacobian", model.name);
  bool isFound = find(hasRows ? DLC_VJP : DLC_JVP);
  if (isFound && hasRows && hasColumns) {
    int64_t ofRows = 0, ofColumns = 0;
    for (const Side &side : seeds)
      ofRows += side.count;
    for (const Side &side : results)
      ofColumns += side.count;
    isFound = ofRows <= ofColumns || find(DLC_JVP);
  }
  if (!isFound)
    return instance.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for a Jacobian", model.name);
  const Array<Side> *const both[] = {&seeds, &results};
  for (const Array<Side> *sides : both)
    for (const Side &side : *sides)
      if (side.dtype != seeds[0].dtype)
        return instance.error.fail(DLC_UNAVAILABLE,
                                   "%s: '%s' and '%s' have other types, and a Jacobian has one", model.name,
                                   side.name, seeds[0].name);
  return DLC_OK;
}

bool Jacobian::makeMemory(const void *const *inputs) {
  constexpr size_t alignment = 64;
  size_t bytes = alignment;
  auto add = [&](const Side &side) { return (bytesOf(side) + alignment - 1) / alignment * alignment; };
  for (const Side &side : seeds)
    bytes += add(side);
  for (const Side &side : results)
    bytes += byRows() ? 0 : add(side);
  const uint32_t count = instance.model->input_count;
  if (!memory.allocate(bytes) || !given.allocate(count) || !places.allocate(seeds.size() + results.size()))
    return false;
  if (inputs)
    memcpy(given.data(), inputs, count * sizeof *inputs);
  char *next = memory.data();
  next += alignment - reinterpret_cast<uintptr_t>(next) % alignment;
  for (size_t i = 0; i < places.size(); ++i) {
    const bool isSeed = i < seeds.size();
    const Side &side = isSeed ? seeds[i] : results[i - seeds.size()];
    places[i] = next;
    next += isSeed || !byRows() ? add(side) : 0;
    if (isSeed)
      given[side.seed] = places[i];
  }
  return true;
}

dlc_status Jacobian::checkMatrices() {
  const size_t wide = others().size(), count = predictions().size() * wide;
  struct Named {
    char name[200];
    Block block;
  };
  auto describe = [&](size_t i, Named &named) {
    const Side &prediction = predictions()[i / wide], &input = others()[i % wide];
    snprintf(named.name, sizeof named.name, "%s by %s", prediction.name, input.name);
    named.block = {"output", named.name, matrices[i], bytesOf(prediction) * static_cast<size_t>(input.count)};
  };
  if (!matrices)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: no memory for the Jacobian", instance.model->name);
  for (size_t i = 0; i < count; ++i) {
    Named one, other;
    describe(i, one);
    if (dlc_status status = checkWritten(instance, function, given.data(), one.block, results[0].dtype))
      return status;
    for (size_t k = 0; k < i; ++k) {
      describe(k, other);
      if (dlc_status status = refuseOverlap(instance, one.block, other.block))
        return status;
    }
  }
  return DLC_OK;
}

dlc_status Jacobian::call() {
  instance.backend->run(*instance.device, function,
                        {given.data(), instance.outputs.data(), instance.dims.data()});
  instance.running = true;
  return settle(instance);
}

/// A column of each matrix of one input, from where jvp has written it.
void Jacobian::takeApart(size_t seeded, int64_t column) {
  const size_t width = dtypeBytes(seeds[seeded].dtype), stride = bytesOf(seeds[seeded]);
  for (size_t p = 0; p < results.size(); ++p) {
    const char *from = places[seeds.size() + p];
    char *to = matrix(p, seeded) + static_cast<size_t>(column) * width;
    for (int64_t row = 0; row < results[p].count; ++row, from += width, to += stride)
      memcpy(to, from, width);
  }
}

/// The rows, or columns, of one seed's matrices.
dlc_status Jacobian::fill(size_t seeded) {
  const Side &seed = seeds[seeded];
  const size_t width = dtypeBytes(seed.dtype);
  for (int64_t k = 0; k < seed.count; ++k) {
    char *one = places[seeded] + static_cast<size_t>(k) * width;
    setOne(one, seed.dtype);
    for (size_t i = 0; i < results.size(); ++i)
      instance.outputs[results[i].given] =
          byRows() ? matrix(seeded, i) + static_cast<size_t>(k) * bytesOf(results[i])
                   : places[seeds.size() + i];
    const dlc_status status = call();
    memset(one, 0, width);
    if (status != DLC_OK)
      return status;
    if (!byRows())
      takeApart(seeded, k);
  }
  return DLC_OK;
}

dlc_status Jacobian::run(int64_t rows, const int64_t *sizes, const void *const *inputs) {
  if (dlc_status status = setSizes(instance, rows, sizes))
    return status;
  if (dlc_status status = choose())
    return status;
  if (!inputs && instance.model->input_count)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: no inputs", instance.model->name);
  if (!makeMemory(inputs))
    return instance.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for a Jacobian", instance.model->name);
  if (dlc_status status = checkInputs(instance, function, given.data()))
    return status;
  if (dlc_status status = checkMatrices())
    return status;
  clearIndexRanges(instance);
  dlc_status status = DLC_OK;
  for (size_t i = 0; i < seeds.size() && status == DLC_OK; ++i)
    status = fill(i);
  for (const Side &result : results)
    instance.outputs[result.given] = nullptr;
  return status == DLC_OK ? checkIndexRanges(instance) : status;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_jacobian(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                            const void *const *inputs, void *const *matrices) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::Jacobian(*instance, matrices).run(rows, sizes, inputs);
}
