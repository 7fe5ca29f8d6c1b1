//===- summary.cpp - what the lines of a check say, as a table ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: summary gpu-check.jsonl
// Shares are of what was measured on the same GPU in the same run: of the rate of copies, or of the rate of
// PyTorch's products. A kernel's limit is what its operations and its bytes take at these rates, whichever is
// longer. Where PyTorch was not there, its columns are empty.
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

/// A flat object, as the programs of the check write it.
using Line = std::map<std::string, std::string>;

Line parse(const std::string &text) {
  Line line;
  size_t at = 0;
  auto string = [&] {
    std::string result;
    for (++at; at < text.size() && text[at] != '"'; ++at)
      result += text[at] == '\\' ? text[++at] : text[at];
    ++at;
    return result;
  };
  while ((at = text.find('"', at)) != std::string::npos) {
    const std::string key = string();
    at = text.find_first_not_of(": ", at);
    if (at == std::string::npos)
      break;
    const size_t end = text.find_first_of(",}", at);
    line[key] = text[at] == '"' ? string() : text.substr(at, end - at);
  }
  return line;
}

std::string get(const Line &line, const std::string &key) {
  auto found = line.find(key);
  return found == line.end() ? "" : found->second;
}

double number(const Line &line, const std::string &key) { return strtod(get(line, key).c_str(), nullptr); }

std::vector<Line> all;

/// The first line of this section for this model with, where `key` is given, this value.
const Line *find(const std::string &section, const std::string &model, const std::string &key = "",
                 const std::string &value = "") {
  for (const Line &line : all)
    if (get(line, "section") == section && get(line, "model") == model &&
        (key.empty() || get(line, key) == value))
      return &line;
  return nullptr;
}

double numberOf(const Line *line, const char *key) { return line ? number(*line, key) : 0; }

/// A column of so many characters; empty where there is no number.
void column(double value, const char *format, int width) {
  char text[32] = "";
  if (value > 0)
    snprintf(text, sizeof text, format, value);
  printf(" %*s", width, text);
}

double copyRate() { return numberOf(find("copy", ""), "gb_per_s") * 1e9; }

/// "fp32", "tf32", "bf16" of a model's name; products of layers are bf16's, all else is fp32's.
std::string precisionOf(const std::string &model) {
  for (const char *precision : {"fp32", "tf32", "bf16"})
    if (model.size() > 5 && model.substr(model.size() - 4) == precision)
      return precision;
  return find("peer_product", model) ? "bf16" : "fp32";
}

double productRate(const std::string &precision) {
  return numberOf(find("ceiling", "", "precision", precision), "tflops") * 1e12;
}

/// Microseconds that a kernel cannot be faster than; 0 where nothing is known.
double limitOf(const Line &kernel) {
  const double rate = productRate(precisionOf(get(kernel, "model"))), copy = copyRate();
  return 1e6 * std::max(rate > 0 ? number(kernel, "operations") / rate : 0,
                        copy > 0 ? number(kernel, "bytes") / copy : 0);
}

void printCeilings() {
  printf("limits of this GPU: copies %.0f GB/s", copyRate() * 1e-9);
  for (const char *precision : {"fp32", "tf32", "bf16"})
    if (double rate = productRate(precision); rate > 0)
      printf(", products %s %.1f TFLOP/s", precision, rate * 1e-12);
  printf("\n");
}

/// Prints the time of each product: its kernel with the most operations, without casts of operands beside it.
void printProducts() {
  printf("\n%-20s %12s %10s %12s %10s %10s\n", "product", "us", "TFLOP/s", "PyTorch us", "of PyTorch",
         "of limit");
  std::map<std::string, const Line *> largest;
  for (const Line &line : all)
    if (get(line, "section") == "kernel" && get(line, "kind") == "product") {
      const Line *&best = largest[get(line, "model")];
      if (!best || number(line, "operations") > number(*best, "operations"))
        best = &line;
    }
  for (const auto &[model, line] : largest) {
    const double us = number(*line, "us"), peer = numberOf(find("peer_product", model), "us");
    printf("%-20s", model.c_str());
    column(us, "%.1f", 12);
    column(number(*line, "operations") / us * 1e-6, "%.1f", 10);
    column(peer, "%.1f", 12);
    column(peer / us, "%.2f", 10);
    column(limitOf(*line) / us, "%.2f", 10);
    printf("\n");
  }
}

void printMemoryBound() {
  printf("\n%-56s %12s %10s %10s\n", "kernel that memory limits", "us", "GB/s", "of copies");
  for (const Line &line : all)
    if (get(line, "section") == "kernel" && get(line, "kind") == "memory") {
      const double us = number(line, "us"), rate = number(line, "bytes") / us * 1e6;
      printf("%-56s", (get(line, "model") + ": " + get(line, "kernel")).substr(0, 56).c_str());
      column(us, "%.1f", 12);
      column(rate * 1e-9, "%.0f", 10);
      column(copyRate() > 0 ? rate / copyRate() : 0, "%.2f", 10);
      printf("\n");
    }
}

void printSteps() {
  printf("\n%-16s %12s %12s %12s %14s %14s %14s\n", "step", "us waited", "us queued", "in kernels",
         "eager us", "compiled us", "of the faster");
  for (const Line &line : all) {
    if (get(line, "section") != "step")
      continue;
    const std::string model = get(line, "model");
    const double queued = number(line, "queued_step_us_median"),
                 eager = numberOf(find("peer_step", model, "mode", "eager"), "queued_step_us_median"),
                 compiled = numberOf(find("peer_step", model, "mode", "compile"), "queued_step_us_median"),
                 faster = eager > 0 && compiled > 0 ? std::min(eager, compiled) : std::max(eager, compiled);
    printf("%-16s", model.c_str());
    column(number(line, "step_us_median"), "%.1f", 12);
    column(queued, "%.1f", 12);
    column(numberOf(find("kernels", model), "us"), "%.1f", 12);
    column(eager, "%.1f", 14);
    column(compiled, "%.1f", 14);
    column(faster / queued, "%.2f", 14);
    printf("\n");
  }
}

void printWorst() {
  struct Loss {
    const Line *line;
    double us;
  };
  std::vector<Loss> losses;
  for (const Line &line : all)
    if (get(line, "section") == "kernel" && get(line, "kind") == "step")
      losses.push_back({&line, number(line, "launches") * (number(line, "us") - limitOf(line))});
  std::sort(losses.begin(), losses.end(), [](const Loss &a, const Loss &b) { return a.us > b.us; });
  losses.resize(std::min<size_t>(losses.size(), 3));
  printf("\nfurthest above their limits, in time of a step:\n");
  for (const Loss &loss : losses)
    printf("  %s: %s, %s launches of %.1f us, limit %.1f us: %.0f us a step\n",
           get(*loss.line, "model").c_str(), get(*loss.line, "kernel").c_str(),
           get(*loss.line, "launches").c_str(), number(*loss.line, "us"), limitOf(*loss.line), loss.us);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: summary gpu-check.jsonl\n"), 2;
  std::ifstream stream(argv[1]);
  for (std::string text; std::getline(stream, text);)
    all.push_back(parse(text));
  printCeilings();
  printProducts();
  printMemoryBound();
  printSteps();
  printWorst();
  return 0;
}
