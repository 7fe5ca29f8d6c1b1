// Two models in one program: a small one learns from the scores of a large one, which learned from the
// labels.
//
//     two_models FOLDER [EPOCHS]        (the files of MNIST or Fashion-MNIST)
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "two_models.h"

#include <dlc/data.hpp>
#include <dlc/session.h>

#include <iostream>

namespace {

using two_models::batch, two_models::classes, two_models::pixels;

struct Part {
  dlc::data::Array images, labels;

  Part(const std::string &folder, const std::string &part)
      : images(read(folder + "/" + part + "-images-idx3-ubyte", true)),
        labels(read(folder + "/" + part + "-labels-idx1-ubyte", false)) {}
  static dlc::data::Array read(const std::string &path, bool isImage) {
    const dlc_scaling scaling = {1 / 255.0, 0, 1};
    return dlc::data::read_idx(path + ".gz", isImage ? &scaling : nullptr);
  }
};

/// The part of the samples whose largest score is that of their label.
double accuracy(const dlc::Session &session, const Part &part) {
  const int64_t rows = part.labels.samples();
  const dlc::View images(std::span(part.images.data<float>(), size_t(rows * pixels)), {rows, pixels});
  const dlc::Array scores = session.predict({images})[0];
  int64_t right = 0;
  for (int64_t row = 0; row < rows; ++row) {
    std::span<const float> of = scores.values<float>().subspan(size_t(row * classes), classes);
    right += std::max_element(of.begin(), of.end()) - of.begin() == part.labels.data<int64_t>()[row];
  }
  return double(right) / double(rows);
}

void run(const std::string &folder, int64_t epochs) {
  const Part training(folder, "train"), test(folder, "t10k");
  dlc::manual_seed(0);
  dlc::Session teacher(two_models::teacher(), {.threads = 1}), student(two_models::student(), {.threads = 1});
  dlc_loader_options options = {};
  options.batch = batch;
  options.shuffle = 1;
  dlc::data::Loader loader({&training.images, &training.labels}, options);
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    double losses[2] = {};
    loader.start(epoch);
    while (const int64_t rows = loader.next()) {
      const dlc::View images(std::span(loader.field<float>(0), size_t(rows * pixels)), {rows, pixels});
      const dlc::View labels(std::span(loader.field<int64_t>(1), size_t(rows)), {rows});
      losses[0] += teacher.train_step({images, labels});
      losses[1] += student.train_step({images, teacher.predict({images})[0]});
    }
    std::cout << "epoch " << epoch + 1 << ": teacher loss " << losses[0] / double(loader.batches())
              << ", accuracy " << accuracy(teacher, test) << "; student loss "
              << losses[1] / double(loader.batches()) << ", accuracy " << accuracy(student, test)
              << std::endl;
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return std::cerr << "usage: two_models FOLDER [EPOCHS]\n", 1;
  try {
    run(argv[1], argc > 2 ? std::atoll(argv[2]) : 5);
  } catch (const std::exception &error) { // dlc::Error among them
    return std::cerr << "two_models: " << error.what() << '\n', 1;
  }
}
