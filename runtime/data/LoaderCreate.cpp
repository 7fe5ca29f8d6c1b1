//===- LoaderCreate.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what a loader is made of, and makes it.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Options.h"
#include "runtime/data/Loader.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

constexpr int32_t maxLoaderThreads = 256, maxPrefetch = 65536;

dlc_status addSources(dlc_loader &loader, const dlc_array *const *arrays, int32_t count, Error &error) {
  if (!arrays || count < 1 || count > maxLoaderArrays)
    return error.fail(DLC_INVALID_ARGUMENT, "%d arrays, expected 1 to %d", count, maxLoaderArrays);
  for (int32_t i = 0; i < count; ++i) {
    const dlc_array *array = arrays[i];
    int64_t elements = 0;
    if (!array || !array->data || array->rank < 1 || array->rank > static_cast<int32_t>(maxRank) ||
        !dtypeBytes(static_cast<uint32_t>(array->dtype)) ||
        !elementCount(static_cast<uint32_t>(array->rank), array->shape, elements) || elements == 0 ||
        array->bytes / dtypeBytes(static_cast<uint32_t>(array->dtype)) != static_cast<size_t>(elements))
      return error.fail(DLC_INVALID_ARGUMENT, "array %d is empty, or its shape, dtype and bytes do not agree",
                        i);
    if (i == 0)
      loader.samples = array->shape[0];
    else if (array->shape[0] != loader.samples)
      return error.fail(DLC_INVALID_ARGUMENT, "array %d has %" PRId64 " samples, array 0 has %" PRId64, i,
                        array->shape[0], loader.samples);
    Source source = {static_cast<const unsigned char *>(array->data),
                     array->bytes / static_cast<size_t>(loader.samples), 0, nullptr, false};
    if (!loader.sources.append(source))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  }
  return DLC_OK;
}

/// The samples of a field as an array, but for its elements.
dlc_array samplesOf(const dlc_field &field, int64_t samples) {
  dlc_array array = {};
  array.dtype = field.dtype;
  array.rank = field.rank + 1;
  array.shape[0] = samples;
  for (int32_t i = 0; i < field.rank && i < static_cast<int32_t>(maxRank) - 1; ++i)
    array.shape[i + 1] = field.shape[i];
  return array;
}

dlc_array arrayOf(const dlc_loader &loader, const dlc_array *const *arrays, size_t index) {
  return arrays ? *arrays[index] : samplesOf(loader.fields[index], loader.samples);
}

/// The targets that are mixed with the images.
dlc_status addMixed(dlc_loader &loader, const dlc_array *const *arrays, const dlc_loader_options &options,
                    Error &error) {
  const bool mixes = loader.augment.all().mixes();
  if (options.mixed_count < 0 || options.mixed_count > maxLoaderArrays ||
      (options.mixed_count > 0 && !options.mixed) || mixes != (options.mixed_count > 0))
    return error.fail(DLC_INVALID_ARGUMENT, "%d arrays are to be mixed, expected %s", options.mixed_count,
                      mixes ? "one or more for mixup and cutmix" : "none without mixup and cutmix");
  for (int32_t i = 0; i < options.mixed_count; ++i) {
    const int32_t index = options.mixed[i];
    const bool isThere = index >= 0 && static_cast<size_t>(index) < loader.sources.size();
    Source *source = isThere ? &loader.sources[static_cast<size_t>(index)] : nullptr;
    if (!source || source->augment || source->isMixed ||
        (!arrays && loader.fields[static_cast<size_t>(index)].padded) ||
        arrayOf(loader, arrays, static_cast<size_t>(index)).dtype != DLC_F32)
      return error.fail(DLC_INVALID_ARGUMENT,
                        "array %d is to be mixed with the images: expected another array, of DLC_F32, once",
                        index);
    source->isMixed = true;
  }
  return DLC_OK;
}

dlc_status addAugmentation(dlc_loader &loader, const dlc_array *const *arrays, const dlc_loader_options &all,
                           Error &error) {
  const dlc_augmentation &options = *all.augmentation;
  if (options.images < 0 || static_cast<size_t>(options.images) >= loader.sources.size())
    return error.fail(DLC_INVALID_ARGUMENT, "augmentation of array %d, expected one of the %zu arrays",
                      options.images, loader.sources.size());
  const auto images = static_cast<size_t>(options.images);
  if (!arrays && loader.fields[images].padded)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "augmentation of field %zu, which is padded: its images differ in size", images);
  if (dlc_status status =
          loader.augment.prepare(options, all.changes, all.white, arrayOf(loader, arrays, images), error))
    return status;
  loader.sources[images].augment = &loader.augment;
  return addMixed(loader, arrays, all, error);
}

dlc_status checkOptions(const dlc_loader_options &options, Error &error) {
  if (options.batch < 1)
    return error.fail(DLC_INVALID_ARGUMENT, "batch is %" PRId64 ", expected at least 1", options.batch);
  if (options.threads < 0 || options.threads > maxLoaderThreads)
    return error.fail(DLC_INVALID_ARGUMENT, "threads is %d, expected 0 to %d", options.threads,
                      maxLoaderThreads);
  if (options.prefetch < 0 || options.prefetch > maxPrefetch)
    return error.fail(DLC_INVALID_ARGUMENT, "prefetch is %d, expected 0 to %d", options.prefetch,
                      maxPrefetch);
  return DLC_OK;
}

/// To make an image in before it is changed, or to change or mix it.
bool needsRowMore(const dlc_loader &loader, const Source &source) {
  return source.isMixed || (source.augment && (loader.dataset.get || source.augment->needsScratch() ||
                                               source.augment->all().mixes()));
}

/// One buffer for all slots, each array's rows at a multiple of 64 bytes in it.
dlc_status allocateSlots(dlc_loader &loader, const dlc_loader_options &options, Error &error) {
  loader.batch = options.batch < loader.samples || options.drop_last ? options.batch : loader.samples;
  loader.batches = options.drop_last ? loader.samples / loader.batch
                                     : loader.samples / loader.batch + (loader.samples % loader.batch != 0);
  int64_t ahead = options.threads == 0 ? 0 : options.prefetch ? options.prefetch : 2 * options.threads;
  loader.slots = 1 + (ahead < loader.batches ? ahead : loader.batches);
  const int64_t whole = loader.batch < loader.samples ? loader.batch : loader.samples;
  const int64_t rows = loader.ranks.most(whole) + loader.mixesAcross;
  size_t total = 0;
  bool fits = true;
  auto place = [&](size_t rowBytes, int64_t count) {
    const size_t begin = loader.slotBytes;
    size_t bytes = 0;
    fits = fits && !__builtin_mul_overflow(rowBytes, static_cast<size_t>(count), &bytes) &&
           !__builtin_add_overflow(bytes, size_t{63}, &bytes) &&
           !__builtin_add_overflow(loader.slotBytes, bytes / 64 * 64, &loader.slotBytes);
    return begin;
  };
  for (Source &source : loader.sources)
    source.place = place(source.rowBytes, rows + needsRowMore(loader, source));
  if (loader.dataset.get)
    loader.lengthsPlace = place(loader.sources.size() * sizeof(int64_t), rows);
  fits = fits && !__builtin_mul_overflow(loader.slotBytes, static_cast<size_t>(loader.slots), &total);
  void *memory = nullptr;
  if (!fits || posix_memalign(&memory, 64, total) != 0 ||
      !loader.gathered.allocate(static_cast<size_t>(loader.slots)) ||
      !loader.results.allocate(static_cast<size_t>(loader.slots)) ||
      !loader.threads.allocate(static_cast<size_t>(options.threads))) {
    free(memory);
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for %" PRId64 " batches of %" PRId64 " rows",
                      loader.slots, rows);
  }
  loader.memory = static_cast<unsigned char *>(memory);
  return DLC_OK;
}

dlc_status startThreads(dlc_loader &loader, Error &error) {
  for (pthread_t &thread : loader.threads) {
    if (pthread_create(&thread, nullptr, dlc_loader::threadMain, &loader) != 0)
      return error.fail(DLC_OUT_OF_MEMORY, "thread %zu of %zu cannot be started", loader.started + 1,
                        loader.threads.size());
    ++loader.started;
  }
  return DLC_OK;
}

dlc_status addFields(dlc_loader &loader, const dlc_dataset &dataset, Error &error) {
  const int32_t count = dataset.field_count;
  if (dataset.samples < 1 || count < 1 || count > maxLoaderArrays || !dataset.fields || !dataset.get)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "a data set of %" PRId64
                      " samples with %d fields, expected at least one sample, 1 to %d "
                      "fields, and a function that makes samples",
                      dataset.samples, count, maxLoaderArrays);
  loader.dataset = dataset;
  loader.samples = dataset.samples;
  for (int32_t i = 0; i < count; ++i) {
    const dlc_field &field = dataset.fields[i];
    int64_t elements = 1;
    size_t bytes = 0;
    if (field.rank < 0 || field.rank > static_cast<int32_t>(maxRank) ||
        !dtypeBytes(static_cast<uint32_t>(field.dtype)) ||
        (field.rank > 0 && !elementCount(static_cast<uint32_t>(field.rank), field.shape, elements)) ||
        elements < 1 ||
        __builtin_mul_overflow(static_cast<size_t>(elements), dtypeBytes(static_cast<uint32_t>(field.dtype)),
                               &bytes))
      return error.fail(DLC_INVALID_ARGUMENT,
                        "field %d: its shape is empty or too large, or its dtype %d is none", i, field.dtype);
    if ((field.padded != 0 && field.padded != 1) || (field.padded && field.rank == 0) || field.reserved != 0)
      return error.fail(
          DLC_INVALID_ARGUMENT,
          "field %d: padded is %d, expected 0, or 1 with at least one axis; reserved is %d, expected 0", i,
          field.padded, field.reserved);
    for (const dlc_field &other : loader.fields)
      if (field.padded && other.padded && field.shape[0] != other.shape[0])
        return error.fail(DLC_INVALID_ARGUMENT,
                          "field %d: is padded up to %" PRId64 ", another up to %" PRId64
                          ": expected the same, as batches have one length",
                          i, field.shape[0], other.shape[0]);
    if (!loader.sources.append({nullptr, bytes, 0, nullptr, false}) || !loader.fields.append(field))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  }
  loader.dataset.fields = loader.fields.data();
  return DLC_OK;
}

/// What batches are made of: arrays, or where there are none a data set.
struct Content {
  const dlc_array *const *arrays;
  int32_t count;
  const dlc_dataset *dataset;
};

dlc_status fillLoader(dlc_loader &loader, const Content &content, const dlc_loader_options &options,
                      Error &error) {
  if (dlc_status status = checkOptions(options, error))
    return status;
  if (dlc_status status = content.dataset ? addFields(loader, *content.dataset, error)
                                          : addSources(loader, content.arrays, content.count, error))
    return status;
  if (options.augmentation)
    if (dlc_status status = addAugmentation(loader, content.arrays, options, error))
      return status;
  if (!options.augmentation && (options.changes || options.white || options.mixed_count))
    return error.fail(DLC_INVALID_ARGUMENT,
                      "changes of images, but augmentation is NULL: it says which array has the images");
  loader.seed = options.seed;
  if (dlc_status status = loader.ranks.take(options.rank, options.ranks, error))
    return status;
  loader.mixesAcross = loader.ranks.count > 1 && loader.augment.all().mixes();
  loader.all = loader.samples;
  if (dlc_status status = loader.sampler.prepare(options, loader.all, error))
    return status;
  loader.samples = loader.sampler.count();
  if (dlc_status status = allocateSlots(loader, options, error))
    return status;
  return startThreads(loader, error);
}

dlc_status createLoader(const Content &content, const dlc_loader_options *options, dlc_loader **out) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  dlc_loader_options known = {};
  if (!options)
    return DLC_INVALID_ARGUMENT;
  Error error;
  dlc_loader *loader = createObjects<dlc_loader>(1);
  dlc_status status = copyOptions(*options, known, error);
  if (!loader)
    status = error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  if (status == DLC_OK)
    status = fillLoader(*loader, content, known, error);
  if (status == DLC_OK)
    *out = loader;
  else
    dlc_loader_destroy(loader);
  error.copyTo(known.error, known.error_bytes);
  return status;
}

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_loader_create(const dlc_array *const *arrays, int32_t array_count,
                             const dlc_loader_options *options, dlc_loader **out) {
  return dlc::runtime::createLoader({arrays, array_count, nullptr}, options, out);
}

dlc_status dlc_loader_create_dataset(const dlc_dataset *dataset, const dlc_loader_options *options,
                                     dlc_loader **out) {
  const dlc_dataset none = {};
  return dlc::runtime::createLoader({nullptr, 0, dataset ? dataset : &none}, options, out);
}

} // extern "C"
