//===- libtorch.cpp - libtorch's side of tools/bench/libraries/compare ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: libtorch THREADS FOLDER MODEL         as sides.py says
//===----------------------------------------------------------------------===//
#include <ATen/Context.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <torch/torch.h>
#include <vector>

namespace {

constexpr int64_t batchSize = 64, batchCount = 16;
constexpr double rate = 0.01;

struct MLP : torch::nn::Module {
  torch::nn::Linear fc1{register_module("fc1", torch::nn::Linear(784, 256))},
      fc2{register_module("fc2", torch::nn::Linear(256, 128))},
      fc3{register_module("fc3", torch::nn::Linear(128, 10))};
  torch::Tensor forward(torch::Tensor x) { return fc3(torch::relu(fc2(torch::relu(fc1(x))))); }
};

struct LeNet : torch::nn::Module {
  torch::nn::Conv2d conv1{register_module("conv1", torch::nn::Conv2d(1, 32, 3))},
      conv2{register_module("conv2", torch::nn::Conv2d(32, 64, 3))};
  torch::nn::Linear fc1{register_module("fc1", torch::nn::Linear(9216, 128))},
      fc2{register_module("fc2", torch::nn::Linear(128, 10))};
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv2(torch::relu(conv1(x)))), 2);
    return fc2(torch::relu(fc1(torch::flatten(x, 1))));
  }
};

std::ifstream open(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  return file;
}

void readInto(std::ifstream &file, torch::Tensor tensor) {
  file.read(static_cast<char *>(tensor.data_ptr()), std::streamsize(tensor.nbytes()));
}

template <typename Net>
void serve(const std::string &folder, at::IntArrayRef row, torch::MemoryFormat format) {
  auto net = std::make_shared<Net>();
  std::ifstream weights = open(folder + "/weights");
  {
    torch::NoGradGuard none;
    for (torch::Tensor &parameter : net->parameters())
      readInto(weights, parameter);
  }
  if (format != torch::MemoryFormat::Contiguous)
    for (torch::Tensor &parameter : net->parameters())
      if (parameter.dim() == 4)
        parameter.set_data(parameter.contiguous(format));
  std::vector<int64_t> shape{batchSize};
  shape.insert(shape.end(), row.begin(), row.end());
  std::vector<std::pair<torch::Tensor, torch::Tensor>> data;
  std::ifstream batches = open(folder + "/batches");
  for (int64_t i = 0; i < batchCount; ++i) {
    torch::Tensor x = torch::empty(shape), y = torch::empty({batchSize}, torch::kInt64);
    readInto(batches, x);
    readInto(batches, y);
    data.emplace_back(x.contiguous(format), y);
  }
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(rate));
  auto step = [&](size_t number) {
    auto &[x, y] = data[number % data.size()];
    optimizer.zero_grad();
    torch::Tensor loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    optimizer.step();
    return loss.template item<float>();
  };
  std::printf("{\"first_loss\": %.9g}\n", double(step(0)));
  std::fflush(stdout);
  size_t count = 1;
  for (long steps; std::scanf("%ld", &steps) == 1 && steps > 0;) {
    std::vector<double> times;
    float loss = 0;
    for (long i = 0; i < steps; ++i, ++count) {
      const auto begin = std::chrono::steady_clock::now();
      loss = step(count);
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("{\"ms\": %.6f, \"loss\": %.9g}\n", times[times.size() / 2], double(loss));
    std::fflush(stdout);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: libtorch THREADS FOLDER MODEL\n");
    return 2;
  }
  at::set_num_threads(std::stoi(argv[1]));
  at::globalContext().setFlushDenormal(true); // as dlc does during a step
  if (std::string(argv[3]) == "mlp")
    serve<MLP>(argv[2], {784}, torch::MemoryFormat::Contiguous);
  else
    serve<LeNet>(argv[2], {1, 28, 28}, torch::MemoryFormat::ChannelsLast);
  return 0;
}
