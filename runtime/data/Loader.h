//===- Loader.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mini-batches of samples. Batch b of an epoch is a pure function of (seed, epoch, b), random changes of its
// images included, and is gathered into slot b % slots by whichever thread is free; `next` hands the slots
// out in order. So the order cannot depend on the threads, only the time can.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_LOADER_H
#define DLC_RUNTIME_DATA_LOADER_H

#include "dlc/data.h"
#include "runtime/data/Augment.h"
#include "runtime/data/Ranks.h"
#include "runtime/data/Sampler.h"

#include <atomic>
#include <pthread.h>

namespace dlc::runtime {

constexpr int32_t maxLoaderArrays = 64;

/// An array of the batches and what gathering its rows needs.
struct Source {
  const unsigned char *data; ///< of all samples; null where a data set makes them
  size_t rowBytes;           ///< of the largest row
  size_t place;              ///< of this array's rows in a slot, and of a row more to make or mix images in
  const Augment *augment;    ///< null: samples are not changed
  bool isMixed;              ///< with the images, where these are
};

/// The rows of a batch that a rank has.
struct RankRows {
  int64_t first, rows; ///< the place of the first one in the epoch's order, and how many there are
  int64_t before; ///< the place of the row before the first one; before the batch's first one is its last
  int64_t made;   ///< rows, and the one before where images are mixed with it: it is made behind the last
  int64_t placeOf(int64_t row) const { return row < rows ? first + row : before; }
};

/// How gathering a batch went.
struct BatchResult {
  dlc_status status;
  int64_t length; ///< of the padded fields
  char error[256];
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

} // namespace dlc::runtime

struct dlc_loader {
  // Fixed at create.
  dlc::runtime::Array<dlc::runtime::Source> sources;
  dlc_dataset dataset = {};                               ///< makes the samples, where `get` is not null
  dlc::runtime::Array<dlc_field> fields;                  ///< of the data set
  int64_t samples = 0, batch = 0, batches = 0, slots = 0; ///< samples of an epoch
  int64_t all = 0;                                        ///< samples that there are
  uint64_t seed = 0;
  dlc::runtime::Ranks ranks;
  bool mixesAcross = false; ///< the row before this rank's first one is another rank's
  dlc::runtime::Augment augment;
  size_t slotBytes = 0, lengthsPlace = 0;
  unsigned char *memory = nullptr;
  dlc::runtime::Array<pthread_t> threads;
  size_t started = 0;
  std::atomic<bool> busy{false}; ///< a thread is inside start or next

  // Under `mutex`.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work = PTHREAD_COND_INITIALIZER;  ///< a batch may be claimed, or the loader stops
  pthread_cond_t ready = PTHREAD_COND_INITIALIZER; ///< a batch has been gathered
  bool stopping = false;
  bool running = false;                                   ///< an epoch has been started
  int64_t claimed = 0;                                    ///< next batch that a thread takes on
  int64_t delivered = 0;                                  ///< batches that next has handed out
  int64_t current = 0;                                    ///< the last of these
  int64_t gathering = 0;                                  ///< batches being gathered now
  dlc::runtime::Array<int64_t> gathered;                  ///< per slot: the batch that it holds, -1 none
  dlc::runtime::Sampler sampler;                          ///< starts an epoch while nobody gathers
  dlc::runtime::Array<dlc::runtime::BatchResult> results; ///< per slot
  uint64_t epoch = 0;                                     ///< the same

  unsigned char *slot(int64_t index) { return memory + static_cast<size_t>(index % slots) * slotBytes; }

  /// The lengths of a data set's fields, row by row.
  int64_t *lengthsOf(int64_t index) { return reinterpret_cast<int64_t *>(slot(index) + lengthsPlace); }

  /// What this rank has of a batch.
  dlc::runtime::RankRows rowsOf(int64_t index) const {
    const int64_t left = samples - index * batch, whole = left < batch ? left : batch;
    const int64_t first = ranks.begin(whole), rows = ranks.end(whole) - first;
    return {index * batch + first, rows, index * batch + (first > 0 ? first : whole) - 1,
            rows + (mixesAcross && rows > 0)};
  }

  /// A slot is free once the batch before in it is no longer in the caller's hands: the last one handed
  /// out stays valid until the next call.
  bool canClaim() const { return running && claimed < batches && claimed < delivered - 1 + slots; }

  /// Writes batch `index` to its slot.
  void gather(int64_t index);
  static void *threadMain(void *argument);

private:
  void copyRows(int64_t index);
  void makeRows(int64_t index, dlc::runtime::BatchResult &result);
  void mixRows(int64_t index);
};

#endif
