//===- DataSet.cpp - samples in the order of the model's inputs ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/DataSet.h"
#include "dlc/data.h"

namespace dlc::tool::training {

namespace {

std::string describe(const dlc_input &input) {
  return std::string("'") + input.name + "' (" + rowText(input.rank, input.shape) + ", " +
         dtypeName(input.dtype) + ")";
}

bool isOnly(const dlc_model &model, const dlc_input &input) {
  int count = 0;
  for (uint32_t i = 0; i < model.input_count; ++i)
    count += model.inputs[i].is_target == input.is_target;
  return count == 1;
}

Array readInput(const dlc_model &model, const dlc_input &input,
                const std::vector<std::unique_ptr<Source>> &sources, const std::string &what) {
  const Wanted wanted = {input, isOnly(model, input)};
  Source *chosen = nullptr;
  std::string place, known;
  for (const std::unique_ptr<Source> &source : sources) {
    known += (known.empty() ? "" : "; ") + source->contents();
    const std::optional<std::string> found = source->place(wanted);
    if (found && chosen)
      throw Failure(what + ": two of the files have values for " + (input.is_target ? "target " : "input ") +
                    describe(input) + ": " + place + " and " + *found);
    if (found) {
      chosen = source.get();
      place = *found;
    }
  }
  if (!chosen)
    throw Failure(what + " has nothing for " + (input.is_target ? "target " : "input ") + describe(input) +
                  " of the model; it has " + known +
                  (input.is_target ? "; --target=COLUMN names the target in a table"
                                   : "; --data=NAME=FILE names the input that a file is for"));
  Array array = chosen->read(wanted);
  return fitTo(input, std::move(array), place);
}

} // namespace

DataSet readDataSet(const dlc_model &model, const std::vector<std::unique_ptr<Source>> &sources,
                    const std::string &what) {
  DataSet data;
  if (sources.empty())
    return data;
  data.arrays = std::make_shared<std::vector<Array>>();
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    const Array &array = data.arrays->emplace_back(readInput(model, input, sources, what));
    if (array.samples() != data.samples())
      throw Failure(what + ": " + std::to_string(array.samples()) + " samples for " + describe(input) +
                    ", but " + std::to_string(data.samples()) + " for " + describe(model.inputs[0]));
  }
  return data;
}

DataSet splitOff(DataSet &data, double fraction, uint64_t seed) {
  const int64_t samples = data.samples(), split = static_cast<int64_t>(double(samples) * fraction);
  if (split == 0)
    throw Failure("--valid: " + std::to_string(fraction) + " of " + std::to_string(samples) +
                  " samples is none");
  std::vector<int64_t> order(static_cast<size_t>(samples));
  if (dlc_split(samples, seed, order.data()) != DLC_OK)
    throw Failure("--valid: the samples cannot be split");
  DataSet part{data.arrays, {order.begin(), order.begin() + split}};
  data.part.assign(order.begin() + split, order.end());
  return part;
}

int64_t batchRows(const dlc_model &model) {
  if (model.input_count == 0)
    throw Failure("the model has no inputs, so there is nothing to train it with");
  const int64_t rows = model.batch > 0 ? model.batch : model.inputs[0].rank ? model.inputs[0].shape[0] : 0;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    const dlc_axis *first = input.axes;
    const bool isOpen = first && first->dim_count > 0,
               isBatch = isOpen && first->dim_count == 1 && first->dims[0] == 0 && first->factor == 1;
    if (input.rank == 0 || input.shape[0] != rows || (isOpen && !isBatch))
      throw Failure(
          "the first axis of input " + describe(input) +
          " does not count the samples of a batch, as it does in all inputs of a model that dlc train "
          "can train; write a program for this model (docs/c-api.md)");
  }
  return rows;
}

Batches::Batches(const DataSet &data, int64_t rows, bool dropLast, bool shuffle, uint64_t seed)
    : pointers(data.arrays->size()) {
  std::vector<const dlc_array *> arrays;
  for (const Array &array : *data.arrays)
    arrays.push_back(array.get());
  char error[512];
  dlc_loader_options options = {};
  options.struct_size = sizeof options;
  options.batch = rows;
  options.seed = seed;
  options.shuffle = shuffle;
  options.drop_last = dropLast;
  options.threads = 1;
  options.samples = data.part.empty() ? nullptr : data.part.data();
  options.sample_count = static_cast<int64_t>(data.part.size());
  options.error = error;
  options.error_bytes = sizeof error;
  if (dlc_loader_create(arrays.data(), int32_t(arrays.size()), &options, &loader) != DLC_OK)
    throw Failure(std::string("cannot make batches of the data: ") + error);
}

void Batches::start(int64_t epoch, int64_t batch) {
  if (dlc_loader_start_at(loader, epoch, batch) != DLC_OK)
    throw Failure("the checkpoint is at batch " + std::to_string(batch) + " of an epoch, which has " +
                  std::to_string(count()));
}

int64_t Batches::next() {
  int64_t rows = 0;
  if (dlc_loader_next(loader, &rows, pointers.data()) != DLC_OK)
    throw Failure("cannot gather a batch");
  return rows;
}

} // namespace dlc::tool::training
