//===- compiled.cpp - a compiled model on the stand-in driver -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: compiled MODEL failures EVERY | barriers [predict] | orders | banks MOST
//   failures  each EVERYth call of the driver fails in a run of its own: a sentence, no leak
//   barriers  each barrier of each kernel is left out in a run of its own, each end of a group of copies or
//             products, too, and each wait for them is one for a group less: the check must find it; of
//             prediction alone, where that is said
//   orders    threads, blocks and nodes in other orders give the same bits, and copies that are done at other
//   times
//   banks     no kernel with products asks for shared memory in more than MOST times as many passes as it
//   must
//===----------------------------------------------------------------------===//
#include "tests/simt/StandIn.h"
#include "tools/gpu-check/Models.h"
#include "tools/gpu-check/Training.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

namespace {

using dlc::check::Failed;
using dlc::check::Training;
using dlc::simt::standIn;

std::string name;          ///< of the model
bool predictsOnly = false; ///< a life is a prediction
int problems = 0;

void problem(const std::string &what) {
  printf("FAIL %s\n", what.c_str());
  ++problems;
}

/// What a short life gives: the sentence of the call that failed, or the bits of all results.
struct Life {
  std::string sentence;
  std::vector<std::vector<unsigned char>> state;
  std::vector<double> numbers;
  bool operator==(const Life &other) const {
    return sentence == other.sentence && state == other.state && numbers == other.numbers;
  }
};

Life live() {
  Life life;
  try {
    Training training(dlc::check::modelNamed(name), "gpu");
    if (!predictsOnly) {
      life.numbers = {training.step(0)};
      training.stepWithoutLoss(1);
      life.numbers.push_back(training.halfSteps(2));
      for (double number : training.evaluate(3))
        life.numbers.push_back(number);
    }
    for (float number : training.predict(4))
      life.numbers.push_back(number);
    life.state = training.state();
  } catch (const Failed &failed) {
    life.sentence = failed.what();
  }
  return life;
}

void failEach(uint64_t every) {
  live();
  const uint64_t calls = standIn().calls();
  uint64_t failures = 0;
  for (uint64_t call = 1; call <= calls; call += every) {
    standIn().reset();
    standIn().failCall(call, 999);
    const std::string sentence = live().sentence, name = standIn().failedCall();
    failures += !sentence.empty();
    if (!sentence.empty() && sentence.find("999") == std::string::npos &&
        sentence.find("CUDA") == std::string::npos)
      problem(name + ", call " + std::to_string(call) + ": the sentence does not say why: " + sentence);
    if (std::string left = standIn().leaks(); !left.empty())
      problem(name + ", call " + std::to_string(call) + ": not given back: " + left);
    if (std::string found = standIn().findings(); !found.empty())
      problem(name + ", call " + std::to_string(call) + ": " + found);
  }
  printf("%llu calls of the driver, of which %llu were made to fail, %llu with a sentence\n",
         static_cast<unsigned long long>(calls), static_cast<unsigned long long>((calls + every - 1) / every),
         static_cast<unsigned long long>(failures));
  if (failures == 0)
    problem("nothing failed");
}

void dropEach() {
  if (std::string sentence = live().sentence; !sentence.empty())
    return problem(sentence);
  std::istringstream barriers(standIn().barriers());
  std::string kernel;
  uint32_t site = 0, count = 0, found = 0;
  while (barriers >> kernel >> site) {
    ++count;
    bool noticed = false;
    for (uint32_t seed = 1; seed <= 2 && !noticed; ++seed) {
      standIn().reset();
      standIn().setSeed(seed);
      standIn().dropBarrier(kernel.c_str(), site);
      noticed = !live().sentence.empty();
      standIn().findings();
    }
    found += noticed;
    if (!noticed)
      problem("kernel " + kernel + " runs without its barrier, end of a group or wait " +
              std::to_string(site) + ", and the check says nothing");
  }
  printf("%u barriers, ends of groups and waits left out, %u found\n", count, found);
  if (count == 0)
    problem("there are no barriers");
}

void changeOrders() {
  std::vector<std::vector<unsigned char>> expected;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    standIn().reset();
    standIn().setSeed(seed);
    standIn().setEager(seed % 2);
    Training training(dlc::check::modelNamed(name), "gpu");
    for (int i = 0; i < 3; ++i)
      training.stepWithoutLoss(i);
    training.lastLoss();
    if (seed == 1)
      expected = training.state();
    else if (training.state() != expected)
      problem("order " + std::to_string(seed) + " gives other bits");
  }
  printf("4 orders, the same bits\n");
}

void countBanks(double most) {
  standIn().countBanks(1);
  if (std::string sentence = live().sentence; !sentence.empty())
    return problem(sentence);
  struct Passes {
    double taken = 0, least = 0;
  };
  std::map<std::string, Passes> ofKernels;
  std::istringstream lines(standIn().banks());
  std::string kernel, request;
  uint64_t site = 0, taken = 0, least = 0;
  while (lines >> kernel >> request >> site >> taken >> least)
    for (const std::string &of : {kernel, kernel + " " + request + " " + std::to_string(site)}) {
      ofKernels[of].taken += static_cast<double>(taken);
      ofKernels[of].least += static_cast<double>(least);
    }
  for (const auto &[of, passes] : ofKernels) {
    const double times = passes.taken / passes.least;
    printf("%-60s %10.0f passes, %5.2f times as many as it must\n", of.c_str(), passes.taken, times);
    if (times > most && of.find(' ') == std::string::npos)
      problem("kernel " + of + " asks for shared memory in too many passes");
  }
  if (ofKernels.empty())
    problem("no kernel has asked for shared memory");
}

} // namespace

int main(int argc, char **argv) {
  const std::string mode = argc > 2 ? argv[2] : "";
  name = argc > 1 ? argv[1] : "";
  standIn().reset();
  try {
    if (mode == "failures" && argc == 4) {
      failEach(strtoull(argv[3], nullptr, 10));
    } else if (mode == "barriers") {
      predictsOnly = argc > 3;
      dropEach();
    } else if (mode == "orders") {
      changeOrders();
    } else if (mode == "banks" && argc == 4) {
      countBanks(strtod(argv[3], nullptr));
    } else
      return fprintf(stderr,
                     "usage: compiled MODEL failures EVERY | barriers [predict] | orders | banks MOST\n"),
             2;
  } catch (const Failed &failed) {
    problem(failed.what());
  }
  standIn().reset();
  if (mode == "orders")
    if (std::string found = standIn().findings(); !found.empty())
      problem(found);
  return problems ? 1 : 0;
}
