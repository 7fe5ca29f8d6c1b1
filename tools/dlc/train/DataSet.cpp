//===- DataSet.cpp - samples in the order of the model's inputs ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/DataSet.h"
#include "tools/dlc/train/Train.h"
#include <algorithm>
#include <cstring>
#include <thread>

namespace dlc::tool::training {

std::string describe(const dlc_input &input) {
  return std::string("'") + input.name + "' (" + rowText(input.rank, input.shape) + ", " +
         dtypeName(input.dtype) + ")";
}

namespace {

bool isOnly(const dlc_model &model, const dlc_input &input) {
  int count = 0;
  for (uint32_t i = 0; i < model.input_count; ++i)
    count += model.inputs[i].is_target == input.is_target;
  return count == 1;
}

bool hasTarget(const dlc_model &model) {
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (model.inputs[i].is_target)
      return true;
  return false;
}

/// Rows of 0 and 1 for labels, where the model has a number for each class as its target.
Array asRows(const dlc_input &input, Array labels, const std::string &place) {
  const bool isLabels = labels->dtype == DLC_I64 || labels->dtype == DLC_I32;
  const int64_t count = input.rank == 2 ? input.shape[1] : 0;
  if (!input.is_target || input.dtype != DLC_F32 || !isLabels || count < 2 ||
      labels.elements() != labels.samples())
    return labels;
  Array rows;
  rows->dtype = DLC_F32;
  rows->rank = 2;
  rows->shape[0] = labels.samples();
  rows->shape[1] = count;
  rows->bytes = size_t(labels.samples() * count) * sizeof(float);
  rows->data = std::calloc(size_t(labels.samples() * count), sizeof(float));
  if (!rows->data)
    throw Failure(place + ": no memory for its labels");
  for (int64_t i = 0; i < labels.samples(); ++i) {
    const int64_t label = labels->dtype == DLC_I64 ? static_cast<const int64_t *>(labels->data)[i]
                                                   : static_cast<const int32_t *>(labels->data)[i];
    if (label < 0 || label >= count)
      throw Failure(place + ": sample " + std::to_string(i + 1) + " is of class " + std::to_string(label) +
                    ", but target " + describe(input) + " of the model has the classes 0 to " +
                    std::to_string(count - 1));
    static_cast<float *>(rows->data)[i * count + label] = 1;
  }
  return rows;
}

/// The largest of an array's integers, where they may be pixels: from 0 to 255, and not all of them 0 or 1.
/// Else 0.
template <typename T> T largestPixel(const dlc_array &array) {
  const auto *values = static_cast<const T *>(array.data);
  const auto [low, high] = std::minmax_element(values, values + array.bytes / sizeof(T));
  return array.bytes > 0 && *low >= 0 && *high > 1 && *high <= 255 ? *high : 0;
}

/// Integers of an array are numbers like others; those of image files are read as numbers from 0 to 1.
void remarkOnPixels(Column &column, const dlc_array &values) {
  const int64_t largest = values.dtype == DLC_I64   ? largestPixel<int64_t>(values)
                          : values.dtype == DLC_I32 ? largestPixel<int32_t>(values)
                          : values.dtype == DLC_U8  ? largestPixel<uint8_t>(values)
                                                    : 0;
  if (largest > 0 && column.input->dtype == DLC_F32 && !column.input->is_target && column.names.empty())
    column.remark =
        column.place + ": its integers, up to " + std::to_string(largest) +
        ", are taken as they are, where those of image files (PNG, JPEG, IDX, CIFAR) are divided by "
        "255; --normalize brings either to mean 0";
}

Column readInput(const dlc_model &model, const dlc_input &input,
                 const std::vector<std::unique_ptr<Source>> &sources, const std::string &what,
                 SampleMemory &memory, const Column *like) {
  const Wanted wanted = {input, isOnly(model, input), hasTarget(model),
                         like ? like->names : std::vector<std::string>()};
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
                  (input.is_target ? "; --target=COLUMN names the target in a table, --data=" : "; --data=") +
                  input.name + "=FILE gives it a file");
  Column column{&input,
                place,
                {},
                chosen->open(wanted),
                chosen->columnNames(wanted),
                chosen->remark(wanted),
                chosen->sampleNames(),
                {}};
  if (column.rows && !memory.holds(column.rows->count(), input)) {
    const dlc_field field = column.rows->field();
    std::vector<int64_t> shape = {column.rows->count()};
    shape.insert(shape.end(), field.shape, field.shape + field.rank);
    checkShape(input, int64_t(shape.size()), shape.data(), place);
  } else {
    const bool isWhole = !column.rows;
    column.rows = nullptr;
    Array values = chosen->read(wanted);
    remarkOnPixels(column, *values.get());
    const int64_t given = values.elements();
    values = asRows(input, std::move(values), place);
    column.isOfLabels = values.elements() != given;
    column.array = fitTo(input, std::move(values), place);
    if (isWhole) // it counts, whether there is room or not
      memory.holds(column.array.samples(), input);
  }
  return column;
}

/// For the loader, which knows no exceptions.
dlc_status getSample(void *context, int64_t sample, const dlc_sample *to) {
  const auto &columns = *static_cast<const std::vector<Column> *>(context);
  try {
    for (size_t i = 0; i < columns.size(); ++i)
      readSample(columns[i], sample, to->fields[i]);
    return DLC_OK;
  } catch (const std::exception &error) {
    to->error[std::string(error.what()).copy(to->error, to->error_bytes - 1)] = 0;
    return DLC_BAD_FILE;
  }
}

} // namespace

void readSample(const Column &column, int64_t sample, void *to) {
  const size_t elements = size_t(elementCount(column.input->rank - 1, column.input->shape + 1));
  if (!column.rows) {
    const size_t bytes = elements * elementBytes(column.input->dtype);
    std::memcpy(to, static_cast<const char *>(column.array->data) + size_t(sample) * bytes, bytes);
  } else {
    const dlc_field field = column.rows->field();
    std::vector<char> values(elements * elementBytes(uint32_t(field.dtype)));
    column.rows->read(sample, values.data());
    const dlc_array row = {field.dtype, 1, {1}, values.size(), values.data()};
    fitRow(*column.input, row, to, column.place, sample);
  }
  if (column.scales.empty())
    return;
  auto *numbers = static_cast<float *>(to);
  const size_t length = elements / column.scales.size();
  for (size_t i = 0; i < elements; ++i)
    numbers[i] = column.scales[i / length].of(numbers[i]);
}

DataSet readDataSet(const dlc_model &model, const std::vector<std::unique_ptr<Source>> &sources,
                    const std::string &what, SampleMemory &memory, bool withTargets, const DataSet *like) {
  DataSet data;
  if (sources.empty())
    return data;
  data.columns = std::make_shared<std::vector<Column>>();
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    if (input.is_target && !withTargets)
      continue;
    const Column *other = like ? &like->columns->at(data.columns->size()) : nullptr;
    const Column &column = data.columns->emplace_back(readInput(model, input, sources, what, memory, other));
    if (column.samples() != data.samples())
      throw Failure(what + ": " + std::to_string(column.samples()) + " samples for " + describe(input) +
                    ", but " + std::to_string(data.samples()) + " for " +
                    describe(*data.columns->front().input));
  }
  return data;
}

void requireProbabilities(const DataSet &data, const ModelInMemory &compiled) {
  if (!compiled.isBinary() || !data.columns)
    return;
  for (const Column &column : *data.columns) {
    if (!column.input->is_target || column.input->dtype != DLC_F32 || column.rows)
      continue;
    const auto *values = static_cast<const float *>(column.array->data);
    const int64_t count = column.array.elements(), samples = column.array.samples();
    for (int64_t i = 0; i < count; ++i)
      if (values[i] < 0 || values[i] > 1)
        throw Failure(
            column.place + ": the target of sample " + std::to_string(i / (count / samples) + 1) + " is " +
            digitsOf(values[i]) + ", and the loss " + compiled.loss +
            " takes probabilities, from 0 to 1; for classes from 0 on take a model with a score for "
            "each, and cross entropy");
  }
}

DataSet splitOff(DataSet &data, double fraction, uint64_t seed) {
  const int64_t samples = data.samples(), split = static_cast<int64_t>(double(samples) * fraction);
  if (split == 0)
    throw Failure("--valid: " + std::to_string(fraction) + " of " + std::to_string(samples) +
                  " samples is none");
  std::vector<int64_t> order(static_cast<size_t>(samples));
  if (dlc_split(samples, seed, order.data()) != DLC_OK)
    throw Failure("--valid: the samples cannot be split");
  DataSet part{data.columns, {order.begin(), order.begin() + split}, std::nullopt};
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

Batches::Batches(const DataSet &data, int64_t rows, bool dropLast, bool shuffle, uint64_t seed,
                 ThisRank thisRank)
    : columns(data.columns), pointers(data.columns->size()) {
  char error[512];
  dlc_loader_options options = {};
  options.struct_size = sizeof options;
  options.batch = rows;
  options.seed = seed;
  options.shuffle = shuffle;
  options.drop_last = dropLast;
  options.rank = thisRank.rank;
  options.ranks = thisRank.ranks;
  // Samples that come from files one by one may take long to make, such as images.
  const bool hasRows =
      std::any_of(columns->begin(), columns->end(), [](const Column &c) { return bool(c.rows); });
  options.threads = hasRows ? int32_t(std::clamp(std::thread::hardware_concurrency(), 1u, 8u)) : 1;
  options.samples = data.part.empty() ? nullptr : data.part.data();
  options.sample_count = static_cast<int64_t>(data.part.size());
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_augmentation augmentation = {};
  if (const std::optional<Augmentation> &wanted = data.augmentation) {
    augmentation = {wanted->input, 0, 0, 0, wanted->black.empty() ? nullptr : wanted->black.data()};
    options.augmentation = &augmentation;
    options.changes = wanted->changes.c_str();
    options.white = wanted->white.empty() ? nullptr : wanted->white.data();
    options.mixed = wanted->mixed.data();
    options.mixed_count = int32_t(wanted->mixed.size());
  }
  if (create(data, options) != DLC_OK)
    throw Failure(std::string("cannot make batches of the data: ") + error);
}

dlc_status Batches::create(const DataSet &data, const dlc_loader_options &options) {
  std::vector<const dlc_array *> arrays;
  std::vector<dlc_field> fields;
  for (const Column &column : *columns) {
    if (!column.rows && column.scales.empty())
      arrays.push_back(column.array.get());
    dlc_field &field = fields.emplace_back();
    field.dtype = int32_t(column.input->dtype);
    field.rank = int32_t(column.input->rank) - 1;
    std::copy_n(column.input->shape + 1, field.rank, field.shape);
  }
  if (arrays.size() == columns->size())
    return dlc_loader_create(arrays.data(), int32_t(arrays.size()), &options, &loader);
  dlc_dataset samples = {};
  samples.samples = data.columns->front().samples();
  samples.field_count = int32_t(fields.size());
  samples.fields = fields.data();
  samples.get = getSample;
  samples.context = data.columns.get();
  return dlc_loader_create_dataset(&samples, &options, &loader);
}

void Batches::start(int64_t epoch, int64_t batch) {
  if (dlc_loader_start_at(loader, epoch, batch) != DLC_OK)
    throw Failure("the checkpoint is at batch " + std::to_string(batch) + " of an epoch, which has " +
                  std::to_string(count()));
}

int64_t Batches::next() {
  int64_t rows = 0;
  if (dlc_loader_next(loader, &rows, pointers.data()) != DLC_OK)
    throw Failure(dlc_loader_last_error(loader));
  return rowsNow = rows;
}

} // namespace dlc::tool::training
