//===- Seeds.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/runtime/fuzz/Seeds.h"
#include "tests/runtime/TarFiles.h"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"
#include "tests/runtime/ZipFiles.h"
#include "tests/runtime/fuzz/Targets.h"

#include "dlc/lbfgs.h"
#include <zlib.h>

namespace fuzz {

namespace {

std::string idx() {
  std::string bytes = {0, 0, 0x08, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
  for (char i = 0; i < 24; ++i)
    bytes += i;
  return bytes;
}

std::string compressed(const std::string &bytes) {
  TempFolder folder;
  gzFile file = gzopen(folder.file("f").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return TempFolder::readAll(folder.file("f"));
}

std::string cifar() {
  std::string file;
  for (int i = 0; i < 2 * 3073; ++i)
    file += static_cast<char>(i % 3073 ? i : 7);
  return file;
}

std::string tokens() {
  // Two bytes, in order, windows of 4, batches of 2, vocabulary 256.
  std::string file = {0, 3, 1, 5, 1, 2, 0, 1};
  for (char i = 0; i < 100; ++i)
    file += {i, 0};
  return file;
}

std::string npy() {
  std::string file = "\x93NUMPY\x01";
  file += std::string("\0\x3b\0", 3) + "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 4)}\n\n";
  for (char i = 0; i < 24; ++i)
    file += i;
  return file;
}

std::string checkpoint() {
  TempFolder folder;
  tiny::Instance instance;
  require(dlc_instance_save(instance, folder.file("s").c_str()) == DLC_OK, "no checkpoint");
  return TempFolder::readAll(folder.file("s"));
}

dlc_status parabola(void *, const double *values, double *loss, double *gradient) {
  *loss = 0;
  for (int i = 0; i < 3; ++i) {
    *loss += (i + 1) * values[i] * values[i];
    gradient[i] = 2 * (i + 1) * values[i];
  }
  return DLC_OK;
}

std::string history() {
  TempFolder folder;
  dlc_lbfgs_options options = dlc_lbfgs_defaults();
  options.history = 4;
  options.learning_rate = 0.1;
  options.iterations = 2;
  dlc_lbfgs *lbfgs = nullptr;
  double values[] = {1, -2, 3};
  require(dlc_lbfgs_create(3, &options, &lbfgs) == DLC_OK, "no optimizer");
  for (int step = 0; step < 3; ++step)
    require(dlc_lbfgs_step(lbfgs, values, parabola, nullptr, nullptr) == DLC_OK, "no step");
  require(dlc_lbfgs_save(lbfgs, folder.file("h").c_str(), nullptr, 0) == DLC_OK, "no history");
  dlc_lbfgs_destroy(lbfgs);
  return TempFolder::readAll(folder.file("h"));
}

} // namespace

std::vector<Seed> seeds() {
  return {{"safetensors", fuzzSafetensors, checkpoint()},
          {"tensors", fuzzTensors, checkpoint()},
          {"lbfgs", fuzzLbfgs, history()},
          {"idx", fuzzIdx, idx()},
          {"idx", fuzzIdx, compressed(idx())},
          {"inflate", fuzzInflate, compressed(idx())},
          {"inflate", fuzzInflate, compressed(cifar()) + compressed("")},
          {"rows", fuzzRows, '\0' + idx()},
          {"rows", fuzzRows, '\1' + npy()},
          {"cifar", fuzzCifar, cifar()},
          {"tokens", fuzzTokens, tokens()},
          {"npy", fuzzNpy, npy()},
          {"npz", fuzzNpz, zip::archive({{"x.npy", npy()}, {"y.npy", npy(), true}})},
          {"npz", fuzzNpz, zip::archive({{"x.npy", npy()}}, true)},
          {"shards", fuzzShards,
           tar::member("p", tar::record("path", "a.npy"), 'x') + tar::member("cut", npy()) +
               tar::member("a.cls", "3") + tar::end},
          {"preprocessing", fuzzPreprocessing,
           "{\"normalize\": {\"x\": {\"each\": \"column\", \"mean\": [0.5, -1], \"deviation\": [2e-1, 3]}}, "
           "\"columns\": {\"x\": [\"a\", \"b\"]}, \"classes\": [\"no\", \"yes\"]}"},
          {"table", fuzzTable, "a,\"b \"\"c\"\r\n1, 2\n\n-3e2,\"x\ny\"\n4.5,\n"}};
}

} // namespace fuzz
