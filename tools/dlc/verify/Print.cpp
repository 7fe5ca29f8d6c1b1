//===- Print.cpp - a report of dlc verify, for people and programs ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/verify/Print.h"
#include "tools/dlc/Printable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace dlc::tool {
using verify::Check;
using verify::Report;

/// The worst comparison of each tensor, the worst tensors first.
static std::vector<const Check *> worstOfEach(const Report &report) {
  llvm::MapVector<llvm::StringRef, const Check *> found;
  for (const Check &check : report.checks) {
    const Check *&worst = found[check.name];
    if (!worst || check.share() > worst->share())
      worst = &check;
  }
  std::vector<const Check *> checks;
  for (auto [name, check] : found)
    checks.push_back(check);
  auto isWorse = [](const Check *a, const Check *b) {
    return a->share() != b->share() ? a->share() > b->share() : a->name < b->name;
  };
  llvm::sort(checks, isWorse);
  return checks;
}

static std::string verdict(const Report &report) {
  const int64_t different = llvm::count_if(report.checks, [](const Check &check) { return check.differs(); });
  std::string text = different ? std::to_string(different) + " of " : "equal, ";
  text += std::to_string(report.checks.size()) + " comparisons";
  if (different)
    text += " differ";
  if (report.trains)
    llvm::raw_string_ostream(text) << " of " << report.parameters
                                   << (report.parameters == 1 ? " trained tensor" : " trained tensors")
                                   << " over " << report.steps << (report.steps == 1 ? " step" : " steps")
                                   << llvm::format("; the first loss is %g", report.loss);
  return text;
}

static std::string cut(const std::string &text, size_t width) {
  return text.size() > width ? text.substr(0, width - 2) + ".." : text;
}

void printTable(const Report &report, const std::string &file, int64_t lines, llvm::raw_ostream &out) {
  out << file << ": " << verdict(report) << '\n';
  for (const std::string &left : report.leftOut)
    out << "  not compared: " << printable(left) << '\n';
  const std::vector<const Check *> checks = worstOfEach(report);
  if (lines == 0 || checks.empty())
    return;
  out << llvm::formatv("\n{0,-32} {1,-17} {2,-16} {3,10} {4,10} {5,9}  {6}\n", "tensor", "worst comparison",
                       "when", "error", "bound", "of bound", "because of");
  for (const Check *check : llvm::ArrayRef(checks).take_front(lines)) {
    const double percent = 100 * check->share();
    out << llvm::format("%-32s %-17s %-16s %10.2e %10.2e ", cut(printable(check->name), 32).c_str(),
                        check->what.c_str(), cut(check->when, 16).c_str(), check->error, check->bound);
    if (std::isfinite(percent))
      out << llvm::format("%7.1f %%", percent);
    else
      out << "        -";
    out << "  " << check->reason << '\n';
  }
  if (checks.size() > static_cast<size_t>(lines))
    out << checks.size() - lines << " more (--lines)\n";
}

/// What the comparisons that differ have in common.
static const char *likelyPlace(const Report &report) {
  auto differs = [&](auto isOne) {
    return llvm::any_of(report.checks, [&](const Check &check) { return check.differs() && isOne(check); });
  };
  if (differs(
          [](const Check &check) { return check.when == "interpreter" && check.what != "compiled slope"; }))
    return "the interpreter's own numbers are not those of the model as it was imported: a rule of a "
           "gradient, or "
           "what is made of the model for training, is wrong, or the loss has no slope there";
  return "the interpreter agrees with the model: what is wrong comes after the gradients were derived, when "
         "operations are decomposed, fused, scheduled or made code";
}

void printDifferences(const Report &report, const std::string &file, llvm::raw_ostream &out) {
  constexpr size_t most = 10;
  size_t count = 0;
  for (const Check *check : worstOfEach(report)) {
    if (!check->differs() || ++count > most)
      continue;
    out << file << ": error: " << check->what << ", " << check->when << ": " << printable(check->detail)
        << '\n';
  }
  if (count > most)
    out << file << ": error: " << count - most << " more tensors differ (--json shows all)\n";
  out << file << ": note: " << likelyPlace(report) << '\n';
}

static llvm::json::Value number(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

static const char *resultOf(int status) { return status == 0 ? "equal" : status == 1 ? "differs" : "cannot"; }

static llvm::json::Value valueOf(const Against &against) {
  llvm::json::Object result;
  if (auto parsed = llvm::json::parse(against.json); !parsed)
    llvm::consumeError(parsed.takeError());
  else if (llvm::json::Object *object = parsed->getAsObject())
    result = std::move(*object);
  result["module"] = llvm::json::fixUTF8(against.module);
  result["result"] = resultOf(against.status);
  return result;
}

void printJson(const Report &report, const std::string &file, int status, const Against *against,
               llvm::raw_ostream &out) {
  llvm::json::OStream json(out, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("model", llvm::json::fixUTF8(file));
    json.attribute("result", resultOf(status));
    json.attribute("trained_tensors", report.parameters);
    json.attribute("steps", report.steps);
    json.attribute("first_loss", number(report.loss));
    json.attribute("ended_at",
                   report.ended.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(report.ended));
    json.attribute("rows", report.rows);
    json.attribute("rows_of_model", report.rowsOfModel);
    json.attributeArray("checks", [&] {
      for (const Check &check : report.checks)
        json.object([&] {
          json.attribute("when", check.when);
          json.attribute("what", check.what);
          json.attribute("name", llvm::json::fixUTF8(check.name));
          json.attribute("type", check.type);
          json.attribute("error", number(check.error));
          json.attribute("bound", number(check.bound));
          json.attribute("because_of", check.reason);
          json.attribute("differs", check.differs());
          if (!check.detail.empty())
            json.attribute("detail", llvm::json::fixUTF8(check.detail));
        });
    });
    json.attributeArray("left_out", [&] {
      for (const std::string &left : report.leftOut)
        json.value(llvm::json::fixUTF8(left));
    });
    if (against)
      json.attribute("against", valueOf(*against));
  });
  out << '\n';
}

} // namespace dlc::tool
