//===- Expression.cpp - one expression as a program ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Expression.h"
#include <cctype>
#include <set>

namespace dlc::tool {

namespace {

bool isStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isPart(char c) { return isStart(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// Goes through the expression; what it takes is copied, but for sizes and dtypes of inputs.
class Reader {
public:
  explicit Reader(const std::string &text) : text(text) {}

  void run() {
    while (at < text.size()) {
      if (!isStart(text[at])) {
        body += text[at++];
        continue;
      }
      const std::string name = word();
      body += name;
      if (!known.count(name))
        declare(name);
    }
  }

  std::string body, inputs;
  std::set<std::string> known;

private:
  std::string word() {
    const size_t begin = at;
    while (at < text.size() && isPart(text[at]))
      ++at;
    return text.substr(begin, at - begin);
  }

  /// Takes "[64, 32]" and ":int64" behind a name, if that is what stands there.
  void declare(const std::string &name) {
    const size_t end = at < text.size() && text[at] == '[' ? text.find(']', at) : std::string::npos;
    if (end == std::string::npos)
      return;
    const std::string sizes = text.substr(at + 1, end - at - 1);
    if (sizes.find_first_not_of("0123456789, ") != std::string::npos)
      return;
    at = end + 1;
    std::string dtype = "float32";
    if (at + 1 < text.size() && text[at] == ':' && isStart(text[at + 1])) {
      ++at;
      dtype = word();
    }
    known.insert(name);
    inputs += "  Tensor " + name + " = input(\"" + name + "\", {" + sizes + "}, " +
              (dtype == "bool" ? "boolean" : dtype) + ");\n";
  }

  const std::string &text;
  size_t at = 0;
};

} // namespace

std::string programOf(const std::string &expression, std::string &error) {
  if (expression.find_first_of("\n\r;{}#\\") != std::string::npos) {
    error = "expected one expression of C++, without ; { } # and \\";
    return "";
  }
  Reader reader(expression);
  reader.run();
  if (reader.known.empty()) {
    error = "it has no inputs: behind a name where it first stands are its sizes, as in 'matmul(a[64,32], "
            "b[32,8])'";
    return "";
  }
  return "#include <dlc/dlc.h>\n"
         "using namespace dlc;\n"
         "namespace F = dlc::nn::functional;\n"
         "DLC_MODEL(expression) {\n" +
         reader.inputs +
         "  nn::Module none;\n"
         "#line 1 \"--expression\"\n"
         "  Tensor output = " +
         reader.body +
         ";\n"
         "  return make_program(none, {{\"output\", output}}, loss::None(), optim::SGD({.lr = 1}));\n"
         "}\n";
}

} // namespace dlc::tool
