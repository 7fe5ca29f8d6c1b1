//===- Loops.cpp - loops that run as often as data say ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop is written out, and each run is selected if it counts. A run that does not count computes with what
// the loop began with: its derivatives are finite wherever those of the first run are, and so zero times
// them is zero. With the last result, which such a run would get otherwise, a division may be by zero.
//===----------------------------------------------------------------------===//
#include "dlc/loops.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Loops.h"
#include <cmath>

namespace dlc {
using namespace detail;

static int bodies = 0; // that are being computed, one in another

void detail::requireNoLoopBody(const std::string &buffer, const Where &where) {
  if (bodies > 0)
    fail("buffer '" + buffer +
             "' would move in runs of a loop that do not count, too; move it behind the loop, or normalize "
             "without running statistics ({.track_running_stats = false})",
         where);
}

namespace {

using Tensors = std::vector<Tensor>;

struct InBody {
  InBody() { ++bodies; }
  ~InBody() { --bodies; }
  InBody(const InBody &) = delete;
};

/// A loop that is being written out.
class Loop {
public:
  Loop(const char *function, const Tensors &first, int64_t maxTrips, const Where &where)
      : now(first), function(function), first(first), maxTrips(maxTrips), where(where) {
    constexpr int64_t mostTrips = 512; // as loops of files may have
    if (maxTrips < 1 || maxTrips > mostTrips)
      fail(name() + "expected max_trips from 1 to " + std::to_string(mostTrips) + ", got " +
               std::to_string(maxTrips),
           where);
    for (const Tensor &tensor : first)
      if (is_floating_point(tensor.dtype(where)))
        return;
    fail(name() + "expected a tensor of floating-point numbers among what the loop changes, which is NaN "
                  "where max_trips do not suffice",
         where);
  }

  /// Runs `body`, given the number of the run, while `goesOn`, given this too, is true.
  Tensors run(const std::function<Tensor(int64_t)> &goesOn, const std::function<Tensors(int64_t)> &body) {
    Tensor counts = truth(goesOn(0));
    for (int64_t trip = 0; trip < maxTrips; ++trip) {
      Tensors before = now;
      if (trip > 0)
        now = chosen(counts, before, first);
      Tensors after = results(body, trip);
      now = chosen(counts, after, before);
      counts = counts & truth(goesOn(trip + 1));
    }
    At at(where);
    for (Tensor &tensor : now)
      if (is_floating_point(tensor.dtype()))
        tensor = dlc::where(counts, scalar(NAN, tensor.dtype(), where), tensor);
    return now;
  }

  Tensors now; ///< what the loop has made so far

private:
  std::string name() const { return std::string(function) + ": "; }

  Tensor truth(const Tensor &condition) const {
    At at(where);
    if (!condition.defined() || condition.dtype() != boolean || condition.numel() != Dim(1))
      fail(name() + "expected a condition of one truth value, got " +
               (condition.defined() ? describe(condition) : "a tensor without a value"),
           where);
    return condition.reshape({});
  }

  Tensors results(const std::function<Tensors(int64_t)> &body, int64_t trip) const {
    InBody inBody;
    Tensors after = body(trip); // whose errors stand at its own lines
    if (after.size() != now.size())
      fail(name() + "expected as many tensors from the body as it is given, " + std::to_string(now.size()) +
               ", got " + std::to_string(after.size()),
           where);
    for (size_t i = 0; i < after.size(); ++i)
      if (!after[i].defined() || after[i].shape() != now[i].shape() || after[i].dtype() != now[i].dtype())
        fail(name() + "expected that the body keeps shape and dtype, " + describe(now[i]) + ", got " +
                 (after[i].defined() ? describe(after[i]) : "a tensor without a value"),
             where);
    return after;
  }

  Tensors chosen(const Tensor &condition, const Tensors &a, const Tensors &b) const {
    At at(where);
    Tensors result;
    for (size_t i = 0; i < a.size(); ++i)
      result.push_back(dlc::where(condition, a[i], b[i]));
    return result;
  }

  const char *function;
  Tensors first;
  int64_t maxTrips;
  Where where;
};

} // namespace

Tensor for_loop(const Tensor &count, const std::function<Tensor(int64_t, const Tensor &)> &body,
                const Tensor &x, int64_t max_trips, Where where) {
  Loop loop("for_loop", {x}, max_trips, where);
  DType dtype = count.dtype(where);
  if (is_floating_point(dtype) || dtype == boolean || count.numel() != Dim(1))
    fail("for_loop: expected a count of one integer, got " + describe(count), where);
  record::Recorder::get().limitIndices(count.id(), max_trips + 1);
  auto goesOn = [&](int64_t trip) {
    At at(where);
    return count > trip;
  };
  return loop.run(goesOn, [&](int64_t trip) { return Tensors{body(trip, loop.now[0])}; })[0];
}

Tensors while_loop(const std::function<Tensor(const Tensors &)> &condition,
                   const std::function<Tensors(const Tensors &)> &body, const Tensors &tensors,
                   int64_t max_trips, Where where) {
  Loop loop("while_loop", tensors, max_trips, where);
  return loop.run([&](int64_t) { return condition(loop.now); }, [&](int64_t) { return body(loop.now); });
}

Tensor while_loop(const std::function<Tensor(const Tensor &)> &condition,
                  const std::function<Tensor(const Tensor &)> &body, const Tensor &x, int64_t max_trips,
                  Where where) {
  return while_loop([&](const Tensors &tensors) { return condition(tensors[0]); },
                    [&](const Tensors &tensors) { return Tensors{body(tensors[0])}; }, Tensors{x}, max_trips,
                    where)[0];
}

} // namespace dlc
