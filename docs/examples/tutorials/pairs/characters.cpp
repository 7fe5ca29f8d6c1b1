// A recurrent network learns a text character by character, and writes more of it.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

using namespace dlc;

int main(int, char **argv) {
  std::ifstream file(argv[1]);
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::set<char> different(text.begin(), text.end());
  std::string letters(different.begin(), different.end());
  std::mt19937 random(0);

  manual_seed(0);
  int64_t count = letters.size();
  nn::Sequential net{nn::Embedding(count, 32), nn::GRU(32, 128, {.batch_first = true}),
                     nn::Linear(128, count)};
  Tensor now = input("now", {32, 32}, int64), next = input("next", {32, 32}, int64);
  Tensor scores = net(now).transpose(1, 2), loss = nn::functional::cross_entropy(scores, next);
  Session session(program(net, scores, loss, optim::Adam({.lr = 3e-3})));
  double total = 0;
  for (int step = 1; step <= 300; ++step) {
    std::vector<int64_t> x, y;
    for (int row = 0; row < 32; ++row) {
      size_t begin = random() % (text.size() - 32);
      for (size_t i = begin; i < begin + 32; ++i) {
        x.push_back(letters.find(text[i]));
        y.push_back(letters.find(text[i + 1]));
      }
    }
    total += session.train_step(View(x, {32, 32}), View(y, {32, 32}));
    if (step % 100 == 0) {
      std::cout << "step " << step << ": loss " << total / 100 << '\n';
      total = 0;
    }
  }

  std::vector<int64_t> written{0};
  while (written.size() < 200) {
    int64_t n = std::min<int64_t>(written.size(), 32);
    std::vector<int64_t> last(written.end() - n, written.end());
    last.resize(32 * 32);
    Array scores = session.predict({View(last, {32, 32})})[0];
    std::vector<double> chances;
    for (int64_t i = 0; i < count; ++i)
      chances.push_back(std::exp(scores.values<float>()[i * 32 + n - 1]));
    written.push_back(std::discrete_distribution<int>(chances.begin(), chances.end())(random));
    std::cout << letters[written.back()];
  }
}
