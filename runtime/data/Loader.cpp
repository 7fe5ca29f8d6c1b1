//===- Loader.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands out the batches of an epoch, which threads gather ahead.
//===----------------------------------------------------------------------===//
#include "runtime/data/Loader.h"

using dlc::runtime::Lock;

void *dlc_loader::threadMain(void *argument) {
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

namespace dlc::runtime {

namespace {

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
  loader->sampler.start(loader->seed, static_cast<uint64_t>(epoch));
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
  loader->current = index;
  const dlc_status status = loader->results[static_cast<size_t>(index % loader->slots)].status;
  *rows = status == DLC_OK ? loader->rowsOf(index).rows : 0;
  return status;
}

int64_t dlc_loader_batches(const dlc_loader *loader) { return loader ? loader->batches : 0; }

int64_t dlc_loader_length(const dlc_loader *loader) {
  return loader ? loader->results[static_cast<size_t>(loader->current % loader->slots)].length : 0;
}

const char *dlc_loader_last_error(const dlc_loader *loader) {
  return loader ? loader->results[static_cast<size_t>(loader->current % loader->slots)].error : "";
}

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
