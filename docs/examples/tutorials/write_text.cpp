// Learns a text character by character, and writes more of it.
//
//     write_text TEXT [STEPS [CHARACTERS]]
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "characters.h"

#include <dlc/schedules.h>
#include <dlc/session.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <set>

namespace {

using characters::batch, characters::window;

/// A text as numbers of its different characters.
struct Text {
  std::string alphabet;
  std::vector<int64_t> tokens;

  explicit Text(const char *path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.size() < 20 * window)
      throw std::runtime_error(std::string(path) + ": cannot be read, or is too short to learn from");
    const std::set<char> different(text.begin(), text.end());
    alphabet.assign(different.begin(), different.end());
    for (char c : text)
      tokens.push_back(std::lower_bound(alphabet.begin(), alphabet.end(), c) - alphabet.begin());
  }
};

/// Windows that begin at these places, and the same one token later: what is to be predicted.
struct Windows {
  std::vector<int64_t> inputs, targets;

  void add(const std::vector<int64_t> &tokens, int64_t begin) {
    inputs.insert(inputs.end(), tokens.begin() + begin, tokens.begin() + begin + window);
    targets.insert(targets.end(), tokens.begin() + begin + 1, tokens.begin() + begin + window + 1);
  }
  std::vector<dlc::View> views() const {
    const int64_t rows = int64_t(inputs.size()) / window;
    return {dlc::View(inputs, {rows, window}), dlc::View(targets, {rows, window})};
  }
};

/// Draws what may follow the last tokens: likely characters more often.
int64_t next(const dlc::Session &session, const std::vector<int64_t> &tokens, std::mt19937_64 &random) {
  const size_t length = std::min<size_t>(tokens.size(), window);
  std::vector<int64_t> seen(tokens.end() - int64_t(length), tokens.end());
  seen.resize(window); // what comes later does not count
  const dlc::Array scores = session.predict({dlc::View(seen, {1, window})})[0];
  std::vector<double> weights;
  for (int64_t i = 0; i < scores.shape()[1]; ++i)
    weights.push_back(std::exp(scores.values<float>()[size_t(i * window) + length - 1] / 0.8));
  return std::discrete_distribution<int64_t>(weights.begin(), weights.end())(random);
}

void run(const Text &text, int64_t steps, int64_t characters) {
  const auto alphabet = int64_t(text.alphabet.size()), size = int64_t(text.tokens.size());
  dlc::Session session(characters::describe(alphabet), {.threads = 1, .max_grad_norm = 1});
  std::mt19937_64 random(1);
  Windows test; // of the last tenth
  for (int64_t begin = size - size / 10; begin + window < size; begin += window)
    test.add(text.tokens, begin);

  const double rate = session.learning_rate();
  double sum = 0;
  for (int64_t step = 1; step <= steps; ++step) {
    Windows windows;
    for (int64_t row = 0; row < batch; ++row)
      windows.add(text.tokens, int64_t(random() % uint64_t(size - size / 10 - window)));
    session.set_learning_rate(dlc_schedule_cosine(rate, step - 1, steps, rate / 10));
    sum += session.train_step(windows.views());
    if (step % std::max<int64_t>(steps / 5, 1) == 0) {
      std::cout << "step " << step << ": loss " << sum / double(std::max<int64_t>(steps / 5, 1))
                << ", test loss " << session.evaluate(test.views()).loss() << std::endl;
      sum = 0;
    }
  }
  std::vector<int64_t> tokens = {text.tokens[0]};
  while (int64_t(tokens.size()) <= characters)
    tokens.push_back(next(session, tokens, random));
  for (int64_t token : tokens)
    std::cout << text.alphabet[size_t(token)];
  std::cout << '\n';
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return std::cerr << "usage: write_text TEXT [STEPS [CHARACTERS]]\n", 1;
  try {
    run(Text(argv[1]), argc > 2 ? std::atoll(argv[2]) : 2000, argc > 3 ? std::atoll(argv[3]) : 300);
  } catch (const std::exception &error) { // dlc::Error among them
    return std::cerr << "write_text: " << error.what() << '\n', 1;
  }
}
