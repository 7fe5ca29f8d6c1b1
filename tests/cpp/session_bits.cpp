//===- session_bits.cpp - a session and a library of one program ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of mlp.cpp as a library, and in this process: the losses of 20 steps and the files of the state
// must be equal, bit for bit.
//===----------------------------------------------------------------------===//
#include "dlc/session.h"
#include "frontends/cpp/api/Models.h"
#include "mlp.h"
#include "tests/cpp/mlp.cpp"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

namespace {

constexpr int rows = 64, pixels = 784;

std::string contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int fail(const std::string &message) {
  std::cerr << message << '\n';
  return 1;
}

/// Trains both on the same numbers.
int compare(const dlc::SessionOptions &options) {
  char error[500] = "";
  dlc_create_options create = {};
  create.struct_size = sizeof create;
  create.threads = options.threads;
  create.weights_path = MLP_WEIGHTS;
  create.error = error;
  create.error_bytes = sizeof error;
  mlp *library = nullptr;
  if (mlp_create(&create, &library) != DLC_OK)
    return fail(error);
  dlc::Session session(dlc::detail::describe(dlc::detail::models().front()), options);

  std::mt19937 random(3);
  std::vector<float> images(rows * pixels);
  std::vector<int64_t> labels(rows);
  int status = 0;
  for (int step = 0; step < 20 && status == 0; ++step) {
    for (float &pixel : images)
      pixel = float(random() % 256) / 255;
    for (int64_t &label : labels)
      label = random() % 10;
    float expected = 0,
          loss = session.train_step({dlc::View(images, {rows, pixels}), dlc::View(labels, {rows})});
    if (mlp_train_step(library, images.data(), labels.data(), &expected) != DLC_OK)
      status = fail(mlp_last_error(library));
    else if (std::memcmp(&loss, &expected, sizeof loss) != 0)
      status = fail("step " + std::to_string(step) + ": " + std::to_string(loss) + " in the session, " +
                    std::to_string(expected) + " in the library");
  }
  session.save("session.safetensors");
  if (status == 0 && mlp_save(library, "library.safetensors") != DLC_OK)
    status = fail(mlp_last_error(library));
  mlp_destroy(library);
  if (status == 0 && contentOf("session.safetensors") != contentOf("library.safetensors"))
    status = fail("the states after 20 steps differ");
  return status;
}

} // namespace

int main() {
  for (bool anySize : {false, true})
    for (int threads : {1, 3})
      if (compare({.threads = threads, .any_size = anySize}))
        return 1;
}
