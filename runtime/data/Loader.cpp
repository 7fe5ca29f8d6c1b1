//===- Loader.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffled mini-batches. Batch b of an epoch is a pure function of (seed, epoch, b), random changes of its
// images included, and is gathered into
// slot b % slots by whichever thread is free; `next` hands the slots out in order. So the order cannot
// depend on the threads, only the time can.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"
#include "runtime/data/Augment.h"
#include "runtime/data/Random.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <pthread.h>

namespace dlc::runtime {

namespace {
constexpr int32_t maxLoaderThreads = 256, maxArrays = 64, maxPrefetch = 65536;

/// A data set's array and what gathering its rows needs.
struct Source {
  const unsigned char *data;
  size_t rowBytes;
  size_t place;           ///< of this array's rows in a slot
  const Augment *augment; ///< null: samples are not changed
};

class Lock {
public:
  explicit Lock(pthread_mutex_t &mutex) : mutex(mutex) { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  pthread_mutex_t &mutex;
};
} // namespace
} // namespace dlc::runtime

using dlc::runtime::Array;
using dlc::runtime::Augment;
using dlc::runtime::Error;
using dlc::runtime::Lock;
using dlc::runtime::Source;

struct dlc_loader {
  // Fixed at create.
  Array<Source> sources;
  int64_t samples = 0, batch = 0, batches = 0, slots = 0;
  uint64_t seed = 0;
  bool shuffle = false;
  Augment augment;
  size_t slotBytes = 0;
  unsigned char *memory = nullptr;
  Array<pthread_t> threads;
  size_t started = 0;
  std::atomic<bool> busy{false}; ///< a thread is inside start or next

  // Under `mutex`.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work = PTHREAD_COND_INITIALIZER;  ///< a batch may be claimed, or the loader stops
  pthread_cond_t ready = PTHREAD_COND_INITIALIZER; ///< a batch has been gathered
  bool stopping = false;
  bool running = false;    ///< an epoch has been started
  int64_t claimed = 0;     ///< next batch that a thread takes on
  int64_t delivered = 0;   ///< batches that next has handed out
  int64_t gathering = 0;   ///< batches being gathered now
  Array<int64_t> gathered; ///< per slot: the batch that it holds, -1 none
  Array<int64_t> order;    ///< the epoch's permutation; written while nobody gathers
  uint64_t epoch = 0;      ///< the same

  unsigned char *slot(int64_t index) { return memory + static_cast<size_t>(index % slots) * slotBytes; }

  int64_t rowsOf(int64_t index) const {
    int64_t left = samples - index * batch;
    return left < batch ? left : batch;
  }

  /// A slot is free once the batch before in it is no longer in the caller's hands: the last one handed
  /// out stays valid until the next call.
  bool canClaim() const { return running && claimed < batches && claimed < delivered - 1 + slots; }

  void gather(int64_t index) {
    const int64_t first = index * batch, rows = rowsOf(index);
    for (const Source &source : sources) {
      unsigned char *to = slot(index) + source.place;
      for (int64_t i = 0; i < rows; ++i) {
        int64_t sample = shuffle ? order[static_cast<size_t>(first + i)] : first + i;
        const unsigned char *from = source.data + static_cast<size_t>(sample) * source.rowBytes;
        if (source.augment)
          source.augment->copy(reinterpret_cast<const float *>(from), reinterpret_cast<float *>(to), seed,
                               epoch, sample);
        else
          memcpy(to, from, source.rowBytes);
        to += source.rowBytes;
      }
    }
  }

  static void *threadMain(void *argument) {
    dlc_loader &loader = *static_cast<dlc_loader *>(argument);
    Lock lock(loader.mutex);
    for (;;) {
      while (!loader.stopping && !loader.canClaim())
        pthread_cond_wait(&loader.work, &loader.mutex);
      if (loader.stopping)
        return nullptr;
      const int64_t index = loader.claimed++;
      ++loader.gathering;
      pthread_mutex_unlock(&loader.mutex);
      loader.gather(index);
      pthread_mutex_lock(&loader.mutex);
      --loader.gathering;
      loader.gathered[static_cast<size_t>(index % loader.slots)] = index;
      pthread_cond_broadcast(&loader.ready);
    }
  }
};

namespace dlc::runtime {

namespace {

dlc_status addSources(dlc_loader &loader, const dlc_array *const *arrays, int32_t count, Error &error) {
  if (!arrays || count < 1 || count > maxArrays)
    return error.fail(DLC_INVALID_ARGUMENT, "%d arrays, expected 1 to %d", count, maxArrays);
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
                     array->bytes / static_cast<size_t>(loader.samples), 0, nullptr};
    if (!loader.sources.append(source))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  }
  return DLC_OK;
}

dlc_status addAugmentation(dlc_loader &loader, const dlc_array *const *arrays,
                           const dlc_augmentation &options, Error &error) {
  if (options.images < 0 || static_cast<size_t>(options.images) >= loader.sources.size())
    return error.fail(DLC_INVALID_ARGUMENT, "augmentation of array %d, expected one of the %zu arrays",
                      options.images, loader.sources.size());
  if (dlc_status status = loader.augment.prepare(options, *arrays[options.images], error))
    return status;
  loader.sources[static_cast<size_t>(options.images)].augment = &loader.augment;
  return DLC_OK;
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

/// One buffer for all slots, each array's rows at a multiple of 64 bytes in it.
dlc_status allocateSlots(dlc_loader &loader, const dlc_loader_options &options, Error &error) {
  loader.batch = options.batch < loader.samples || options.drop_last ? options.batch : loader.samples;
  loader.batches = options.drop_last ? loader.samples / loader.batch
                                     : loader.samples / loader.batch + (loader.samples % loader.batch != 0);
  int64_t ahead = options.threads == 0 ? 0 : options.prefetch ? options.prefetch : 2 * options.threads;
  loader.slots = 1 + (ahead < loader.batches ? ahead : loader.batches);
  const int64_t rows = loader.batch < loader.samples ? loader.batch : loader.samples;
  size_t total = 0;
  bool fits = true;
  for (Source &source : loader.sources) {
    size_t bytes = 0;
    source.place = loader.slotBytes;
    fits = fits && !__builtin_mul_overflow(source.rowBytes, static_cast<size_t>(rows), &bytes) &&
           !__builtin_add_overflow(bytes, size_t{63}, &bytes) &&
           !__builtin_add_overflow(loader.slotBytes, bytes / 64 * 64, &loader.slotBytes);
  }
  fits = fits && !__builtin_mul_overflow(loader.slotBytes, static_cast<size_t>(loader.slots), &total);
  void *memory = nullptr;
  if (!fits || posix_memalign(&memory, 64, total) != 0 ||
      !loader.gathered.allocate(static_cast<size_t>(loader.slots)) ||
      !loader.order.allocate(loader.shuffle ? static_cast<size_t>(loader.samples) : 0) ||
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

dlc_status fillLoader(dlc_loader &loader, const dlc_array *const *arrays, int32_t count,
                      const dlc_loader_options &options, Error &error) {
  if (dlc_status status = checkOptions(options, error))
    return status;
  if (dlc_status status = addSources(loader, arrays, count, error))
    return status;
  if (options.augmentation)
    if (dlc_status status = addAugmentation(loader, arrays, *options.augmentation, error))
      return status;
  loader.seed = options.seed;
  loader.shuffle = options.shuffle != 0;
  if (dlc_status status = allocateSlots(loader, options, error))
    return status;
  return startThreads(loader, error);
}

/// Start and next belong to one thread at a time.
class LoaderCall {
public:
  explicit LoaderCall(dlc_loader *handle) : loader(handle) {
    status = !loader ? DLC_INVALID_ARGUMENT : loader->busy.exchange(true) ? DLC_BUSY : DLC_OK;
  }
  ~LoaderCall() {
    if (status == DLC_OK)
      loader->busy.store(false);
  }
  LoaderCall(const LoaderCall &) = delete;
  LoaderCall &operator=(const LoaderCall &) = delete;

  dlc_status status;

private:
  dlc_loader *loader;
};

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_loader_create(const dlc_array *const *arrays, int32_t array_count,
                             const dlc_loader_options *options, dlc_loader **out) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  dlc_loader_options known = {};
  if (!options)
    return DLC_INVALID_ARGUMENT;
  Error error;
  dlc_loader *loader = dlc::runtime::createObjects<dlc_loader>(1);
  dlc_status status;
  if (!loader)
    status = error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  else if (!dlc::runtime::copyOptions(options, known))
    status =
        error.fail(DLC_INVALID_ARGUMENT, "struct_size is %zu, expected %zu, or a newer option is not zero",
                   options->struct_size, sizeof known);
  else
    status = dlc::runtime::fillLoader(*loader, arrays, array_count, known, error);
  if (status == DLC_OK)
    *out = loader;
  else
    dlc_loader_destroy(loader);
  error.copyTo(known.error, known.error_bytes);
  return status;
}

dlc_status dlc_loader_start(dlc_loader *loader, int64_t epoch) {
  return dlc_loader_start_at(loader, epoch, 0);
}

dlc_status dlc_loader_start_at(dlc_loader *loader, int64_t epoch, int64_t batch) {
  dlc::runtime::LoaderCall call(loader);
  if (call.status != DLC_OK)
    return call.status;
  if (batch < 0 || batch > loader->batches)
    return DLC_INVALID_ARGUMENT;
  Lock lock(loader->mutex);
  loader->running = false; // nothing more of the old epoch is claimed
  while (loader->gathering > 0)
    pthread_cond_wait(&loader->ready, &loader->mutex);
  if (loader->shuffle)
    dlc::runtime::shuffledOrder(loader->seed, static_cast<uint64_t>(epoch), loader->samples,
                                loader->order.data());
  for (int64_t &held : loader->gathered)
    held = -1;
  loader->epoch = static_cast<uint64_t>(epoch);
  loader->claimed = loader->delivered = batch;
  loader->running = true;
  pthread_cond_broadcast(&loader->work);
  return DLC_OK;
}

dlc_status dlc_loader_next(dlc_loader *loader, int64_t *rows, const void **batch) {
  if (rows)
    *rows = 0;
  dlc::runtime::LoaderCall call(loader);
  if (call.status != DLC_OK)
    return call.status;
  if (!rows || !batch || !loader->running)
    return DLC_INVALID_ARGUMENT;
  for (size_t i = 0; i < loader->sources.size(); ++i)
    batch[i] = nullptr;
  if (loader->delivered == loader->batches)
    return DLC_OK;
  const int64_t index = loader->delivered;
  if (loader->started == 0) {
    loader->gather(index);
    ++loader->delivered;
  } else {
    Lock lock(loader->mutex);
    ++loader->delivered; // gives back the slot of the batch before
    pthread_cond_signal(&loader->work);
    while (loader->gathered[static_cast<size_t>(index % loader->slots)] != index)
      pthread_cond_wait(&loader->ready, &loader->mutex);
  }
  for (size_t i = 0; i < loader->sources.size(); ++i)
    batch[i] = loader->slot(index) + loader->sources[i].place;
  *rows = loader->rowsOf(index);
  return DLC_OK;
}

int64_t dlc_loader_batches(const dlc_loader *loader) { return loader ? loader->batches : 0; }

void dlc_loader_destroy(dlc_loader *loader) {
  if (!loader)
    return;
  {
    Lock lock(loader->mutex);
    loader->stopping = true;
    pthread_cond_broadcast(&loader->work);
  }
  for (size_t i = 0; i < loader->started; ++i)
    pthread_join(loader->threads[i], nullptr);
  free(loader->memory);
  dlc::runtime::destroyObjects(loader, 1);
}

} // extern "C"
