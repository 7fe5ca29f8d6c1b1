//===- Objects.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of the stand-in driver are, and the state of the driver as a whole.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_OBJECTS_H
#define DLC_TOOLS_SIMT_OBJECTS_H

#include "runtime/cuda/driver.h"
#include "tools/simt/Launch.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace dlc::runtime::cuda {

struct ContextObject {
  Ordinal device = 0;
  int retained = 0;
  Status failure = success; ///< after a kernel has failed, all calls answer with this
};

struct FunctionObject {
  const dlc_simt_kernel *kernel = nullptr;
  unsigned dynamicBytes = 48 << 10; ///< of shared memory that a launch may ask for
};

struct ModuleObject {
  std::map<std::string, FunctionObject> functions;
};

/// Work that has been asked for and not been done.
struct StreamObject {
  std::deque<std::function<Status()>> work;
  uint64_t done = 0; ///< pieces of work that have been

  uint64_t asked() const { return done + work.size(); }
};

/// Happens when the stream has done so much.
struct EventObject {
  StreamObject *stream = nullptr;
  uint64_t after = 0;
};

struct GraphNodeObject {
  GraphObject *graph = nullptr;
  size_t number = 0;
  std::vector<size_t> after;
  FunctionObject *function = nullptr; ///< NULL: copies
  unsigned grid = 0, block = 0;
  std::vector<uint64_t> arguments;
  CopyParams copy = {};
};

struct GraphObject {
  std::deque<GraphNodeObject> nodes; ///< their addresses are handles
};

struct GraphExecObject {
  std::vector<GraphNodeObject> nodes;
  int queued = 0; ///< launches that have been asked for and not been done
};

} // namespace dlc::runtime::cuda

namespace dlc::simt {

using namespace dlc::runtime::cuda;

struct Driver {
  std::recursive_mutex mutex;
  DeviceMemory memory;
  Machine machine{memory};
  int deviceCount = 1, sm = 80;
  std::map<int, int> capabilities; ///< of devices that are not like the others
  int capabilityOf(int device) const {
    auto found = capabilities.find(device);
    return found == capabilities.end() ? sm : found->second;
  }
  bool initialised = false, eager = false;
  uint64_t calls = 0, failingCall = 0;
  Status failingStatus = success;
  std::string failedCall;

  std::map<Ordinal, ContextObject> contexts; ///< the primary ones
  std::set<Module> modules;
  std::set<Stream> streams;
  std::set<Event> events;
  std::set<Graph> graphs;
  std::set<GraphExec> executables;
  std::map<uintptr_t, uint64_t> pinned; ///< memory of the host, with its size

  static Driver &get();
  /// The context of the calling thread, or NULL.
  static std::vector<Context> &stack();

  /// What belongs to a context ends with it.
  void endLastContext();
  bool isPinned(const void *begin, uint64_t bytes) const;
  /// Does all that comes before `until` in the stream; what other streams have to do first, too.
  Status drain(StreamObject &stream, uint64_t until);
  Status enqueue(StreamObject &stream, std::function<Status()> work);
  /// Copies at once, and what is known of the bytes with them.
  Status copy(const CopyParams &params);
  Status runGraph(GraphExecObject &executable);
};

/// Answers with invalidHandle and says so.
Status refuseHandle(const char *what);
Status refuse(Status status, const std::string &why);

/// Pairs of graph nodes that race: they access the same bytes, one of them writes, and no path of the graph
/// leads from one to the other. A line for each pair.
std::string findUnordered(const GraphObject &graph);

/// Whether a driver's function has to fail before it does anything.
enum class Needs { nothing, initialisation, context };
enum class Gives {
  results,
  back
}; ///< what a function that gives something back has done is done, even where it fails

/// The frame of each function of the driver.
template <typename Body> Status call(const char *name, Needs needs, Gives gives, Body body) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  ++driver.calls;
  Status injected = success;
  if (driver.calls == driver.failingCall) {
    driver.failedCall = name;
    injected = driver.failingStatus;
    if (gives != Gives::back)
      return injected;
  }
  if (needs != Needs::nothing && !driver.initialised)
    return refuse(notInitialized, std::string(name) + " is called before cuInit");
  if (needs == Needs::context) {
    if (Driver::stack().empty())
      return refuse(invalidContext, std::string(name) + " is called without a context");
    if (gives != Gives::back && Driver::stack().back()->failure)
      return Driver::stack().back()->failure;
  }
  const Status status = body(driver);
  return injected ? injected : status;
}

} // namespace dlc::simt

#endif
