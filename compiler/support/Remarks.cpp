//===- Remarks.cpp - why the compiler did what it did ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Remarks.h"
#include "compiler/support/NodeNames.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using mlir::remark::RemarkOpts;

namespace dlc::remarks {

/// The key that MLIR gives pieces of text, where numbers have names.
static constexpr llvm::StringLiteral textKey = "Remark";

/// The name of the operation, or of the nearest one around it that has one.
static StringRef subjectOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      return name.getValue();
  return "";
}

static RemarkOpts describe(Operation *op, StringRef stage, StringRef name, StringRef subject) {
  return RemarkOpts::name(name).category(stage).function(subject.empty() ? subjectOf(op) : subject);
}

remark::detail::InFlightRemark done(Operation *op, StringRef stage, StringRef name, StringRef subject) {
  if (!areWanted(op))
    return {};
  return remark::passed(op->getLoc(), describe(op, stage, name, subject));
}

remark::detail::InFlightRemark missed(Operation *op, StringRef stage, StringRef name, StringRef subject) {
  if (!areWanted(op))
    return {};
  return remark::missed(op->getLoc(), describe(op, stage, name, subject));
}

namespace {

/// Keeps what is said. The engine owns it and may outlive the listener, hence the shared vector.
class Keeper : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Keeper(std::shared_ptr<std::vector<Said>> all) : all(std::move(all)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Said said;
    said.stage = remark.getCategoryName();
    said.name = remark.getRemarkName();
    said.subject = remark.getFunction();
    for (StringRef node : nodeNames(remark.getLocation()))
      said.nodes.push_back(node.str());
    said.isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
    for (const remark::detail::Remark::Arg &piece : remark.getArgs()) {
      said.text += piece.val;
      if (piece.key != textKey)
        said.numbers.push_back({piece.key, piece.val});
    }
    if (!llvm::is_contained(*all, said))
      all->push_back(std::move(said));
  }

private:
  std::shared_ptr<std::vector<Said>> all;
};

} // namespace

Listener::Listener(MLIRContext &context, ArrayRef<std::string> stages)
    : context(context), all(std::make_shared<std::vector<Said>>()) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "^(" + llvm::join(stages, "|") + ")$";
  // It fails where a file cannot be opened, and there is none.
  (void)remark::enableOptimizationRemarks(context, std::make_unique<Keeper>(all),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

Listener::~Listener() { context.setRemarkEngine(nullptr); }

} // namespace dlc::remarks
