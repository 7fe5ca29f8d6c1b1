//===- Ranks.cpp - processes that train one model together ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Ranks.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

namespace dlc::tool::training {

namespace {

/// A failure of the ranks' connection, after which nothing is collective any more.
struct Lost : Failure {
  using Failure::Failure;
};

constexpr size_t sentenceBytes = 1024;

} // namespace

Ranks::Ranks(const TrainOptions &options) {
  table.ranks = 1;
  if (options.thisRank.ranks == 1)
    return;
  open(options.libraryFolder);
  if (table.ranks != options.thisRank.ranks || table.rank != options.thisRank.rank) {
    const std::string found = "rank " + std::to_string(table.rank) + " of " + std::to_string(table.ranks),
                      said = "rank " + std::to_string(options.thisRank.rank) + " of " +
                             std::to_string(options.thisRank.ranks);
    table.destroy(table.context);
    throw Failure("the launcher says that this is " + said + ", and MPI that it is " + found +
                  ": libdlc-mpi was built against another MPI than the launcher's, or there is none, and its "
                  "variables are left over in the environment: unset them");
  }
  if (!isFirst() && !std::freopen("/dev/null", "w", stdout))
    throw Failure("/dev/null cannot be opened");
}

void Ranks::open(const std::string &folder) {
  const std::string beside = folder + "/libdlc-mpi.so";
  void *library = dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library && access(beside.c_str(), F_OK) == 0) // such as without the MPI that it was built against
    throw Failure(std::string("libdlc-mpi.so cannot be opened: ") + dlerror());
  if (!library)
    library = dlopen("libdlc-mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    throw Failure(
        "several processes need libdlc-mpi.so, which is neither in " + folder +
        " nor where the system looks for libraries: build dlc with -DDLC_MPI=ON against the MPI that "
        "starts them (docs/ranks.md), or train in one process");
  using World = dlc_status (*)(dlc_collectives *, char *, size_t);
  const auto world = reinterpret_cast<World>(dlsym(library, "dlc_mpi_world"));
  char error[512] = "it has no dlc_mpi_world";
  if (!world || world(&table, error, sizeof error) != DLC_OK)
    throw Failure(std::string("libdlc-mpi.so: ") + error);
  if (table.struct_size != sizeof table)
    throw Failure("libdlc-mpi.so belongs to another version of dlc: build it anew");
}

Ranks::~Ranks() {
  if (table.destroy)
    table.destroy(table.context);
}

int32_t Ranks::threads() const {
  return std::max(1, int32_t(std::thread::hardware_concurrency()) / std::max(1, table.local_ranks));
}

TrainOptions Ranks::own(const TrainOptions &options) const {
  TrainOptions result = options;
  if (result.threads == 0)
    result.threads = threads();
  if (isFirst())
    return result;
  result.quiet = true;
  result.curves = result.resume = result.logValues = false;
  result.saveEvery = result.logImages = 0;
  for (std::string *path : {&result.output, &result.log, &result.plot, &result.report})
    path->clear();
  return result;
}

void Ranks::lose() const {
  const char *sentence = table.failure(table.context);
  throw Lost(sentence ? sentence : "the other ranks cannot be reached");
}

/// `problem`: null where there is none; a text that is empty was printed by the compiler.
void Ranks::agree(const std::string *problem, double *sums, int32_t count) {
  int32_t worst = problem ? 1 : 0, of = 0;
  double before = 0;
  if (table.agree(table.context, sums, count, &before, &worst, &of) != DLC_OK)
    lose();
  if (worst == 0)
    return;
  char text[sentenceBytes] = "";
  if (problem)
    std::snprintf(text, sizeof text, "%s", problem->c_str());
  if (table.broadcast(table.context, text, sizeof text, of) != DLC_OK)
    lose();
  text[sizeof text - 1] = 0;
  if (of > 0 && !*text)
    throw Agreed("rank " + std::to_string(of) +
                 ": the model cannot be compiled there: run the command there in one process to see why");
  throw Agreed(of == 0 ? text : "rank " + std::to_string(of) + ": " + text);
}

void Ranks::begin(const std::vector<std::string> &lines) {
  hasBegun = true;
  if (!areSeveral())
    return;
  agree(nullptr);
  std::string own, first;
  for (const std::string &line : lines)
    own += line + '\n';
  uint64_t bytes = own.size();
  share(&bytes, sizeof bytes);
  first.assign(bytes, 0);
  if (isFirst())
    first = own;
  share(first.data(), first.size());
  std::string problem;
  if (first != own) {
    const size_t at =
        size_t(std::mismatch(own.begin(), own.end(), first.begin(), first.end()).first - own.begin());
    auto lineOf = [&](const std::string &text) {
      const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
      return begin >= text.size() ? std::string("nothing")
                                  : "'" + text.substr(begin, text.find('\n', begin) - begin) + "'";
    };
    problem = "it has " + lineOf(own) + " where rank 0 has " + lineOf(first) +
              ": give all ranks the same options and data";
  }
  agree(problem.empty() ? nullptr : &problem);
}

void Ranks::sum(double *values, int32_t count, const std::function<void()> &task) {
  if (!areSeveral())
    return task();
  try {
    task();
  } catch (const std::exception &error) {
    const std::string problem = error.what();
    std::fill_n(values, count, 0.0);
    agree(&problem, values, count);
  }
  agree(nullptr, values, count);
}

void Ranks::onFirst(const std::function<void()> &task) {
  sum(nullptr, 0, [&] {
    if (isFirst())
      task();
  });
}

bool Ranks::any(bool holds) {
  double count = holds;
  sum(&count, 1, [] {});
  return count > 0;
}

void Ranks::share(void *data, size_t bytes) const {
  if (areSeveral() && table.broadcast(table.context, data, bytes, 0) != DLC_OK)
    lose();
}

void Ranks::check(dlc_status status, const char *sentence) const {
  if (status == DLC_DEVICE_FAILED)
    throw Lost(sentence);
  if (status != DLC_OK)
    throw Agreed(sentence);
}

void Ranks::fail(const std::string &sentence) const {
  if (areSeveral())
    throw Agreed(sentence);
  throw Failure(sentence);
}

std::string Ranks::leave(const std::exception &problem) {
  if (!areSeveral())
    return problem.what();
  if (dynamic_cast<const Agreed *>(&problem))
    return isFirst() ? problem.what() : "";
  const std::string text = problem.what();
  if (!hasBegun && !dynamic_cast<const Lost *>(&problem)) {
    try {
      agree(&text);
    } catch (const std::exception &agreed) {
      return leave(agreed);
    }
  }
  // The others wait for this rank somewhere.
  std::fflush(stdout);
  std::fprintf(stderr, "dlc: error: rank %d of %d: %s\n", table.rank, table.ranks, text.c_str());
  std::fflush(stderr);
  table.abort(table.context);
  return "";
}

} // namespace dlc::tool::training
