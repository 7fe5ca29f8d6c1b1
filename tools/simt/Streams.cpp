//===- Streams.cpp - memory, streams and events of the stand-in ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of a stream is done when the host waits for it, and not before: what a program forgets to wait for it
// does not find done.
//===----------------------------------------------------------------------===//
#include "tools/simt/Findings.h"
#include "tools/simt/Objects.h"

#include <cstring>

namespace dlc::simt {

bool Driver::isPinned(const void *begin, uint64_t bytes) const {
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  auto next = pinned.upper_bound(address);
  if (next == pinned.begin())
    return false;
  const auto &[found, size] = *std::prev(next);
  return address - found <= size && bytes <= size - (address - found);
}

Status Driver::drain(StreamObject &stream, uint64_t until) {
  while (stream.done < until && !stream.work.empty()) {
    // Before it is done: it may wait for another stream.
    std::function<Status()> next = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.done;
    if (Status status = next()) {
      for (auto &[device, context] : contexts)
        context.failure = status;
      return status;
    }
  }
  return success;
}

Status Driver::enqueue(StreamObject &stream, std::function<Status()> work) {
  stream.work.push_back(std::move(work));
  return eager ? drain(stream, stream.asked()) : success;
}

Status Driver::copy(const CopyParams &params) {
  DeviceMemory::Access access(memory);
  const bool fromDevice = params.from.type == deviceMemory, toDevice = params.to.type == deviceMemory;
  auto *from = fromDevice ? reinterpret_cast<unsigned char *>(params.from.device)
                          : static_cast<unsigned char *>(params.from.host);
  auto *to = toDevice ? reinterpret_cast<unsigned char *>(params.to.device)
                      : static_cast<unsigned char *>(params.to.host);
  const uint64_t bytes = params.width;
  DeviceMemory::Allocation *source = fromDevice ? memory.find(from, bytes) : nullptr;
  DeviceMemory::Allocation *target = toDevice ? memory.find(to, bytes) : nullptr;
  if (fromDevice != (source != nullptr) || toDevice != (target != nullptr))
    return refuse(illegalAddress, "a copy of " + std::to_string(bytes) + " bytes leaves the device's memory");
  if ((!fromDevice && !isPinned(from, bytes)) || (!toDevice && !isPinned(to, bytes)))
    return refuse(invalidValue, "a copy uses memory of the host that is not pinned, or not any more");
  memmove(to, from, bytes);
  if (target && source)
    target->shadow.copied(static_cast<uint64_t>(to - target->begin), source->shadow,
                          static_cast<uint64_t>(from - source->begin), bytes);
  else if (target)
    target->shadow.written(static_cast<uint64_t>(to - target->begin), bytes);
  return success;
}

} // namespace dlc::simt

using namespace dlc::simt;

/// One of cuMemcpy...Async.
static Status copyAsync(const char *name, const CopyParams &params, Stream stream) {
  return call(name, Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.streams.count(stream))
      return refuseHandle("stream");
    return driver.enqueue(*stream, [params, &driver] { return driver.copy(params); });
  });
}

extern "C" {

Status cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call("cuMemGetInfo_v2", Needs::context, Gives::results, [&](Driver &driver) {
    *total = driver.memory.capacity;
    *free = driver.memory.capacity - driver.memory.used;
    return success;
  });
}

Status cuMemAlloc_v2(Address *address, size_t bytes) {
  return call("cuMemAlloc_v2", Needs::context, Gives::results, [&](Driver &driver) {
    if (bytes == 0)
      return invalidValue;
    *address = reinterpret_cast<Address>(driver.memory.allocate(bytes));
    return *address ? success : outOfMemory;
  });
}

Status cuMemFree_v2(Address address) {
  return call("cuMemFree_v2", Needs::context, Gives::back, [&](Driver &driver) {
    return driver.memory.release(reinterpret_cast<unsigned char *>(address)) ? success
                                                                             : refuseHandle("memory");
  });
}

Status cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  return call("cuMemHostAlloc", Needs::context, Gives::results, [&](Driver &driver) {
    *memory = malloc(bytes);
    if (!*memory)
      return outOfMemory;
    memset(*memory, 0xa5, bytes);
    driver.pinned[reinterpret_cast<uintptr_t>(*memory)] = bytes;
    return success;
  });
}

Status cuMemFreeHost(void *memory) {
  return call("cuMemFreeHost", Needs::context, Gives::back, [&](Driver &driver) {
    if (!driver.pinned.erase(reinterpret_cast<uintptr_t>(memory)))
      return refuseHandle("pinned memory");
    free(memory);
    return success;
  });
}

Status cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream stream) {
  CopyParams params = {};
  params.from.type = hostMemory;
  params.from.host = const_cast<void *>(from);
  params.to.type = deviceMemory;
  params.to.device = to;
  params.width = bytes;
  return copyAsync("cuMemcpyHtoDAsync_v2", params, stream);
}

Status cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream stream) {
  CopyParams params = {};
  params.from.type = deviceMemory;
  params.from.device = from;
  params.to.type = hostMemory;
  params.to.host = to;
  params.width = bytes;
  return copyAsync("cuMemcpyDtoHAsync_v2", params, stream);
}

Status cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  CopyParams params = {};
  params.from.type = params.to.type = deviceMemory;
  params.from.device = from;
  params.to.device = to;
  params.width = bytes;
  return copyAsync("cuMemcpyDtoDAsync_v2", params, stream);
}

Status cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream stream) {
  return call("cuMemsetD8Async", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.streams.count(stream))
      return refuseHandle("stream");
    return driver.enqueue(*stream, [=, &driver]() -> Status {
      auto *begin = reinterpret_cast<unsigned char *>(to);
      DeviceMemory::Allocation *found = driver.memory.find(begin, bytes);
      if (!found)
        return refuse(illegalAddress, "what is to be set lies outside of the device's memory");
      DeviceMemory::Access access(driver.memory);
      memset(begin, value, bytes);
      found->shadow.written(static_cast<uint64_t>(begin - found->begin), bytes);
      return success;
    });
  });
}

Status cuStreamCreate(Stream *stream, unsigned) {
  return call("cuStreamCreate", Needs::context, Gives::results, [&](Driver &driver) {
    driver.streams.insert(*stream = new StreamObject);
    return success;
  });
}

Status cuStreamDestroy_v2(Stream stream) {
  return call("cuStreamDestroy_v2", Needs::context, Gives::back, [&](Driver &driver) {
    if (!driver.streams.erase(stream))
      return refuseHandle("stream");
    delete stream;
    return success;
  });
}

Status cuStreamSynchronize(Stream stream) {
  return call("cuStreamSynchronize", Needs::context, Gives::results, [&](Driver &driver) {
    return driver.streams.count(stream) ? driver.drain(*stream, stream->asked()) : refuseHandle("stream");
  });
}

Status cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  return call("cuStreamWaitEvent", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.streams.count(stream) || !driver.events.count(event))
      return refuseHandle("stream or event");
    if (!event->stream)
      return success; // what has never been recorded has happened
    return driver.enqueue(*stream, [&driver, from = event->stream, after = event->after]() -> Status {
      return driver.streams.count(from) ? driver.drain(*from, after) : success;
    });
  });
}

Status cuEventCreate(Event *event, unsigned) {
  return call("cuEventCreate", Needs::context, Gives::results, [&](Driver &driver) {
    driver.events.insert(*event = new EventObject);
    return success;
  });
}

Status cuEventDestroy_v2(Event event) {
  return call("cuEventDestroy_v2", Needs::context, Gives::back, [&](Driver &driver) {
    if (!driver.events.erase(event))
      return refuseHandle("event");
    delete event;
    return success;
  });
}

Status cuEventRecord(Event event, Stream stream) {
  return call("cuEventRecord", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.streams.count(stream) || !driver.events.count(event))
      return refuseHandle("stream or event");
    *event = {stream, stream->asked()};
    return success;
  });
}

Status cuEventSynchronize(Event event) {
  return call("cuEventSynchronize", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.events.count(event))
      return refuseHandle("event");
    if (!event->stream || !driver.streams.count(event->stream))
      return success;
    return driver.drain(*event->stream, event->after);
  });
}

} // extern "C"
